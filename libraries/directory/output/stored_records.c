/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Children are found without reading the others: records under a key lie in the order of
 * their bytes, which begin with the length and the bytes of the normal RDN.
 */
#include "output/stored_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "page/tree_cursor.h"

#define HEADER_BYTES 2 /* of a record of dn2i */
#define IS_CHILD     0x80

struct dit_stored_records {
	struct dit_page_map map;
	struct dit_tree_cursor *cursors[DIT_NFIXED];
	struct dit_key_order names; /* of records under a node */
	char wanted[HEADER_BYTES + DIT_NAME_RECORD_LONGEST + 1];
};

static int open_cursors(struct dit_stored_records *records,
                        const struct dit_tree_record trees[DIT_NFIXED])
{
	int r = 0;

	for (size_t i = 0; i < DIT_NFIXED && r == 0; i++) {
		const struct dit_fixed_db_facts *db = &dit_fixed_dbs[i];
		struct dit_key_orders orders;

		dit_stored_orders(db->name, db->flags, &orders);
		if (i == DIT_FIXED_NAMES) {
			records->names = orders.items;
		}
		r = dit_tree_cursor_open(&records->cursors[i], &records->map, &trees[i],
		                         &orders.keys);
	}
	return r;
}

int dit_stored_records_open(struct dit_stored_records **ret, int fd,
                            const struct dit_page_format *format,
                            const struct dit_tree_record trees[DIT_NFIXED])
{
	struct dit_stored_records *records = calloc(1, sizeof(*records));
	int r = 0;

	if (records == NULL) {
		return -ENOMEM;
	}
	r = dit_page_map_open(&records->map, fd, format, NULL);
	if (r == 0) {
		r = open_cursors(records, trees);
	}
	if (r < 0) {
		dit_stored_records_close(records);
		return r;
	}
	*ret = records;
	return 0;
}

void dit_stored_records_close(struct dit_stored_records *records)
{
	if (records != NULL) {
		for (size_t i = 0; i < DIT_NFIXED; i++) {
			dit_tree_cursor_close(records->cursors[i]);
		}
		dit_page_map_close(&records->map);
		free(records);
	}
}

/* ---- records by their key ---- */

static int find(struct dit_stored_records *records, enum dit_fixed_db db,
                struct dit_span wanted, struct dit_span *ret)
{
	struct dit_span key;

	return dit_tree_cursor_find(records->cursors[db], wanted, &key, ret);
}

int dit_stored_ad(struct dit_stored_records *records, uint32_t number,
                  struct dit_span *ret)
{
	const struct dit_span key = {(const char *)&number, sizeof(number)};

	return find(records, DIT_FIXED_ADS, key, ret);
}

int dit_stored_entry(struct dit_stored_records *records, uint64_t id,
                     struct dit_span *ret)
{
	const struct dit_span key = {(const char *)&id, sizeof(id)};

	return find(records, DIT_FIXED_ENTRIES, key, ret);
}

int dit_stored_split(struct dit_stored_records *records, struct dit_span key)
{
	struct dit_span record;

	return find(records, DIT_FIXED_SPLITS, key, &record);
}

int dit_stored_last_id(struct dit_stored_records *records, uint64_t *ret)
{
	struct dit_span key;
	struct dit_span record;
	int r = dit_tree_cursor_last(records->cursors[DIT_FIXED_ENTRIES], &key, &record);

	if (r <= 0) {
		return r;
	}
	if (key.len != sizeof(*ret)) {
		return DIT_E_CORRUPT;
	}
	memcpy(ret, key.data, sizeof(*ret));
	return 1;
}

int dit_stored_key_len(struct dit_stored_records *records,
                       const struct dit_tree_record *tree, size_t *ret)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_key_orders orders;
	struct dit_span key = {NULL, 0};
	struct dit_span record;
	int r = 0;

	dit_key_default_orders(tree->flags, &orders);
	r = dit_tree_cursor_open(&cursor, &records->map, tree, &orders.keys);
	if (r == 0) {
		r = dit_tree_cursor_first(cursor, &key, &record);
	}
	*ret = r > 0 ? key.len : 0;
	dit_tree_cursor_close(cursor);
	return r;
}

/* ---- names ---- */

int dit_stored_name(struct dit_stored_records *records, uint64_t id, struct dit_name *ret)
{
	const struct dit_span key = {(const char *)&id, sizeof(id)};
	struct dit_span record;
	int r = find(records, DIT_FIXED_NAMES, key, &record);

	if (r > 0) {
		r = dit_name_decode(record, ret);
		r = r < 0 || ret->is_child ? DIT_E_CORRUPT : 1;
	}
	return r;
}

int dit_stored_child(struct dit_stored_records *records, uint64_t parent,
                     struct dit_span norm, struct dit_name *ret)
{
	const struct dit_span key = {(const char *)&parent, sizeof(parent)};
	const struct dit_span wanted = {records->wanted, HEADER_BYTES + norm.len + 1};
	struct dit_span record;
	int r = 0;

	if (norm.len > DIT_NAME_RECORD_LONGEST) {
		return 0;
	}
	/* First: the name may be one of a record that was found before. */
	records->wanted[0] = (char)(norm.len >> 8 | IS_CHILD);
	records->wanted[1] = (char)norm.len;
	memcpy(records->wanted + HEADER_BYTES, norm.data, norm.len);
	records->wanted[HEADER_BYTES + norm.len] = '\0';
	r = find(records, DIT_FIXED_NAMES, key, &record);
	if (r <= 0) {
		return r;
	}
	r = dit_tree_cursor_seek_item(records->cursors[DIT_FIXED_NAMES], &records->names,
	                              wanted, &record);
	if (r <= 0) {
		return r;
	}
	r = dit_name_decode(record, ret);
	return r < 0 ? r
	             : ret->is_child &&
	                       dit_span_eq(
				       ret->norm,
				       (struct dit_span){records->wanted + HEADER_BYTES,
	                                                 norm.len});
}
