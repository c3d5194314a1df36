/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A new database. The files of a database directory:
 *
 *   DIR/                    under a claim to the end: other loaders are refused, and
 *                           a slapd or tool that is started waits (claim.h)
 *   DIR/data.mdb            the old database, if any: untouched until the rename
 *   DIR/lock.mdb
 *   DIR/ditkit-staging/     ours alone, whoever owns DIR (files.h); emptied at first
 *       data.mdb            the new one; no other process opens it: no LMDB locks
 *   DIR/ditkit-prepared/    one that waits (manifest.h)
 *
 * All pages are ours, and the first transaction of the file has all tables
 * (commit/page_commit.h). Or all are liblmdb's, which appends.
 *
 * The order of the last steps leaves the old database or the new one after a crash at any
 * point: complete the file, or have liblmdb commit and close; cut the file after its last
 * used page; mode and owner; fsync; rename; fsync the directory.
 */
#include "output/new_output_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "files/data_seal.h"
#include "files/lmdb_append.h"
#include "files/map_size.h"
#include "locks/lock_file.h"
#include "page/meta_pages.h"
#include "page/page_seal.h"
#include "system/file_io.h"

/* ---- the data file is complete ---- */

/* Empty, under the name that slapd gives it. */
static int put_checks(struct dit_new_output *output)
{
	const struct dit_fixed_db_facts *ixck = &dit_fixed_dbs[DIT_FIXED_CHECKS];
	const struct dit_tree_record none = {.flags = (uint16_t)ixck->flags,
	                                     .root = DIT_PAGE_NONE};

	return dit_page_commit_put(output->tables.indexes.commit, dit_span_of(ixck->name),
	                           &none);
}

static int write_pages(struct dit_new_output *output)
{
	struct dit_page_commit *commit = output->tables.indexes.commit;
	int r = dit_record_tables_put(&output->tables);

	r = r < 0 || !output->opts.has_ixck ? r : put_checks(output);
	r = r < 0 ? r : dit_page_commit_write(commit);
	output->tables.base.base.bytes = dit_page_commit_bytes(commit);
	return r;
}

/*
 * The map size that slapd is configured with. liblmdb records the size that it was given
 * at the last growth, which is our working size, and offers no call to make it smaller.
 * In a format that is not known the working size stays; slapd does not mind.
 */
static int write_map_size(const struct dit_new_output *output)
{
	int fd = output->data_fd;
	struct dit_metas metas;
	int r = 0;

	if (output->tables.base.is_unknown_format) {
		return 0;
	}
	r = dit_metas_read(fd, &dit_lmdb_09, &metas);
	if (r < 0) {
		return r;
	}
	for (unsigned i = 0; i < 2; i++) {
		metas.list[i].map_bytes =
			dit_map_recorded(output->opts.maxsize_bytes, output->page_bytes,
		                         output->tables.base.base.bytes);
	}
	return dit_metas_write(fd, &dit_lmdb_09, &metas);
}

static int commit_append(struct dit_new_output *output)
{
	struct dit_lmdb_append **append = &output->tables.indexes.append;
	int r = dit_lmdb_append_commit(*append);

	output->tables.base.base.bytes = dit_lmdb_append_bytes(*append);
	dit_lmdb_append_close(*append);
	*append = NULL;
	return r < 0 ? r : write_map_size(output);
}

static int set_mode(const struct dit_new_output *output)
{
	struct stat file;
	int fd = output->data_fd;

	/* The file was made with at least these bits, less the umask. */
	return fstat(fd, &file) != 0 ||
	                       fchmod(fd, file.st_mode & output->opts.mode & 0777) != 0
	               ? -errno
	               : 0;
}

/* The closed file becomes what slapd is to find, safely on disk. */
static int complete_file(struct dit_new_output *output)
{
	int fd = output->data_fd;
	int r = ftruncate(fd, (off_t)output->tables.base.base.bytes) == 0 ? 0 : -errno;

	r = r ?: set_mode(output);
	if (r == 0) {
		r = dit_sync_pieces(fd, output->tables.base.base.bytes,
		                    &output->tables.base.base.synced_bytes,
		                    output->opts.shared.ticker);
	}
	if (r == 0 && fsync(fd) != 0) {
		r = -errno;
	}
	return r;
}

static int check_size(const struct dit_new_output *output)
{
	uint64_t limit = dit_map_limit(output->opts.maxsize_bytes, output->page_bytes);

	return output->tables.base.base.bytes > limit && !output->opts.may_grow
	               ? DIT_E_FULL
	               : 0;
}

