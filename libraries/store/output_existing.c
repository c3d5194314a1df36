/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output that is a database with records: one transaction of liblmdb (existing.h).
 */
#include "store/output_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pages/page_format.h"
#include "store/existing.h"

struct existing_output {
	struct dit_output base;
	struct dit_existing *existing;
	uint64_t list_max;
	struct dit_output_index *indexes; /* names owned */
	size_t nindexes;
	bool is_placed;                /* committed, or a commit was tried */
	bool is_settled;               /* and synced */
	struct dit_output_table table; /* the one that is open */
};

static struct existing_output *of(struct dit_output *output)
{
	return (struct existing_output *)output;
}

static struct dit_existing *existing_of(struct dit_output *output)
{
	return of(output)->existing;
}

static struct existing_output *of_table(struct dit_output_table *table)
{
	return (struct existing_output *)(void *)((char *)table -
	                                          offsetof(struct existing_output,
	                                                   table));
}

static void output_free(struct existing_output *output)
{
	for (size_t i = 0; i < output->nindexes; i++) {
		free((char *)output->indexes[i].name);
	}
	free(output->indexes);
	free(output);
}

/* ---- what is stored ---- */

static int find_ad(struct dit_output *output, uint32_t number, struct dit_span *ret)
{
	return dit_existing_ad(existing_of(output), number, ret);
}

static int find_child(struct dit_output *output, uint64_t parent, struct dit_span norm,
                      uint64_t *ret_id)
{
	return dit_existing_find_child(existing_of(output), parent, norm, ret_id);
}

static int find_index(struct dit_output *output, const char *name,
                      struct dit_output_stored_index *ret)
{
	return dit_existing_find_index(existing_of(output), name, ret);
}

/* ---- entries ---- */

static int put_ad(struct dit_output *output, uint32_t number, struct dit_span name)
{
	return dit_existing_put_ad(existing_of(output), number, name);
}

static int reserve_entry(struct dit_output *output, uint64_t id, size_t len,
                         void **ret_space)
{
	return dit_existing_reserve_entry(existing_of(output), id, len, ret_space);
}

static int put_split(struct dit_output *output, uint64_t id, uint16_t ad, uint32_t place,
                     struct dit_span record)
{
	return dit_existing_put_split(existing_of(output), id, ad, place, record);
}

static int grow_subtree(struct dit_output *output, uint64_t id, uint64_t n)
{
	return dit_existing_grow_subtree(existing_of(output), id, n);
}

/* ---- tables ---- */

static int put_list(const struct existing_output *output,
                    const struct dit_output_list *list)
{
	struct dit_existing_list more = {.ids = list->ids,
	                                 .nids = list->nids,
	                                 .is_repeated = list->is_repeated,
	                                 .list_max = output->list_max};

	return list->nids == 0
	               ? 0
	               : dit_existing_add_postings(output->existing, list->key, &more);
}

static int put_lists(struct dit_output_table *table, const struct dit_output_list *lists,
                     size_t nlists)
{
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = put_list(of_table(table), &lists[i]);
	}
	return r;
}

static int put_record(struct dit_output_table *table, uint64_t id, struct dit_span record)
{
	return dit_existing_put_name(of_table(table)->existing, id, record);
}

static int finish(struct dit_output_table *table)
{
	table->ops = NULL;
	return 0;
}

static void drop(struct dit_output_table *table)
{
	table->ops = NULL;
}

static const struct dit_output_table_ops table_ops = {
	.put_lists = put_lists,
	.put_record = put_record,
	.finish = finish,
	.drop = drop,
};

static int open_table(struct dit_output *output, struct dit_output_table **ret)
{
	struct dit_output_table *table = &of(output)->table;

	if (table->ops != NULL) {
		return -EINVAL;
	}
	table->ops = &table_ops;
	*ret = table;
	return 0;
}

static int open_names(struct dit_output *output, struct dit_output_table **ret)
{
	return open_table(output, ret);
}

static int open_index(struct dit_output *output, size_t number,
                      struct dit_output_table **ret)
{
	const struct existing_output *o = of(output);
	int r = number >= o->nindexes || o->table.ops != NULL ? -EINVAL : 0;

	if (r == 0 && o->indexes[number].is_emptied) {
		r = dit_existing_remove_index(o->existing, o->indexes[number].name);
	}
	if (r == 0) {
		r = dit_existing_begin_index(o->existing, o->indexes[number].name,
		                             o->indexes[number].is_integerkey);
	}
	return r < 0 ? r : open_table(output, ret);
}

