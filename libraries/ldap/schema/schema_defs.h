/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions of schema elements before their names are resolved.
 *
 * The hard-coded set, the modules' sets and the descriptions of a configuration all come
 * in this form and go through the same functions (define_type.c, define_class.c). Lists
 * end with NULL; a NULL list is empty. Nothing here owns its strings.
 *
 * Threads: constant data.
 */
#ifndef DITKIT_SCHEMA_DEFS_H
#define DITKIT_SCHEMA_DEFS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/openldap.h"
#include "schema/schema.h"

typedef const char *const *dit_names; /* list of strings, NULL-terminated or NULL */

/** Which definition before a module's own one is no reason to refuse the module. */
enum dit_again {
	DIT_AGAIN_NEVER,
	DIT_AGAIN_ALIKE,   /* one with the same OID and names */
	DIT_AGAIN_BY_NAME, /* any with the first name */
};

/** Where a hard-coded definition comes from; the first member of all of them. */
struct dit_origin {
	const char *source; /* "core", "module:ppolicy" ... */
	struct dit_openldap_range releases;
	enum dit_again again;
};

struct dit_macro_def {
	struct dit_origin origin;
	const char *name;
	const char *oid;
};

struct dit_syntax_def {
	struct dit_origin origin;
	const char *oid;
	enum dit_validator validator;
	unsigned flags;      /* DIT_SYNTAX_... */
	dit_names superiors; /* wider syntaxes */
	const char *joins;   /* rule that accepts this syntax from now on, or NULL */
};

/** In which clause of an attribute type a matching rule may be named. */
enum dit_rule_usage {
	DIT_RULE_EQUALITY, /* approximate rules too: slapd lets them pass */
	DIT_RULE_ORDERING,
	DIT_RULE_SUBSTR,
	DIT_RULE_EXTENDED, /* in no clause */
};

struct dit_rule_def {
	struct dit_origin origin;
	const char *oid;
	dit_names names;
	const char *syntax;
	dit_names compatible; /* further syntaxes of attributes */
	const char *approx;   /* associated rule, or NULL */
	enum dit_rule_usage usage;
	bool is_extensible;
	bool is_unsupported;
	enum dit_normalizer normalizer;
	enum dit_indexer indexer;
};

struct dit_type_def {
	struct dit_origin origin;
	const char *oid;
	dit_names names;
	const char *sup; /* this and the next four: NULL if the clause is absent */
	const char *equality;
	const char *ordering;
	const char *substr;
	const char *syntax;
	enum dit_usage usage;
	unsigned flags;               /* DIT_TYPE_... */
	enum dit_validator validator; /* of its own; DIT_VALID_NONE: the syntax's */
};

struct dit_class_def {
	struct dit_origin origin;
	const char *oid;
	dit_names names;
	dit_names sups;
	enum dit_class_kind kind;
	dit_names must;
	dit_names may;
	unsigned oc_flags; /* DIT_OC_... */
	bool is_obsolete;
	enum dit_class_check check;
};

/** A kind of definitions. */
enum dit_builtin_kind {
	DIT_BUILTIN_MACROS,
	DIT_BUILTIN_SYNTAXES,
	DIT_BUILTIN_RULES,
	DIT_BUILTIN_TYPES,
	DIT_BUILTIN_CLASSES,
	DIT_BUILTIN_KINDS,
};

/**
 * All that slapd and its modules bring along, by kind, each in order of definition. Made
 * from builtin-schema.tsv by gen_builtin.awk.
 */
extern const struct dit_builtin_defs {
	const void *defs; /* struct dit_macro_def and so on */
	size_t ndefs;
	size_t def_bytes;
} dit_builtin_schema[DIT_BUILTIN_KINDS];

#endif
