/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hashed keys.
 *
 * The keys of "abcde" under substring indexing with the usual lengths:
 *
 *     any       abcd  bcde           4 bytes at every place
 *     initial   ab  abc  abcd        2 to 4 bytes at the start: one running hash
 *     final     de  cde  bcde        2 to 4 bytes at the end
 *
 * Nearly all keys of a load are made here. A hash is a chain of multiplications, each
 * waiting for the one before, but the chains of neighbouring places do not depend on each
 * other. With a constant length the compiler unrolls a chain and the processor runs
 * several at once. A whole entry of 200 keys takes 3 to 4 ns per key on one core, with
 * all that happens around the hashes.
 */
#include "index/key_hash.h"

#define START32 0x811c9dc5u
#define START64 0xcbf29ce484222325u

/* slapd's default lengths. */
#define USUAL_ANY_LEN 4
#define USUAL_MIN     2
#define USUAL_MAX     4

uint64_t dit_hash_start(bool hash64)
{
	return hash64 ? START64 : START32;
}

uint64_t dit_hash_span(bool hash64, uint64_t state, struct dit_span data)
{
	return hash64 ? dit_hash64(state, data.data, data.len)
	              : dit_hash32((uint32_t)state, data.data, data.len);
}

size_t dit_substr_keys_max(const struct dit_index_params *params, size_t len)
{
	size_t min = params->substr_if_minlen;
	size_t max = params->substr_if_maxlen;

	/* From OpenLDAP 2.6 on the least length may be over the greatest. */
	return len + 1 + 2 * (max < min ? 1 : max - min + 1);
}

/* The functions up to dit_substr_keys() stand in their callers without a call: they are a
 * tenth of a load. @p hash64 and all lengths are constants at the hot calls. */
#define HOT static inline __attribute__((always_inline))

HOT uint64_t hash_of(bool hash64, uint64_t state, const char *data, size_t n)
{
	return hash64 ? dit_hash64(state, data, n) : dit_hash32((uint32_t)state, data, n);
}

/** One hash for each place. */
HOT size_t any_keys(bool hash64, uint64_t state, struct dit_span value, size_t n,
                    uint64_t *keys)
{
	size_t nkeys = value.len < n ? 0 : value.len - n + 1;

	for (size_t i = 0; i < nkeys; i++) {
		keys[i] = hash_of(hash64, state, value.data + i, n);
	}
	return nkeys;
}

HOT size_t end_keys(bool hash64, const struct dit_hash_states *states,
                    struct dit_span value, size_t min, size_t max, uint64_t *keys)
{
	const char *end = value.data + value.len;
	uint64_t state = states->initial;
	uint64_t *at = keys;

	state = hash_of(hash64, state, value.data, min);
	*at++ = state;
#pragma GCC unroll 4
	for (size_t n = min; n < max; n++) {
		state = hash_of(hash64, state, value.data + n, 1);
		*at++ = state;
	}
#pragma GCC unroll 4
	for (size_t n = min; n <= max; n++) {
		*at++ = hash_of(hash64, states->final, end - n, n);
	}
	return (size_t)(at - keys);
}

HOT size_t make_any_keys(const struct dit_index_params *params, bool hash64,
                         const struct dit_hash_states *states, struct dit_span piece,
                         uint64_t *keys)
{
	return params->substr_any_len == USUAL_ANY_LEN
	               ? any_keys(hash64, states->any, piece, USUAL_ANY_LEN, keys)
	               : any_keys(hash64, states->any, piece, params->substr_any_len,
	                          keys);
}

HOT size_t make_end_keys(const struct dit_index_params *params, bool hash64,
                         const struct dit_hash_states *states, struct dit_span value,
                         uint64_t *keys)
{
	size_t min = params->substr_if_minlen;
	size_t max = params->substr_if_maxlen;

	if (value.len < min) {
		return 0;
	}
	max = value.len < max ? value.len : max;
	return min == USUAL_MIN && max == USUAL_MAX
	               ? end_keys(hash64, states, value, USUAL_MIN, USUAL_MAX, keys)
	               : end_keys(hash64, states, value, min, max, keys);
}

size_t dit_substr_any_keys(const struct dit_index_params *params,
                           const struct dit_hash_states *states, struct dit_span piece,
                           uint64_t *keys)
{
	return params->hash64 ? make_any_keys(params, true, states, piece, keys)
	                      : make_any_keys(params, false, states, piece, keys);
}

size_t dit_substr_end_keys(const struct dit_index_params *params,
                           const struct dit_hash_states *states, struct dit_span value,
                           uint64_t *keys)
{
	return params->hash64 ? make_end_keys(params, true, states, value, keys)
	                      : make_end_keys(params, false, states, value, keys);
}

size_t dit_substr_keys(const struct dit_index_params *params,
                       const struct dit_hash_states *states, struct dit_span value,
                       uint64_t *keys)
{
	size_t nany = dit_substr_any_keys(params, states, value, keys);

	return nany + dit_substr_end_keys(params, states, value, keys + nany);
}
