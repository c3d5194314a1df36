/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The promises of sort/postings.h:
 *
 *   - a stream gives every key once, in order, with the IDs that were pushed, each once;
 *   - a list past the limit is a range, and so is a full list that is touched once more
 *     by the entry that filled it;
 *   - neither threads, nor memory, nor runs, nor late IDs, nor how pairs share chunks
 *     change any of that;
 *   - the parts of a stream are all of it;
 *   - wrong calls are refused, and nothing is left.
 */
#include "sort/postings.h"

#include <dirent.h>
#include <fcntl.h>

#include "postings_fixture.h"
#include "sort/postings_private.h"
#include "test.h"

static _Atomic uint64_t freed_bytes;

__typeof__(fallocate) __real_fallocate;
__typeof__(fallocate) __wrap_fallocate;

int __wrap_fallocate(int fd, int mode, off_t at, off_t len)
{
	freed_bytes += (uint64_t)len;
	return __real_fallocate(fd, mode, at, len);
}

static void assert_directory_empty(const char *path)
{
	DIR *dir = opendir(path);

	assert_non_null(dir);
	for (struct dirent *d = readdir(dir); d != NULL; d = readdir(dir)) {
		assert_int_equal(d->d_name[0], '.');
	}
	closedir(dir);
}

/* as in struct postings_plan */
/* clang-format off */
static const struct postings_plan plans[] = {
	{"nothing at all", 2, 1, POSTINGS_SHARE, 3, 0, 1, 1, 0, 0, false},
	{"one entry", 1, 1, POSTINGS_SHARE, 1, 1, 10, 4, 0, 0, false},
	{"in memory", 2, 1, 64 << 20, 5, 3000, 900, 10, 0, 0, false},
	{"in memory, lists of one", 1, 2, 64 << 20, 1, 500, 40, 5, 0, 0, false},
	{"in memory, two producers", 2, 2, 64 << 20, 5, 3000, 900, 10, 0, 0, true},
	{"in memory, seven producers", 4, 7, 64 << 20, 10, 2000, 900, 10, 9, 0, true},
	{"in memory, late IDs", 2, 3, 64 << 20, 4, 1500, 1500, 4, 3, 0, false},
	{"runs", 2, 1, POSTINGS_SHARE, 3, 3000, 4000, 10, 0, 0, false},
	{"runs, long lists", 1, 2, 2 * POSTINGS_SHARE, 4000, 6000, 20, 6, 0, 0, true},
	{"runs, cascades", 2, 2, 2 * POSTINGS_SHARE, 10, 8000, 3000, 10, 0, 2, true},
	{"runs, late IDs", 2, 3, 3 * POSTINGS_SHARE, 6, 6000, 6000, 6, 5, 3, true},
	{"many producers", 1, 64, 64 * POSTINGS_SHARE, 8, 8000, 500, 20, 0, 0, false},
	{"many streams for the memory", 4, 1, POSTINGS_SHARE, 7, 2000, 50, 20, 4, 4, false},
};
/* clang-format on */

/** Push by plan, finish, cut, compare all parts of all streams with the model; then no
 * run takes disk space any more. */
static void play_plan(const struct postings_plan *plan, unsigned nparts,
                      bool has_tiny_chunks)
{
	struct postings_held held;
	struct postings_load load;

	print_message("  %s\n", plan->name);
	freed_bytes = 0;
	postings_load_begin(&load, plan);
	if (has_tiny_chunks) {
		postings_load_use_tiny_chunks(&load);
	}
	postings_load_run(&load, postings_load_push, plan->nproducers);
	assert_int_equal(dit_postings_finish(load.postings), 0);
	assert_directory_empty(load.tmpdir);
	postings_load_sort(&load);
	postings_load_cut(&load, nparts);
	postings_load_run(&load, postings_load_check, plan->nstreams * nparts);
	assert_int_equal(freed_bytes, dit_postings_run_bytes(load.postings));
	held = postings_load_held(&load);
	assert_int_equal(held.npushed, load.nevents);
	assert_int_equal(held.nruns > 0, dit_postings_run_bytes(load.postings) > 0);
	if (strncmp(plan->name, "runs", 4) == 0) {
		assert_true(held.nruns > 0);
	}
	postings_load_end(&load);
}

