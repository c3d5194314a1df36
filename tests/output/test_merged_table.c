/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables that get more lists (merged_table.h), next to those into which liblmdb inserts
 * the same:
 * - the same records, round by round, with lists of all lengths, short and long keys, IDs
 *   above and below those that are stored, ranges that come into being;
 * - the file is sound to the last page and counter;
 * - a damaged page is an error, or does no harm.
 */
#include "test.h"

#include <fcntl.h>
#include <lmdb.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "output/guard.h"
#include "output/output.h"
#include "store_fixture.h"

#define LIST_MAX  3000
#define NINDEXES  3
#define NKEYS     4000
#define IDS_MAX   2500
#define ROUNDS    6
#define NDAMAGED  150
#define FILE_PAGE 4096

static const struct {
	const char *name;
	bool is_integerkey;
} indexes[NINDEXES] = {{"cn", true}, {"mail", false}, {"sn", false}};

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

static struct dit_record_output *open_output(const char *dir, enum dit_output_merge way)
{
	struct dit_output_opts opts = {.directory = dir,
	                               .mode = 0600,
	                               .ndbs = 16,
	                               .maxsize_bytes = FIXTURE_MAXSIZE,
	                               .list_max = LIST_MAX,
	                               .writer = DIT_WRITER_DEFAULT,
	                               .merge = way};
	struct dit_record_output *output = NULL;

	assert_int_equal(dit_output_open(&output, &opts), 0);
	for (size_t i = 0; i < NINDEXES; i++) {
		struct dit_output_index index = {.name = indexes[i].name,
		                                 .is_integerkey =
		                                         indexes[i].is_integerkey};

		assert_int_equal(dit_output_add_index(&output->base, &index), 0);
	}
	return output;
}

/* Keys of the third index are up to 400 bytes long: few of them fit a branch page. */
static struct dit_span key_of(size_t number, unsigned k, char *out)
{
	size_t len = number == 2 ? 4 + (k * 7919u) % 400 : 4;

	memset(out, 'x', len);
	out[0] = (char)(k >> 24);
	out[1] = (char)(k >> 16);
	out[2] = (char)(k >> 8);
	out[3] = (char)k;
	if (number == 0) {
		memcpy(out, &k, sizeof(k));
	}
	return (struct dit_span){out, len};
}

/* How many IDs a key gets in a round; most keys none. */
static size_t ids_of(unsigned k, unsigned round, unsigned *seed)
{
	if (round == 0) {
		return k % 2 == 0 ? 0 : k % 97 == 1 ? 900 : k % 31 == 3 ? 100 : 1 + k % 3;
	}
	if (next_random(seed) % 40 != 0) {
		return 0;
	}
	return k % 97 == 1 ? 700 : 1 + next_random(seed) % 5;
}

static int put_index(struct dit_record_output *output, size_t number, unsigned round)
{
	/* In the fourth round IDs lie between those that are stored. */
	uint64_t first = round == 3 ? 2 : 10 + (uint64_t)round * 4 * IDS_MAX;
	struct dit_output_table *table = NULL;
	uint64_t *ids = calloc(IDS_MAX, sizeof(*ids));
	unsigned seed = round + 1;
	char key[512];
	int r = dit_output_open_index(&output->base, number, &table);

	for (unsigned k = 0; k < NKEYS && r == 0; k++) {
		struct dit_output_list list = {.key = key_of(number, k, key),
		                               .ids = ids,
		                               .nids = ids_of(k, round, &seed),
		                               .is_repeated = k % 5 == 0};

		for (size_t i = 0; i < list.nids; i++) {
			ids[i] = first + 4 * i + (round == 3 ? 1 : 0);
		}
		r = list.nids == 0 ? 0 : dit_output_put_lists(table, &list, 1);
	}
	if (r == 0) {
		r = dit_output_finish(table);
	} else if (table != NULL) {
		dit_output_drop(table);
	}
	free(ids);
	return r;
}

static int put_round(struct dit_record_output *output, unsigned round)
{
	void *space = NULL;
	int r = dit_output_reserve_entry(output, 1 + round, 5, &space);

	if (r == 0) {
		memcpy(space, "entry", 5);
		r = dit_output_begin_indexes(output);
	}
	for (size_t number = 0; number < NINDEXES && r == 0; number++) {
		r = put_index(output, number, round);
	}
	return r;
}

static int publish(struct dit_record_output *output)
{
	int r = dit_output_prepare(&output->base);

	return r < 0 ? r : dit_output_commit(&output->base);
}

static void make(const char *dir)
{
	struct dit_record_output *output = open_output(dir, DIT_MERGE_DEFAULT);

	assert_int_equal(put_round(output, 0), 0);
	assert_int_equal(dit_output_begin_changes(output), 0);
	assert_int_equal(publish(output), 0);
	assert_int_equal(dit_output_place(&output->base), 0);
	assert_int_equal(dit_output_end(&output->base), 0);
}

/* @return 0, or why the database is what it was */
static int add_round(const char *dir, enum dit_output_merge way, unsigned round)
{
	struct dit_record_output *output = open_output(dir, way);
	int r = dit_output_expect_postings(output, 1000);

	assert_true(r < 0 || output->indexes_last == (way != DIT_MERGE_INSERT));
	if (r == 0) {
		r = put_round(output, round);
	}
	if (r == 0) {
		r = publish(output);
	}
	if (r < 0) {
		dit_output_abandon(&output->base);
		return r;
	}
	assert_int_equal(dit_output_place(&output->base), 0);
	return dit_output_end(&output->base);
}