static int add_index(struct dit_output *output, const struct dit_output_index *index)
{
	struct existing_output *o = of(output);
	struct dit_output_index *indexes = NULL;
	char *name = NULL;

	for (size_t i = 0; i < o->nindexes; i++) {
		if (strcmp(o->indexes[i].name, index->name) == 0) {
			return DIT_E_DUPLICATE;
		}
	}
	indexes = reallocarray(o->indexes, o->nindexes + 1, sizeof(*indexes));
	if (indexes == NULL) {
		return -ENOMEM;
	}
	o->indexes = indexes;
	name = strdup(index->name);
	if (name == NULL) {
		return -ENOMEM;
	}
	indexes[o->nindexes] = *index;
	indexes[o->nindexes++].name = name;
	return 0;
}

static bool used_bytes(const struct dit_output *output, uint64_t *ret)
{
	(void)output;
	(void)ret;
	return false;
}

/* ---- changes: at any time ---- */

static int begin_changes(struct dit_output *output)
{
	(void)output;
	return 0;
}

static int find_entry(struct dit_output *output, uint64_t id, struct dit_span *ret)
{
	struct dit_span record = {0};
	int r = dit_existing_entry(existing_of(output), id, &record);

	if (r <= 0 || record.len == 0) {
		return r < 0 ? r : 0;
	}
	*ret = record;
	return 1;
}

static int replace_entry(struct dit_output *output, uint64_t id, struct dit_span record)
{
	void *space = NULL;
	int r = reserve_entry(output, id, record.len, &space);

	if (r == 0) {
		memcpy(space, record.data, record.len);
	}
	return r;
}

/* ---- publishing ---- */

static int prepare(struct dit_output *output)
{
	(void)output;
	return 0;
}

static int commit(struct dit_output *output)
{
	if (!dit_existing_is_changed(existing_of(output))) {
		return 0;
	}
	of(output)->is_placed = true;
	return dit_existing_commit(existing_of(output), &output->bytes);
}

static int place(struct dit_output *output)
{
	(void)output;
	return 0;
}

static void settle(struct dit_output *output)
{
	if (of(output)->is_placed && !of(output)->is_settled) {
		dit_existing_settle(existing_of(output));
		of(output)->is_settled = true;
	}
}

static int take_back(struct dit_output *output)
{
	return of(output)->is_placed ? dit_existing_roll_back(existing_of(output)) : 0;
}

static void abandon(struct dit_output *output)
{
	dit_existing_abandon(existing_of(output));
	output_free(of(output));
}

static int end(struct dit_output *output)
{
	int r = 0;

	/* Nothing was added: the file stays as it is, to the byte. */
	if (!of(output)->is_placed) {
		abandon(output);
		return 0;
	}
	r = dit_existing_end(existing_of(output));
	output_free(of(output));
	return r;
}

static const struct dit_output_ops ops = {
	.find_ad = find_ad,
	.find_child = find_child,
	.find_index = find_index,
	.put_ad = put_ad,
	.reserve_entry = reserve_entry,
	.put_split = put_split,
	.grow_subtree = grow_subtree,
	.add_index = add_index,
	.open_names = open_names,
	.open_index = open_index,
	.used_bytes = used_bytes,
	.begin_changes = begin_changes,
	.find_entry = find_entry,
	.replace_entry = replace_entry,
	.prepare = prepare,
	.commit = commit,
	.place = place,
	.settle = settle,
	.take_back = take_back,
	.end = end,
	.abandon = abandon,
};

static int look_around(struct existing_output *output)
{
	struct dit_output_stored *stored = &output->base.stored;
	int r = dit_existing_has_root_entry(output->existing);

	stored->last_id = dit_existing_last_id(output->existing);
	stored->has_root_entry = r > 0;
	if (r >= 0) {
		r = dit_existing_has_names(output->existing);
	}
	stored->has_names = r > 0;
	return r < 0 ? r : 0;
}

int dit_output_existing_open(struct dit_output **ret, const struct dit_output_opts *opts)
{
	struct dit_existing_opts existing = {.directory = opts->directory,
	                                     .fault = opts->fault,
	                                     .mode = opts->mode,
	                                     .ndbs = opts->ndbs,
	                                     .maxsize_bytes = opts->maxsize_bytes,
	                                     .expected_bytes = opts->expected_bytes,
	                                     .may_grow = opts->may_grow};
	struct existing_output *output = calloc(1, sizeof(*output));
	int r = 0;

	if (output == NULL) {
		return -ENOMEM;
	}
	output->base.ops = &ops;
	output->base.key_max = dit_lmdb_09.key_bytes_max;
	output->list_max = opts->list_max;
	r = dit_existing_open(&output->existing, &existing);
	if (r == 0) {
		r = look_around(output);
	}
	if (r < 0) {
		abandon(&output->base);
		return r;
	}
	*ret = &output->base;
	return 0;
}
