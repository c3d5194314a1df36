/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/sum128.h"

#include <inttypes.h>
#include <stdio.h>

#include <xxhash.h>

/* XXH3 takes no NULL. */
static const char *data_of(struct dit_span bytes)
{
	return bytes.data == NULL ? "" : bytes.data;
}

struct dit_sum128 dit_sum128_of(struct dit_span bytes, uint64_t seed)
{
	XXH128_hash_t hash = XXH3_128bits_withSeed(data_of(bytes), bytes.len, seed);

	return (struct dit_sum128){.high = hash.high64, .low = hash.low64};
}

uint64_t dit_sum128_seed(struct dit_span bytes, uint64_t seed)
{
	return XXH3_64bits_withSeed(data_of(bytes), bytes.len, seed);
}

void dit_sum128_add(struct dit_sum128 *sum, const struct dit_sum128 *more)
{
	sum->low += more->low;
	sum->high += more->high + (sum->low < more->low);
}

void dit_sum128_text(const struct dit_sum128 *digest, char ret[DIT_SUM128_TEXT])
{
	(void)snprintf(ret, DIT_SUM128_TEXT, "%016" PRIx64 "%016" PRIx64, digest->high,
	               digest->low);
}
