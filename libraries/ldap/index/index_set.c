/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The set of index databases: which definitions there are, where their keys go, and what
 * their databases' keys look like.
 *
 * Databases are named by type; "index cn eq" and "index cn;lang-en eq" are two
 * definitions of one database (storage.md 1.2). The format of a database follows from
 * the lengths of all keys that may occur in it:
 *
 *     hash32 with or without pres         all 4         INT32, or BYTES32
 *     hash64 without pres                 all 8         INT64, or BYTES64
 *     hash64 with pres                    4 and 8       WIDE
 *     integers of 4 bytes, any pres       all 4         BYTES32
 *     integers of 8 bytes without pres    all 8         BYTES64
 *     times with or without pres          5, or 4 and 5 SHORT
 *     approx with or without hash32, pres 1 to 4        SHORT
 *     approx with hash64                  1 to 4 and 8  WIDE
 *     longer integers                                   WIDE
 *
 * INT formats need a rule whose keys have no order of their own: slapd compares the
 * others bytewise when it looks for a range (storage.md 1.5).
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"
#include "index/index_work.h"
#include "index/key_bytes.h"

#define PRES_KEY_BYTES              4
#define CLASS_KEYS_BYTES            1024 /* most lists of object classes need less */
#define OID_OBJECT_CLASS            "2.5.4.0"
#define OID_STRUCTURAL_OBJECT_CLASS "2.5.21.9"

/** objectClass, structuralObjectClass and whatever is derived from them. */
static bool has_class_keys(const struct dit_attr_type *type)
{
	while (type != NULL && strcmp(type->oid, OID_OBJECT_CLASS) != 0 &&
	       strcmp(type->oid, OID_STRUCTURAL_OBJECT_CLASS) != 0) {
		type = type->sup;
	}
	return type != NULL;
}

/** The state after name, mark, syntax and rule (values.md 6.3). */
static uint64_t hash_prefix(bool hash64, const struct dit_ad *ad, const char *mark,
                            const struct dit_rule *rule)
{
	uint64_t state = dit_hash_start(hash64);

	state = dit_hash_span(hash64, state, ad->name);
	state = dit_hash_span(hash64, state, dit_span_of(mark));
	state = dit_hash_span(hash64, state, dit_span_of(ad->type->syntax->oid));
	return dit_hash_span(hash64, state, dit_span_of(rule->oid));
}

/** Find or add the database of a type. */
static unsigned db_of_type(struct dit_index_set *set, const struct dit_attr_type *type)
{
	unsigned db = 0;

	while (db < set->ndbs && set->dbs[db].type != type) {
		db++;
	}
	if (db == set->ndbs) {
		set->dbs[db] = (struct dit_index_db){.name = type->name, .type = type};
		set->ndbs++;
	}
	return db;
}

static void add_def(struct dit_index_set *set, const struct dit_index_spec *spec)
{
	const struct dit_attr_type *type = spec->ad->type;
	struct dit_index_def *def = &set->defs[set->ndefs++];
	bool hash64 = set->params.hash64;

	*def = (struct dit_index_def){
		.type = type,
		.options = spec->ad->options,
		.db = db_of_type(set, type),
		.kinds = spec->kinds,
		.needs_check = (spec->kinds & DIT_INDEX_APPROX) != 0,
	};
	if ((def->kinds & DIT_INDEX_EQ) != 0) {
		def->eq_keys = type->equality->indexer;
		def->has_class_keys =
			def->eq_keys == DIT_INDEXER_HASH && has_class_keys(type);
		def->needs_check |= def->eq_keys == DIT_INDEXER_INTEGER ||
		                    def->eq_keys == DIT_INDEXER_METAPHONE;
		def->states.whole = hash_prefix(hash64, spec->ad, "", type->equality);
	}
	if ((def->kinds & DIT_INDEX_SUB) != 0) {
		def->states.any = hash_prefix(hash64, spec->ad, "*", type->substr);
		def->states.initial = hash_prefix(hash64, spec->ad, "^", type->substr);
		def->states.final = hash_prefix(hash64, spec->ad, "$", type->substr);
	}
}

/** Shortest and longest key of a database, the presence key aside. */
struct key_lengths {
	size_t min; /* SIZE_MAX: there are no others */
	size_t max; /* 0: likewise */
	bool has_presence;
};

static void add_length(struct key_lengths *lengths, size_t length)
{
	lengths->min = length < lengths->min ? length : lengths->min;
	lengths->max = length > lengths->max ? length : lengths->max;
}

