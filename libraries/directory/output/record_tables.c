/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Children are found without reading the others: records under a key lie in the order of
 * their bytes, which begin with the length and the bytes of the normal RDN.
 */
#include "output/record_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "codec/split_codec.h"
#include "files/lmdb_append.h"

#define HEADER_BYTES 2 /* of a record of dn2i */
#define IS_CHILD     0x80

static struct dit_record_tables *of(struct dit_record_output *output)
{
	return (struct dit_record_tables *)output;
}

static struct dit_span span_of(const uint64_t *id)
{
	return (struct dit_span){(const char *)id, sizeof(*id)};
}

/* ---- what is stored ---- */

static int find(const struct dit_record_tables *tables, enum dit_fixed_db db,
                struct dit_span wanted, struct dit_span *ret)
{
	struct dit_tree_cursor *cursor = tables->cursors[db];
	struct dit_span key;

	return cursor == NULL ? 0 : dit_tree_cursor_find(cursor, wanted, &key, ret);
}

int dit_output_find_ad(struct dit_record_output *output, uint32_t number,
                       struct dit_span *ret)
{
	const struct dit_span key = {(const char *)&number, sizeof(number)};

	return find(of(output), DIT_FIXED_ADS, key, ret);
}

int dit_output_find_name(struct dit_record_output *output, uint64_t id,
                         struct dit_name *ret)
{
	struct dit_span record;
	int r = find(of(output), DIT_FIXED_NAMES, span_of(&id), &record);

	if (r > 0) {
		r = dit_name_decode(record, ret);
		r = r < 0 || ret->is_child ? DIT_E_CORRUPT : 1;
	}
	return r;
}

int dit_output_find_child(struct dit_record_output *output, uint64_t parent,
                          struct dit_span norm, struct dit_name *ret)
{
	struct dit_record_tables *tables = of(output);
	char *wanted = tables->wanted;
	struct dit_span copy = {wanted + HEADER_BYTES, norm.len};
	struct dit_span record;
	int r = 0;

	if (norm.len > DIT_NAME_RECORD_LONGEST) {
		return 0;
	}
	/* First: the name may be one of a record that was found before. */
	wanted[0] = (char)(norm.len >> 8 | IS_CHILD);
	wanted[1] = (char)norm.len;
	memcpy(wanted + HEADER_BYTES, norm.data, norm.len);
	wanted[HEADER_BYTES + norm.len] = '\0';
	r = find(tables, DIT_FIXED_NAMES, span_of(&parent), &record);
	if (r > 0) {
		r = dit_tree_cursor_seek_item(
			tables->cursors[DIT_FIXED_NAMES], &tables->names,
			(struct dit_span){wanted, HEADER_BYTES + norm.len + 1}, &record);
	}
	if (r > 0) {
		r = dit_name_decode(record, ret);
		r = r < 0 ? r : ret->is_child && dit_span_eq(ret->norm, copy);
	}
	return r;
}

/* ---- entries ---- */

/* A table of main: its merge, or its number. Until the changes, or from then on. */
static int reach(struct dit_record_tables *tables, enum dit_fixed_db db,
                 bool takes_changes, struct dit_index_table **ret)
{
	struct dit_index_table *table = &tables->fixed[db];

	if (tables->indexes.is_closed != takes_changes) {
		return -EINVAL;
	}
	*ret = table;
	return table->append != NULL || table->whole.merge != NULL
	               ? 0
	               : dit_index_table_merge(&tables->indexes, table, &table->whole);
}

int dit_output_put_ad(struct dit_record_output *output, uint32_t number,
                      struct dit_span name)
{
	const struct dit_span key = {(const char *)&number, sizeof(number)};
	struct dit_index_table *table = NULL;
	int r = reach(of(output), DIT_FIXED_ADS, false, &table);

	return r < 0 ? r
	       : table->append != NULL
	               ? dit_lmdb_append_put(table->append, table->db, key, name)
	               : dit_tree_merge_put(table->whole.merge, key, name);
}

