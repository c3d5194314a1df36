/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree checked: dn2i against itself, and against the IDs of id2e (storage.md 3).
 *
 * A node has a record of its own, which names its parent, and a record under its parent,
 * which names the node: both say the same. The record under the parent counts the nodes
 * of the subtree: one more than those of the node's children together. Each node has a
 * record in id2e, and each record there a node; an empty one is a hole, which is told as
 * a note.
 *
 *   dn2i ──▶ records under parents ──▶ sorted by the node's ID ─┐
 *   dn2i ──▶ nodes' own records, in the order of IDs ───────────┼─▶ compared
 *   id2e ──▶ IDs ───────────────────────────────────────────────┘
 *
 * Counts that agree everywhere leave no room for a circle of parents. Where something
 * else is wrong, circles are looked for, with 17 bytes of memory for each node.
 *
 * Threads: one, with a reader of the snapshot of its own.
 */
#ifndef DITKIT_CHECK_TREE_H
#define DITKIT_CHECK_TREE_H

#include "base/stop.h"
#include "check/check_findings.h"
#include "reader/snapshot.h"

struct dit_check_tree_opts {
	struct dit_snapshot *snapshot; /* borrowed, like the others */
	unsigned reader;
	struct dit_span suffix; /* normal; empty: any topmost node may be there */
	size_t memory_bytes;    /* of the sort; DIT_SORT_SHARE_MIN at least */
	const char *tmpdir;
	const struct dit_stop *stop; /* may be NULL */
	struct dit_check_findings *findings;
	struct dit_check_findings *notes;
};

/** @return 0; DIT_E_STOPPED; -ENOMEM; -errno of run files; LMDB's codes */
int dit_check_tree(const struct dit_check_tree_opts *opts);

#endif
