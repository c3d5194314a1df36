/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a stored entry match a filter? As slapd says it: a filter is true, false or
 * undefined.
 *
 *   and, or   as usual; undefined where no child decides
 *   not       undefined stays undefined
 *   items     false for an entry without the attribute; undefined where a class that the
 *             schema lacks comes before one that matches. Where values are sorted
 *             (sortvals), >= looks at the last alone, and <= at the first: their order
 *             is that of the equality rule, by length for most, so others may match and
 *             are passed over. In sorted classes = seeks as slapd does, which misses
 *             some of them
 *
 * Attributes that slapd makes up: entryDN has the entry's DN, subschemaSubentry is
 * present and equals nothing. All others that it makes up for searches are absent.
 *
 * Threads: any; the arena belongs to the caller.
 */
#ifndef DITKIT_FILTER_MATCH_H
#define DITKIT_FILTER_MATCH_H

#include "base/arena.h"
#include "codec/entry_view.h"
#include "schema/schema.h"
#include "values/filter.h"

enum dit_truth {
	DIT_FALSE,
	DIT_TRUE,
	DIT_UNDEFINED,
};

/** Is it the wanted description, a subtype of it, or one with more options? */
bool dit_ad_is_below(const struct dit_ad *ad, const struct dit_ad *wanted);

/**
 * @param schema  of the filter and of the entry's descriptions
 * @param arena   for values whose other normal form is needed
 *
 * @return enum dit_truth; -ENOMEM
 */
int dit_filter_match(const struct dit_schema *schema, const struct dit_filter *filter,
                     const struct dit_entry_view *entry, struct dit_arena *arena);

/**
 * The matches of a rule that was asked for by name, or for the values in a DN: an
 * equality rule that they are equal, an ordering rule that the value is below, the rules
 * of DNs, of sounds and of bits what their names say. Bits of a number that is no long
 * are undefined. Both values are in the form that the rule compares.
 */
enum dit_truth dit_rule_matches(const struct dit_rule *rule, struct dit_span value,
                                struct dit_span asserted);

#endif