TEST(all_streams_hold_what_was_pushed)
{
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		play_plan(&plans[i], 1, false);
	}
}

TEST(pushes_may_be_split_among_chunks)
{
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		play_plan(&plans[i], 1, true);
	}
}

/* Threads of different parts share buckets and runs. */
TEST(the_parts_of_a_stream_are_all_of_it)
{
	static const unsigned nparts[] = {2, DIT_POSTING_PARTS_MAX};

	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		for (size_t k = 0; k < sizeof(nparts) / sizeof(nparts[0]); k++) {
			play_plan(&plans[i], nparts[k], false);
		}
	}
}

/* Some IDs and how many keys each brings; see groups_hold_any_ids_and_any_number(). */
struct push {
	uint64_t id;
	unsigned nkeys;
};

/** Push to one stream, all keys of an ID in one call. */
static void push_and_note(struct postings_load *load, unsigned stream,
                          const struct push *push)
{
	uint64_t *keys = calloc(push->nkeys, sizeof(*keys));

	assert_non_null(keys);
	load->events = reallocarray(load->events, load->nevents + push->nkeys,
	                            sizeof(*load->events));
	assert_non_null(load->events);
	for (unsigned i = 0; i < push->nkeys; i++) {
		keys[i] = postings_load_key(stream, i);
		load->events[load->nevents] =
			(struct postings_event){.key = keys[i],
		                                .id = push->id,
		                                .sequence = load->nevents,
		                                .stream = stream};
		load->nevents++;
	}
	assert_int_equal(
		dit_postings_push(load->postings, 0, stream, push->id, keys, push->nkeys),
		0);
	free(keys);
}

/* 2^20 - 1 is the largest distance, 4095 the largest number of keys of a group. */
TEST(groups_hold_any_ids_and_any_number_of_keys)
{
	/* clang-format off */
	static const struct {
		const char *name;
		struct push pushes[8];
	} cases[] = {
		{"ascending", {{1, 3}, {2, 1}, {3, 2}, {7, 5}}},
		{"equal", {{5, 2}, {5, 3}, {5, 1}}},
		{"descending", {{9, 3}, {8, 3}, {2, 1}, {1, 4}}},
		{"up and down", {{9, 3}, {12, 3}, {11, 1}, {11, 4}, {12, 2}, {1, 1}}},
		{"far, first", {{1048575, 2}, {2097150, 2}, {2097151, 1}}},
		{"too far, first", {{1048576, 2}, {2097152, 2}, {2097153, 1}}},
		{"as far as can be", {{1, 2}, {UINT32_MAX, 3}, {1, 1}, {UINT32_MAX, 1}}},
		{"many keys", {{1, 4094}, {2, 4095}, {3, 4096}, {4, 1}}},
		{"very many keys", {{1, 8190}, {2, 8191}, {9, 40000}, {8, 12286}, {9, 1}}},
	};
	/* clang-format on */
	static const struct postings_plan plan = {"groups", 2, 1, 64 << 20, 60,   0,
	                                          1,        1, 0, 0,        false};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct postings_load load;

		print_message("  %s\n", cases[i / 2].name);
		postings_load_begin(&load, &plan);
		if (i % 2 == 1) {
			postings_load_use_tiny_chunks(&load);
		}
		for (const struct push *p = cases[i / 2].pushes; p->nkeys > 0; p++) {
			push_and_note(&load, 0, p);
			push_and_note(&load, 1, p);
		}
		assert_int_equal(dit_postings_finish(load.postings), 0);
		postings_load_sort(&load);
		postings_load_run(&load, postings_load_check, 2);
		postings_load_end(&load);
	}
}

