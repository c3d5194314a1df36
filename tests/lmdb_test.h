/* SPDX-License-Identifier: BSD-2-Clause */
/* Databases by liblmdb: each call must succeed. */
#ifndef DITKIT_LMDB_TEST_H
#define DITKIT_LMDB_TEST_H

#include "test.h"

#include <lmdb.h>

/** Open an environment. map_bytes: of a new file; 0: as the file or liblmdb says */
static inline MDB_env *test_env(const char *path, unsigned flags, size_t map_bytes)
{
	MDB_env *env = NULL;

	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, 64), 0);
	if (map_bytes > 0) {
		assert_int_equal(mdb_env_set_mapsize(env, map_bytes), 0);
	}
	assert_int_equal(mdb_env_open(env, path, flags, 0600), 0);
	return env;
}

/** Begin a transaction. */
static inline MDB_txn *test_txn(MDB_env *env, unsigned flags)
{
	MDB_txn *txn = NULL;

	assert_int_equal(mdb_txn_begin(env, NULL, flags, &txn), 0);
	return txn;
}

/** Begin one in an environment of its own, with the flags of both. */
static inline MDB_txn *test_begin(const char *path, unsigned flags)
{
	return test_txn(test_env(path, flags, 0), flags & MDB_RDONLY);
}

/** Open a database in a transaction; NULL: the main one. */
static inline MDB_dbi test_dbi(MDB_txn *txn, const char *name, unsigned flags)
{
	MDB_dbi dbi = 0;

	assert_int_equal(mdb_dbi_open(txn, name, flags, &dbi), 0);
	return dbi;
}

static inline MDB_cursor *test_cursor(MDB_txn *txn, MDB_dbi dbi)
{
	MDB_cursor *cursor = NULL;

	assert_int_equal(mdb_cursor_open(txn, dbi, &cursor), 0);
	return cursor;
}

static inline void test_put(MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_len,
                            const void *value, size_t len)
{
	MDB_val k = {key_len, (void *)key};
	MDB_val v = {len, (void *)value};

	assert_int_equal(mdb_put(txn, dbi, &k, &v, 0), 0);
}

/** Commit a transaction, and close its environment. */
static inline void test_commit(MDB_txn *txn)
{
	MDB_env *env = mdb_txn_env(txn);

	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}

/** The same, with no change. */
static inline void test_abort(MDB_txn *txn)
{
	MDB_env *env = mdb_txn_env(txn);

	mdb_txn_abort(txn);
	mdb_env_close(env);
}

#endif