static void add_lengths(struct key_lengths *lengths, const struct dit_index_set *set,
                        enum dit_indexer indexer)
{
	size_t longest = indexer == DIT_INDEXER_INTEGER     ? set->params.intlen
	                 : indexer == DIT_INDEXER_TIME      ? DIT_TIME_KEY_BYTES
	                 : indexer == DIT_INDEXER_METAPHONE ? DIT_PHONETIC_MAX
	                 : set->params.hash64               ? 8
	                                                    : 4;

	add_length(lengths, indexer == DIT_INDEXER_METAPHONE ? 1 : longest);
	add_length(lengths, longest);
}

static struct key_lengths measure_keys(const struct dit_index_set *set, unsigned db)
{
	struct key_lengths lengths = {.min = SIZE_MAX};

	for (size_t i = 0; i < set->ndefs; i++) {
		const struct dit_index_def *def = &set->defs[i];

		if (def->db != db) {
			continue;
		}
		lengths.has_presence |= (def->kinds & DIT_INDEX_PRES) != 0;
		if ((def->kinds & DIT_INDEX_EQ) != 0) {
			add_lengths(&lengths, set, def->eq_keys);
		}
		if ((def->kinds & DIT_INDEX_APPROX) != 0) {
			add_lengths(&lengths, set, DIT_INDEXER_METAPHONE);
		}
		if ((def->kinds & DIT_INDEX_SUB) != 0) {
			add_lengths(&lengths, set, DIT_INDEXER_SUBSTR);
		}
	}
	return lengths;
}

size_t dit_index_set_longest_key(const struct dit_index_set *set, size_t db)
{
	struct key_lengths lengths = measure_keys(set, (unsigned)db);

	if (lengths.has_presence) {
		add_length(&lengths, PRES_KEY_BYTES);
	}
	return lengths.max;
}

static bool has_ordered_keys(const struct dit_attr_type *type)
{
	return type->equality != NULL &&
	       (type->equality->indexer == DIT_INDEXER_INTEGER ||
	        type->equality->indexer == DIT_INDEXER_TIME);
}

static void choose_format(struct dit_index_set *set, unsigned db, bool is_integer)
{
	struct dit_index_db *info = &set->dbs[db];
	struct key_lengths lengths = measure_keys(set, db);

	info->is_integerkey = false;
	info->has_presence = false;
	if (lengths.min == 8 && lengths.max == 8 && lengths.has_presence) {
		info->format = DIT_KEY_BYTES64;
		info->has_presence = true;
		return;
	}
	if (lengths.has_presence) {
		add_length(&lengths, PRES_KEY_BYTES);
	}
	if (lengths.min == 4 && lengths.max == 4) {
		info->format = is_integer ? DIT_KEY_INT32 : DIT_KEY_BYTES32;
		info->is_integerkey = is_integer;
	} else if (lengths.min == 8 && lengths.max == 8) {
		info->format = is_integer ? DIT_KEY_INT64 : DIT_KEY_BYTES64;
		info->is_integerkey = is_integer;
	} else if (lengths.max <= DIT_KEY_SHORT_MAX) {
		info->format = DIT_KEY_SHORT;
	} else {
		info->format = DIT_KEY_WIDE;
	}
}

/* Integer keys have one length, and no order of their own (storage.md 1.5). */
int dit_index_set_stored(struct dit_index_set *set, size_t db, bool is_integerkey,
                         size_t key_len)
{
	choose_format(set, (unsigned)db, is_integerkey);
	if (is_integerkey && has_ordered_keys(set->dbs[db].type)) {
		return DIT_E_INVALID;
	}
	if (set->dbs[db].is_integerkey != is_integerkey) {
		return DIT_E_INVALID;
	}
	if (is_integerkey && key_len != 0 &&
	    key_len != (set->dbs[db].format == DIT_KEY_INT32 ? 4 : 8)) {
		return DIT_E_INVALID;
	}
	return 0;
}

static unsigned clamp(unsigned n, unsigned min, unsigned max)
{
	n = n < min ? min : n;
	return n > max ? max : n;
}

