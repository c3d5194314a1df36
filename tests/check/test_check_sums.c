/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the sums of postings: stored lists, as a walk tells them, next to keys of
 * entries. Two members take turns at both, so that their sums are added.
 */
#include "test.h"

#include "nomem.h"

#include "check/check_sums.h"
#include "indexing/builders_fixture.h"

#define MEMORY (1u << 20)

/* An index and its database have different numbers. */
static const char *const stored_names[] = {"ad2i", "cn", "sn", "tGT", "tINT"};

struct sums_fixture {
	struct fixture *f;
	struct dit_index_set *set;
	struct dit_check_sums *sums;
	unsigned turn;
};

static struct dit_check_sums_opts opts_of(const struct sums_fixture *fixture,
                                          uint64_t memory_bytes)
{
	return (struct dit_check_sums_opts){.indexes = fixture->set,
	                                    .nmembers = 2,
	                                    .memory_bytes = memory_bytes,
	                                    .list_max = LIST_MAX,
	                                    .suffix = DIT_SPAN("")};
}

static struct sums_fixture begin_with(struct fixture *f, uint64_t memory_bytes)
{
	struct sums_fixture fixture = {.f = f, .set = five_databases(f)};
	const struct dit_check_sums_opts opts = opts_of(&fixture, memory_bytes);

	assert_int_equal(dit_check_sums_new(&fixture.sums, &opts), 0);
	return fixture;
}

static struct sums_fixture begin(struct fixture *f)
{
	return begin_with(f, MEMORY);
}

static void end(struct sums_fixture *fixture)
{
	dit_check_sums_free(fixture->sums);
	dit_index_set_free(fixture->set);
}

static void store_some(struct sums_fixture *fixture, size_t database, struct dit_span key,
                       const uint64_t *ids, size_t n, uint64_t nitems, bool is_more)
{
	const struct dit_walk_list list = {
		.database = database,
		.name = stored_names[database],
		.key = key,
		.nitems = nitems,
		.items = {(const char *)ids, n * sizeof(*ids)},
		.is_more = is_more,
	};

	dit_check_sums_note(fixture->sums, fixture->turn++ % 2, &list);
}

static void store(struct sums_fixture *fixture, size_t database, struct dit_span key,
                  const uint64_t *ids, size_t n)
{
	store_some(fixture, database, key, ids, n, n, false);
}

static void end_walk(struct sums_fixture *fixture)
{
	assert_int_equal(dit_check_sums_end_walk(fixture->sums), 0);
}

static void make(struct sums_fixture *fixture, unsigned db, uint64_t id,
                 const uint64_t *ordinals, size_t n)
{
	unsigned member = fixture->turn++ % 2;

	dit_check_sums_begin(fixture->sums, member, id);
	assert_int_equal(dit_check_sums_push(fixture->sums, member, db, ordinals, n), 0);
}

static void make_one(struct sums_fixture *fixture, unsigned db, uint64_t id,
                     uint64_t ordinal)
{
	make(fixture, db, id, &ordinal, 1);
}

static void make_wide(struct sums_fixture *fixture, uint64_t id, const char *key)
{
	unsigned member = fixture->turn++ % 2;

	dit_check_sums_begin(fixture->sums, member, id);
	assert_int_equal(
		dit_check_sums_push_key(fixture->sums, member, WIDE, dit_span_of(key)),
		0);
}

static void assert_agree(const struct sums_fixture *fixture, const char *expected)
{
	char agree[NDBS + 1] = "";

	dit_check_sums_end(fixture->sums);
	for (size_t db = 0; db < NDBS; db++) {
		agree[db] = dit_check_sums_is_wrong(fixture->sums, db) ? '!' : '=';
	}
	assert_string_equal(agree, expected);
}

static const uint64_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8};

/* One list of each format of keys. */
static void store_all(struct sums_fixture *fixture)
{
	store(fixture, 1, (struct dit_span){"\x01\x02\0\0", 4}, ids, 3);
	store(fixture, 2, DIT_SPAN("aabb"), ids, 2);
	store(fixture, 3, DIT_SPAN("time!"), ids, 1);
	store(fixture, 4, DIT_SPAN("a key that is long"), ids, 2);
	end_walk(fixture);
}

static uint64_t short_ordinal(const struct sums_fixture *fixture, const char *key)
{
	return dit_index_key_ordinal(dit_index_set_db(fixture->set, SHORT),
	                             dit_span_of(key));
}

