/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The index databases that an output writes: trees that a commit makes visible.
 *
 * Threads: the list is main's; each table belongs to the thread that writes it.
 */
#ifndef DITKIT_INDEX_TABLES_H
#define DITKIT_INDEX_TABLES_H

#include "output/output.h"
#include "page/page_format.h"
#include "tree/page_sink.h"

/** An index database, or another one of a new database. */
struct dit_index_table {
	char *name;                  /* owned */
	struct dit_tree_record tree; /* with its flags from the beginning */
	bool is_written;             /* the tree is finished */
	unsigned db;                 /* liblmdb's number of it, if liblmdb writes it */
};

struct dit_index_tables {
	struct dit_page_space *space; /* where the pages go; borrowed */
	struct dit_index_table *list; /* owned */
	size_t n;
};

/** As dit_output_add_index() and dit_output_open_index(). */
int dit_index_tables_add(struct dit_index_tables *tables,
                         const struct dit_output_index *index);
int dit_index_tables_open(struct dit_index_tables *tables, size_t number,
                          struct dit_output_table **ret);
/** A table of lists or, with dit_output_put_record(), of records. -EINVAL: it is
 * written */
int dit_index_table_open(struct dit_index_table *table, struct dit_page_space *space,
                         struct dit_output_table **ret);
/** 0; -EINVAL: not all are finished */
int dit_index_tables_check(const struct dit_index_tables *tables);
void dit_index_tables_deinit(struct dit_index_tables *tables);

#endif
