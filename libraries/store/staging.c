/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The staging environment: opened, abandoned. What lies in a database directory:
 *
 *   DIR/                    under a claim (claim.h) from open to the end
 *   DIR/data.mdb            the old database, if any: untouched until the rename
 *   DIR/lock.mdb
 *   DIR/ditkit-staging/     ours alone, whoever owns DIR (files.h)
 *       data.mdb            the new one; nobody else knows it, so it needs no LMDB locks
 */
#include "store/staging_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_size_signal.h"
#include "base/whole_io.h"
#include "pages/meta_pages.h"
#include "store/format_check.h"
#include "store/guard.h"
#include "store/lmdb_error.h"
#include "store/map_size.h"

/* ---- the old database ---- */

/* A file that is none of LMDB, or of another version, is not called damaged. */
static int check_magic(int data_fd)
{
	const size_t header_bytes = dit_lmdb_09.header_bytes;
	char page[64];
	struct dit_meta meta = {0};
	size_t n =
		header_bytes + offsetof(struct dit_meta, version) + sizeof(meta.version);

	if (dit_read_at(data_fd, page, n, 0) != (ssize_t)n) {
		return MDB_INVALID;
	}
	memcpy(&meta, page + header_bytes, n - header_bytes);
	if (meta.magic != DIT_META_MAGIC) {
		return MDB_INVALID;
	}
	return meta.version != dit_lmdb_09.version ? MDB_VERSION_MISMATCH : 0;
}

/*
 * DIT_E_NOTEMPTY if there are records: whoever holds attribute numbers only is not
 * empty. Without liblmdb, which believes a damaged file.
 */
static int count_in_file(int data_fd, uint64_t *ret_nrecords, struct dit_fault *fault)
{
	struct dit_guard guard = {.probe = NULL};
	char path[DIT_FD_PATH_BYTES];
	int r = dit_fd_path(data_fd, path, fault); /* liblmdb will need it */

	if (r == 0) {
		r = check_magic(data_fd);
	}
	if (r < 0) {
		return r;
	}
	r = dit_guard_open(&guard, data_fd, fault);
	if (r == 0) {
		*ret_nrecords = dit_probe_count(guard.probe);
		/* Empty files are replaced; a damaged meta page may make one look
		 * empty. */
		r = *ret_nrecords > 0 ? DIT_E_NOTEMPTY : dit_guard_whole(data_fd, fault);
	}
	dit_guard_close(&guard);
	return r;
}

static int check_empty(int dir_fd, uint64_t *ret_nrecords, struct dit_fault *fault)
{
	struct stat st;
	int fd = dit_data_open(dir_fd, O_RDONLY, fault);
	int r = 0;

	if (fd < 0) {
		return fd == -ENOENT ? 0 : fd;
	}
	if (fstat(fd, &st) != 0) {
		r = -errno;
	} else if (st.st_size > 0) {
		r = count_in_file(fd, ret_nrecords, fault);
	}
	(void)close(fd);
	return r;
}

/* Before lock.mdb is touched, which differs between the generations, too. */
static int check_generation(int dir_fd, struct dit_fault *fault)
{
	int fd = dit_data_open(dir_fd, O_RDONLY, fault);

	if (fd == DIT_E_FORMAT) {
		return dit_fault_say(fault, fd,
		                     DIT_DATA_NAME " is of LMDB 1.0 (OpenLDAP 2.7), the "
		                                   "load is for OpenLDAP 2.5 or 2.6: see "
		                                   "--openldap");
	}
	if (fd < 0) {
		return fd == -ENOENT ? 0 : fd;
	}
	(void)close(fd);
	return 0;
}

/* ---- the staging environment ---- */

/* Does the liblmdb at hand write the format that we know? */
static int look_at_format(struct dit_staging *staging)
{
	struct dit_meta metas[2];
	int r = dit_metas_read(staging->data_fd, &dit_lmdb_09, staging->page_bytes,
	                       metas);

	staging->is_known_format = r == 0;
	return r == MDB_VERSION_MISMATCH ? 0 : r;
}

/* An empty database, closed again: liblmdb comes back when our pages are written. */
static int make_file(struct dit_staging *staging, struct dit_fault *fault)
{
	MDB_env *env = NULL;
	MDB_stat stat;
	sigset_t previous;
	int r = 0;

	/* Our own access bits are needed now and taken away at the end. */
	staging->data_fd =
		dit_file_make(staging->staging_fd, DIT_DATA_NAME, staging->mode | 0600);
	if (staging->data_fd < 0) {
		return staging->data_fd;
	}
	r = dit_lmdb_error(mdb_env_create(&env));
	if (r < 0) {
		return r;
	}
	dit_file_size_signal_block(&previous);
	r = dit_env_open_file(env, staging->data_fd, MDB_NOSYNC, fault);
	dit_file_size_signal_restore(&previous);
	if (r == 0) {
		r = dit_lmdb_error(mdb_env_stat(env, &stat));
	}
	mdb_env_close(env);
	if (r == 0) {
		staging->page_bytes = stat.ms_psize;
		r = look_at_format(staging);
	}
	return r;
}

