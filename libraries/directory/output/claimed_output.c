/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records: new ones and their lists are merged with the stored ones (record_tables.h).
 *
 * Indexes alone: only the indexes among the tables are used.
 */
#include "output/claimed_output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "files/data_seal.h"
#include "files/files.h"
#include "files/format_check.h"
#include "files/map_size.h"
#include "locks/claim.h"
#include "locks/lock_file.h"
#include "output/record_tables.h"
#include "page/meta_pages.h"
#include "system/file_io.h"

#define SPARE_BYTES (2 << 20) /* btrfs reserves some 500 KiB for cutting a file */

struct claimed_output {
	struct dit_record_tables tables;
	struct dit_output_opts opts; /* with the effective maxsize_bytes */
	struct dit_claim claim;
	int data_fd;          /* for reading and writing */
	int spare_fd;         /* dit_spare_keep()'s */
	uint64_t first_bytes; /* of records: in use when it was opened */

	struct dit_page_old_opts old; /* of indexes alone */
};

static struct claimed_output *of(struct dit_output *output)
{
	return (struct claimed_output *)output;
}

/* ---- indexes alone ---- */

int dit_index_output_drop(struct dit_output *output, const char *name)
{
	return dit_page_commit_drop(output->indexes->commit, dit_span_of(name));
}

static int put_indexes(struct claimed_output *output)
{
	const struct dit_index_tables *tables = &output->tables.indexes;
	int r = dit_index_tables_check(tables);

	for (size_t i = 0; i < tables->n && r == 0; i++) {
		r = dit_page_commit_put(tables->commit, dit_span_of(tables->list[i].name),
		                        &tables->list[i].tree);
	}
	return r ?: dit_page_commit_give_old(tables->commit, &output->old);
}

/* ---- publishing ---- */

static int prepare(struct dit_output *output)
{
	struct claimed_output *o = of(output);
	int r = o->tables.base.is_merged ? dit_record_tables_put(&o->tables)
	                                 : put_indexes(o);

	output->bytes = dit_page_commit_bytes(output->indexes->commit);
	return r;
}

static int commit(struct dit_output *output)
{
	struct claimed_output *o = of(output);
	int r = 0;

	if (!o->tables.is_changed) {
		return 0; /* the file stays as it is, to the byte */
	}
	output->kept_bytes = o->first_bytes;
	r = dit_page_commit_write(output->indexes->commit);
	output->bytes = dit_page_commit_bytes(output->indexes->commit);
	return r;
}

/* ---- the space that is kept back ---- */

