/* SPDX-License-Identifier: BSD-2-Clause */
/* New index databases go into a file that no other process uses, or through online.h. */
#include "output/index_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "commit/page_commit.h"
#include "output/guard.h"
#include "output/output_impl.h"
#include "output/rebuilt_output.h"
#include "place/claim.h"
#include "place/files.h"
#include "place/format_check.h"
#include "place/lock_file.h"
#include "place/map_size.h"
#include "place/spare.h"
#include "reader/stored_flags.h"
#include "reader/stored_order.h"
#include "tree/table_writer.h"

struct index_table {
	char *name; /* owned */
	unsigned flags;
	struct dit_tree_record tree;
	bool is_written; /* the tree is finished */
};

struct index_output {
	struct dit_output base;
	struct dit_claim claim;
	int data_fd;
	struct dit_snapshot *snapshot;
	int spare_fd;                       /* spare.h; -1: none */
	struct dit_page_commit *commit;     /* NULL: online */
	struct dit_fault *fault;            /* borrowed; may be NULL */
	struct dit_page_change_opts change; /* how old databases are checked */

	/* While other processes use the database. */
	struct dit_online *online; /* owned; NULL: the directory is claimed */
	dit_online_changed_fn changed;
	void *changed_ctx;
	bool is_committed;

	struct index_table *tables; /* [own: main; a table: who writes it, then main] */
	size_t ntables;
	char **dropped; /* names; owned */
	size_t ndropped;
};

struct index_writing {
	struct dit_output_table base;
	struct index_table *table;
	struct dit_table_writer *writer; /* owned */
};

static struct index_output *of(struct dit_output *output)
{
	return (struct index_output *)output;
}

/* ---- tables ---- */

static int find_tree(const struct index_output *output, const char *name,
                     struct dit_tree_record *ret)
{
	return output->online != NULL
	               ? dit_online_find(output->online, name, ret)
	               : dit_page_commit_find(output->commit, dit_span_of(name), ret);
}

static int find_index(struct dit_output *output, const char *name,
                      struct dit_output_stored_index *ret)
{
	struct index_output *o = of(output);
	struct dit_tree_record tree;

	return find_tree(o, name, &tree) == 0
	               ? 0
	               : dit_output_found_index(name, &tree, o->online != NULL, o->fault,
	                                        ret);
}

static int add_index(struct dit_output *output, const struct dit_output_index *index)
{
	struct index_output *o = of(output);
	struct index_table *tables = NULL;
	unsigned flags =
		DIT_INDEX_FLAGS | (index->is_integerkey ? DIT_DB_INTEGERKEY : 0u);

	for (size_t i = 0; i < o->ntables; i++) {
		if (strcmp(o->tables[i].name, index->name) == 0) {
			return DIT_E_DUPLICATE;
		}
	}
	tables = reallocarray(o->tables, o->ntables + 1, sizeof(*tables));
	if (tables == NULL) {
		return -ENOMEM;
	}
	o->tables = tables;
	tables[o->ntables] = (struct index_table){
		.name = strdup(index->name),
		.flags = flags,
		.tree = {.flags = (uint16_t)flags, .root = DIT_PAGE_NONE},
	};
	if (tables[o->ntables].name == NULL) {
		return -ENOMEM;
	}
	o->ntables++;
	if (o->online != NULL) {
		dit_online_expect(o->online, index->name);
	}
	return 0;
}

