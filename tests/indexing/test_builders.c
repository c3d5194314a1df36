/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index builders (builders.h) give the keys of each database back in its order, with
 * their lists, whatever format its keys have: 32 bits, 64 bits, or long ones of any
 * bytes. The lists of long ones are those of short ones, with repeats and late IDs. The
 * presence key next to keys of 64 bits is before them all, also before one that begins
 * with its bytes.
 */
#include "indexing/builders.h"

#include "base/error.h"
#include "base/ids.h"
#include "builders_fixture.h"
#include "sort/postings.h"

static size_t write_list(char *out, size_t size, const struct dit_posting_list *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->key.len; i++) {
		n += (size_t)snprintf(out + n, size - n, "%02x",
		                      (unsigned char)list->key.data[i]);
	}
	for (size_t i = 0; i < list->nids; i++) {
		n += (size_t)snprintf(out + n, size - n, "%s%d", i == 0 ? "=" : ",",
		                      (int)list->ids[i]);
	}
	n += (size_t)snprintf(out + n, size - n, "%s ", list->is_repeated ? "!" : "");
	return n;
}

/* The lists of one database as text. */
static char *lists_of(struct dit_builders *builders, size_t db)
{
	struct dit_index_cursor *cursor = NULL;
	const struct dit_posting_list *lists = NULL;
	char *text = calloc(1, 4096);
	size_t n = 0;
	ptrdiff_t nlists = 0;

	assert_non_null(text);
	assert_int_equal(dit_index_cursor_open(&cursor, builders, db, 0), 0);
	while ((nlists = dit_index_cursor_next(cursor, &lists)) > 0) {
		for (ptrdiff_t i = 0; i < nlists; i++) {
			n += write_list(text + n, 4096 - n, &lists[i]);
		}
	}
	assert_int_equal(nlists, 0);
	dit_index_cursor_close(cursor);
	return text;
}

#define assert_lists(builders, db, want)                                                 \
 do {                                                                                    \
  char *text_ = lists_of(builders, db);                                                  \
  assert_string_equal(text_, want);                                                      \
  free(text_);                                                                           \
 } while (0)

TEST(each_format_comes_back_in_its_order)
{
	char *dir = test_scratch();
	struct dit_index_set *set = five_databases(*state);
	struct dit_builders *builders = new_builders(set, dir, 2);

	push(builders, 0, INT32, 1, 0x01020304);
	push(builders, 1, INT32, 2, 0x01020304);
	push(builders, 1, INT32, 2, 2);
	push(builders, 0, BYTES32, 1, 0x61626364);
	push(builders, 0, SHORT, 3, 0x6162000000000002);
	push_key(builders, 0, WIDE, 1, "long key");
	push_key(builders, 1, WIDE, 2, "key");
	push_key(builders, 1, WIDE, 2, "key");
	push_key(builders, 0, OTHER_WIDE, 1, "other");
	assert_int_equal(dit_builders_finish(builders), 0);
	/* Integer keys lie in host order, bytes as they are. */
	assert_lists(builders, INT32, "02000000=2 04030201=1,2 ");
	assert_lists(builders, BYTES32, "61626364=1 ");
	assert_lists(builders, SHORT, "6162=3 ");
	assert_lists(builders, WIDE, "6b6579=2! 6c6f6e67206b6579=1 ");
	assert_lists(builders, OTHER_WIDE, "6f74686572=1 ");
	assert_int_equal(dit_builders_npushed(builders, INT32), 3);
	assert_int_equal(dit_builders_npushed(builders, WIDE), 3);
	assert_int_equal(dit_builders_npushed(builders, OTHER_WIDE), 1);
	assert_int_equal(dit_builders_run_bytes(builders), 0);
	dit_builders_free(builders);
	dit_index_set_free(set);
}

