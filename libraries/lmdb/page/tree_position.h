/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A position in a stored tree: a path of pages from the root down, with a slot in each.
 * This is how cursors (tree_cursor.h), visits (tree_visit.h) and merges (tree_path.h) go
 * down a tree and on.
 *
 *   dit_tree_position_set()
 *   dit_tree_position_first() or _seek();  dit_tree_position_next() ...
 *   dit_tree_position_deinit()
 *
 * The file may be damaged: each bound is checked before it is used, no more pages are
 * read in a row than the file has, and no tree is deeper than LMDB's cursors go.
 *
 * Functions that move return 1; 0: there is no such position; DIT_E_CORRUPT; what pages()
 * returned; and where there is no map -errno of reading, -ENOMEM.
 *
 * Threads: a position belongs to one thread.
 */
#ifndef DITKIT_TREE_POSITION_H
#define DITKIT_TREE_POSITION_H

#include "base/error.h"
#include "page/key_order.h"
#include "page/page_source.h"
#include "page/page_view.h"

#define DIT_TREE_DEPTH_MAX 32 /* LMDB's cursors go no deeper */

/* Shared by the positions of one reader. */
struct dit_tree_reading {
	const struct dit_page_source *source;
	uint64_t nread; /* pages: never more than the file has */
	/* The page is read before it is counted, since whoever counts it may have it
	 * written again at once. Not with a result of 1. */
	bool reads_first;
	/**
	 * Counts pages that lie in a row: one, or a long value's. Called before the first
	 * of them is read. NULL: nobody counts.
	 *
	 * @return 0; 1: leave out what is below; an error
	 */
	int (*pages)(void *ctx, uint64_t first, uint64_t n);
	void *ctx;
};

struct dit_tree_level {
	struct dit_page_view view;
	unsigned slot;
	unsigned count; /* at least 1 */
};

/* All zero: the tree is empty. */
struct dit_tree_position {
	struct dit_tree_reading *reading; /* borrowed */
	uint64_t root;
	unsigned depth;   /* of the tree; 0: it is empty */
	unsigned nlevels; /* that are entered: all, or fewer: those above the leaves */
	bool may_be_packed;
	struct dit_tree_level levels[DIT_TREE_DEPTH_MAX]; /* the root's first */
	struct dit_page_row rows[DIT_TREE_DEPTH_MAX];     /* of one page each, if read */
};

/** Stand nowhere in a tree. 0; DIT_E_CORRUPT: no tree has such a depth */
int dit_tree_position_set(struct dit_tree_position *position,
                          const struct dit_tree_record *tree);
void dit_tree_position_deinit(struct dit_tree_position *position);

/** The tree is one page, which is the value of a node. 0; DIT_E_CORRUPT */
int dit_tree_position_set_page(struct dit_tree_position *position,
                               struct dit_page_view view);
/**
 * Read the page of a level. A caller who chooses the pages may take a position down its
 * tree page by page.
 *
 * @param depth  0: the root; all levels above it are entered
 *
 * @return 0; 1: pages() left it out; errors
 */
int dit_tree_position_enter(struct dit_tree_position *position, unsigned depth,
                            uint64_t number);
/** The first position in the list of a node: a tree, or a page in its value. */
int dit_tree_position_first_item(struct dit_tree_position *position,
                                 const struct dit_node_view *node);

int dit_tree_position_first(struct dit_tree_position *position);
/** The first position whose key is @p wanted or above it. Not where pages are counted. */
int dit_tree_position_seek(struct dit_tree_position *position,
                           const struct dit_key_order *order, struct dit_span wanted);
/** The same when the root is open: after a move, or dit_tree_position_set_page(). */
int dit_tree_position_seek_below(struct dit_tree_position *position,
                                 const struct dit_key_order *order,
                                 struct dit_span wanted);
int dit_tree_position_last(struct dit_tree_position *position);
/** The next page that has more. */
int dit_tree_position_climb(struct dit_tree_position *position);

/** The lowest open level: a leaf, unless the visit skips leaves. */
static inline struct dit_tree_level *dit_tree_position_end(
	struct dit_tree_position *position)
{
	return &position->levels[position->nlevels - 1];
}

/** Only after another move that returned 1. */
static inline int dit_tree_position_next(struct dit_tree_position *position)
{
	struct dit_tree_level *end = dit_tree_position_end(position);

	if (end->slot + 1 < end->count) {
		end->slot++;
		return 1;
	}
	return dit_tree_position_climb(position);
}

/**
 * Count the pages of the value, if it is a long one.
 *
 * @param ret_npages  how many they are; 0 if it is not a long one
 *
 * @return 0; DIT_E_CORRUPT; -errno; an error of pages()
 */
int dit_tree_count_value(struct dit_tree_reading *reading,
                         const struct dit_node_view *node, uint64_t *ret_npages);

/** The node of a level's slot. 0; DIT_E_CORRUPT */
static inline int dit_tree_level_node(const struct dit_tree_level *level,
                                      struct dit_node_view *ret)
{
	return dit_view_node(level->view, level->slot, ret) == DIT_NODE_FITS
	               ? 0
	               : DIT_E_CORRUPT;
}

#endif
