/* SPDX-License-Identifier: BSD-2-Clause */
#include "indexing/estimate_sizes.h"

#include <stdlib.h>

/* A key of 32 bits and its ID: in memory, while it waits and while its index is sorted,
 * and in a temporary file. */
#define WAITING_BYTES 5
#define SORTED_BYTES  16
#define RUN_BYTES     2
#define RUN_BYTES_64  3
/* The largest index has so much of all keys. */
#define LARGEST 8

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

void dit_estimate_end(struct dit_estimate *ret, bool has_64_bits, uint64_t base_bytes,
                      uint64_t keys_bytes, unsigned table_bytes, unsigned names_bytes)
{
	uint64_t names = ret->nentries * names_bytes;
	unsigned nsorted = ret->threads < LARGEST ? ret->threads : LARGEST;
	unsigned posting_bytes = WAITING_BYTES + SORTED_BYTES * nsorted / LARGEST;
	unsigned run_bytes = has_64_bits ? RUN_BYTES_64 : RUN_BYTES;
	uint64_t sorted = ret->npostings * (posting_bytes << has_64_bits) + names;

	ret->memory_bytes = sorted + base_bytes < ret->memory_limit_bytes
	                            ? sorted + base_bytes
	                            : ret->memory_limit_bytes;
	ret->memory_bytes += ret->nentries * table_bytes;
	ret->run_bytes = sorted > keys_bytes ? ret->npostings * run_bytes + names : 0;
}

void dit_estimate_deinit(struct dit_estimate *estimate)
{
	for (size_t i = 0; i < estimate->ndatabases; i++) {
		free(estimate->databases[i].directory);
	}
	free(estimate->databases);
	*estimate = (struct dit_estimate){.threads = 0};
}
