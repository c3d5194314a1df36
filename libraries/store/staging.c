/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The staging environment: opened, abandoned. What lies in a database directory:
 *
 *   DIR/                    under a claim (claim.h) from open to the end
 *   DIR/data.mdb            the old database, if any: untouched until the rename
 *   DIR/lock.mdb
 *   DIR/ditkit-staging/
 *       data.mdb            the new one; nobody else knows it, so it needs no LMDB locks
 */
#include "store/staging_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_size_signal.h"
#include "store/format_check.h"
#include "store/lmdb_error.h"

/* What LMDB takes for a map size of 0, and slapd for "maxsize 0" (config.md). */
#define MAXSIZE_DEFAULT 1048576u

/* ---- the old database ---- */

/* Of all named databases; whoever holds attribute numbers only is not empty. */
static int count_records(MDB_env *env, uint64_t *ret)
{
	MDB_txn *txn = NULL;
	MDB_cursor *cursor = NULL;
	MDB_dbi main_dbi = 0;
	MDB_val key;
	MDB_val data;
	uint64_t n = 0;
	int r = dit_lmdb_error(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn));

	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(mdb_dbi_open(txn, NULL, 0, &main_dbi));
	if (r == 0) {
		r = dit_lmdb_error(mdb_cursor_open(txn, main_dbi, &cursor));
	}
	while (r == 0 &&
	       (r = dit_lmdb_error(mdb_cursor_get(cursor, &key, &data, MDB_NEXT))) == 0) {
		struct dit_tree_record tree = {.nitems = 0};

		/* slapd's environments hold nothing but named databases. */
		if (data.mv_size == sizeof(tree)) {
			memcpy(&tree, data.mv_data, sizeof(tree));
			n += tree.nitems;
		}
	}
	if (cursor != NULL) {
		mdb_cursor_close(cursor);
	}
	mdb_txn_abort(txn);
	if (r == MDB_NOTFOUND) {
		*ret = n;
		r = 0;
	}
	return r;
}

/*
 * DIT_E_NOTEMPTY if there are records. No LMDB locks: the claim is better, and to close
 * another descriptor of lock.mdb would lose it.
 */
static int check_empty(const struct dit_claim *claim, const char *directory,
                       uint64_t *ret_nrecords)
{
	MDB_env *env = NULL;
	struct stat st;
	uint64_t nrecords = 0;
	int r = 0;

	if (fstatat(claim->dir_fd, DIT_DATA_NAME, &st, 0) != 0) {
		return errno == ENOENT ? 0 : -errno;
	}
	if (st.st_size == 0) {
		return 0;
	}
	r = dit_lmdb_error(mdb_env_create(&env));
	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(mdb_env_set_maxdbs(env, 1));
	if (r == 0) {
		r = dit_lmdb_error(
			mdb_env_open(env, directory, MDB_RDONLY | MDB_NOLOCK, 0));
	}
	if (r == 0) {
		r = count_records(env, &nrecords);
	}
	mdb_env_close(env);
	if (r == 0 && nrecords > 0) {
		*ret_nrecords = nrecords;
		r = DIT_E_NOTEMPTY;
	}
	return r;
}

/* ---- the staging directory ---- */