/* The presence key is not taken for a hash of zero, and an index may have no keys. */
TEST(presence_comes_before_hashes_of_64_bits)
{
	char *dir = test_scratch();
	struct fixture *f = *state;
	const struct dit_index_spec specs[] = {
		{find_ad(f, "cn"), DIT_INDEX_PRES | DIT_INDEX_EQ},
		{find_ad(f, "sn"), DIT_INDEX_PRES | DIT_INDEX_EQ},
		{find_ad(f, "description"), DIT_INDEX_EQ},
	};
	struct dit_index_params params = usual_params;
	struct dit_index_set *set = NULL;
	struct dit_builders *builders = NULL;

	params.hash64 = true;
	set = new_set(f, specs, 3, &params, true);
	assert_true(dit_index_set_db(set, 0)->has_presence);
	builders = new_builders(set, dir, 2);
	push(builders, 0, 0, 3, 0);
	push(builders, 1, 0, 4, 0x00000000ffffffff);
	push(builders, 1, 0, 4, 0xff00000000000000);
	for (uint64_t id = 1; id <= LIST_MAX; id++) {
		assert_int_equal(dit_builders_push_key(builders, id % 2, 0, id,
		                                       (struct dit_span){"\0\0\0", 4}),
		                 0);
	}
	assert_int_equal(dit_builders_push_key(builders, 0, 2, 1, DIT_SPAN("k")),
	                 -EINVAL);
	assert_int_equal(dit_builders_finish(builders), 0);
	assert_int_equal(dit_builders_npushed(builders, 0), 3 + LIST_MAX);
	assert_lists(builders, 0,
	             "00000000=1,2,3,4 0000000000000000=3 00000000ffffffff=4 "
	             "ff00000000000000=4 ");
	assert_lists(builders, 1, "");
	assert_int_equal(dit_builders_npushed(builders, 1), 0);
	dit_builders_free(builders);
	dit_index_set_free(set);
}

/* A full list becomes a range if its last ID was pushed twice; a late ID is not the last
 * one, though it comes last. */
TEST(late_ids_are_known_to_all)
{
	for (int is_late = 0; is_late < 2; is_late++) {
		char *dir = test_scratch();
		struct dit_index_set *set = five_databases(*state);
		struct dit_builders *builders = new_builders(set, dir, 1);

		for (unsigned id = 1; id <= LIST_MAX; id++) {
			push(builders, 0, INT32, id, 7);
			push_key(builders, 0, WIDE, id, "k");
		}
		push(builders, 0, INT32, 2, 7);
		push_key(builders, 0, WIDE, 2, "k");
		if (is_late != 0) {
			assert_int_equal(dit_builders_note_late(builders, 2, 9), 0);
		}
		assert_int_equal(dit_builders_finish(builders), 0);
		assert_lists(builders, INT32,
		             is_late != 0 ? "07000000=0,1,4 " : "07000000=1,2,3,4 ");
		assert_lists(builders, WIDE, is_late != 0 ? "6b=0,1,4 " : "6b=1,2,3,4 ");
		dit_builders_free(builders);
		dit_index_set_free(set);
		test_scratch_remove(dir);
	}
}

TEST(little_memory_makes_runs)
{
	char *dir = test_scratch();
	struct dit_index_set *set = five_databases(*state);
	struct dit_builders *builders = new_builders(set, dir, 1);
	struct dit_index_cursor *cursor = NULL;
	const struct dit_posting_list *lists = NULL;
	ptrdiff_t nlists = 0;
	size_t n = 0;

	for (unsigned id = 1; id <= 40000; id++) {
		push(builders, 0, SHORT, id, (uint64_t)id << 32 | 4);
		push_key(builders, 0, WIDE, id, "a key that is longer than others");
	}
	assert_int_equal(dit_builders_finish(builders), 0);
	assert_true(dit_builders_run_bytes(builders) > 400000);
	assert_int_equal(dit_index_cursor_open(&cursor, builders, SHORT, 0), 0);
	while ((nlists = dit_index_cursor_next(cursor, &lists)) > 0) {
		n += (size_t)nlists;
	}
	assert_int_equal(nlists, 0);
	assert_int_equal(n, 40000);
	dit_index_cursor_close(cursor);
	assert_int_equal(dit_index_cursor_open(&cursor, builders, SHORT, 0), -EINVAL);
	assert_int_equal(dit_index_cursor_open(&cursor, builders, NDBS, 0), -EINVAL);
	dit_builders_free(builders);
	dit_index_set_free(set);
}

