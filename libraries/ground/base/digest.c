/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/digest.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <xxhash.h>

int dit_digest_new(struct dit_digest **ret)
{
	XXH3_state_t *state = XXH3_createState();

	if (state == NULL) {
		return -ENOMEM;
	}
	(void)XXH3_128bits_reset(state);
	*ret = (struct dit_digest *)state;
	return 0;
}

void dit_digest_free(struct dit_digest *digest)
{
	(void)XXH3_freeState((XXH3_state_t *)digest);
}

void dit_digest_add(struct dit_digest *digest, const void *bytes, size_t nbytes)
{
	(void)XXH3_128bits_update((XXH3_state_t *)digest, bytes, nbytes);
}

static struct dit_sum128 sum_of(XXH128_hash_t hash)
{
	return (struct dit_sum128){.high = hash.high64, .low = hash.low64};
}

void dit_digest_text(const struct dit_digest *digest, char ret[DIT_DIGEST_TEXT_BYTES])
{
	struct dit_sum128 sum = sum_of(XXH3_128bits_digest((const XXH3_state_t *)digest));

	dit_sum128_text(&sum, ret);
}

/* XXH3 takes no NULL. */
static const char *data_of(struct dit_span bytes)
{
	return bytes.data == NULL ? "" : bytes.data;
}

struct dit_sum128 dit_sum128_of(struct dit_span bytes, uint64_t seed)
{
	return sum_of(XXH3_128bits_withSeed(data_of(bytes), bytes.len, seed));
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

void dit_sum128_text(const struct dit_sum128 *sum, char ret[DIT_DIGEST_TEXT_BYTES])
{
	(void)snprintf(ret, DIT_DIGEST_TEXT_BYTES, "%016" PRIx64 "%016" PRIx64, sum->high,
	               sum->low);
}

/* ---- of entries ---- */

void dit_sum128_add_values(struct dit_sum128 *sum, const struct dit_span *values,
                           uint32_t nvalues, uint64_t seed)
{
	for (uint32_t i = 0; i < nvalues; i++) {
		struct dit_sum128 value = dit_sum128_of(values[i], seed);

		dit_sum128_add(sum, &value);
	}
}

struct dit_sum128 dit_sum128_of_entry(struct dit_span norm_dn,
                                      const struct dit_sum128 *values)
{
	struct dit_sum128 name = dit_sum128_of(norm_dn, 0);
	const uint64_t parts[] = {htole64(name.high), htole64(name.low),
	                          htole64(values->high), htole64(values->low)};

	return dit_sum128_of((struct dit_span){(const char *)parts, sizeof(parts)}, 0);
}
