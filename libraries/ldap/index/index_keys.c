/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keys of an entry.
 *
 * All keys of one attribute under one definition are made first, as numbers: hashes as
 * they come, others as ordinals; then hashes are turned into ordinals in one sweep. Those
 * of huge values are handed over piece by piece.
 */
#include "index/index_keys.h"

#include <assert.h>
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "index/index_work.h"
#include "index/key_bytes.h"
#include "values/dn.h"
#include "values/utf8_prep.h"

/* The substring keys of longer values are made in pieces of this size: they then need no
 * memory eight times as large as the value, and a callback can end the work. */
#define HUGE_PIECE ((size_t)64 << 10)

/** Where keys go. */
struct dit_index_sink {
	dit_index_keys_fn keys;
	dit_index_wide_fn wide;
	void *ctx;
};

/** Room for so many more keys. 0 or -ENOMEM */
static int reserve(struct dit_index_work *work, size_t nmore)
{
	size_t n = work->nkeys + nmore;

	return n <= work->keys_size ? 0 : DIT_GROW(work->keys, work->keys_size, n);
}

/** Keys leave out the UID (values.md 6.4). Apart from its caller: few names have one. */
static __attribute__((noinline)) struct dit_span name_without_uid(struct dit_span value)
{
	struct dit_span uid = {0};

	dit_name_uid_split(value, &value, &uid);
	return value;
}

/** Append the hashes of the equality keys. */
static inline __attribute__((always_inline)) int add_eq_hashes(
	struct dit_index_work *work, const struct dit_index_def *def,
	const struct dit_span *values, size_t nvalues)
{
	bool hash64 = work->set->params.hash64;
	int r = reserve(work, nvalues);

	for (size_t i = 0; i < nvalues && r == 0; i++) {
		struct dit_span value = values[i];

		if (def->eq_keys == DIT_INDEXER_NAME_UID) {
			value = name_without_uid(value);
		}
		work->keys[work->nkeys++] =
			dit_hash_span(hash64, def->states.whole, value);
	}
	return r;
}

static int add_class(struct dit_index_work *work, const struct dit_class *oc)
{
	return DIT_APPEND(work->classes, work->classes_size, work->nclasses, oc);
}

static bool has_class(const struct dit_index_work *work, const struct dit_class *oc)
{
	size_t i = 0;

	while (i < work->nclasses && work->classes[i] != oc) {
		i++;
	}
	return i < work->nclasses;
}

/** The classes are a list that grows while it is walked, until nothing is missing. */
static int add_superclasses(struct dit_index_work *work)
{
	for (size_t i = 0; i < work->nclasses; i++) {
		const struct dit_class **sup = work->classes[i]->sups;

		for (; *sup != NULL; sup++) {
			int r = has_class(work, *sup) ? 0 : add_class(work, *sup);

			if (r < 0) {
				return r;
			}
		}
	}
	return 0;
}

/** Most entries have the classes of the one before. @p hashes  all of them. 0; -ENOMEM */
static int keep_classes(struct dit_class_keys *kept, const struct dit_index_def *def,
                        const struct dit_span *values, size_t nvalues,
                        const uint64_t *hashes, size_t nhashes)
{
	kept->def = NULL;
	if (nhashes == 0) {
		return 0; /* and maybe no array for them */
	}
	dit_arena_reset(&kept->arena);
	kept->values = dit_arena_copy_spans(&kept->arena, values, nvalues);
	kept->hashes = dit_arena_alloc(&kept->arena, nhashes * sizeof(*hashes));
	if (kept->values == NULL || kept->hashes == NULL) {
		return -ENOMEM;
	}
	memcpy(kept->hashes, hashes, nhashes * sizeof(*hashes));
	kept->nvalues = nvalues;
	kept->nhashes = nhashes;
	kept->def = def;
	return 0;
}

/**
 * Append the hashes of the listed classes and all their superclasses (values.md 6.8).
 * "objectClass: inetOrgPerson" has the keys of inetOrgPerson, organizationalPerson,
 * person and top. A listed class counts as often as it is listed; a superclass is added
 * if it is neither listed nor added yet. Names of no class are hashed as they are.
 */
