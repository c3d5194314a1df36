/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages that we write without liblmdb are pages that liblmdb reads, extends and shrinks.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "output/new_output_impl.h"
#include "table_fixture.h"

/* ---- what is written is read ---- */

static void expect_key(MDB_cursor *cursor, const char *wanted, size_t len,
                       const uint64_t *ids, size_t nids)
{
	MDB_val key;
	MDB_val value;
	size_t count = 0;

	for (size_t i = 0; i < nids; i++) {
		assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), 0);
		assert_int_equal(key.mv_size, len);
		assert_memory_equal(key.mv_data, wanted, len);
		assert_int_equal(value.mv_size, sizeof(*ids));
		assert_memory_equal(value.mv_data, &ids[i], sizeof(*ids));
	}
	assert_int_equal(mdb_cursor_count(cursor, &count), 0);
	assert_int_equal(count, nids);
	key = (MDB_val){len, (void *)wanted};
	value = (MDB_val){sizeof(*ids), (void *)&ids[nids - 1]};
	assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_GET_BOTH), 0);
}

TEST(lists_at_every_border_are_read)
{
	const uint64_t *ids = ascending_ids();
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	MDB_txn *txn = NULL;
	MDB_cursor *cursor = NULL;
	MDB_dbi dbi = 0;
	MDB_val key;

	fixture_begin_index(staging, "cn", false);
	for (size_t i = 0; i < NLIST_SIZES; i++) {
		fixture_put_key((char[]){'k', (char)i, 'x'}, 3, ids, list_sizes[i]);
	}
	(void)fixture_publish(staging);

	assert_no_page_is_lost(dir);
	txn = test_begin(dir, MDB_RDONLY);
	dbi = test_dbi(txn, "cn", 0);
	cursor = test_cursor(txn, dbi);
	for (size_t i = 0; i < NLIST_SIZES; i++) {
		expect_key(cursor, (char[]){'k', (char)i, 'x'}, 3, ids, list_sizes[i]);
	}
	assert_int_equal(mdb_cursor_get(cursor, &key, NULL, MDB_NEXT), MDB_NOTFOUND);
	mdb_cursor_close(cursor);
	test_abort(txn);
}

/* Depth and pages of a database, from liblmdb. */
static MDB_stat stat_of(const char *dir)
{
	MDB_txn *txn = test_begin(dir, MDB_RDONLY);
	MDB_dbi dbi = test_dbi(txn, "cn", 0);
	MDB_stat stat;

	assert_int_equal(mdb_stat(txn, dbi, &stat), 0);
	test_abort(txn);
	return stat;
}

static void put_numbered_keys(struct dit_output_table *table, const uint64_t *ids,
                              unsigned first, unsigned end, size_t len)
{
	char key[FIXTURE_KEY_MAX];

	for (unsigned i = first; i < end; i++) {
		number_key(key, len, i);
		assert_int_equal(
			fixture_put_list(table, (struct dit_span){key, len}, ids, 170),
			0);
	}
}

/* The last part first: each has an even share of the keys, some have none. */
static void write_parts(struct dit_record_output *staging, unsigned nparts,
                        unsigned nkeys, size_t len, uint64_t *ret_bytes)
{
	struct dit_output_table *table = NULL;

	assert_int_equal(dit_output_cut_index(&staging->base, 0, nparts), 1);
	for (unsigned part = nparts; part > 0; part--) {
		assert_int_equal(
			dit_output_open_part(&staging->base, 0, part - 1, &table), 0);
		put_numbered_keys(table, ascending_ids(), (part - 1) * nkeys / nparts,
		                  part * nkeys / nparts, len);
		assert_int_equal(dit_output_finish(table, ret_bytes), 0);
	}
}

