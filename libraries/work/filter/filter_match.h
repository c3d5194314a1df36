/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a stored entry match a filter? As slapd says it: a filter is true, false or
 * undefined.
 *
 *   and, or   as usual; undefined where no child decides
 *   not       undefined stays undefined
 *   items     false for an entry without the attribute
 *
 * Attributes that slapd makes up: entryDN has the entry's DN, subschemaSubentry is
 * present and equals nothing. All others that it makes up for searches are absent.
 *
 * Threads: any; the arena belongs to the caller.
 */
#ifndef DITKIT_FILTER_MATCH_H
#define DITKIT_FILTER_MATCH_H

#include "codec/entry_view.h"
#include "filter/value_match.h"
#include "values/filter.h"

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

#endif
