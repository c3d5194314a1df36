/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keys of an entry.
 *
 * Which definitions apply to an attribute depends on its description alone (storage.md
 * 5.2): from the topmost supertype down to the type itself, the definition without
 * options, then the one with just these options. The answer is remembered by the ordinal
 * of the description, so an attribute without index costs one look into an array.
 *
 *     index name eq, cn eq, cn;lang-en eq
 *
 *     cn            name, cn
 *     cn;lang-en    name, cn, cn;lang-en
 *     sn;lang-en    name
 *
 * All keys of one attribute under one definition are made first, as numbers: hashes as
 * they come, others as ordinals; then hashes are turned into ordinals in one sweep.
 */
#include "index/index_keys.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "index/index_set.h"
#include "index/key_class.h"
#include "index/key_integer.h"
#include "index/key_time.h"

/** The definitions of one attribute description. */
struct ad_defs {
	bool is_known;
	uint16_t ndefs;
	uint32_t first; /* in dit_index_work.defs */
};

struct dit_index_work {
	const struct dit_index_set *set;

	struct ad_defs *ads; /* by ordinal */
	size_t nads;
	const struct dit_index_def **defs; /* of all known descriptions */
	size_t ndefs;
	size_t defs_size;

	uint64_t *keys; /* of the current attribute and definition */
	size_t nkeys;
	size_t keys_size;
	struct dit_class_keys_cache classes;
};

/** Where the keys go. */
struct sink {
	dit_index_keys_fn keys;
	dit_index_wide_fn wide;
	void *ctx;
};

int dit_index_work_new(struct dit_index_work **ret, const struct dit_index_set *set)
{
	struct dit_index_work *work = calloc(1, sizeof(*work));

	if (work == NULL) {
		return -ENOMEM;
	}
	work->set = set;
	*ret = work;
	return 0;
}

void dit_index_work_free(struct dit_index_work *work)
{
	if (work == NULL) {
		return;
	}
	dit_class_keys_deinit(&work->classes);
	free(work->ads);
	free(work->defs);
	free(work->keys);
	free(work);
}

static bool def_applies(const struct dit_index_def *def, const struct dit_attr_type *type,
                        const struct dit_ad *ad, bool is_tagged)
{
	if (def->type != type || (def->options.len > 0) != is_tagged) {
		return false;
	}
	return !is_tagged || dit_span_eq(def->options, ad->options);
}

/** Append the definitions of one type on the way down, those of its supertypes first. */
static int add_defs_of_type(struct dit_index_work *work, const struct dit_attr_type *type,
                            const struct dit_ad *ad)
{
	const struct dit_index_set *set = work->set;
	int r = type->sup == NULL ? 0 : add_defs_of_type(work, type->sup, ad);

	for (size_t i = 0; i < 2 * set->ndefs && r == 0; i++) {
		const struct dit_index_def *def = &set->defs[i % set->ndefs];

		if (!def_applies(def, type, ad, i >= set->ndefs)) {
			continue;
		}
		if (work->ndefs == work->defs_size) {
			size_t size = work->defs_size == 0 ? 64 : work->defs_size * 2;
			const struct dit_index_def **defs =
				reallocarray(work->defs, size, sizeof(*defs));

			if (defs == NULL) {
				return -ENOMEM;
			}
			work->defs = defs;
			work->defs_size = size;
		}
		work->defs[work->ndefs++] = def;
	}
	return r;
}

/** Make the array of descriptions long enough for @p ordinal. */
static int reserve_ads(struct dit_index_work *work, uint32_t ordinal)
{
	size_t nads = (size_t)ordinal + 64;
	struct ad_defs *ads = reallocarray(work->ads, nads, sizeof(*ads));

	if (ads == NULL) {
		return -ENOMEM;
	}
	memset(ads + work->nads, 0, (nads - work->nads) * sizeof(*ads));
	work->ads = ads;
	work->nads = nads;
	return 0;
}

static int find_defs(struct dit_index_work *work, const struct dit_ad *ad,
                     struct ad_defs *ret)
{
	size_t first = work->ndefs;
	int r = 0;

	if (ad->ordinal >= work->nads) {
		r = reserve_ads(work, ad->ordinal);
	}
	if (r == 0) {
		r = add_defs_of_type(work, ad->type, ad);
	}
	if (r < 0) {
		work->ndefs = first;
		return r;
	}
	*ret = (struct ad_defs){
		.is_known = true,
		.ndefs = (uint16_t)(work->ndefs - first),
		.first = (uint32_t)first,
	};
	work->ads[ad->ordinal] = *ret;
	return 0;
}

static int reserve_keys(struct dit_index_work *work, size_t nmore)
{
	size_t n = work->nkeys + nmore;

	if (n > work->keys_size) {
		uint64_t *keys = reallocarray(work->keys, n + n / 2, sizeof(*keys));

		if (keys == NULL) {
			return -ENOMEM;
		}
		work->keys = keys;
		work->keys_size = n + n / 2;
	}
	return 0;
}

