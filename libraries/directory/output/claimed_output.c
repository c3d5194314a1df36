/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records: new ones and their lists are merged with the stored ones (record_tables.h).
 * Indexes are built again when FEW_PARTS times the new IDs are as many as those that are
 * stored, and there is room for both states. Then their leaves are packed.
 *
 * Indexes alone: only the indexes among the tables are used.
 */
#include "output/claimed_output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "files/data_seal.h"
#include "files/files.h"
#include "files/format_check.h"
#include "files/map_size.h"
#include "locks/claim.h"
#include "locks/lock_file.h"
#include "output/record_tables.h"
#include "page/meta_pages.h"
#include "system/file_io.h"

#define FEW_PARTS   24u
#define SPARE_BYTES (2 << 20) /* btrfs reserves some 500 KiB for cutting a file */

struct claimed_output {
	struct dit_record_tables tables;
	struct dit_output_opts opts; /* with the effective maxsize_bytes */
	struct dit_claim claim;
	int data_fd;                          /* for reading and writing */
	int spare_fd;                         /* dit_spare_keep()'s */
	const struct dit_page_format *format; /* borrowed */
	struct dit_page_commit *commit;       /* owned; NULL: not begun */
	uint64_t first_bytes;                 /* of records: in use when it was opened */

	/* Indexes alone. */
	struct dit_page_change_opts how; /* old databases are checked */
	/* Databases that go, by the snapshot's names, then those that are built; owned */
	struct dit_page_change *changes;
	size_t nchanges;
	size_t changes_size;
};

static struct claimed_output *of(struct dit_output *output)
{
	return (struct claimed_output *)output;
}

/* ---- records: the way indexes are merged ---- */

/* Is there room, in the map and on the disk, for the stored pages once more and for the
 * additions? */
static bool has_room(const struct claimed_output *output)
{
	uint64_t used = dit_page_commit_bytes(output->commit);
	uint64_t more = used + output->opts.expected_bytes;
	uint64_t maxsize = output->opts.maxsize_bytes;
	struct statvfs st;

	if (!output->opts.may_grow && (maxsize < used || maxsize - used < more)) {
		return false;
	}
	return fstatvfs(output->data_fd, &st) == 0 &&
	       (uint64_t)st.f_bavail * st.f_frsize >= more;
}

static int expect_postings(struct dit_output *output, uint64_t n)
{
	struct claimed_output *o = of(output);
	struct dit_index_tables *indexes = &o->tables.indexes;
	uint64_t nstored = 0;

	for (size_t i = 0; i < indexes->n; i++) {
		nstored += indexes->list[i].stored.nitems;
	}
	if (o->opts.merge == DIT_MERGE_DEFAULT) {
		indexes->rebuilds = n >= nstored / FEW_PARTS && has_room(o);
	}
	return 0;
}

/* ---- indexes alone ---- */

static int add_change(struct claimed_output *output, const char *name,
                      const struct dit_tree_record *tree)
{
	const struct dit_page_change change = {.name = dit_span_of(name), .tree = tree};

	return DIT_APPEND(output->changes, output->changes_size, output->nchanges,
	                  change);
}

int dit_index_output_drop(struct dit_output *output, const char *name)
{
	const struct dit_stored_db *db = dit_snapshot_db(output->indexes->snapshot, name);

	return db == NULL ? DIT_E_UNKNOWN : add_change(of(output), db->name, NULL);
}

static bool used_bytes(const struct dit_output *output, uint64_t *ret)
{
	*ret = dit_page_commit_bytes(((const struct claimed_output *)output)->commit);
	return true;
}

/* The pages of the old trees are collected. */
static int change_all(struct claimed_output *output)
{
	const struct dit_index_tables *tables = &output->tables.indexes;
	int r = dit_index_tables_check(tables);

	for (size_t i = 0; i < tables->n && r == 0; i++) {
		r = add_change(output, tables->list[i].name, &tables->list[i].tree);
	}
	return r < 0 || output->nchanges == 0
	               ? r
	               : dit_page_commit_change(output->commit, output->changes,
	                                        output->nchanges, &output->how);
}

/* ---- publishing ---- */

static int prepare(struct dit_output *output)
{
	struct claimed_output *o = of(output);
	int r = output->indexes->snapshot != NULL ? change_all(o)
	                                          : dit_record_tables_put(&o->tables);

	output->bytes = dit_page_commit_bytes(o->commit);
	return r;
}

static int commit(struct dit_output *output)
{
	struct claimed_output *o = of(output);
	int r = 0;

	if (!o->tables.is_changed) {
		return 0; /* the file stays as it is, to the byte */
	}
	if (!output->indexes->rebuilds) {
		output->kept_bytes = o->first_bytes;
	}
	r = dit_page_commit_write(o->commit);
	output->bytes = dit_page_commit_bytes(o->commit);
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
	return dit_page_commit_undo(of(output)->commit);
}

/* ---- opening and end ---- */

static void abandon(struct dit_output *base)
{
	struct claimed_output *output = of(base);
	struct dit_snapshot *snapshot = base->indexes->snapshot;

	dit_record_tables_deinit(&output->tables);
	dit_snapshot_close(snapshot);
	use_spare(output);
	dit_page_commit_close(output->commit);
	dit_lock_file_set_up(&output->claim, output->data_fd);
	(void)close(output->data_fd);
	dit_claim_drop(&output->claim, DIT_CLAIM_PUBLISHED);
	free(output->changes);
	free(output);
}

