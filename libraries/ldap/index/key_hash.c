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
 * several at once. A processor with AVX2 makes the keys of eight places at once, or of
 * four for short values; which processor it is shows when the program runs. It has no
 * multiplication of 64 bits: hashes of that width were as fast without it.
 */
#include "index/key_hash.h"

#ifdef __x86_64__
# include <immintrin.h>
#endif

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

#ifdef __x86_64__
/*
 * The keys of places side by side, with slapd's default length. A function for n places
 * reads n + 3 bytes.
 */
# define AVX2 __attribute__((target("avx2")))
typedef void side_by_side_fn(uint64_t state, const char *at, uint64_t *keys);

AVX2 HOT void four_keys32(uint64_t state, const char *at, uint64_t *keys)
{
	__m128i hash = _mm_set1_epi32((int)state);

# pragma GCC unroll 4
	for (unsigned i = 0; i < USUAL_ANY_LEN; i++) {
		hash = _mm_mullo_epi32(hash, _mm_set1_epi32(DIT_PRIME32)) ^
		       _mm_cvtepu8_epi32(_mm_loadu_si32(at + i));
	}
	_mm256_storeu_si256((__m256i *)keys, _mm256_cvtepu32_epi64(hash));
}

AVX2 HOT void eight_keys32(uint64_t state, const char *at, uint64_t *keys)
{
	__m256i hash = _mm256_set1_epi32((int)state);

# pragma GCC unroll 4
	for (unsigned i = 0; i < USUAL_ANY_LEN; i++) {
		hash = _mm256_mullo_epi32(hash, _mm256_set1_epi32(DIT_PRIME32)) ^
		       _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(at + i)));
	}
	_mm256_storeu_si256((__m256i *)keys,
	                    _mm256_cvtepu32_epi64(_mm256_castsi256_si128(hash)));
	_mm256_storeu_si256((__m256i *)(keys + 4),
	                    _mm256_cvtepu32_epi64(_mm256_extracti128_si256(hash, 1)));
}

/** The last ones may overlap those before. @p nkeys  at least @p step */
AVX2 HOT void keys_avx2(side_by_side_fn *hash, size_t step, uint64_t state,
                        const char *data, size_t nkeys, uint64_t *keys)
{
	size_t i = 0;

	for (; i + step <= nkeys; i += step) {
		hash(state, data + i, keys + i);
	}
	if (i < nkeys) {
		hash(state, data + nkeys - step, keys + nkeys - step);
	}
}

AVX2 static void any_keys_avx2(uint64_t state, const char *data, size_t nkeys,
                               uint64_t *keys)
{
	if (nkeys < 8) {
		keys_avx2(four_keys32, 4, state, data, nkeys, keys);
	} else {
		keys_avx2(eight_keys32, 8, state, data, nkeys, keys);
	}
}
#endif

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

size_t dit_substr_any_keys_portable(const struct dit_index_params *params,
                                    const struct dit_hash_states *states,
                                    struct dit_span piece, uint64_t *keys)
{
	return params->hash64 ? make_any_keys(params, true, states, piece, keys)
	                      : make_any_keys(params, false, states, piece, keys);
}

size_t dit_substr_any_keys(const struct dit_index_params *params,
                           const struct dit_hash_states *states, struct dit_span piece,
                           uint64_t *keys)
{
#ifdef __x86_64__
	if (!params->hash64 && params->substr_any_len == USUAL_ANY_LEN &&
	    piece.len >= USUAL_ANY_LEN + 3 && __builtin_cpu_supports("avx2")) {
		size_t nkeys = piece.len - USUAL_ANY_LEN + 1;

		any_keys_avx2(states->any, piece.data, nkeys, keys);
		return nkeys;
	}
#endif
	return dit_substr_any_keys_portable(params, states, piece, keys);
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