TEST(wide_streams_hold_ids_of_48_bits)
{
	static const struct push pushes[] = {
		{((uint64_t)1 << 32) - 1, 2}, {(uint64_t)1 << 32, 3},
		{((uint64_t)1 << 48) - 1, 9}, {1, 4},
		{((uint64_t)1 << 47) + 5, 1},
	};
	static const struct postings_plan plan = {
		"48 bits", 2, 1, POSTINGS_SHARE, 60, 0, 1, 1, 0, 0, false};

	for (unsigned has_tiny_chunks = 0; has_tiny_chunks < 2; has_tiny_chunks++) {
		struct postings_load load;

		postings_load_begin(&load, &plan);
		if (has_tiny_chunks == 1) {
			postings_load_use_tiny_chunks(&load);
		}
		for (size_t i = 0; i < sizeof(pushes) / sizeof(pushes[0]); i++) {
			push_and_note(&load, 1, &pushes[i]);
		}
		assert_int_equal(dit_postings_finish(load.postings), 0);
		postings_load_sort(&load);
		postings_load_run(&load, postings_load_check, 2);
		postings_load_end(&load);
	}
}

TEST(stream_counts_add_up)
{
	static const struct postings_plan plan = {"counts", 2, 2, 64 << 20, 3,    100,
	                                          10,       5, 0, 0,        false};
	struct postings_load load;

	postings_load_begin(&load, &plan);
	postings_load_run(&load, postings_load_push, 2);
	assert_int_equal(dit_postings_finish(load.postings), 0);
	assert_int_equal(dit_postings_stream_npushed(load.postings, 0), 500);
	assert_int_equal(dit_postings_stream_npushed(load.postings, 1), 500);
	postings_load_end(&load);
}