/* As liblmdb reads them. */
static void check_numbered_keys(const char *dir, unsigned nkeys, size_t len)
{
	const uint64_t *ids = ascending_ids();
	char key[FIXTURE_KEY_MAX];
	MDB_txn *txn = test_begin(dir, MDB_RDONLY);
	MDB_cursor *cursor = NULL;
	MDB_dbi dbi = test_dbi(txn, "cn", 0);

	/* Down the branches, where liblmdb asserts that there are two children. */
	for (unsigned i = 0; i < nkeys; i++) {
		MDB_val wanted = {len, key};
		MDB_val value;

		number_key(key, len, i);
		assert_int_equal(mdb_get(txn, dbi, &wanted, &value), 0);
		key[0] = 'l';
		assert_int_equal(mdb_get(txn, dbi, &wanted, &value), MDB_NOTFOUND);
	}
	cursor = test_cursor(txn, dbi);
	for (unsigned i = 0; i < nkeys; i++) {
		number_key(key, len, i);
		expect_key(cursor, key, len, ids, 170);
	}
	mdb_cursor_close(cursor);
	test_abort(txn);
}

/* @param nparts  0: the table is written as a whole */
static void check_number_of_keys(unsigned nkeys, size_t len, unsigned nparts)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	struct dit_output_table *table = NULL;
	uint64_t table_bytes = 0;
	uint64_t bytes = 0;
	MDB_stat stat;

	assert_int_equal(fixture_add_index(staging, "cn", false), 0);
	if (nparts > 0) {
		write_parts(staging, nparts, nkeys, len, &table_bytes);
	} else {
		assert_int_equal(dit_output_open_part(&staging->base, 0, 0, &table), 0);
		put_numbered_keys(table, ascending_ids(), 0, nkeys, len);
		assert_int_equal(dit_output_finish(table, &table_bytes), 0);
	}
	assert_int_equal(fixture_end(staging, &bytes), 0);
	assert_no_page_is_lost(dir);
	check_numbered_keys(dir, nkeys, len);
	stat = stat_of(dir);
	assert_int_equal(stat.ms_entries, nkeys * 170);
	assert_int_equal(table_bytes,
	                 (stat.ms_branch_pages + stat.ms_leaf_pages) * stat.ms_psize);
	test_scratch_remove(dir);
}

TEST(trees_of_any_number_of_leaves_are_read)
{
	/* Two keys a leaf, seven leaves a branch: up to four levels. */
	for (unsigned nkeys = 0; nkeys <= 130; nkeys++) {
		check_number_of_keys(nkeys, 511, 0);
	}
	for (unsigned nkeys = 684; nkeys <= 702; nkeys++) {
		check_number_of_keys(nkeys, 511, 0);
	}
	check_number_of_keys(900, 8, 0);
}

/* Parts of a leaf, of many, and of none. */
TEST(tables_in_parts_are_read)
{
	static const unsigned nparts[] = {1, 2, 3, 16};

	for (size_t i = 0; i < sizeof(nparts) / sizeof(nparts[0]); i++) {
		for (unsigned nkeys = 0; nkeys <= 130; nkeys += 1 + nkeys / 20) {
			check_number_of_keys(nkeys, 511, nparts[i]);
		}
		check_number_of_keys(693, 511, nparts[i]);
		check_number_of_keys(900, 8, nparts[i]);
	}
}

/* Pages of lists count in a part as in the whole. */
TEST(a_table_in_one_part_has_as_many_bytes)
{
	uint64_t bytes[2] = {0, 0};

	for (unsigned nparts = 0; nparts < 2; nparts++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = fixture_open(dir);
		struct dit_output_table *table = NULL;
		uint64_t n = 0;

		assert_int_equal(fixture_add_index(staging, "cn", false), 0);
		if (nparts > 0) {
			assert_int_equal(dit_output_cut_index(&staging->base, 0, 1), 1);
		}
		assert_int_equal(dit_output_open_part(&staging->base, 0, 0, &table), 0);
		assert_int_equal(
			fixture_put_list(table, DIT_SPAN("aaaa"), ascending_ids(), 5000),
			0);
		assert_int_equal(dit_output_finish(table, &bytes[nparts]), 0);
		assert_int_equal(fixture_end(staging, &n), 0);
		test_scratch_remove(dir);
	}
	assert_int_equal(bytes[0], bytes[1]);
	assert_true(bytes[0] > 5000 * sizeof(uint64_t));
}

/* ---- liblmdb's own pages are the same ---- */

