/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way through a stored tree that is merged with changes: the pages from the root to
 * the leaf of the next change are open. Pages before them are kept where they are, or are
 * written; tree_merge.h decides what becomes of the nodes of an open leaf.
 *
 *   dit_tree_path_begin()
 *   dit_tree_path_find(), take nodes of the leaf ...;  again, with a higher key
 *   dit_tree_path_end()
 *
 * A page that is opened is dropped: its nodes go into new pages. A page that is closed
 * has its other nodes taken over, and the pages below them are kept.
 *
 * The pages that are written make new branches when a page is kept. If they are too few
 * for a branch, which needs two, the next page is opened as well, and its nodes join
 * them: so pages become one when changes have emptied them.
 *
 * Nothing that is read is believed: damage is an error.
 *
 * Threads: as dit_tree_merge.
 */
#ifndef DITKIT_TREE_PATH_H
#define DITKIT_TREE_PATH_H

#include "page/tree_position.h"
#include "tree/table_writer_impl.h"

/* Keys of an open page. */
struct dit_path_bounds {
	struct dit_span lowest; /* points into a page above; of the first page empty */
	struct dit_span end;    /* likewise: the lowest key after the page */
	bool has_end;
};

/* Shared by the paths of a merge. */
struct dit_path_shared {
	struct dit_tree_reading
		reading; /* counts pages that the new tree does not have */
	struct dit_table_writer *writer;
};

struct dit_tree_path {
	struct dit_path_shared *shared;
	struct dit_key_order order;
	bool is_list;                /* which is the writer's open list ... */
	bool has_records;            /* ... of records; else of IDs */
	struct dit_tree_record left; /* pages and items that stay */
	struct dit_tree_position
		position; /* the slot of a level is its next node, or item */
	struct dit_path_bounds bounds[DIT_TREE_DEPTH_MAX]; /* of the position's levels */
	unsigned nopen;                                    /* levels */
};

/** Open the root. 0; DIT_E_CORRUPT; -ENOMEM; errors of reading and of dropped() */
int dit_tree_path_begin(struct dit_tree_path *path, const struct dit_tree_record *tree);

/** The same with a list of records that is a page in the value of a node. */
int dit_tree_path_begin_inside(struct dit_tree_path *path, struct dit_page_view view);

/**
 * Open the leaf to which a key belongs: no key is below one that was found before.
 *
 * @param ret  NULL: the tree is empty. Its slot is the next node: a caller that takes
 *             this node adds one to the slot
 *
 * @return as above; errors of writing
 */
int dit_tree_path_find(struct dit_tree_path *path, struct dit_span key,
                       struct dit_tree_level **ret);

/**
 * The same, up to a node of the leaf.
 *
 * @param ret  points into an open page
 *
 * @return 1: the node has the key. It is not part of the new tree, and the caller counts
 *         the pages of its value; 0: no node has the key; errors as above
 */
int dit_tree_path_take(struct dit_tree_path *path, struct dit_span key,
                       struct dit_node_view *ret);

/** Take over what is left. @return as above */
int dit_tree_path_close(struct dit_tree_path *path);
/** The same, and make the branches. */
int dit_tree_path_end(struct dit_tree_path *path);

#endif
