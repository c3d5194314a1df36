/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of a filter's items, as the rules compare them. For filter.c.
 *
 * All functions return 0; DIT_E_INVALID or DIT_E_UNKNOWN: the item cannot be evaluated;
 * -ENOMEM.
 *
 * Threads: no state.
 */
#ifndef DITKIT_FILTER_ASSERT_H
#define DITKIT_FILTER_ASSERT_H

#include "values/value_scope.h"

/** By a rule alone. @param is_approx  letters lose their accents first */
int dit_filter_assert(const struct dit_value_scope *scope, const struct dit_rule *rule,
                      bool is_approx, struct dit_span *value);

/**
 * By a rule, for an attribute: class names and UUIDs have forms of their own. A UUID
 * stays text.
 *
 * @param rule  NULL: the attribute has none
 */
int dit_filter_assert_for(const struct dit_value_scope *scope,
                          const struct dit_attr_type *type, const struct dit_rule *rule,
                          bool is_approx, struct dit_span *value);

/**
 * A piece of a string. Where the attribute has no rule for pieces, the piece gets the
 * form of a whole value, if there is one, and the item cannot be evaluated.
 */
int dit_filter_assert_piece(const struct dit_value_scope *scope,
                            const struct dit_attr_type *type, bool is_first, bool is_last,
                            struct dit_span *piece);

#endif
