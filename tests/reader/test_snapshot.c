/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshots give back what was stored, in stored order, and stay what they were: of both
 * formats. test_snapshot_pages.c has what those of LMDB 1.0 alone do.
 */
#include <sys/stat.h>

#include "base/error.h"
#include "output/store_fixture.h"

static char *published(void)
{
	static const uint64_t ids[] = {1, 2, 3};
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);

	fixture_put_tree(staging, FIXTURE_VARIANT);
	fixture_begin_index(staging, "cn", true);
	fixture_put_key("\x02\0\0\0", 4, ids, 1);
	fixture_put_key("\x01\x01\0\0", 4, ids, 3);
	fixture_begin_index(staging, "sn", false);
	fixture_put_key("ab", 2, ids, 2);
	fixture_put_key("b", 1, ids + 2, 1);
	(void)fixture_publish(staging);
	return dir;
}

TEST(databases_are_listed_with_flags_and_sizes)
{
	const struct {
		const char *name;
		unsigned flags;
		unsigned nrecords;
	} expected[] = {
		{"ad2i", DIT_DB_INTEGERKEY, 6},
		{"cn",
	         DIT_DB_DUPSORT | DIT_DB_DUPFIXED | DIT_DB_INTEGERDUP | DIT_DB_INTEGERKEY,
	         4},
		{"dn2i", DIT_DB_INTEGERKEY | DIT_DB_DUPSORT, 7},
		{"id2e", DIT_DB_INTEGERKEY, 3},
		{"id2v", DIT_DB_DUPSORT, 0},
		{"sn", DIT_DB_DUPSORT | DIT_DB_DUPFIXED | DIT_DB_INTEGERDUP, 3},
	};
	char *dir = published();
	struct dit_snapshot *snapshot = fixture_snapshot(dir);

	assert_int_equal(snapshot->ndbs, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct dit_stored_db *db = &snapshot->dbs[i];

		assert_string_equal(db->name, expected[i].name);
		assert_int_equal(db->flags, expected[i].flags);
		assert_int_equal(db->nrecords, expected[i].nrecords);
		assert_int_equal(db->npages, expected[i].nrecords == 0 ? 0 : 1);
	}
}

TEST(a_cursor_gives_every_record_in_stored_order)
{
	char *dir = published();
	struct dit_snapshot *snapshot = fixture_snapshot(dir);
	struct dit_tree_cursor *cn = NULL;
	struct dit_tree_cursor *sn = NULL;
	struct dit_span key = {NULL, 0};
	struct dit_span value = {NULL, 0};

	assert_int_equal(dit_snapshot_cursor_open(&cn, snapshot, 0, "cn"), 0);
	assert_int_equal(dit_snapshot_cursor_open(&sn, snapshot, 0, "sn"), 0);

	assert_int_equal(dit_tree_cursor_next(cn, &key, &value), 1);
	assert_memory_equal(key.data, "\x02\0\0\0", 4);
	for (unsigned char id = 1; id <= 3; id++) {
		assert_int_equal(dit_tree_cursor_next(cn, &key, &value), 1);
		assert_memory_equal(key.data, "\x01\x01\0\0", 4);
		assert_int_equal(value.len, 8);
		assert_int_equal(value.data[0], id);
	}
	assert_int_equal(dit_tree_cursor_next(sn, &key, &value), 1);
	assert_span_equal(key, "ab");
	assert_int_equal(dit_tree_cursor_next(cn, &key, &value), 0);
	assert_int_equal(dit_tree_cursor_next(cn, &key, &value), 0);

	dit_tree_cursor_close(cn);
	dit_tree_cursor_close(sn);
}

TEST(empty_database_has_no_first_record)
{
	char *dir = published();
	struct dit_snapshot *snapshot = fixture_snapshot(dir);
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key = {NULL, 0};
	struct dit_span value = {NULL, 0};

	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, "id2v"), 0);
	assert_int_equal(dit_tree_cursor_next(cursor, &key, &value), 0);
	assert_int_equal(dit_tree_cursor_next(cursor, &key, &value), 0);
	assert_int_equal(dit_tree_cursor_find(cursor, DIT_SPAN("x"), &key, &value), 0);

	dit_tree_cursor_close(cursor);
}

