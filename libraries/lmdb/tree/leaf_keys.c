/* SPDX-License-Identifier: BSD-2-Clause */
/* Down the branch pages, one page for each level in memory. */
#include "tree/leaf_keys.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "page/page_view.h"

#define DEPTH_MAX 32 /* LMDB's cursors go no deeper */

struct visit {
	struct dit_page_source *source;
	dit_leaf_key_fn fn;
	void *ctx;
	uint64_t left;   /* branch pages that may still be read: those of a circle end */
	unsigned height; /* of the branches: 1 has the leaves below it */
	struct dit_page_view pages[DEPTH_MAX]; /* by height, from 1 */
	unsigned slots[DEPTH_MAX];             /* the next one of each */
};

/* A branch page into its place. */
static int enter(struct visit *visit, uint64_t number)
{
	struct dit_page_view *view = &visit->pages[visit->height];
	int r = 0;

	if (visit->left == 0 || number >= visit->source->npages) {
		return DIT_E_CORRUPT;
	}
	visit->left--;
	r = dit_page_source_read(visit->source, number, 1, (char *)view->bytes);
	if (r < 0) {
		return r == -ENODATA ? DIT_E_CORRUPT : r;
	}
	visit->slots[visit->height] = 0;
	return (dit_view_flags(*view) & DIT_PAGE_BRANCH) != 0 &&
	                       dit_view_has_bounds(*view)
	               ? 0
	               : DIT_E_CORRUPT;
}

/*
 * A page over the leaves. The key of its first node, which may be empty, is not looked
 * at.
 */
static int tell_leaves(struct visit *visit)
{
	struct dit_page_view view = visit->pages[1];
	unsigned count = dit_view_count(view);
	struct dit_node_view node;

	for (unsigned i = 1; i < count; i++) {
		int r = 0;

		if (dit_view_node(view, i, &node) != DIT_NODE_FITS) {
			return DIT_E_CORRUPT;
		}
		r = visit->fn(visit->ctx, node.key);
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

/* The next child of the page at this height; 0: there is none. */
static int next_child(struct visit *visit, struct dit_node_view *ret)
{
	struct dit_page_view view = visit->pages[visit->height];
	unsigned slot = visit->slots[visit->height];

	if (slot == dit_view_count(view)) {
		return 0;
	}
	visit->slots[visit->height]++;
	return dit_view_node(view, slot, ret) == DIT_NODE_FITS ? 1 : DIT_E_CORRUPT;
}

static int walk(struct visit *visit, const struct dit_tree_record *tree)
{
	unsigned top = tree->depth - 1u;
	struct dit_node_view child;
	int r = 0;

	visit->height = top;
	r = enter(visit, tree->root);
	while (r == 0 && visit->height <= top) {
		if (visit->height == 1) {
			r = tell_leaves(visit);
			visit->height++;
			continue;
		}
		r = next_child(visit, &child);
		if (r == 0) {
			visit->height++;
			continue;
		}
		if (r < 0) {
			return r;
		}
		/* The key of a subtree is that of its first leaf. */
		r = visit->slots[visit->height] == 1 ? 0
		                                     : visit->fn(visit->ctx, child.key);
		if (r == 0) {
			visit->height--;
			r = enter(visit, child.child);
		}
	}
	return r;
}

int dit_leaf_keys(struct dit_page_source *source, const struct dit_page_format *format,
                  const struct dit_tree_record *tree, dit_leaf_key_fn fn, void *ctx)
{
	struct visit visit = {
		.source = source, .fn = fn, .ctx = ctx, .left = source->npages};
	char *memory = NULL;
	int r = 0;

	if (tree->root == DIT_PAGE_NONE || tree->depth <= 1) {
		return 0;
	}
	if (tree->depth > DEPTH_MAX) {
		return DIT_E_CORRUPT;
	}
	memory = calloc(tree->depth, source->page_bytes);
	if (memory == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 1; i < tree->depth; i++) {
		visit.pages[i] = (struct dit_page_view){
			.bytes = memory + (size_t)i * source->page_bytes,
			.len = source->page_bytes,
			.format = format,
		};
	}
	r = walk(&visit, tree);
	free(memory);
	return r;
}
