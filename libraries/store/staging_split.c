/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writer of id2v.
 *
 * Its keys are two numbers in host byte order, so they need a comparison of their own. So
 * do its values, by a rule that depends on the key's attribute (storage.md 1.3); but all
 * values of a key are appended at once, in the order in which they come, and LMDB asks only
 * whether each one is above the last. It is.
 */
#include "store/staging_impl.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "store/lmdb_error.h"
#include "store/split_codec.h"

struct split_key {
	char bytes[sizeof(uint64_t) + sizeof(uint16_t)];
};

static struct split_key make_key(uint64_t id, uint16_t ad)
{
	struct split_key key;

	memcpy(key.bytes, &id, sizeof(id));
	memcpy(key.bytes + sizeof(id), &ad, sizeof(ad));
	return key;
}

static int compare_keys(const MDB_val *a, const MDB_val *b)
{
	uint64_t ids[2];
	uint16_t ads[2];

	memcpy(&ids[0], a->mv_data, sizeof(ids[0]));
	memcpy(&ids[1], b->mv_data, sizeof(ids[1]));
	if (ids[0] != ids[1]) {
		return ids[0] < ids[1] ? -1 : 1;
	}
	memcpy(&ads[0], (const char *)a->mv_data + sizeof(ids[0]), sizeof(ads[0]));
	memcpy(&ads[1], (const char *)b->mv_data + sizeof(ids[1]), sizeof(ads[1]));
	return (ads[0] > ads[1]) - (ads[0] < ads[1]);
}

static int value_is_above(const MDB_val *a, const MDB_val *b)
{
	(void)a;
	(void)b;
	return 1;
}

int dit_staging_order_split(MDB_txn *txn, MDB_dbi id2v)
{
	int r = dit_lmdb_error(mdb_set_compare(txn, id2v, compare_keys));

	return r < 0 ? r : dit_lmdb_error(mdb_set_dupsort(txn, id2v, value_is_above));
}

/* The environment may have been made from a database that holds some already. */
static int find_last(struct dit_staging *staging)
{
	MDB_val key = {0, NULL};
	MDB_val data = {0, NULL};
	int r = dit_staging_charge(staging, 0);

	if (r == 0) {
		r = dit_staging_cursor_on(staging, staging->id2v);
	}
	if (r == 0) {
		r = dit_lmdb_error(
			mdb_cursor_get(staging->cursor, &key, &data, MDB_LAST));
	}
	if (r == 0 && key.mv_size == sizeof(struct split_key)) {
		const char *bytes = key.mv_data;

		memcpy(&staging->last_split, bytes, sizeof(staging->last_split));
		memcpy(&staging->last_split_ad, bytes + sizeof(staging->last_split),
		       sizeof(staging->last_split_ad));
		staging->has_split = true;
	}
	staging->knows_split = r == 0 || r == MDB_NOTFOUND;
	return r == MDB_NOTFOUND ? 0 : r;
}

static int put_record(struct dit_staging *staging, struct split_key *key,
                      struct dit_span record, bool is_first, bool is_last_key)
{
	MDB_val key_val = {sizeof(key->bytes), key->bytes};
	MDB_val data = {record.len, (void *)record.data};
	uint64_t bytes = STAGING_NODE_BYTES + record.len;
	unsigned flags = MDB_APPENDDUP;
	int r = 0;

	if (is_first) {
		bytes += sizeof(key->bytes) + STAGING_LIST_BYTES;
		flags = is_last_key ? MDB_APPEND : MDB_NOOVERWRITE;
	}
	if (!is_last_key) {
		bytes += staging->page_bytes; /* a page may split in the middle */
	}
	r = dit_staging_charge(staging, bytes);
	if (r == 0) {
		r = dit_staging_cursor_on(staging, staging->id2v);
	}
	return r < 0 ? r
	             : dit_lmdb_error(
			       mdb_cursor_put(staging->cursor, &key_val, &data, flags));
}

int dit_staging_put_split(struct dit_staging *staging, uint64_t id, uint16_t ad,
                          const struct dit_span *records, uint32_t nrecords)
{
	struct split_key key = make_key(id, ad);
	bool is_last_key = false;
	int r = staging->error;

	if (r == 0 && !staging->knows_split) {
		r = dit_staging_keep(staging, find_last(staging));
	}
	is_last_key = !staging->has_split || id > staging->last_split ||
	              (id == staging->last_split && ad > staging->last_split_ad);
	for (uint32_t i = 0; i < nrecords && r == 0; i++) {
		if (records[i].len > DIT_SPLIT_RECORD_MAX) {
			r = dit_staging_keep(staging, MDB_BAD_VALSIZE);
		} else {
			r = dit_staging_keep(staging,
			                     put_record(staging, &key, records[i], i == 0,
			                                is_last_key));
		}
	}
	if (r == 0 && is_last_key) {
		staging->has_split = true;
		staging->last_split = id;
		staging->last_split_ad = ad;
	}
	return r;
}