TEST(the_same_postings_agree_in_any_order)
{
	struct sums_fixture fixture = begin(*state);

	store_all(&fixture);
	make_wide(&fixture, 2, "a key that is long");
	make_one(&fixture, INT32, 3, 0x201);
	make_one(&fixture, BYTES32, 1, 0x61616262);
	assert_agree(&fixture, "!!!!=");
	make_one(&fixture, SHORT, 1, short_ordinal(&fixture, "time!"));
	make_one(&fixture, INT32, 1, 0x201);
	make_one(&fixture, BYTES32, 2, 0x61616262);
	make_one(&fixture, INT32, 2, 0x201);
	make_wide(&fixture, 1, "a key that is long");
	assert_agree(&fixture, "=====");
	end(&fixture);
}

TEST(any_difference_is_seen)
{
	struct sums_fixture fixture = begin(*state);

	store_all(&fixture);
	/* One posting more; 1 and 4 in place of 2 and 3; another length; another key. */
	for (uint64_t id = 1; id <= 4; id++) {
		make_one(&fixture, INT32, id, 0x201);
	}
	make_one(&fixture, BYTES32, 0, 0x61616262);
	make_one(&fixture, BYTES32, 3, 0x61616262);
	make_one(&fixture, SHORT, 1, short_ordinal(&fixture, "time"));
	make_wide(&fixture, 1, "a key that is lonG");
	make_wide(&fixture, 2, "a key that is lonG");
	assert_agree(&fixture, "!!!!=");
	end(&fixture);
}

TEST(an_index_that_is_not_stored_has_no_postings)
{
	struct sums_fixture fixture = begin(*state);

	end_walk(&fixture);
	assert_agree(&fixture, "=====");
	assert_int_equal(dit_check_sums_push_key(fixture.sums, 0, OTHER_WIDE,
	                                         DIT_SPAN("not stored")),
	                 0);
	assert_agree(&fixture, "====!");
	end(&fixture);
}

TEST(repeats_in_an_entry_count_once)
{
	const uint64_t ordinals[] = {7, 9, 7, 7, 9};
	struct sums_fixture fixture = begin(*state);

	for (uint64_t key = 7; key <= 9; key += 2) {
		char bytes[] = {(char)key, 0, 0, 0};
		char other[] = {0, 0, 0, (char)key};

		store(&fixture, 1, (struct dit_span){bytes, 4}, ids, 2);
		store(&fixture, 2, (struct dit_span){other, 4}, ids, 2);
	}
	end_walk(&fixture);
	for (uint64_t id = 1; id <= 2; id++) {
		unsigned member = fixture.turn++ % 2;

		dit_check_sums_begin(fixture.sums, member, id);
		for (unsigned db = INT32; db <= BYTES32; db++) {
			assert_int_equal(dit_check_sums_push(fixture.sums, member, db,
			                                     ordinals, 5),
			                 0);
			assert_int_equal(dit_check_sums_push(fixture.sums, member, db,
			                                     ordinals, 2),
			                 0);
		}
	}
	assert_agree(&fixture, "=====");
	end(&fixture);
}

TEST(lists_with_trees_come_in_pieces)
{
	struct sums_fixture fixture = begin(*state);
	struct dit_span key = {"\x05\0\0\0", 4};

	store_some(&fixture, 1, key, NULL, 0, 3, false);
	store_some(&fixture, 1, key, ids + 2, 1, 3, true);
	store_some(&fixture, 1, key, ids, 2, 3, true);
	end_walk(&fixture);
	for (uint64_t id = 1; id <= 3; id++) {
		make_one(&fixture, INT32, id, 5);
	}
	assert_agree(&fixture, "=====");
	end(&fixture);
}

TEST(ranges_cover_what_entries_make)
{
	const uint64_t range[] = {0, 3, 9};
	static const struct {
		uint64_t id;
		const char *expected;
	} cases[] = {{3, "====="}, {9, "====="}, {2, "!===="}, {10, "!===="}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sums_fixture fixture = begin(*state);

		store(&fixture, 1, (struct dit_span){"\x06\0\0\0", 4}, ids, 1);
		store(&fixture, 1, (struct dit_span){"\x05\0\0\0", 4}, range, 3);
		end_walk(&fixture);
		make_one(&fixture, INT32, 1, 6);
		assert_agree(&fixture, "====="); /* also with a range of no entry */
		make_one(&fixture, INT32, cases[i].id, 5);
		assert_agree(&fixture, cases[i].expected);
		end(&fixture);
	}
}

