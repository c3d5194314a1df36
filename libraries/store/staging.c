/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The staging environment: from an empty directory to the published database.
 *
 *   DIR/                    under a claim (claim.h) from open to the end
 *   DIR/data.mdb            the old database, if any: untouched until the rename
 *   DIR/lock.mdb
 *   DIR/ditkit-staging/
 *       data.mdb            the new one; nobody else knows it, so it needs no LMDB locks
 *
 * Publishing, in this order, so that a crash at any point leaves the old database or the
 * new one: commit; close; put the roots of the index databases into the main tree, and
 * the last page and the configured map size into the meta pages; cut the file behind its
 * last used page; mode and owner; fsync; rename; fsync the directory.
 *
 * The map size stands in both meta pages (storage.md 1.1). LMDB records the size that it
 * was given at the last growth, which is our working size, and offers no call to make it
 * smaller.
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
#include "store/lmdb_error.h"

#define STAGING_NAME "ditkit-staging"
#define DATA_NAME    "data.mdb"

#define MAP_BYTES_MIN (64u << 20)
/* What LMDB takes for a map size of 0, and slapd for "maxsize 0" (config.md). */
#define MAXSIZE_DEFAULT 1048576u

/* ---- the old database ---- */

static int count_entries(MDB_env *env, uint64_t *ret)
{
	MDB_txn *txn = NULL;
	MDB_dbi dbi = 0;
	MDB_stat stat = {.ms_entries = 0};
	int r = 0;

	r = dit_lmdb_error(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn));
	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(mdb_dbi_open(txn, "id2e", 0, &dbi));
	if (r == 0) {
		r = dit_lmdb_error(mdb_stat(txn, dbi, &stat));
	} else if (r == MDB_NOTFOUND) {
		r = 0;
	}
	mdb_txn_abort(txn);
	if (r == 0) {
		*ret = stat.ms_entries;
	}
	return r;
}

/*
 * DIT_E_NOTEMPTY if there are entries. No LMDB locks: the claim is better, and to close
 * another descriptor of lock.mdb would lose it.
 */