static int add_class_hashes(struct dit_index_work *work, const struct dit_index_def *def,
                            const struct dit_span *values, size_t nvalues)
{
	struct dit_class_keys *kept = &work->class_keys;
	size_t first = work->nkeys;
	int r = 0;

	if (kept->def == def && kept->nvalues == nvalues &&
	    dit_spans_eq(kept->values, values, nvalues)) {
		r = reserve(work, kept->nhashes);
		if (r == 0) {
			memcpy(work->keys + first, kept->hashes,
			       kept->nhashes * sizeof(*kept->hashes));
			work->nkeys += kept->nhashes;
		}
		return r;
	}
	work->nclasses = 0;
	for (size_t i = 0; i < nvalues && r == 0; i++) {
		const struct dit_class *oc =
			dit_schema_find_class(work->set->schema, values[i]);

		r = oc != NULL ? add_class(work, oc)
		               : add_eq_hashes(work, def, &values[i], 1);
	}
	r = r ?: add_superclasses(work);
	for (size_t i = 0; i < work->nclasses && r == 0; i++) {
		struct dit_span name = dit_span_of(work->classes[i]->name);

		r = add_eq_hashes(work, def, &name, 1);
	}
	return r
	               ?: keep_classes(kept, def, values, nvalues, work->keys + first,
	                               work->nkeys - first);
}

/** Hand over keys that are no hashes: presence, integers, times. */
static int put_bytes(struct dit_index_work *work, const struct dit_index_def *def,
                     struct dit_span key, const struct dit_index_sink *sink)
{
	const struct dit_index_db *db = &work->set->dbs[def->db];
	int r = 0;

	if (db->format == DIT_KEY_WIDE ||
	    (db->has_presence && key.len != sizeof(uint64_t))) {
		return sink->wide(sink->ctx, def->db, key);
	}
	r = reserve(work, 1);
	if (r == 0) {
		work->keys[work->nkeys++] = dit_index_key_ordinal(db, key);
	}
	return r;
}

