/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All is scaled but the number of different keys: some are in every entry, others in one.
 * An index has 8 bytes for each ID of its lists, and a node for each key, in whole pages.
 */
#include "build/estimate_indexes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "index/index_keys.h"

#define ID_BYTES   8
#define RANGE_NIDS 3
/* A node without its IDs. */
#define KEY_BYTES 16
/* Size of a posting in memory, and in temporary files. */
#define POSTING_BYTES 8
#define RUN_BYTES     2

/* Memory that is full becomes a run; what comes last stays there. */
double dit_estimate_spilled(double bytes, double memory_bytes)
{
	return bytes > memory_bytes ? floor(bytes / memory_bytes) * memory_bytes / bytes
	                            : 0;
}

/* All lists of a database, as the whole input will have them. */
static int sum_lists(const struct dit_estimate_indexes_opts *opts,
                     struct dit_index_cursor *cursor, struct dit_estimate_index *index)
{
	const struct dit_output_list *lists = NULL;
	double nids = 0;
	ptrdiff_t n = 0;

	while ((n = dit_index_cursor_next(cursor, &lists)) > 0) {
		index->nkeys += (uint64_t)n;
		for (ptrdiff_t i = 0; i < n; i++) {
			double len = (double)lists[i].nids * opts->scale;

			nids += len > (double)opts->list_max ? RANGE_NIDS : len;
		}
	}
	index->bytes = (uint64_t)(nids * ID_BYTES) + index->nkeys * KEY_BYTES;
	index->bytes += opts->page_bytes - 1;
	index->bytes -= index->bytes % opts->page_bytes;
	return n < 0 ? (int)n : 0;
}

static int end_index(const struct dit_estimate_indexes_opts *opts, size_t db,
                     struct dit_estimate_index *index)
{
	struct dit_index_cursor *cursor = NULL;
	int r = dit_index_cursor_open(&cursor, opts->builders, db, false);

	if (r == 0) {
		r = sum_lists(opts, cursor, index);
	}
	dit_index_cursor_close(cursor);
	index->npostings = (uint64_t)(opts->scale *
	                              (double)dit_builders_npushed(opts->builders, db));
	return r;
}

int64_t dit_estimate_indexes(const struct dit_estimate_indexes_opts *opts,
                             struct dit_estimate *ret,
                             struct dit_estimate_database *database)
{
	size_t n = dit_index_set_ndbs(opts->indexes);
	double memory = (double)opts->memory_bytes;
	uint64_t npostings = 0;
	double needed = 0;
	int64_t bytes = 0;

	database->indexes = calloc(n + 1, sizeof(*database->indexes));
	if (database->indexes == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		struct dit_estimate_index *index = &database->indexes[i];
		int r = end_index(opts, i, index);

		index->name = strdup(dit_index_set_db(opts->indexes, i)->name);
		if (r < 0 || index->name == NULL) {
			free(index->name);
			return r < 0 ? r : -ENOMEM;
		}
		database->nindexes++;
		npostings += index->npostings;
		bytes += (int64_t)index->bytes;
	}
	needed = (double)npostings * POSTING_BYTES;
	ret->npostings += npostings;
	ret->run_bytes += (uint64_t)(dit_estimate_spilled(needed, memory) *
	                             (double)npostings * RUN_BYTES);
	ret->memory_bytes += (uint64_t)fmin(needed, memory);
	return bytes;
}
