/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spoil the index databases of a back-mdb directory with liblmdb, for tests of what
 * rebuilds them.
 *
 *   spoil DIRECTORY empty    their keys are gone
 *   spoil DIRECTORY drop     they are gone themselves
 *   spoil DIRECTORY stale    keys are missing, others are there that should not be
 *   spoil DIRECTORY extra    there is one more, "stale", that is not configured
 *   spoil DIRECTORY damaged  their topmost pages are no pages of LMDB's format any more
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lmdb.h>

#define INDEX_FLAGS (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)

static void must(int rc, const char *what)
{
	if (rc != 0) {
		(void)fprintf(stderr, "spoil: %s: %s\n", what, mdb_strerror(rc));
		exit(2);
	}
}

static void put(MDB_txn *txn, MDB_dbi dbi, uint32_t word, uint64_t id)
{
	MDB_val key = {sizeof(word), &word};
	MDB_val data = {sizeof(id), &id};

	must(mdb_put(txn, dbi, &key, &data, 0), "mdb_put");
}

/*
 * Each third key goes, and others come. Whole keys: where liblmdb deletes single IDs
 * under a cursor that moves on, its count of them is wrong afterwards.
 */
static void make_stale(MDB_txn *txn, MDB_dbi dbi)
{
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val data;
	unsigned n = 0;

	must(mdb_cursor_open(txn, dbi, &cursor), "mdb_cursor_open");
	while (mdb_cursor_get(cursor, &key, &data, MDB_NEXT_NODUP) == 0) {
		if (n++ % 3 == 0) {
			must(mdb_cursor_del(cursor, MDB_NODUPDATA), "mdb_cursor_del");
		}
	}
	mdb_cursor_close(cursor);
	for (uint32_t i = 0; i < 2000; i++) {
		put(txn, dbi, 0x12345678u + i * 77777u % 900u, i + 1);
	}
}

static void spoil(MDB_txn *txn, MDB_dbi dbi, const char *how)
{
	unsigned flags = 0;

	must(mdb_dbi_flags(txn, dbi, &flags), "mdb_dbi_flags");
	if ((flags & ~(unsigned)MDB_INTEGERKEY) != INDEX_FLAGS) {
		return;
	}
	if (strcmp(how, "stale") == 0) {
		make_stale(txn, dbi);
	} else {
		must(mdb_drop(txn, dbi, strcmp(how, "drop") == 0), "mdb_drop");
	}
}

/* A database's record in the main tree: flags are in its bytes 4 and 5, the number of its
 * topmost page is in the last eight. */
struct record {
	unsigned flags;
	uint64_t root;
};

/* The record of a named database, read by liblmdb from the main tree. */
static struct record record_of(const MDB_val *value)
{
	struct record record = {0};
	uint16_t flags = 0;

	if (value->mv_size == 48) {
		memcpy(&flags, (const char *)value->mv_data + 4, sizeof(flags));
		memcpy(&record.root, (const char *)value->mv_data + 40, 8);
	}
	record.flags = flags;
	return record;
}

/* One way of damage after the other. */
static void damage_page(int fd, uint64_t page, size_t page_bytes, unsigned how)
{
	static const struct {
		size_t at;
		const char *bytes;
		size_t n;
	} damages[] = {
		{10, "\0\0", 2},             /* flags */
		{0, "\1\2\3\4\5\6", 6},      /* its own number */
		{12, "\xff\xff\xff\xff", 4}, /* bounds */
		{16, "\x01\x00\x03\x00", 4}, /* where its nodes are */
	};
	off_t at = (off_t)(page * page_bytes + damages[how % 4].at);

	if (pwrite(fd, damages[how % 4].bytes, damages[how % 4].n, at) !=
	    (ssize_t)damages[how % 4].n) {
		must(EIO, "pwrite");
	}
}

/* No transaction: liblmdb would not write such pages. */
static int damage(const char *directory)
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_cursor *cursor = NULL;
	MDB_dbi main_dbi = 0;
	MDB_val key;
	MDB_val value;
	MDB_stat stat;
	unsigned n = 0;
	char path[4096];
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/data.mdb", directory);
	fd = open(path, O_WRONLY);
	must(fd < 0 ? errno : 0, path);
	must(mdb_env_create(&env), "mdb_env_create");
	must(mdb_env_open(env, directory, MDB_RDONLY, 0600), directory);
	must(mdb_env_stat(env, &stat), "mdb_env_stat");
	must(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), "mdb_txn_begin");
	must(mdb_dbi_open(txn, NULL, 0, &main_dbi), "mdb_dbi_open");
	must(mdb_cursor_open(txn, main_dbi, &cursor), "mdb_cursor_open");
	while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
		struct record record = record_of(&value);

		if ((record.flags & ~(unsigned)MDB_INTEGERKEY) == INDEX_FLAGS &&
		    record.root != UINT64_MAX) {
			damage_page(fd, record.root, stat.ms_psize, n++);
		}
	}
	mdb_cursor_close(cursor);
	mdb_txn_abort(txn);
	mdb_env_close(env);
	return close(fd) == 0 && n > 0 ? 0 : 2;
}

int main(int argc, char *argv[])
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_cursor *cursor = NULL;
	MDB_dbi main_dbi = 0;
	MDB_dbi dbis[256];
	size_t n = 0;
	MDB_val key;

	if (argc != 3) {
		(void)fputs("usage: spoil DIRECTORY empty|drop|stale|extra|damaged\n",
		            stderr);
		return 2;
	}
	if (strcmp(argv[2], "damaged") == 0) {
		return damage(argv[1]);
	}
	must(mdb_env_create(&env), "mdb_env_create");
	must(mdb_env_set_maxdbs(env, 256), "mdb_env_set_maxdbs");
	must(mdb_env_open(env, argv[1], 0, 0600), argv[1]);
	must(mdb_txn_begin(env, NULL, 0, &txn), "mdb_txn_begin");
	must(mdb_dbi_open(txn, NULL, 0, &main_dbi), "mdb_dbi_open");
	must(mdb_cursor_open(txn, main_dbi, &cursor), "mdb_cursor_open");
	while (mdb_cursor_get(cursor, &key, NULL, MDB_NEXT) == 0 && n < 256) {
		char *name = strndup(key.mv_data, key.mv_size);

		must(mdb_dbi_open(txn, name, 0, &dbis[n++]), name);
		free(name);
	}
	mdb_cursor_close(cursor);
	if (strcmp(argv[2], "extra") == 0) {
		must(mdb_dbi_open(txn, "stale", MDB_CREATE | INDEX_FLAGS, &dbis[0]),
		     "mdb_dbi_open");
		put(txn, dbis[0], 1, 1);
		n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		spoil(txn, dbis[i], argv[2]);
	}
	must(mdb_txn_commit(txn), "mdb_txn_commit");
	mdb_env_close(env);
	return 0;
}
