/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters in authorization rules (RFC 4515, values.md 4.11). For authz_url.c.
 *
 * Threads: no state.
 */
#ifndef DITKIT_AUTHZ_FILTER_H
#define DITKIT_AUTHZ_FILTER_H

#include "values/authz_text.h"
#include "values/value_scope.h"

/**
 * Append the normal form of a filter.
 *
 * @param text  with its parentheses; those around a single item may be left out
 *
 * @return 0; DIT_E_INVALID: no filter; DIT_E_UNSUPPORTED: it nests deeper than the stack
 *         should; -ENOMEM
 */
int dit_authz_filter(const struct dit_value_scope *scope, struct dit_span text,
                     struct dit_text *out);

#endif
