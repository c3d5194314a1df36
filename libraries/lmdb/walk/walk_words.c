/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings: names, counts, the callback. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "walk/walk_private.h"

#define TEXT_MAX 400

static const char *const names[DIT_WALK_NKINDS] = {
	[DIT_WALK_FILE_CUT] = "file-cut",
	[DIT_WALK_UNREADABLE] = "unreadable",
	[DIT_WALK_META_PAGE] = "meta-page",
	[DIT_WALK_META_MAGIC] = "meta-magic",
	[DIT_WALK_META_VERSION] = "meta-version",
	[DIT_WALK_META_PAGE_SIZE] = "meta-page-size",
	[DIT_WALK_META_TRANSACTION] = "meta-transaction",
	[DIT_WALK_META_LAST_PAGE] = "meta-last-page",
	[DIT_WALK_PAGE_RANGE] = "page-range",
	[DIT_WALK_PAGE_TWICE] = "page-twice",
	[DIT_WALK_PAGE_FREE] = "page-free",
	[DIT_WALK_PAGE_LOST] = "page-lost",
	[DIT_WALK_PAGE_NUMBER] = "page-number",
	[DIT_WALK_PAGE_TRANSACTION] = "page-transaction",
	[DIT_WALK_PAGE_FLAGS] = "page-flags",
	[DIT_WALK_PAGE_BOUNDS] = "page-bounds",
	[DIT_WALK_PAGE_EMPTY] = "page-empty",
	[DIT_WALK_PAGE_DEPTH] = "page-depth",
	[DIT_WALK_BRANCH_CHILDREN] = "branch-children",
	[DIT_WALK_NODE_PLACE] = "node-place",
	[DIT_WALK_NODE_LENGTH] = "node-length",
	[DIT_WALK_NODE_OVERLAP] = "node-overlap",
	[DIT_WALK_NODE_FLAGS] = "node-flags",
	[DIT_WALK_NODE_VALUE] = "node-value",
	[DIT_WALK_KEY_LENGTH] = "key-length",
	[DIT_WALK_KEY_ORDER] = "key-order",
	[DIT_WALK_KEY_BRANCH] = "key-branch",
	[DIT_WALK_ITEM_LENGTH] = "item-length",
	[DIT_WALK_ITEM_ORDER] = "item-order",
	[DIT_WALK_ITEM_BRANCH] = "item-branch",
	[DIT_WALK_LIST_PAGE] = "list-page",
	[DIT_WALK_LIST_RECORD] = "list-record",
	[DIT_WALK_OVERFLOW_RANGE] = "overflow-range",
	[DIT_WALK_OVERFLOW_COUNT] = "overflow-count",
	[DIT_WALK_TREE_NAME] = "tree-name",
	[DIT_WALK_TREE_FLAGS] = "tree-flags",
	[DIT_WALK_TREE_ROOT] = "tree-root",
	[DIT_WALK_TREE_DEPTH] = "tree-depth",
	[DIT_WALK_TREE_BRANCHES] = "tree-branches",
	[DIT_WALK_TREE_LEAVES] = "tree-leaves",
	[DIT_WALK_TREE_OVERFLOWS] = "tree-overflows",
	[DIT_WALK_TREE_ITEMS] = "tree-items",
	[DIT_WALK_FREE_KEY] = "free-key",
	[DIT_WALK_FREE_COUNT] = "free-count",
	[DIT_WALK_FREE_ORDER] = "free-order",
	[DIT_WALK_FREE_RANGE] = "free-range",
	[DIT_WALK_FREE_TWICE] = "free-twice",
};

const char *dit_walk_kind_name(enum dit_walk_kind kind)
{
	return kind < DIT_WALK_NKINDS ? names[kind] : "unknown";
}

void dit_walk_find(struct walk *walk, enum dit_walk_kind kind,
                   const struct walk_tree *tree, uint64_t page, long node,
                   const char *format, ...)
{
	const struct dit_walk_opts *opts = walk->opts;
	char text[TEXT_MAX];
	struct dit_walk_finding finding = {
		.kind = kind,
		.database = tree == NULL ? NULL : tree->database->name,
		.page = page,
		.node = node,
		.text = text,
	};
	va_list args;

	(void)pthread_mutex_lock(&walk->lock);
	walk->by_kind[kind]++;
	walk->nfindings++;
	if (opts->max_findings == 0 || walk->nfindings <= opts->max_findings) {
		va_start(args, format);
		(void)vsnprintf(text, sizeof(text), format, args);
		va_end(args);
		opts->found(opts->found_ctx, &finding);
	}
	(void)pthread_mutex_unlock(&walk->lock);
}

void dit_walk_fail(struct walk *walk, int error)
{
	int none = 0;

	(void)atomic_compare_exchange_strong(&walk->error, &none, error);
}

bool dit_walk_is_over(struct walk *walk)
{
	const volatile sig_atomic_t *stop = walk->opts->stop;

	if (stop != NULL && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0) {
		dit_walk_fail(walk, DIT_E_STOPPED);
	}
	return atomic_load_explicit(&walk->error, memory_order_relaxed) != 0;
}

void dit_walk_cut(struct walk *walk, struct walk_tree *tree)
{
	atomic_store_explicit(&tree->is_cut, true, memory_order_relaxed);
	atomic_store_explicit(&tree->database->is_cut, true, memory_order_relaxed);
	atomic_store_explicit(&walk->is_cut, true, memory_order_relaxed);
}
