/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A new database: opened, abandoned. The files of a database directory:
 *
 *   DIR/                    under a claim (claim.h) from open to the end
 *   DIR/data.mdb            the old database, if any: untouched until the rename
 *   DIR/lock.mdb
 *   DIR/ditkit-staging/     ours alone, whoever owns DIR (files.h)
 *       data.mdb            the new one; no other process opens it: no LMDB locks
 *   DIR/ditkit-prepared/    one that waits (manifest.h)
 */
#include "output/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "files/data_seal.h"
#include "files/format_check.h"
#include "files/lmdb_append.h"
#include "files/map_size.h"
#include "locks/lock_file.h"
#include "page/meta_pages.h"
#include "page/page_seal.h"

/* ---- the data file ---- */

/* Does the liblmdb at hand write the format that we know? */
static int look_at_format(struct dit_staging *staging)
{
	struct dit_metas metas;
	int r = dit_metas_read(staging->data_fd, &dit_lmdb_09, &metas);

	staging->is_known_format = r == 0;
	return r == DIT_LMDB_VERSION_MISMATCH ? 0 : r;
}

/* The meta pages are written again when our pages are complete. */
static int fill_file_09(struct dit_staging *staging, struct dit_fault *fault)
{
	int r = dit_lmdb_append_begin_file(staging->data_fd, &staging->page_bytes, fault);

	return r < 0 ? r : look_at_format(staging);
}

/* No liblmdb is asked. */
static int choose_format_10(struct dit_staging *staging,
                            const struct dit_output_opts *opts)
{
	long page_bytes =
		opts->page_bytes == 0 ? sysconf(_SC_PAGESIZE) : (long)opts->page_bytes;
	const struct dit_page_format *format = dit_data_format_10(opts->sealed);
	long max = (long)format->page_bytes_max;

	if (opts->writer == DIT_WRITER_APPEND) {
		return dit_fault_say(opts->fault, DIT_LMDB_VERSION_MISMATCH,
		                     "this liblmdb (%s) does not write databases of "
		                     "OpenLDAP 2.7",
		                     dit_lmdb_version());
	}
	staging->is_known_format = true;
	staging->format = format;
	staging->page_bytes = (size_t)(page_bytes < max ? page_bytes : max);
	return dit_page_seal_fits(format, staging->page_bytes)
	               ? 0
	               : dit_fault_say(opts->fault, DIT_E_UNSUPPORTED,
	                               "pages of %zu bytes are too small for the module "
	                               "of \"crypto\"",
	                               staging->page_bytes);
}

static int make_file(struct dit_staging *staging, const struct dit_output_opts *opts)
{
	/* Our own access bits are needed now and taken away at the end. */
	staging->data_fd =
		dit_file_make(staging->staging_fd, DIT_DATA_NAME, staging->mode | 0600);
	if (staging->data_fd < 0) {
		return staging->data_fd;
	}
	return opts->is_lmdb_10 ? choose_format_10(staging, opts)
	                        : fill_file_09(staging, opts->fault);
}

static int make_database(struct dit_staging *staging, const struct dit_output_opts *opts)
{
	struct dit_record_output *output = &staging->tables.base;
	int r = make_file(staging, opts);

	if (r < 0) {
		return r;
	}
	output->is_unknown_format = !staging->is_known_format;
	output->base.key_max =
		dit_key_max(staging->format, (unsigned)staging->page_bytes);
	output->base.place = (struct dit_output_place){.directory = opts->directory,
	                                               .dir_fd = staging->claim.dir_fd,
	                                               .data_fd = staging->data_fd,
	                                               .data_name = DIT_DATA_NAME};
	if (opts->writer == DIT_WRITER_APPEND ||
	    (opts->writer == DIT_WRITER_DEFAULT && !staging->is_known_format)) {
		return dit_staging_begin_append(staging);
	}
	return staging->is_known_format
	               ? dit_staging_begin_pages(staging, opts)
	               : dit_fault_say(opts->fault, DIT_LMDB_VERSION_MISMATCH,
	                               "this liblmdb (%s) writes another file format "
	                               "than the one whose pages can be built",
	                               dit_lmdb_version());
}

