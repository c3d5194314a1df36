/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of reindexing while others write: what they change before and between the
 * rounds in which the new index databases catch up is indexed as if it had been there
 * from the beginning.
 */
#include "test.h"

#include <signal.h>

#include "load/load_fixture.h"
#include "nomem.h"
#include "output/online_other_10.h"
#include "reindex/reindexer.h"
#include "reindex_fixture.h"

#define NFIRST 24u /* entries that the first changes are of */

/* The compiler compares the types. */
__typeof__(dit_reindex_catch_up) __real_dit_reindex_catch_up;
__typeof__(dit_reindex_catch_up) __wrap_dit_reindex_catch_up;

/* ---- another process ---- */

/* How an entry changes; in the order of IDs. */
struct entry_change {
	uint64_t id;
	uint64_t from; /* it gets the content of this one; 0: it is removed */
};

static void copy_entry(MDB_txn *txn, MDB_dbi dbi, const struct entry_change *change)
{
	uint64_t from = change->from;
	uint64_t to = change->id;
	MDB_val key = {sizeof(from), &from};
	MDB_val value;
	char copy[4000];

	if (mdb_get(txn, dbi, &key, &value) != 0 || value.mv_size > sizeof(copy)) {
		_exit(2);
	}
	memcpy(copy, value.mv_data, value.mv_size);
	value.mv_data = copy;
	key.mv_data = &to;
	if (mdb_put(txn, dbi, &key, &value, 0) != 0) {
		_exit(3);
	}
}

static void remove_entry(MDB_txn *txn, MDB_dbi dbi, uint64_t id)
{
	MDB_val key = {sizeof(id), &id};

	if (mdb_del(txn, dbi, &key, NULL) != 0) {
		_exit(4);
	}
}

static void commit_changes(const char *directory, const struct entry_change *changes,
                           size_t n)
{
	MDB_env *env = test_env(directory, MDB_NOSYNC, 0);
	MDB_txn *txn = NULL;
	MDB_dbi dbi = 0;

	if (mdb_txn_begin(env, NULL, 0, &txn) != 0 ||
	    mdb_dbi_open(txn, "id2e", 0, &dbi) != 0) {
		_exit(1);
	}
	for (size_t i = 0; i < n; i++) {
		if (changes[i].from == 0) {
			remove_entry(txn, dbi, changes[i].id);
		} else {
			copy_entry(txn, dbi, &changes[i]);
		}
	}
	if (mdb_txn_commit(txn) != 0) {
		_exit(5);
	}
	mdb_env_close(env);
}

static void commit_changes_10(const char *directory, const struct entry_change *changes,
                              size_t n)
{
	struct dit_snapshot *stored = load_fixture_snapshot(directory);
	struct dit_tree_cursor *cursor = NULL;
	struct dit_key_orders orders;
	struct dit_tree_merge *merge = NULL;
	struct other_10 other;

	other_10_open(&other, directory);
	other_10_begin(&other);
	merge = other_10_merge(&other, "id2e", &orders);
	other_10_must(dit_snapshot_cursor_open(&cursor, stored, 0, "id2e"));
	for (size_t i = 0; i < n; i++) {
		struct dit_span id = {(const char *)&changes[i].id, sizeof(uint64_t)};
		struct dit_span from = {(const char *)&changes[i].from, sizeof(uint64_t)};
		struct dit_span key;
		struct dit_span value;

		if (changes[i].from == 0) {
			other_10_must(dit_tree_merge_remove(merge, id));
			continue;
		}
		if (dit_tree_cursor_seek(cursor, from, &key, &value) != 1 ||
		    dit_span_compare(key, from) != 0) {
			_exit(2);
		}
		other_10_must(dit_tree_merge_put(merge, id, value));
	}
	other_10_finish(&other, "id2e", merge);
	other_10_end(&other, true);
	other_10_close(&other);
	dit_tree_cursor_close(cursor);
	dit_snapshot_close(stored);
}

/*
 * It gives some entries the content of others, adds some, and removes some: with a higher
 * number fewer, and of those that it has changed or added before.
 */
