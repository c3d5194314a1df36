/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of an output that gets some lists: the pages on the way from the root to them
 * are written anew, all others stay where they are.
 *
 *           root                root'
 *          /    \              /     \
 *        a       b           a        b'        put: ff: 7
 *       / \     / \         / \      / \
 *      c   d   e   f       c   d    e   f'      a, c, d, e are the same pages
 *
 * A long list is a tree of its own, of which the same is true. liblmdb changes the same
 * pages, one ID at a time; here each page is read once and written once.
 *
 * Nothing that is read is believed: damage is an error.
 *
 * Threads: a table belongs to one thread; several may be written at once.
 */
#ifndef DITKIT_GROWN_TABLE_H
#define DITKIT_GROWN_TABLE_H

#include "output/output.h"
#include "page/tree_visit.h"
#include "tree/page_sink.h"

/** What became of it. */
struct dit_grown_tree {
	struct dit_tree_record record;
	uint64_t *dropped; /* pages that only the stored tree has; for free() */
	size_t ndropped;
	bool is_written; /* completely */
};

struct dit_grown_table_opts {
	struct dit_page_space *space;  /* borrowed */
	struct dit_tree_source source; /* of the stored tree; borrowed */
	struct dit_tree_record stored; /* may be empty; has the flags */
	uint64_t list_max;
	struct dit_grown_tree *tree; /* borrowed; is filled by dit_output_finish() */
};

/**
 * @param ret  a table of an index
 *
 * @return 0; -ENOMEM
 */
int dit_grown_table_open(struct dit_output_table **ret,
                         const struct dit_grown_table_opts *opts);

#endif