static size_t assert_same(const char *first, const char *second, const char *name)
{
	struct dit_snapshot *snapshots[2] = {NULL, NULL};
	struct dit_scan *scans[2] = {NULL, NULL};
	struct dit_span keys[2];
	struct dit_span values[2];
	size_t n = 0;

	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(
			dit_snapshot_open(&snapshots[i], i == 0 ? first : second), 0);
		assert_int_equal(dit_scan_open(&scans[i], snapshots[i], name), 0);
	}
	for (; dit_scan_next(scans[0], &keys[0], &values[0]) > 0; n++) {
		assert_int_equal(dit_scan_next(scans[1], &keys[1], &values[1]), 1);
		assert_true(dit_span_eq(keys[0], keys[1]));
		assert_true(dit_span_eq(values[0], values[1]));
	}
	assert_int_equal(dit_scan_next(scans[1], &keys[1], &values[1]), 0);
	for (unsigned i = 0; i < 2; i++) {
		dit_scan_close(scans[i]);
		dit_snapshot_close(snapshots[i]);
	}
	return n;
}

static int open_data(const char *dir, int flags)
{
	char path[512];
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/data.mdb", dir);
	fd = open(path, flags | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void assert_sound(const char *dir)
{
	struct dit_fault fault = {.text = ""};
	int fd = open_data(dir, O_RDONLY);

	if (dit_guard_whole(fd, NULL, &fault) != 0) {
		fail_msg("%s", fault.text);
	}
	(void)close(fd);
}

static void merged_tables_hold_what_liblmdb_would_have_inserted(void **state)
{
	char *inserted = test_scratch();
	char *grown = test_scratch();

	(void)state;
	make(inserted);
	make(grown);
	for (unsigned round = 1; round < ROUNDS; round++) {
		assert_int_equal(add_round(inserted, DIT_MERGE_INSERT, round), 0);
		assert_int_equal(add_round(grown, DIT_MERGE_GROW, round), 0);
		assert_sound(grown);
		for (size_t i = 0; i < NINDEXES; i++) {
			assert_true(assert_same(inserted, grown, indexes[i].name) >
			            20000);
		}
		assert_int_equal(assert_same(inserted, grown, "id2e"), 1 + round);
	}
	test_scratch_remove(inserted);
	test_scratch_remove(grown);
}

/* Afterwards liblmdb changes pages that we have made. */
static void liblmdb_goes_on_with_merged_tables(void **state)
{
	char *inserted = test_scratch();
	char *mixed = test_scratch();

	(void)state;
	make(inserted);
	make(mixed);
	for (unsigned round = 1; round < ROUNDS; round++) {
		assert_int_equal(add_round(inserted, DIT_MERGE_INSERT, round), 0);
		assert_int_equal(
			add_round(mixed,
		                  round % 2 == 0 ? DIT_MERGE_INSERT : DIT_MERGE_GROW,
		                  round),
			0);
	}
	assert_sound(mixed);
	for (size_t i = 0; i < NINDEXES; i++) {
		assert_true(assert_same(inserted, mixed, indexes[i].name) > 20000);
	}
	test_scratch_remove(inserted);
	test_scratch_remove(mixed);
}

/* A word of a page of the indexes is another one. */
static void damage(int fd, off_t npages, unsigned *seed)
{
	off_t page = 2 + (off_t)(next_random(seed) % (unsigned)(npages - 2));
	unsigned places = next_random(seed) % 2 == 0 ? 40 : FILE_PAGE;
	off_t at = page * FILE_PAGE + (off_t)(next_random(seed) % (places / 2) * 2);
	uint16_t word = (uint16_t)next_random(seed);

	assert_int_equal(pwrite(fd, &word, sizeof(word), at), sizeof(word));
}

static void a_damaged_page_is_an_error_or_does_no_harm(void **state)
{
	char *dir = test_scratch();
	unsigned nrefused = 0;
	unsigned seed = 7;
	off_t size = 0;
	char *bytes = NULL;
	int fd = -1;

	(void)state;
	make(dir);
	assert_int_equal(add_round(dir, DIT_MERGE_GROW, 1), 0);
	fd = open_data(dir, O_RDWR);
	size = lseek(fd, 0, SEEK_END);
	bytes = malloc((size_t)size);
	assert_non_null(bytes);
	assert_int_equal(pread(fd, bytes, (size_t)size, 0), size);
	for (unsigned i = 0; i < NDAMAGED; i++) {
		struct dit_output_opts opts = {.directory = dir,
		                               .mode = 0600,
		                               .ndbs = 16,
		                               .maxsize_bytes = FIXTURE_MAXSIZE,
		                               .list_max = LIST_MAX,
		                               .writer = DIT_WRITER_DEFAULT,
		                               .merge = DIT_MERGE_GROW};
		struct dit_record_output *output = NULL;

		damage(fd, size / FILE_PAGE, &seed);
		if (dit_output_open(&output, &opts) == 0) {
			dit_output_abandon(&output->base);
			nrefused += add_round(dir, DIT_MERGE_GROW, 2) < 0;
		}
		assert_int_equal(pwrite(fd, bytes, (size_t)size, 0), size);
		assert_int_equal(ftruncate(fd, size), 0);
	}
	assert_true(nrefused > 5);
	assert_int_equal(add_round(dir, DIT_MERGE_GROW, 2), 0);
	assert_sound(dir);
	free(bytes);
	(void)close(fd);
	test_scratch_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merged_tables_hold_what_liblmdb_would_have_inserted),
		cmocka_unit_test(liblmdb_goes_on_with_merged_tables),
		cmocka_unit_test(a_damaged_page_is_an_error_or_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