/* Remove the files in it, whatever their names. A directory among them stays. */
static int empty_directory(int dir_fd)
{
	struct dirent *entry = NULL;
	DIR *dir = NULL;
	int fd = openat(dir_fd, DIT_STAGING_NAME,
	                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r = 0;

	if (fd < 0) {
		return -errno;
	}
	dir = fdopendir(fd);
	if (dir == NULL) {
		r = -errno;
		(void)close(fd);
		return r;
	}
	while (r == 0 && (errno = 0, entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    unlinkat(fd, entry->d_name, 0) != 0) {
			r = -errno;
		}
	}
	if (r == 0 && errno != 0) {
		r = -errno;
	}
	(void)closedir(dir);
	return r;
}

int dit_staging_clear(int dir_fd)
{
	int r = empty_directory(dir_fd);

	if (r == -ENOENT) {
		return 0;
	}
	if (r == 0 && unlinkat(dir_fd, DIT_STAGING_NAME, AT_REMOVEDIR) != 0) {
		r = -errno;
	}
	return r;
}

static int make_staging_directory(int dir_fd)
{
	int r = dit_staging_clear(dir_fd);

	if (r == 0 && mkdirat(dir_fd, DIT_STAGING_NAME, 0700) != 0) {
		r = -errno;
	}
	return r;
}

/* ---- the staging environment ---- */

/* An empty database, closed again: liblmdb comes back when our pages are written. */
static int make_file(struct dit_staging *staging)
{
	MDB_env *env = NULL;
	MDB_stat stat;
	sigset_t previous;
	int r = dit_lmdb_error(mdb_env_create(&env));

	if (r < 0) {
		return r;
	}
	/* Our own access bits are needed now and taken away at the end. */
	dit_file_size_signal_block(&previous);
	r = dit_lmdb_error(mdb_env_open(env, staging->staging_path,
	                                MDB_NOSYNC | MDB_NOLOCK, staging->mode | 0600));
	dit_file_size_signal_restore(&previous);
	if (r == 0) {
		r = dit_lmdb_error(mdb_env_stat(env, &stat));
	}
	mdb_env_close(env);
	if (r == 0) {
		staging->page_bytes = stat.ms_psize;
	}
	return r;
}

static int make_staging_database(struct dit_staging *staging,
                                 const struct dit_staging_opts *opts)
{
	struct dit_page_file_opts file = {.writer = opts->writer,
	                                  .is_direct = !opts->use_page_cache};
	int r = make_file(staging);

	if (r < 0) {
		return r;
	}
	dit_page_space_init(&staging->space, staging->page_bytes, STAGING_FIRST_PAGE);
	r = dit_page_file_open(&staging->space.file, staging->claim.dir_fd,
	                       DIT_STAGING_NAME "/" DIT_DATA_NAME, &file);
	return r < 0 ? r : dit_staging_open_tables(staging);
}

void dit_staging_close_env(struct dit_staging *staging)
{
	if (staging->txn != NULL) {
		mdb_txn_abort(staging->txn); /* takes the cursor along */
		staging->txn = NULL;
		staging->cursor = NULL;
	}
	if (staging->env != NULL) {
		mdb_env_close(staging->env);
		staging->env = NULL;
	}
}

void dit_staging_free(struct dit_staging *staging, enum dit_claim_end end)
{
	dit_table_writer_free(staging->ads);
	dit_table_writer_free(staging->entries);
	dit_page_file_close(&staging->space.file);
	dit_staging_close_env(staging);
	(void)dit_staging_clear(staging->claim.dir_fd);
	dit_claim_drop(&staging->claim, end);
	for (size_t i = 0; i < staging->nindexes; i++) {
		free(staging->indexes[i].name);
	}
	free(staging->indexes);
	for (size_t i = 0; i < DIT_NFIXED_TABLES; i++) {
		free(staging->fixed[i].name);
	}
	free(staging->staging_path);
	free(staging->directory);
	free(staging);
}

/* Names and flags as in storage.md 1.2. */
static int name_fixed_tables(struct dit_staging *staging)
{
	static const struct dit_staged_table tables[DIT_NFIXED_TABLES] = {
		[DIT_TABLE_ADS] = {.name = "ad2i", .flags = MDB_INTEGERKEY},
		[DIT_TABLE_NAMES] = {.name = "dn2i",
	                             .flags = MDB_INTEGERKEY | MDB_DUPSORT},
		[DIT_TABLE_ENTRIES] = {.name = "id2e", .flags = MDB_INTEGERKEY},
	};

	for (size_t i = 0; i < DIT_NFIXED_TABLES; i++) {
		staging->fixed[i] = tables[i];
		staging->fixed[i].name = strdup(tables[i].name);
		if (staging->fixed[i].name == NULL) {
			return -ENOMEM;
		}
	}
	return 0;
}

static int staging_init(struct dit_staging *staging, const struct dit_staging_opts *opts)
{
	staging->mode = opts->mode;
	staging->maxsize_bytes =
		opts->maxsize_bytes == 0 ? MAXSIZE_DEFAULT : opts->maxsize_bytes;
	staging->may_grow = opts->may_grow;
	staging->ndbs = opts->ndbs;
	staging->directory = strdup(opts->directory);
	if (staging->directory == NULL ||
	    asprintf(&staging->staging_path, "%s/" DIT_STAGING_NAME, opts->directory) <
	            0) {
		staging->staging_path = NULL;
		return -ENOMEM;
	}
	return name_fixed_tables(staging);
}

int dit_staging_open(struct dit_staging **ret, const struct dit_staging_opts *opts,
                     uint64_t *ret_nrecords)
{
	struct dit_staging *staging = NULL;
	int r = dit_format_check(opts->directory);

	if (r < 0) {
		return r;
	}
	staging = calloc(1, sizeof(*staging));
	if (staging == NULL) {
		return -ENOMEM;
	}
	staging->space.file.fd = -1;
	r = dit_claim_take(&staging->claim, opts->directory, opts->mode);
	if (r < 0) {
		free(staging);
		return r;
	}
	r = check_empty(&staging->claim, opts->directory, ret_nrecords);
	if (r == 0) {
		r = staging_init(staging, opts);
	}
	if (r == 0) {
		r = make_staging_directory(staging->claim.dir_fd);
	}
	if (r == 0) {
		r = make_staging_database(staging, opts);
	}
	if (r < 0) {
		dit_staging_free(staging, DIT_CLAIM_UNUSED);
		return r;
	}
	*ret = staging;
	return 0;
}

void dit_staging_abandon(struct dit_staging *staging)
{
	if (staging != NULL) {
		dit_staging_free(staging, DIT_CLAIM_ABANDONED);
	}
}
