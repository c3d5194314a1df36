/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorting the values of one attribute, and finding one that is there twice; for the files
 * of this room only.
 *
 * Threads: no state.
 */
#ifndef DITKIT_VALUE_SORT_H
#define DITKIT_VALUE_SORT_H

#include "values/value_order.h"

#define DIT_VALUES_UNIQUE UINT32_MAX

/**
 * @param values  sorted in place
 * @param places  [out] n of them: where each value was before
 *
 * @return DIT_VALUES_UNIQUE; or the earlier place of a value that is equal to another
 *         one, of several the one that slapd names, and then the order is undefined
 */
uint32_t dit_values_sort(struct dit_span *values, uint32_t *places, uint32_t n,
                         struct dit_value_order order);

#endif