static int check_empty(const struct dit_claim *claim, const char *directory,
                       uint64_t *ret_nentries)
{
	MDB_env *env = NULL;
	struct stat st;
	uint64_t nentries = 0;
	int r = 0;

	if (fstatat(claim->dir_fd, DATA_NAME, &st, 0) != 0) {
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
		r = count_entries(env, &nentries);
	}
	mdb_env_close(env);
	if (r == 0 && nentries > 0) {
		*ret_nentries = nentries;
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
	int fd = openat(dir_fd, STAGING_NAME,
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

static int remove_staging_directory(int dir_fd)
{
	int r = empty_directory(dir_fd);

	if (r == -ENOENT) {
		return 0;
	}
	if (r == 0 && unlinkat(dir_fd, STAGING_NAME, AT_REMOVEDIR) != 0) {
		r = -errno;
	}
	return r;
}

static int make_staging_directory(int dir_fd)
{
	int r = remove_staging_directory(dir_fd);

	if (r == 0 && mkdirat(dir_fd, STAGING_NAME, 0700) != 0) {
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
	const struct {
		const char *name;
		unsigned flags;
		MDB_dbi *dbi;
	} fixed[] = {
		{"ad2i", MDB_INTEGERKEY, &staging->ad2i},
		{"dn2i", MDB_INTEGERKEY | MDB_DUPSORT, &staging->dn2i},
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

static void close_env(struct dit_staging *staging)
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

static void staging_free(struct dit_staging *staging, enum dit_claim_end end)
{
	close_env(staging);
	(void)remove_staging_directory(staging->claim.dir_fd);
	dit_claim_drop(&staging->claim, end);
	for (size_t i = 0; i < staging->nindexes; i++) {
		free(staging->indexes[i].name);
	}
	free(staging->indexes);
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
	staging->directory = strdup(opts->directory);
	if (staging->directory == NULL ||
	    asprintf(&staging->staging_path, "%s/" STAGING_NAME, opts->directory) < 0) {
		staging->staging_path = NULL;
		return -ENOMEM;
	}
	return 0;
}

int dit_staging_open(struct dit_staging **ret, const struct dit_staging_opts *opts,
                     uint64_t *ret_nentries)
{
	struct dit_staging *staging = calloc(1, sizeof(*staging));
	int r = 0;

	if (staging == NULL) {
		return -ENOMEM;
	}
	r = dit_claim_take(&staging->claim, opts->directory, opts->mode);
	if (r < 0) {
		free(staging);
		return r;
	}
	r = check_empty(&staging->claim, opts->directory, ret_nentries);
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
		staging_free(staging, DIT_CLAIM_UNUSED);
		return r;
	}
	*ret = staging;
	return 0;
}

void dit_staging_abandon(struct dit_staging *staging)
{
	if (staging != NULL) {
		staging_free(staging, DIT_CLAIM_ABANDONED);
	}
}

/* ---- publishing ---- */

static int write_at(int fd, const void *data, size_t len, uint64_t at)
{
	ssize_t n = pwrite(fd, data, len, (off_t)at);

	return n == (ssize_t)len ? 0 : n < 0 ? -errno : -EIO;
}

static off_t meta_at(const struct dit_staging *staging, unsigned number)
{
	return (off_t)(number * staging->page_bytes + sizeof(struct dit_page_header));
}

/* The roots of the index databases, where liblmdb left those of empty ones. */
static int write_roots(const struct dit_staging *staging, int fd)
{
	int r = 0;

	for (size_t i = 0; i < staging->nindexes && r == 0; i++) {
		const struct dit_staged_index *index = &staging->indexes[i];

		if (index->is_written) {
			r = write_at(fd, &index->tree, sizeof(index->tree), index->at);
		}
	}
	return r;
}

/*
 * In both meta pages: the map size that slapd is configured with. In the one that counts:
 * the last page.
 */
static int write_metas(const struct dit_staging *staging, int fd)
{
	uint64_t size =
		staging->maxsize_bytes - staging->maxsize_bytes % staging->page_bytes;
	struct dit_meta metas[2];
	unsigned newest = 0;
	int r = 0;

	for (unsigned i = 0; i < 2; i++) {
		ssize_t n = pread(fd, &metas[i], sizeof(metas[i]), meta_at(staging, i));

		if (n != (ssize_t)sizeof(metas[i])) {
			return n < 0 ? -errno : -EIO;
		}
		if (metas[i].magic != DIT_META_MAGIC ||
		    metas[i].version != DIT_META_VERSION) {
			return MDB_VERSION_MISMATCH;
		}
		metas[i].map_bytes =
			size < staging->used_bytes ? staging->used_bytes : size;
	}
	newest = metas[1].transaction > metas[0].transaction;
	metas[newest].last_page = staging->used_bytes / staging->page_bytes - 1;
	for (unsigned i = 0; i < 2 && r == 0; i++) {
		r = write_at(fd, &metas[i], sizeof(metas[i]),
		             (uint64_t)meta_at(staging, i));
	}
	return r;
}

static int set_mode_and_owner(const struct dit_staging *staging, int fd)
{
	struct stat file;
	struct stat dir;

	if (fstat(fd, &file) != 0 || fstat(staging->claim.dir_fd, &dir) != 0) {
		return -errno;
	}
	if (geteuid() == 0 && fchown(fd, dir.st_uid, dir.st_gid) != 0) {
		return -errno;
	}
	/* The file was made with at least these bits, less the umask. */
	if (fchmod(fd, file.st_mode & staging->mode & 0777) != 0) {
		return -errno;
	}
	return 0;
}

/* The closed file becomes what slapd is to find, safely on disk. */
static int finish_file(const struct dit_staging *staging)
{
	int r = 0;
	int fd = openat(staging->claim.dir_fd, STAGING_NAME "/" DATA_NAME,
	                O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		return -errno;
	}
	r = write_roots(staging, fd);
	if (r == 0) {
		r = write_metas(staging, fd);
	}
	if (r == 0 && ftruncate(fd, (off_t)staging->used_bytes) != 0) {
		r = -errno;
	}
	if (r == 0) {
		r = set_mode_and_owner(staging, fd);
	}
	if (r == 0 && fsync(fd) != 0) {
		r = -errno;
	}
	if (close(fd) != 0 && r == 0) {
		r = -errno;
	}
	return r;
}

static int rename_file(const struct dit_staging *staging)
{
	int dir_fd = staging->claim.dir_fd;

	if (renameat(dir_fd, STAGING_NAME "/" DATA_NAME, dir_fd, DATA_NAME) != 0) {
		return -errno;
	}
	return 0;
}

/*
 * Let LMDB set up lock.mdb, as the first process to open a database does: a slapd that
 * has been waiting for our claim then goes on as if we were another slapd. Our write lock
 * does not hinder ourselves; closing the environment gives it up, so nothing may be done
 * to lock.mdb afterwards. It is emptied first: if LMDB fails, so will those who wait,
 * rather than trust the state of an older database.
 */
static void set_up_lock_file(const struct dit_staging *staging)
{
	MDB_env *env = NULL;

	if (ftruncate(staging->claim.lock_fd, 0) != 0 || mdb_env_create(&env) != 0) {
		return;
	}
	(void)mdb_env_open(env, staging->directory, MDB_RDONLY, staging->mode);
	mdb_env_close(env);
}

static int check_size(const struct dit_staging *staging)
{
	uint64_t max =
		staging->maxsize_bytes - staging->maxsize_bytes % staging->page_bytes;

	return staging->used_bytes > max && !staging->may_grow ? DIT_E_FULL : 0;
}

int dit_staging_publish(struct dit_staging *staging, uint64_t *ret_bytes)
{
	enum dit_claim_end end = DIT_CLAIM_ABANDONED;
	int r = staging->error;

	if (r == 0) {
		r = dit_staging_commit(staging);
	}
	if (r == 0) {
		staging->used_bytes = dit_staging_used_bytes(staging);
		*ret_bytes = staging->used_bytes;
		r = check_size(staging);
	}
	close_env(staging);
	if (r == 0) {
		r = finish_file(staging);
	}
	if (r == 0) {
		r = rename_file(staging);
	}
	if (r == 0) {
		end = DIT_CLAIM_PUBLISHED;
		set_up_lock_file(staging);
		(void)remove_staging_directory(staging->claim.dir_fd);
		/* If this fails the new database is in place, but a crash may undo it. */
		r = fsync(staging->claim.dir_fd) == 0 ? 0 : -errno;
	}
	staging_free(staging, end);
	return r;
}