int dit_new_output_prepare(struct dit_output *base)
{
	struct dit_new_output *output = dit_new_output_of(base);
	const struct dit_index_tables *tables = &output->tables.indexes;
	int r = tables->append != NULL   ? commit_append(output)
	        : tables->commit != NULL ? write_pages(output)
	                                 : 0;

	r = r < 0 ? r : check_size(output);
	return r < 0 ? r : complete_file(output);
}

/* ---- the rename ---- */

/*
 * The old file keeps a second name until the end, so that the rename can be undone. Not
 * all file systems can do that; then it cannot.
 */
static enum dit_old_file keep_old_file(const struct dit_new_output *output)
{
	int dir_fd = output->claim.dir_fd;

	if (linkat(dir_fd, DIT_DATA_NAME, output->staging_fd, DIT_OLD_NAME, 0) == 0) {
		return DIT_OLD_KEPT;
	}
	return errno == ENOENT ? DIT_OLD_NONE : DIT_OLD_LOST;
}

static int source_of(const struct dit_new_output *output)
{
	return output->prepared_fd >= 0 ? output->prepared_fd : output->staging_fd;
}

void dit_new_output_renamed(struct dit_new_output *output)
{
	output->is_renamed = true;
	output->sync_error = fsync(output->claim.dir_fd) == 0 ? 0 : -errno;
}

static int rename_data(struct dit_output *base)
{
	struct dit_new_output *output = dit_new_output_of(base);
	int dir_fd = output->claim.dir_fd;

	output->old_file = keep_old_file(output);
	/* A waiting process must not trust what lock.mdb says about the old file, should
	 * this process be killed now. */
	if (ftruncate(output->claim.lock_fd, 0) != 0 ||
	    renameat(source_of(output), DIT_DATA_NAME, dir_fd, DIT_DATA_NAME) != 0) {
		return -errno;
	}
	dit_new_output_renamed(output);
	return 0;
}

/* The new file gets its old name again: a prepared one is still needed. */
static int take_back(struct dit_output *base)
{
	const struct dit_new_output *output = dit_new_output_of(base);
	int source_fd = source_of(output);
	int dir_fd = output->claim.dir_fd;
	int r = 0;

	if (!output->is_renamed) {
		return 0;
	}
	switch (output->old_file) {
	case DIT_OLD_LOST:
		return -ENOTSUP;
	case DIT_OLD_NONE:
		r = renameat(dir_fd, DIT_DATA_NAME, source_fd, DIT_DATA_NAME);
		break;
	case DIT_OLD_KEPT:
		r = linkat(dir_fd, DIT_DATA_NAME, source_fd, DIT_DATA_NAME, 0);
		if (r == 0) {
			r = renameat(output->staging_fd, DIT_OLD_NAME, dir_fd,
			             DIT_DATA_NAME);
		}
		break;
	}
	if (r != 0) {
		return -errno;
	}
	return fsync(source_fd) == 0 && fsync(dir_fd) == 0 ? 0 : 1;
}

static int end(struct dit_output *base)
{
	struct dit_new_output *output = dit_new_output_of(base);
	int r = output->sync_error;

	dit_lock_file_set_up(&output->claim, output->data_fd);
	dit_new_output_free(output, DIT_CLAIM_PUBLISHED);
	return r;
}

/* ---- the data file is begun ---- */

/* Does the liblmdb at hand write the format that we know? */
static int look_at_format(struct dit_new_output *output)
{
	struct dit_metas metas;
	int r = dit_metas_read(output->data_fd, &dit_lmdb_09, &metas);

	output->tables.base.is_unknown_format = r != 0;
	return r == DIT_LMDB_VERSION_MISMATCH ? 0 : r;
}

/* The meta pages are written again when our pages are complete. */
static int fill_file_09(struct dit_new_output *output, struct dit_fault *fault)
{
	int r = dit_lmdb_append_begin_file(output->data_fd, &output->page_bytes, fault);

	return r < 0 ? r : look_at_format(output);
}