int dit_output_reserve_entry(struct dit_record_output *output, uint64_t id, size_t len,
                             void **ret_space)
{
	struct dit_index_table *table = NULL;
	char *space = NULL;
	int r = reach(of(output), DIT_FIXED_ENTRIES, false, &table);

	if (r < 0 || table->append != NULL) {
		return r < 0 ? r
		             : dit_lmdb_append_reserve(table->append, table->db,
		                                       span_of(&id), len, ret_space);
	}
	r = dit_tree_merge_reserve(table->whole.merge, span_of(&id), len, &space);
	*ret_space = space;
	return r;
}

int dit_output_entry_writer(struct dit_record_output *output,
                            struct dit_table_writer **ret)
{
	struct dit_index_table *table = NULL;
	int r = reach(of(output), DIT_FIXED_ENTRIES, false, &table);

	*ret = r < 0 || table->append != NULL ? NULL
	                                      : dit_tree_merge_writer(table->whole.merge);
	return r;
}

int dit_output_put_entry_pieces(struct dit_record_output *output, uint64_t id, size_t len,
                                const struct dit_pieces *record)
{
	struct dit_index_table *table = NULL;
	void *space = NULL;
	int r = reach(of(output), DIT_FIXED_ENTRIES, false, &table);

	if (r == 0 && table->append == NULL) {
		return dit_tree_merge_put_pieces(table->whole.merge, span_of(&id), len,
		                                 record);
	}
	r = r < 0 ? r : dit_output_reserve_entry(output, id, len, &space);
	if (r == 0) {
		record->next(record->ctx, space, len);
	}
	return r;
}

int dit_output_remove_entry(struct dit_record_output *output, uint64_t id)
{
	struct dit_index_table *table = NULL;
	int r = reach(of(output), DIT_FIXED_ENTRIES, false, &table);

	return r < 0 ? r : dit_tree_merge_remove(table->whole.merge, span_of(&id));
}

int dit_output_remove_splits(struct dit_record_output *output, uint64_t id, uint16_t ad)
{
	struct dit_index_table *table = NULL;
	struct dit_split_key bytes;
	const struct dit_span key = dit_split_key_make(&bytes, id, ad);
	int r = reach(of(output), DIT_FIXED_SPLITS, true, &table);

	return r < 0 ? r : dit_tree_merge_remove(table->whole.merge, key);
}

int dit_output_put_split(struct dit_record_output *output, uint64_t id, uint16_t ad,
                         uint32_t number, struct dit_span record)
{
	struct dit_index_table *table = NULL;
	struct dit_split_key bytes;
	const struct dit_span key = dit_split_key_make(&bytes, id, ad);
	struct dit_span stored;
	int r = reach(of(output), DIT_FIXED_SPLITS, true, &table);

	if (r == 0 && number == 0) {
		r = find(of(output), DIT_FIXED_SPLITS, key, &stored);
	}
	if (r != 0) {
		return r < 0 ? r : DIT_LMDB_KEYEXIST;
	}
	return table->append != NULL
	               ? dit_lmdb_append_put_item(table->append, table->db, key, record)
	               : dit_tree_merge_record(table->whole.merge, key, record);
}

int dit_output_put_name(struct dit_record_output *output, uint64_t id,
                        struct dit_span record)
{
	struct dit_index_table *table = NULL;
	int r = reach(of(output), DIT_FIXED_NAMES, false, &table);

	return r < 0 ? r
	       : table->append != NULL
	               ? dit_lmdb_append_put_item(table->append, table->db, span_of(&id),
	                                          record)
	               : dit_tree_merge_record(table->whole.merge, span_of(&id), record);
}

int dit_output_remove_name(struct dit_record_output *output, uint64_t id,
                           struct dit_span record)
{
	struct dit_index_table *table = NULL;
	int r = reach(of(output), DIT_FIXED_NAMES, false, &table);

	return r < 0 ? r
	             : dit_tree_merge_remove_record(table->whole.merge, span_of(&id),
	                                            record);
}

/* ---- changes ---- */

