/* SPDX-License-Identifier: BSD-2-Clause */
/* The newer version first: where it meets the older one, the older one ends as well. */
#include "tree/tree_diff.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"

static int add_pages(void *ctx, uint64_t first, uint64_t n)
{
	return dit_page_set_add_run(ctx, first, n) ? 0 : DIT_E_CORRUPT;
}

int dit_tree_pages(const struct dit_tree_source *source,
                   const struct dit_tree_record *tree, struct dit_page_set *ret)
{
	const struct dit_tree_visitor visitor = {
		.pages = add_pages, .ctx = ret, .skips_leaves = true};

	return dit_tree_visit(source, tree, &visitor);
}

struct diff {
	const struct dit_page_set *pages; /* of the older version */
	struct dit_page_set shared;       /* where the versions meet */
	struct dit_page_set seen;         /* pages of this side: each once */
	const struct dit_tree_diff_ops *ops;
	bool is_newer;
};

static int visit_pages(void *ctx, uint64_t first, uint64_t n)
{
	struct diff *diff = ctx;

	if (diff->is_newer && dit_page_set_has(diff->pages, first)) {
		(void)dit_page_set_add(&diff->shared, first);
		return 1;
	}
	if (!diff->is_newer && dit_page_set_has(&diff->shared, first)) {
		return 1;
	}
	if (!dit_page_set_add_run(&diff->seen, first, n)) {
		return DIT_E_CORRUPT;
	}
	return diff->ops->pages == NULL
	               ? 0
	               : diff->ops->pages(diff->ops->ctx, diff->is_newer, first, n);
}

static int visit_node(void *ctx, const struct dit_node_view *node)
{
	struct diff *diff = ctx;

	return diff->ops->node == NULL
	               ? 0
	               : diff->ops->node(diff->ops->ctx, diff->is_newer, node);
}

static int visit_side(const struct dit_tree_source *source, struct diff *diff,
                      const struct dit_tree_record *tree, bool is_newer)
{
	const struct dit_tree_visitor visitor = {
		.pages = visit_pages, .node = visit_node, .ctx = diff};
	int r = dit_page_set_init(&diff->seen, source->pages->npages);

	diff->is_newer = is_newer;
	if (r == 0) {
		r = dit_tree_visit(source, tree, &visitor);
	}
	dit_page_set_deinit(&diff->seen);
	return r;
}

int dit_tree_diff(const struct dit_tree_source *source,
                  const struct dit_tree_record *older,
                  const struct dit_tree_record *newer, const struct dit_page_set *pages,
                  const struct dit_tree_diff_ops *ops)
{
	struct diff diff = {.pages = pages, .ops = ops};
	int r = dit_page_set_init(&diff.shared, source->pages->npages);

	if (r == 0) {
		r = visit_side(source, &diff, newer, true);
	}
	if (r == 0) {
		r = visit_side(source, &diff, older, false);
	}
	dit_page_set_deinit(&diff.shared);
	return r;
}

/* ---- a set of pages follows ---- */

struct run {
	uint64_t first;
	uint64_t n;
	bool is_newer;
};

/* The set must not change before the diff ends. */
struct follow {
	struct run *runs; /* owned */
	size_t n;
	size_t size;
	int (*node)(void *ctx, bool is_newer, const struct dit_node_view *node);
	void *ctx;
};

static int note_run(void *ctx, bool is_newer, uint64_t first, uint64_t n)
{
	struct follow *follow = ctx;
	struct run *runs =
		dit_grow(follow->runs, &follow->size, follow->n + 1, sizeof(*runs));

	if (runs == NULL) {
		return -ENOMEM;
	}
	follow->runs = runs;
	runs[follow->n++] = (struct run){.first = first, .n = n, .is_newer = is_newer};
	return 0;
}

static int note_node(void *ctx, bool is_newer, const struct dit_node_view *node)
{
	const struct follow *follow = ctx;

	return follow->node == NULL ? 0 : follow->node(follow->ctx, is_newer, node);
}

static int remove_run(struct dit_page_set *pages, const struct run *run, bool is_whole)
{
	for (uint64_t page = run->first; page < run->first + run->n; page++) {
		if (dit_page_set_has(pages, page)) {
			dit_page_set_remove(pages, page);
		} else if (is_whole) {
			return DIT_E_CORRUPT;
		}
	}
	return 0;
}

/* The newer version's come first: what a set that is not whole lacked comes and goes. */
static int move_pages(const struct follow *follow, struct dit_page_set *pages,
                      bool is_whole)
{
	for (size_t i = 0; i < follow->n; i++) {
		const struct run *run = &follow->runs[i];
		int r = 0;

		if (run->is_newer) {
			r = add_pages(pages, run->first, run->n);
		} else {
			r = remove_run(pages, run, is_whole);
		}
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

int dit_tree_follow(
	const struct dit_tree_source *source, const struct dit_tree_record *older,
	const struct dit_tree_record *newer, struct dit_page_set *pages, bool is_whole,
	int (*node)(void *ctx, bool is_newer, const struct dit_node_view *node),
	void *ctx)
{
	struct follow follow = {.node = node, .ctx = ctx};
	const struct dit_tree_diff_ops ops = {
		.pages = note_run, .node = note_node, .ctx = &follow};
	int r = 0;

	if (older->root == newer->root) {
		return 0; /* the same page: the same tree */
	}
	r = dit_page_set_grow(pages, source->pages->npages);
	if (r == 0) {
		r = dit_tree_diff(source, older, newer, pages, &ops);
	}
	if (r == 0) {
		r = move_pages(&follow, pages, is_whole);
	}
	free(follow.runs);
	return r;
}
