/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Substring keys, compared with the plain rules of values.md 6.5.
 */
#include "index/key_hash.h"

#include "test.h"

#define KEYS_MAX 200

static const struct dit_hash_states states32 = {1, 0x12345678, 0x9abcdef0, 0x0fedcba9};
static const struct dit_hash_states states64 = {1, 0x123456789abcdef0u,
                                                0xfedcba9876543210u, 0x0f1e2d3c4b5a6978u};

static int compare(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x;
	uint64_t b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

static uint64_t hash_piece(bool hash64, uint64_t state, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (hash64) {
			state ^= (unsigned char)data[i];
			state *= 0x100000001b3u;
		} else {
			state = (uint32_t)(state * 16777619u);
			state ^= (unsigned char)data[i];
		}
	}
	return state;
}

static size_t plain_keys(const struct dit_index_params *params,
                         const struct dit_hash_states *states, const char *data, size_t n,
                         uint64_t *keys)
{
	size_t nkeys = 0;

	for (size_t i = 0; i + params->substr_any_len <= n; i++) {
		keys[nkeys++] = hash_piece(params->hash64, states->any, data + i,
		                           params->substr_any_len);
	}
	for (size_t i = params->substr_if_minlen; i <= params->substr_if_maxlen && i <= n;
	     i++) {
		keys[nkeys++] = hash_piece(params->hash64, states->initial, data, i);
		keys[nkeys++] =
			hash_piece(params->hash64, states->final, data + n - i, i);
	}
	return nkeys;
}

/* From OpenLDAP 2.6 on; slapd makes one key as well where it does not die of it. */
TEST(least_length_over_the_greatest_makes_one_key)
{
	static const struct {
		unsigned min;
		unsigned max;
	} cases[] = {{2, 1}, {9, 4}, {2, 0}};
	const struct dit_span value = DIT_SPAN("abcdefghijkl");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dit_index_params params = {
			.substr_if_minlen = cases[i].min,
			.substr_if_maxlen = cases[i].max,
			.substr_any_len = 100,
		};
		uint64_t keys[KEYS_MAX];

		assert_in_range(dit_substr_keys_max(&params, value.len), 1, KEYS_MAX);
		assert_in_range(dit_substr_keys_max(&params, 0), 1, KEYS_MAX);
		assert_int_equal(dit_substr_keys(&params, &states32, value, keys), 1);
		assert_int_equal(keys[0], hash_piece(false, states32.initial, value.data,
		                                     cases[i].min));
	}
}

TEST(substring_keys_follow_the_rules)
{
	static const char text[] =
		"abcdefghijklmnopqrstuvwxyz\xc3\xa9 The Quick Brown Fox";
	static const struct dit_index_params params[] = {
		{2, 4, 4, 4, false}, {2, 4, 4, 4, true},  {1, 1, 1, 4, false},
		{3, 9, 2, 4, false}, {1, 20, 7, 4, true}, {4, 4, 5, 4, true},
	};

	for (size_t p = 0; p < sizeof(params) / sizeof(params[0]); p++) {
		const struct dit_hash_states *states =
			params[p].hash64 ? &states64 : &states32;

		for (size_t n = 0; n < sizeof(text); n++) {
			struct dit_span value = {text, n};
			uint64_t expected[KEYS_MAX];
			uint64_t keys[KEYS_MAX];
			size_t nkeys = dit_substr_keys(&params[p], states, value, keys);

			assert_true(nkeys <= dit_substr_keys_max(&params[p], n));
			assert_int_equal(
				nkeys, plain_keys(&params[p], states, text, n, expected));
			qsort(keys, nkeys, sizeof(keys[0]), compare);
			qsort(expected, nkeys, sizeof(keys[0]), compare);
			assert_memory_equal(keys, expected, nkeys * sizeof(keys[0]));
		}
	}
}

/* A value ends where its memory does, and nothing is written after its keys. */
TEST(places_side_by_side_have_the_portable_keys)
{
	unsigned random = 1;

	for (size_t i = 0; i < 20000; i++) {
		const struct dit_index_params params = {2, 4, 4, 4, i % 2 != 0};
		const struct dit_hash_states *states =
			params.hash64 ? &states64 : &states32;
		size_t at = i / 2 % 32; /* alignment */
		size_t len = i / 64 % 100;
		char *text = malloc(at + len + (at + len == 0));
		struct dit_span value = {text + at, len};
		uint64_t expected[KEYS_MAX] = {0};
		uint64_t keys[KEYS_MAX] = {0};
		size_t nkeys = 0;

		for (size_t k = 0; k < at + len; k++) {
			random = random * 1103515245u + 12345;
			text[k] = (char)(random >> 16);
		}
		nkeys = dit_substr_any_keys_portable(&params, states, value, expected);
		assert_int_equal(dit_substr_any_keys(&params, states, value, keys),
		                 nkeys);
		assert_memory_equal(keys, expected, sizeof(keys));
		free(text);
	}
}

TEST(a_hash_can_be_continued)
{
	for (int hash64 = 0; hash64 <= 1; hash64++) {
		uint64_t whole = dit_hash_span(hash64, dit_hash_start(hash64),
		                               DIT_SPAN("descriptioncn"));
		uint64_t part = dit_hash_span(hash64, dit_hash_start(hash64),
		                              DIT_SPAN("description"));

		assert_int_equal(dit_hash_span(hash64, part, DIT_SPAN("cn")), whole);
		assert_int_equal(dit_hash_span(hash64, part, DIT_SPAN("")), part);
	}
}

/* values.md 6.3 */
TEST(the_example_of_the_specification_holds)
{
	uint64_t hash = dit_hash_span(
		false, dit_hash_start(false),
		DIT_SPAN("description1.3.6.1.4.1.1466.115.121.1.152.5.13.2hello world"));

	assert_int_equal(hash, 0x9ef666c3);
}
