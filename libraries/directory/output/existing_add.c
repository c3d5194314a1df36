/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Additions to an existing database.
 *
 * Entries are appended. The tree and the indexes are changed in key order, at the end of
 * a load, so that neighbouring pages are changed one after the other.
 */
#include "output/existing_impl.h"

#include <string.h>

#include "base/error.h"
#include "codec/name_codec.h"
#include "codec/split_codec.h"
#include "place/lmdb_error.h"

int dit_existing_put_ad(struct dit_existing *existing, uint32_t number,
                        struct dit_span name)
{
	MDB_val key = {sizeof(number), &number};
	MDB_val data = {name.len, (void *)name.data};

	existing->is_changed = true;
	return dit_existing_result(existing, mdb_put(existing->txn, existing->ad2i, &key,
	                                             &data, MDB_NOOVERWRITE));
}

int dit_existing_reserve_entry(struct dit_existing *existing, uint64_t id, size_t len,
                               void **ret_space)
{
	bool is_last = id > existing->last_id;
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {len, NULL};
	int r = dit_existing_guard_id(existing, existing->probes.id2e, id,
	                              DIT_PROBE_FIRST);

	if (r < 0) {
		return r;
	}
	existing->is_changed = true;
	r = dit_existing_result(existing,
	                        mdb_cursor_put(existing->entries, &key, &data,
	                                       MDB_RESERVE | (is_last ? MDB_APPEND : 0)));
	if (r < 0) {
		return r;
	}
	if (is_last) {
		existing->last_id = id;
	}
	*ret_space = data.mv_data;
	return 0;
}

int dit_existing_put_split(struct dit_existing *existing, uint64_t id, uint16_t ad,
                           uint32_t place, struct dit_span record)
{
	char bytes[sizeof(id) + sizeof(ad)];
	MDB_val key = {sizeof(bytes), bytes};
	MDB_val data = {record.len, (void *)record.data};
	int r = 0;

	if (record.len > DIT_SPLIT_RECORD_MAX) {
		return MDB_BAD_VALSIZE;
	}
	memcpy(bytes, &id, sizeof(id));
	memcpy(bytes + sizeof(id), &ad, sizeof(ad));
	r = dit_existing_guard(existing, existing->probes.id2v,
	                       (struct dit_span){bytes, sizeof(bytes)}, DIT_PROBE_LAST);
	if (r < 0) {
		return r;
	}
	existing->is_changed = true;
	return dit_existing_result(
		existing, mdb_cursor_put(existing->splits, &key, &data,
	                                 place == 0 ? MDB_NOOVERWRITE : MDB_APPENDDUP));
}

/* ---- the tree ---- */

int dit_existing_put_name(struct dit_existing *existing, uint64_t id,
                          struct dit_span record)
{
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {record.len, (void *)record.data};
	int r = dit_existing_guard_id(existing, existing->probes.dn2i, id, record);

	if (r < 0) {
		return r;
	}
	existing->is_changed = true;
	return dit_existing_result(
		existing, mdb_cursor_put(existing->names, &key, &data, MDB_NODUPDATA));
}

/* A copy of a node's own record: names point into it. */
static int read_self(struct dit_existing *existing, uint64_t id, char *out,
                     struct dit_name *ret)
{
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {0, NULL};
	int r = dit_existing_guard_id(existing, existing->probes.dn2i, id,
	                              DIT_PROBE_FIRST);

	if (r == 0) {
		r = dit_lmdb_error(
			mdb_cursor_get(existing->names, &key, &data, MDB_SET_KEY));
	}
	if (r == MDB_NOTFOUND || (r == 0 && data.mv_size > DIT_NAME_RECORD_MAX)) {
		return DIT_E_CORRUPT;
	}
	if (r != 0) {
		return r;
	}
	memcpy(out, data.mv_data, data.mv_size);
	r = dit_name_decode((struct dit_span){out, data.mv_size}, ret);
	return r == 0 && ret->is_child ? DIT_E_CORRUPT : r;
}

/* Add to the size in the record of a child, where it lies. */
static int grow_child(struct dit_existing *existing, uint64_t parent,
                      struct dit_span norm, uint64_t id, uint64_t n)
{
	char out[DIT_NAME_RECORD_MAX];
	MDB_val key = {sizeof(parent), &parent};
	MDB_val data = {0, out};
	struct dit_name name = {0};
	uint64_t got = 0;
	int len = 0;
	int r = dit_existing_find_child(existing, parent, norm, &got);