static void change_entries(const char *directory, unsigned number)
{
	uint64_t added = 1000 + 100 * (uint64_t)number;
	uint64_t nchanged = NFIRST >> number;
	struct entry_change changes[3 * NFIRST];
	pid_t pid = 0;

	for (uint64_t i = 0; i < nchanged; i++) {
		changes[i] =
			(struct entry_change){20 + i, 120 + i + 100 * (uint64_t)number};
		changes[nchanged + i] =
			(struct entry_change){number == 0 ? 60 + i : added - 100 + i, 0};
		changes[2 * nchanged + i] =
			(struct entry_change){added + i, 100 + i + 50 * (uint64_t)number};
	}
	pid = test_fork();
	if (pid == 0) {
		countdown = -1;
		(fixture_is_lmdb_10 ? commit_changes_10
		                    : commit_changes)(directory, changes, 3 * nchanged);
		_exit(0);
	}
	assert_int_equal(test_wait(pid), 0);
}

/* An index is empty or gone. */
static void empty_index(const char *directory, const char *name, int is_removed)
{
	struct dit_tree_record empty = {.root = DIT_PAGE_NONE};
	const struct dit_page_old_opts old = {.nthreads = 1};
	struct other_10 other;

	if (!fixture_is_lmdb_10) {
		drop(directory, name, is_removed);
		return;
	}
	other_10_open(&other, directory);
	other_10_begin(&other);
	empty.flags = other_10_tree(&other, name).flags;
	other_10_must(is_removed ? dit_page_commit_drop(other.commit, dit_span_of(name))
	                         : dit_page_commit_put(other.commit, dit_span_of(name),
	                                               &empty));
	other_10_must(dit_page_commit_give_old(other.commit, &old));
	other_10_end(&other, true);
	other_10_close(&other);
}

static struct load_fixture *loaded(unsigned npeople)
{
	struct load_fixture *f = load_fixture_new("");

	f->openldap = fixture_is_lmdb_10 ? DIT_OPENLDAP_2_7 : DIT_OPENLDAP_2_5;
	load_fixture_load_people(f, npeople);
	return f;
}

/* ---- before and between the rounds ---- */

static struct {
	const char *directory; /* NULL: no other process changes anything */
	bool has_begun;
	unsigned ncalls;
	unsigned stops_at; /* call */
	long fails_at;     /* allocation, from the first round on; -1: none */
	volatile sig_atomic_t is_stopped;
} meddler;

int __wrap_dit_reindex_catch_up(void *ctx, const struct dit_online_changed *changed,
                                struct dit_list_changes *ret)
{
	int r = __real_dit_reindex_catch_up(ctx, changed, ret);

	meddler.ncalls++;
	meddler.is_stopped = meddler.ncalls == meddler.stops_at;
	/* Then the lock is held. */
	if (NFIRST >> meddler.ncalls > 0) {
		change_entries(meddler.directory, meddler.ncalls);
	}
	return r;
}

static void change_first(void *ctx, const struct dit_progress *progress)
{
	(void)ctx;
	if (progress->phase == DIT_REINDEX_PUBLISH && !meddler.has_begun) {
		meddler.has_begun = true;
		change_entries(meddler.directory, 0);
		countdown = meddler.fails_at;
	}
}

static int reindex_online(const struct load_fixture *f, unsigned nthreads,
                          unsigned stops_at, long fails_at, struct told *told,
                          struct dit_reindex_stats *stats)
{
	struct dit_reindex_opts opts = reindex_opts(f, told);

	meddler.directory = f->database;
	meddler.has_begun = false;
	meddler.ncalls = 0;
	meddler.stops_at = stops_at;
	meddler.is_stopped = 0;
	meddler.fails_at = fails_at;
	opts.online = true;
	opts.threads = nthreads;
	opts.progress = change_first;
	opts.stop = &meddler.is_stopped;
	return dit_reindex(&opts, stats);
}

