/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The databases that an output writes, by name: trees that a commit makes visible.
 *
 * Threads: the list is main's; each table, or part, belongs to the thread that writes it,
 * and all finished parts to the thread that finishes the last one.
 */
#ifndef DITKIT_INDEX_TABLES_H
#define DITKIT_INDEX_TABLES_H

#include <stdatomic.h>

#include "commit/page_commit.h"
#include "files/fault.h"
#include "output/output.h"
#include "reader/snapshot.h"
#include "tree/tree_merge.h"

struct dit_index_table;
struct dit_lmdb_append; /* lmdb_append.h */

struct dit_output_table {
	struct dit_index_table *table;
	struct dit_tree_merge *merge; /* owned; NULL: it was not opened */
};

/** An index database, or another one. */
struct dit_index_table {
	char *name;                  /* owned */
	struct dit_tree_record tree; /* with its flags from the beginning */
	bool is_written;             /* the tree is finished, or liblmdb's begun */

	/* New pages are made by a merge with the stored tree, */
	struct dit_tree_record stored; /* empty: there is none, or it is not merged */
	bool is_stored;
	struct dit_output_table whole;
	struct dit_output_table *parts; /* owned; NULL: it is written as a whole */
	unsigned nparts;
	/* [atomic: parts that are not finished; acquire and release: the last one makes
	 * the tree of all] */
	_Atomic unsigned nunfinished;
	/* or by liblmdb: the tables' appender, and its number of this table */
	struct dit_lmdb_append *append;
	unsigned db;
};

struct dit_index_tables {
	struct dit_tree_merge_opts merge; /* of each table, but for its stored tree */
	/* Makes our pages visible, and has the stored trees; owned. NULL: liblmdb makes
	 * the pages, or the caller has commits of its own */
	struct dit_page_commit *commit;
	struct dit_lmdb_append *append; /* makes all pages; owned; NULL: we do */
	bool is_closed;                 /* no more tables are opened */

	struct dit_fault *fault;       /* borrowed; may be NULL */
	struct dit_snapshot *snapshot; /* the stored state; the output's; may be NULL */
	bool is_online;                /* other processes have the database open */

	struct dit_index_table *list; /* owned; does not move once one is open */
	size_t n;
};

/** Give a table its name and flags; then find the stored tree that it is merged with,
 * whose flags win (storage.md 1.4), or let liblmdb make it. 0; -ENOMEM; errors of
 * liblmdb. To be deinitialised in any case */
int dit_index_table_begin(const struct dit_index_tables *tables,
                          struct dit_index_table *table, const char *name,
                          unsigned flags);
/** Free all that it still has. Zero is fine. */
void dit_index_table_deinit(struct dit_index_table *table);

/** Begin the merge of a table, as a whole, or of a part of it. Any thread. -EINVAL: it
 * was begun before */
int dit_index_table_merge(const struct dit_index_tables *tables,
                          struct dit_index_table *table, struct dit_output_table *part);
/** End the merge of a table; its `tree` is the result. Without a merge nothing is done.
 * @param ret_bytes  as a merge's */
int dit_index_table_end(struct dit_index_table *table, uint64_t *ret_bytes);
/** 0; -EINVAL: not all are finished */
int dit_index_tables_check(const struct dit_index_tables *tables);
void dit_index_tables_deinit(struct dit_index_tables *tables);

#endif
