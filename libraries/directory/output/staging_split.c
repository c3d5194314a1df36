/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writer of id2v.
 *
 * Its keys are two numbers in host byte order, so liblmdb needs a comparison for them. So
 * do its values, by a rule that depends on the key's attribute (storage.md 1.3); but they
 * are appended in the order in which they come, and liblmdb asks only whether each one
 * is above the last. It is. Where the pages are ours, a table writer takes all in that
 * order.
 */
#include "output/staging_impl.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "codec/split_codec.h"
#include "place/lmdb_error.h"

struct split_key {
	char bytes[STAGING_SPLIT_KEY_BYTES];
};

static struct split_key make_key(uint64_t id, uint16_t ad)
{
	struct split_key key;

	memcpy(key.bytes, &id, sizeof(id));
	memcpy(key.bytes + sizeof(id), &ad, sizeof(ad));
	return key;
}

static int compare_bytes(const char *a, const char *b)
{
	uint64_t ids[2];
	uint16_t ads[2];

	memcpy(&ids[0], a, sizeof(ids[0]));
	memcpy(&ids[1], b, sizeof(ids[1]));
	if (ids[0] != ids[1]) {
		return ids[0] < ids[1] ? -1 : 1;
	}
	memcpy(&ads[0], a + sizeof(ids[0]), sizeof(ads[0]));
	memcpy(&ads[1], b + sizeof(ids[1]), sizeof(ads[1]));
	return (ads[0] > ads[1]) - (ads[0] < ads[1]);
}

static int compare_keys(const MDB_val *a, const MDB_val *b)
{
	return compare_bytes(a->mv_data, b->mv_data);
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

static int append_record(struct dit_staging *staging, struct split_key *key,
                         struct dit_span record, bool is_same)
{
	MDB_val key_val = {sizeof(key->bytes), key->bytes};
	MDB_val data = {record.len, (void *)record.data};
	int r = dit_staging_charge(staging, STAGING_NODE_BYTES + record.len +
	                                            sizeof(key->bytes) +
	                                            STAGING_LIST_BYTES);

	if (r == 0) {
		r = dit_staging_cursor_on(staging, staging->liblmdb.id2v);
	}
	return r < 0 ? r
	             : dit_lmdb_error(
			       mdb_cursor_put(staging->liblmdb.cursor, &key_val, &data,
	                                      is_same ? MDB_APPENDDUP : MDB_APPEND));
}

static int add_record(struct dit_staging *staging, struct split_key *key,
                      struct dit_span record)
{
	struct dit_staged_split *last = &staging->last_split;
	int order = last->is_there ? compare_bytes(last->key, key->bytes) : -1;
	struct dit_span bytes = {key->bytes, sizeof(key->bytes)};

	if (!staging->takes_changes) {
		return -EINVAL;
	}
	if (order > 0) {
		return MDB_KEYEXIST;
	}
	if (record.len > dit_staging_key_max(staging)) {
		return MDB_BAD_VALSIZE;
	}
	last->is_there = true;
	memcpy(last->key, key->bytes, sizeof(last->key));
	return staging->is_append
	               ? append_record(staging, key, record, order == 0)
	               : dit_table_writer_add(staging->changes.splits, bytes, record);
}

int dit_staging_add_split(struct dit_staging *staging, uint64_t id, uint16_t ad,
                          struct dit_span record)
{
	struct split_key key = make_key(id, ad);

	return staging->error != 0
	               ? staging->error
	               : dit_staging_keep(staging, add_record(staging, &key, record));
}
