/* SPDX-License-Identifier: BSD-2-Clause */
/* An index has 8 bytes for each key, in whole pages (doc/guide.md). */
#include "build/estimate_sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Size of a key and its ID in the database, in memory, and in a temporary file. */
#define STORED_BYTES 8
#define MEMORY_BYTES 8
#define RUN_BYTES    2

struct dit_estimate_database *dit_estimate_add(struct dit_estimate *ret,
                                               const struct dit_database *db,
                                               const struct dit_index_set *indexes)
{
	struct dit_estimate_database *database = &ret->databases[ret->ndatabases++];
	size_t n = dit_index_set_ndbs(indexes);

	database->maxsize_bytes = db->data.maxsize_bytes;
	database->directory = strdup(db->data.directory);
	database->indexes = calloc(n + 1, sizeof(*database->indexes));
	if (database->directory == NULL || database->indexes == NULL) {
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		struct dit_estimate_index *index =
			&database->indexes[database->nindexes++];

		index->name = strdup(dit_index_set_db(indexes, i)->name);
		if (index->name == NULL) {
			return NULL;
		}
	}
	return database;
}

/* Memory that is full becomes a run; what comes last stays there. */
void dit_estimate_add_sort(struct dit_estimate *ret, double bytes, uint64_t memory_bytes,
                           double run_factor)
{
	double memory = (double)memory_bytes;

	ret->memory_bytes += (uint64_t)fmin(bytes, memory);
	ret->run_bytes += (uint64_t)(floor(bytes / memory) * memory * run_factor);
}

static uint64_t scaled(uint64_t n, double scale)
{
	return (uint64_t)((double)n * scale + 0.5);
}

uint64_t dit_estimate_scale(struct dit_estimate *ret,
                            struct dit_estimate_database *database, double scale,
                            unsigned page_bytes, uint64_t memory_bytes)
{
	uint64_t npostings = 0;
	uint64_t bytes = 0;

	database->nentries = scaled(database->nentries, scale);
	for (size_t i = 0; i < database->nindexes; i++) {
		struct dit_estimate_index *index = &database->indexes[i];
		uint64_t npages = 0;

		index->npostings = scaled(index->npostings, scale);
		npages = (index->npostings * STORED_BYTES + page_bytes - 1) / page_bytes;
		index->bytes = npages * page_bytes;
		npostings += index->npostings;
		bytes += index->bytes;
	}
	ret->nentries += database->nentries;
	ret->npostings += npostings;
	dit_estimate_add_sort(ret, (double)npostings * MEMORY_BYTES, memory_bytes,
	                      (double)RUN_BYTES / MEMORY_BYTES);
	return bytes;
}

void dit_estimate_deinit(struct dit_estimate *estimate)
{
	for (size_t i = 0; i < estimate->ndatabases; i++) {
		struct dit_estimate_database *database = &estimate->databases[i];

		for (size_t k = 0; k < database->nindexes; k++) {
			free(database->indexes[k].name);
		}
		free(database->indexes);
		free(database->directory);
	}
	free(estimate->databases);
	*estimate = (struct dit_estimate){.threads = 0};
}
