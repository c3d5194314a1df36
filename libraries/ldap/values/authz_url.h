/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LDAP URLs in authorization rules (values.md 4.11). Part of value_authz.c.
 *
 * Threads: no state.
 */
#ifndef DITKIT_AUTHZ_URL_H
#define DITKIT_AUTHZ_URL_H

#include "values/value_scope.h"

/** @return 0; DIT_E_INVALID; DIT_E_UNSUPPORTED: the filter nests too deeply; -ENOMEM */
int dit_authz_url(const struct dit_value_scope *scope, enum dit_dn_form form,
                  struct dit_span text, struct dit_span *ret);

#endif
