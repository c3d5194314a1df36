/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by page_commit.c (the trees of a file, the end) and page_commit_write.c (the
 * step).
 *
 * Threads: as page_commit.h says.
 */
#ifndef DITKIT_PAGE_COMMIT_IMPL_H
#define DITKIT_PAGE_COMMIT_IMPL_H

#include "commit/free_list.h"
#include "commit/page_commit.h"
#include "page/meta_pages.h"
#include "page/page_set.h"
#include "page/page_source.h"

/* A named database. */
struct dit_commit_named {
	char *name; /* owned; NUL-terminated */
	size_t len;
	struct dit_tree_record tree;
	struct dit_tree_record stored;
	bool is_stored;
	bool is_changed;
	bool is_dropped;
};

struct dit_page_commit {
	struct dit_page_commit_opts opts;
	struct dit_metas metas; /* the newest has the state that this began with */
	uint64_t next;          /* the number of the new state */
	uint64_t file_bytes;
	struct dit_page_source source;

	struct dit_commit_named *named; /* by name; owned */
	size_t nnamed;
	size_t named_size;

	struct dit_free_list free_list;
	struct dit_page_set owned; /* pages known to be free, or somebody's */
	struct dit_page_set given; /* free as soon as the new state counts */

	struct dit_page_space space;
	bool has_space; /* it has been opened */
	/* Free pages, and dropped ones after the old end; free pages that are used now */
	struct dit_page_pool pool;

	bool is_committed; /* a meta page may have been written */
};

static inline const struct dit_meta *dit_commit_live(const struct dit_page_commit *commit)
{
	return dit_metas_newest(&commit->metas);
}

/** Pages of an old tree will be free, as a visitor tells them (tree_visit.h).
 * DIT_E_CORRUPT: they are free, or given already. */
int dit_commit_give_pages(void *ctx, uint64_t first, uint64_t n);

#endif