TEST(seek_finds_exactly_the_key)
{
	const struct {
		const char *db;
		struct dit_span key;
		int found;
	} cases[] = {
		{"cn", DIT_SPAN("\x01\x01\0\0"), 1},
		{"cn", DIT_SPAN("\x02\0\0\0"), 1},
		{"cn", DIT_SPAN("\x03\0\0\0"), 0},
		{"cn", DIT_SPAN("\x02\0\0\0\0\0\0\0"), 0},
		{"cn", DIT_SPAN("\x02"), 0},
		{"cn", DIT_SPAN("0123456789"), 0},
		{"sn", DIT_SPAN("ab"), 1},
		{"sn", DIT_SPAN("a"), 0},
		{"sn", DIT_SPAN("b"), 1},
		{"sn", DIT_SPAN("abc"), 0},
	};
	char *dir = published();
	struct dit_snapshot *snapshot = fixture_snapshot(dir);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_tree_cursor *cursor = NULL;
		struct dit_span key = {NULL, 0};
		struct dit_span value = {NULL, 0};

		assert_int_equal(
			dit_snapshot_cursor_open(&cursor, snapshot, 0, cases[i].db), 0);
		assert_int_equal(dit_tree_cursor_find(cursor, cases[i].key, &key, &value),
		                 cases[i].found);
		if (cases[i].found == 1) {
			assert_true(dit_span_eq(key, cases[i].key));
		}
		dit_tree_cursor_close(cursor);
	}
}

TEST(a_scan_continues_after_the_sought_key)
{
	char *dir = published();
	struct dit_snapshot *snapshot = fixture_snapshot(dir);
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key = {NULL, 0};
	struct dit_span value = {NULL, 0};

	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, "sn"), 0);
	assert_int_equal(dit_tree_cursor_find(cursor, DIT_SPAN("ab"), &key, &value), 1);
	assert_int_equal(value.data[0], 1);
	assert_int_equal(dit_tree_cursor_next(cursor, &key, &value), 1);
	assert_int_equal(value.data[0], 2);
	assert_int_equal(dit_tree_cursor_next(cursor, &key, &value), 1);
	assert_span_equal(key, "b");
	assert_int_equal(dit_tree_cursor_next(cursor, &key, &value), 0);

	dit_tree_cursor_close(cursor);
}

TEST(unknown_database_is_refused)
{
	char *dir = published();
	struct dit_snapshot *snapshot = fixture_snapshot(dir);
	struct dit_tree_cursor *cursor = NULL;

	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, "CN"),
	                 DIT_E_UNKNOWN);
}

static int count_records(struct dit_snapshot *snapshot, const char *db)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key = {NULL, 0};
	struct dit_span value = {NULL, 0};
	int n = 0;

	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, db), 0);
	while (dit_tree_cursor_next(cursor, &key, &value) == 1) {
		n++;
	}
	dit_tree_cursor_close(cursor);
	return n;
}