/* The record of a named database and of its first key's list, as stored. */
static void records_of(const char *dir, struct dit_tree_record *ret_db,
                       struct dit_tree_record *ret_list)
{
	MDB_txn *txn = test_begin(dir, MDB_RDONLY);
	MDB_dbi main_dbi = 0;
	MDB_val key = {2, "cn"};
	MDB_val value;
	const char *at = NULL;
	const char *map = NULL;
	uint64_t number = 0;
	uint16_t slot = 0;

	main_dbi = test_dbi(txn, NULL, 0);
	assert_int_equal(mdb_get(txn, main_dbi, &key, &value), 0);
	assert_int_equal(value.mv_size, sizeof(*ret_db));
	memcpy(ret_db, value.mv_data, sizeof(*ret_db));
	at = (const char *)value.mv_data - (uintptr_t)value.mv_data % 4096;
	memcpy(&number, at, sizeof(number));
	map = at - number * 4096;
	/* The root is a leaf, the first node's value the list's record. */
	assert_int_equal(ret_db->depth, 1);
	at = map + ret_db->root * 4096;
	memcpy(&slot, at + 16, sizeof(slot));
	memcpy(ret_list, at + slot + sizeof(struct dit_node_header) + 4,
	       sizeof(*ret_list));
	test_abort(txn);
}

TEST(records_are_those_that_liblmdb_writes)
{
	const uint64_t *ids = ascending_ids();

	for (int is_integerkey = 0; is_integerkey < 2; is_integerkey++) {
		char *ours = test_scratch();
		char *theirs = test_scratch();
		struct dit_record_output *staging = fixture_open(ours);
		struct dit_tree_record db[2];
		struct dit_tree_record list[2];
		MDB_env *env = test_env(theirs, 0, 0);
		MDB_txn *txn = NULL;
		MDB_dbi dbi = 0;
		MDB_stat stat[2];

		fixture_begin_index(staging, "cn", is_integerkey);
		fixture_put_key("aaaa", 4, ids, 5000);
		(void)fixture_publish(staging);

		txn = test_txn(env, 0);
		dbi = test_dbi(txn, "cn",
		               MDB_CREATE | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP |
		                       (is_integerkey ? MDB_INTEGERKEY : 0));
		for (size_t i = 0; i < 5000; i++) {
			MDB_val key = {4, "aaaa"};
			MDB_val value = {8, (void *)&ids[i]};

			assert_int_equal(mdb_put(txn, dbi, &key, &value, MDB_APPENDDUP),
			                 0);
		}
		test_commit(txn);

		stat[0] = stat_of(ours);
		stat[1] = stat_of(theirs);
		assert_memory_equal(&stat[0], &stat[1], sizeof(stat[0]));
		records_of(ours, &db[0], &list[0]);
		records_of(theirs, &db[1], &list[1]);
		db[0].root = db[1].root;
		assert_memory_equal(&db[0], &db[1], sizeof(db[0]));
		list[0].root = list[1].root;
		assert_memory_equal(&list[0], &list[1], sizeof(list[0]));
		test_scratch_remove(ours);
		test_scratch_remove(theirs);
	}
}

TEST(records_out_of_order_are_refused)
{
	static const char too_long[512] = "";
	static const struct {
		uint64_t key;
		struct dit_span record;
		int error;
	} cases[] = {
		{4, {"\0\1c", 3}, MDB_KEYEXIST},
		{5, {"\0\1b", 3}, MDB_KEYEXIST},
		{5, {"\0\1a", 3}, MDB_KEYEXIST},
		{5, {"", 0}, MDB_BAD_VALSIZE},
		{6, {"", 0}, MDB_BAD_VALSIZE},
		{5, {too_long, 512}, MDB_BAD_VALSIZE},
		{6, {too_long, 512}, MDB_BAD_VALSIZE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = fixture_open(dir);

		assert_int_equal(dit_output_put_name(staging, 5, DIT_SPAN("\0\1b")), 0);
		assert_int_equal(
			dit_output_put_name(staging, cases[i].key, cases[i].record),
			cases[i].error);
		fixture_abandon(staging);
		test_scratch_remove(dir);
	}
}

TEST(keys_of_records_are_integers)
{
	static const char bytes[4096] = "";
	static const size_t lens[] = {1, 5, 9, 512, sizeof(bytes)};
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		struct dit_table_writer *writer = NULL;

		assert_int_equal(
			dit_table_writer_new(
				&writer,
				dit_page_commit_space(staging->base.indexes->commit),
				MDB_INTEGERKEY | MDB_DUPSORT),
			0);
		assert_int_equal(dit_table_writer_begin_records(
					 writer, (struct dit_span){bytes, lens[i]}),
		                 MDB_BAD_VALSIZE);
		dit_table_writer_free(writer);
	}
	fixture_abandon(staging);
}

