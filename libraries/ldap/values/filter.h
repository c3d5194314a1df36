/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Search filters (RFC 4515), read against a schema as slapd reads them.
 *
 *   (&(cn=A*b)(!(foo=x)))     AND ── SUBSTRINGS cn, "a" "b"
 *                                 └─ NOT ── UNDEFINED
 *
 * Values are in the form that the rule compares. An item is UNDEFINED if it cannot be
 * evaluated: the attribute is unknown, has no rule for that kind of item, or the rule
 * refuses the value.
 *
 * Threads: no state; a filter is constant.
 */
#ifndef DITKIT_FILTER_H
#define DITKIT_FILTER_H

#include "base/arena.h"
#include "base/notes.h"
#include "schema/schema.h"
#include "values/value_scope.h"

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

	/* dit_filter_put() shows these of every item, UNDEFINED or not. */
	enum dit_filter_kind written; /* the kind of item that it would be */
	bool is_defined;              /* false: marked with a '?' */
	bool is_unknown;              /* no such attribute; ad is NULL */
	bool is_error;                /* the negation of an undefined extensible item */
	struct dit_span attr;         /* as typed */
	struct dit_span rule_name;    /* likewise */
	struct dit_span shown;        /* the value; of a UUID the text */
};

/**
 * Read a filter.
 *
 * @param text  with its parentheses; those around a single item may be left out. The
 *              filter points into it
 * @param ret   in the arena of the scope, as is all else that it points to
 *
 * @return 0; DIT_E_INVALID: no filter; DIT_E_UNSUPPORTED: it nests too deeply; -ENOMEM
 */
int dit_filter_parse(const struct dit_value_scope *scope, struct dit_span text,
                     struct dit_filter **ret);

/** Append the normal form (values.md 4.11). Without memory, @p out remembers it. */
void dit_filter_put(const struct dit_filter *filter, struct dit_text *out);

/**
 * Read the filter of a search. Returns what dit_filter_parse() does.
 *
 * @param notes  gets slapd's remarks about unknown attributes; NULL: not wanted
 * @param ret    in the arena; as above
 */
int dit_filter_read(const struct dit_schema *schema, struct dit_span text,
                    struct dit_arena *arena, struct dit_notes *notes,
                    struct dit_filter **ret);

#endif