/* Each of them is for the comparison of lists to judge. */
TEST(full_lists_and_wrong_ranges_do_not_agree)
{
	const uint64_t range[] = {0, 3, 9, 10};
	struct dit_span key = {"\x05\0\0\0", 4};
	struct sums_fixture fixture;

	/* By either of two members, and the other one has a sound list. */
	for (int kind = 0; kind < 8; kind++) {
		fixture = begin(*state);
		fixture.turn = (unsigned)kind / 4;
		switch (kind % 4) {
		case 0:
			store(&fixture, 1, key, ids, LIST_MAX);
			break;
		case 1:
			store(&fixture, 1, key, range, 2);
			break;
		case 2:
			store(&fixture, 1, key, range, 4);
			break;
		default:
			store_some(&fixture, 1, key, range, 3, 3, true);
		}
		store(&fixture, 1, (struct dit_span){"\x06\0\0\0", 4}, ids, 1);
		end_walk(&fixture);
		make_one(&fixture, INT32, 1, 6);
		if (kind % 4 == 0) {
			for (uint64_t id = 1; id <= LIST_MAX; id++) {
				make_one(&fixture, INT32, id, 5);
			}
		}
		assert_agree(&fixture, "!====");
		end(&fixture);
	}
}

/* With the least memory a table has 512 slots, half of which are used. */
TEST(an_entry_of_very_many_keys_leaves_no_sum)
{
	for (size_t n = 256; n <= 257; n++) {
		struct sums_fixture fixture = begin_with(*state, 0);
		uint64_t ordinals[257];

		for (size_t i = 0; i < n; i++) {
			uint32_t key = (uint32_t)(i + 1);

			ordinals[i] = key;
			store(&fixture, 1, (struct dit_span){(const char *)&key, 4}, ids,
			      1);
		}
		end_walk(&fixture);
		make(&fixture, INT32, 1, ordinals, n);
		assert_agree(&fixture, n == 256 ? "=====" : "!====");
		end(&fixture);
	}
}

TEST(a_table_grows_with_the_keys_of_an_entry)
{
	struct sums_fixture fixture = begin(*state);

	for (uint32_t key = 1; key <= 5000; key++) {
		store(&fixture, 1, (struct dit_span){(const char *)&key, 4}, ids, 1);
	}
	end_walk(&fixture);
	dit_check_sums_begin(fixture.sums, 0, 1);
	for (int repeat = 0; repeat < 2; repeat++) {
		for (uint64_t key = 1; key <= 5000; key++) {
			assert_int_equal(
				dit_check_sums_push(fixture.sums, 0, INT32, &key, 1), 0);
		}
	}
	assert_agree(&fixture, "=====");
	end(&fixture);
}

/* Some of 300 keys: those in the bucket of the wrong one; the same for each call. */
TEST(keys_of_wrong_buckets_are_wanted)
{
	struct sums_fixture fixture = begin(*state);
	unsigned nwanted = 0;

	for (uint32_t key = 1; key <= 300; key++) {
		struct dit_span span = {(const char *)&key, 4};

		store(&fixture, 1, span, ids, key == 7 ? 2 : 1);
	}
	end_walk(&fixture);
	for (uint64_t key = 1; key <= 300; key++) {
		make_one(&fixture, INT32, 1, key);
	}
	assert_agree(&fixture, "!====");
	for (uint32_t key = 1; key <= 300; key++) {
		struct dit_span span = {(const char *)&key, 4};
		uint64_t hash = 0;
		uint64_t other = 0;
		bool is_wanted =
			dit_check_sums_is_wanted(fixture.sums, INT32, span, &hash);

		assert_true(is_wanted || key != 7);
		assert_false(
			dit_check_sums_is_wanted(fixture.sums, BYTES32, span, &other));
		assert_true(hash == other);
		nwanted += is_wanted;
	}
	assert_in_range(nwanted, 1, 30);
	end(&fixture);
}

static int work_without_memory(struct sums_fixture *fixture)
{
	const uint64_t range[] = {0, 3, 9};
	uint64_t ordinals[600];
	const struct dit_check_sums_opts opts = opts_of(fixture, MEMORY);
	int r = dit_check_sums_new(&fixture->sums, &opts);

	for (uint64_t i = 0; i < 600; i++) {
		ordinals[i] = i;
	}
	if (r < 0) {
		return r;
	}
	store(fixture, 1, (struct dit_span){"\x05\0\0\0", 4}, range, 3);
	store(fixture, 1, (struct dit_span){"\x06\0\0\0", 4}, range, 3);
	r = dit_check_sums_end_walk(fixture->sums);
	if (r == 0) {
		dit_check_sums_begin(fixture->sums, 0, 1);
		r = dit_check_sums_push(fixture->sums, 0, BYTES32, ordinals, 600);
	}
	dit_check_sums_free(fixture->sums);
	return r;
}

TEST(no_memory_is_an_error)
{
	struct sums_fixture fixture = {.f = *state, .set = five_databases(*state)};

	assert_in_range(calls_until_memory(work_without_memory(&fixture)), 15, 40);
	dit_index_set_free(fixture.set);
}

MAIN_WITH(setup, NULL)