static int add_ordered_keys(struct dit_index_work *work, const struct dit_index_def *def,
                            const struct dit_span *values, size_t nvalues,
                            const struct dit_index_sink *sink)
{
	unsigned intlen = work->set->params.intlen;
	unsigned char key[DIT_INTLEN_MAX];
	struct dit_span bytes = {(const char *)key, intlen};
	int r = 0;

	for (size_t i = 0; i < nvalues && r == 0; i++) {
		if (def->eq_keys == DIT_INDEXER_INTEGER) {
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

static int add_phonetic_keys(struct dit_index_work *work, const struct dit_index_def *def,
                             const struct dit_span *values, size_t nvalues,
                             const struct dit_index_sink *sink)
{
	int r = 0;

	for (size_t i = 0; i < nvalues && r == 0; i++) {
		struct dit_span text = values[i];
		struct dit_sound sound;
		bool has_more = true;

		while (r == 0 && has_more) {
			has_more = dit_sound_next(&text, &sound);
			if (sound.len > 0) {
				r = put_bytes(work, def,
				              (struct dit_span){sound.key, sound.len},
				              sink);
			}
		}
	}
	return r;
}

/*
 * Apart from its caller: what protects a stack with an array costs, and most hashes
 * become ordinals.
 */
static __attribute__((noinline)) int put_wide_hashes(struct dit_index_work *work,
                                                     const struct dit_index_def *def,
                                                     size_t first,
                                                     const struct dit_index_sink *sink)
{
	size_t len = work->set->params.hash64 ? 8 : 4;
	int r = 0;

	for (size_t i = first; i < work->nkeys && r == 0; i++) {
		uint64_t key = htole64(work->keys[i]);

		r = sink->wide(sink->ctx, def->db,
		               (struct dit_span){(const char *)&key, len});
	}
	work->nkeys = first;
	return r;
}

/** Turn keys from number @p first on, which are hashes, into ordinals; wide ones go. */
static int convert_hashes(struct dit_index_work *work, const struct dit_index_def *def,
                          size_t first, const struct dit_index_sink *sink)
{
	uint64_t *keys = work->keys;
	size_t n = work->nkeys;

	switch (work->set->dbs[def->db].format) {
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
		break;
	case DIT_KEY_WIDE:
		return put_wide_hashes(work, def, first, sink);
	}
	return 0;
}

/** Hashes from number @p first on become ordinals, or go where keys of any length go. */
static inline int put_hashes(struct dit_index_work *work, const struct dit_index_def *def,
                             size_t first, const struct dit_index_sink *sink)
{
	enum dit_key_format format = work->set->dbs[def->db].format;

	return format == DIT_KEY_INT32 || format == DIT_KEY_INT64
	               ? 0 /* they are ordinals already */
	               : convert_hashes(work, def, first, sink);
}

static int put_eq_keys(struct dit_index_work *work, const struct dit_index_def *def,
                       const struct dit_span *values, size_t nvalues,
                       const struct dit_index_sink *sink)
{
	size_t first = work->nkeys;
	int r = 0;

	switch (def->eq_keys) {
	case DIT_INDEXER_INTEGER:
	case DIT_INDEXER_TIME:
		return add_ordered_keys(work, def, values, nvalues, sink);
	case DIT_INDEXER_METAPHONE:
		return add_phonetic_keys(work, def, values, nvalues, sink);
	default:
		r = def->has_class_keys ? add_class_hashes(work, def, values, nvalues)
		                        : add_eq_hashes(work, def, values, nvalues);
	}
	return r < 0 ? r : put_hashes(work, def, first, sink);
}

/** Hand over the keys made so far. */
static int flush(struct dit_index_work *work, const struct dit_index_def *def,
                 const struct dit_index_sink *sink)
{
	size_t nkeys = work->nkeys;

	work->nkeys = 0;
	return nkeys == 0 ? 0 : sink->keys(sink->ctx, def->db, work->keys, nkeys);
}

/** The keys of a huge value, a piece at a time. */
static int put_huge_value(struct dit_index_work *work, const struct dit_index_def *def,
                          struct dit_span value, const struct dit_index_sink *sink)
{
	const struct dit_index_params *params = &work->set->params;
	size_t overlap = (size_t)params->substr_any_len - 1;
	size_t most = HUGE_PIECE + overlap;
	int r = reserve(work, most);

	for (size_t at = 0; at < value.len && r == 0; at += HUGE_PIECE) {
		size_t rest = value.len - at;
		struct dit_span piece = {value.data + at, rest < most ? rest : most};

		work->nkeys =
			dit_substr_any_keys(params, &def->states, piece, work->keys);
		r = put_hashes(work, def, 0, sink);
		r = r ?: flush(work, def, sink);
	}
	if (r == 0) {
		work->nkeys =
			dit_substr_end_keys(params, &def->states, value, work->keys);
	}
	return r;
}

static int put_substr_keys(struct dit_index_work *work, const struct dit_index_def *def,
                           const struct dit_span *values, size_t nvalues,
                           const struct dit_index_sink *sink)
{
	const struct dit_index_params *params = &work->set->params;
	size_t first = work->nkeys; /* hashes from here on */
	int r = 0;

	for (size_t i = 0; i < nvalues && r == 0; i++) {
		if (values[i].len <= HUGE_PIECE) {
			r = reserve(work, dit_substr_keys_max(params, values[i].len));
			if (r == 0) {
				work->nkeys +=
					dit_substr_keys(params, &def->states, values[i],
				                        work->keys + work->nkeys);
			}
			continue;
		}
		r = put_hashes(work, def, first, sink);
		r = r ?: flush(work, def, sink);
		r = r ?: put_huge_value(work, def, values[i], sink);
		first = 0;
	}
	return r < 0 ? r : put_hashes(work, def, first, sink);
}

/** The key of presence. 0; -ENOMEM; what a callback returned */
static int put_presence(struct dit_index_work *work, const struct dit_index_def *def,
                        const struct dit_index_sink *sink)
{
	return put_bytes(work, def, (struct dit_span){"\0\0\0", 4}, sink);
}

/** Presence, equality, approximate, substrings: the order of slapd (storage.md 5.4). */
static int put_keys(struct dit_index_work *work, const struct dit_index_def *def,
                    const struct dit_attr *attr, const struct dit_index_sink *sink)
{
	const struct dit_span *values = dit_attr_keys(attr);
	int r = 0;

	work->nkeys = 0;
	if ((def->kinds & DIT_INDEX_PRES) != 0) {
		r = put_presence(work, def, sink);
	}
	if (r == 0 && (def->kinds & DIT_INDEX_EQ) != 0) {
		r = put_eq_keys(work, def, values, attr->nvalues, sink);
	}
	if (r == 0 && (def->kinds & DIT_INDEX_APPROX) != 0) {
		r = add_phonetic_keys(work, def, values, attr->nvalues, sink);
	}
	if (r == 0 && (def->kinds & DIT_INDEX_SUB) != 0) {
		r = put_substr_keys(work, def, values, attr->nvalues, sink);
	}
	return r < 0 ? r : flush(work, def, sink);
}

int dit_index_entry(struct dit_index_work *work, const struct dit_entry *entry,
                    dit_index_keys_fn keys, dit_index_wide_fn wide, void *ctx)
{
	const struct dit_index_sink sink = {keys, wide, ctx};
	uint32_t nattrs = dit_index_nattrs(work, entry);

	for (uint32_t i = 0; i < nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];
		struct dit_ad_defs defs = {0};
		int r = dit_index_work_defs(work, attr->ad, &defs);

		for (uint16_t k = 0; k < defs.ndefs && r == 0; k++) {
			r = put_keys(work, work->defs[defs.first + k], attr, &sink);
		}
		if (r < 0) {
			return r;
		}
	}
	return 0;
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

/* ---- clues ---- */

/*
 * Keys that an entry must have if a filter matches it.
 *
 * For a piece "abcdef" of a value the index has the key of each four bytes in a row, for
 * the piece may stand anywhere. If the value begins with the piece, it has the keys of
 * the first bytes of the piece as well; likewise at the end. Lengths are those of the
 * configuration (values.md 6.5).
 */

/* The initial keys come first; there is one if the lengths contradict each other. */
static size_t add_end_keys(struct dit_index_work *work, const struct dit_index_def *def,
                           enum dit_index_clue clue, struct dit_span piece)
{
	uint64_t *keys = work->keys + work->nkeys;
	size_t n = dit_substr_end_keys(&work->set->params, &def->states, piece, keys);
	size_t ninitial = (n + 1) / 2;

	if (clue == DIT_CLUE_INITIAL) {
		return ninitial;
	}
	memmove(keys, keys + ninitial, (n - ninitial) * sizeof(*keys));
	return n - ninitial;
}

static int put_piece_keys(struct dit_index_work *work, const struct dit_index_def *def,
                          enum dit_index_clue clue, struct dit_span piece,
                          const struct dit_index_sink *sink)
{
	const struct dit_index_params *params = &work->set->params;
	int r = reserve(work, dit_substr_keys_max(params, piece.len));

	if (r < 0) {
		return r;
	}
	work->nkeys = dit_substr_any_keys(params, &def->states, piece, work->keys);
	if (clue != DIT_CLUE_MIDDLE) {
		work->nkeys += add_end_keys(work, def, clue, piece);
	}
	return put_hashes(work, def, 0, sink);
}

int dit_index_clue(struct dit_index_work *work, const struct dit_ad *ad,
                   enum dit_index_clue clue, struct dit_span piece,
                   dit_index_keys_fn keys, dit_index_wide_fn wide, void *ctx)
{
	const struct dit_index_sink sink = {keys, wide, ctx};
	unsigned kind = clue == DIT_CLUE_PRESENT ? DIT_INDEX_PRES : DIT_INDEX_SUB;
	struct dit_ad_defs defs = {0};
	int r = dit_index_work_defs(work, ad, &defs);

	for (uint16_t i = 0; i < defs.ndefs && r == 0; i++) {
		const struct dit_index_def *def = work->defs[defs.first + i];

		if ((def->kinds & kind) == 0) {
			continue;
		}
		work->nkeys = 0;
		r = clue == DIT_CLUE_PRESENT
		            ? put_presence(work, def, &sink)
		            : put_piece_keys(work, def, clue, piece, &sink);
		r = r ?: flush(work, def, &sink);
	}
	return r;
}

/* ---- values without keys ---- */

/*
 * Values over which slapd dies while it makes their keys: integers without a
 * single character or with a '-' in their middle, and texts for an approximate index that
 * are not UTF-8 (values.md 2.6). Nothing is lost if they are refused before they are
 * stored.
 */

static const char *reason_against(const struct dit_index_def *def, unsigned intlen,
                                  struct dit_span value)
{
	bool is_phonetic = (def->kinds & DIT_INDEX_APPROX) != 0 ||
	                   def->eq_keys == DIT_INDEXER_METAPHONE;

	if (def->eq_keys == DIT_INDEXER_INTEGER &&
	    !dit_key_integer_is_sound(value, intlen)) {
		return value.len == 0 ? "an empty integer has no index key"
		                      : "not an integer, and has no index key";
	}
	if (is_phonetic && !dit_utf8_is_valid(value)) {
		return "text that is not UTF-8 has no approximate index key";
	}
	return NULL;
}

static int check_attr(const struct dit_index_work *work, struct dit_ad_defs defs,
                      const struct dit_attr *attr, struct dit_index_refusal *ret)
{
	const struct dit_span *values = dit_attr_keys(attr);
	unsigned intlen = work->set->params.intlen;

	for (uint16_t k = 0; k < defs.ndefs; k++) {
		const struct dit_index_def *def = work->defs[defs.first + k];

		for (uint32_t i = 0; def->needs_check && i < attr->nvalues; i++) {
			const char *reason = reason_against(def, intlen, values[i]);

			if (reason != NULL) {
				*ret = (struct dit_index_refusal){attr->ad, i, reason};
				return DIT_E_INVALID;
			}
		}
	}
	return 0;
}

int dit_index_check(struct dit_index_work *work, const struct dit_entry *entry,
                    struct dit_index_refusal *ret)
{
	uint32_t nattrs = dit_index_nattrs(work, entry);
	int r = 0;

	for (uint32_t i = 0; i < nattrs && r == 0; i++) {
		struct dit_ad_defs defs = {0};

		r = dit_index_work_defs(work, entry->attrs[i].ad, &defs);
		if (r == 0 && defs.needs_check) {
			r = check_attr(work, defs, &entry->attrs[i], ret);
		}
	}
	return r;
}
