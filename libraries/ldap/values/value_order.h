/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order that an equality rule gives the values of an attribute: values under sortvals
 * (values.md 2.5) and values apart from their entry (storage.md 4.6) lie in it, and equal
 * neighbours are duplicates.
 *
 * Threads: no state.
 */
#ifndef DITKIT_VALUE_ORDER_H
#define DITKIT_VALUE_ORDER_H

#include "schema/schema.h"

/** Below, equal, above: negative, 0, positive. */
typedef int (*dit_value_order_fn)(struct dit_span a, struct dit_span b);

/**
 * The function that orders the values of a type. The caller passes normal forms if the
 * type has them, else the values themselves.
 *
 *   most rules, no rule, object classes, X-ORDERED   by length, then by bytes
 *   integerMatch, integerFirstComponentMatch         by number
 *   booleanMatch                                     the longer first; contents: equal
 *   uniqueMemberMatch                                with UID first; by UID, then by DN
 *
 * Text that is no number is read as one: a leading '-' is the sign, every other byte a
 * digit.
 */
dit_value_order_fn dit_value_order(const struct dit_attr_type *type);

/** The same for the values that an equality rule has made. */
dit_value_order_fn dit_rule_order(const struct dit_rule *rule);

/** For uniqueMemberMatch in an approximate item: a UID counts where both have one. */
bool dit_name_uid_alike(struct dit_span a, struct dit_span b);

/**
 * The order in which the schema check and the value check compare the values of a type.
 * It differs from dit_value_order() for X-ORDERED types alone: their prefix "{n}"
 * is told from the rest. The first argument is a value, the second one is asserted
 * of it:
 *
 *   value     asserted   are compared
 *   {10}b     {2}b       10 and 2, as text; if these are equal, what follows them
 *   {3}b      {3}        the prefixes alone: equal
 *   {3}b      b          b and b, by the rule
 *   b         {3}b       b and b, by the rule
 *
 * So "{3}b" equals "b", which equals "{4}b", which does not equal "{3}b".
 */
struct dit_value_order {
	dit_value_order_fn by_value;
	bool has_prefixes; /* false: by_value alone */
};

struct dit_value_order dit_value_match_order(const struct dit_attr_type *type);

int dit_value_compare(struct dit_value_order order, struct dit_span value,
                      struct dit_span asserted);

/**
 * The first two lines of that table: do the prefixes decide?
 *
 * @param value     @p asserted  afterwards without their prefixes
 * @param ret       the order of the prefixes, if they decide
 */
bool dit_prefixes_decide(struct dit_span *value, struct dit_span *asserted, int *ret);

/**
 * Does slapd take two values of a type, in their normal forms, for equal? Values of
 * objectClass match any class above them (RFC 4512 section 2.4.1).
 *
 * @param value  of the entry; @p asserted what is looked for
 */
bool dit_values_equal(const struct dit_schema *schema, const struct dit_attr_type *type,
                      struct dit_span value, struct dit_span asserted);

#endif