static int make_staging_database(struct dit_staging *staging,
                                 const struct dit_staging_opts *opts)
{
	struct dit_page_file_opts file = {.writer = opts->writer,
	                                  .is_direct = !opts->use_page_cache};
	int r = opts->is_lmdb_10 ? dit_staging_own_make(staging, opts)
	                         : make_file(staging, opts->fault);

	if (r < 0) {
		return r;
	}
	if (opts->kind == DIT_WRITER_APPEND ||
	    (opts->kind == DIT_WRITER_DEFAULT && !staging->is_known_format)) {
		return dit_staging_begin_append(staging);
	}
	if (!staging->is_known_format) {
		return dit_fault_say(opts->fault, MDB_VERSION_MISMATCH,
		                     "this liblmdb (%s) writes another file format than "
		                     "the one whose pages can be built",
		                     mdb_version(NULL, NULL, NULL));
	}
	dit_page_space_init(&staging->space, staging->format, staging->page_bytes,
	                    STAGING_FIRST_PAGE);
	r = dit_page_file_open(&staging->space.file, staging->staging_fd, DIT_DATA_NAME,
	                       &file);
	return r < 0 ? r : dit_staging_open_tables(staging);
}

void dit_staging_close_env(struct dit_staging *staging)
{
	if (staging->liblmdb.txn != NULL) {
		mdb_txn_abort(staging->liblmdb.txn); /* takes the cursor along */
		staging->liblmdb.txn = NULL;
		staging->liblmdb.cursor = NULL;
	}
	if (staging->liblmdb.env != NULL) {
		mdb_env_close(staging->liblmdb.env);
		staging->liblmdb.env = NULL;
	}
}

void dit_staging_free(struct dit_staging *staging, enum dit_claim_end end)
{
	dit_table_writer_free(staging->tables.ads);
	dit_table_writer_free(staging->tables.entries);
	dit_staging_own_free(staging);
	dit_page_file_close(&staging->space.file);
	dit_staging_close_env(staging);
	if (staging->data_fd >= 0) {
		(void)close(staging->data_fd);
	}
	dit_staging_remove(staging->claim.dir_fd, staging->staging_fd);
	dit_claim_drop(&staging->claim, end);
	for (size_t i = 0; i < staging->tables.nindexes; i++) {
		free(staging->tables.indexes[i].name);
	}
	free(staging->tables.indexes);
	for (size_t i = 0; i < DIT_NFIXED_TABLES; i++) {
		free(staging->tables.fixed[i].name);
	}
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
		staging->tables.fixed[i] = tables[i];
		staging->tables.fixed[i].name = strdup(tables[i].name);
		if (staging->tables.fixed[i].name == NULL) {
			return -ENOMEM;
		}
	}
	return 0;
}

static int staging_init(struct dit_staging *staging, const struct dit_staging_opts *opts)
{
	staging->mode = opts->mode;
	staging->maxsize_bytes = dit_map_configured(opts->maxsize_bytes);
	staging->may_grow = opts->may_grow;
	staging->has_ixck = opts->has_ixck;
	staging->format = &dit_lmdb_09;
	staging->ndbs = opts->ndbs;
	return name_fixed_tables(staging);
}

static int claim_directory(struct dit_staging *staging,
                           const struct dit_staging_opts *opts)
{
	int dir_fd = dit_directory_open(opts->directory, opts->fault);
	int r = 0;

	if (dir_fd < 0) {
		return dir_fd;
	}
	r = opts->is_lmdb_10 ? dit_staging_own_look(dir_fd, opts->fault)
	                     : check_generation(dir_fd, opts->fault);
	if (r < 0) {
		(void)close(dir_fd);
		return r;
	}
	return dit_claim_take(&staging->claim, dir_fd, opts->mode, opts->fault);
}

int dit_staging_open(struct dit_staging **ret, const struct dit_staging_opts *opts,
                     uint64_t *ret_nrecords)
{
	struct dit_staging *staging = calloc(1, sizeof(*staging));
	int r = 0;

	if (staging == NULL) {
		return -ENOMEM;
	}
	staging->space.file.fd = -1;
	staging->staging_fd = -1;
	staging->data_fd = -1;
	r = claim_directory(staging, opts);
	if (r < 0) {
		free(staging);
		return r;
	}
	r = opts->is_lmdb_10
	            ? dit_staging_own_look(staging->claim.dir_fd, opts->fault)
	            : check_empty(staging->claim.dir_fd, ret_nrecords, opts->fault);
	if (r == DIT_E_NOTEMPTY) {
		(void)dit_staging_clear(staging->claim.dir_fd, NULL);
	}
	if (r == 0) {
		r = staging_init(staging, opts);
	}
	if (r == 0) {
		r = dit_staging_make(staging->claim.dir_fd, opts->fault);
		staging->staging_fd = r < 0 ? -1 : r;
	}
	if (r >= 0) {
		r = make_staging_database(staging, opts);
	}
	if (r < 0) {
		dit_staging_free(staging, DIT_CLAIM_UNUSED);
		return r;
	}
	*ret = staging;
	return 0;
}

size_t dit_staging_key_max(const struct dit_staging *staging)
{
	return dit_key_max(staging->format, (unsigned)staging->page_bytes);
}

bool dit_staging_is_append(const struct dit_staging *staging)
{
	return staging->is_append;
}

bool dit_staging_is_known_format(const struct dit_staging *staging)
{
	return staging->is_known_format;
}

void dit_staging_abandon(struct dit_staging *staging)
{
	if (staging != NULL) {
		dit_staging_free(staging, DIT_CLAIM_ABANDONED);
	}
}
