/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All tables of a database, and its records: the head of the outputs of records. A new
 * database is a merge into nothing.
 *
 *   dit_record_tables_init()
 *   dit_record_tables_begin()      all pages are to be ours
 *   dit_record_tables_read()       records are stored
 *   the operations below ...
 *   dit_record_tables_put()        all trees are finished
 *   dit_record_tables_deinit()
 *
 * New records and lists are merged with the stored ones (tree/tree_merge.h), table by
 * table, several at once. An entry that takes the place of a hole, and contextCSN, come
 * after all others: id2e is merged again, with the tree that the first merge has made
 * (tree/tree_changes.h).
 *
 * Threads: as record_output.h says.
 */
#ifndef DITKIT_RECORD_TABLES_H
#define DITKIT_RECORD_TABLES_H

#include "output/index_tables.h"
#include "output/record_output.h"
#include "output/stored_records.h"
#include "reader/stored_order.h"
#include "tree/tree_changes.h"

struct dit_record_tables {
	struct dit_record_output base;
	struct dit_fault *fault;            /* as in struct dit_output_opts */
	struct dit_stored_records *records; /* owned; NULL: nothing is stored */
	struct dit_index_table fixed[DIT_NFIXED];
	struct dit_index_tables indexes;
	struct dit_tree_changes changes; /* of id2e, from then on: */
	bool takes_changes;
	bool is_changed; /* by dit_record_tables_put() */
};

/** Name the tables that are always there. 0; -ENOMEM. To be deinitialised in any case */
int dit_record_tables_init(struct dit_record_tables *tables);
/** Free all, the head included, but not the commit. */
void dit_record_tables_deinit(struct dit_record_tables *tables);

/** @param commit  borrowed */
void dit_record_tables_begin(struct dit_record_tables *tables,
                             struct dit_page_commit *commit);
/** Find out what is stored. @param fd  of data.mdb; borrowed. @return 0; DIT_E_CORRUPT,
 * errors */
int dit_record_tables_read(struct dit_record_tables *tables, int fd,
                           const struct dit_page_format *format);

/** Finish all tables, and give the commit those that have changed. -EINVAL: one is
 * open */
int dit_record_tables_put(struct dit_record_tables *tables);

/*
 * Operations of an output whose pages are ours.
 */

int dit_record_tables_find_index(struct dit_output *output, const char *name,
                                 struct dit_output_stored_index *ret);
int dit_record_tables_add_index(struct dit_output *output,
                                const struct dit_output_index *index);
int dit_record_tables_cut_index(struct dit_output *output, size_t number,
                                unsigned nparts);
int dit_record_tables_open_index(struct dit_output *output, size_t number, unsigned part,
                                 struct dit_output_table **ret);
extern const struct dit_record_ops dit_record_tables_ops;

#endif
