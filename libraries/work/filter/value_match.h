/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is a value what a filter asserts? Both are in the form that the rule compares.
 *
 * Threads: no state.
 */
#ifndef DITKIT_VALUE_MATCH_H
#define DITKIT_VALUE_MATCH_H

#include "schema/schema.h"
#include "values/filter.h"

typedef bool (*dit_value_match_fn)(struct dit_span value, struct dit_span asserted);

enum dit_truth {
	DIT_FALSE,
	DIT_TRUE,
	DIT_UNDEFINED,
};

/**
 * The matches of a rule that was asked for by name, or for the values in a DN:
 * an equality rule that they are equal, an ordering rule that the value is below, the
 * rules of DNs, of sounds and of bits what their names say. Bits of a number that is no
 * long are undefined.
 */
enum dit_truth dit_rule_matches(const struct dit_rule *rule, struct dit_span value,
                                struct dit_span asserted);

/** As an ordering rule sees them: negative, 0, positive. */
int dit_rule_compare(const struct dit_rule *ordering, struct dit_span value,
                     struct dit_span asserted);

/**
 * Do the words that are asserted sound like words of the value, in their order? Without
 * words nothing is asserted, and no value matches.
 */
bool dit_sounds_alike(struct dit_span value, struct dit_span asserted);

/** Pieces as in struct dit_filter. */
bool dit_has_pieces(struct dit_span value, const struct dit_span *pieces, uint32_t n);

#endif
