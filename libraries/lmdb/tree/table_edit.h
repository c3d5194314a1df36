/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A finished index table gets some changes: IDs into the lists of some keys, IDs out of
 * them. Nothing is overwritten: leaves with changes are written anew, others stay where
 * they are, and all branch pages are written anew above them.
 *
 *   leaves      │ a │ b │ c │ d │        changes in b
 *   new table   │ a │ b'│ c │ d │        a, c, d are the same pages
 *
 * Threads: a call is one thread's; tables are independent of each other.
 */
#ifndef DITKIT_TABLE_EDIT_H
#define DITKIT_TABLE_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "page/tree_visit.h"
#include "tree/page_sink.h"

struct dit_table_change {
	struct dit_span key;
	uint64_t id;
	bool is_added; /* else removed */
};

struct dit_table_edit {
	const struct dit_tree_source *source; /* reads the table */
	struct dit_page_space *space;         /* for new pages */
	unsigned flags;                       /* of the table, MDB_... */
	uint64_t list_max; /* IDs in a list; longer ones become ranges */
	/* Pages of the old table that the new one does not have. NULL: nobody asks */
	int (*dropped)(void *ctx, uint64_t first, uint64_t n);
	void *ctx;
};

/** The order of changes: by key as the table's flags have it, then by ID. */
int dit_table_change_compare(unsigned flags, const struct dit_table_change *a,
                             const struct dit_table_change *b);

/**
 * A range stays one: nobody knows which IDs are in it. A key without IDs is gone.
 *
 * @param changes  in order; each key and ID once
 * @param table    the finished one; gets the new one's root and counts
 *
 * @return 0; DIT_E_CORRUPT; what a table writer and @p dropped return; -ENOMEM
 */
int dit_table_edit(const struct dit_table_edit *edit,
                   const struct dit_table_change *changes, size_t nchanges,
                   struct dit_tree_record *table);

#endif