/* ---- threads ---- */

#define NTHREADS 4

struct thread_work {
	struct dit_record_output *staging;
	const uint64_t *ids; /* of each key of a part */
	size_t number;
	int r;
};

static void *write_one_database(void *arg)
{
	static const uint64_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	struct thread_work *work = arg;
	struct dit_output_table *table = NULL;

	work->r = dit_output_open_part(&work->staging->base, work->number, 0, &table);
	for (uint32_t n = 0; n < 60000 && work->r == 0; n++) {
		uint32_t key = __builtin_bswap32(n);

		work->r =
			fixture_put_list(table, (struct dit_span){(const char *)&key, 4},
		                         ids, 1 + (n + work->number) % 10);
	}
	work->r = work->r ?: dit_output_finish(table, NULL);
	return NULL;
}

TEST(databases_written_by_several_threads_have_all_their_pages)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	struct thread_work work[NTHREADS];
	pthread_t threads[NTHREADS];
	struct dit_snapshot *snapshot = NULL;
	uint64_t bytes = 0;
	size_t nfound = 0;

	for (size_t i = 0; i < NTHREADS; i++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "t%zu", i);
		assert_int_equal(fixture_add_index(staging, name, false), 0);
	}
	for (size_t i = 0; i < NTHREADS; i++) {
		work[i] = (struct thread_work){.staging = staging, .number = i};
		assert_int_equal(
			pthread_create(&threads[i], NULL, write_one_database, &work[i]),
			0);
	}
	for (size_t i = 0; i < NTHREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(work[i].r, 0);
	}
	assert_int_equal(fixture_end(staging, &bytes), 0);

	assert_no_page_is_lost(dir);
	assert_int_equal(
		dit_snapshot_open_readers(&snapshot, dir,
	                                  &(struct dit_snapshot_opts){.nreaders = 1}),
		0);
	for (size_t i = 0; i < snapshot->ndbs; i++) {
		const struct dit_stored_db *db = &snapshot->dbs[i];
		struct dit_tree_cursor *cursor = NULL;
		struct dit_span key;
		struct dit_span value;
		uint64_t n = 0;

		if (db->name[0] != 't') {
			continue;
		}
		assert_int_equal(db->nrecords, 330000);
		assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, db->name),
		                 0);
		while (dit_tree_cursor_next(cursor, &key, &value) == 1) {
			n++;
		}
		assert_int_equal(n, 330000);
		dit_tree_cursor_close(cursor);
		nfound++;
	}
	assert_int_equal(nfound, NTHREADS);
	dit_snapshot_close(snapshot);
}

/* ---- wrong calls ---- */

static void *write_one_part(void *arg)
{
	struct thread_work *work = arg;
	unsigned part = (unsigned)work->number;
	struct dit_output_table *table = NULL;

	work->r = dit_output_open_part(&work->staging->base, 0, part, &table);
	if (work->r == 0) {
		put_numbered_keys(table, work->ids, part * 225, (part + 1) * 225, 8);
		work->r = dit_output_finish(table, NULL);
	}
	return NULL;
}