/* No liblmdb is asked. */
static int choose_format_10(struct dit_new_output *output,
                            const struct dit_output_opts *opts)
{
	long page_bytes =
		opts->page_bytes == 0 ? sysconf(_SC_PAGESIZE) : (long)opts->page_bytes;
	const struct dit_page_format *format = dit_data_format_10(opts->shared.sealed);
	long max = (long)format->page_bytes_max;

	if (opts->writer == DIT_WRITER_APPEND) {
		return dit_fault_say(opts->fault, DIT_LMDB_VERSION_MISMATCH,
		                     "this liblmdb (%s) does not write databases of "
		                     "OpenLDAP 2.7",
		                     dit_lmdb_version());
	}
	output->format = format;
	output->page_bytes = (size_t)(page_bytes < max ? page_bytes : max);
	return dit_page_seal_fits(format, output->page_bytes)
	               ? 0
	               : dit_fault_say(opts->fault, DIT_E_UNSUPPORTED,
	                               "pages of %zu bytes are too small for the module "
	                               "of \"crypto\"",
	                               output->page_bytes);
}

static int make_file(struct dit_new_output *output, const struct dit_output_opts *opts)
{
	/* Our own access bits are needed now and taken away at the end. */
	output->data_fd = dit_file_make(output->staging_fd, DIT_DATA_NAME,
	                                output->opts.mode | 0600);
	if (output->data_fd < 0) {
		return output->data_fd;
	}
	return opts->is_lmdb_10 ? choose_format_10(output, opts)
	                        : fill_file_09(output, opts->fault);
}

static int begin_pages(struct dit_new_output *output)
{
	const struct dit_page_commit_opts commit_opts = {
		.fd = output->data_fd,
		.format = output->format,
		.shared = output->opts.shared,
		.is_direct = true,
		.map_bytes =
			dit_map_limit(output->opts.maxsize_bytes, output->page_bytes),
		.caller_syncs = true,
	};
	sigset_t previous;
	int r = 0;

	output->tables.base.base.is_parallel = true;
	dit_file_size_signal_block(&previous);
	r = dit_metas_begin(output->data_fd, output->format, output->page_bytes);
	dit_file_size_signal_restore(&previous);
	return r < 0 ? r
	             : dit_page_commit_open(&output->tables.indexes.commit, &commit_opts);
}

static int begin_append(struct dit_new_output *output)
{
	const struct dit_lmdb_append_opts opts = {.data_fd = output->data_fd,
	                                          .page_bytes = output->page_bytes,
	                                          .ndbs = output->opts.ndbs};

	output->tables.base.is_append = true;
	return dit_lmdb_append_open(&output->tables.indexes.append, &opts);
}

/* Set the order of id2v, make ixck if it is wanted, commit. */
static int finish_append(struct dit_new_output *output)
{
	const struct dit_fixed_db_facts *ixck = &dit_fixed_dbs[DIT_FIXED_CHECKS];
	struct dit_lmdb_append *append = output->tables.indexes.append;
	unsigned splits = output->tables.fixed[DIT_FIXED_SPLITS].db;
	unsigned db = 0;
	int r = dit_lmdb_append_order_split(append, splits);

	if (r == 0 && output->opts.has_ixck) {
		r = dit_lmdb_append_make(append, ixck->name, ixck->flags, &db);
	}
	return r < 0 ? r : dit_lmdb_append_commit(append);
}

static int make_database(struct dit_new_output *output,
                         const struct dit_output_opts *opts)
{
	struct dit_record_output *head = &output->tables.base;
	bool is_append = false;
	int r = make_file(output, opts);

	if (r < 0) {
		return r;
	}
	is_append = opts->writer == DIT_WRITER_APPEND ||
	            (opts->writer == DIT_WRITER_DEFAULT && head->is_unknown_format);
	if (!is_append && head->is_unknown_format) {
		return dit_fault_say(opts->fault, DIT_LMDB_VERSION_MISMATCH,
		                     "this liblmdb (%s) writes another file format "
		                     "than the one whose pages can be built",
		                     dit_lmdb_version());
	}
	head->base.key_max = dit_key_max(output->format, (unsigned)output->page_bytes);
	head->base.target = (struct dit_output_target){.directory = opts->directory,
	                                               .dir_fd = output->claim.dir_fd,
	                                               .data_fd = output->data_fd,
	                                               .data_name = DIT_DATA_NAME};
	r = is_append ? begin_append(output) : begin_pages(output);
	r = r ?: dit_record_tables_begin(&output->tables);
	return r < 0 || !is_append ? r : finish_append(output);
}

/* ---- beginning and end ---- */

