/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by dn_tree.c and dn_tree_write.c.
 *
 * Records of dn2i wait for the end of the load in a sorter whose order is that of dn2i:
 *
 *   key     8  ID of the node under which the record lies, big-endian
 *           2  length of the normal RDN | 1 << 15 for a child, big-endian
 *           n  normal RDN
 *   value   4  ID of the child, or of the parent, big-endian
 *           4  size of the child's subtree; 0: known at the end only, in the DN table
 *           m  pretty RDN
 *
 * Bytes compared, keys sort by node, then self before children, then by length and bytes
 * of the normal RDN: as slapd orders the records of dn2i (storage.md 3.2).
 */
#ifndef DITKIT_DN_TREE_PRIVATE_H
#define DITKIT_DN_TREE_PRIVATE_H

#include "load/dn_tree.h"
#include "sort/sort.h"

/** A record of dn2i. The spans are borrowed. */
struct dit_dn_tree_record {
	uint32_t under; /* ID of the node under which it lies; 0: the root */
	uint32_t other; /* ID of the child, or of the parent */
	uint32_t nsubs; /* of a stored node whose subtree grows; 0: of a new node */
	bool is_child;  /* else the node's own record */
	struct dit_span norm;
	struct dit_span pretty; /* with norm DIT_NAME_RECORD_LONGEST bytes at most */
};

/** A node that a child needed before a record came for it. */
struct dit_dn_tree_node_hole {
	uint32_t id;
	bool is_filled;
	char *norm; /* owned */
};

struct dit_dn_tree {
	/* [const] */
	struct dit_record_output *output;
	uint32_t last_stored; /* nodes up to this ID are the database's */
	unsigned suffix_nrdns;
	unsigned own_producer; /* of the sorter: the number after those of others */
	const struct dit_stop *stop;
	struct dit_ticker *ticker;
	uint64_t nwritten; /* records of new nodes */

	struct dit_dn_table *names;          /* the new nodes */
	struct dit_sorter *records;          /* theirs, of dn2i */
	struct dit_dn_tree_node_hole *holes; /* the new ones, by ascending ID */
	size_t nholes;
	size_t holes_size;
	void *filled; /* tsearch(3): IDs of stored holes that have got their entries */

	/* The latest parent: siblings come in runs. */
	struct dit_fingerprint last_parent;
	uint32_t last_parent_id; /* 0: none */
};

/** As dit_sorter_push(). */
int dit_dn_tree_record_push(struct dit_sorter *sorter, unsigned producer,
                            const struct dit_dn_tree_record *record);

/** @param ret  points into @p sorted. */
void dit_dn_tree_record_read(const struct dit_sort_record *sorted,
                             struct dit_dn_tree_record *ret);

#endif
