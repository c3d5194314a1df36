/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A new database whose pages are all ours: merges into a file that has no table yet
 * (record_tables.h). liblmdb has no part in this. The first transaction of the file has
 * all tables (commit/page_commit.h).
 */
#include "output/staging.h"

#include "files/map_size.h"
#include "page/meta_pages.h"
#include "system/file_io.h"

static bool used_bytes(const struct dit_output *output, uint64_t *ret)
{
	const struct dit_staging *staging = (const struct dit_staging *)output;

	*ret = dit_page_commit_bytes(staging->commit);
	return true;
}

/* Empty, under the name that slapd gives it. */
static int put_checks(struct dit_staging *staging)
{
	const struct dit_fixed_db_facts *ixck = &dit_fixed_dbs[DIT_FIXED_CHECKS];
	const struct dit_tree_record none = {.flags = (uint16_t)ixck->flags,
	                                     .root = DIT_PAGE_NONE};

	return dit_page_commit_put_merged(staging->commit, dit_span_of(ixck->name),
	                                  &none);
}

static int prepare(struct dit_output *output)
{
	struct dit_staging *staging = dit_staging_of(output);
	int r = dit_record_tables_put(&staging->tables);

	if (r == 0 && staging->has_ixck) {
		r = put_checks(staging);
	}
	if (r == 0) {
		r = dit_page_commit_write(staging->commit);
	}
	staging->used_bytes = dit_page_commit_bytes(staging->commit);
	return dit_staging_finish_file(staging, r);
}

static const struct dit_output_ops output_ops = {
	.add_index = dit_record_tables_add_index,
	.cut_index = dit_record_tables_cut_index,
	.open_index = dit_record_tables_open_index,
	.used_bytes = used_bytes,
	.prepare = prepare,
	.place = dit_staging_place,
	.settle = dit_staging_settle,
	.take_back = dit_staging_take_back,
	.end = dit_staging_end,
	.abandon = dit_staging_abandon,
};

int dit_staging_begin_pages(struct dit_staging *staging,
                            const struct dit_output_opts *opts)
{
	struct dit_record_output *output = &staging->tables.base;
	const struct dit_page_commit_opts commit_opts = {
		.fd = staging->data_fd,
		.path = DIT_DATA_NAME,
		.dir_fd = staging->staging_fd,
		.format = staging->format,
		.file = {.writer = opts->page_writer, .is_direct = true},
		.map_bytes = dit_map_limit(staging->maxsize_bytes, staging->page_bytes),
		.is_new = true,
		.caller_syncs = true,
	};
	sigset_t previous;
	int r = 0;

	output->base.ops = &output_ops;
	output->base.is_parallel = true;
	output->ops = &dit_record_tables_ops;
	dit_file_size_signal_block(&previous);
	r = dit_metas_begin(staging->data_fd, staging->format, staging->page_bytes);
	dit_file_size_signal_restore(&previous);
	if (r == 0) {
		r = dit_page_commit_open(&staging->commit, &commit_opts);
	}
	if (r == 0) {
		dit_record_tables_begin(&staging->tables, staging->commit);
	}
	return r;
}