/** Without the UID of a name with optional UID, "dc=x#'0101'B" (values.md 6.4). */
static struct dit_span name_without_uid(struct dit_span value)
{
	const char *hash = value.len == 0 ? NULL : memrchr(value.data, '#', value.len);
	size_t len = hash == NULL ? 0 : (size_t)(value.data + value.len - hash);

	if (len < 4 || hash[1] != '\'' || memcmp(hash + len - 2, "'B", 2) != 0) {
		return value;
	}
	for (size_t i = 2; i < len - 2; i++) {
		if (hash[i] != '0' && hash[i] != '1') {
			return value;
		}
	}
	value.len -= len;
	return value;
}

/** Append the hashes of the equality keys. */
static int add_eq_hashes(struct dit_index_work *work, const struct dit_index_def *def,
                         const struct dit_span *values, size_t nvalues)
{
	bool hash64 = work->set->params.hash64;
	int r = reserve_keys(work, nvalues);

	for (size_t i = 0; i < nvalues && r == 0; i++) {
		struct dit_span value = values[i];

		if (def->eq_keys == DIT_EQ_NAME_UID) {
			value = name_without_uid(value);
		}
		work->keys[work->nkeys++] =
			dit_hash_span(hash64, def->states.whole, value);
	}
	return r;
}

static int add_class_hashes(struct dit_index_work *work, const struct dit_index_def *def,
                            const struct dit_span *values, size_t nvalues)
{
	const uint64_t *keys = NULL;
	int n = dit_class_keys(&work->classes, work->set, def, values, nvalues, &keys);
	int r = n < 0 ? n : reserve_keys(work, (size_t)n);

	if (r == 0) {
		memcpy(work->keys + work->nkeys, keys, (size_t)n * sizeof(*keys));
		work->nkeys += (size_t)n;
	}
	return r;
}

static int add_substr_hashes(struct dit_index_work *work, const struct dit_index_def *def,
                             const struct dit_span *values, size_t nvalues)
{
	const struct dit_index_params *params = &work->set->params;

	for (size_t i = 0; i < nvalues; i++) {
		int r = reserve_keys(work, dit_substr_keys_max(params, values[i].len));

		if (r < 0) {
			return r;
		}
		work->nkeys += dit_substr_keys(params, &def->states, values[i],
		                               work->keys + work->nkeys);
	}
	return 0;
}

/** The bytes of a hash key: least significant first. @return their number */
static size_t hash_bytes(bool hash64, uint64_t hash, char *out)
{
	uint64_t bytes = htole64(hash);

	memcpy(out, &bytes, sizeof(bytes));
	return hash64 ? 8 : 4;
}

/** Turn keys from number @p first on, which are hashes, into ordinals. */
static void hashes_to_ordinals(struct dit_index_work *work, size_t first,
                               enum dit_key_format format)
{
	uint64_t *keys = work->keys;
	size_t n = work->nkeys;

	switch (format) {
	case DIT_KEY_BYTES32:
		for (size_t i = first; i < n; i++) {
			keys[i] = __builtin_bswap32((uint32_t)keys[i]);
		}
		break;
	case DIT_KEY_BYTES64:
		for (size_t i = first; i < n; i++) {
			keys[i] = __builtin_bswap64(keys[i]);
		}
		break;
	case DIT_KEY_SHORT: /* only 32-bit hashes are short */
		for (size_t i = first; i < n; i++) {
			keys[i] =
				(uint64_t)__builtin_bswap32((uint32_t)keys[i]) << 32 | 4;
		}
		break;
	case DIT_KEY_INT32:
	case DIT_KEY_INT64:
	case DIT_KEY_WIDE:
		break;
	}
}

/** Hand over keys that are no hashes: presence, integers, times. */
static int put_bytes(struct dit_index_work *work, const struct dit_index_def *def,
                     struct dit_span key, const struct sink *sink)
{
	const struct dit_index_db *db = &work->set->dbs[def->db];
	int r = 0;

	if (db->format == DIT_KEY_WIDE) {
		return sink->wide(sink->ctx, def->db, key);
	}
	r = reserve_keys(work, 1);
	if (r == 0) {
		work->keys[work->nkeys++] = dit_index_key_ordinal(db, key);
	}
	return r;
}

static int add_ordered_keys(struct dit_index_work *work, const struct dit_index_def *def,
                            const struct dit_span *values, size_t nvalues,
                            const struct sink *sink)
{
	unsigned intlen = work->set->params.intlen;
	unsigned char key[DIT_INTLEN_MAX];
	struct dit_span bytes = {(const char *)key, intlen};
	int r = 0;

	for (size_t i = 0; i < nvalues && r == 0; i++) {
		if (def->eq_keys == DIT_EQ_INTEGER) {
			dit_key_integer(values[i], intlen, key);
		} else {
			bytes.len = DIT_TIME_KEY_BYTES;
			if (!dit_key_time(values[i], key)) {
				continue;
			}
		}
		r = put_bytes(work, def, bytes, sink);
	}
	return r;
}

