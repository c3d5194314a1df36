/* SPDX-License-Identifier: BSD-2-Clause */
/* A database of liblmdb's that gets commits of our own, and what it holds. */
#ifndef DITKIT_TEST_COMMIT_FIXTURE_H
#define DITKIT_TEST_COMMIT_FIXTURE_H

#include <fcntl.h>
#include <sys/stat.h>

#include "commit/page_commit.h"
#include "lmdb_test.h"
#include "tree/table_writer.h"
#include "walk/walk.h"

#define PAGE        4096u
#define NKEYS       3000
#define INDEX_FLAGS (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)

/* ---- a database, made by liblmdb ---- */

struct fixture {
	char *dir;
	char path[4200];
};

static inline void make_key(unsigned number, char key[4])
{
	key[0] = (char)(number >> 24);
	key[1] = (char)(number >> 16);
	key[2] = (char)(number >> 8);
	key[3] = (char)number;
}

/* Long lists, too, so that there are trees in nodes. */
static inline size_t nids_of(unsigned key)
{
	return key % 1000 == 5 ? 3000 : key % 100 == 7 ? 200 : key % 10 == 3 ? 5 : 1;
}

static inline uint64_t id_of(unsigned version, unsigned key, size_t i)
{
	return version + key + 2 * i + 1;
}

static inline void put_index(MDB_txn *txn, const char *name, unsigned version)
{
	MDB_dbi dbi = test_dbi(txn, name, MDB_CREATE | INDEX_FLAGS);
	char key[4];

	for (unsigned k = 0; k < NKEYS; k++) {
		make_key(k, key);
		for (size_t i = 0; i < nids_of(k); i++) {
			uint64_t id = id_of(version, k, i);

			test_put(txn, dbi, key, sizeof(key), &id, sizeof(id));
		}
	}
}

static inline void put_entries(MDB_txn *txn, unsigned first)
{
	static char value[9000];
	MDB_dbi dbi = test_dbi(txn, "id2e", MDB_CREATE | MDB_INTEGERKEY);

	for (uint64_t id = first; id < first + 300; id++) {
		memset(value, (int)(id % TEST_OLD_BYTE), sizeof(value));
		test_put(txn, dbi, &id, sizeof(id), value, id % 50 == 0 ? 9000 : 100);
	}
}

/* Some databases; some transactions, which leave free pages. */
static inline void fixture_make(struct fixture *fixture)
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;

	fixture->dir = test_scratch();
	(void)snprintf(fixture->path, sizeof(fixture->path), "%s/data.mdb", fixture->dir);
	env = test_env(fixture->dir, MDB_NOSYNC, 256 << 20);
	txn = test_txn(env, 0);
	put_entries(txn, 1);
	put_index(txn, "cn", 0);
	put_index(txn, "mail", 0);
	put_index(txn, "sn", 0);
	assert_int_equal(mdb_txn_commit(txn), 0);
	for (unsigned i = 0; i < 5; i++) {
		txn = test_txn(env, 0);
		put_entries(txn, 100 + 200 * i);
		assert_int_equal(mdb_txn_commit(txn), 0);
	}
	mdb_env_close(env);
}

/* ---- what it holds ---- */

static inline void assert_index(MDB_txn *txn, const char *name, unsigned version)
{
	MDB_dbi dbi = test_dbi(txn, name, 0);
	MDB_cursor *cursor = test_cursor(txn, dbi);
	MDB_val key = {0, NULL};
	MDB_val value = {0, NULL};
	MDB_stat stat;
	size_t n = 0;

	for (unsigned k = 0; k < NKEYS; k++) {
		char wanted[4];

		make_key(k, wanted);
		for (size_t i = 0; i < nids_of(k); i++) {
			uint64_t id = id_of(version, k, i);

			assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT),
			                 0);
			assert_int_equal(key.mv_size, sizeof(wanted));
			assert_memory_equal(key.mv_data, wanted, sizeof(wanted));
			assert_int_equal(value.mv_size, sizeof(id));
			assert_memory_equal(value.mv_data, &id, sizeof(id));
			n++;
		}
	}
	assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), MDB_NOTFOUND);
	mdb_cursor_close(cursor);
	assert_int_equal(mdb_stat(txn, dbi, &stat), 0);
	assert_int_equal(stat.ms_entries, n);
}