/* As text, one after the other. */
static void read_part(struct dit_builders *builders, unsigned part, char *text,
                      size_t size)
{
	struct dit_index_cursor *cursor = NULL;
	const struct dit_posting_list *lists = NULL;
	ptrdiff_t nlists = 0;
	size_t n = 0;

	text[0] = '\0';
	assert_int_equal(dit_index_cursor_open(&cursor, builders, 0, part), 0);
	while ((nlists = dit_index_cursor_next(cursor, &lists)) > 0) {
		for (ptrdiff_t i = 0; i < nlists; i++) {
			n += write_list(text + n, size - n, &lists[i]);
		}
	}
	assert_int_equal(nlists, 0);
	dit_index_cursor_close(cursor);
}

/* The presence key has 4 bytes and is lower than all others, which have 8. */
TEST(the_presence_key_is_in_the_first_part)
{
	struct dit_index_spec spec = {find_ad(*state, "cn"),
	                              DIT_INDEX_PRES | DIT_INDEX_EQ};
	struct dit_index_params params = usual_params;
	char *dir = test_scratch();
	struct dit_index_set *set = NULL;
	struct dit_builders *builders = NULL;
	struct dit_index_cursor *cursor = NULL;
	char text[256];

	params.hash64 = true;
	set = new_set(*state, &spec, 1, &params, true);
	assert_true(dit_index_set_db(set, 0)->has_presence);
	builders = new_builders(set, dir, 1);
	for (unsigned id = 1; id <= 2; id++) {
		push_key(builders, 0, 0, id, "");
		push(builders, 0, 0, id, UINT64_C(0x1122334455667788));
		push(builders, 0, 0, id, UINT64_C(0xf122334455667788));
	}
	assert_int_equal(dit_builders_finish(builders), 0);
	assert_int_equal(dit_builders_parts_max(builders, 0), DIT_POSTING_PARTS_MAX);
	dit_builders_cut(builders, 0, 2);
	read_part(builders, 1, text, sizeof(text));
	assert_string_equal(text, "f122334455667788=1,2 ");
	read_part(builders, 0, text, sizeof(text));
	assert_string_equal(text, "00000000=1,2 1122334455667788=1,2 ");
	assert_int_equal(dit_index_cursor_open(&cursor, builders, 0, 2), -EINVAL);
	dit_builders_free(builders);
	dit_index_set_free(set);
}

static void push_bytes(struct dit_builders *builders, const char *key, size_t len,
                       uint64_t id, int want)
{
	assert_int_equal(
		dit_builders_push_key(builders, 0, WIDE, id, (struct dit_span){key, len}),
		want);
}

TEST(long_keys_come_in_the_order_of_their_bytes)
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
	static const char longest[511] = "\xffx";
	static const char too_long[512] = "x";
	char *dir = test_scratch();
	struct dit_index_set *set = five_databases(*state);
	struct dit_builders *builders = new_builders(set, dir, 1);
	struct dit_index_cursor *cursor = NULL;
	const struct dit_posting_list *list = NULL;

	push_bytes(builders, too_long, sizeof(too_long), 1, DIT_E_TOOLONG);
	push_bytes(builders, "", 0, 1, -EINVAL);
	push_bytes(builders, longest, sizeof(longest), n + 1, 0);
	for (size_t i = n; i > 0; i--) {
		push_bytes(builders, keys[i - 1].bytes, keys[i - 1].len, i, 0);
	}
	assert_int_equal(dit_builders_finish(builders), 0);
	assert_int_equal(dit_index_cursor_open(&cursor, builders, WIDE, 0), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(dit_index_cursor_next(cursor, &list), 1);
		assert_int_equal(list->key.len, keys[i].len);
		assert_memory_equal(list->key.data, keys[i].bytes, keys[i].len);
		assert_true(list->nids == 1 && list->ids[0] == i + 1);
		assert_false(list->is_repeated);
	}
	assert_int_equal(dit_index_cursor_nread(cursor), n);
	assert_int_equal(dit_index_cursor_next(cursor, &list), 1);
	assert_int_equal(list->key.len, sizeof(longest));
	assert_memory_equal(list->key.data, longest, sizeof(longest));
	assert_int_equal(dit_index_cursor_next(cursor, &list), 0);
	assert_int_equal(dit_index_cursor_nread(cursor), n + 1);
	assert_int_equal(dit_builders_npushed(builders, WIDE), n + 1);
	dit_index_cursor_close(cursor);
	dit_builders_free(builders);
	dit_index_set_free(set);
}

