/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output that is a database with records. New records and lists are merged with the
 * stored ones (record_tables.h), into free pages and pages after the end of the file. One
 * commit makes all of them visible (commit/page_commit.h).
 *
 * Indexes are built again when FEW_PARTS times the new IDs are as many as those that are
 * stored, and there is room for both states. Then their leaves are packed.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "base/error.h"
#include "files/data_seal.h"
#include "files/files.h"
#include "files/map_size.h"
#include "locks/claimed_file.h"
#include "output/record_tables.h"

#define FEW_PARTS 24u

struct merged_output {
	struct dit_record_tables tables;
	struct dit_claimed_file file;

	struct dit_output_opts opts; /* with the effective maxsize_bytes */
	uint64_t first_bytes;        /* in use when it was opened */
};

static struct merged_output *of(struct dit_output *output)
{
	return (struct merged_output *)output;
}

/* ---- the way indexes are merged ---- */

/* Is there room, in the map and on the disk, for the stored pages once more and for the
 * additions? */
static bool has_room(const struct merged_output *output)
{
	uint64_t used = dit_page_commit_bytes(output->file.commit);
	uint64_t more = used + output->opts.expected_bytes;
	uint64_t maxsize = output->opts.maxsize_bytes;
	struct statvfs st;

	if (!output->opts.may_grow && (maxsize < used || maxsize - used < more)) {
		return false;
	}
	return fstatvfs(output->file.data_fd, &st) == 0 &&
	       (uint64_t)st.f_bavail * st.f_frsize >= more;
}

static int expect_postings(struct dit_output *output, uint64_t n)
{
	struct merged_output *o = of(output);
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

/* ---- publishing ---- */

static int prepare(struct dit_output *output)
{
	struct merged_output *o = of(output);
	int r = dit_record_tables_put(&o->tables);

	output->bytes = dit_page_commit_bytes(o->file.commit);
	return r;
}

static int commit(struct dit_output *output)
{
	struct merged_output *o = of(output);
	int r = 0;

	if (!o->tables.is_changed) {
		return 0; /* the file stays as it is, to the byte */
	}
	if (!o->tables.indexes.rebuilds) {
		output->kept_bytes = o->first_bytes;
	}
	r = dit_page_commit_write(o->file.commit);
	output->bytes = dit_page_commit_bytes(o->file.commit);
	return r;
}

static int take_back(struct dit_output *output)
{
	return dit_claimed_file_undo(&of(output)->file);
}

static void abandon(struct dit_output *base)
{
	struct merged_output *output = of(base);

	dit_record_tables_deinit(&output->tables);
	dit_claimed_file_close(&output->file);
	free(output);
}

static const struct dit_output_ops output_ops = {
	.find_index = dit_record_tables_find_index,
	.expect_postings = expect_postings,
	.steps = {[DIT_PUBLISH_PREPARE] = prepare,
                  [DIT_PUBLISH_COMMIT] = commit,
                  [DIT_PUBLISH_TAKE_BACK] = take_back},
	.abandon = abandon,
};

/* ---- opening ---- */

static int open_database(struct merged_output *output,
                         const struct dit_claimed_file_opts *opts)
{
	struct dit_claimed_file *file = &output->file;
	int r = dit_claimed_file_begin(file, opts);

	if (r == 0) {
		output->first_bytes = dit_page_commit_bytes(file->commit);
		output->tables.base.base.key_max =
			dit_key_max(file->format, (unsigned)file->page_bytes);
		r = dit_record_tables_begin(&output->tables, file->commit, NULL);
	}
	return r < 0 ? r
	             : dit_record_tables_read(&output->tables, file->data_fd,
	                                      file->format);
}

int dit_output_merged_open(struct dit_record_output **ret,
                           const struct dit_output_opts *opts)
{
	const struct dit_claimed_file_opts file_opts = {
		.directory = opts->directory,
		.mode = opts->mode,
		.format = opts->is_lmdb_10 ? dit_data_format_10(opts->shared.sealed)
	                                   : &dit_lmdb_09,
		.maxsize_bytes = opts->maxsize_bytes,
		.may_grow = opts->may_grow,
		.shared = opts->shared,
		.fault = opts->fault};
	struct merged_output *output = calloc(1, sizeof(*output));
	int r = 0;

	if (output == NULL) {
		return -ENOMEM;
	}
	output->tables.base = (struct dit_record_output){
		.base = {.ops = &output_ops, .is_parallel = true}, .is_merged = true};
	output->tables.fault = opts->fault;
	output->tables.indexes.merge.list_max = opts->list_max;
	output->tables.indexes.rebuilds = opts->merge == DIT_MERGE_REBUILD;
	output->opts = *opts;
	output->opts.maxsize_bytes = dit_map_configured(opts->maxsize_bytes);
	r = dit_claimed_file_open(&output->file, &file_opts);
	if (r < 0) {
		free(output);
		return r;
	}
	r = open_database(output, &file_opts);
	if (r == DIT_E_CORRUPT && opts->fault != NULL && opts->fault->text[0] == '\0') {
		r = dit_fault_say(opts->fault, r,
		                  DIT_DATA_NAME
		                  " is damaged: see what \"ditcheck --quick\" says");
	}
	if (r < 0) {
		abandon(&output->tables.base.base);
		return r;
	}
	output->tables.base.base.target = (struct dit_output_target){
		opts->directory, -1, output->file.data_fd, DIT_DATA_NAME};
	*ret = &output->tables.base;
	return 0;
}