/* The version of an index, as its first ID tells it. */
static inline unsigned version_of(const struct fixture *fixture, const char *name)
{
	MDB_txn *txn = test_begin(fixture->dir, MDB_RDONLY);
	MDB_dbi dbi = test_dbi(txn, name, 0);
	MDB_val key = {4, (void *)"\0\0\0"};
	MDB_val value = {0, NULL};
	uint64_t id = 0;

	assert_int_equal(mdb_get(txn, dbi, &key, &value), 0);
	memcpy(&id, value.mv_data, sizeof(id));
	test_abort(txn);
	return (unsigned)(id - 1);
}

static inline void found(void *ctx, const struct dit_walk_finding *finding)
{
	(void)ctx;
	print_error("%s: %s page %lld: %s\n", dit_walk_kind_name(finding->kind),
	            finding->database == NULL ? "-" : finding->database,
	            (long long)finding->page, finding->text);
}

static inline void assert_sound(const struct fixture *fixture)
{
	struct dit_walk_stats stats;
	struct dit_walk_opts opts = {.shared.nthreads = 1, .found = found};
	char command[9000];

	opts.fd = open(fixture->path, O_RDONLY);
	assert_true(opts.fd >= 0);
	assert_int_equal(dit_walk(&opts, &stats), 0);
	assert_int_equal(stats.nfindings, 0);
	(void)close(opts.fd);
	/* It counts pages, too. */
	(void)snprintf(command, sizeof(command),
	               "mkdir %s/copy && mdb_copy -c %s %s/copy && rm -r %s/copy",
	               fixture->dir, fixture->dir, fixture->dir, fixture->dir);
	assert_int_equal(system(command), 0);
}

static inline void assert_versions(const struct fixture *fixture, unsigned cn,
                                   unsigned mail, unsigned sn)
{
	MDB_txn *txn = test_begin(fixture->dir, MDB_RDONLY);
	MDB_stat stat;

	assert_index(txn, "cn", cn);
	assert_index(txn, "mail", mail);
	assert_index(txn, "sn", sn);
	assert_int_equal(mdb_stat(txn, test_dbi(txn, "id2e", 0), &stat), 0);
	assert_int_equal(stat.ms_entries, 1199);
	test_abort(txn);
}

static inline uint64_t file_bytes(const struct fixture *fixture)
{
	struct stat st;

	assert_int_equal(stat(fixture->path, &st), 0);
	return (uint64_t)st.st_size;
}

/* ---- commits ---- */

static inline int open_commit(const struct fixture *fixture, uint64_t max_bytes,
                              uint64_t oldest, struct dit_page_commit **ret, int *ret_fd)
{
	struct dit_page_commit_opts opts = {
		.format = &dit_lmdb_09,
		.max_bytes = max_bytes,
		.oldest = oldest,
	};
	int r = 0;

	*ret_fd = open(fixture->path, O_RDWR);
	assert_true(*ret_fd >= 0);
	opts.fd = *ret_fd;
	r = dit_page_commit_open(ret, &opts);
	if (r < 0) {
		(void)close(*ret_fd);
	}
	return r;
}

static inline int write_index(struct dit_page_commit *commit, const char *name,
                              unsigned version)
{
	struct dit_tree_record tree = {.flags = INDEX_FLAGS};
	struct dit_table_writer *writer = NULL;
	uint64_t ids[3000];
	char key[4];
	int r = dit_table_writer_new(&writer, dit_page_commit_space(commit), INDEX_FLAGS);

	for (unsigned k = 0; k < NKEYS && r == 0; k++) {
		make_key(k, key);
		for (size_t i = 0; i < nids_of(k); i++) {
			ids[i] = id_of(version, k, i);
		}
		r = dit_table_writer_put(writer, (struct dit_span){key, sizeof(key)}, ids,
		                         nids_of(k));
	}
	r = r ?: dit_table_writer_finish(writer, &tree);
	dit_table_writer_free(writer);
	return r < 0 ? r : dit_page_commit_put(commit, dit_span_of(name), &tree);
}

/* The pages of the old trees become free. */
static inline int write_commit(struct dit_page_commit *commit)
{
	const struct dit_page_old_opts old = {.nthreads = 1};

	return dit_page_commit_give_old(commit, &old) ?: dit_page_commit_write(commit);
}

#endif
