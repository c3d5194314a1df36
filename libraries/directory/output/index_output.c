/* SPDX-License-Identifier: BSD-2-Clause */
/* New index databases go into a file that no other process uses. */
#include "output/index_output.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "files/files.h"
#include "output/index_tables.h"
#include "reader/stored_order.h"

struct index_output {
	struct dit_index_head head;
	struct dit_claimed_file file;
	struct dit_page_change_opts how; /* old databases are checked */
	/* Databases that go, by the snapshot's names, then those that are built; owned */
	struct dit_page_change *changes;
	size_t nchanges;
	size_t changes_size;
};

static struct index_output *of(struct dit_output *output)
{
	return (struct index_output *)output;
}

/* ---- tables ---- */

int dit_index_output_drop(struct dit_output *output, const char *name)
{
	struct index_output *o = of(output);
	const struct dit_stored_db *db = dit_snapshot_db(o->head.snapshot, name);

	return db == NULL ? DIT_E_UNKNOWN
	                  : DIT_APPEND(o->changes, o->changes_size, o->nchanges,
	                               (struct dit_page_change){
					       .name = dit_span_of(db->name)});
}

static bool used_bytes(const struct dit_output *output, uint64_t *ret)
{
	const struct index_output *o = (const struct index_output *)output;

	*ret = dit_page_commit_bytes(o->file.commit);
	return true;
}

/* ---- publishing ---- */

/* The pages of the old trees are collected. */
static int change_all(struct index_output *output)
{
	const struct dit_index_tables *tables = &output->head.tables;
	int r = 0;

	for (size_t i = 0; i < tables->n && r == 0; i++) {
		r = DIT_APPEND(output->changes, output->changes_size, output->nchanges,
		               (struct dit_page_change){
				       .name = dit_span_of(tables->list[i].name),
				       .tree = &tables->list[i].tree});
	}
	return r < 0 || output->nchanges == 0
	               ? r
	               : dit_page_commit_change(output->file.commit, output->changes,
	                                        output->nchanges, &output->how);
}

static int prepare(struct dit_output *output)
{
	struct index_output *o = of(output);
	int r = dit_index_tables_check(&o->head.tables);

	r = r ?: change_all(o);
	output->bytes = dit_page_commit_bytes(o->file.commit);
	return r;
}

static int commit(struct dit_output *output)
{
	struct index_output *o = of(output);
	int r = dit_page_commit_write(o->file.commit);

	output->bytes = dit_page_commit_bytes(o->file.commit);
	return r;
}

static int take_back(struct dit_output *output)
{
	return dit_claimed_file_undo(&of(output)->file);
}

static void abandon(struct dit_output *base)
{
	struct index_output *output = of(base);

	dit_index_tables_deinit(&output->head.tables);
	dit_snapshot_close(output->head.snapshot);
	dit_claimed_file_close(&output->file);
	free(output->changes);
	free(output);
}

static const struct dit_output_ops ops = {
	.find_index = dit_index_head_find,
	.used_bytes = used_bytes,
	.steps = {[DIT_PUBLISH_PREPARE] = prepare,
                  [DIT_PUBLISH_COMMIT] = commit,
                  [DIT_PUBLISH_TAKE_BACK] = take_back},
	.abandon = abandon,
};

/* ---- opening ---- */

/* Under the claim. */
static int open_database(struct index_output *output,
                         const struct dit_claimed_file_opts *opts)
{
	struct dit_claimed_file *file = &output->file;
	const struct dit_snapshot_opts snapshot = {.nreaders = opts->shared.nthreads,
	                                           .sealed = opts->shared.sealed,
	                                           .is_claimed = true,
	                                           .claimed_fd = file->data_fd,
	                                           .fault = opts->fault};
	int r = dit_snapshot_open_readers(&output->head.snapshot, NULL, &snapshot);

	r = r ?: dit_claimed_file_begin(file, opts);
	if (r == 0) {
		output->head.tables.merge.space = dit_page_commit_space(file->commit);
		output->head.base.key_max =
			dit_key_max(file->format, (unsigned)file->page_bytes);
	}
	return r;
}

int dit_index_output_open(struct dit_output **ret, struct dit_snapshot **ret_snapshot,
                          const struct dit_index_output_opts *opts)
{
	struct dit_claimed_file_opts file_opts = opts->file;
	struct index_output *output = calloc(1, sizeof(*output));
	int r = 0;

	if (output == NULL) {
		return -ENOMEM;
	}
	file_opts.format = file_opts.shared.sealed;
	output->head.fault = file_opts.fault;
	output->how = (struct dit_page_change_opts){.nthreads = file_opts.shared.nthreads,
	                                            .order = dit_stored_order,
	                                            .damaged = opts->damaged,
	                                            .ctx = opts->ctx};
	r = dit_claimed_file_open(&output->file, &file_opts);
	if (r < 0) {
		free(output);
		return r;
	}
	output->head.base = (struct dit_output){
		.ops = &ops,
		.is_parallel = true,
		.indexes = &output->head.tables,
		.target = {file_opts.directory, -1, output->file.data_fd, DIT_DATA_NAME}};
	r = open_database(output, &file_opts);
	if (r < 0) {
		abandon(&output->head.base);
		return r;
	}
	*ret = &output->head.base;
	*ret_snapshot = output->head.snapshot;
	return 0;
}