TEST(changes_between_rounds_are_indexed)
{
	for (unsigned nthreads = 1; nthreads <= 2; nthreads++) {
		const uint64_t wanted[] = {72, 36, 18, 9, 3};
		struct dit_reindex_database_stats *db = NULL;
		struct load_fixture *f = loaded(600);
		struct told told;
		struct dit_reindex_opts opts;
		struct dit_reindex_stats stats;
		uint64_t got = 0;

		empty_index(f->database, "sn", 0);
		assert_int_equal(reindex_online(f, nthreads, 0, -1, &told, &stats), 0);
		db = &stats.databases[0];
		assert_int_equal(db->nrounds, 5);
		for (unsigned i = 0; i < 5; i++) {
			assert_int_equal(db->rounds[i].nentries, wanted[i]);
		}
		/* Each once: changed; added, most of them removed again; removed. */
		assert_int_equal(db->nchanged, 24 + (24 + 12 + 6 + 3 + 1) + 24);
		assert_true(db->locked_us >= db->longest_us);
		dit_reindex_stats_deinit(&stats);
		/* As if all of it had been there from the beginning. */
		got = load_fixture_digest(f);
		opts = reindex_opts(f, &told);
		assert_int_equal(reindex(&opts), 0);
		assert_int_equal(load_fixture_digest(f), got);
	}
}

/* A caller that ends the work need not wait for the rounds. */
TEST(a_run_can_be_stopped_between_rounds)
{
	struct load_fixture *f = loaded(600);
	struct told told;
	struct dit_reindex_stats stats;

	assert_int_equal(reindex_online(f, 2, 2, -1, &told, &stats), DIT_E_STOPPED);
	assert_int_equal(meddler.ncalls, 3);
	assert_true(strlen(told.text) > 0);
	dit_reindex_stats_deinit(&stats);
}

#ifndef __SANITIZE_THREAD__ /* one thread runs here: it has nothing to find */
static void copy_database(const char *from, const char *to)
{
	char *command = test_text("cp %s/data.mdb %s/data.mdb", from, to);

	assert_int_equal(system(command), 0);
}

/* Then the old index databases are there, and sound. */
TEST(any_allocation_may_fail)
{
	struct load_fixture *f = loaded(600);
	struct told told;
	bool has_failed = true;
	unsigned nspared = 0;
	long n = 0;

	copy_database(f->database, f->tmpdir);
	for (n = 0; has_failed; n += n < 40 ? 3 : 1 + n / 8) {
		struct dit_reindex_opts opts;
		struct dit_reindex_stats stats;
		int r = reindex_online(f, 1, 0, n, &told, &stats);

		has_failed = countdown < 0;
		countdown = -1;
		dit_reindex_stats_deinit(&stats);
		/* Without memory the pages are not read before the lock is taken. */
		nspared += has_failed && r == 0;
		assert_true(r == 0 || (has_failed && r == -ENOMEM));
		assert_true(r == 0 || strlen(told.text) > 0);
		opts = reindex_opts(f, &told);
		assert_int_equal(reindex(&opts), 0);
		assert_string_equal(told.text, "");
		copy_database(f->tmpdir, f->database);
	}
	assert_true(n > 300);
	assert_true(nspared <= 1);
}
#endif

TEST(refused_online_runs_change_nothing)
{
	struct load_fixture *f = loaded(300);
	struct told told;
	struct dit_reindex_opts opts;
	uint64_t before = 0;

	opts = reindex_opts(f, &told);
	opts.online = true;
	opts.drop_unconfigured = true;
	assert_int_equal(reindex(&opts), -EINVAL);
	opts.drop_unconfigured = false;
	assert_int_equal(reindex(&opts), 0);
	empty_index(f->database, "uidNumber", 1);
	before = load_fixture_digest(f);
	assert_int_equal(reindex(&opts), DIT_E_CONFIG);
	assert_non_null(strstr(told.text, "\"uidNumber\" in "));
	assert_int_equal(load_fixture_digest(f), before);
}

int main(void)
{
	/* Two processes that wait for each other's lock would wait for ever. */
	(void)alarm(3600);
	return test_run("LMDB 0.9", NULL, NULL) +
	       test_run("LMDB 1.0", fixture_use_lmdb_10, NULL);
}