	if (r < 0) {
		return r;
	}
	if (r == 0 || got != id) {
		return DIT_E_CORRUPT;
	}
	/* The cursor stands there. */
	r = dit_lmdb_error(mdb_cursor_get(existing->names, &key, &data, MDB_GET_CURRENT));
	if (r == 0) {
		r = dit_name_decode((struct dit_span){data.mv_data, data.mv_size}, &name);
	}
	if (r < 0) {
		return r;
	}
	len = dit_name_encode_child(out, name.norm, name.pretty, id, name.nsubs + n);
	if (len < 0) {
		return len;
	}
	key = (MDB_val){sizeof(parent), &parent};
	data = (MDB_val){(size_t)len, out};
	return dit_existing_result(
		existing, mdb_cursor_put(existing->names, &key, &data, MDB_CURRENT));
}

int dit_existing_grow_subtree(struct dit_existing *existing, uint64_t id, uint64_t n)
{
	char record[DIT_NAME_RECORD_MAX];
	unsigned nlevels = 0;

	existing->is_changed = true;
	while (id != 0) {
		struct dit_name self = {0};
		int r = read_self(existing, id, record, &self);

		if (r == 0) {
			r = grow_child(existing, self.id, self.norm, id, n);
		}
		if (r < 0) {
			return r;
		}
		/* A DN of 16 bits of length has not that many RDNs. */
		if (++nlevels > UINT16_MAX) {
			return DIT_E_CORRUPT;
		}
		id = self.id;
	}
	return 0;
}

/* ---- indexes ---- */

int dit_existing_begin_index(struct dit_existing *existing, const char *name,
                             bool is_integerkey)
{
	unsigned flags = MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP |
	                 (is_integerkey ? MDB_INTEGERKEY : 0);
	int r = dit_lmdb_error(mdb_dbi_open(existing->txn, name, 0, &existing->index));

	if (r == MDB_NOTFOUND) {
		existing->is_changed = true;
		r = dit_existing_result(existing, mdb_dbi_open(existing->txn, name,
		                                               MDB_CREATE | flags,
		                                               &existing->index));
	}
	if (r < 0) {
		return r;
	}
	if (existing->postings != NULL) {
		mdb_cursor_close(existing->postings);
		existing->postings = NULL;
	}
	existing->is_integerkey = is_integerkey;
	existing->probes.index = dit_probe_find(existing->guard.probe, name);
	return dit_lmdb_error(
		mdb_cursor_open(existing->txn, existing->index, &existing->postings));
}

int dit_existing_remove_index(struct dit_existing *existing, const char *name)
{
	MDB_dbi dbi = 0;
	int r = dit_lmdb_error(mdb_dbi_open(existing->txn, name, 0, &dbi));

	if (r < 0) {
		return r == MDB_NOTFOUND ? 0 : r;
	}
	r = dit_probe_all(existing->guard.probe,
	                  dit_probe_find(existing->guard.probe, name));
	if (r < 0) {
		return r;
	}
	existing->is_changed = true;
	return dit_existing_result(existing, mdb_drop(existing->txn, dbi, 1));
}

static int put_ids(struct dit_existing *existing, MDB_val *key, const uint64_t *ids,
                   size_t nids)
{
	MDB_val data[2] = {{sizeof(*ids), (void *)ids}, {nids, NULL}};

	if (nids == 1) {
		return dit_existing_result(
			existing, mdb_cursor_put(existing->postings, key, data, 0));
	}
	return dit_existing_result(
		existing, mdb_cursor_put(existing->postings, key, data, MDB_MULTIPLE));
}

static uint64_t id_of(const MDB_val *data)
{
	uint64_t id = 0;

	memcpy(&id, data->mv_data, sizeof(id));
	return id;
}

/* Check the pages of a key and its list before liblmdb reads them. */
static int guard_list(struct dit_existing *existing, struct dit_span key,
                      const struct dit_existing_list *list)
{
	int r = dit_existing_guard(existing, existing->probes.index, key, DIT_PROBE_LAST);

	for (size_t i = 0; i < list->nids && r == 0; i++) {
		const struct dit_span id = {(const char *)&list->ids[i],
		                            sizeof(list->ids[i])};

		r = dit_existing_guard(existing, existing->probes.index, key, id);
	}
	return r;
}

/*
 * The list that the cursor stands on becomes a range. That is rare, so its database may
 * be looked at as a whole.
 */
