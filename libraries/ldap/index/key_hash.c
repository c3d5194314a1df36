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

#define START32       0x811c9dc5u
#define START64       0xcbf29ce484222325u
#define USUAL_ANY_LEN 4

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

/** One hash for each place; @p n and @p hash64 are constants at the hot calls. */
static inline __attribute__((always_inline)) size_t any_keys(bool hash64, uint64_t state,
                                                             struct dit_span value,
                                                             size_t n, uint64_t *keys)
{
	size_t nkeys = value.len - n + 1;

	for (size_t i = 0; i < nkeys; i++) {
		keys[i] = hash64 ? dit_hash64(state, value.data + i, n)
		                 : dit_hash32((uint32_t)state, value.data + i, n);
	}
	return nkeys;
}

/* Both halves stand in dit_substr_keys() without a call: they are a tenth of a load. */
static inline __attribute__((always_inline)) size_t make_any_keys(
	const struct dit_index_params *params, const struct dit_hash_states *states,
	struct dit_span piece, uint64_t *keys)
{
	bool hash64 = params->hash64;
	size_t any_len = params->substr_any_len;

	if (piece.len < any_len) {
		return 0;
	}
	if (any_len != USUAL_ANY_LEN) {
		return any_keys(hash64, states->any, piece, any_len, keys);
	}
	return hash64 ? any_keys(true, states->any, piece, USUAL_ANY_LEN, keys)
	              : any_keys(false, states->any, piece, USUAL_ANY_LEN, keys);
}

static inline __attribute__((always_inline)) size_t make_end_keys(
	const struct dit_index_params *params, const struct dit_hash_states *states,
	struct dit_span value, uint64_t *keys)
{
	bool hash64 = params->hash64;
	size_t min = params->substr_if_minlen;
	size_t max = params->substr_if_maxlen;
	const char *end = value.data + value.len;
	uint64_t *at = keys;
	uint64_t state = states->initial;

	if (value.len < min) {
		return 0;
	}
	max = value.len < max ? value.len : max;
	state = dit_hash_span(hash64, state, (struct dit_span){value.data, min});
	*at++ = state;
	for (size_t n = min; n < max; n++) {
		state = dit_hash_span(hash64, state,
		                      (struct dit_span){value.data + n, 1});
		*at++ = state;
	}
	for (size_t n = min; n <= max; n++) {
		*at++ = dit_hash_span(hash64, states->final,
		                      (struct dit_span){end - n, n});
	}
	return (size_t)(at - keys);
}

size_t dit_substr_keys(const struct dit_index_params *params,
                       const struct dit_hash_states *states, struct dit_span value,
                       uint64_t *keys)
{
	size_t nany = make_any_keys(params, states, value, keys);

	return nany + make_end_keys(params, states, value, keys + nany);
}

size_t dit_substr_any_keys(const struct dit_index_params *params,
                           const struct dit_hash_states *states, struct dit_span piece,
                           uint64_t *keys)
{
	return make_any_keys(params, states, piece, keys);
}

size_t dit_substr_end_keys(const struct dit_index_params *params,
                           const struct dit_hash_states *states, struct dit_span value,
                           uint64_t *keys)
{
	return make_end_keys(params, states, value, keys);
}
