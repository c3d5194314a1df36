/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small database with some bytes of its records changed, checked in full by one thread
 * and by three: structure and content.
 *
 * The input is a list of changes, 5 bytes each: database, record, place in the value
 * (2 bytes), byte. A byte of 0 removes the record. Liblmdb makes the changes, so that the
 * structure stays sound and the content is looked at; with the highest bit of the first
 * byte set, a byte of the file is changed instead.
 */
#include "bulk/check.h"
#include "bulk/load_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lmdb.h>

#define CHANGE_BYTES 5
#define NCHANGES_MAX 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
	"ad2i", "dn2i",      "id2e",        "id2v",
	"cn",   "uidNumber", "objectClass", "telephoneNumber"};
#define NNAMES (sizeof(names) / sizeof(names[0]))

static void require(bool is_right)
{
	if (!is_right) {
		abort();
	}
}

/* ---- the database ---- */

static struct load_fixture fixture;
static char copy[4300];

static void remove_fixture(void)
{
	load_fixture_deinit(&fixture);
}

static void make_database(void)
{
	struct dit_load_opts opts;
	struct dit_load_stats stats;

	load_fixture_init(&fixture, "multival cn 1,1\n");
	load_fixture_write_people(&fixture, 20);
	opts = load_fixture_opts(&fixture);
	require(dit_load(&opts, &stats) == 0);
	dit_load_stats_deinit(&stats);
	(void)snprintf(copy, sizeof(copy), "%s/data.mdb", fixture.subordinate);
	(void)atexit(remove_fixture);
}

static void copy_database(void)
{
	static char bytes[4 << 20];
	char path[4300];
	ssize_t n = 0;
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/data.mdb", fixture.database);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	require(fd >= 0);
	n = read(fd, bytes, sizeof(bytes));
	require(n > 0 && (size_t)n < sizeof(bytes) && close(fd) == 0);
	fd = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	require(fd >= 0 && write(fd, bytes, (size_t)n) == n && close(fd) == 0);
}

/* ---- changes ---- */

static void change_record(MDB_txn *txn, const uint8_t *change)
{
	unsigned wanted = change[1];
	unsigned place = change[2] | (unsigned)change[3] << 8;
	char bytes[5000];
	MDB_cursor *cursor = NULL;
	MDB_dbi dbi = 0;
	MDB_val key;
	MDB_val value;

	require(mdb_dbi_open(txn, names[change[0] % NNAMES], 0, &dbi) == 0 &&
	        mdb_cursor_open(txn, dbi, &cursor) == 0);
	while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 && wanted > 0) {
		wanted--;
	}
	if (mdb_cursor_get(cursor, &key, &value, MDB_GET_CURRENT) == 0 &&
	    value.mv_size > 0 && value.mv_size <= sizeof(bytes)) {
		memcpy(bytes, value.mv_data, value.mv_size);
		bytes[place % value.mv_size] ^= (char)change[4];
		value.mv_data = bytes;
		/* Another record may have that value. */
		if (mdb_cursor_del(cursor, 0) == 0 && change[4] != 0) {
			char kept[600];

			require(key.mv_size <= sizeof(kept));
			(void)mdb_put(txn, dbi, &key, &value, MDB_NODUPDATA);
		}
	}
	mdb_cursor_close(cursor);
}

static void change_records(const uint8_t *data, size_t nchanges)
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;

	require(mdb_env_create(&env) == 0 && mdb_env_set_maxdbs(env, 40) == 0);
	require(mdb_env_open(env, copy, MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0600) ==
	        0);
	require(mdb_txn_begin(env, NULL, 0, &txn) == 0);
	for (size_t i = 0; i < nchanges; i++) {
		if ((data[i * CHANGE_BYTES] & 0x80) == 0) {
			change_record(txn, data + i * CHANGE_BYTES);
		}
	}
	require(mdb_txn_commit(txn) == 0);
	mdb_env_close(env);
}

static void change_file(const uint8_t *data, size_t nchanges)
{
	int fd = open(copy, O_RDWR | O_CLOEXEC);
	off_t len = lseek(fd, 0, SEEK_END);

	require(len > 0);
	for (size_t i = 0; i < nchanges; i++) {
		const uint8_t *change = data + i * CHANGE_BYTES;
		off_t at = (off_t)(change[1] | (unsigned)change[2] << 8 |
		                   (unsigned)change[3] << 16) %
		           len;
		char byte = 0;

		if ((change[0] & 0x80) != 0) {
			require(pread(fd, &byte, 1, at) == 1);
			byte ^= (char)change[4];
			require(pwrite(fd, &byte, 1, at) == 1);
		}
	}
	require(close(fd) == 0);
}

/* ---- checks ---- */

static void look_at(void *ctx, const struct dit_check_finding *finding)
{
	uint64_t *digest = ctx;

	for (const char *p = finding->text; *p != '\0'; p++) {
		*digest = *digest * 31 + (unsigned char)*p;
	}
	*digest += strlen(finding->kind);
	*digest += finding->dn == NULL ? 0 : strlen(finding->dn);
}

static uint64_t check(unsigned nthreads, int *ret)
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
	struct dit_check_stats stats;
	uint64_t digest = 0;

	opts.conf = fixture.conf;
	opts.path = fixture.subordinate;
	opts.threads = nthreads;
	opts.memory_bytes = 16 << 20;
	opts.found = look_at;
	opts.found_ctx = &digest;
	*ret = dit_check(&opts, &stats);
	dit_check_stats_deinit(&stats);
	return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t nchanges = size / CHANGE_BYTES;
	uint64_t one = 0;
	int r = 0;
	int r3 = 0;

	if (copy[0] == '\0') {
		make_database();
	}
	nchanges = nchanges > NCHANGES_MAX ? NCHANGES_MAX : nchanges;
	copy_database();
	change_records(data, nchanges);
	change_file(data, nchanges);
	one = check(1, &r);
	require(check(3, &r3) == one && r3 == r);
	return 0;
}