/* Their tree can be read, or merged again. */
static int end_entries(struct dit_record_tables *tables)
{
	struct dit_index_table *entries = &tables->fixed[DIT_FIXED_ENTRIES];
	int r = 0;

	if (entries->whole.merge != NULL) {
		r = dit_index_table_end(entries, NULL);
		r = r < 0 ? r : dit_page_commit_reach(tables->indexes.commit);
	}
	return r;
}

int dit_output_begin_changes(struct dit_record_output *output)
{
	struct dit_record_tables *tables = of(output);
	int r = tables->indexes.is_closed
	                ? -EINVAL
	                : dit_index_table_end(&tables->fixed[DIT_FIXED_ADS], NULL);

	r = r ?: dit_index_table_end(&tables->fixed[DIT_FIXED_NAMES], NULL);
	r = r ?: end_entries(tables);
	tables->indexes.is_closed |= r == 0;
	return r;
}

static int find_changed(struct dit_record_tables *tables, uint64_t id,
                        struct dit_span *ret)
{
	const struct dit_tree_record *tree = &tables->fixed[DIT_FIXED_ENTRIES].tree;
	struct dit_tree_cursor **cursor = &tables->cursors[DIT_FIXED_ENTRIES];
	struct dit_key_orders orders;
	int r = end_entries(tables);

	dit_tree_cursor_close(*cursor);
	*cursor = NULL;
	dit_stored_orders("id2e", tree->flags, &orders);
	r = r < 0 ? r
	          : dit_tree_cursor_open(cursor, tables->indexes.merge.source, tree,
	                                 &orders.keys);
	return r < 0 ? r : find(tables, DIT_FIXED_ENTRIES, span_of(&id), ret);
}

int dit_output_find_entry(struct dit_record_output *output, uint64_t id,
                          struct dit_span *ret)
{
	struct dit_record_tables *tables = of(output);
	const struct dit_index_table *entries = &tables->fixed[DIT_FIXED_ENTRIES];
	struct dit_span record = {NULL, 0};
	int r = -EINVAL;

	if (!tables->indexes.is_closed && tables->cursors[0] != NULL) {
		r = find(tables, DIT_FIXED_ENTRIES, span_of(&id), &record);
	} else if (tables->indexes.is_closed) {
		r = entries->append != NULL
		            ? dit_lmdb_append_find(entries->append, entries->db,
		                                   span_of(&id), &record)
		            : find_changed(tables, id, &record);
	}
	if (r > 0) {
		*ret = record;
	}
	return r > 0 ? record.len > 0 : r;
}

int dit_output_replace_entry(struct dit_record_output *output, uint64_t id,
                             struct dit_span record)
{
	struct dit_record_tables *tables = of(output);
	struct dit_index_table *table = NULL;
	int r = id > tables->last_changed ? 0 : end_entries(tables);

	r = r < 0 ? r : reach(tables, DIT_FIXED_ENTRIES, true, &table);
	tables->last_changed = id;
	return r < 0 ? r
	       : table->append != NULL
	               ? dit_lmdb_append_replace(table->append, table->db, span_of(&id),
	                                         record)
	               : dit_tree_merge_put(table->whole.merge, span_of(&id), record);
}

/* ---- the end ---- */

/* A tree that is what it was is not written again. */
static int put_table(struct dit_record_tables *tables, struct dit_index_table *table)
{
	int r = dit_index_table_end(table, NULL);

	if (r < 0 || (table->is_stored &&
	              memcmp(&table->tree, &table->stored, sizeof(table->tree)) == 0)) {
		return r;
	}
	tables->is_changed = true;
	return dit_page_commit_put(tables->indexes.commit, dit_span_of(table->name),
	                           &table->tree);
}

int dit_record_tables_put(struct dit_record_tables *tables)
{
	struct dit_index_tables *indexes = &tables->indexes;
	int r = 0;

	indexes->is_closed = true;
	for (size_t i = 0; i < DIT_NFIXED && r == 0; i++) {
		r = put_table(tables, &tables->fixed[i]);
	}
	for (size_t i = 0; i < indexes->n && r == 0; i++) {
		r = indexes->list[i].whole.merge != NULL
		            ? -EINVAL
		            : put_table(tables, &indexes->list[i]);
	}
	return r;
}