/* The corner of storage.md 5.4, spelled out: three IDs fill the list. */
TEST(full_lists_collapse_when_touched_again)
{
	static const struct {
		const char *name;
		uint64_t ids[6];
		size_t nids;
		uint64_t late; /* this ID counts as inserted before late_next */
		uint64_t late_next;
		uint64_t expected[3];
	} cases[] = {
		{"exactly full", {2, 5, 7}, 3, 0, 0, {2, 5, 7}},
		{"early repeat", {2, 2, 5, 7}, 4, 0, 0, {2, 5, 7}},
		{"repeat in the middle", {2, 5, 5, 5, 7}, 5, 0, 0, {2, 5, 7}},
		{"repeat of the last", {2, 5, 7, 7}, 4, 0, 0, {0, 2, 7}},
		{"one too many", {2, 5, 7, 9}, 4, 0, 0, {0, 2, 9}},
		{"late one is last", {2, 2, 5, 7}, 4, 2, 8, {0, 2, 7}},
		{"late one is second to last", {2, 2, 5, 7}, 4, 2, 7, {2, 5, 7}},
		{"late one fills, high one repeats", {2, 5, 7, 7}, 4, 2, 8, {2, 5, 7}},
		{"late one fits in", {2, 5, 7, 7}, 4, 2, 5, {0, 2, 7}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static const struct postings_plan plan = {
			"corner", 2, 1, POSTINGS_SHARE, 3, 0, 1, 1, 0, 0, false};
		uint64_t key = 77;
		struct postings_load load;

		print_message("  %s\n", cases[i].name);
		postings_load_begin(&load, &plan);
		if (cases[i].late > 0) {
			assert_int_equal(dit_postings_note_late(load.postings,
			                                        cases[i].late,
			                                        cases[i].late_next),
			                 0);
		}
		for (unsigned k = 0; k < 2 * cases[i].nids; k++) {
			assert_int_equal(dit_postings_push(load.postings, 0, k % 2,
			                                   cases[i].ids[k / 2], &key, 1),
			                 0);
		}
		assert_int_equal(dit_postings_finish(load.postings), 0);
		for (unsigned s = 0; s < 2; s++) {
			struct dit_posting_cursor *cursor = NULL;
			struct dit_posting_list list = {0};

			assert_int_equal(
				dit_posting_cursor_open(&cursor, load.postings, s, 0), 0);
			assert_int_equal(dit_posting_cursor_next(cursor, &list, 1), 1);
			assert_int_equal(list.nids, 3);
			assert_memory_equal(list.ids, cases[i].expected, 24);
			dit_posting_cursor_close(cursor);
		}
		postings_load_end(&load);
	}
}

/** Where all is in memory, lists come many at a time, up to a range, whose IDs have no
 * place of their own. */
TEST(lists_in_memory_come_in_batches)
{
	static const struct postings_plan plan = {"batch", 2, 1, POSTINGS_SHARE, 3, 0, 1,
	                                          1,       0, 0, false};
	static const size_t want[] = {4, 5, 1, 0};
	struct dit_posting_cursor *cursor = NULL;
	struct dit_posting_list lists[5];
	struct postings_load load;

	postings_load_begin(&load, &plan);
	/* Keys 0 to 9; key 3 has four IDs, which make a range. Key 6 is twice in an
	 * entry. */
	for (uint64_t key = 0; key < 10; key++) {
		for (uint64_t id = 1; id <= (key == 3 ? 4 : 2); id++) {
			uint64_t keys[] = {key, key};

			assert_int_equal(dit_postings_push(load.postings, 0, 0, id, keys,
			                                   key == 6 ? 2 : 1),
			                 0);
		}
	}
	assert_int_equal(dit_postings_finish(load.postings), 0);
	assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 0, 0), 0);
	for (size_t i = 0, key = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(dit_posting_cursor_next(cursor, lists, 5), want[i]);
		for (size_t k = 0; k < want[i]; k++, key++) {
			assert_int_equal(lists[k].ordinal, key);
			assert_int_equal(lists[k].nids, key == 3 ? 3 : 2);
			assert_int_equal(lists[k].ids[0], key == 3 ? 0 : 1);
			assert_int_equal(lists[k].is_repeated, key == 6);
		}
	}
	dit_posting_cursor_close(cursor);
	postings_load_end(&load);
}

TEST(ids_of_late_entries_keep_their_input_order)
{
	/* 3 and 2 both took a hole before 9 came: 2 was the last. */
	static const uint64_t order[] = {3, 2};
	uint64_t key = 1;

	for (unsigned repeated = 2; repeated <= 3; repeated++) {
		static const struct postings_plan plan = {
			"late", 1, 1, POSTINGS_SHARE, 2, 0, 1, 1, 0, 0, false};
		struct dit_posting_cursor *cursor = NULL;
		struct dit_posting_list list = {0};
		struct postings_load load;

		postings_load_begin(&load, &plan);
		for (unsigned i = 0; i < 2; i++) {
			assert_int_equal(
				dit_postings_note_late(load.postings, order[i], 9), 0);
			for (unsigned k = 0; k < (order[i] == repeated ? 2 : 1); k++) {
				assert_int_equal(dit_postings_push(load.postings, 0, 0,
				                                   order[i], &key, 1),
				                 0);
			}
		}
		assert_int_equal(dit_postings_finish(load.postings), 0);
		assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 0, 0),
		                 0);
		assert_int_equal(dit_posting_cursor_next(cursor, &list, 1), 1);
		assert_int_equal(list.ids[0] == 0, repeated == 2);
		dit_posting_cursor_close(cursor);
		postings_load_end(&load);
	}
}

