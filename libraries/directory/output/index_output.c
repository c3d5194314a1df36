/* SPDX-License-Identifier: BSD-2-Clause */
/* New index databases go into a file that no other process uses. */
#include "output/index_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "commit/page_commit.h"
#include "output/data_check.h"
#include "output/index_tables.h"
#include "output/output_impl.h"
#include "output/rebuilt_output.h"
#include "place/claimed_file.h"
#include "place/files.h"
#include "place/format_check.h"
#include "place/map_size.h"
#include "reader/stored_order.h"

struct index_output {
	struct dit_output base;
	struct dit_claimed_file file;
	struct dit_snapshot *snapshot;
	struct dit_page_commit *commit;
	struct dit_fault *fault;            /* borrowed; may be NULL */
	struct dit_page_change_opts change; /* how old databases are checked */
	struct dit_index_tables tables;
	char **dropped; /* names; owned */
	size_t ndropped;
};

static struct index_output *of(struct dit_output *output)
{
	return (struct index_output *)output;
}

/* ---- tables ---- */

static int find_index(struct dit_output *output, const char *name,
                      struct dit_output_stored_index *ret)
{
	struct index_output *o = of(output);
	struct dit_tree_record tree;

	return dit_page_commit_find(o->commit, dit_span_of(name), &tree) == 0
	               ? 0
	               : dit_output_found_index(name, &tree, false, o->fault, ret);
}

static int add_index(struct dit_output *output, const struct dit_output_index *index)
{
	return dit_index_tables_add(&of(output)->tables, index);
}

static int open_index(struct dit_output *output, size_t number,
                      struct dit_output_table **ret)
{
	return dit_index_tables_open(&of(output)->tables, number, ret);
}

static int drop_index(struct dit_output *output, const char *name)
{
	struct index_output *o = of(output);
	struct dit_tree_record tree;
	char **dropped = NULL;
	char *copy = NULL;

	if (dit_page_commit_find(o->commit, dit_span_of(name), &tree) == 0) {
		return DIT_E_UNKNOWN;
	}
	dropped = reallocarray(o->dropped, o->ndropped + 1, sizeof(*dropped));
	if (dropped == NULL) {
		return -ENOMEM;
	}
	o->dropped = dropped;
	copy = strdup(name);
	if (copy == NULL) {
		return -ENOMEM;
	}
	dropped[o->ndropped++] = copy;
	return 0;
}

static bool used_bytes(const struct dit_output *output, uint64_t *ret)
{
	const struct index_output *o = (const struct index_output *)output;

	*ret = dit_page_commit_bytes(o->commit);
	return true;
}

/* ---- publishing ---- */

/* The pages of the old trees are collected. */
static int change_all(struct index_output *output)
{
	size_t n = 0;
	struct dit_page_change *changes =
		calloc(output->tables.n + output->ndropped + 1, sizeof(*changes));
	int r = 0;

	if (changes == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < output->tables.n; i++) {
		changes[n++] = (struct dit_page_change){
			.name = dit_span_of(output->tables.list[i].name),
			.tree = &output->tables.list[i].tree};
	}
	for (size_t i = 0; i < output->ndropped; i++) {
		changes[n++].name = dit_span_of(output->dropped[i]);
	}
	r = n == 0 ? 0
	           : dit_page_commit_change(output->commit, changes, n, &output->change);
	free(changes);
	return r;
}

static int prepare(struct dit_output *output)
{
	struct index_output *o = of(output);
	int r = dit_index_tables_check(&o->tables);

	if (r == 0) {
		r = change_all(o);
	}
	output->bytes = dit_page_commit_bytes(o->commit);
	return r;
}

static int commit(struct dit_output *output)
{
	struct index_output *o = of(output);
	int r = dit_page_commit_write(o->commit);

	output->bytes = dit_page_commit_bytes(o->commit);
	return r;
}

static int take_back(struct dit_output *output)
{
	dit_claimed_file_use_spare(&of(output)->file);
	return dit_page_commit_undo(of(output)->commit);
}