void dit_staging_free(struct dit_staging *staging, enum dit_claim_end end)
{
	dit_record_tables_deinit(&staging->tables);
	dit_page_commit_close(staging->commit);
	dit_staging_end_append(staging);
	if (staging->data_fd >= 0) {
		(void)close(staging->data_fd);
	}
	if (staging->replaced_fd >= 0) {
		(void)close(staging->replaced_fd);
	}
	if (staging->prepared_fd >= 0) {
		(void)close(staging->prepared_fd);
	}
	dit_staging_remove(staging->claim.dir_fd, staging->staging_fd);
	dit_claim_drop(&staging->claim, end);
	free(staging);
}

static int staging_init(struct dit_staging *staging, const struct dit_output_opts *opts)
{
	staging->mode = opts->mode;
	staging->maxsize_bytes = dit_map_configured(opts->maxsize_bytes);
	staging->may_grow = opts->may_grow;
	staging->has_ixck = opts->has_ixck;
	staging->format = &dit_lmdb_09;
	staging->ndbs = opts->ndbs;
	staging->ticker = opts->ticker;
	return dit_record_tables_init(&staging->tables);
}

static int claim_directory(struct dit_staging *staging,
                           const struct dit_output_opts *opts)
{
	int dir_fd = dit_directory_open(opts->directory, opts->fault);
	int r = 0;

	if (dir_fd < 0) {
		return dir_fd;
	}
	r = dit_staging_look_first(dir_fd, opts);
	if (r < 0) {
		(void)close(dir_fd);
		return r;
	}
	return dit_claim_take(&staging->claim, dir_fd, opts->mode, opts->fault);
}

int dit_staging_open(struct dit_staging **ret, const struct dit_output_opts *opts)
{
	struct dit_staging *staging = calloc(1, sizeof(*staging));
	int r = 0;

	if (staging == NULL) {
		return -ENOMEM;
	}
	staging->staging_fd = -1;
	staging->prepared_fd = -1;
	staging->replaced_fd = -1;
	staging->data_fd = -1;
	r = claim_directory(staging, opts);
	if (r < 0) {
		free(staging);
		return r;
	}
	r = dit_staging_look(staging->claim.dir_fd, opts);
	if (r == DIT_E_NOTEMPTY) {
		(void)dit_folder_clear(staging->claim.dir_fd, DIT_STAGING_NAME, NULL);
	}
	if (r == 0) {
		r = staging_init(staging, opts);
	}
	if (r == 0) {
		r = dit_staging_make(staging->claim.dir_fd, opts->fault);
		staging->staging_fd = r < 0 ? -1 : r;
	}
	if (r < 0) {
		dit_staging_free(staging, DIT_CLAIM_UNUSED);
		return r;
	}
	*ret = staging;
	return 0;
}

int dit_output_new_open(struct dit_record_output **ret,
                        const struct dit_output_opts *opts)
{
	struct dit_staging *staging = NULL;
	int r = dit_staging_open(&staging, opts);

	if (r < 0) {
		return r;
	}
	r = make_database(staging, opts);
	if (r == 0 && opts->is_prepared) {
		r = dit_staging_keep_apart(staging, opts->fault);
	}
	if (r < 0) {
		dit_staging_free(staging, DIT_CLAIM_UNUSED);
		return r;
	}
	*ret = &staging->tables.base;
	return 0;
}

/* A slapd that has waited serves the database in the directory again. */
enum dit_claim_end dit_staging_end_abandoned(const struct dit_staging *staging)
{
	const struct dit_claim *claim = &staging->claim;
	int fd = -1;

	if (claim->made_lock_file) {
		return DIT_CLAIM_UNUSED;
	}
	fd = dit_file_open(claim->dir_fd, DIT_DATA_NAME, O_RDONLY, NULL);
	dit_lock_file_set_up(claim, fd);
	if (fd >= 0) {
		(void)close(fd);
	}
	return DIT_CLAIM_PUBLISHED;
}

void dit_staging_abandon(struct dit_output *output)
{
	struct dit_staging *staging = dit_staging_of(output);

	dit_staging_free(staging, dit_staging_end_abandoned(staging));
}
