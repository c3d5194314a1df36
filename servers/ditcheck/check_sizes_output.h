/* SPDX-License-Identifier: BSD-2-Clause */
/* --stats: the sizes of named databases, as a table or as JSON. */
#ifndef DITCHECK_SIZES_OUTPUT_H
#define DITCHECK_SIZES_OUTPUT_H

#include <ditkit/check.h>

/** Sums of a table. Zero: no row yet. */
struct sizes_table {
	unsigned nrows;
	uint64_t nbranches;
	uint64_t nleaves;
	uint64_t noverflows;
	uint64_t bytes;
	uint64_t used_bytes;
	uint64_t nentries;
};

/** A row; before the first one the head of the table. @p is_verbose: longest lists. */
void sizes_table_row(struct sizes_table *table, const struct dit_check_database *database,
                     bool is_verbose);

/** The sums, if there was a row. The table is empty again. */
void sizes_table_end(struct sizes_table *table);

/** {"database": "cn", "keys": 2, ...}; returns owned. NULL: no memory. */
struct json_t *sizes_json(const struct dit_check_database *database);

#endif
