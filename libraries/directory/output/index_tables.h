/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The databases that an output writes, by name: trees that a commit makes visible. And
 * the head of the outputs that write indexes alone (index_output.h, online.h).
 *
 * Threads: the list is main's; each table belongs to the thread that writes it.
 */
#ifndef DITKIT_INDEX_TABLES_H
#define DITKIT_INDEX_TABLES_H

#include "output/output.h"
#include "page/page_format.h"
#include "place/fault.h"
#include "reader/snapshot.h"
#include "tree/page_sink.h"
#include "tree/tree_merge.h"

struct dit_table_writer; /* table_writer.h */

/** An index database, or another one. */
struct dit_index_table {
	struct dit_output_table base; /* while it is open */
	char *name;                   /* owned */
	struct dit_tree_record tree;  /* with its flags from the beginning */
	bool is_written;              /* the tree is finished */

	/* Its pages are made by a writer, */
	struct dit_table_writer *writer; /* owned; NULL: not open */
	unsigned db;                     /* by liblmdb, which gave it this number, */
	/* or by a merge with the stored tree; owned; NULL: not open */
	struct dit_tree_merge *merge;
	struct dit_tree_record stored; /* empty: there is none */
	bool is_stored;
};

struct dit_index_tables {
	struct dit_page_space *space; /* where the pages go; borrowed */
	struct dit_index_table *list; /* owned; stays in its place once one is open */
	size_t n;
};

/** Give an empty table its name and flags. @return 0; -ENOMEM */
int dit_index_table_init(struct dit_index_table *table, const char *name, unsigned flags);
/** Free all that it still has. */
void dit_index_table_deinit(struct dit_index_table *table);

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

/** The head of an output that writes indexes alone. */
struct dit_index_head {
	struct dit_output base;
	struct dit_index_tables tables;
	struct dit_snapshot *snapshot; /* owned; the stored state */
	struct dit_fault *fault;       /* borrowed; may be NULL */
	bool is_online;                /* other processes have the database open */
};

static inline struct dit_index_head *dit_index_head_of(struct dit_output *output)
{
	return (struct dit_index_head *)output;
}

/*
 * Its operations.
 */

/** New keys take the place of all that are stored, so their length does not matter. Nor
 * do flags that are damaged, if no other process has the database open. */
int dit_index_head_find(struct dit_output *output, const char *name,
                        struct dit_output_stored_index *ret);
int dit_index_head_add(struct dit_output *output, const struct dit_output_index *index);
int dit_index_head_open(struct dit_output *output, size_t number,
                        struct dit_output_table **ret);

#endif
