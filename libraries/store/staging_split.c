/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writer of id2v.
 *
 * Its keys are two numbers in host byte order, so they need a comparison of their own. So
 * do its values, by a rule that depends on the key's attribute (storage.md 1.3); but they
 * are appended in the order in which they come, and LMDB asks only whether each one is
 * above the last. It is.
 */
#include "store/staging_impl.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "store/lmdb_error.h"
#include "store/split_codec.h"

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

static int put_record(struct dit_staging *staging, struct split_key *key,
                      struct dit_span record)
{
	MDB_val key_val = {sizeof(key->bytes), key->bytes};
	MDB_val data = {record.len, (void *)record.data};
	bool is_same =
		staging->liblmdb.has_split &&
		memcmp(staging->liblmdb.last_split, key->bytes, sizeof(key->bytes)) == 0;
	int r = 0;

	if (record.len > dit_staging_key_max(staging)) {
		return MDB_BAD_VALSIZE;
	}
	r = dit_staging_charge(staging, STAGING_NODE_BYTES + record.len +
	                                        sizeof(key->bytes) + STAGING_LIST_BYTES);
	if (r == 0) {
		r = dit_staging_cursor_on(staging, staging->liblmdb.id2v);
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_cursor_put(staging->liblmdb.cursor, &key_val,
		                                  &data,
		                                  is_same ? MDB_APPENDDUP : MDB_APPEND));
	}
	if (r == 0) {
		memcpy(staging->liblmdb.last_split, key->bytes, sizeof(key->bytes));
		staging->liblmdb.has_split = true;
	}
	return r;
}

int dit_staging_add_split(struct dit_staging *staging, uint64_t id, uint16_t ad,
                          struct dit_span record)
{
	struct split_key key = make_key(id, ad);

	if (staging->error != 0) {
		return staging->error;
	}
	if (staging->own != NULL && staging->takes_changes) {
		return dit_staging_keep(
			staging,
			dit_staging_own_add_split(
				staging, (struct dit_span){key.bytes, sizeof(key.bytes)},
				record));
	}
	return dit_staging_keep(staging, put_record(staging, &key, record));
}
