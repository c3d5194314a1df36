/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An index of a database that has some: the lists that are put, and those that are
 * stored (tree_merge.h).
 *
 *   stored   aa: 1 3      cc: 2        dd: 1 2 3
 *   put               bb: 7        dd: 7 8
 *   written  aa: 1 3  bb: 7  cc: 2  dd: 1 2 3 7 8
 *
 * Threads: a table belongs to one thread; several may be written at once.
 */
#ifndef DITKIT_MERGED_TABLE_H
#define DITKIT_MERGED_TABLE_H

#include "output/output.h"
#include "tree/tree_merge.h"

/** The result of a merge. */
struct dit_merged_tree {
	struct dit_tree_record record;
	uint64_t *dropped; /* pages that only the stored tree has; for free() */
	size_t ndropped;
	size_t size;
	bool is_written; /* completely */
};

/**
 * @param ret   a table of an index
 * @param opts  dropped and its ctx are not used
 * @param tree  zeroed; borrowed; is filled by dit_output_finish()
 *
 * @return 0 or -ENOMEM
 */
int dit_merged_table_open(struct dit_output_table **ret,
                          const struct dit_tree_merge_opts *opts,
                          struct dit_merged_tree *tree);

#endif
