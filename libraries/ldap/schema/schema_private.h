/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the schema registry; for the files of this room only. */
#ifndef DITKIT_SCHEMA_PRIVATE_H
#define DITKIT_SCHEMA_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/words.h"
#include "schema/schema.h"

/*
 * Definitions before their names are resolved. The hard-coded set, the modules' sets and
 * the descriptions of a configuration all come in this form. Lists end with NULL; a NULL
 * list is empty. Nothing here owns its strings.
 */

typedef const char *const *dit_names; /* list of strings, NULL-terminated or NULL */

/** Which definition before a module's own one is no reason to refuse the module. */
enum dit_again {
	DIT_AGAIN_NEVER,
	DIT_AGAIN_ALIKE,   /* one with the same OID and names */
	DIT_AGAIN_BY_NAME, /* any with the first name */
};

/** Where a definition comes from; the first member of all of them. */
struct dit_origin {
	bool is_built_in;   /* false: from the configuration */
	const char *module; /* "ppolicy"; NULL: of slapd itself */
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
	unsigned flags;                 /* DIT_TYPE_... */
	enum dit_validator validator;   /* of its own; DIT_VALID_NONE: the syntax's */
	enum dit_normalizer normalizer; /* likewise; DIT_NORM_NONE: the rule's */
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

/*
 * Names to elements; ASCII letters compare without case. Reserving first keeps an element
 * with several names all or nothing: once the room is there, putting cannot fail. Zero is
 * empty. Entries are never removed. Look-ups may run together while no thread adds.
 */

struct dit_name_slot {
	struct dit_span name; /* borrowed; NULL data: free slot */
	uint32_t hash;
	void *value;
};

struct dit_name_table {
	struct dit_name_slot *slots;
	size_t nslots; /* 0 or a power of two */
	size_t nused;
};

void dit_name_table_deinit(struct dit_name_table *table);

/** Make room for @p n more names. @return 0, -ENOMEM */
int dit_name_table_reserve(struct dit_name_table *table, size_t n);

/** Add a name that is not there yet; @p name must live as long as the table. */
void dit_name_table_put(struct dit_name_table *table, struct dit_span name, void *value);

/** @return what was put under the name, or NULL */
void *dit_name_table_find(const struct dit_name_table *table, struct dit_span name);

struct ldap_contentrule; /* of libldap */

struct dit_macro {
	const struct dit_macro *next;
	const char *name; /* case counts */
	const char *oid;
};

struct dit_schema {
	/* [const] after dit_schema_freeze() */
	bool is_frozen;
	enum dit_openldap_version openldap; /* whose hard-coded elements */
	struct dit_arena arena;             /* all elements and their strings */
	struct dit_name_table syntaxes;
	struct dit_name_table rules;
	struct dit_name_table types;
	struct dit_name_table classes;
	struct dit_name_table content_rules; /* by NAME */
	const struct dit_macro *macros;
	const struct dit_word *loaded; /* modules */
	/* Tagging options; one that ends in '-' or '=' is a prefix. */
	const struct dit_word *options;
	bool has_default_options; /* still the "lang-" of a default */
	bool has_equals_option;   /* '=' may occur in descriptions */
	uint32_t ntypes;
	uint32_t nclasses;

	/* [lock: lock] descriptions with options, by canonical name */
	pthread_mutex_t lock;
	struct dit_arena ads_arena;
	struct dit_name_table ads;
	uint32_t nads; /* those without options included: the next ordinal */
};

/* Resolve and add one element. @p error may be NULL. On failure nothing was added, and
 * nothing by types and classes that return 1, as dit_identity_check() has it. */
int dit_define_syntax(struct dit_schema *schema, const struct dit_syntax_def *def,
                      struct dit_schema_error *error);
int dit_define_rule(struct dit_schema *schema, const struct dit_rule_def *def);
int dit_define_type(struct dit_schema *schema, const struct dit_type_def *def,
                    struct dit_schema_error *error);

/**
 * @param text  the description, culprit of some messages; NULL for a hard-coded class,
 *              which may list operational attributes
 */
int dit_define_class(struct dit_schema *schema, const struct dit_class_def *def,
                     const char *text, struct dit_schema_error *error);
int dit_define_content_rule(struct dit_schema *schema, const struct ldap_contentrule *cr,
                            const char *text, struct dit_schema_error *error);

/* element_names.c */

/** A list of libldap, which hands out char **; nothing here writes to it. */
static inline dit_names dit_names_of(char **names)
{
	return (dit_names)names;
}

/** The names of an element: what dit_attr_type and dit_class begin with. */
struct dit_identity {
	const char *oid;
	const char *name; /* the first NAME, or the OID */
	dit_names names;  /* not NULL */
};

/** slapd's words for a kind of elements, in its messages. */
struct dit_element_words {
	const char *keyword; /* "attributetype" */
	const char *kind;    /* "attributeType" */
	const char *call;    /* where an element of a module is added */
};

/** @return the number of names */
size_t dit_names_count(dit_names names);

/** @return the first NAME that no element may carry, or NULL */
const char *dit_names_invalid(dit_names names);

/**
 * The OID, expanded, and the names of a new element, all in the schema's arena.
 *
 * @param names  NULL: an empty list
 *
 * @return 0; DIT_E_UNKNOWN: an OID macro is not defined, and @p error says so; -ENOMEM
 */
int dit_identity_make(struct dit_schema *schema, const char *keyword, const char *oid,
                      dit_names names, struct dit_schema_error *error,
                      struct dit_identity *ret);

/**
 * May an element of this identity be added to @p table? (slapd's rules of duplicates) A
 * configuration often defines what a module brings: that is the state after a move from a
 * release in which a schema file did it.
 *
 * @param origin  of its definition
 *
 * @return 0; 1: leave it out; DIT_E_DUPLICATE: @p error says why
 */
int dit_identity_check(const struct dit_name_table *table, struct dit_identity identity,
                       const struct dit_element_words *words,
                       const struct dit_origin *origin, struct dit_schema_error *error);

/** Enter OID (unless NULL) and NAMEs; all or nothing. @return 0, -ENOMEM */
int dit_identity_put(struct dit_name_table *table, struct dit_identity identity,
                     void *element);

/**
 * Add every hard-coded element of a module; NULL: of slapd itself. Returns what
 * dit_schema_load_module() does.
 */
int dit_define_builtin(struct dit_schema *schema, const char *module,
                       struct dit_schema_error *error);

/**
 * Numeric OID of "1.2.3", "macro" or "macro:suffix".
 *
 * @return 0; DIT_E_UNKNOWN; -ENOMEM. @p ret lives in the schema's arena or is @p text
 */
int dit_schema_expand_oid(struct dit_schema *schema, const char *text, const char **ret);

/** Write the message, cut where slapd would. A NULL @p error is fine. */
void dit_schema_say(struct dit_schema_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Say "KEYWORD: WHAT: "CULPRIT"". @return @p code */
static inline int dit_schema_fail(struct dit_schema_error *error, int code,
                                  const char *keyword, const char *what,
                                  const char *culprit)
{
	dit_schema_say(error, "%s: %s: \"%s\"", keyword, what, culprit);
	return code;
}

static inline bool dit_type_is_operational(const struct dit_attr_type *type)
{
	return type->usage != DIT_USAGE_USER;
}

#endif
