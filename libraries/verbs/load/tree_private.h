/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by tree.c and tree_write.c.
 */
#ifndef DITKIT_TREE_PRIVATE_H
#define DITKIT_TREE_PRIVATE_H

#include "load/tree.h"
#include "sort/sort.h"

/** A node that a child needed before a record came for it. */
struct dit_tree_node_hole {
	uint32_t id;
	bool is_filled;
	char *norm; /* owned */
};

struct dit_tree {
	/* [const] */
	struct dit_record_output *output;
	uint32_t last_stored; /* nodes up to this ID are the database's */
	unsigned suffix_nrdns;
	const struct dit_stop *stop;
	struct dit_ticker *ticker;
	uint64_t nwritten; /* records of new nodes */

	struct dit_dn_table *names;       /* the new nodes */
	struct dit_sorter *records;       /* theirs, of dn2i (tree_record.h) */
	struct dit_tree_node_hole *holes; /* the new ones, by ascending ID */
	size_t nholes;
	size_t holes_size;

	/* The latest parent: siblings come in runs. */
	struct dit_fingerprint last_parent;
	uint32_t last_parent_id; /* 0: none */
};

#endif
