/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of an output that is built anew: the lists that are stored, and those that come
 * to them, into pages of ours.
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
#include "reader/stored_lists.h"
#include "tree/page_sink.h"

/** What became of it. */
struct dit_merged_tree {
	struct dit_tree_record record;
	bool is_written; /* completely */
};

struct dit_merged_table_opts {
	struct dit_page_space *space;    /* borrowed */
	unsigned flags;                  /* MDB_..., of the index database */
	struct dit_stored_lists *stored; /* owned from now on; NULL: nothing is stored */
	uint64_t list_max;
	struct dit_merged_tree *tree; /* borrowed; is filled by dit_output_finish() */
};

/**
 * @param ret  a table of an index
 *
 * @return 0 or -ENOMEM, and then @p opts has closed stored
 */
int dit_merged_table_open(struct dit_output_table **ret,
                          const struct dit_merged_table_opts *opts);

#endif
