/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing the tree: its records come out of the sorter as they lie in dn2i; the subtree
 * sizes, known only now, are put in.
 */
#include "base/error.h"
#include "codec/name_codec.h"
#include "load/dn_tree_private.h"
#include "load/dn_tree_record.h"

/* The dummy that slapd stores first below the root (storage.md 3.1). */
static int put_dummy(struct dit_output_table *table)
{
	static const char dummy[12];

	return dit_output_put_record(table, 0, (struct dit_span){dummy, sizeof(dummy)});
}

/* The record of a stored node whose subtree grows. */
static bool is_grown(const struct dit_dn_tree *tree,
                     const struct dit_dn_tree_record *record)
{
	return record->is_child && record->other <= tree->last_stored;
}

static uint64_t nsubs_of(const struct dit_dn_tree *tree,
                         const struct dit_dn_tree_record *record)
{
	if (is_grown(tree, record)) {
		return dit_dn_tree_grown_nsubs(tree, record->other);
	}
	return record->is_child ? dit_dn_table_nsubs(tree->names, record->other) : 0;
}

static int put_record(const struct dit_dn_tree *tree, struct dit_output_table *table,
                      const struct dit_dn_tree_record *record)
{
	char out[DIT_NAME_RECORD_LONGEST];
	int len = dit_dn_tree_record_encode(record, nsubs_of(tree, record), out,
	                                    tree->output->base.key_max);

	if (len < 0) {
		return len;
	}
	return dit_output_put_record(table, record->under,
	                             (struct dit_span){out, (size_t)len});
}

static int put_records(struct dit_dn_tree *tree, struct dit_output_table *table)
{
	struct dit_sort_record sorted = {0};
	struct dit_dn_tree_record record = {0};
	int r = 0;

	if (dit_dn_table_size(tree->names) > 0 && !tree->output->stored.has_names) {
		r = put_dummy(table);
	}
	if (r == 0) {
		r = dit_sorter_next(tree->records, &sorted);
	}
	while (r > 0) {
		dit_dn_tree_record_read(&sorted, &record);
		r = put_record(tree, table, &record);
		if (r == 0) {
			tree->nwritten += is_grown(tree, &record) ? 0 : 1;
			dit_tick_often(tree->ticker);
		}
		if (r == 0 && dit_stop_is_set(tree->stop)) {
			r = DIT_E_STOPPED;
		}
		if (r == 0) {
			r = dit_sorter_next(tree->records, &sorted);
		}
	}
	return r;
}

int dit_dn_tree_write(struct dit_dn_tree *tree)
{
	struct dit_output_table *table = NULL;
	int r = 0;

	dit_dn_table_count(tree->names);
	r = dit_dn_tree_push_grown(tree);
	if (r == 0) {
		r = dit_sorter_seal(tree->records);
	}
	if (r == 0) {
		r = dit_output_open_names(tree->output, &table);
	}
	if (r == 0) {
		r = put_records(tree, table);
	}
	if (r == 0) {
		return dit_output_finish(table);
	}
	dit_output_drop(table);
	return r;
}

uint64_t dit_dn_tree_run_bytes(const struct dit_dn_tree *tree)
{
	return dit_sorter_run_bytes(tree->records);
}
