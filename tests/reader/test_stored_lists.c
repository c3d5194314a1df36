/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lists of a stored index (stored_lists.h) are those that liblmdb put there: one ID,
 * a few inside of a node, a tree of them. A damaged file is an error, and nothing else.
 */
#include "commit/commit_fixture.h"

#include <unistd.h>

#include "base/error.h"
#include "reader/stored_lists.h"

struct reading {
	struct dit_page_commit *commit;
	struct dit_stored_lists *lists;
	int fd;
};

static int begin_reading(const struct fixture *fixture, struct reading *reading)
{
	struct dit_tree_source source;
	struct dit_tree_record tree;
	int r = 0;

	*reading = (struct reading){.fd = -1};
	r = open_commit(fixture, 0, DIT_COMMIT_ALONE, &reading->commit, &reading->fd);
	if (r < 0) {
		return r;
	}
	source = dit_page_commit_source(reading->commit);
	assert_int_equal(dit_page_commit_find(reading->commit, DIT_SPAN("cn"), &tree), 1);
	return dit_stored_lists_open(&reading->lists, &source, &tree);
}

static void end_reading(struct reading *reading)
{
	dit_stored_lists_close(reading->lists);
	dit_page_commit_close(reading->commit);
	if (reading->commit != NULL) {
		(void)close(reading->fd);
	}
}

static void lists_are_those_that_liblmdb_put(void **state)
{
	struct fixture fixture;
	struct reading reading;
	struct dit_stored_list list = {0};

	(void)state;
	fixture_make(&fixture);
	assert_int_equal(begin_reading(&fixture, &reading), 0);
	for (unsigned k = 0; k < NKEYS; k++) {
		char key[4];

		make_key(k, key);
		assert_int_equal(dit_stored_lists_next(reading.lists, &list), 1);
		assert_true(dit_span_eq(list.key, (struct dit_span){key, sizeof(key)}));
		assert_int_equal(list.nids, nids_of(k));
		for (size_t i = 0; i < list.nids; i++) {
			assert_int_equal(list.ids[i], id_of(0, k, i));
		}
	}
	assert_int_equal(dit_stored_lists_next(reading.lists, &list), 0);
	assert_int_equal(dit_stored_lists_next(reading.lists, &list), 0);
	end_reading(&reading);
	dit_stored_lists_close(NULL);
	fixture_remove(&fixture);
}

static void an_empty_index_has_no_lists(void **state)
{
	struct dit_tree_record tree = {.root = DIT_PAGE_NONE};
	struct dit_tree_source source;
	struct dit_stored_lists *lists = NULL;
	struct dit_stored_list list = {0};
	struct fixture fixture;
	struct reading reading;

	(void)state;
	fixture_make(&fixture);
	assert_int_equal(begin_reading(&fixture, &reading), 0);
	source = dit_page_commit_source(reading.commit);
	assert_int_equal(dit_stored_lists_open(&lists, &source, &tree), 0);
	assert_int_equal(dit_stored_lists_next(lists, &list), 0);
	dit_stored_lists_close(lists);
	tree = (struct dit_tree_record){.root = 5, .depth = 99};
	assert_int_equal(dit_stored_lists_open(&lists, &source, &tree), DIT_E_CORRUPT);
	end_reading(&reading);
	fixture_remove(&fixture);
}

/* Read all. The number of lists, or an error */
static int read_all(const struct fixture *fixture)
{
	struct dit_stored_list list = {0};
	struct reading reading;
	int r = begin_reading(fixture, &reading);
	int n = 0;

	while (r == 0) {
		r = dit_stored_lists_next(reading.lists, &list);
		if (r <= 0) {
			break;
		}
		n++;
		r = 0;
	}
	end_reading(&reading);
	return r < 0 ? r : n;
}

/* The first bytes of each page, one after the other, are others. */
static void damage_is_an_error(void **state)
{
	struct fixture fixture;
	unsigned nerrors = 0;
	unsigned npages = 0;
	int fd = -1;

	(void)state;
	fixture_make(&fixture);
	npages = (unsigned)(file_bytes(&fixture) / PAGE);
	fd = open(fixture.path, O_RDWR);
	assert_true(fd >= 0);
	for (unsigned page = 2; page < npages; page++) {
		unsigned at = page * 7 % 48;
		unsigned char byte = 0;
		unsigned char other = 0;
		off_t place = (off_t)page * PAGE + at;
		int r = 0;

		assert_int_equal(pread(fd, &byte, 1, place), 1);
		other = (unsigned char)(byte ^ (page % 3 == 0 ? 0xff : 1u << page % 8));
		assert_int_equal(pwrite(fd, &other, 1, place), 1);
		r = read_all(&fixture);
		assert_true(r > 0 || r == DIT_E_CORRUPT);
		nerrors += r < 0;
		assert_int_equal(pwrite(fd, &byte, 1, place), 1);
	}
	(void)close(fd);
	assert_int_equal(read_all(&fixture), NKEYS);
	assert_true(nerrors > 10);
	print_message("  %u of %u damaged pages are errors\n", nerrors, npages);
	fixture_remove(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_those_that_liblmdb_put),
		cmocka_unit_test(an_empty_index_has_no_lists),
		cmocka_unit_test(damage_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
