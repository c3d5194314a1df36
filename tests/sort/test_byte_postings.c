/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The promises of sort/byte_postings.h:
 * - keys come in ascending order of bytes, whatever bytes they have, each once;
 * - lists are those that postings.h makes of the same keys, with repeats and late IDs;
 * - what is out of range is refused.
 */
#include "sort/byte_postings.h"

#include <errno.h>

#include "base/error.h"
#include "base/ids.h"
#include "sort/posting_list.h"
#include "sort/postings.h"
#include "test.h"

#define NENTRIES   3000
#define NPRODUCERS 3
#define LIST_MAX   40

static const struct dit_late_table none;

static struct dit_byte_postings *new_postings(const char *tmpdir, size_t memory_bytes)
{
	struct dit_byte_postings_opts opts = {
		.shared = {.nthreads = NPRODUCERS, .tmpdir = tmpdir},
		.memory_bytes = memory_bytes,
		.list_max = LIST_MAX};
	struct dit_byte_postings *postings = NULL;

	assert_int_equal(dit_byte_postings_new(&postings, &opts), 0);
	return postings;
}

static void push(struct dit_byte_postings *postings, const char *key, size_t len,
                 uint64_t id)
{
	assert_int_equal(
		dit_byte_postings_push(postings, 0, (struct dit_span){key, len}, id), 0);
}

TEST(keys_of_any_bytes_come_in_order)
{
	static const struct {
		const char *bytes;
		size_t len;
	} keys[] = {
		/* ascending */
		{"\0", 1},     {"\0\0", 2},       {"\0\0\1", 3}, {"\0\1", 2},
		{"\0\xff", 2}, {"\0\xff\xff", 3}, {"a", 1},      {"a\0", 2},
		{"a\0b", 3},   {"aa", 2},         {"a\xff", 2},  {"b", 1},
		{"\xff", 1},   {"\xff\0", 2},
	};
	const size_t n = sizeof(keys) / sizeof(keys[0]);
	char *dir = test_scratch();
	struct dit_byte_postings *postings = new_postings(dir, 1 << 20);
	struct dit_posting_list list = {0};
	char longest[DIT_BYTE_KEY_MAX];

	memset(longest, 0, sizeof(longest));
	longest[0] = (char)0xff;
	longest[1] = 'x';
	push(postings, longest, sizeof(longest), 1);
	for (size_t i = n; i > 0; i--) {
		push(postings, keys[i - 1].bytes, keys[i - 1].len, i);
	}
	assert_int_equal(dit_byte_postings_finish(postings, &none), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(dit_byte_postings_next(postings, &list), 1);
		assert_int_equal(list.key.len, keys[i].len);
		assert_memory_equal(list.key.data, keys[i].bytes, keys[i].len);
		assert_true(list.nids == 1 && list.ids[0] == i + 1 && !list.is_repeated);
	}
	assert_int_equal(dit_byte_postings_nread(postings), n);
	assert_int_equal(dit_byte_postings_next(postings, &list), 1);
	assert_int_equal(list.key.len, sizeof(longest));
	assert_memory_equal(list.key.data, longest, sizeof(longest));
	assert_int_equal(dit_byte_postings_next(postings, &list), 0);
	assert_int_equal(dit_byte_postings_nread(postings), n + 1);
	assert_int_equal(dit_byte_postings_npushed(postings), n + 1);
	dit_byte_postings_free(postings);
}

/* The same pairs through both sorters. */
struct both {
	struct dit_byte_postings *bytes;
	struct dit_postings *words;
};

static void push_both(const struct both *both, uint32_t key, uint64_t id, unsigned ntimes)
{
	uint64_t ordinals[3] = {key, key, key};
	char bytes[4];

	dit_be_put(bytes, key, sizeof(bytes));
	for (unsigned i = 0; i < ntimes; i++) {
		assert_int_equal(dit_byte_postings_push(
					 both->bytes, (unsigned)(id % NPRODUCERS),
					 (struct dit_span){bytes, sizeof(bytes)}, id),
		                 0);
	}
	assert_int_equal(dit_postings_push(both->words, (unsigned)(id % NPRODUCERS), 0,
	                                   id, ordinals, ntimes),
	                 0);
}

