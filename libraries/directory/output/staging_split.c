/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of id2v.
 *
 * Its keys are two numbers in host byte order, so liblmdb needs a comparison for them. So
 * do its values, by a rule that depends on the key's attribute (storage.md 1.3); but they
 * are appended in the order in which they come, and liblmdb asks only whether each one
 * is above the last. It is. Where the pages are ours, a table writer takes all in that
 * order.
 */
#include "output/staging.h"

#include <errno.h>
#include <string.h>

#include <lmdb.h>

#include "base/error.h"
#include "codec/split_codec.h"
#include "place/lmdb_error.h"

static struct dit_split_key make_key(uint64_t id, uint16_t ad)
{
	struct dit_split_key key;

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

int dit_staging_order_split(struct MDB_txn *txn, unsigned id2v)
{
	int r = dit_lmdb_error(mdb_set_compare(txn, id2v, compare_keys));

	return r < 0 ? r : dit_lmdb_error(mdb_set_dupsort(txn, id2v, value_is_above));
}

int dit_staging_next_split(struct dit_staging *staging, struct dit_split_key *ret,
                           uint64_t id, uint16_t ad, struct dit_span record)
{
	struct dit_staged_split *last = &staging->last_split;
	int order = 0;

	*ret = make_key(id, ad);
	order = last->is_there ? compare_bytes(last->key, ret->bytes) : -1;
	if (!staging->takes_changes) {
		return -EINVAL;
	}
	if (order > 0) {
		return MDB_KEYEXIST;
	}
	if (record.len > staging->base.base.key_max) {
		return MDB_BAD_VALSIZE;
	}
	last->is_there = true;
	memcpy(last->key, ret->bytes, sizeof(last->key));
	return order == 0;
}
