/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outputs that are new databases: a staging environment (staging.h) whose pages are ours,
 * or all liblmdb's.
 */
#include "output/output_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "output/staging.h"
#include "page/page_format.h"
#include "tree/table_writer.h"

/* Not the number of an index. */
#define NAMES SIZE_MAX

struct new_output {
	struct dit_record_output base;
	struct dit_staging *staging; /* NULL: ended */
	bool is_placed;
	struct dit_output_table table; /* of the append writer: the one that is open */
};

struct pages_table {
	struct dit_output_table base;
	struct dit_staging *staging;
	struct dit_table_writer *writer; /* owned */
	size_t number;                   /* or NAMES */
};

static struct new_output *of(struct dit_output *output)
{
	return (struct new_output *)output;
}

static struct dit_staging *staging_of(struct dit_record_output *output)
{
	return of(&output->base)->staging;
}

/* ---- our pages: entries ---- */

static int pages_put_ad(struct dit_record_output *output, uint32_t number,
                        struct dit_span name)
{
	return dit_staging_put_ad(staging_of(output), number, name);
}

static int pages_reserve_entry(struct dit_record_output *output, uint64_t id, size_t len,
                               void **ret_space)
{
	return dit_staging_reserve_entry(staging_of(output), id, len, ret_space);
}

static int pages_put_entry_pieces(struct dit_record_output *output, uint64_t id,
                                  size_t len, const struct dit_pieces *record)
{
	return dit_staging_put_entry_pieces(staging_of(output), id, len, record);
}

/* ---- our pages: tables ---- */

static int pages_put_lists(struct dit_output_table *table,
                           const struct dit_output_list *lists, size_t nlists)
{
	struct dit_table_writer *writer = ((struct pages_table *)table)->writer;
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = dit_table_writer_put(writer, lists[i].key, lists[i].ids,
		                         lists[i].nids);
	}
	return r;
}

static int pages_put_record(struct dit_output_table *table, uint64_t id,
                            struct dit_span record)
{
	return dit_table_writer_add(((struct pages_table *)table)->writer,
	                            (struct dit_span){(const char *)&id, sizeof(id)},
	                            record);
}

static int pages_finish(struct dit_output_table *table)
{
	struct pages_table *t = (struct pages_table *)table;
	int r = t->number == NAMES ? dit_staging_close_names(t->staging, t->writer)
	                           : dit_staging_close_index(t->staging, t->number,
	                                                     t->writer, table->ret_bytes);

	free(t);
	return r;
}

static void pages_drop(struct dit_output_table *table)
{
	dit_table_writer_free(((struct pages_table *)table)->writer);
	free(table);
}

static const struct dit_output_table_ops pages_table_ops = {
	.put_lists = pages_put_lists,
	.put_record = pages_put_record,
	.finish = pages_finish,
	.drop = pages_drop,
};

static int pages_open_table(struct dit_record_output *output, size_t number,
                            struct dit_output_table **ret)
{
	struct dit_staging *staging = staging_of(output);
	struct pages_table *table = calloc(1, sizeof(*table));
	int r = 0;

	if (table == NULL) {
		return -ENOMEM;
	}
	*table = (struct pages_table){
		.base.ops = &pages_table_ops, .staging = staging, .number = number};
	r = number == NAMES ? dit_staging_open_names(staging, &table->writer)
	                    : dit_staging_open_index(staging, number, &table->writer);
	if (r < 0) {
		free(table);
		return r;
	}
	*ret = &table->base;
	return 0;
}

static int pages_open_names(struct dit_record_output *output,
                            struct dit_output_table **ret)
{
	return pages_open_table(output, NAMES, ret);
}

static int pages_open_index(struct dit_output *output, size_t number,
                            struct dit_output_table **ret)
{
	return number == NAMES ? -EINVAL
	                       : pages_open_table(&of(output)->base, number, ret);
}

/* ---- liblmdb appends ---- */

static int append_put_ad(struct dit_record_output *output, uint32_t number,
                         struct dit_span name)
{
	return dit_staging_append_ad(staging_of(output), number, name);
}

static int append_reserve_entry(struct dit_record_output *output, uint64_t id, size_t len,
                                void **ret_space)
{
	return dit_staging_append_entry(staging_of(output), id, len, ret_space);
}

static struct dit_staging *staging_of_table(struct dit_output_table *table)
{
	const struct new_output *output =
		(const void *)((char *)table - offsetof(struct new_output, table));

	return output->staging;
}

static int append_put_lists(struct dit_output_table *table,
                            const struct dit_output_list *lists, size_t nlists)
{
	struct dit_staging *staging = staging_of_table(table);
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = dit_staging_append_list(staging, lists[i].key, lists[i].ids,
		                            lists[i].nids);
	}
	return r;
}

static int append_put_record(struct dit_output_table *table, uint64_t id,
                             struct dit_span record)
{
	return dit_staging_append_name(staging_of_table(table), id, record);
}

static void append_drop(struct dit_output_table *table)
{
	dit_staging_append_end(staging_of_table(table));
}

static int append_finish(struct dit_output_table *table)
{
	append_drop(table);
	return 0;
}

static const struct dit_output_table_ops append_table_ops = {
	.put_lists = append_put_lists,
	.put_record = append_put_record,
	.finish = append_finish,
	.drop = append_drop,
};

static int append_open_names(struct dit_record_output *output,
                             struct dit_output_table **ret)
{
	int r = dit_staging_append_names(staging_of(output));

	if (r == 0) {
		*ret = &of(&output->base)->table;
	}
	return r;
}