/* Whichever is finished last joins all. */
TEST(parts_written_by_several_threads_are_one_table)
{
	struct thread_work work[NTHREADS];
	pthread_t threads[NTHREADS];

	for (unsigned round = 0; round < 20; round++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = fixture_open(dir);
		const uint64_t *ids = ascending_ids();
		uint64_t bytes = 0;

		assert_int_equal(fixture_add_index(staging, "cn", false), 0);
		assert_int_equal(dit_output_cut_index(&staging->base, 0, NTHREADS), 1);
		for (size_t i = 0; i < NTHREADS; i++) {
			work[i] = (struct thread_work){
				.staging = staging, .ids = ids, .number = i};
			assert_int_equal(pthread_create(&threads[i], NULL, write_one_part,
			                                &work[i]),
			                 0);
		}
		for (size_t i = 0; i < NTHREADS; i++) {
			assert_int_equal(pthread_join(threads[i], NULL), 0);
			assert_int_equal(work[i].r, 0);
		}
		assert_int_equal(fixture_end(staging, &bytes), 0);
		assert_no_page_is_lost(dir);
		check_numbered_keys(dir, NTHREADS * 225, 8);
		test_scratch_remove(dir);
	}
}

struct put {
	const char *key;
	size_t len;
	uint64_t ids[3];
	size_t nids;
};

TEST(keys_and_ids_out_of_order_are_refused)
{
	static char long_key[512] = "";
	static const struct {
		bool is_integerkey;
		struct put first;
		struct put second;
		int error;
	} cases[] = {
		{false, {"b", 1, {1, 2}, 2}, {"a", 1, {1}, 1}, MDB_KEYEXIST},
		{false, {"a", 1, {1}, 1}, {"a", 1, {2}, 1}, MDB_KEYEXIST},
		{false, {"ab", 2, {1}, 1}, {"a", 1, {2}, 1}, MDB_KEYEXIST},
		{false, {"a", 1, {1}, 1}, {"b", 1, {1, 3, 2}, 3}, MDB_KEYEXIST},
		{false, {"a", 1, {1}, 1}, {"b", 1, {1, 1}, 2}, MDB_KEYEXIST},
		{false, {"a", 1, {1}, 1}, {"", 0, {1}, 1}, MDB_BAD_VALSIZE},
		{false, {"a", 1, {1}, 1}, {long_key, 512, {1}, 1}, MDB_BAD_VALSIZE},
		{true, {"\2\0\0\0", 4, {1}, 1}, {"12345", 5, {1}, 1}, MDB_BAD_VALSIZE},
		{true, {"\2\0\0\0", 4, {1}, 1}, {"12345678", 8, {1}, 1}, MDB_BAD_VALSIZE},
		{true, {"\2\0\0\0", 4, {1}, 1}, {"\1\0\0\0", 4, {1}, 1}, MDB_KEYEXIST},
		{true, {"\0\1\0\0", 4, {1}, 1}, {"\1\0\0\0", 4, {1}, 1}, MDB_KEYEXIST},
		{true,
	         {"\0\0\0\0\0\0\0\1", 8, {1}, 1},
	         {"\1\0\0\0\0\0\0\0", 8, {1}, 1},
	         MDB_KEYEXIST},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct put *a = &cases[i].first;
		const struct put *b = &cases[i].second;
		char *dir = test_scratch();
		struct dit_record_output *staging = fixture_open(dir);
		struct dit_output_table *table = NULL;

		fixture_begin_index(staging, "cn", cases[i].is_integerkey);
		fixture_forget_tables();
		assert_int_equal(dit_output_open_part(&staging->base, 0, 0, &table), 0);
		assert_int_equal(fixture_put_list(table,
		                                  (struct dit_span){a->key, a->len},
		                                  a->ids, a->nids),
		                 0);
		assert_int_equal(fixture_put_list(table,
		                                  (struct dit_span){b->key, b->len},
		                                  b->ids, b->nids),
		                 cases[i].error);
		fixture_abandon(staging);
		assert_directory_holds(dir, "");
		test_scratch_remove(dir);
	}
}

TEST(keys_of_parts_out_of_order_are_refused)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	struct dit_output_table *tables[2] = {NULL};

	assert_int_equal(fixture_add_index(staging, "cn", false), 0);
	assert_int_equal(dit_output_cut_index(&staging->base, 0, 2), 1);
	for (unsigned part = 0; part < 2; part++) {
		assert_int_equal(
			dit_output_open_part(&staging->base, 0, part, &tables[part]), 0);
		put_numbered_keys(tables[part], ascending_ids(), 0, 2, 8);
	}
	assert_int_equal(dit_output_finish(tables[0], NULL), 0);
	assert_int_equal(dit_output_finish(tables[1], NULL), MDB_KEYEXIST);
	fixture_abandon(staging);
	assert_directory_holds(dir, "");
}

