/* SPDX-License-Identifier: BSD-2-Clause */
/* The newer version first: where it meets the older one, the older one ends as well. */
#include "tree/tree_diff.h"

#include <errno.h>

#include "base/error.h"
#include "page/meta_pages.h"

static int add_pages(void *ctx, uint64_t first, uint64_t n)
{
	return first >= DIT_FIRST_PAGE && dit_page_set_add_run(ctx, first, n)
	               ? 0
	               : DIT_E_CORRUPT;
}

int dit_tree_pages(const struct dit_page_source *source,
                   const struct dit_tree_record *tree, bool is_whole,
                   struct dit_page_set *ret)
{
	const struct dit_tree_visitor visitor = {
		.pages = add_pages, .ctx = ret, .skips_leaves = !is_whole};

	return dit_tree_visit(source, tree, &visitor);
}

struct follow {
	const struct dit_tree_follower *follower;
	struct dit_page_set shared;  /* where the versions meet */
	struct dit_page_set seen[2]; /* pages that one version alone has, each once */
	bool is_newer;               /* the version that is visited */
};

static int visit_pages(void *ctx, uint64_t first, uint64_t n)
{
	struct follow *follow = ctx;

	if (follow->is_newer && dit_page_set_has(follow->follower->pages, first)) {
		(void)dit_page_set_add(&follow->shared, first);
		return 1;
	}
	if (!follow->is_newer && dit_page_set_has(&follow->shared, first)) {
		return 1;
	}
	return add_pages(&follow->seen[follow->is_newer], first, n);
}

static int visit_node(void *ctx, const struct dit_node_view *node)
{
	const struct follow *follow = ctx;

	return follow->follower->node(follow->follower->ctx, follow->is_newer, node);
}

static int visit_side(const struct dit_page_source *source, struct follow *follow,
                      const struct dit_tree_record *tree, bool is_newer)
{
	const struct dit_tree_visitor visitor = {
		.pages = visit_pages,
		.node = follow->follower->node == NULL ? NULL : visit_node,
		.ctx = follow};

	follow->is_newer = is_newer;
	return dit_tree_visit(source, tree, &visitor);
}

/* The newer version's come first: what a set that is not whole lacked comes and goes. */
static int move_pages(const struct follow *follow)
{
	struct dit_page_set *pages = follow->follower->pages;
	const struct dit_page_set *seen = &follow->seen[false];

	if (!dit_page_set_add_all(pages, &follow->seen[true])) {
		return DIT_E_CORRUPT;
	}
	for (uint64_t page = dit_page_set_next(seen, 0); page < seen->npages;
	     page = dit_page_set_next(seen, page + 1)) {
		if (dit_page_set_has(pages, page)) {
			dit_page_set_remove(pages, page);
		} else if (follow->follower->is_whole) {
			return DIT_E_CORRUPT;
		}
	}
	return 0;
}

int dit_tree_follow(const struct dit_page_source *source,
                    const struct dit_tree_record *older,
                    const struct dit_tree_record *newer,
                    const struct dit_tree_follower *follower)
{
	uint64_t npages = source->npages;
	struct follow follow = {.follower = follower};
	int r = 0;

	if (older->root == newer->root) {
		return 0; /* the same page: the same tree */
	}
	if (dit_page_set_grow(follower->pages, npages) < 0 ||
	    dit_page_set_init(&follow.shared, npages) < 0 ||
	    dit_page_set_init(&follow.seen[false], npages) < 0 ||
	    dit_page_set_init(&follow.seen[true], npages) < 0) {
		r = -ENOMEM;
	}
	r = r ?: visit_side(source, &follow, newer, true);
	r = r ?: visit_side(source, &follow, older, false);
	r = r ?: move_pages(&follow);
	dit_page_set_deinit(&follow.shared);
	dit_page_set_deinit(&follow.seen[false]);
	dit_page_set_deinit(&follow.seen[true]);
	return r;
}
