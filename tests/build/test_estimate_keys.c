/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of estimated index sizes: of a sample of 2,000 of 100,000 entries, the numbers
 * of postings and of different keys are those of the whole within a third, whether each
 * entry has a key of its own, some share one, or all do; long lists take no more room
 * than a range; keys that do not fit the memory go to temporary files.
 */
#include "build/estimate_keys.h"

#include "builders_fixture.h"

#define NENTRIES 100000u
#define WEIGHT   50
#define WINDOW   40 /* entries of a window are neighbours */

static const struct dit_estimate_keys_end usual = {
	.pages = {.format = &dit_lmdb_09, .page_bytes = 4096, .list_max = 65535},
	.postings_bytes = 64 << 20,
	.nproducers = 1};

/* Entry i has a key of its own, or one of those that so many entries share. */
static struct dit_estimate_database estimate(struct fixture *f, unsigned share,
                                             const struct dit_estimate_keys_end *end,
                                             struct dit_estimate_keys_sizes *sizes)
{
	struct dit_index_set *set = five_databases(f);
	struct dit_estimate_database database = {.nentries = 0};
	struct dit_estimate_keys keys;

	assert_int_equal(dit_estimate_keys_init(&keys, set), 0);
	for (unsigned i = 0; i < NENTRIES; i++) {
		uint64_t key = i;

		if (share > 1) {
			key = (uint64_t)i * 0x9e3779b97f4a7c15u >> 20;
			key = (key * key >> 24) % (NENTRIES / share);
		}

		if (i % (WINDOW * WEIGHT) < WINDOW) {
			dit_estimate_keys_begin(&keys, WEIGHT, i / (WINDOW * WEIGHT));
			assert_int_equal(dit_estimate_keys_push(&keys, INT32, &key, 1),
			                 0);
		}
	}
	assert_int_equal(dit_estimate_keys_end(&keys, end, &database, sizes), 0);
	dit_estimate_keys_deinit(&keys);
	dit_index_set_free(set);
	return database;
}

static void drop(struct dit_estimate_database *database)
{
	for (size_t i = 0; i < database->nindexes; i++) {
		free(database->indexes[i].name);
	}
	free(database->indexes);
}

static void keys_and_pages_are_those_of_the_whole(void **state)
{
	static const struct {
		unsigned share;
		double bytes; /* of the index database */
	} cases[] = {
		{1, 100000 * 22 / 0.99},
		{5, 20000 * (10 + 4 + 16 + 40) / 0.98},
		{1000, 100000 * 8},
		{NENTRIES, 4096},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_estimate_keys_sizes sizes;
		struct dit_estimate_database database =
			estimate(*state, cases[i].share, &usual, &sizes);
		const struct dit_estimate_index *index = &database.indexes[INT32];
		uint64_t nkeys = NENTRIES / cases[i].share;

		print_message("%u entries share a key: %llu keys, %llu bytes\n",
		              cases[i].share, (unsigned long long)index->nkeys,
		              (unsigned long long)index->bytes);
		assert_int_equal(index->npostings, NENTRIES);
		assert_in_range(index->nkeys, nkeys * 2 / 3, nkeys * 4 / 3);
		assert_true((double)index->bytes >= cases[i].bytes * 2 / 3);
		assert_true((double)index->bytes <= cases[i].bytes * 4 / 3);
		assert_true(sizes.sort.run_bytes == 0);
		drop(&database);
	}
}

static void a_key_that_an_entry_repeats_is_one_id(void **state)
{
	struct dit_index_set *set = five_databases(*state);
	struct dit_estimate_database database = {.nentries = 0};
	struct dit_estimate_keys_sizes sizes;
	struct dit_estimate_keys keys;
	const uint64_t key = 1;

	assert_int_equal(dit_estimate_keys_init(&keys, set), 0);
	dit_estimate_keys_begin(&keys, 1, 0);
	for (unsigned i = 0; i < NENTRIES; i++) {
		assert_int_equal(dit_estimate_keys_push(&keys, INT32, &key, 1), 0);
	}
	assert_int_equal(dit_estimate_keys_end(&keys, &usual, &database, &sizes), 0);
	assert_int_equal(database.indexes[INT32].npostings, NENTRIES);
	assert_int_equal(database.indexes[INT32].nkeys, 1);
	assert_int_equal(database.indexes[INT32].bytes, 4096);
	drop(&database);
	dit_estimate_keys_deinit(&keys);
	dit_index_set_free(set);
}

static void little_memory_means_temporary_files(void **state)
{
	struct dit_estimate_keys_end end = usual;
	struct dit_estimate_keys_sizes sizes;
	struct dit_estimate_database database;

	end.postings_bytes = 256 << 10;
	database = estimate(*state, 1, &end, &sizes);
	assert_true(sizes.sort.run_bytes > NENTRIES);
	assert_true(sizes.sort.memory_bytes <= (double)end.postings_bytes);
	drop(&database);
}

static void long_values_have_pages_of_their_own(void **state)
{
	struct dit_node_sum sum = {.nnodes = 0};

	(void)state;
	dit_node_sum_add(&sum, &usual.pages, 100, 1000);
	/* 37 nodes of 110 bytes fit a page. */
	assert_in_range((uint64_t)dit_node_sum_pages(&sum, &usual.pages), 27, 31);
	dit_node_sum_add(&sum, &usual.pages, 100000, 2);
	assert_in_range((uint64_t)dit_node_sum_pages(&sum, &usual.pages), 77, 81);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_and_pages_are_those_of_the_whole),
		cmocka_unit_test(a_key_that_an_entry_repeats_is_one_id),
		cmocka_unit_test(little_memory_means_temporary_files),
		cmocka_unit_test(long_values_have_pages_of_their_own),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
