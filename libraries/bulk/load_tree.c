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
#include "pages/table_writer.h"
#include "store/name_codec.h"

/* Where names go: to the pages of a new database, or into one that holds some. */
struct name_sink {
	struct load_target *target;
	struct dit_table_writer *writer; /* NULL: existing */
};

static int add_name(const struct name_sink *sink, uint64_t under, struct dit_span record)
{
	if (sink->writer == NULL) {
		return dit_existing_put_name(sink->target->existing, under, record);
	}
	return dit_table_writer_add(
		sink->writer, (struct dit_span){(const char *)&under, sizeof(under)},
		record);
}

/* The dummy that slapd stores first below the root (storage.md 3.1). */
static int put_dummy(const struct name_sink *sink)
{
	static const char dummy[12];

	return add_name(sink, 0, (struct dit_span){dummy, sizeof(dummy)});
}

static int put_name(const struct name_sink *sink, const struct dit_sort_record *record)
{
	char out[DIT_NAME_RECORD_MAX];
	struct dit_span norm = {record->key.data + 10, record->key.len - 10};
	struct dit_span pretty = {record->value.data + 8, record->value.len - 8};
	uint64_t under = dit_be_get(record->key.data, 8);
	uint64_t other = dit_be_get(record->value.data, 8);
	int len = 0;

	if (((unsigned char)record->key.data[8] & 0x80) != 0) {
		uint32_t nsubs = dit_dn_table_nsubs(sink->target->names, (uint32_t)other);

		len = dit_name_encode_child(out, norm, pretty, other, nsubs);
	} else {
		len = dit_name_encode_self(out, norm, pretty, other);
	}
	if (len < 0) {
		return len;
	}
	return add_name(sink, under, (struct dit_span){out, (size_t)len});
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
		r = dit_existing_grow_subtree(target->existing, growth->parent,
		                              growth->n);
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

	if (under == 0 || under > target->stored_id) {
		return 0;
	}
	if (under != growth->parent) {
		r = grow(target, growth);
		growth->parent = under;
	}
	growth->n += dit_dn_table_nsubs(target->names, (uint32_t)child);
	return r;
}

static int put_names(const struct name_sink *sink)
{
	struct load_target *target = sink->target;
	struct dit_sort_record record = {0};
	struct growth growth = {0};
	int r = 0;

	if (dit_dn_table_size(target->names) > 0 && !target->has_stored_names) {
		r = put_dummy(sink);
	}
	dit_dn_table_count(target->names);
	if (r == 0) {
		r = dit_sorter_next(target->tree, &record);
	}
	while (r > 0) {
		r = put_name(sink, &record);
		if (r == 0) {
			r = note_growth(target, &record, &growth);
		}
		if (r == 0) {
			r = dit_sorter_next(target->tree, &record);
		}
	}
	return r < 0 ? r : grow(target, &growth);
}

int load_write_tree(struct load_target *target)
{
	struct name_sink sink = {.target = target};
	int r = dit_sorter_seal(target->tree);

	if (r < 0 || target->existing != NULL) {
		return r < 0 ? r : put_names(&sink);
	}
	r = dit_staging_open_names(target->staging, &sink.writer);
	if (r == 0) {
		r = put_names(&sink);
	}
	if (r == 0) {
		return dit_staging_close_names(target->staging, sink.writer);
	}
	dit_table_writer_free(sink.writer);
	return r;
}

int load_write_ads(struct load_target *target)
{
	int r = 0;

	for (size_t i = target->nstored_ads; i < target->nads && r == 0; i++) {
		r = load_store_put_ad(target, (uint32_t)i + 1, target->ads[i]->name);
	}
	return r;
}
