/* SPDX-License-Identifier: BSD-2-Clause */
/* Contract of scan/known.h: entries are found by their sums, whoever pushed them. */
#include "test.h"

#include <errno.h>
#include <pthread.h>

#include "nomem.h"
#include "scan/known.h"

#define NMOST 3000

static struct dit_sum128 sum_of(uint64_t id, uint64_t seed)
{
	return dit_sum128_of((struct dit_span){(const char *)&id, sizeof(id)}, seed);
}

/* IDs 1 to n. 0 or -ENOMEM */
static int fill(struct dit_known **ret, uint64_t n)
{
	const struct dit_entry_sum_rule rule = {.seed = 5};
	int r = dit_known_new(ret, n, &rule);

	for (uint64_t id = 1; id <= n && r == 0; id++) {
		struct dit_sum128 sum = sum_of(id, 5);

		dit_known_push(*ret, id, &sum, id + 1);
	}
	return r;
}

static void *push_half(void *known)
{
	static _Atomic uint64_t half;
	uint64_t first = ++half;

	for (uint64_t id = first; id <= NMOST; id += 2) {
		struct dit_sum128 sum = sum_of(id, 5);

		dit_known_push(known, id, &sum, 0);
	}
	return NULL;
}

TEST(two_threads_push_at_once)
{
	const struct dit_entry_sum_rule rule = {.seed = 5};
	struct dit_known *known = NULL;
	pthread_t threads[2];

	assert_int_equal(dit_known_new(&known, NMOST, &rule), 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, push_half, known), 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	}
	for (uint64_t id = 1; id <= NMOST; id++) {
		struct dit_sum128 sum = sum_of(id, 5);

		assert_int_equal(dit_known_find(known, &sum, 0), id);
	}
	dit_known_free(known);
}

TEST(entries_for_which_there_is_no_room_are_not_known)
{
	const struct dit_entry_sum_rule rule = {.seed = 5};
	struct dit_known *known = NULL;
	uint64_t nfound = 0;

	assert_int_equal(dit_known_new(&known, 100, &rule), 0);
	for (uint64_t id = 1; id <= NMOST; id++) {
		struct dit_sum128 sum = sum_of(id, 5);

		dit_known_push(known, id, &sum, 0);
	}
	for (uint64_t id = 1; id <= NMOST; id++) {
		struct dit_sum128 sum = sum_of(id, 5);
		uint64_t found = dit_known_find(known, &sum, 0);

		assert_true(found == 0 || found == id);
		nfound += found != 0;
	}
	assert_in_range(nfound, 100, NMOST - 1);
	dit_known_free(known);
}

/* A file may say that it has any number of entries. */
TEST(more_entries_than_memory_are_an_error)
{
	const struct dit_entry_sum_rule rule = {.seed = 5};
	struct dit_known *known = NULL;

	assert_true(dit_known_bytes(UINT64_MAX) > SIZE_MAX / 4);
	assert_int_equal(dit_known_new(&known, UINT64_MAX, &rule), -ENOMEM);
}

TEST(each_entry_is_found_and_no_other)
{
	static const uint64_t sizes[] = {0, 1, 2, 7, 8, 9, 100, NMOST};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct dit_known *known = NULL;

		assert_int_equal(fill(&known, sizes[i]), 0);
		assert_int_equal(dit_known_rule(known)->seed, 5);
		for (uint64_t id = 1; id <= NMOST; id++) {
			struct dit_sum128 sum = sum_of(id, 5);
			struct dit_sum128 half = {.high = sum.high, .low = ~sum.low};
			struct dit_sum128 other = sum_of(id, 6);

			assert_int_equal(dit_known_find(known, &sum, 0),
			                 id <= sizes[i] ? id : 0);
			assert_int_equal(dit_known_find(known, &sum, id + 1),
			                 id <= sizes[i] ? id : 0);
			assert_int_equal(dit_known_find(known, &sum, id), 0);
			assert_int_equal(dit_known_find(known, &half, 0), 0);
			assert_int_equal(dit_known_find(known, &other, 0), 0);
		}
		dit_known_free(known);
	}
}

TEST(twins_have_ids_of_their_own)
{
	struct dit_known *known = NULL;

	assert_int_equal(fill(&known, 10), 0);
	assert_int_equal(dit_known_twin(known, 0), 0);
	assert_int_equal(dit_known_twin(known, 1000), 0);
	for (uint64_t own = 1000; own > 0; own -= 2) {
		assert_int_equal(dit_known_note(known, own, own * own), 0);
	}
	for (uint64_t own = 1; own <= 1000; own++) {
		assert_int_equal(dit_known_twin(known, own),
		                 own % 2 == 0 ? own * own : 0);
	}
	assert_int_equal(dit_known_twin(known, UINT64_MAX), 0);
	dit_known_free(known);
}

static int fill_and_note(void)
{
	struct dit_known *known = NULL;
	int r = fill(&known, 300);

	r = r < 0 ? r : dit_known_note(known, 5, 5);
	dit_known_free(known);
	return r;
}

TEST(memory_that_runs_out_is_an_error)
{
	(void)calls_until_memory(fill_and_note());
}
