/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Change records (RFC 2849) that add an entry: "control:" and "changetype:" lines after
 * the dn line. For the files of this room only.
 *
 *     dn: cn=a,dc=x
 *     control: 1.2.3.4 false
 *     changetype: add
 *     cn: a
 *
 * Threads: no state.
 */
#ifndef DITKIT_ENTRY_CHANGE_H
#define DITKIT_ENTRY_CHANGE_H

#include "entry/entry.h"
#include "ldif/ldif_parse.h"

/** Does line @p at look like one of them? Nearly no record has any. */
static inline bool dit_entry_may_be_change(const struct dit_ldif_line *lines,
                                           size_t nlines, size_t at)
{
	size_t len = at < nlines ? lines[at].name.len : 0;

	return len == sizeof("changetype") - 1 || len == sizeof("control") - 1;
}

/**
 * Take these lines, from line @p at on, out of the list. A name that is an attribute of
 * the schema is left alone.
 *
 * "changetype: add" says what happens anyway, other change types are refused. A control
 * that is not critical is ignored with a warning, as RFC 4511 section 4.1.11 has it for
 * controls that a server does not know. A critical one is refused, but for ManageDsaIT:
 * referrals are entries like any other here.
 *
 * @param dn  for the messages
 *
 * @return 0; DIT_E_INVALID: refused, and @p notes say why
 */
int dit_entry_take_change(const struct dit_entry_context *context, struct dit_span dn,
                          struct dit_ldif_line *lines, size_t *nlines, size_t at,
                          struct dit_notes *notes);

#endif
