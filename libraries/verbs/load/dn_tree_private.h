/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by dn_tree.c, dn_tree_write.c and dn_tree_growth.c.
 */
#ifndef DITKIT_DN_TREE_PRIVATE_H
#define DITKIT_DN_TREE_PRIVATE_H

#include "load/dn_tree.h"
#include "load/id_set.h"
#include "sort/sort.h"

/** A node that a child needed before a record came for it. */
struct dit_dn_tree_node_hole {
	uint32_t id;
	bool is_filled;
	char *norm; /* owned */
};

/** A stored node whose subtree grows. */
struct dit_grown_node {
	uint32_t id;
	uint64_t nsubs; /* that come; in the end of all */
};

struct dit_grown_nodes {
	struct dit_grown_node *list; /* owned */
	size_t n;
	size_t size;
};

struct dit_dn_tree {
	/* [const] */
	struct dit_record_output *output;
	uint32_t last_stored; /* nodes up to this ID are the database's */
	unsigned suffix_nrdns;
	const struct dit_stop *stop;
	struct dit_ticker *ticker;
	uint64_t nwritten; /* records of new nodes */

	struct dit_dn_table *names;          /* the new nodes */
	struct dit_sorter *records;          /* theirs, of dn2i (dn_tree_record.h) */
	struct dit_dn_tree_node_hole *holes; /* the new ones, by ascending ID */
	size_t nholes;
	size_t holes_size;
	struct dit_id_set filled; /* stored holes that have got their entries */

	struct dit_grown_nodes grown; /* by ID; while the tree is written */

	/* The latest parent: siblings come in runs. */
	struct dit_fingerprint last_parent;
	uint32_t last_parent_id; /* 0: none */
};

/**
 * Push the records of stored nodes whose subtrees grow, as they will be. After
 * dit_dn_table_count(), before the sorter is sealed.
 *
 * @return 0; -ENOMEM; DIT_E_CORRUPT; errors of the output and of dit_sorter_push()
 */
int dit_dn_tree_push_grown(struct dit_dn_tree *tree);
/** Nodes in the subtree of a stored node that grows, with the new ones. */
uint64_t dit_dn_tree_grown_nsubs(const struct dit_dn_tree *tree, uint32_t id);

#endif
