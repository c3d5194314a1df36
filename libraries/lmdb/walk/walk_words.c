/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings: names, counts, the callback. */
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "walk/walk_private.h"

#define TEXT_MAX 400

#define NAME(kind, name) [kind] = (name),

static const char *const names[DIT_WALK_NKINDS] = {DIT_WALK_KINDS(NAME)};

const char *dit_walk_kind_name(enum dit_walk_kind kind)
{
	return kind < DIT_WALK_NKINDS ? names[kind] : "unknown";
}

void dit_walk_report(struct walk *walk, enum dit_walk_kind kind,
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
	if (opts->found != NULL) {
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
	if (dit_stop_is_set(walk->opts->shared.stop)) {
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