#define NENTRIES   3000
#define NPRODUCERS 3

/* The same key of an entry, some times, for two databases. */
static void push_both(struct dit_builders *builders, uint64_t id, uint32_t key,
                      unsigned ntimes)
{
	unsigned producer = (unsigned)(id % NPRODUCERS);
	char bytes[4];

	dit_be_put(bytes, key, sizeof(bytes));
	for (unsigned i = 0; i < ntimes; i++) {
		assert_int_equal(dit_builders_push_key(builders, producer, WIDE, id,
		                                       (struct dit_span){bytes, 4}),
		                 0);
		push(builders, producer, BYTES32, id, key);
	}
}

/* @return the number of ranges */
static size_t assert_same_lists(struct dit_builders *builders)
{
	struct dit_index_cursor *words = NULL;
	struct dit_index_cursor *bytes = NULL;
	const struct dit_posting_list *want = NULL;
	const struct dit_posting_list *got = NULL;
	size_t nranges = 0;
	ptrdiff_t n = 0;

	assert_int_equal(dit_index_cursor_open(&words, builders, BYTES32, 0), 0);
	assert_int_equal(dit_index_cursor_open(&bytes, builders, WIDE, 0), 0);
	while ((n = dit_index_cursor_next(words, &want)) > 0) {
		for (ptrdiff_t i = 0; i < n; i++) {
			assert_int_equal(dit_index_cursor_next(bytes, &got), 1);
			assert_true(dit_span_eq(got->key, want[i].key));
			assert_int_equal(got->nids, want[i].nids);
			assert_memory_equal(got->ids, want[i].ids,
			                    got->nids * sizeof(*got->ids));
			assert_int_equal(got->is_repeated, want[i].is_repeated);
			nranges += got->ids[0] == 0;
			assert_true(got->ids[0] != 0 || !got->is_repeated);
		}
	}
	assert_int_equal(n, 0);
	assert_int_equal(dit_index_cursor_next(bytes, &got), 0);
	dit_index_cursor_close(words);
	dit_index_cursor_close(bytes);
	return nranges;
}

TEST(lists_of_long_keys_are_those_of_words)
{
	char *dir = test_scratch();
	struct dit_index_set *set = five_databases(*state);
	struct dit_builders *builders = new_builders(set, dir, NPRODUCERS);

	for (uint64_t id = 1; id <= NENTRIES; id++) {
		/* Some lists are exactly full, some repeat their last ID. */
		push_both(builders, id, (uint32_t)(id * 7919 % 73),
		          1 + (id % 5 == 0) + (id % 77 == 0));
		push_both(builders, id, (uint32_t)(1000 + id / LIST_MAX),
		          1 + (id % 3 == 0));
	}
	for (uint64_t id = 39; id < NENTRIES; id += 200) {
		assert_int_equal(dit_builders_note_late(builders, id, id + 90), 0);
	}
	assert_int_equal(dit_builders_finish(builders), 0);
	assert_true(dit_builders_run_bytes(builders) > 0);
	assert_true(assert_same_lists(builders) > 10);
	dit_builders_free(builders);
	dit_index_set_free(set);
}

/* A database without long keys has no sorter for them. */
TEST(long_keys_need_a_database_for_them)
{
	struct dit_index_spec spec = {find_ad(*state, "cn"), DIT_INDEX_EQ};
	char *dir = test_scratch();
	struct dit_index_set *set = new_set(*state, &spec, 1, &usual_params, true);
	struct dit_builders *builders = new_builders(set, dir, 1);
	struct dit_index_cursor *cursor = NULL;

	assert_int_equal(dit_builders_push_key(builders, 0, 0, 1, DIT_SPAN("k")),
	                 -EINVAL);
	assert_int_equal(dit_index_cursor_open(&cursor, builders, 0, 0), -EINVAL);
	assert_int_equal(dit_builders_finish(builders), 0);
	dit_index_cursor_close(NULL);
	dit_builders_free(builders);
	dit_builders_free(NULL);
	dit_index_set_free(set);
}

MAIN_WITH(setup, NULL)