static size_t assert_same_lists(const struct both *both)
{
	struct dit_posting_cursor *cursor = NULL;
	struct dit_posting_list want = {0};
	struct dit_posting_list got = {0};
	size_t nranges = 0;

	assert_int_equal(dit_posting_cursor_open(&cursor, both->words, 0, 0), 0);
	while (dit_posting_cursor_next(cursor, &want, 1) > 0) {
		assert_int_equal(dit_byte_postings_next(both->bytes, &got), 1);
		assert_int_equal(got.key.len, 4);
		assert_int_equal(dit_be_get(got.key.data, 4), want.ordinal);
		assert_int_equal(got.nids, want.nids);
		assert_memory_equal(got.ids, want.ids, want.nids * sizeof(*want.ids));
		assert_int_equal(got.is_repeated, want.is_repeated);
		if (want.ids[0] == 0) {
			nranges++;
			assert_false(got.is_repeated);
		}
	}
	assert_int_equal(dit_byte_postings_next(both->bytes, &got), 0);
	dit_posting_cursor_close(cursor);
	return nranges;
}

TEST(lists_are_those_of_postings)
{
	char *dir = test_scratch();

	for (unsigned round = 0; round < 2; round++) {
		size_t memory = round == 0 ? 64u << 20 : NPRODUCERS * (64u << 10);
		struct dit_postings_opts words = {
			.nstreams = 1,
			.is_64bit = &(const bool){false},
			.shared = {.nthreads = NPRODUCERS, .tmpdir = dir},
			.memory_bytes = memory,
			.list_max = LIST_MAX};
		struct both both = {.bytes = new_postings(dir, memory)};

		assert_int_equal(dit_postings_new(&both.words, &words), 0);
		for (uint64_t id = 1; id <= NENTRIES; id++) {
			/* Some lists are exactly full, some repeat their last ID. */
			push_both(&both, (uint32_t)(id * 7919 % 73), id,
			          1 + (id % 5 == 0) + (id % 77 == 0));
			push_both(&both, (uint32_t)(1000 + id / LIST_MAX), id,
			          1 + (id % 3 == 0));
		}
		for (uint64_t id = 39; id < NENTRIES; id += 200) {
			assert_int_equal(dit_postings_note_late(both.words, id, id + 90),
			                 0);
		}
		assert_int_equal(dit_postings_finish(both.words), 0);
		assert_int_equal(dit_byte_postings_finish(both.bytes,
		                                          dit_postings_late(both.words)),
		                 0);
		assert_true(round == 0 || dit_byte_postings_run_bytes(both.bytes) > 0);
		assert_true(assert_same_lists(&both) > 10);
		dit_postings_free(both.words);
		dit_byte_postings_free(both.bytes);
	}
}

TEST(values_out_of_range_are_refused)
{
	static const char key[DIT_BYTE_KEY_MAX + 1] = "x";
	struct dit_byte_postings_opts opts = {.shared.nthreads = 1,
	                                      .memory_bytes = 1 << 20};
	char *dir = test_scratch();
	struct dit_byte_postings *postings = NULL;
	struct dit_posting_list list = {0};

	opts.shared.tmpdir = dir;
	assert_int_equal(dit_byte_postings_new(&postings, &opts), -EINVAL);
	opts.list_max = 1;
	opts.shared.nthreads = 0;
	assert_int_equal(dit_byte_postings_new(&postings, &opts), -EINVAL);
	postings = new_postings(dir, 1 << 20);
	assert_int_equal(dit_byte_postings_push(postings, 0,
	                                        (struct dit_span){key, sizeof(key)}, 1),
	                 DIT_E_TOOLONG);
	assert_int_equal(dit_byte_postings_push(postings, 0, DIT_SPAN(""), 1), -EINVAL);
	assert_int_equal(dit_byte_postings_next(postings, &list), -EINVAL);
	assert_int_equal(dit_byte_postings_finish(postings, &none), 0);
	assert_int_equal(dit_byte_postings_next(postings, &list), 0);
	dit_byte_postings_free(postings);
	dit_byte_postings_free(NULL);
}
