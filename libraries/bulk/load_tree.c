/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing the tree (dn2i) and the attribute numbers (ad2i) at the end of a load.
 *
 * Names come out of the sorter as they lie in dn2i (push_name in load_resolve.c has the
 * layout of the sorter's records); the subtree sizes, known only now, are put in.
 */
#include "bulk/load_private.h"

#include <string.h>

#include "store/name_codec.h"
#include "store/table_writer.h"

static int add_name(struct dit_table_writer *writer, uint64_t under,
                    struct dit_span record)
{
	return dit_table_writer_add(
		writer, (struct dit_span){(const char *)&under, sizeof(under)}, record);
}

/* The dummy that slapd stores first below the root (storage.md 3.1). */
static int put_dummy(struct dit_table_writer *writer)
{
	static const char dummy[12];

	return add_name(writer, 0, (struct dit_span){dummy, sizeof(dummy)});
}

static uint64_t get_be64(const char *at)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++) {
		value = value << 8 | (unsigned char)at[i];
	}
	return value;
}

static int put_name(struct load_target *target, struct dit_table_writer *writer,
                    const struct dit_sort_record *record)
{
	char out[DIT_NAME_RECORD_MAX];
	struct dit_span norm = {record->key.data + 10, record->key.len - 10};
	struct dit_span pretty = {record->value.data + 8, record->value.len - 8};
	uint64_t under = get_be64(record->key.data);
	uint64_t other = get_be64(record->value.data);
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
	return add_name(writer, under, (struct dit_span){out, (size_t)len});
}

static int put_names(struct load_target *target, struct dit_table_writer *writer)
{
	struct dit_sort_record record = {0};
	int r = 0;

	if (dit_dn_table_size(target->names) > 0) {
		r = put_dummy(writer);
	}
	dit_dn_table_count(target->names);
	if (r == 0) {
		r = dit_sorter_next(target->tree, &record);
	}
	while (r > 0) {
		r = put_name(target, writer, &record);
		if (r == 0) {
			r = dit_sorter_next(target->tree, &record);
		}
	}
	return r;
}

int load_write_tree(struct load_target *target)
{
	struct dit_table_writer *writer = NULL;
	int r = dit_sorter_seal(target->tree);

	if (r == 0) {
		r = dit_staging_open_names(target->staging, &writer);
	}
	if (r == 0) {
		r = put_names(target, writer);
	}
	if (r == 0) {
		return dit_staging_close_names(target->staging, writer);
	}
	dit_table_writer_free(writer);
	return r;
}

int load_write_ads(struct load_target *target)
{
	int r = 0;

	for (size_t i = 0; i < target->nads && r == 0; i++) {
		r = dit_staging_put_ad(target->staging, (uint32_t)i + 1,
		                       target->ads[i]->name);
	}
	return r;
}
