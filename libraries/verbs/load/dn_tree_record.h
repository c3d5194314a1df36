/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of dn2i while they wait for the end of a load: in a sorter whose order is that
 * of dn2i, without subtree sizes, which are known at the end only.
 *
 *   key     8  ID of the node under which the record lies, big-endian
 *           2  length of the normal RDN | 1 << 15 for a child, big-endian
 *           n  normal RDN
 *   value   8  ID of the child, or of the parent, big-endian
 *           m  pretty RDN
 *
 * Bytes compared, keys sort by node, then self before children, then by length and bytes
 * of the normal RDN: as slapd orders the records of dn2i (storage.md 3.2).
 *
 * Threads: functions without state.
 */
#ifndef DITKIT_DN_TREE_RECORD_H
#define DITKIT_DN_TREE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "sort/sort.h"

/** A record of dn2i without its subtree size. The spans are borrowed. */
struct dit_dn_tree_record {
	uint32_t under; /* ID of the node under which it lies; 0: the root */
	uint32_t other; /* ID of the child, or of the parent */
	bool is_child;  /* else the node's own record */
	struct dit_span norm;
	struct dit_span pretty; /* with norm DIT_NAME_RECORD_LONGEST bytes at most */
};

/** As dit_sorter_push(), of the sorter's producer 0. */
int dit_dn_tree_record_push(struct dit_sorter *sorter,
                            const struct dit_dn_tree_record *record);

/** @param ret  points into @p sorted. */
void dit_dn_tree_record_read(const struct dit_sort_record *sorted,
                             struct dit_dn_tree_record *ret);

/**
 * As it lies in dn2i.
 *
 * @param nsubs  a child's subtree, itself included
 * @param out    @p size bytes, as in name_codec.h
 *
 * @return the length; DIT_E_TOOLONG
 */
int dit_dn_tree_record_encode(const struct dit_dn_tree_record *record, uint64_t nsubs,
                              char *out, size_t size);

#endif
