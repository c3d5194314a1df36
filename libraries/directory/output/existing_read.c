/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look-ups in an existing database.
 *
 * Children are found without reading the others: records under a key lie in the order of
 * their bytes, which begin with the length and the bytes of the normal RDN, so the first
 * one that is not below that beginning is the one, or there is none.
 */
#include "output/existing_impl.h"

#include <string.h>

#include "base/error.h"
#include "codec/name_codec.h"
#include "place/lmdb_error.h"
#include "reader/stored_flags.h"

uint64_t dit_existing_last_id(const struct dit_existing *existing)
{
	return existing->last_id;
}

static int found(int r)
{
	return r == MDB_NOTFOUND ? 0 : r < 0 ? r : 1;
}

static int get_entry(struct dit_existing *existing, uint64_t id, MDB_val *data)
{
	MDB_val key = {sizeof(id), &id};
	int r = dit_existing_guard_id(existing, existing->probes.id2e, id,
	                              DIT_PROBE_FIRST);

	return r < 0 ? r
	             : found(dit_lmdb_error(mdb_cursor_get(existing->entries, &key, data,
	                                                   MDB_SET_KEY)));
}

int dit_existing_has_root_entry(struct dit_existing *existing)
{
	MDB_val data = {0, NULL};

	return get_entry(existing, 0, &data);
}

int dit_existing_has_names(struct dit_existing *existing)
{
	MDB_val key = {0, NULL};
	MDB_val data = {0, NULL};

	return found(
		dit_lmdb_error(mdb_cursor_get(existing->names, &key, &data, MDB_FIRST)));
}

int dit_existing_ad(struct dit_existing *existing, uint32_t number,
                    struct dit_span *ret_name)
{
	MDB_val key = {sizeof(number), &number};
	MDB_val data = {0, NULL};
	int r = found(
		dit_lmdb_error(mdb_get(existing->txn, existing->ad2i, &key, &data)));

	if (r > 0) {
		*ret_name = (struct dit_span){data.mv_data, data.mv_size};
	}
	return r;
}

int dit_existing_find_child(struct dit_existing *existing, uint64_t parent,
                            struct dit_span norm, uint64_t *ret_id)
{
	char begin[DIT_NAME_RECORD_MAX];
	MDB_val key = {sizeof(parent), &parent};
	MDB_val data = {2 + norm.len + 1, begin};
	struct dit_name name = {0};
	int r = 0;

	if (norm.len > DIT_NAME_STRINGS_MAX) {
		return 0;
	}
	begin[0] = (char)(norm.len >> 8 | 0x80);
	begin[1] = (char)norm.len;
	memcpy(begin + 2, norm.data, norm.len);
	begin[2 + norm.len] = '\0';
	r = dit_existing_guard_id(existing, existing->probes.dn2i, parent,
	                          (struct dit_span){data.mv_data, data.mv_size});
	if (r < 0) {
		return r;
	}
	r = found(dit_lmdb_error(
		mdb_cursor_get(existing->names, &key, &data, MDB_GET_BOTH_RANGE)));
	if (r <= 0) {
		return r;
	}
	r = dit_name_decode((struct dit_span){data.mv_data, data.mv_size}, &name);
	if (r < 0) {
		return r;
	}
	if (!name.is_child || !dit_span_eq(name.norm, norm)) {
		return 0;
	}
	*ret_id = name.id;
	return 1;
}

int dit_existing_entry(struct dit_existing *existing, uint64_t id, struct dit_span *ret)
{
	MDB_val data = {0, NULL};
	int r = get_entry(existing, id, &data);

	if (r > 0) {
		*ret = (struct dit_span){data.mv_data, data.mv_size};
	}
	return r;
}

int dit_existing_find_index(struct dit_existing *existing, const char *name,
                            struct dit_output_stored_index *ret)
{
	MDB_cursor *cursor = NULL;
	MDB_val key = {0, NULL};
	MDB_val data = {0, NULL};
	MDB_dbi dbi = 0;
	unsigned flags = 0;
	int r = dit_lmdb_error(mdb_dbi_open(existing->txn, name, 0, &dbi));

	if (r == MDB_NOTFOUND) {
		return 0;
	}
	if (r == 0) {
		r = dit_stored_flags_check_index(existing->txn, dbi, name,
		                                 existing->fault, &flags);
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_cursor_open(existing->txn, dbi, &cursor));
	}
	if (r < 0) {
		return r;
	}
	r = dit_existing_guard(existing, dit_probe_find(existing->guard.probe, name),
	                       DIT_PROBE_FIRST, DIT_PROBE_FIRST);
	if (r < 0) {
		(void)dit_fault_say(existing->fault, r, "%s", existing->guard.fault.text);
	} else {
		r = dit_lmdb_error(mdb_cursor_get(cursor, &key, &data, MDB_FIRST));
	}
	if (r == 0 || r == MDB_NOTFOUND) {
		*ret = (struct dit_output_stored_index){
			.is_integerkey = (flags & MDB_INTEGERKEY) != 0,
			.key_len = r == 0 ? key.mv_size : 0};
		r = 1;
	}
	mdb_cursor_close(cursor);
	return r;
}
