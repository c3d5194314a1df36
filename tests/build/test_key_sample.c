/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the lengths of lists from a sample: of made-up directories of which one
 * window in some was seen, the number of keys and the size of the index are right within
 * a fifth: keys that are all different, few values, many values of some entries, values
 * that stand together, and mixtures. Of a whole directory they are exact.
 */
#include <stdlib.h>

#include "build/estimate_size.h"
#include "build/key_sample.h"
#include "test.h"

#define WINDOW 64 /* entries */

struct shape {
	const char *name;
	uint64_t (*key)(unsigned entry, unsigned n);
	unsigned nentries;
	unsigned keys_of_entry;
	/* How far off the size may be. Of keys that stand together a window sees a part
	 * of the list; 200 IDs lie inside a node, 300 in a page of their own. And a small
	 * sample cannot tell keys of two entries from keys of one. */
	double error;
};

static uint64_t mix(uint64_t n)
{
	n = (n ^ n >> 31) * 0x9e3779b97f4a7c15u;
	return n ^ n >> 29;
}

static uint64_t all_different(unsigned entry, unsigned n)
{
	return mix(entry * 64ull + n);
}

static uint64_t few(unsigned entry, unsigned n)
{
	return mix(mix(entry * 64ull + n) % 20);
}

static uint64_t some(unsigned entry, unsigned n)
{
	return mix(mix(entry * 64ull + n) % 5000);
}

static uint64_t many(unsigned entry, unsigned n)
{
	return mix(mix(entry * 64ull + n) % 60000);
}

/* 300 neighbours have the same one. */
static uint64_t together(unsigned entry, unsigned n)
{
	return mix(entry / 300 + (uint64_t)n * 1000000);
}

/* Substrings of names with a serial number. */
static uint64_t mixture(unsigned entry, unsigned n)
{
	return n % 4 == 0   ? all_different(entry, n)
	       : n % 4 == 1 ? few(entry, n)
	       : n % 4 == 2 ? many(entry, n)
	                    : together(entry, n);
}

static const struct shape shapes[] = {
	{"all different", all_different, 100000, 1, 0.2},
	{"few", few, 100000, 2, 0.2},
	{"some", some, 100000, 2, 0.2},
	{"many", many, 100000, 3, 0.2},
	{"together", together, 100000, 1, 0.35},
	{"mixture", mixture, 60000, 8, 0.35},
};

struct truth {
	double nkeys;
	double pages;
};

static const struct dit_page_model model = {.format = &dit_lmdb_09,
                                            .page_bytes = 4096,
                                            .list_max = 65535};

/* Every step-th window. */
static struct dit_key_sample *take_sample(const struct shape *shape, unsigned step)
{
	struct dit_key_sample *sample = NULL;

	assert_int_equal(dit_key_sample_new(&sample, 1), 0);
	for (unsigned i = 0; i < shape->nentries; i++) {
		if (i / WINDOW % step != 0) {
			continue;
		}
		assert_int_equal(dit_key_sample_begin(sample, step, i / WINDOW), 0);
		for (unsigned k = 0; k < shape->keys_of_entry; k++) {
			assert_int_equal(dit_key_sample_add(sample, 0, shape->key(i, k)),
			                 0);
		}
	}
	return sample;
}

static struct truth measure(const struct shape *shape, unsigned step)
{
	struct dit_key_sample *sample = take_sample(shape, step);
	struct dit_list_class *lists = NULL;
	ptrdiff_t n = dit_key_sample_lists(sample, 0, &lists);
	struct truth truth = {.nkeys = 0};

	assert_true(n > 0);
	for (ptrdiff_t i = 0; i < n; i++) {
		assert_true(lists[i].nids >= 1 && lists[i].ntogether >= 1);
		truth.nkeys += lists[i].nkeys;
	}
	truth.pages = dit_estimate_index_pages(&model, 4, lists, (size_t)n);
	assert_in_range((uint64_t)dit_key_sample_npostings(sample, 0),
	                (uint64_t)(0.95 * shape->nentries * shape->keys_of_entry),
	                (uint64_t)(1.05 * shape->nentries * shape->keys_of_entry));
	free(lists);
	dit_key_sample_free(sample);
	return truth;
}

static void sizes_are_nearly_right(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct truth truth = measure(&shapes[i], 1);

		for (unsigned step = 4; step <= 64; step *= 4) {
			struct truth guess = measure(&shapes[i], step);

			print_message(
				"%s, 1 in %u: keys %.0f of %.0f, pages %.0f of %.0f\n",
				shapes[i].name, step, guess.nkeys, truth.nkeys,
				guess.pages, truth.pages);
			assert_true(guess.pages >
			            (1 - shapes[i].error) * truth.pages - 1);
			assert_true(guess.pages <
			            (1 + shapes[i].error) * truth.pages + 1);
		}
	}
}

static void keys_are_counted_well_where_the_sample_tells(void **state)
{
	static const struct {
		unsigned shape;
		unsigned step;
	} cases[] = {{0, 16}, {1, 64}, {2, 16}, {3, 4}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct truth truth = measure(&shapes[cases[i].shape], 1);
		struct truth guess = measure(&shapes[cases[i].shape], cases[i].step);

		assert_true(guess.nkeys > 0.75 * truth.nkeys &&
		            guess.nkeys < 1.25 * truth.nkeys);
	}
}

static void a_whole_directory_is_counted(void **state)
{
	struct truth truth = measure(&shapes[0], 1);

	(void)state;
	assert_float_equal(truth.nkeys, 100000, 0.5);
	truth = measure(&shapes[1], 1);
	assert_float_equal(truth.nkeys, 20, 0.5);
}

/* More pairs than are kept: keys are left out, and the others stand for them. */
static void very_many_pairs(void **state)
{
	static const struct shape large = {"large", all_different, 400000, 4, 0.2};
	struct truth truth = measure(&large, 1);

	(void)state;
	assert_true(truth.nkeys > 1500000 && truth.nkeys < 1700000);
}

static void repeats_in_an_entry(void **state)
{
	struct dit_key_sample *sample = NULL;
	struct dit_list_class *lists = NULL;

	(void)state;
	assert_int_equal(dit_key_sample_new(&sample, 2), 0);
	assert_int_equal(dit_key_sample_begin(sample, 1, 0), 0);
	assert_int_equal(dit_key_sample_add(sample, 1, 7), 0);
	assert_int_equal(dit_key_sample_add(sample, 1, 7), 0);
	assert_int_equal(dit_key_sample_lists(sample, 0, &lists), 0);
	free(lists);
	assert_int_equal(dit_key_sample_lists(sample, 1, &lists), 1);
	assert_float_equal(lists[0].nids, 1, 0);
	assert_float_equal(dit_key_sample_npostings(sample, 1), 2, 0);
	free(lists);
	dit_key_sample_free(sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_nearly_right),
		cmocka_unit_test(keys_are_counted_well_where_the_sample_tells),
		cmocka_unit_test(a_whole_directory_is_counted),
		cmocka_unit_test(very_many_pairs),
		cmocka_unit_test(repeats_in_an_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