int dit_spare_keep(int dir_fd)
{
	struct statfs fs;
	int fd = -1;

	if (fstatfs(dir_fd, &fs) != 0 || fs.f_type != BTRFS_SUPER_MAGIC) {
		return -1;
	}
	fd = openat(dir_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0 && fallocate(fd, 0, 0, SPARE_BYTES) != 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static void use_spare(struct claimed_output *output)
{
	dit_close(output->spare_fd);
	output->spare_fd = -1;
}

static int take_back(struct dit_output *output)
{
	use_spare(of(output)); /* on btrfs the undo needs some */
	return dit_page_commit_undo(output->indexes->commit);
}

/* ---- opening and end ---- */

static void abandon(struct dit_output *base)
{
	struct claimed_output *output = of(base);
	struct dit_snapshot *snapshot = base->indexes->snapshot;

	use_spare(output);
	dit_record_tables_deinit(&output->tables);
	dit_snapshot_close(snapshot);
	dit_lock_file_set_up(&output->claim, output->data_fd);
	(void)close(output->data_fd);
	dit_claim_drop(&output->claim, DIT_CLAIM_PUBLISHED);
	free(output);
}

/* @param format  that it has to be of; NULL: either, not sealed */
static int open_data(struct claimed_output *output, const struct dit_page_format *format)
{
	struct dit_fault *fault = output->opts.fault;
	int dir_fd = output->claim.dir_fd;
	int fd = dit_data_open(dir_fd, O_RDWR, format == NULL ? &dit_lmdb_09 : format,
	                       fault);
	int r = 0;

	if (fd == DIT_E_FORMAT && format == NULL) {
		fd = dit_data_open(dir_fd, O_RDWR, &dit_lmdb_10, fault);
	}
	output->data_fd = fd;
	if (fd < 0) {
		return fd;
	}
	r = dit_meta_version(fd) == dit_lmdb_10.version
	            ? 0
	            : dit_format_check_metas(fd, fault);
	return r < 0 ? r : dit_format_check_state(fd, fault);
}

/* Under the claim, with room kept back. After an error nothing is to be closed. */
static int open_file(struct claimed_output *output, const struct dit_page_format *format)
{
	const struct dit_output_opts *opts = &output->opts;
	int r = dit_directory_open(opts->directory, opts->fault);

	r = r < 0 ? r : dit_claim_take(&output->claim, r, opts->mode, opts->fault);
	if (r < 0) {
		return r;
	}
	r = open_data(output, format);
	if (r < 0) {
		dit_close(output->data_fd);
		dit_claim_drop(&output->claim, DIT_CLAIM_UNUSED);
		return r;
	}
	output->spare_fd = dit_spare_keep(output->claim.dir_fd);
	return 0;
}

static int begin_commit(struct claimed_output *output)
{
	const struct dit_output_opts *opts = &output->opts;
	const struct dit_page_source *map = &output->tables.indexes.snapshot->map;
	uint64_t limit = dit_map_limit(opts->maxsize_bytes, map->page_bytes);
	const struct dit_page_commit_opts commit = {
		.fd = output->data_fd,
		.format = map->format,
		.shared = opts->shared,
		.is_direct = true,
		.map_bytes = limit,
		.max_bytes = opts->may_grow ? 0 : limit,
		.oldest = DIT_COMMIT_ALONE,
	};

	output->tables.base.base.key_max = dit_key_max(map->format, map->page_bytes);
	return dit_page_commit_open(&output->tables.indexes.commit, &commit);
}

static int open_snapshot(struct claimed_output *output)
{
	const struct dit_output_opts *opts = &output->opts;
	const struct dit_snapshot_opts snapshot = {
		.nreaders = output->tables.base.is_merged ? 1 : opts->shared.nthreads,
		.sealed = opts->shared.sealed,
		.is_claimed = true,
		.claimed_fd = output->data_fd,
		.lmdb.fault = opts->fault};

	return dit_snapshot_open_readers(&output->tables.indexes.snapshot, NULL,
	                                 &snapshot);
}

static int begin_records(struct claimed_output *output)
{
	struct dit_record_tables *tables = &output->tables;
	int r = dit_record_tables_begin(tables);

	output->first_bytes = dit_page_commit_bytes(tables->indexes.commit);
	return r < 0 ? r : dit_record_tables_read(tables, tables->indexes.snapshot, 0);
}

static int begin(struct claimed_output *output)
{
	struct dit_record_tables *tables = &output->tables;
	struct dit_fault *fault = output->opts.fault;
	int r = open_snapshot(output);

	r = r ?: begin_commit(output);
	if (!tables->base.is_merged) {
		tables->is_changed = true;
		tables->indexes.merge.space =
			r < 0 ? NULL : dit_page_commit_space(tables->indexes.commit);
		return r;
	}
	r = r ?: begin_records(output);
	return r == DIT_E_CORRUPT && fault != NULL && fault->text[0] == '\0'
	               ? dit_fault_say(fault, r,
	                               DIT_DATA_NAME
	                               " is damaged: see what \"ditcheck --quick\" says")
	               : r;
}

static const struct dit_output_ops ops = {
	.steps = {[DIT_PUBLISH_PREPARE] = prepare,
                  [DIT_PUBLISH_COMMIT] = commit,
                  [DIT_PUBLISH_TAKE_BACK] = take_back},
	.abandon = abandon,
};

/* @param is_merged  its records; else its indexes alone */
static int open_output(struct claimed_output **ret, const struct dit_output_opts *opts,
                       const struct dit_page_format *format, bool is_merged)
{
	struct claimed_output *output = calloc(1, sizeof(*output));
	struct dit_record_output *base = (struct dit_record_output *)output;
	int r = -ENOMEM;

	if (output != NULL) {
		output->opts = *opts;
		output->opts.maxsize_bytes = dit_map_configured(opts->maxsize_bytes);
		r = open_file(output, format);
	}
	if (r < 0) {
		free(output);
		return r;
	}
	*base = (struct dit_record_output){
		.base = {.ops = &ops,
	                 .is_parallel = true,
	                 .indexes = &output->tables.indexes,
	                 .target = {opts->directory, -1, output->data_fd, DIT_DATA_NAME}},
		.is_merged = is_merged};
	output->tables.indexes.fault = opts->fault;
	r = begin(output);
	if (r < 0) {
		abandon(&base->base);
		return r;
	}
	*ret = output;
	return 0;
}

int dit_output_merged_open(struct dit_record_output **ret,
                           const struct dit_output_opts *opts)
{
	const struct dit_page_format *format =
		opts->is_lmdb_10 ? dit_data_format_10(opts->shared.sealed) : &dit_lmdb_09;
	struct claimed_output *output = NULL;
	int r = open_output(&output, opts, format, true);

	if (r == 0) {
		output->tables.indexes.merge.list_max = opts->list_max;
		*ret = &output->tables.base;
	}
	return r;
}

int dit_index_output_open(struct dit_output **ret, struct dit_snapshot **ret_snapshot,
                          const struct dit_index_output_opts *opts)
{
	const struct dit_shared *shared = &opts->file.shared;
	struct claimed_output *output = NULL;
	int r = open_output(&output, &opts->file, shared->sealed, false);

	if (r == 0) {
		output->old = (struct dit_page_old_opts){.nthreads = shared->nthreads,
		                                         .order = dit_stored_order,
		                                         .damaged = opts->damaged,
		                                         .ctx = opts->ctx};
		*ret = &output->tables.base.base;
		*ret_snapshot = output->tables.indexes.snapshot;
	}
	return r;
}
