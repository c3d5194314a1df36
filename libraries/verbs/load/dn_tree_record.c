/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of a waiting tree record, written and read.
 */
#include "load/dn_tree_record.h"

#include <string.h>

#include "base/big_endian.h"
#include "codec/name_codec.h"

#define ID_BYTES   8
#define HEAD_BYTES (ID_BYTES + 2)
#define IS_CHILD   0x80 /* in the first byte of the length */

int dit_dn_tree_record_push(struct dit_sorter *sorter,
                            const struct dit_dn_tree_record *record)
{
	char key[HEAD_BYTES + DIT_NAME_RECORD_LONGEST];
	char value[ID_BYTES + DIT_NAME_RECORD_LONGEST];
	struct dit_span norm = record->norm;
	struct dit_span pretty = record->pretty;

	dit_be_put(key, record->under, ID_BYTES);
	key[ID_BYTES] = (char)((norm.len >> 8) | (record->is_child ? IS_CHILD : 0));
	key[ID_BYTES + 1] = (char)norm.len;
	memcpy(key + HEAD_BYTES, norm.data, norm.len);
	dit_be_put(value, record->other, ID_BYTES);
	memcpy(value + ID_BYTES, pretty.data, pretty.len);
	return dit_sorter_push(sorter, 0, (struct dit_span){key, HEAD_BYTES + norm.len},
	                       (struct dit_span){value, ID_BYTES + pretty.len});
}

void dit_dn_tree_record_read(const struct dit_sort_record *sorted,
                             struct dit_dn_tree_record *ret)
{
	const char *key = sorted->key.data;
	const char *value = sorted->value.data;

	*ret = (struct dit_dn_tree_record){
		.under = (uint32_t)dit_be_get(key, ID_BYTES),
		.other = (uint32_t)dit_be_get(value, ID_BYTES),
		.is_child = ((unsigned char)key[ID_BYTES] & IS_CHILD) != 0,
		.norm = {key + HEAD_BYTES, sorted->key.len - HEAD_BYTES},
		.pretty = {value + ID_BYTES, sorted->value.len - ID_BYTES}};
}

int dit_dn_tree_record_encode(const struct dit_dn_tree_record *record, uint64_t nsubs,
                              char *out, size_t size)
{
	const struct dit_name name = {.norm = record->norm,
	                              .pretty = record->pretty,
	                              .is_child = record->is_child,
	                              .id = record->other,
	                              .nsubs = nsubs};

	return dit_name_encode(out, size, &name);
}
