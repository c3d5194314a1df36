/* SPDX-License-Identifier: BSD-2-Clause */
#include "build/estimate_sizes.h"

#include <stdlib.h>

/* A key and its ID in memory, and in a temporary file. */
#define MEMORY_BYTES 8
#define RUN_BYTES    2

uint64_t dit_estimate_indexes(struct dit_estimate *ret,
                              const struct dit_builders *builders, size_t nindexes,
                              double scale, unsigned page_bytes)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < nindexes; i++) {
		uint64_t n =
			(uint64_t)((double)dit_builders_npushed(builders, i) * scale +
		                   0.5);

		ret->npostings += n;
		bytes += (n * DIT_POSTING_BYTES + page_bytes - 1) / page_bytes *
		         page_bytes;
	}
	return bytes;
}

void dit_estimate_end(struct dit_estimate *ret, uint64_t base_bytes, uint64_t keys_bytes,
                      unsigned table_bytes, unsigned names_bytes)
{
	uint64_t names = ret->nentries * names_bytes;
	uint64_t sorted = ret->npostings * MEMORY_BYTES + names;

	ret->memory_bytes = sorted + base_bytes < ret->memory_limit_bytes
	                            ? sorted + base_bytes
	                            : ret->memory_limit_bytes;
	ret->memory_bytes += ret->nentries * table_bytes;
	ret->run_bytes = sorted > keys_bytes ? ret->npostings * RUN_BYTES + names : 0;
}

void dit_estimate_deinit(struct dit_estimate *estimate)
{
	for (size_t i = 0; i < estimate->ndatabases; i++) {
		free(estimate->databases[i].directory);
	}
	free(estimate->databases);
	*estimate = (struct dit_estimate){.threads = 0};
}