/* @param format  that it has to be of; NULL: either, not sealed */
static int open_data(struct claimed_output *output, const struct dit_page_format *format)
{
	struct dit_fault *fault = output->opts.fault;
	int dir_fd = output->claim.dir_fd;
	int r = 0;

	output->format = format == NULL ? &dit_lmdb_09 : format;
	output->data_fd = dit_data_open(dir_fd, O_RDWR, output->format, fault);
	if (output->data_fd == DIT_E_FORMAT && format == NULL) {
		output->format = &dit_lmdb_10;
		output->data_fd = dit_data_open(dir_fd, O_RDWR, output->format, fault);
	}
	if (output->data_fd < 0) {
		return output->data_fd;
	}
	r = output->format->version == dit_lmdb_09.version
	            ? dit_format_check_metas(output->data_fd, fault)
	            : 0;
	return r < 0 ? r : dit_format_check_state(output->data_fd, fault);
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
	char path[DIT_FD_PATH_BYTES];
	struct dit_page_commit_opts commit = {
		.fd = output->data_fd,
		.path = path,
		.format = output->format,
		.shared = opts->shared,
		.is_direct = true,
		.oldest = DIT_COMMIT_ALONE,
	};
	struct dit_metas metas = {.page_bytes = 0};
	int r = dit_fd_path(output->data_fd, path, opts->fault);

	r = r ?: dit_metas_read(output->data_fd, output->format, &metas);
	if (r < 0) {
		return r;
	}
	output->tables.base.base.key_max = dit_key_max(output->format, metas.page_bytes);
	commit.map_bytes = dit_map_limit(opts->maxsize_bytes, metas.page_bytes);
	commit.max_bytes = opts->may_grow ? 0 : commit.map_bytes;
	return dit_page_commit_open(&output->commit, &commit);
}

static int begin_records(struct claimed_output *output)
{
	struct dit_fault *fault = output->opts.fault;
	int r = begin_commit(output);

	if (r == 0) {
		output->first_bytes = dit_page_commit_bytes(output->commit);
		r = dit_record_tables_begin(&output->tables, output->commit, NULL);
	}
	r = r < 0 ? r
	          : dit_record_tables_read(&output->tables, output->data_fd,
	                                   output->format);
	return r == DIT_E_CORRUPT && fault != NULL && fault->text[0] == '\0'
	               ? dit_fault_say(fault, r,
	                               DIT_DATA_NAME
	                               " is damaged: see what \"ditcheck --quick\" says")
	               : r;
}

static int begin_indexes(struct claimed_output *output)
{
	const struct dit_output_opts *opts = &output->opts;
	struct dit_index_tables *tables = &output->tables.indexes;
	const struct dit_snapshot_opts snapshot = {.nreaders = opts->shared.nthreads,
	                                           .sealed = opts->shared.sealed,
	                                           .is_claimed = true,
	                                           .claimed_fd = output->data_fd,
	                                           .fault = opts->fault};
	int r = dit_snapshot_open_readers(&tables->snapshot, NULL, &snapshot);

	r = r ?: begin_commit(output);
	if (r == 0) {
		output->tables.is_changed = true;
		tables->merge.space = dit_page_commit_space(output->commit);
	}
	return r;
}

/* @param begin  one of the two above */
static int open_output(struct claimed_output **ret, const struct dit_output_opts *opts,
                       const struct dit_page_format *format,
                       const struct dit_output_ops *ops,
                       int (*begin)(struct claimed_output *output))
{
	struct claimed_output *output = calloc(1, sizeof(*output));
	struct dit_output *base = (struct dit_output *)output;
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
	*base = (struct dit_output){
		.ops = ops,
		.is_parallel = true,
		.indexes = &output->tables.indexes,
		.target = {opts->directory, -1, output->data_fd, DIT_DATA_NAME}};
	base->indexes->fault = opts->fault;
	r = begin(output);
	if (r < 0) {
		abandon(base);
		return r;
	}
	*ret = output;
	return 0;
}

int dit_output_merged_open(struct dit_record_output **ret,
                           const struct dit_output_opts *opts)
{
	static const struct dit_output_ops ops = {
		.find_index = dit_record_tables_find_index,
		.expect_postings = expect_postings,
		.steps = {[DIT_PUBLISH_PREPARE] = prepare,
	                  [DIT_PUBLISH_COMMIT] = commit,
	                  [DIT_PUBLISH_TAKE_BACK] = take_back},
		.abandon = abandon,
	};
	const struct dit_page_format *format =
		opts->is_lmdb_10 ? dit_data_format_10(opts->shared.sealed) : &dit_lmdb_09;
	struct claimed_output *output = NULL;
	int r = open_output(&output, opts, format, &ops, begin_records);

	if (r == 0) {
		output->tables.base.is_merged = true;
		output->tables.indexes.merge.list_max = opts->list_max;
		output->tables.indexes.rebuilds = opts->merge == DIT_MERGE_REBUILD;
		*ret = &output->tables.base;
	}
	return r;
}

int dit_index_output_open(struct dit_output **ret, struct dit_snapshot **ret_snapshot,
                          const struct dit_index_output_opts *opts)
{
	static const struct dit_output_ops ops = {
		.find_index = dit_index_tables_find,
		.used_bytes = used_bytes,
		.steps = {[DIT_PUBLISH_PREPARE] = prepare,
	                  [DIT_PUBLISH_COMMIT] = commit,
	                  [DIT_PUBLISH_TAKE_BACK] = take_back},
		.abandon = abandon,
	};
	const struct dit_shared *shared = &opts->file.shared;
	struct claimed_output *output = NULL;
	int r = open_output(&output, &opts->file, shared->sealed, &ops, begin_indexes);

	if (r == 0) {
		output->how = (struct dit_page_change_opts){.nthreads = shared->nthreads,
		                                            .order = dit_stored_order,
		                                            .damaged = opts->damaged,
		                                            .ctx = opts->ctx};
		*ret = &output->tables.base.base;
		*ret_snapshot = output->tables.indexes.snapshot;
	}
	return r;
}