TEST(options_out_of_range_are_refused)
{
	struct dit_postings_opts good = {
		.shared = {.nthreads = 2, .tmpdir = test_tmp_dir()},
		.memory_bytes = 2 * POSTINGS_SHARE,
		.list_max = 3};
	struct dit_postings_opts bad = good;
	struct dit_postings *postings = NULL;

	bad.shared.nthreads = 0;
	assert_int_equal(dit_postings_new(&postings, &bad), -EINVAL);
	bad = good;
	bad.memory_bytes--;
	assert_int_equal(dit_postings_new(&postings, &bad), -EINVAL);
	bad = good;
	bad.list_max = 0;
	assert_int_equal(dit_postings_new(&postings, &bad), -EINVAL);
	assert_int_equal(dit_postings_new(&postings, &good), 0);
	dit_postings_free(postings);
	dit_postings_free(NULL);
}

TEST(ids_out_of_range_are_refused_and_the_error_sticks)
{
	static const struct {
		unsigned stream;
		uint64_t id;
		int error;
	} cases[] = {
		{0, 0, -EINVAL},
		{0, UINT32_MAX, 0},
		{0, (uint64_t)UINT32_MAX + 1, -EOVERFLOW},
		{1, (uint64_t)UINT32_MAX + 1, 0},
		{1, ((uint64_t)1 << 48) - 1, 0},
		{1, (uint64_t)1 << 48, -EOVERFLOW},
	};
	static const struct postings_plan plan = {
		"ids", 2, 2, 2 * POSTINGS_SHARE, 3, 0, 1, 1, 0, 0, false};
	uint64_t key = 5;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct postings_load load;

		postings_load_begin(&load, &plan);
		assert_int_equal(dit_postings_push(load.postings, 0, cases[i].stream,
		                                   cases[i].id, &key, 1),
		                 cases[i].error);
		assert_int_equal(dit_postings_push(load.postings, 0, 0, 1, &key, 1),
		                 cases[i].error);
		assert_int_equal(dit_postings_push(load.postings, 1, 0, 1, &key, 1), 0);
		assert_int_equal(dit_postings_finish(load.postings), cases[i].error);
		postings_load_end(&load);
	}
}

/* Pairs in memory stay until each part is closed. */
TEST(a_part_opens_once_and_the_last_one_gives_memory_back)
{
	static const struct postings_plan plan = {"parts", 1, 1, POSTINGS_SHARE, 3, 10, 5,
	                                          1,       0, 0, false};
	struct dit_posting_cursor *cursors[2] = {NULL};
	struct dit_posting_cursor *cursor = NULL;
	struct postings_load load;

	postings_load_begin(&load, &plan);
	postings_load_run(&load, postings_load_push, 1);
	assert_int_equal(dit_postings_finish(load.postings), 0);
	postings_load_cut(&load, 2);
	assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 0, 2), -EINVAL);
	for (unsigned i = 0; i < 2; i++) {
		const struct dit_producer *producer = load.postings->producers[0];

		assert_true(producer->buckets[0].npairs > 0);
		assert_int_equal(
			dit_posting_cursor_open(&cursors[i], load.postings, 0, i), 0);
		assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 0, i),
		                 -EINVAL);
	}
	dit_posting_cursor_close(cursors[0]);
	assert_true(load.postings->producers[0]->buckets[0].npairs > 0);
	dit_posting_cursor_close(cursors[1]);
	assert_int_equal(load.postings->producers[0]->buckets[0].npairs, 0);
	postings_load_end(&load);
}

TEST(a_stream_opens_once_and_only_after_the_last_push)
{
	static const struct postings_plan plan = {"open", 1, 1, POSTINGS_SHARE, 3, 10, 5,
	                                          1,      0, 0, false};
	struct dit_posting_cursor *cursor = NULL;
	struct postings_load load;

	postings_load_begin(&load, &plan);
	assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 0, 0), -EINVAL);
	postings_load_run(&load, postings_load_push, 1);
	assert_int_equal(dit_postings_finish(load.postings), 0);
	assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 1, 0), -EINVAL);
	assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 0, 0), 0);
	dit_posting_cursor_close(cursor);
	assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 0, 0), -EINVAL);
	dit_posting_cursor_close(NULL);
	postings_load_end(&load);
}
