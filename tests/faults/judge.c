/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lmdb.h>
#include <xxhash.h>

#include "base/error.h"
#include "files/data_seal.h"
#include "page/meta_pages.h"
#include "page/page_seal.h"
#include "reader/snapshot.h"
#include "reader/stored_order.h"
#include "system/file_io.h"
#include "system/xor_crypto.h"
#include "walk/walk.h"

#define NSLOTS     (1u << 18) /* of known files; more are looked at again */
#define MAX_DBS    64
#define REASON     512
#define NAME_BYTES 512
#define MAP_MORE   (1u << 20)

struct known {
	XXH128_hash_t file;
	uint64_t content;
};

struct judge {
	char *scratch;
	struct known *known;
	unsigned long nfiles;
	char reason[REASON];
	/* Sealed files have these, as lib.sh seals them. */
	struct dit_crypto crypto;
	struct dit_page_format sealed;
};

struct judge *judge_new(const char *scratch)
{
	static char key[XOR_KEY_BYTES];
	struct judge *judge = calloc(1, sizeof(*judge));

	if (judge == NULL) {
		return NULL;
	}
	judge->scratch = strdup(scratch);
	judge->known = calloc(NSLOTS, sizeof(*judge->known));
	if (judge->scratch == NULL || judge->known == NULL) {
		judge_free(judge);
		return NULL;
	}
	judge->crypto = xor_crypto("sesame", key);
	judge->sealed = dit_page_format_sealed(&judge->crypto);
	return judge;
}

void judge_free(struct judge *judge)
{
	if (judge != NULL) {
		free(judge->scratch);
		free(judge->known);
		free(judge);
	}
}

const char *judge_reason(const struct judge *judge)
{
	return judge->reason;
}

unsigned long judge_nfiles(const struct judge *judge)
{
	return judge->nfiles;
}

static int say(struct judge *judge, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int say(struct judge *judge, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(judge->reason, sizeof(judge->reason), format, args);
	va_end(args);
	return -1;
}

/* NULL: the file is not sealed. */
static const struct dit_page_format *sealed_of(const struct judge *judge, int fd)
{
	return dit_data_is_sealed(fd) ? &judge->sealed : NULL;
}

/* ---- the walker ---- */

/* The first one; others often follow from it. */
static void found(void *ctx, const struct dit_walk_finding *finding)
{
	struct judge *judge = ctx;

	if (judge->reason[0] != '\0') {
		return;
	}
	(void)say(judge, "%s: %s", dit_walk_kind_name(finding->kind), finding->text);
}

static int walk(struct judge *judge, int fd)
{
	struct dit_walk_opts opts = {
		.fd = fd,
		.shared = {.nthreads = 1, .sealed = sealed_of(judge, fd)},
		.order = dit_stored_order,
		.found = found,
		.ctx = judge,
	};
	struct dit_walk_stats stats;
	int r = 0;

	judge->reason[0] = '\0';
	r = dit_walk(&opts, &stats);
	if (r < 0) {
		return say(judge, "the walk: %s", dit_strerror(r));
	}
	return stats.nfindings == 0 ? 0 : -1;
}

/* ---- liblmdb ---- */

static uint64_t add(uint64_t digest, const MDB_val *val)
{
	digest = XXH3_64bits_withSeed(&val->mv_size, sizeof(val->mv_size), digest);
	return XXH3_64bits_withSeed(val->mv_data, val->mv_size, digest);
}

/* All records; of the main database the names alone. */
static int digest_database(MDB_txn *txn, MDB_dbi dbi, bool is_main, uint64_t *digest)
{
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val val;
	int r = mdb_cursor_open(txn, dbi, &cursor);

	while (r == 0 && (r = mdb_cursor_get(cursor, &key, &val, MDB_NEXT)) == 0) {
		char name[NAME_BYTES];
		MDB_dbi named = 0;

		*digest = add(*digest, &key);
		if (!is_main) {
			*digest = add(*digest, &val);
			continue;
		}
		(void)snprintf(name, sizeof(name), "%.*s", (int)key.mv_size,
		               (const char *)key.mv_data);
		r = mdb_dbi_open(txn, name, 0, &named);
		r = r ?: digest_database(txn, named, false, digest);
		if (r != 0) {
			break;
		}
	}
	if (cursor != NULL) {
		mdb_cursor_close(cursor);
	}
	return r == MDB_NOTFOUND ? 0 : r;
}

static int copy(MDB_env *env)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int r = mdb_env_copyfd2(env, fd, MDB_CP_COMPACT);

	(void)close(fd);
	return r;
}