static int append_open_index(struct dit_output *output, size_t number,
                             struct dit_output_table **ret)
{
	int r = dit_staging_append_index(of(output)->staging, number);

	if (r == 0) {
		*ret = &of(output)->table;
	}
	return r;
}

/* ---- what both have ---- */

static int add_index(struct dit_output *output, const struct dit_output_index *index)
{
	return dit_staging_add_index(of(output)->staging, index->name,
	                             index->is_integerkey);
}

static int put_split(struct dit_record_output *output, uint64_t id, uint16_t ad,
                     uint32_t place, struct dit_span record)
{
	(void)place;
	return dit_staging_add_split(staging_of(output), id, ad, record);
}

static bool used_bytes(const struct dit_output *output, uint64_t *ret)
{
	*ret = dit_staging_used_bytes(((const struct new_output *)output)->staging);
	return true;
}

/* ---- changes ---- */

static int begin_changes(struct dit_record_output *output)
{
	return dit_staging_begin_changes(staging_of(output));
}

static int find_entry(struct dit_record_output *output, uint64_t id, struct dit_span *ret)
{
	struct dit_span record = {0};
	int r = dit_staging_entry(staging_of(output), id, &record);

	if (r < 0 || record.len == 0) {
		return r;
	}
	*ret = record;
	return 1;
}

static int replace_entry(struct dit_record_output *output, uint64_t id,
                         struct dit_span record)
{
	return dit_staging_replace_entry(staging_of(output), id, record);
}

/* ---- publishing ---- */

static int prepare(struct dit_output *output)
{
	return dit_staging_prepare(of(output)->staging, &output->bytes,
	                           &output->synced_bytes);
}

static int place(struct dit_output *output)
{
	int r = dit_staging_place(of(output)->staging);

	of(output)->is_placed = r == 0;
	return r;
}

static void settle(struct dit_output *output)
{
	if (of(output)->is_placed) {
		dit_staging_settle(of(output)->staging);
	}
}

static int take_back(struct dit_output *output)
{
	return of(output)->is_placed ? dit_staging_take_back(of(output)->staging) : 0;
}

static int end(struct dit_output *output)
{
	int r = dit_staging_end(of(output)->staging);

	free(output);
	return r;
}

static void abandon(struct dit_output *output)
{
	dit_staging_abandon(of(output)->staging);
	free(output);
}

static const struct dit_output_ops pages_output_ops = {
	.add_index = add_index,
	.open_index = pages_open_index,
	.used_bytes = used_bytes,
	.prepare = prepare,
	.place = place,
	.settle = settle,
	.take_back = take_back,
	.end = end,
	.abandon = abandon,
};

static const struct dit_record_ops pages_ops = {
	.put_ad = pages_put_ad,
	.reserve_entry = pages_reserve_entry,
	.put_entry_pieces = pages_put_entry_pieces,
	.put_split = put_split,
	.open_names = pages_open_names,
	.begin_changes = begin_changes,
	.find_entry = find_entry,
	.replace_entry = replace_entry,
};

static const struct dit_output_ops append_output_ops = {
	.add_index = add_index,
	.open_index = append_open_index,
	.used_bytes = used_bytes,
	.prepare = prepare,
	.place = place,
	.settle = settle,
	.take_back = take_back,
	.end = end,
	.abandon = abandon,
};

static const struct dit_record_ops append_ops = {
	.put_ad = append_put_ad,
	.reserve_entry = append_reserve_entry,
	.put_split = put_split,
	.open_names = append_open_names,
	.begin_changes = begin_changes,
	.find_entry = find_entry,
	.replace_entry = replace_entry,
};

static void describe(struct new_output *output)
{
	bool is_append = dit_staging_is_append(output->staging);

	output->base = (struct dit_record_output){
		.base = {.ops = is_append ? &append_output_ops : &pages_output_ops,
	                 .is_parallel = !is_append,
	                 .key_max = dit_staging_key_max(output->staging)},
		.ops = is_append ? &append_ops : &pages_ops,
		.wants_order = true,
		.is_append = is_append,
		.is_unknown_format = !dit_staging_is_known_format(output->staging),
	};
	output->table.ops = &append_table_ops;
}

int dit_output_new_open(struct dit_record_output **ret,
                        const struct dit_output_opts *opts)
{
	struct dit_staging_opts staging = {.directory = opts->directory,
	                                   .fault = opts->fault,
	                                   .mode = opts->mode,
	                                   .ndbs = opts->ndbs,
	                                   .maxsize_bytes = opts->maxsize_bytes,
	                                   .may_grow = opts->may_grow,
	                                   .kind = opts->writer,
	                                   .writer = opts->page_writer,
	                                   .use_page_cache = opts->use_page_cache,
	                                   .has_ixck = opts->has_ixck,
	                                   .is_lmdb_10 = opts->is_lmdb_10,
	                                   .replaces_records = opts->replaces_records,
	                                   .ticker = opts->ticker,
	                                   .stop = opts->stop,
	                                   .page_bytes = opts->page_bytes};
	struct new_output *output = calloc(1, sizeof(*output));
	uint64_t nrecords = 0;
	int r = 0;

	if (output == NULL) {
		return -ENOMEM;
	}
	r = dit_staging_open(&output->staging, &staging, &nrecords);
	if (r < 0) {
		free(output);
		return r;
	}
	describe(output);
	output->base.base.place = (struct dit_output_place){
		.directory = opts->directory,
		.dir_fd = dit_staging_dir_fd(output->staging),
		.data_fd = dit_staging_data_fd(output->staging)};
	*ret = &output->base;
	return 0;
}