void dit_new_output_free(struct dit_new_output *output, enum dit_claim_end end)
{
	dit_record_tables_deinit(&output->tables);
	dit_close(output->data_fd);
	dit_close(output->replaced_fd);
	dit_close(output->prepared_fd);
	dit_staging_remove(output->claim.dir_fd, output->staging_fd);
	dit_claim_drop(&output->claim, end);
	free(output);
}

static int claim_directory(struct dit_new_output *output,
                           const struct dit_output_opts *opts)
{
	int dir_fd = dit_directory_open(opts->directory, opts->fault);
	int r = 0;

	if (dir_fd < 0) {
		return dir_fd;
	}
	r = dit_data_check(dir_fd, opts, false);
	if (r < 0) {
		(void)close(dir_fd);
		return r;
	}
	return dit_claim_take(&output->claim, dir_fd, opts->mode, opts->fault);
}

int dit_new_output_claim(struct dit_new_output **ret, const struct dit_output_opts *opts)
{
	struct dit_new_output *output = calloc(1, sizeof(*output));
	int r = 0;

	if (output == NULL) {
		return -ENOMEM;
	}
	output->opts = *opts;
	output->opts.maxsize_bytes = dit_map_configured(opts->maxsize_bytes);
	output->format = &dit_lmdb_09;
	output->staging_fd = -1;
	output->prepared_fd = -1;
	output->replaced_fd = -1;
	output->data_fd = -1;
	r = claim_directory(output, opts);
	if (r < 0) {
		free(output);
		return r;
	}
	r = dit_data_check(output->claim.dir_fd, opts, true);
	if (r == DIT_E_NOTEMPTY) {
		(void)dit_folder_clear(output->claim.dir_fd, DIT_STAGING_NAME, NULL);
	}
	if (r == 0) {
		r = dit_staging_make(output->claim.dir_fd, opts->fault);
		output->staging_fd = r < 0 ? -1 : r;
	}
	if (r < 0) {
		dit_new_output_free(output, DIT_CLAIM_UNUSED);
		return r;
	}
	*ret = output;
	return 0;
}

/* A slapd that has waited serves the database in the directory again. */
enum dit_claim_end dit_new_output_end_abandoned(const struct dit_new_output *output)
{
	const struct dit_claim *claim = &output->claim;
	int fd = -1;

	if (claim->made_lock_file) {
		return DIT_CLAIM_UNUSED;
	}
	fd = dit_file_open(claim->dir_fd, DIT_DATA_NAME, O_RDONLY, NULL);
	dit_lock_file_set_up(claim, fd);
	dit_close(fd);
	return DIT_CLAIM_PUBLISHED;
}

void dit_new_output_abandon(struct dit_output *base)
{
	struct dit_new_output *output = dit_new_output_of(base);

	dit_new_output_free(output, dit_new_output_end_abandoned(output));
}

const struct dit_output_ops dit_new_output_ops = {
	.steps = {[DIT_PUBLISH_PREPARE] = dit_new_output_prepare,
                  [DIT_PUBLISH_COMMIT] = dit_new_output_say_published,
                  [DIT_PUBLISH_RENAME] = rename_data,
                  [DIT_PUBLISH_TAKE_BACK] = take_back,
                  [DIT_PUBLISH_END] = end},
	.abandon = dit_new_output_abandon,
};

int dit_output_new_open(struct dit_record_output **ret,
                        const struct dit_output_opts *opts)
{
	struct dit_new_output *output = NULL;
	int r = dit_new_output_claim(&output, opts);

	if (r < 0) {
		return r;
	}
	output->tables.base.base.ops = &dit_new_output_ops;
	r = make_database(output, opts);
	if (r == 0 && opts->is_prepared) {
		r = dit_new_output_keep_apart(output);
	}
	if (r < 0) {
		dit_new_output_free(output, DIT_CLAIM_UNUSED);
		return r;
	}
	*ret = &output->tables.base;
	return 0;
}

/* The choice of the kind of output for a directory. It is made nowhere else. */
int dit_output_open(struct dit_record_output **ret, const struct dit_output_opts *opts)
{
	int r = dit_output_new_open(ret, opts);

	if (r == DIT_E_NOTEMPTY && !opts->is_prepared) {
		return dit_output_merged_open(ret, opts);
	}
	return r == DIT_E_NOTEMPTY
	               ? dit_fault_say(
				 opts->fault, r,
				 "the database has entries, and --prepare makes the first content of a database: leave --prepare out, or give --replace")
	               : r;
}
