/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pages of old trees become free, whatever these are like.
 *
 * Which pages those are says the old tree: so it is
 * checked first, with all that the walker knows. A damaged one may name pages of others,
 * or not name its own. Then all trees that stay are walked. If they are sound, every page
 * that none of them has, and that is not free, belonged to the old trees, or was lost.
 * If one of them is damaged as well, the owners of the other pages cannot be found: the
 * pages of the damaged old trees are lost to the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "commit/page_commit_impl.h"
#include "walk/walk.h"

/* Trees to walk. */
struct trees {
	struct dit_walked_tree *list; /* owned; names are the commit's */
	size_t n;
};

/* The stored trees that change, or those that do not. */
static int choose(const struct dit_page_commit *commit, bool is_changed,
                  struct trees *ret)
{
	*ret = (struct trees){.list = calloc(commit->nnamed + 1, sizeof(*ret->list))};
	if (ret->list == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < commit->nnamed; i++) {
		const struct dit_commit_named *named = &commit->named[i];

		if (named->is_stored && named->is_changed == is_changed) {
			ret->list[ret->n++] = (struct dit_walked_tree){
				.name = named->name, .record = named->stored};
		}
	}
	return 0;
}

static int walk(const struct dit_page_commit *commit,
                const struct dit_page_old_opts *opts, struct trees *trees,
                struct dit_page_set *ret)
{
	const struct dit_walk_trees_opts walk_opts = {
		.pages = &commit->source,
		.nthreads = opts->nthreads,
		.order = opts->order,
		.others = &commit->owned,
	};

	return dit_walk_trees(&walk_opts, trees->list, trees->n, ret);
}

/* Give back all pages that no tree has. */
static int give_rest(struct dit_page_commit *commit, const struct dit_page_set *kept)
{
	int r = 0;

	for (uint64_t page = 2; page < kept->npages && r == 0; page++) {
		if (!dit_page_set_has(kept, page) &&
		    !dit_page_set_has(&commit->owned, page)) {
			r = dit_commit_give_pages(commit, page, 1);
		}
	}
	return r;
}

/* Give back the pages of the sound trees. Trees that share pages are all damaged. */
static int give_sound(struct dit_page_commit *commit,
                      const struct dit_page_old_opts *opts, struct trees *old)
{
	struct dit_page_set pages = {.words = NULL};
	int r = walk(commit, opts, old, &pages);

	r = r ?: dit_page_commit_give(commit, &pages);
	dit_page_set_deinit(&pages);
	return r == DIT_E_CORRUPT ? 0 : r; /* they are lost as well */
}

static int give_damaged(struct dit_page_commit *commit,
                        const struct dit_page_old_opts *opts, struct trees *old)
{
	struct trees kept;
	struct dit_page_set pages = {.words = NULL};
	int r = choose(commit, false, &kept);
	bool is_lost = false;

	if (r == 0) {
		r = walk(commit, opts, &kept, &pages);
		is_lost = r == DIT_E_CORRUPT;
	}
	if (r == 0) {
		r = give_rest(commit, &pages);
	} else if (is_lost) {
		r = give_sound(commit, opts, old);
	}
	for (size_t i = 0; i < old->n && r == 0 && opts->damaged != NULL; i++) {
		if (old->list[i].is_damaged) {
			opts->damaged(opts->ctx, old->list[i].name, old->list[i].text,
			              is_lost);
		}
	}
	dit_page_set_deinit(&pages);
	free(kept.list);
	return r;
}

int dit_page_commit_give_old(struct dit_page_commit *commit,
                             const struct dit_page_old_opts *opts)
{
	struct trees old;
	struct dit_page_set pages = {.words = NULL};
	int r = choose(commit, true, &old);

	r = r ?: walk(commit, opts, &old, &pages);
	if (r == 0) {
		r = dit_page_commit_give(commit, &pages);
	} else if (r == DIT_E_CORRUPT) {
		r = give_damaged(commit, opts, &old);
	}
	dit_page_set_deinit(&pages);
	free(old.list);
	return r;
}
