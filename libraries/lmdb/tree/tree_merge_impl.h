/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by tree_merge.c (values, lists of IDs) and tree_merge_records.c (lists of
 * records). One thread at a time uses a merge.
 */
#ifndef DITKIT_TREE_MERGE_IMPL_H
#define DITKIT_TREE_MERGE_IMPL_H

#include "tree/table_writer.h"
#include "tree/tree_merge.h"
#include "tree/tree_path.h"

#define ID_BYTES    sizeof(uint64_t)
#define RANGE_WORDS 3 /* 0, lowest, highest */

/* Names here are for these two files. */
struct ids {
	uint64_t *list; /* owned */
	size_t n;
	size_t size;
};

/* The list of records of the key that changes. */
struct records {
	bool is_open;
	bool is_tree; /* the path of the list is that of a tree */
	uint64_t n;   /* in the tree, with those that were added */
};

struct dit_tree_merge {
	struct dit_path_shared shared; /* its writer is owned */
	struct dit_tree_path path;
	struct dit_tree_path list; /* a long list of the open leaf */
	struct dit_tree_record stored;
	uint64_t list_max;
	bool has_begun;
	struct ids old; /* a list, or a leaf of one */
	struct ids new; /* what becomes of it */
	struct records records;
	char *single; /* a page for a list of one record; owned */
};

/** No stored key comes any more. */
static inline bool dit_merge_is_past_stored(const struct dit_tree_merge *merge)
{
	return merge->has_begun && merge->path.nopen == 0;
}

/** Take the stored node of a key that changes, as dit_tree_path_take(). */
int dit_merge_take(struct dit_tree_merge *merge, struct dit_span key,
                   struct dit_node_view *ret);
/** The tree of a node's long list, which is not counted any more. 0; DIT_E_CORRUPT */
int dit_merge_list_tree(struct dit_tree_merge *merge, const struct dit_node_view *node,
                        struct dit_tree_record *ret);
/** The list of records that is open is complete. */
int dit_merge_end_records(struct dit_tree_merge *merge);

#endif