TEST_IN("LMDB 0.9", later_changes_are_not_seen)
{
	char *dir = published();
	struct dit_snapshot *snapshot = NULL;
	char command[4400];

	if (system("command -v mdb_load >/dev/null") != 0) {
		test_scratch_remove(dir);
		skip_because("mdb_load is not installed (Debian: lmdb-utils)");
	}
	assert_int_equal(fixture_open_snapshot(&snapshot, dir), 0);
	/* A fork would inherit the environment; another program does not. */
	(void)snprintf(
		command, sizeof(command),
		"printf 'VERSION=3\\nformat=bytevalue\\ndatabase=sn\\ntype=btree\\n"
		"dupsort=1\\ndupfixed=1\\nintegerdup=1\\nHEADER=END\\n"
		" 7a\\n 0900000000000000\\nDATA=END\\n' | mdb_load '%s'",
		dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(count_records(snapshot, "sn"), 3);
	dit_snapshot_close(snapshot);

	assert_int_equal(fixture_open_snapshot(&snapshot, dir), 0);
	assert_int_equal(count_records(snapshot, "sn"), 4);
	dit_snapshot_close(snapshot);
}

TEST(no_lock_file_is_made_for_who_wants_none)
{
	const struct dit_snapshot_opts opts = {.nreaders = 2, .lmdb.no_lock_file = true};
	char *dir = published();
	struct dit_snapshot *snapshot = NULL;
	struct stat st;

	assert_int_equal(dit_snapshot_open_readers(&snapshot, dir, &opts), 0);
	assert_true(snapshot->is_held);
	dit_snapshot_close(snapshot);
	assert_int_equal(unlink(fixture_path(dir, "lock.mdb")), 0);
	assert_int_equal(dit_snapshot_open_readers(&snapshot, dir, &opts), 0);
	assert_false(snapshot->is_held);
	assert_int_equal(count_records(snapshot, "sn"), 3);
	dit_snapshot_close(snapshot);
	assert_int_equal(stat(fixture_path(dir, "lock.mdb"), &st), -1);
}

/* Blocks of IDs are what the records are: one, some, a page, a tree of pages. */
TEST(lists_come_in_blocks)
{
	static const size_t counts[] = {1, 2, 3, 100, 250, 600, 5000};
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	struct dit_snapshot *snapshot = NULL;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span ids;
	uint64_t all[5000];

	for (size_t i = 0; i < 5000; i++) {
		all[i] = 7 + 3 * i;
	}
	fixture_put_tree(staging, FIXTURE_VARIANT);
	fixture_begin_index(staging, "cn", false);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		char name = (char)('a' + i);

		fixture_put_key(&name, 1, all, counts[i]);
	}
	(void)fixture_publish(staging);
	snapshot = fixture_snapshot(dir);
	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, "cn"), 0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		size_t n = 0;
		int r = dit_tree_cursor_next_list(cursor, &key, &ids);

		assert_int_equal(r, 1);
		assert_int_equal(key.data[0], 'a' + i);
		while (r == 1) {
			assert_int_equal(ids.len % 8, 0);
			assert_true(n + ids.len / 8 <= counts[i]);
			assert_memory_equal(ids.data, all + n, ids.len);
			n += ids.len / 8;
			r = dit_tree_cursor_more_items(cursor, &ids);
		}
		assert_int_equal(r, 0);
		assert_int_equal(n, counts[i]);
	}
	assert_int_equal(dit_tree_cursor_next_list(cursor, &key, &ids), 0);
	dit_tree_cursor_close(cursor);

	/* Not all blocks need be asked for. */
	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, "cn"), 0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		assert_int_equal(dit_tree_cursor_next_list(cursor, &key, &ids), 1);
		assert_int_equal(key.data[0], 'a' + i);
	}
	assert_int_equal(dit_tree_cursor_next_list(cursor, &key, &ids), 0);
	dit_tree_cursor_close(cursor);
}

TEST_IN("LMDB 0.9", missing_lock_file_is_made_like_the_data_file)
{
	char *dir = published();
	struct stat st;

	assert_int_equal(unlink(fixture_path(dir, "lock.mdb")), 0);
	assert_int_equal(chmod(fixture_path(dir, "data.mdb"), 0640), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(fixture_path(dir, "data.mdb"), 12345, 54321), 0);
	}
	(void)fixture_snapshot(dir);
	assert_int_equal(stat(fixture_path(dir, "lock.mdb"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	if (geteuid() == 0) {
		assert_int_equal(st.st_uid, 12345);
		assert_int_equal(st.st_gid, 54321);
	}
}

TEST_IN("LMDB 0.9", what_is_no_database_cannot_be_opened)
{
	char *dir = test_scratch();
	struct dit_snapshot *snapshot = NULL;
	FILE *file = NULL;

	assert_int_equal(fixture_open_snapshot(&snapshot, "/nonexistent"), -ENOENT);
	assert_int_equal(fixture_open_snapshot(&snapshot, dir), -ENOENT);
	file = fopen(fixture_path(dir, "data.mdb"), "w");
	assert_non_null(file);
	for (int i = 0; i < 1000; i++) {
		(void)fprintf(file, "this is not a database\n");
	}
	assert_int_equal(fclose(file), 0);
	assert_int_equal(fixture_open_snapshot(&snapshot, dir), MDB_INVALID);
	assert_null(snapshot);
}

TEST_IN("LMDB 0.9", record_that_is_no_database_cannot_be_listed)
{
	char *dir = test_scratch();
	struct dit_snapshot *snapshot = NULL;
	MDB_txn *txn = test_begin(dir, 0);
	MDB_dbi dbi = test_dbi(txn, NULL, 0);

	test_put(txn, dbi, "abc", 3, "abc", 3);
	test_commit(txn);
	assert_int_equal(fixture_open_snapshot(&snapshot, dir), DIT_E_CORRUPT);
}

TEST_IN("LMDB 0.9", closing_nothing_is_fine)
{
	dit_snapshot_close(NULL);
	dit_tree_cursor_close(NULL);
}

MAIN_OF_BOTH_LMDB