static int put_wide_hashes(struct dit_index_work *work, const struct dit_index_def *def,
                           const struct sink *sink)
{
	bool hash64 = work->set->params.hash64;
	int r = 0;

	for (size_t i = 0; i < work->nkeys && r == 0; i++) {
		char key[8];
		size_t len = hash_bytes(hash64, work->keys[i], key);

		r = sink->wide(sink->ctx, def->db, (struct dit_span){key, len});
	}
	work->nkeys = 0;
	return r;
}

/** Presence, equality, substrings: the order of slapd (storage.md 5.4). */
static int put_keys(struct dit_index_work *work, const struct dit_index_def *def,
                    const struct dit_attr *attr, const struct sink *sink)
{
	const struct dit_span *values =
		attr->normal != NULL ? attr->normal : attr->values;
	enum dit_key_format format = work->set->dbs[def->db].format;
	bool is_ordered = def->eq_keys == DIT_EQ_INTEGER || def->eq_keys == DIT_EQ_TIME;
	size_t nordinals = 0;
	int r = 0;

	work->nkeys = 0;
	if ((def->kinds & DIT_INDEX_PRES) != 0) {
		r = put_bytes(work, def, (struct dit_span){"\0\0\0", 4}, sink);
	}
	if (r == 0 && (def->kinds & DIT_INDEX_EQ) != 0 && is_ordered) {
		r = add_ordered_keys(work, def, values, attr->nvalues, sink);
	}
	nordinals = work->nkeys;
	if (r == 0 && (def->kinds & DIT_INDEX_EQ) != 0 && !is_ordered) {
		r = def->eq_keys == DIT_EQ_CLASSES
		            ? add_class_hashes(work, def, values, attr->nvalues)
		            : add_eq_hashes(work, def, values, attr->nvalues);
	}
	if (r == 0 && (def->kinds & DIT_INDEX_SUB) != 0) {
		r = add_substr_hashes(work, def, values, attr->nvalues);
	}
	if (r == 0 && format == DIT_KEY_WIDE) {
		r = put_wide_hashes(work, def, sink);
	}
	if (r < 0 || work->nkeys == 0) {
		return r;
	}
	hashes_to_ordinals(work, nordinals, format);
	return sink->keys(sink->ctx, def->db, work->keys, work->nkeys);
}

int dit_index_entry(struct dit_index_work *work, const struct dit_entry *entry,
                    dit_index_keys_fn keys, dit_index_wide_fn wide, void *ctx)
{
	const struct sink sink = {keys, wide, ctx};

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];
		struct ad_defs defs = {0};
		int r = 0;

		if (attr->ad->ordinal < work->nads) {
			defs = work->ads[attr->ad->ordinal];
		}
		if (!defs.is_known) {
			r = find_defs(work, attr->ad, &defs);
		}
		for (uint16_t k = 0; k < defs.ndefs && r == 0; k++) {
			r = put_keys(work, work->defs[defs.first + k], attr, &sink);
		}
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

size_t dit_index_key_bytes(const struct dit_index_db *db, uint64_t ordinal, char *out)
{
	uint64_t bytes = 0;
	size_t len = 8;

	switch (db->format) {
	case DIT_KEY_INT32:
	case DIT_KEY_INT64:
		/* Hashes lie with their lowest byte first (values.md 6.3). */
		len = db->format == DIT_KEY_INT32 ? 4 : 8;
		bytes = htole64(ordinal);
		break;
	case DIT_KEY_BYTES32:
		len = 4;
		bytes = htobe64(ordinal << 32);
		break;
	case DIT_KEY_BYTES64:
		bytes = htobe64(ordinal);
		break;
	case DIT_KEY_SHORT:
		len = ordinal & 0xff;
		bytes = htobe64(ordinal);
		break;
	case DIT_KEY_WIDE:
		assert(!"wide keys have no ordinal");
		return 0;
	}
	memcpy(out, &bytes, len);
	return len;
}

uint64_t dit_index_key_ordinal(const struct dit_index_db *db, struct dit_span key)
{
	uint64_t bytes = 0;

	assert(key.len <= sizeof(bytes) && db->format != DIT_KEY_WIDE);
	memcpy(&bytes, key.data, key.len);
	switch (db->format) {
	case DIT_KEY_INT32:
	case DIT_KEY_INT64:
		return le64toh(bytes);
	case DIT_KEY_BYTES32:
		return be64toh(bytes) >> 32;
	case DIT_KEY_BYTES64:
		return be64toh(bytes);
	case DIT_KEY_SHORT:
		return (be64toh(bytes) & ~(uint64_t)0xff) | key.len;
	case DIT_KEY_WIDE:
		break;
	}
	return 0;
}