/* A database that is cut is there when all parts are. */
TEST(parts_are_opened_once_and_in_time)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	struct dit_output_table *table = NULL;
	struct dit_output_table *other = NULL;

	assert_int_equal(dit_output_cut_index(&staging->base, 0, 2), -EINVAL);
	assert_int_equal(fixture_add_index(staging, "cn", false), 0);
	assert_int_equal(dit_output_open_part(&staging->base, 0, 1, &table), -EINVAL);
	assert_int_equal(dit_output_cut_index(&staging->base, 0, 0), -EINVAL);
	assert_int_equal(dit_output_cut_index(&staging->base, 0, 2), 1);
	assert_int_equal(dit_output_cut_index(&staging->base, 0, 2), -EINVAL);
	assert_int_equal(dit_output_open_part(&staging->base, 0, 2, &table), -EINVAL);
	assert_int_equal(dit_output_open_part(&staging->base, 1, 0, &table), -EINVAL);
	assert_int_equal(dit_output_open_part(&staging->base, 0, 1, &table), 0);
	assert_int_equal(dit_output_open_part(&staging->base, 0, 1, &other), -EINVAL);
	assert_int_equal(dit_output_finish(table, NULL), 0);
	assert_int_equal(dit_output_open_part(&staging->base, 0, 0, &table), 0);
	put_numbered_keys(table, ascending_ids(), 0, 9, 8);
	assert_int_equal(dit_output_do(&staging->base, DIT_PUBLISH_PREPARE), -EINVAL);
	fixture_abandon(staging);
	assert_directory_holds(dir, "");
}

TEST(databases_are_opened_once_and_in_time)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	struct dit_output_table *table = NULL;

	assert_int_equal(dit_output_open_part(&staging->base, 0, 0, &table), -EINVAL);
	assert_int_equal(fixture_add_index(staging, "cn", false), 0);
	assert_int_equal(dit_output_open_part(&staging->base, 1, 0, &table), -EINVAL);
	assert_int_equal(dit_output_open_part(&staging->base, 0, 0, &table), 0);
	assert_int_equal(dit_output_finish(table, NULL), 0);
	assert_int_equal(dit_output_open_part(&staging->base, 0, 0, &table), -EINVAL);
	assert_int_equal(dit_output_begin_changes(staging), 0);
	assert_int_equal(dit_output_put_name(staging, 1, DIT_SPAN("late")), -EINVAL);
	fixture_abandon(staging);
}

/* Far more than the limit allows. */
static int fill_up(struct dit_record_output *staging)
{
	struct dit_output_table *table = NULL;
	int r = dit_output_open_part(&staging->base, 0, 0, &table);

	for (uint32_t n = 0; n < 1000 && r == 0; n++) {
		uint32_t key = __builtin_bswap32(n);

		r = fixture_put_list(table, (struct dit_span){(const char *)&key, 4},
		                     ascending_ids(), 10000);
	}
	return r;
}

TEST(file_size_limit_is_an_error_and_no_signal)
{
	char *dir = test_scratch();
	pid_t pid = test_fork();

	if (pid == 0) {
		const struct rlimit limit = {10000001, 10000001};
		struct dit_record_output *staging = fixture_open(dir);
		sigset_t pending;
		int r = 0;

		(void)signal(SIGXFSZ, SIG_DFL);
		if (fixture_add_index(staging, "cn", false) != 0 ||
		    setrlimit(RLIMIT_FSIZE, &limit) != 0) {
			_exit(1);
		}
		r = fill_up(staging);
		fixture_abandon(staging);
		if (r != -EFBIG) {
			_exit(2);
		}
		_exit(sigpending(&pending) == 0 && !sigismember(&pending, SIGXFSZ) ? 0
		                                                                   : 3);
	}
	assert_int_equal(test_wait(pid), 0);
	assert_directory_holds(dir, "");
}
