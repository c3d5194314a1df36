/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All tables of a database, and its records: what new_output.c and claimed_output.c
 * share. A new database is a merge into nothing.
 *
 *   dit_record_tables_begin()
 *   dit_record_tables_read()       records are stored
 *   functions of record_output.h ...
 *   dit_record_tables_put()        all trees are finished
 *   dit_record_tables_deinit()
 *
 * New records and lists are merged with the stored ones (tree/tree_merge.h), table by
 * table, several at once. An entry that takes the place of a hole, and contextCSN, come
 * after all others: id2e is merged again, with the tree that the merge before has made.
 * A lower ID, or a look-up, ends a merge.
 *
 * Stored records are looked up one by one, in the state that the database was opened
 * with. Each page is checked when it is read. Spans point into the file, until the end;
 * those of a sealed file are valid until the next look-up in the same table.
 *
 * With `append` (--writer=append) one thread gives all records to liblmdb, in key order
 * (files/lmdb_append.h): no key is searched for and no page is split in the middle.
 *
 * Threads: as record_output.h says.
 */
#ifndef DITKIT_RECORD_TABLES_H
#define DITKIT_RECORD_TABLES_H

#include "output/index_tables.h"
#include "output/record_output.h"
#include "page/tree_cursor.h"
#include "reader/stored_order.h"

/* The bytes of a record of dn2i: flags and lengths, the normal RDN, a NUL. */
#define DIT_CHILD_BYTES (2 + DIT_NAME_RECORD_LONGEST + 1)

struct dit_record_tables {
	struct dit_record_output base;
	struct dit_index_table fixed[DIT_NFIXED];
	struct dit_index_tables indexes; /* closed: entries are changed */
	uint64_t last_changed;           /* ID of the entry replaced last, from then on */
	bool is_changed;                 /* by dit_record_tables_put() */

	/* The stored state; all zero: nothing is stored. The cursors are owned; that of
	 * id2e sees the changes, once they have begun. */
	struct dit_tree_cursor *cursors[DIT_NFIXED];
	struct dit_key_order names;   /* the order of records under a node */
	char wanted[DIT_CHILD_BYTES]; /* the record that is looked up */
};

/** Free all, the head included. Zero is fine. */
void dit_record_tables_deinit(struct dit_record_tables *tables);

/** The commit, or the appender, of the indexes is there. @return 0; -ENOMEM; errors of
 * liblmdb; DIT_E_CORRUPT, with a fault: a stored table has other flags */
int dit_record_tables_begin(struct dit_record_tables *tables);
/** Find out what is stored. @param snapshot  outlives the tables. @return 0;
 * DIT_E_CORRUPT, errors; DIT_E_UNKNOWN: a table is missing, unless records are merged */
int dit_record_tables_read(struct dit_record_tables *tables,
                           struct dit_snapshot *snapshot, unsigned reader);

/** Finish all tables, and give the commit those that have changed. -EINVAL: one is
 * open. liblmdb's need no end */
int dit_record_tables_put(struct dit_record_tables *tables);

#endif