/* ---- beginning and end ---- */

int dit_record_tables_begin(struct dit_record_tables *tables)
{
	struct dit_page_commit *commit = tables->indexes.commit;
	int r = 0;

	tables->base.base.indexes = &tables->indexes;
	if (commit != NULL) {
		tables->indexes.merge.space = dit_page_commit_space(commit);
		tables->indexes.merge.source = dit_page_commit_source(commit);
		tables->indexes.merge.dropped = dit_page_commit_drop_pages;
		tables->indexes.merge.ctx = commit;
	}
	for (size_t i = 0; i < DIT_NFIXED && r == 0; i++) {
		const struct dit_fixed_db_facts *db = &dit_fixed_dbs[i];
		struct dit_index_table *table = &tables->fixed[i];

		r = dit_index_table_begin(&tables->indexes, table, db->name, db->flags);
		r = r < 0 ? r
		          : dit_stored_flags_check(db->name, db, table->stored.flags,
		                                   tables->indexes.fault);
	}
	return r;
}

static int look(struct dit_record_tables *tables)
{
	const uint64_t root = 0;
	struct dit_output_stored *stored = &tables->base.stored;
	struct dit_tree_cursor *entries = tables->cursors[DIT_FIXED_ENTRIES];
	struct dit_tree_cursor *names = tables->cursors[DIT_FIXED_NAMES];
	struct dit_span key;
	struct dit_span record;
	int r = entries == NULL ? 0 : dit_tree_cursor_last(entries, &key, &record);

	if (r > 0 && key.len != sizeof(stored->last_id)) {
		r = DIT_E_CORRUPT;
	}
	if (r > 0) {
		memcpy(&stored->last_id, key.data, key.len);
	}
	r = r < 0 ? r : find(tables, DIT_FIXED_ENTRIES, span_of(&root), &record);
	stored->has_root_entry = r > 0;
	r = r < 0 || names == NULL ? r : dit_tree_cursor_first(names, &key, &record);
	stored->has_names = names != NULL && r > 0;
	return r < 0 ? r : 0;
}

int dit_record_tables_read(struct dit_record_tables *tables,
                           struct dit_snapshot *snapshot, unsigned reader)
{
	struct dit_key_orders names;
	int r = 0;

	dit_stored_orders("dn2i", dit_fixed_dbs[DIT_FIXED_NAMES].flags, &names);
	tables->names = names.items;
	for (size_t i = 0; i < DIT_NFIXED && r == 0; i++) {
		r = dit_snapshot_cursor_open(&tables->cursors[i], snapshot, reader,
		                             dit_fixed_dbs[i].name);
		r = r == DIT_E_UNKNOWN && tables->base.is_merged ? 0 : r;
	}
	return r < 0 ? r : look(tables);
}

void dit_record_tables_deinit(struct dit_record_tables *tables)
{
	for (size_t i = 0; i < DIT_NFIXED; i++) {
		dit_index_table_deinit(&tables->fixed[i]);
		dit_tree_cursor_close(tables->cursors[i]);
	}
	dit_index_tables_deinit(&tables->indexes);
}

/* ---- a state that a snapshot holds is looked at, for a dry run ---- */

static void abandon_view(struct dit_output *output)
{
	dit_record_tables_deinit((struct dit_record_tables *)output);
	free(output);
}

static const struct dit_output_ops view_ops = {.abandon = abandon_view};

int dit_output_view_open(struct dit_record_output **ret, struct dit_snapshot *snapshot,
                         unsigned reader)
{
	struct dit_record_tables *tables = calloc(1, sizeof(*tables));
	const struct dit_page_source *map = &snapshot->map;
	int r = 0;

	if (tables == NULL) {
		return -ENOMEM;
	}
	tables->base.base.ops = &view_ops;
	tables->base.base.key_max = dit_key_max(map->format, map->page_bytes);
	r = dit_record_tables_read(tables, snapshot, reader);
	if (r < 0) {
		abandon_view(&tables->base.base);
		return r;
	}
	*ret = &tables->base;
	return 0;
}