static int read_records(struct judge *judge, size_t nbytes, uint64_t *digest)
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_dbi main_dbi = 0;
	int r = mdb_env_create(&env);

	if (r != 0) {
		return say(judge, "%s", mdb_strerror(r));
	}
	(void)mdb_env_set_maxdbs(env, MAX_DBS);
	(void)mdb_env_set_mapsize(env, nbytes + MAP_MORE);
	r = mdb_env_open(env, judge->scratch, MDB_NOSUBDIR | MDB_NOLOCK | MDB_RDONLY,
	                 0600);
	r = r ?: mdb_txn_begin(env, NULL, MDB_RDONLY, &txn);
	r = r ?: mdb_dbi_open(txn, NULL, 0, &main_dbi);
	r = r ?: digest_database(txn, main_dbi, true, digest);
	if (txn != NULL) {
		mdb_txn_abort(txn);
	}
	r = r ?: copy(env);
	mdb_env_close(env);
	return r == 0 ? 0 : say(judge, "liblmdb: %s", mdb_strerror(r));
}

/* ---- LMDB 1.0, which liblmdb cannot read ---- */

static uint64_t add_span(uint64_t digest, struct dit_span span)
{
	const MDB_val val = {span.len, (void *)span.data};

	return add(digest, &val);
}

static int digest_scan(struct dit_snapshot *snapshot, const char *name, uint64_t *digest)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span value;
	int r = dit_snapshot_cursor_open(&cursor, snapshot, 0, name);

	*digest = add_span(*digest, dit_span_of(name));
	while (r == 0 && (r = dit_tree_cursor_next(cursor, &key, &value)) > 0) {
		*digest = add_span(add_span(*digest, key), value);
		r = 0;
	}
	dit_tree_cursor_close(cursor);
	return r;
}

static int read_records_10(struct judge *judge, int fd, uint64_t *digest)
{
	const struct dit_snapshot_opts opts = {.nreaders = 1,
	                                       .sealed = sealed_of(judge, fd),
	                                       .is_claimed = true,
	                                       .claimed_fd = fd};
	struct dit_snapshot *snapshot = NULL;
	int r = dit_snapshot_open_readers(&snapshot, NULL, &opts);

	for (size_t i = 0; r == 0 && i < snapshot->ndbs; i++) {
		r = digest_scan(snapshot, snapshot->dbs[i].name, digest);
	}
	dit_snapshot_close(snapshot);
	return r == 0 ? 0 : say(judge, "the records: %s", dit_strerror(r));
}

/* ---- the whole ---- */

static int read_all(struct judge *judge, int fd, size_t nbytes, uint64_t *digest)
{
	return dit_meta_version(fd) == dit_lmdb_10.version
	               ? read_records_10(judge, fd, digest)
	               : read_records(judge, nbytes, digest);
}

static uint64_t look(struct judge *judge, struct dit_span bytes)
{
	uint64_t digest = 0;
	int fd = open(judge->scratch, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : dit_write_at(fd, bytes.data, bytes.len, 0);

	judge->nfiles++;
	if (r < 0) {
		(void)fprintf(stderr, "%s: %s\n", judge->scratch, dit_strerror(r));
		abort();
	}
	if (walk(judge, fd) < 0 || read_all(judge, fd, bytes.len, &digest) < 0) {
		digest = JUDGE_DAMAGED;
	} else if (digest <= JUDGE_NO_FILE) {
		digest += 2;
	}
	(void)close(fd);
	return digest;
}

uint64_t judge_content(struct judge *judge, struct dit_span bytes)
{
	XXH128_hash_t file;
	struct known *known = NULL;

	if (bytes.data == NULL) {
		return JUDGE_NO_FILE;
	}
	if (bytes.len == 0) {
		(void)say(judge, "the file is empty");
		return JUDGE_DAMAGED;
	}
	file = XXH3_128bits(bytes.data, bytes.len);
	known = &judge->known[file.low64 % NSLOTS];
	if (!XXH128_isEqual(known->file, file)) {
		*known = (struct known){.file = file, .content = look(judge, bytes)};
	} else if (known->content == JUDGE_DAMAGED) {
		(void)say(judge, "damaged as before");
	}
	return known->content;
}
