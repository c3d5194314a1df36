/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of an attribute's values.
 *
 * Threads: no state.
 */
#ifndef DITKIT_VALUE_SORT_H
#define DITKIT_VALUE_SORT_H

#include "entry/entry.h"
#include "values/value_order.h"

#define DIT_VALUES_UNIQUE UINT32_MAX

/**
 * Sort the values of one attribute, and find one that is there twice.
 *
 * @param values  sorted in place
 * @param origins  [out] n of them: where each value was before
 *
 * @return DIT_VALUES_UNIQUE; or the origin of a value that is equal to another
 *         one, of several the one that slapd names, and then the order is undefined
 */
uint32_t dit_values_sort(struct dit_span *values, uint32_t *origins, uint32_t n,
                         struct dit_value_order order);

/**
 * Sort an attribute by its equality rule, where its values stand: values and normal forms
 * move together.
 *
 * @param ret_twice  as dit_values_sort() returns it; other values than normal forms stay
 *                   where they are if it is not DIT_VALUES_UNIQUE
 *
 * @return 0 or -ENOMEM
 */
int dit_attr_sort(struct dit_attr *attr, struct dit_arena *arena, uint32_t *ret_twice);

/** Where a value with this key belongs: after all others, unless they are sorted. */
uint32_t dit_attr_position(const struct dit_attr *attr, struct dit_span key);

#endif
