/* SPDX-License-Identifier: BSD-2-Clause */
#include "build/estimate_sizes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A key and its ID in memory, and in a temporary file. */
#define MEMORY_BYTES 8
#define RUN_BYTES    2

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int dit_estimate_add(struct dit_estimate *ret, const struct dit_estimate_sample *sample)
{
	struct dit_estimate_database *database = &ret->databases[ret->ndatabases];
	uint64_t bytes = (uint64_t)(sample->record_bytes * sample->scale);
	uint64_t npostings = 0;

	database->directory = strdup(sample->db->data.directory);
	if (database->directory == NULL) {
		return -ENOMEM;
	}
	ret->ndatabases++;
	for (size_t i = 0; i < sample->nindexes; i++) {
		uint64_t n =
			(uint64_t)((double)dit_builders_npushed(sample->builders, i) *
		                           sample->scale +
		                   0.5);
		uint64_t npages = (n * DIT_POSTING_BYTES + sample->page_bytes - 1) /
		                  sample->page_bytes;

		npostings += n;
		bytes += npages * sample->page_bytes;
	}
	bytes += least(npostings * sample->page_bytes, sample->rewritten_bytes);
	bytes -= least(bytes, sample->free_bytes);
	database->nentries = (uint64_t)((double)sample->nentries * sample->scale + 0.5);
	database->bytes_before = sample->bytes_before;
	database->disk_bytes = bytes;
	database->bytes = sample->bytes_before + bytes;
	database->maxsize_bytes = sample->db->data.maxsize_bytes;
	ret->nentries += database->nentries;
	ret->npostings += npostings;
	return 0;
}

void dit_estimate_end(struct dit_estimate *ret, const struct dit_estimate_memory *memory)
{
	uint64_t names = ret->nentries * memory->names_bytes;
	uint64_t sorted = ret->npostings * MEMORY_BYTES + names;

	ret->memory_bytes = least(sorted + memory->base_bytes, ret->memory_limit_bytes) +
	                    ret->nentries * memory->entry_bytes;
	ret->run_bytes =
		sorted > memory->keys_bytes ? ret->npostings * RUN_BYTES + names : 0;
}

void dit_estimate_deinit(struct dit_estimate *estimate)
{
	for (size_t i = 0; i < estimate->ndatabases; i++) {
		free(estimate->databases[i].directory);
	}
	free(estimate->databases);
	*estimate = (struct dit_estimate){.threads = 0};
}