static int replace_by_range(struct dit_existing *existing, MDB_val *key, uint64_t lowest,
                            uint64_t highest)
{
	uint64_t range[3] = {0, lowest, highest};
	int r = dit_probe_all(existing->guard.probe, existing->probes.index);

	if (r == 0) {
		r = dit_existing_result(
			existing, mdb_cursor_del(existing->postings, MDB_NODUPDATA));
	}
	return r < 0 ? r : put_ids(existing, key, range, 3);
}

/* The lower or the higher end of a range, to which @p move leads. */
static int widen(struct dit_existing *existing, MDB_val *key, MDB_cursor_op move,
                 uint64_t id)
{
	MDB_val any = {0, NULL};
	MDB_val data = {0, NULL};
	uint64_t old = 0;
	int r = dit_lmdb_error(mdb_cursor_get(existing->postings, &any, &data, move));

	if (r < 0) {
		return r;
	}
	old = id_of(&data);
	if (move == MDB_NEXT_DUP ? old <= id : old >= id) {
		return 0;
	}
	data = (MDB_val){sizeof(id), &id};
	return dit_existing_result(
		existing, mdb_cursor_put(existing->postings, key, &data, MDB_CURRENT));
}

/* The cursor stands on the beginning of a range. */
static int add_to_range(struct dit_existing *existing, MDB_val *key, uint64_t lowest,
                        uint64_t highest)
{
	const struct dit_span span = {key->mv_data, key->mv_size};
	const uint64_t one = 1; /* the next one is that, or after it */
	int r = dit_existing_guard(existing, existing->probes.index, span,
	                           (struct dit_span){(const char *)&one, sizeof(one)});

	if (r == 0) {
		r = widen(existing, key, MDB_NEXT_DUP, lowest);
	}
	return r < 0 ? r : widen(existing, key, MDB_LAST_DUP, highest);
}

/* The cursor stands on the key's first ID, which is this one. */
static int add_to_list(struct dit_existing *existing, MDB_val *key, uint64_t first,
                       const struct dit_existing_list *list)
{
	bool is_range = list->ids[0] == 0;
	uint64_t lowest = is_range ? list->ids[1] : list->ids[0];
	uint64_t highest = list->ids[list->nids - 1];
	MDB_val data = {sizeof(first), &first};
	MDB_val any = {0, NULL};
	size_t n = 0;
	uint64_t last = 0;
	int r = dit_lmdb_error(mdb_cursor_count(existing->postings, &n));

	if (r < 0) {
		return r;
	}
	if (first == 0) {
		return n != 3 ? DIT_E_CORRUPT
		              : add_to_range(existing, key, lowest, highest);
	}
	if (!is_range && n + list->nids <= list->list_max &&
	    (n + list->nids < list->list_max || !list->is_repeated)) {
		return put_ids(existing, key, list->ids, list->nids);
	}
	if (n > 1) {
		r = dit_lmdb_error(
			mdb_cursor_get(existing->postings, &any, &data, MDB_LAST_DUP));
	}
	if (r < 0) {
		return r;
	}
	last = id_of(&data);
	return replace_by_range(existing, key, first < lowest ? first : lowest,
	                        last > highest ? last : highest);
}

int dit_existing_add_postings(struct dit_existing *existing, struct dit_span key,
                              const struct dit_existing_list *list)
{
	MDB_val key_val = {key.len, (void *)key.data};
	MDB_val found = {0, NULL};
	MDB_val data = {0, NULL};
	uint64_t integer = 0;
	uint64_t range[3];
	int r = 0;

	if (existing->is_integerkey) {
		/* LMDB reads integer keys as words where they lie. */
		memcpy(&integer, key.data, key.len);
		key_val.mv_data = &integer;
	}
	r = guard_list(existing, key, list);
	if (r < 0) {
		return r;
	}
	existing->is_changed = true;
	found = key_val;
	r = dit_lmdb_error(mdb_cursor_get(existing->postings, &found, &data, MDB_SET));
	if (r == 0) {
		r = dit_lmdb_error(mdb_cursor_get(existing->postings, &found, &data,
		                                  MDB_GET_CURRENT));
		return r < 0 ? r : add_to_list(existing, &key_val, id_of(&data), list);
	}
	if (r != MDB_NOTFOUND) {
		return r;
	}
	if (list->ids[0] != 0 && (list->nids > list->list_max ||
	                          (list->nids == list->list_max && list->is_repeated))) {
		range[0] = 0;
		range[1] = list->ids[0];
		range[2] = list->ids[list->nids - 1];
		return put_ids(existing, &key_val, range, 3);
	}
	return put_ids(existing, &key_val, list->ids, list->nids);
}