static void abandon(struct dit_output *base)
{
	struct index_output *output = of(base);

	dit_claimed_file_use_spare(&output->file);
	dit_snapshot_close(output->snapshot);
	dit_page_commit_close(output->commit);
	dit_claimed_file_close(&output->file);
	dit_index_tables_deinit(&output->tables);
	for (size_t i = 0; i < output->ndropped; i++) {
		free(output->dropped[i]);
	}
	free(output->dropped);
	free(output);
}

static const struct dit_output_ops ops = {
	.find_index = find_index,
	.add_index = add_index,
	.open_index = open_index,
	.drop_index = drop_index,
	.used_bytes = used_bytes,
	.prepare = prepare,
	.commit = commit,
	.take_back = take_back,
	.abandon = abandon,
};

/* ---- opening ---- */

static int open_commit(struct index_output *output,
                       const struct dit_index_output_opts *opts)
{
	char path[DIT_FD_PATH_BYTES];
	struct dit_page_commit_opts commit_opts = {
		.fd = output->file.data_fd,
		.path = path,
		.format = &dit_lmdb_09,
		.page_bytes = dit_snapshot_page_bytes(output->snapshot),
		.file = {.writer = opts->page_writer, .is_direct = true},
		.ticker = opts->ticker,
		.oldest = DIT_COMMIT_ALONE,
	};
	int r = dit_fd_path(output->file.data_fd, path, opts->fault);

	commit_opts.max_bytes = dit_map_limit(dit_map_configured(opts->maxsize_bytes),
	                                      commit_opts.page_bytes);
	if (r == 0) {
		r = dit_page_commit_open(&output->commit, &commit_opts);
	}
	if (r == 0) {
		output->tables.space = dit_page_commit_space(output->commit);
	}
	return r;
}

/* Under the claim. */
static int open_database(struct index_output *output,
                         const struct dit_index_output_opts *opts)
{
	struct dit_snapshot_opts snapshot = {
		.nreaders = opts->nthreads, .is_claimed = true, .fault = opts->fault};
	int fd = output->file.data_fd;
	int r = dit_format_check_metas(fd, opts->fault);

	output->base.place = (struct dit_output_place){opts->directory, -1, fd};
	snapshot.claimed_fd = fd;
	if (r == 0) {
		r = dit_data_check_metas(fd, opts->fault);
	}
	if (r == 0) {
		r = dit_snapshot_open_readers(&output->snapshot, NULL, &snapshot);
	}
	return r < 0 ? r : open_commit(output, opts);
}

static int open_09(struct dit_output **ret, struct dit_snapshot **ret_snapshot,
                   const struct dit_index_output_opts *opts)
{
	struct index_output *output = calloc(1, sizeof(*output));
	int r = 0;

	if (output == NULL) {
		return -ENOMEM;
	}
	output->base = (struct dit_output){
		.ops = &ops, .is_parallel = true, .key_max = dit_lmdb_09.key_bytes_max};
	output->fault = opts->fault;
	output->change = (struct dit_page_change_opts){.nthreads = opts->nthreads,
	                                               .order = dit_stored_order,
	                                               .damaged = opts->damaged,
	                                               .ctx = opts->ctx};
	r = dit_claimed_file_open(&output->file, opts->directory, opts->mode, false,
	                          opts->fault);
	if (r < 0) {
		free(output);
		return r;
	}
	r = open_database(output, opts);
	if (r < 0) {
		abandon(&output->base);
		return r;
	}
	*ret = &output->base;
	*ret_snapshot = output->snapshot;
	return 0;
}

int dit_index_output_open(struct dit_output **ret, struct dit_snapshot **ret_snapshot,
                          const struct dit_index_output_opts *opts)
{
	int r = dit_rebuilt_open(ret, ret_snapshot, opts);

	return r == DIT_E_FORMAT ? open_09(ret, ret_snapshot, opts) : r;
}
