/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk without meta pages, free list and main tree: its caller has read them. */
#include "walk/walk_trees.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "walk/walk_private.h"

struct found {
	struct dit_walked_tree *trees;
	size_t ntrees;
};

/* The first finding of each tree; others often follow from it. */
static void note(void *ctx, const struct dit_walk_finding *finding)
{
	const struct found *found = ctx;

	for (size_t i = 0; i < found->ntrees; i++) {
		struct dit_walked_tree *tree = &found->trees[i];

		if (tree->is_damaged || strcmp(tree->name, finding->database) != 0) {
			continue;
		}
		tree->is_damaged = true;
		(void)snprintf(tree->text, sizeof(tree->text), "%s, page %lld: %s",
		               dit_walk_kind_name(finding->kind),
		               (long long)finding->page, finding->text);
	}
}

static int walk_all(struct walk *walk, const struct dit_walked_tree *trees, size_t ntrees,
                    const struct dit_page_set *others)
{
	const struct walk_spot none = {walk, NULL, DIT_WALK_NO_PAGE, -1};
	int r = dit_walk_begin(walk);

	if (r == 0) {
		(void)dit_page_set_add_all(&walk->freed, others);
	}
	for (size_t i = 0; i < ntrees && r == 0; i++) {
		r = dit_walk_add_database(&none, dit_span_of(trees[i].name),
		                          &trees[i].record);
	}
	r = r ?: dit_walk_databases(walk);
	return r < 0 ? r : atomic_load(&walk->error);
}

int dit_walk_trees(const struct dit_walk_trees_opts *opts, struct dit_walked_tree *trees,
                   size_t ntrees, struct dit_page_set *ret)
{
	struct found found = {.trees = trees, .ntrees = ntrees};
	const struct dit_walk_opts walk_opts = {
		.fd = opts->pages->fd,
		.shared.nthreads = opts->nthreads,
		.order = opts->order,
		.found = note,
		.ctx = &found,
	};
	struct walk walk = {
		.opts = &walk_opts,
		.format = opts->pages->format,
		.page_bytes = opts->pages->page_bytes,
		.npages = opts->pages->npages,
		.meta = {.transaction = UINT64_MAX},
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	int r = 0;

	*ret = (struct dit_page_set){.words = NULL};
	for (size_t i = 0; i < ntrees; i++) {
		trees[i].is_damaged = false;
	}
	r = walk_all(&walk, trees, ntrees, opts->others);
	r = r == 0 && walk.nfindings > 0 ? DIT_E_CORRUPT : r;
	if (r == 0) {
		*ret = walk.used;
		ret->count = atomic_load(&walk.nused);
		walk.used.words = NULL;
	}
	dit_walk_end(&walk);
	return r;
}
