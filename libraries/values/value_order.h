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
 * The order of a type's values: to be given normal forms where the type has them, values
 * as they are where not.
 *
 *   most rules, no rule, object classes, X-ORDERED   length, then bytes
 *   integerMatch, integerFirstComponentMatch         numbers
 *   booleanMatch                                     the longer first; contents do not count
 *   uniqueMemberMatch                                those with a UID first, by UID, then DN
 *
 * In numbers that are none, a leading '-' is the sign and every other byte a digit.
 */
dit_value_order_fn dit_value_order(const struct dit_attr_type *type);

#endif
