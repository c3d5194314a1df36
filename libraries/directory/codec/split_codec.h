/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values that are stored apart from their entry, in id2v (storage.md 4.6): those of an
 * attribute that has more of them than "multival" allows.
 *
 *   key     8  ID of the entry             (host byte order, like all numbers here)
 *           2  number of the attribute description
 *   value   n  normal form, or the value itself if the attribute has none
 *           1  NUL
 *           m  the value, and a NUL after it; left out without normal forms
 *           2  m; 0 without normal forms
 *
 * Keys ascend by ID, then by number; the values of a key in the order of the equality
 * rule (value_order.h). Example, the values "zeta", "Alpha", "gamma  two" of description,
 * number 12, in entry 2:
 *
 *   0200000000000000 0c00   "zeta" 00 "zeta" 00 0400
 *   0200000000000000 0c00   "alpha" 00 "Alpha" 00 0500
 *   0200000000000000 0c00   "gamma two" 00 "gamma  two" 00 0a00
 *
 * Equal values: the last one given is kept, while the entry counts all of them. slapadd
 * does the same, but where the values differ in length it stores a length that fits
 * neither, and slapd then reads bytes after the value. Here the length fits the value
 * that is kept. Empty values with a normal form are all kept.
 */
#ifndef DITKIT_SPLIT_CODEC_H
#define DITKIT_SPLIT_CODEC_H

#include "base/arena.h"
#include "entry/entry.h"

/** Longest value in LMDB 0.9 of a key that may have several. */
#define DIT_SPLIT_RECORD_MAX 511

struct dit_split_key {
	char bytes[sizeof(uint64_t) + sizeof(uint16_t)];
};

/** @return the bytes of @p key, which is filled */
struct dit_span dit_split_key_make(struct dit_split_key *key, uint64_t id, uint16_t ad);
/** The order of two keys. Below, equal, above: negative, 0, positive. */
int dit_split_key_compare(struct dit_span a, struct dit_span b);

/** Thresholds of "multival" for one database. [const] */
struct dit_split_rules {
	const uint32_t *limits; /* by ordinal of the description; borrowed */
	uint32_t nlimits;
	uint32_t limit; /* of all others */
	/* Fewer values are not stored apart any more: as the three above. NULL: those
	 * over the limit alone are */
	const uint32_t *least;
	uint32_t least_of_others;
	size_t record_max; /* bytes that a record may have */
};

/** Does an attribute with these values go to id2v, or stay there? */
static inline bool dit_split_applies(const struct dit_split_rules *rules,
                                     const struct dit_attr *attr)
{
	bool is_other = rules == NULL || attr->ad->ordinal >= rules->nlimits;

	return rules != NULL &&
	       (attr->nvalues >
	                (is_other ? rules->limit : rules->limits[attr->ad->ordinal]) ||
	        (attr->is_split && rules->least != NULL &&
	         attr->nvalues >= (is_other ? rules->least_of_others
	                                    : rules->least[attr->ad->ordinal])));
}

/** Can the values be stored where the rules put them? */
bool dit_split_fits(const struct dit_split_rules *rules, const struct dit_attr *attr);

/** Records of one description. */
struct dit_split {
	const struct dit_ad *ad;
	struct dit_span *records; /* in stored order; in the arena */
	uint32_t nrecords;
};

struct dit_splits {
	struct dit_split *list; /* in the arena; NULL: none */
	uint32_t n;
	bool is_too_long; /* a record is longer than record_max */
};

/**
 * Blocks of one description (before 2.6.11: with -q, lines that are not together; lines
 * of two names) that would share a key become one, in the place of the first. slapadd
 * stores several, of which slapd finds some values twice and others never.
 *
 * @return 0 or -ENOMEM
 */
int dit_split_join(struct dit_entry *entry, const struct dit_split_rules *rules,
                   struct dit_arena *arena);

/** Records of all attributes that the rules apply to. @return 0 or -ENOMEM */
int dit_split_encode(const struct dit_entry *entry, const struct dit_split_rules *rules,
                     struct dit_arena *arena, struct dit_splits *ret);

/**
 * The value in a record of id2v. Both forms point into the record.
 *
 * @param has_normal  as the entry says of the attribute
 * @param ret_normal  written only with @p has_normal
 *
 * @return 0; DIT_E_CORRUPT
 */
int dit_split_decode(struct dit_span record, bool has_normal, struct dit_span *ret_value,
                     struct dit_span *ret_normal);

#endif
