/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Search filters (RFC 4515), read against a schema as slapd reads them.
 *
 *   (&(cn=A*b)(!(foo=x)))     AND ── SUBSTRINGS cn, "a" "b"
 *                                 └─ NOT ── UNDEFINED
 *
 * Values are in the form that the rule compares. What cannot be evaluated is UNDEFINED:
 * the attribute is unknown, has no rule for that kind of item, or the rule refuses the
 * value.
 *
 * Threads: no state; a filter is constant.
 */
#ifndef DITKIT_FILTER_H
#define DITKIT_FILTER_H

#include "base/arena.h"
#include "base/notes.h"
#include "schema/schema.h"

enum dit_filter_kind {
	DIT_FILTER_AND, /* children; none: true */
	DIT_FILTER_OR,  /* children; none: false */
	DIT_FILTER_NOT, /* one child */
	DIT_FILTER_UNDEFINED,
	DIT_FILTER_PRESENT,
	DIT_FILTER_EQUAL,
	DIT_FILTER_APPROX,
	DIT_FILTER_GREATER, /* or equal */
	DIT_FILTER_LESS,    /* or equal */
	DIT_FILTER_SUBSTRINGS,
	DIT_FILTER_EXTENSIBLE,
};

struct dit_filter {
	enum dit_filter_kind kind;
	struct dit_filter *first; /* child */
	struct dit_filter *next;  /* of the same parent */

	const struct dit_ad *ad; /* NULL: DIT_FILTER_EXTENSIBLE of all attributes */
	struct dit_span value;
	/* Substrings; the first and the last one are bound to the ends. */
	struct dit_span *pieces;
	uint32_t npieces; /* at least 2 */
	/* Extensible. */
	const struct dit_rule *rule;
	bool has_rule; /* by name; else it is the type's */
	bool has_dn;   /* the values in the DN count as well */
};

/**
 * @param text   with its parentheses; those around a single item may be left out
 * @param notes  gets slapd's remarks about unknown attributes; NULL: not wanted
 * @param ret    in the arena, as is all that it points to
 *
 * @return 0; DIT_E_INVALID: no filter; DIT_E_UNSUPPORTED: it nests too deeply; -ENOMEM
 */
int dit_filter_read(const struct dit_schema *schema, struct dit_span text,
                    struct dit_arena *arena, struct dit_notes *notes,
                    struct dit_filter **ret);

#endif
