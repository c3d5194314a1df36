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
#include "store/format_check.h"
#include "store/lmdb_error.h"

#define MAP_BYTES_MIN (64u << 20)
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

/* Rounded up to what any page size divides, and not below the least. */
static uint64_t first_map_bytes(uint64_t expected_bytes)
{
	uint64_t step = MAP_BYTES_MIN;

	if (expected_bytes >= UINT64_MAX / 2 || expected_bytes <= step) {
		return step;
	}
	return (expected_bytes + step - 1) / step * step;
}

/* The four that slapd expects in every database; flags as in storage.md 1.2. */
static int create_fixed(struct dit_staging *staging)
{
	MDB_dbi dn2i = 0;
	const struct {
		const char *name;
		unsigned flags;
		MDB_dbi *dbi;
	} fixed[] = {
		{"ad2i", MDB_INTEGERKEY, &staging->ad2i},
		{staging->names.name, staging->names.flags, &dn2i},
		{"id2e", MDB_INTEGERKEY, &staging->id2e},
		{"id2v", MDB_DUPSORT, &staging->id2v},
	};
	int r = 0;

	r = dit_staging_begin(staging, 0);
	for (size_t i = 0; r == 0 && i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		r = dit_lmdb_error(mdb_dbi_open(staging->txn, fixed[i].name,
		                                MDB_CREATE | fixed[i].flags,
		                                fixed[i].dbi));
	}
	if (r == 0) {
		r = dit_staging_order_split(staging->txn, staging->id2v);
	}
	return r < 0 ? r : dit_staging_commit(staging);
}

static int open_env(struct dit_staging *staging, const struct dit_staging_opts *opts)
{
	MDB_stat stat;
	sigset_t previous;
	int r = 0;

	r = dit_lmdb_error(mdb_env_create(&staging->env));
	if (r < 0) {
		staging->env = NULL;
		return r;
	}
	staging->map_bytes = first_map_bytes(opts->expected_bytes);
	r = dit_lmdb_error(mdb_env_set_mapsize(staging->env, staging->map_bytes));
	if (r == 0) {
		r = dit_lmdb_error(mdb_env_set_maxdbs(staging->env, opts->ndbs));
	}
	if (r < 0) {
		return r;
	}
	/* Our own access bits are needed now and taken away at the end. */
	dit_staging_block_signal(&previous);
	r = dit_lmdb_error(mdb_env_open(staging->env, staging->staging_path,
	                                MDB_NOSYNC | MDB_NOLOCK, staging->mode | 0600));
	dit_staging_restore_signal(&previous);
	if (r == 0) {
		r = dit_lmdb_error(mdb_env_get_fd(staging->env, &staging->data_fd));
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_env_stat(staging->env, &stat));
	}
	if (r < 0) {
		return r;
	}
	staging->page_bytes = stat.ms_psize;
	return create_fixed(staging);
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
	dit_staging_close_env(staging);
	(void)dit_staging_clear(staging->claim.dir_fd);
	dit_claim_drop(&staging->claim, end);
	for (size_t i = 0; i < staging->nindexes; i++) {
		free(staging->indexes[i].name);
	}
	free(staging->indexes);
	free(staging->names.name);
	free(staging->staging_path);
	free(staging->directory);
	free(staging);
}

static int staging_init(struct dit_staging *staging, const struct dit_staging_opts *opts)
{
	staging->mode = opts->mode;
	staging->maxsize_bytes =
		opts->maxsize_bytes == 0 ? MAXSIZE_DEFAULT : opts->maxsize_bytes;
	staging->may_grow = opts->may_grow;
	staging->names.name = strdup("dn2i");
	staging->names.flags = MDB_INTEGERKEY | MDB_DUPSORT;
	staging->directory = strdup(opts->directory);
	if (staging->names.name == NULL || staging->directory == NULL ||
	    asprintf(&staging->staging_path, "%s/" DIT_STAGING_NAME, opts->directory) <
	            0) {
		staging->staging_path = NULL;
		return -ENOMEM;
	}
	return 0;
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
		r = open_env(staging, opts);
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