int dit_index_set_new(struct dit_index_set **ret, const struct dit_settings *settings,
                      const struct dit_index_spec *specs, size_t nspecs,
                      bool integer_keys)
{
	struct dit_index_set *set = calloc(1, sizeof(*set));
	int r = 0;

	if (set == NULL) {
		return -ENOMEM;
	}
	set->schema = settings->schema;
	set->params = settings->index;
	set->params.intlen = clamp(set->params.intlen, DIT_INTLEN_MIN, DIT_INTLEN_MAX);
	set->defs = calloc(nspecs + 1, sizeof(*set->defs));
	set->dbs = calloc(nspecs + 1, sizeof(*set->dbs));
	r = set->defs == NULL || set->dbs == NULL ? -ENOMEM : 0;
	for (size_t i = 0; i < nspecs && r == 0; i++) {
		add_def(set, &specs[i]);
	}
	for (unsigned db = 0; db < set->ndbs; db++) {
		choose_format(set, db,
		              integer_keys && !has_ordered_keys(set->dbs[db].type));
	}
	return DIT_HAND_OVER(r, ret, set, dit_index_set_free);
}

void dit_index_set_free(struct dit_index_set *set)
{
	if (set == NULL) {
		return;
	}
	free(set->defs);
	free(set->dbs);
	free(set);
}

size_t dit_index_set_ndbs(const struct dit_index_set *set)
{
	return set->ndbs;
}

const struct dit_index_db *dit_index_set_db(const struct dit_index_set *set, size_t db)
{
	return &set->dbs[db];
}

/* ---- the definitions that apply to a description, found once for each thread ---- */

int dit_index_work_new(struct dit_index_work **ret, const struct dit_index_set *set)
{
	struct dit_index_work *work = calloc(1, sizeof(*work));

	if (work == NULL) {
		return -ENOMEM;
	}
	work->set = set;
	dit_arena_init(&work->class_keys.arena, CLASS_KEYS_BYTES);
	*ret = work;
	return 0;
}

void dit_index_work_free(struct dit_index_work *work)
{
	if (work == NULL) {
		return;
	}
	dit_arena_deinit(&work->class_keys.arena);
	free(work->classes);
	free(work->ads);
	free(work->defs);
	free(work->keys);
	free(work);
}

/** Append the definitions of a type, those of its supertypes first; of each type those
 * without options come before those with the options of the description. */
static int add_defs(struct dit_index_work *work, const struct dit_attr_type *type,
                    const struct dit_ad *ad)
{
	const struct dit_index_set *set = work->set;
	int r = type->sup == NULL ? 0 : add_defs(work, type->sup, ad);

	for (size_t i = 0; i < 2 * set->ndefs && r == 0; i++) {
		const struct dit_index_def *def = &set->defs[i % set->ndefs];
		bool is_tagged = i >= set->ndefs;

		if (def->type == type && (def->options.len > 0) == is_tagged &&
		    (!is_tagged || dit_span_eq(def->options, ad->options))) {
			r = DIT_APPEND(work->defs, work->defs_size, work->ndefs, def);
		}
	}
	return r;
}

int dit_index_mark_dbs(struct dit_index_work *work, const struct dit_ad *ad, bool *marks)
{
	struct dit_ad_defs defs = {0};
	int r = dit_index_work_defs(work, ad, &defs);

	for (uint16_t k = 0; k < defs.ndefs && r == 0; k++) {
		marks[work->defs[defs.first + k]->db] = true;
	}
	return r;
}

int dit_index_has_mark(struct dit_index_work *work, const struct dit_ad *ad,
                       const bool *marks)
{
	struct dit_ad_defs defs = {0};
	int r = dit_index_work_defs(work, ad, &defs);

	for (uint16_t k = 0; k < defs.ndefs && r == 0; k++) {
		r = marks == NULL || marks[work->defs[defs.first + k]->db];
	}
	return r;
}

int dit_index_work_learn(struct dit_index_work *work, const struct dit_ad *ad,
                         struct dit_ad_defs *ret)
{
	size_t first = work->ndefs;
	int r = 0;

	if (ad->ordinal >= work->nads) {
		r = DIT_GROW_CLEARED(work->ads, work->nads, (size_t)ad->ordinal + 1);
	}
	r = r ?: add_defs(work, ad->type, ad);
	if (r < 0) {
		work->ndefs = first;
		return r;
	}
	*ret = (struct dit_ad_defs){
		.is_known = true,
		.ndefs = (uint16_t)(work->ndefs - first),
		.first = (uint32_t)first,
	};
	for (size_t i = first; i < work->ndefs; i++) {
		ret->needs_check |= work->defs[i]->needs_check;
	}
	work->ads[ad->ordinal] = *ret;
	return 0;
}
