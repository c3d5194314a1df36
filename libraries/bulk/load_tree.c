/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing the tree (dn2i) and the attribute numbers (ad2i) at the end of a load.
 *
 * Names come out of the sorter as they lie in dn2i (push_name in load_resolve.c has the
 * layout of the sorter's records); the subtree sizes, known only now, are put in.
 */
#include "bulk/load_private.h"

#include <string.h>

#include "base/big_endian.h"
#include "store/name_codec.h"

/* The dummy that slapd stores first below the root (storage.md 3.1). */
static int put_dummy(struct dit_output_table *table)
{
	static const char dummy[12];

	return dit_output_put_record(table, 0, (struct dit_span){dummy, sizeof(dummy)});
}

static int put_name(const struct load_target *target, struct dit_output_table *table,
                    const struct dit_sort_record *record)
{
	char out[DIT_NAME_RECORD_MAX];
	struct dit_span norm = {record->key.data + 10, record->key.len - 10};
	struct dit_span pretty = {record->value.data + 8, record->value.len - 8};
	uint64_t under = dit_be_get(record->key.data, 8);
	uint64_t other = dit_be_get(record->value.data, 8);
	int len = 0;

	if (((unsigned char)record->key.data[8] & 0x80) != 0) {
		uint32_t nsubs = dit_dn_table_nsubs(target->names, (uint32_t)other);

		len = dit_name_encode_child(out, norm, pretty, other, nsubs);
	} else {
		len = dit_name_encode_self(out, norm, pretty, other);
	}
	if (len < 0) {
		return len;
	}
	return dit_output_put_record(table, under, (struct dit_span){out, (size_t)len});
}

/* Subtrees of an existing database that grow: records come parent by parent. */
struct growth {
	uint64_t parent; /* 0: none yet */
	uint64_t n;
};

static int grow(struct load_target *target, struct growth *growth)
{
	int r = 0;

	if (growth->n > 0) {
		r = dit_output_grow_subtree(target->output, growth->parent, growth->n);
	}
	growth->n = 0;
	return r;
}

static int note_growth(struct load_target *target, const struct dit_sort_record *record,
                       struct growth *growth)
{
	uint64_t under = dit_be_get(record->key.data, 8);
	uint64_t child = dit_be_get(record->value.data, 8);
	int r = 0;

	if (under == 0 || under > target->output->stored.last_id) {
		return 0;
	}
	if (under != growth->parent) {
		r = grow(target, growth);
		growth->parent = under;
	}
	growth->n += dit_dn_table_nsubs(target->names, (uint32_t)child);
	return r;
}

static int put_names(struct load_target *target, struct dit_output_table *table)
{
	struct dit_sort_record record = {0};
	struct growth growth = {0};
	int r = 0;

	if (dit_dn_table_size(target->names) > 0 && !target->output->stored.has_names) {
		r = put_dummy(table);
	}
	dit_dn_table_count(target->names);
	if (r == 0) {
		r = dit_sorter_next(target->tree, &record);
	}
	while (r > 0) {
		r = put_name(target, table, &record);
		if (r == 0) {
			r = note_growth(target, &record, &growth);
		}
		if (r == 0 && load_is_stopped(target->loader)) {
			r = DIT_E_STOPPED;
		}
		if (r == 0) {
			r = dit_sorter_next(target->tree, &record);
		}
	}
	return r < 0 ? r : grow(target, &growth);
}

int load_write_tree(struct load_target *target)
{
	struct dit_output_table *table = NULL;
	int r = dit_sorter_seal(target->tree);

	if (r == 0) {
		r = dit_output_open_names(target->output, &table);
	}
	if (r == 0) {
		r = put_names(target, table);
	}
	if (r == 0) {
		return dit_output_finish(table);
	}
	dit_output_drop(table);
	return r;
}

int load_write_ads(struct load_target *target)
{
	int r = 0;

	for (size_t i = target->nstored_ads; i < target->nads && r == 0; i++) {
		r = dit_output_put_ad(target->output, (uint32_t)i + 1,
		                      target->ads[i]->name);
	}
	return r;
}
