/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Differences that do not fit into the memory are compared in passes: with the least
 * memory nothing is lost and nothing is told twice.
 */
#include "test.h"

#include "check/check.h"
#include "load/load_fixture.h"

#define NPEOPLE     12000
#define NKINDS      3
#define MEMORY_MIN  (16u << 20)
#define MEMORY_MUCH (1u << 30)

static const char *const kinds[NKINDS] = {"posting-missing", "name-entry",
                                          "posting-surplus"};

static uint64_t count_keys(MDB_txn *txn, MDB_dbi dbi)
{
	MDB_cursor *cursor = test_cursor(txn, dbi);
	MDB_val key;
	MDB_val value;
	uint64_t n = 0;

	while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT_NODUP) == 0) {
		n++;
	}
	mdb_cursor_close(cursor);
	return n;
}

/* An index without a record: each of its keys is missing. @return their number */
static uint64_t empty_index(MDB_txn *txn, const char *name)
{
	MDB_dbi dbi = test_dbi(txn, name, 0);
	uint64_t nkeys = 0;

	nkeys = count_keys(txn, dbi);
	assert_int_equal(mdb_drop(txn, dbi, 0), 0);
	return nkeys;
}

/* Every second entry; their nodes stay. @return their number */
static uint64_t remove_entries(MDB_txn *txn)
{
	MDB_dbi dbi = test_dbi(txn, "id2e", 0);
	uint64_t n = 0;

	for (uint64_t id = 10; id <= NPEOPLE; id += 2) {
		MDB_val key = {sizeof(id), &id};

		n += mdb_del(txn, dbi, &key, NULL) == 0;
	}
	return n;
}

static void check(const struct load_fixture *fixture, uint64_t memory_bytes,
                  unsigned nthreads, uint64_t *ret)
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
	struct dit_check_stats stats;

	opts.conf = fixture->conf;
	opts.memory_bytes = memory_bytes;
	opts.threads = nthreads;
	opts.max_findings = 10;
	assert_int_equal(dit_check(&opts, &stats), 0);
	memset(ret, 0, NKINDS * sizeof(*ret));
	for (size_t i = 0; i < stats.nkinds; i++) {
		for (size_t kind = 0; kind < NKINDS; kind++) {
			if (strcmp(stats.kinds[i].kind, kinds[kind]) == 0) {
				ret[kind] += stats.kinds[i].nfindings;
			}
		}
	}
	dit_check_stats_deinit(&stats);
}

TEST(every_key_that_is_missing_is_counted_once)
{
	struct load_fixture *fixture = load_fixture_new("maxsize 268435456\n");
	uint64_t found[NKINDS];
	uint64_t nkeys = 0;
	MDB_txn *txn = NULL;

	load_fixture_load_people(fixture, NPEOPLE);
	txn = test_begin(fixture->database, MDB_NOSYNC);
	nkeys += empty_index(txn, "cn");
	nkeys += empty_index(txn, "sn");
	test_commit(txn);
	assert_true(nkeys > NPEOPLE);
	for (unsigned nthreads = 1; nthreads <= 2; nthreads++) {
		check(fixture, MEMORY_MIN, nthreads, found);
		assert_int_equal(found[0], nkeys);
		assert_int_equal(found[1] + found[2], 0);
	}
}

TEST(every_entry_that_is_missing_is_counted_once)
{
	struct load_fixture *fixture = load_fixture_new("maxsize 268435456\n");
	uint64_t found[NKINDS];
	uint64_t again[NKINDS];
	uint64_t nentries = 0;
	MDB_txn *txn = NULL;

	load_fixture_load_people(fixture, NPEOPLE);
	txn = test_begin(fixture->database, MDB_NOSYNC);
	nentries = remove_entries(txn);
	test_commit(txn);
	assert_true(nentries > NPEOPLE / 3);
	check(fixture, MEMORY_MUCH, 2, found);
	assert_int_equal(found[0], 0);
	assert_int_equal(found[1], nentries);
	assert_true(found[2] > 0);
	check(fixture, MEMORY_MIN, 2, again);
	assert_memory_equal(again, found, sizeof(found));
}
