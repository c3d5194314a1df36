/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whitespace as slapd's LDIF code knows it: isspace() of the C locale.
 *
 * Threads: no state.
 */
#ifndef DITKIT_LDIF_SPACE_H
#define DITKIT_LDIF_SPACE_H

#include "base/cut.h"

/** SP, TAB, LF, VT, FF, CR. */
static inline bool dit_ldif_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline struct dit_span dit_ldif_skip_space(struct dit_span span)
{
	while (span.len > 0 && dit_ldif_is_space(span.data[0])) {
		dit_cut(&span, 1);
	}
	return span;
}

#endif
