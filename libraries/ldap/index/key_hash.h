/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hashed index keys: whole values and pieces of them (values.md 6.3, 6.5).
 *
 * A key is the hash of a prefix that is the same for all values of a definition and
 * kind, followed by the value or piece. The hash state after the prefix is computed
 * once; per key only the piece is hashed.
 *
 * Threads: no state.
 */
#ifndef DITKIT_KEY_HASH_H
#define DITKIT_KEY_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "config/settings.h"

#define DIT_PRIME32 16777619u
#define DIT_PRIME64 0x100000001b3u

/** Continue a hash. FNV-1 with 32 bits, FNV-1a with 64: what slapd uses. */
static inline uint32_t dit_hash32(uint32_t state, const char *data, size_t n)
{
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++) {
		state = state * DIT_PRIME32 ^ (unsigned char)data[i];
	}
	return state;
}

static inline uint64_t dit_hash64(uint64_t state, const char *data, size_t n)
{
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++) {
		state = (state ^ (unsigned char)data[i]) * DIT_PRIME64;
	}
	return state;
}

/** The states after the prefixes of one definition. */
struct dit_hash_states {
	uint64_t whole; /* equality */
	uint64_t any;   /* substrings */
	uint64_t initial;
	uint64_t final;
};

/** State at the start of every key. */
uint64_t dit_hash_start(bool hash64);
/** Continue a state of either width. */
static inline uint64_t dit_hash_span(bool hash64, uint64_t state, struct dit_span data)
{
	return hash64 ? dit_hash64(state, data.data, data.len)
	              : dit_hash32((uint32_t)state, data.data, data.len);
}

/** Upper bound of the substring keys of a value of @p len bytes. */
static inline size_t dit_substr_keys_max(const struct dit_index_params *params,
                                         size_t len)
{
	size_t min = params->substr_if_minlen;
	size_t max = params->substr_if_maxlen;

	/* From OpenLDAP 2.6 on the least length may be over the greatest. */
	return len + 1 + 2 * (max < min ? 1 : max - min + 1);
}

/**
 * Make all substring keys of a value. They are those of the two functions below, in this
 * order.
 *
 * @param keys  gets the hashes, room for dit_substr_keys_max()
 * @return their number
 */
size_t dit_substr_keys(const struct dit_index_params *params,
                       const struct dit_hash_states *states, struct dit_span value,
                       uint64_t *keys);

/**
 * The keys at every place of a value, or of a piece of one: the next piece then begins
 * substr_any_len - 1 bytes before the end of this one.
 *
 * @param keys  room for piece.len
 * @return their number
 */
size_t dit_substr_any_keys(const struct dit_index_params *params,
                           const struct dit_hash_states *states, struct dit_span piece,
                           uint64_t *keys);

/** The same on every processor; the function above needs no more memory. */
size_t dit_substr_any_keys_portable(const struct dit_index_params *params,
                                    const struct dit_hash_states *states,
                                    struct dit_span piece, uint64_t *keys);

/** The keys at the start and at the end of a value. */
size_t dit_substr_end_keys(const struct dit_index_params *params,
                           const struct dit_hash_states *states, struct dit_span value,
                           uint64_t *keys);

#endif
