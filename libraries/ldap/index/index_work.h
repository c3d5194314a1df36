/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The set of definitions, and the memory of a thread that makes keys: the definitions
 * that apply to the attribute descriptions met so far, and room for keys.
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
 * For the files of this room only. Threads: a work object belongs to one thread.
 */
#ifndef DITKIT_INDEX_WORK_H
#define DITKIT_INDEX_WORK_H

#include "index/index_keys.h"
#include "index/key_hash.h"

/** One index definition, ready for use. */
struct dit_index_def {
	const struct dit_attr_type *type;
	struct dit_span options; /* canonical; empty: applies whatever the options are */
	unsigned db;
	unsigned kinds;           /* DIT_INDEX_... */
	enum dit_indexer eq_keys; /* NONE: no equality keys */
	bool has_class_keys; /* hashes of the names of classes and their superclasses */
	bool needs_check;    /* slapd dies of some values: dit_index_check() */
	struct dit_hash_states states;
};

/** Constant after dit_index_set_new(). */
struct dit_index_set {
	const struct dit_schema *schema;
	struct dit_index_params params;
	struct dit_index_def *defs;
	size_t ndefs;
	struct dit_index_db *dbs;
	size_t ndbs;
};

/** The definitions of one attribute description. */
struct dit_ad_defs {
	bool is_known;
	bool needs_check; /* of at least one of the definitions */
	uint16_t ndefs;
	uint32_t first; /* in dit_index_work.defs */
};

/** The last list of object classes, and its keys as hashes. */
struct dit_class_keys {
	const struct dit_index_def *def; /* NULL: none is kept */
	struct dit_arena arena;          /* of the two lists */
	struct dit_span *values;
	size_t nvalues;
	uint64_t *hashes;
	size_t nhashes;
};

struct dit_index_work {
	const struct dit_index_set *set;

	struct dit_ad_defs *ads; /* by ordinal */
	size_t nads;
	const struct dit_index_def **defs; /* of all known descriptions */
	size_t ndefs;
	size_t defs_size;

	uint64_t *keys; /* of the current attribute and definition */
	size_t nkeys;
	size_t keys_size;
	const struct dit_class **classes; /* of the current list of classes */
	size_t nclasses;
	size_t classes_size;
	struct dit_class_keys class_keys;
};

/** Find out what applies to a description that was not met before. 0 or -ENOMEM */
int dit_index_work_learn(struct dit_index_work *work, const struct dit_ad *ad,
                         struct dit_ad_defs *ret);

/** How many attributes are to be looked at: none, if there is no index. */
static inline uint32_t dit_index_nattrs(const struct dit_index_work *work,
                                        const struct dit_entry *entry)
{
	return work->set->ndefs == 0 ? 0 : entry->nattrs;
}

/** The definitions that apply to a description. 0 or -ENOMEM */
static inline int dit_index_work_defs(struct dit_index_work *work,
                                      const struct dit_ad *ad, struct dit_ad_defs *ret)
{
	if (ad->ordinal < work->nads && work->ads[ad->ordinal].is_known) {
		*ret = work->ads[ad->ordinal];
		return 0;
	}
	return dit_index_work_learn(work, ad, ret);
}

#endif
