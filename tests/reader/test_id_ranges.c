/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ranges of IDs hold every entry once, in trees that we wrote in both formats, in trees
 * that liblmdb wrote, and whatever lies between the IDs.
 */

#include "base/error.h"
#include "output/store_fixture.h"

#define NENTRIES 20000

/* Some IDs are missing, some entries are long. */
static uint64_t id_of(unsigned n)
{
	return n + 1 + n / 1000 * 5000;
}

static size_t len_of(unsigned n)
{
	return n % 997 == 0 ? 9000 : 8 + n % 37 * 16;
}

static char *written_by_us(void)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	char bytes[9000] = {0};

	for (unsigned n = 0; n < NENTRIES; n++) {
		fixture_put_entry(staging, id_of(n), bytes, len_of(n));
	}
	(void)fixture_publish(staging);
	return dir;
}

/* In an order that splits pages everywhere, with a third of the entries deleted again. */
static char *written_by_liblmdb(void)
{
	char *dir = test_scratch();
	char bytes[9000] = {0};
	MDB_env *env = test_env(dir, MDB_NOSYNC, FIXTURE_MAXSIZE);
	MDB_txn *txn = test_txn(env, 0);
	MDB_dbi dbi = test_dbi(txn, "id2e", MDB_CREATE | MDB_INTEGERKEY);

	for (unsigned i = 0; i < 2 * NENTRIES; i++) {
		unsigned n = (unsigned)((uint64_t)i * 7919 % NENTRIES);
		uint64_t id = id_of(n);
		MDB_val key = {sizeof(id), &id};
		MDB_val value = {len_of(n), bytes};

		if (i < NENTRIES) {
			assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
		} else if (n % 3 == 0) {
			assert_int_equal(mdb_del(txn, dbi, &key, NULL), 0);
		}
	}
	test_commit(txn);
	return dir;
}

static uint64_t id_at(struct dit_span key)
{
	uint64_t id = 0;

	assert_int_equal(key.len, sizeof(id));
	memcpy(&id, key.data, sizeof(id));
	return id;
}

/* Entries of a range; they go on where those of the ranges before ended. */
static unsigned check_range(struct dit_tree_cursor *cursor, struct dit_tree_cursor *all,
                            uint64_t first, uint64_t end)
{
	struct dit_span key;
	struct dit_span value;
	unsigned n = 0;

	for (int r = dit_tree_cursor_seek(
		     cursor, (struct dit_span){(const char *)&first, sizeof(first)}, &key,
		     &value);
	     r == 1 && id_at(key) < end; r = dit_tree_cursor_next(cursor, &key, &value)) {
		struct dit_span expected;

		assert_int_equal(dit_tree_cursor_next(all, &expected, &value), 1);
		assert_int_equal(id_at(key), id_at(expected));
		n++;
	}
	return n;
}

static void assert_ranges_hold_all(const char *dir, unsigned nleaves,
                                   size_t nranges_expected)
{
	struct dit_snapshot *snapshot = NULL;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_tree_cursor *all = NULL;
	struct dit_span key;
	struct dit_span value;
	uint64_t *firsts = NULL;
	size_t nranges = 0;

	assert_int_equal(fixture_open_snapshot(&snapshot, dir), 0);
	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, "id2e"), 0);
	assert_int_equal(dit_snapshot_cursor_open(&all, snapshot, 0, "id2e"), 0);
	assert_int_equal(dit_snapshot_id_ranges(snapshot, nleaves, &firsts, &nranges), 0);
	assert_true(nranges >= nranges_expected);
	assert_int_equal(firsts[0], 0);
	for (size_t i = 0; i < nranges; i++) {
		uint64_t end = i + 1 < nranges ? firsts[i + 1] : UINT64_MAX;

		assert_true(check_range(cursor, all, firsts[i], end) > 0);
	}
	assert_int_equal(dit_tree_cursor_next(all, &key, &value), 0);
	free(firsts);
	dit_tree_cursor_close(cursor);
	dit_tree_cursor_close(all);
	dit_snapshot_close(snapshot);
}

TEST(ranges_of_our_pages_hold_all)
{
	char *dir = written_by_us();

	assert_ranges_hold_all(dir, 1, 1000);
	assert_ranges_hold_all(dir, 16, 70);
	assert_ranges_hold_all(dir, 1u << 30, 1);
}

TEST_IN("LMDB 0.9", ranges_of_liblmdbs_pages_hold_all)
{
	char *dir = written_by_liblmdb();

	assert_ranges_hold_all(dir, 1, 1000);
	assert_ranges_hold_all(dir, 7, 150);
}

TEST(one_page_is_one_range_and_no_page_too)
{
	char *dir = fixture_published();
	char *empty = test_scratch();
	struct dit_snapshot *snapshot = NULL;
	uint64_t *firsts = NULL;
	size_t nranges = 0;

	assert_ranges_hold_all(dir, 1, 1);
	(void)fixture_publish(fixture_open(empty));
	snapshot = fixture_snapshot(empty);
	assert_int_equal(dit_snapshot_id_ranges(snapshot, 1, &firsts, &nranges), 0);
	assert_int_equal(nranges, 1);
	free(firsts);
}

/* Zeros; or the third node has the key of the second one. */
static void damage(char *page, bool is_key)
{
	uint16_t slots[3];

	if (!is_key) {
		memset(page, 0, 4096);
		return;
	}
	memcpy(slots, page + 16, sizeof(slots));
	memcpy(page + slots[2] + 8, page + slots[1] + 8, sizeof(uint64_t));
}

/* Every branch page, one after the other, is overwritten. */
TEST(damaged_branch_pages_are_told)
{
	char *dir = written_by_us();
	struct dit_snapshot *snapshot = NULL;
	uint64_t *firsts = NULL;
	size_t nranges = 0;
	FILE *file = fopen(fixture_path(dir, "data.mdb"), "r+");
	const size_t flags_at = fixture_is_lmdb_10 ? 18 : 10;
	char page[4096];
	unsigned ndamaged = 0;

	assert_non_null(file);
	snapshot = fixture_snapshot(dir);
	for (long number = 2;
	     fseek(file, number * 4096, SEEK_SET) == 0 && fread(page, 4096, 1, file) == 1;
	     number++) {
		char damaged[4096];

		if (page[flags_at] != DIT_PAGE_BRANCH || page[flags_at + 1] != 0 ||
		    id_at((struct dit_span){page, 8}) != (uint64_t)number) {
			continue;
		}
		for (int is_key = 0; is_key < (fixture_is_lmdb_10 ? 1 : 2); is_key++) {
			memcpy(damaged, page, sizeof(damaged));
			damage(damaged, is_key);
			assert_int_equal(fseek(file, number * 4096, SEEK_SET), 0);
			assert_int_equal(fwrite(damaged, 4096, 1, file), 1);
			assert_int_equal(fflush(file), 0);
			assert_int_equal(
				dit_snapshot_id_ranges(snapshot, 1, &firsts, &nranges),
				DIT_E_CORRUPT);
		}
		assert_int_equal(fseek(file, number * 4096, SEEK_SET), 0);
		assert_int_equal(fwrite(page, 4096, 1, file), 1);
		assert_int_equal(fflush(file), 0);
		ndamaged++;
	}
	assert_true(ndamaged > 3);
	assert_int_equal(dit_snapshot_id_ranges(snapshot, 1, &firsts, &nranges), 0);
	free(firsts);
	assert_int_equal(fclose(file), 0);
}

MAIN_OF_BOTH_LMDB