static int drop_index(struct dit_output *output, const char *name)
{
	struct index_output *o = of(output);
	struct dit_tree_record tree;
	char **dropped = NULL;
	char *copy = NULL;

	if (o->online != NULL) {
		return -EINVAL;
	}
	if (find_tree(o, name, &tree) == 0) {
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

static int put_lists(struct dit_output_table *table, const struct dit_output_list *lists,
                     size_t nlists)
{
	struct dit_table_writer *writer = ((struct index_writing *)table)->writer;
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = dit_table_writer_put(writer, lists[i].key, lists[i].ids,
		                         lists[i].nids);
	}
	return r;
}

static void drop(struct dit_output_table *table)
{
	dit_table_writer_free(((struct index_writing *)table)->writer);
	free(table);
}

static int finish(struct dit_output_table *table)
{
	struct index_writing *writing = (struct index_writing *)table;
	int r = dit_table_writer_finish(writing->writer, &writing->table->tree);

	writing->table->is_written = r == 0;
	if (r == 0 && table->ret_bytes != NULL) {
		*table->ret_bytes = dit_table_writer_bytes(writing->writer);
	}
	drop(table);
	return r;
}

static const struct dit_output_table_ops table_ops = {
	.put_lists = put_lists,
	.finish = finish,
	.drop = drop,
};

static int open_index(struct dit_output *output, size_t number,
                      struct dit_output_table **ret)
{
	struct index_output *o = of(output);
	struct index_writing *writing = calloc(1, sizeof(*writing));
	int r = 0;

	if (writing == NULL) {
		return -ENOMEM;
	}
	r = number >= o->ntables || o->tables[number].is_written ? -EINVAL : 0;
	if (r == 0) {
		writing->base.ops = &table_ops;
		writing->table = &o->tables[number];
		r = dit_table_writer_new(&writing->writer,
		                         o->online != NULL
		                                 ? dit_online_space(o->online)
		                                 : dit_page_commit_space(o->commit),
		                         writing->table->flags);
	}
	if (r < 0) {
		free(writing);
		return r;
	}
	*ret = &writing->base;
	return 0;
}

static bool used_bytes(const struct dit_output *output, uint64_t *ret)
{
	const struct index_output *o = (const struct index_output *)output;

	if (o->online != NULL) {
		return false;
	}
	*ret = dit_page_commit_bytes(o->commit);
	return true;
}

/* ---- publishing ---- */

static bool is_complete(const struct index_output *output)
{
	for (size_t i = 0; i < output->ntables; i++) {
		if (!output->tables[i].is_written) {
			return false;
		}
	}
	return true;
}

/* The pages of the old trees are collected. */
static int change_all(struct index_output *output)
{
	size_t n = 0;
	struct dit_page_change *changes =
		calloc(output->ntables + output->ndropped + 1, sizeof(*changes));
	int r = 0;

	if (changes == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < output->ntables; i++) {
		changes[n++] = (struct dit_page_change){
			.name = dit_span_of(output->tables[i].name),
			.tree = &output->tables[i].tree};
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

	if (!is_complete(o)) {
		return -EINVAL;
	}
	if (o->online == NULL) {
		int r = change_all(o);

		output->bytes = dit_page_commit_bytes(o->commit);
		return r;
	}
	return 0; /* others change the old trees until the commit */
}

static int commit_online(struct index_output *output)
{
	struct dit_online_table *tables = calloc(output->ntables + 1, sizeof(*tables));
	struct dit_online_times times;
	int r = 0;

	if (tables == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < output->ntables; i++) {
		tables[i] = (struct dit_online_table){.name = output->tables[i].name,
		                                      .tree = output->tables[i].tree};
	}
	r = dit_online_commit(output->online, tables, output->ntables, output->changed,
	                      output->changed_ctx);
	free(tables);
	output->is_committed = r == 0;
	dit_online_times(output->online, &times);
	output->base.bytes = times.bytes;
	return r;
}

static int commit(struct dit_output *output)
{
	struct index_output *o = of(output);
	int r = 0;

	/* Nothing is built: the file stays as it is, to the byte. */
	if (o->ntables == 0 && o->ndropped == 0) {
		return 0;
	}
	if (o->online != NULL) {
		return commit_online(o);
	}
	r = dit_page_commit_write(o->commit);
	output->bytes = dit_page_commit_bytes(o->commit);
	return r;
}

/* To undo takes space where each write does. */
static void use_spare(struct index_output *output)
{
	if (output->spare_fd >= 0) {
		(void)close(output->spare_fd);
		output->spare_fd = -1;
	}
}

static int take_back(struct dit_output *output)
{
	const struct index_output *o = of(output);

	if (o->online != NULL) {
		return o->is_committed ? -ENOTSUP : 0;
	}
	use_spare(of(output));
	return dit_page_commit_undo(o->commit);
}

static void end_claim(struct index_output *output)
{
	use_spare(output);
	dit_snapshot_close(output->snapshot);
	dit_page_commit_close(output->commit);
	if (output->data_fd >= 0) {
		dit_lock_file_renew(&output->claim, output->data_fd);
		(void)close(output->data_fd);
	}
	dit_claim_drop(&output->claim, DIT_CLAIM_PUBLISHED);
}

static void abandon(struct dit_output *base)
{
	struct index_output *output = of(base);

	if (output->online != NULL) {
		dit_online_close(output->online);
	} else {
		end_claim(output);
	}
	for (size_t i = 0; i < output->ntables; i++) {
		free(output->tables[i].name);
	}
	for (size_t i = 0; i < output->ndropped; i++) {
		free(output->dropped[i]);
	}
	free(output->tables);
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
		.fd = output->data_fd,
		.path = path,
		.format = &dit_lmdb_09,
		.page_bytes = dit_snapshot_page_bytes(output->snapshot),
		.file = {.writer = opts->page_writer, .is_direct = true},
		.ticker = opts->ticker,
		.oldest = DIT_COMMIT_ALONE,
	};
	int r = dit_fd_path(output->data_fd, path, opts->fault);

	commit_opts.max_bytes = dit_map_limit(dit_map_configured(opts->maxsize_bytes),
	                                      commit_opts.page_bytes);
	return r < 0 ? r : dit_page_commit_open(&output->commit, &commit_opts);
}

/* Under the claim. */
static int open_database(struct index_output *output,
                         const struct dit_index_output_opts *opts)
{
	struct dit_snapshot_opts snapshot = {
		.nreaders = opts->nthreads, .is_claimed = true, .fault = opts->fault};
	int r = dit_data_open(output->claim.dir_fd, O_RDWR, opts->fault);

	output->data_fd = r;
	output->base.place = (struct dit_output_place){opts->directory, -1, r};
	if (r < 0) {
		return r;
	}
	output->spare_fd = dit_spare_keep(output->claim.dir_fd);
	snapshot.claimed_fd = output->data_fd;
	r = dit_format_check_metas(output->data_fd, opts->fault);
	if (r == 0) {
		r = dit_guard_metas(output->data_fd, opts->fault);
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
	output->data_fd = -1;
	output->spare_fd = -1;
	output->fault = opts->fault;
	output->change = (struct dit_page_change_opts){.nthreads = opts->nthreads,
	                                               .order = dit_stored_order,
	                                               .damaged = opts->damaged,
	                                               .ctx = opts->ctx};
	r = dit_directory_open(opts->directory, opts->fault);
	if (r >= 0) {
		r = dit_claim_take(&output->claim, r, opts->mode, opts->fault);
	}
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

int dit_index_output_open_online(struct dit_output **ret, struct dit_online *online,
                                 struct dit_fault *fault, dit_online_changed_fn changed,
                                 void *ctx)
{
	struct index_output *output = calloc(1, sizeof(*output));

	if (output == NULL) {
		dit_online_close(online);
		return -ENOMEM;
	}
	*output = (struct index_output){
		.base = {.ops = &ops,
	                 .is_parallel = true,
	                 .place = dit_online_place(online)},
		.data_fd = -1,
		.spare_fd = -1,
		.fault = fault,
		.online = online,
		.changed = changed,
		.changed_ctx = ctx,
	};
	*ret = &output->base;
	return 0;
}
