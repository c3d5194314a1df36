/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Syntaxes, matching rules and attribute types: resolve names, inherit, check, add
 * (values.md 3.3 and 3.5). The checks stand in slapd's order, so that a definition with
 * two mistakes gives slapd's message.
 */
#include "schema/schema_private.h"

#include <errno.h>

#include "base/error.h"

#define TYPE      "attributetype"
#define BAD_RULE  "AttributeType inappropriate matching rule"
#define BAD_USAGE "AttributeType inappropriate USAGE"
#define BAD_SUP   "AttributeType inappropriate SUPerior"

const struct dit_element_words dit_type_words = {TYPE, "attributeType",
                                                 "register_at: AttributeType"};

/* Syntaxes by OID, NULL-terminated; NULL: *ret_error says why. */
static const struct dit_syntax **resolve_syntaxes(struct dit_schema *schema,
                                                  dit_names oids, int *ret_error)
{
	size_t n = dit_names_count(oids);
	const struct dit_syntax **list =
		dit_arena_calloc(&schema->arena, n + 1, sizeof(*list));

	*ret_error = -ENOMEM;
	for (size_t i = 0; i < n && list != NULL; i++) {
		list[i] = dit_schema_find_syntax(schema, dit_span_of(oids[i]));
		if (list[i] == NULL) {
			*ret_error = DIT_E_UNKNOWN;
			return NULL;
		}
	}
	return list;
}

/* Let a rule apply to attributes of one more syntax. */
static int join_rule(struct dit_schema *schema, const char *rule,
                     const struct dit_syntax *syntax)
{
	struct dit_rule_entry *entry =
		dit_name_table_find(&schema->rules, dit_span_of(rule));
	const struct dit_syntax **list = NULL;
	size_t n = 0;

	if (entry == NULL) {
		return DIT_E_UNKNOWN;
	}
	while (entry->compatible[n] != NULL) {
		n++;
	}
	list = dit_arena_calloc(&schema->arena, n + 2, sizeof(*list));
	if (list == NULL) {
		return -ENOMEM;
	}
	memcpy(list, entry->compatible, n * sizeof(*list));
	list[n] = syntax;
	entry->compatible = list;
	return 0;
}

int dit_define_syntax(struct dit_schema *schema, const struct dit_syntax_def *def,
                      struct dit_schema_error *error)
{
	struct dit_syntax_entry *entry = NULL;
	struct dit_identity identity = {.names = (const char *const[]){NULL}};
	int r = 0;

	if (dit_schema_find_syntax(schema, dit_span_of(def->oid)) != NULL) {
		return dit_schema_fail(error, DIT_E_DUPLICATE, "ldapsyntax",
		                       "Duplicate ldapSyntax", def->oid);
	}
	entry = dit_arena_calloc(&schema->arena, 1, sizeof(*entry));
	if (entry == NULL) {
		return -ENOMEM;
	}
	entry->superiors = resolve_syntaxes(schema, def->superiors, &r);
	if (entry->superiors == NULL) {
		return r;
	}
	identity.oid = dit_arena_copy(&schema->arena, dit_span_of(def->oid)).data;
	if (identity.oid == NULL) {
		return -ENOMEM;
	}
	entry->syntax = (struct dit_syntax){
		.oid = identity.oid,
		.validator = def->validator,
		.flags = def->flags,
	};
	r = def->joins == NULL ? 0 : join_rule(schema, def->joins, &entry->syntax);
	return r ?: dit_identity_put(&schema->syntaxes, identity, entry);
}

/* Rules are hard-coded only; slapd has no directive for them. */
int dit_define_rule(struct dit_schema *schema, const struct dit_rule_def *def)
{
	struct dit_identity identity = {.oid = def->oid, .names = def->names};
	struct dit_rule_entry *entry = NULL;
	int r = 0;

	entry = dit_arena_calloc(&schema->arena, 1, sizeof(*entry));
	if (entry == NULL) {
		return -ENOMEM;
	}
	entry->compatible = resolve_syntaxes(schema, def->compatible, &r);
	if (entry->compatible == NULL) {
		return r;
	}
	entry->usage = def->usage;
	entry->rule = (struct dit_rule){
		.oid = def->oid, /* static, like the names */
		.name = def->names[0],
		.syntax = dit_schema_find_syntax(schema, dit_span_of(def->syntax)),
		.normalizer = def->normalizer,
		.indexer = def->indexer,
		.is_extensible = def->is_extensible,
		.is_unsupported = def->is_unsupported,
	};
	if (entry->rule.syntax == NULL) {
		return DIT_E_UNKNOWN;
	}
	if (def->approx != NULL) {
		entry->rule.approx =
			dit_schema_find_rule(schema, dit_span_of(def->approx));
		if (entry->rule.approx == NULL) {
			return DIT_E_UNKNOWN;
		}
	}
	return dit_identity_put(&schema->rules, identity, entry);
}

/* The name of the type in a message: its first NAME as given, or the OID. */
static const char *type_label(const struct dit_type_def *def)
{
	return def->names != NULL && def->names[0] != NULL ? def->names[0] : def->oid;
}

static int check_usage(const struct dit_type_def *def, struct dit_schema_error *error)
{
	bool is_user = def->usage == DIT_USAGE_USER;
	bool is_collective = (def->flags & DIT_TYPE_COLLECTIVE) != 0;

	if ((is_collective && (!is_user || (def->flags & DIT_TYPE_SINGLE) != 0)) ||
	    ((def->flags & DIT_TYPE_NO_USER_MOD) != 0 && is_user)) {
		return dit_schema_fail(error, DIT_E_INVALID, TYPE, BAD_USAGE,
		                       type_label(def));
	}
	return 0;
}

static int inherit(struct dit_schema *schema, const struct dit_type_def *def,
                   struct dit_attr_type *type, struct dit_schema_error *error)
{
	const struct dit_attr_type *sup = NULL;

	if (def->sup == NULL) {
		return 0;
	}
	sup = dit_schema_find_type(schema, dit_span_of(def->sup));
	if (sup == NULL) {
		return dit_schema_fail(error, DIT_E_UNKNOWN, TYPE,
		                       "AttributeType not found", def->sup);
	}
	if (sup->usage != def->usage) {
		return dit_schema_fail(error, DIT_E_INVALID, TYPE, BAD_USAGE,
		                       type_label(def));
	}
	if ((sup->flags & DIT_TYPE_OBSOLETE) != 0 &&
	    (def->flags & DIT_TYPE_OBSOLETE) == 0) {
		return dit_schema_fail(error, DIT_E_INVALID, TYPE, BAD_SUP,
		                       type_label(def));
	}
	type->sup = sup;
	type->syntax = sup->syntax;
	type->validator = sup->validator;
	type->equality = sup->equality;
	type->approx = sup->approx;
	type->ordering = sup->ordering;
	type->substr = sup->substr;
	return 0;
}

static int set_syntax(struct dit_schema *schema, const struct dit_type_def *def,
                      struct dit_attr_type *type, struct dit_schema_error *error)
{
	const struct dit_syntax_entry *inherited = (const void *)type->syntax;
	const struct dit_syntax *syntax = NULL;
	const char *oid = NULL;
	int r = 0;

	if (def->syntax == NULL) {
		return def->sup != NULL ? 0
		                        : dit_schema_fail(error, DIT_E_INVALID, TYPE,
		                                          "AttributeType SYNTAX or "
		                                          "SUPerior required",
		                                          type_label(def));
	}
	r = dit_schema_expand_oid(schema, def->syntax, &oid);
	if (r == DIT_E_UNKNOWN) {
		return dit_schema_fail(error, r, TYPE, "OID could not be expanded",
		                       def->syntax);
	}
	if (r < 0) {
		return r;
	}
	syntax = dit_schema_find_syntax(schema, dit_span_of(oid));
	if (syntax == NULL) {
		return dit_schema_fail(error, DIT_E_UNKNOWN, TYPE, "Syntax not found",
		                       oid);
	}
	/* A subtype may choose another syntax, but not a wider one. */
	if (inherited != NULL && DIT_IS_LISTED(syntax, inherited->superiors)) {
		return dit_schema_fail(error, DIT_E_INVALID, TYPE, BAD_SUP,
		                       type_label(def));
	}
	type->syntax = syntax;
	type->validator = syntax->validator;
	return 0;
}

/* May the rule be used with values of a syntax? @p rule  of the registry */
static bool takes(const struct dit_rule *rule, const struct dit_syntax *syntax)
{
	/* The rule is the first member of its entry. */
	const struct dit_rule_entry *entry = (const struct dit_rule_entry *)rule;

	return rule->syntax == syntax || DIT_IS_LISTED(syntax, entry->compatible);
}

bool dit_rule_suits(const struct dit_rule *rule, const struct dit_attr_type *type)
{
	const struct dit_rule_entry *entry = (const struct dit_rule_entry *)rule;
	const struct dit_syntax_entry *syntax = (const void *)type->syntax;

	return DIT_IS_LISTED(type->syntax, entry->compatible) ||
	       (rule->is_extensible &&
	        (rule->syntax == type->syntax || rule == type->equality ||
	         rule == type->approx || DIT_IS_LISTED(rule->syntax, syntax->superiors)));
}

/*
 * The rule that a clause names. Rules of order and of substrings need one of equality.
 * The syntax of a substring rule is that of assertions; what counts is the equality's.
 */
static int set_rule(struct dit_schema *schema, const char *name,
                    enum dit_rule_usage usage, struct dit_attr_type *type,
                    struct dit_schema_error *error)
{
	const struct dit_rule **const rules[] = {
		[DIT_RULE_EQUALITY] = &type->equality,
		[DIT_RULE_ORDERING] = &type->ordering,
		[DIT_RULE_SUBSTR] = &type->substr,
	};
	const struct dit_rule_entry *entry = NULL;

	if (name == NULL) {
		return 0;
	}
	if (usage != DIT_RULE_EQUALITY && type->equality == NULL) {
		return dit_schema_fail(error, DIT_E_INVALID, TYPE, BAD_RULE, name);
	}
	entry = dit_name_table_find(&schema->rules, dit_span_of(name));
	if (entry == NULL) {
		return dit_schema_fail(error, DIT_E_UNKNOWN, TYPE,
		                       "MatchingRule not found", name);
	}
	if (entry->usage != usage ||
	    !takes(usage == DIT_RULE_SUBSTR ? type->equality : &entry->rule,
	           type->syntax)) {
		return dit_schema_fail(error, DIT_E_INVALID, TYPE, BAD_RULE, name);
	}
	*rules[usage] = &entry->rule;
	if (usage == DIT_RULE_EQUALITY) {
		type->approx = entry->rule.approx;
	}
	return 0;
}

static int resolve_type(struct dit_schema *schema, const struct dit_type_def *def,
                        struct dit_attr_type *type, struct dit_schema_error *error)
{
	int r = inherit(schema, def, type, error);

	r = r < 0 ? r : set_syntax(schema, def, type, error);
	r = r < 0 ? r : set_rule(schema, def->equality, DIT_RULE_EQUALITY, type, error);
	r = r ?: set_rule(schema, def->ordering, DIT_RULE_ORDERING, type, error);
	r = r ?: set_rule(schema, def->substr, DIT_RULE_SUBSTR, type, error);
	if (r == 0 && def->validator != DIT_VALID_NONE) {
		type->validator = def->validator;
	}
	return r;
}

static int add_type(struct dit_schema *schema, struct dit_attr_type *type,
                    struct dit_identity identity, struct dit_schema_error *error)
{
	int r = dit_identity_check(&schema->types, identity, &dit_type_words, NULL,
	                           error);

	r = r ?: dit_identity_put(&schema->types, identity, type);
	if (r < 0) {
		return r;
	}
	type->ordinal = schema->ntypes++;
	type->ad = (struct dit_ad){
		.type = type,
		.name = dit_span_of(type->name),
		.name_sum = dit_sum128_seed(dit_span_of(type->name), 0),
		.ordinal =
			atomic_fetch_add_explicit(&schema->nads, 1, memory_order_relaxed),
	};
	return 0;
}

int dit_define_type(struct dit_schema *schema, const struct dit_type_def *def,
                    struct dit_schema_error *error)
{
	struct dit_attr_type *type = NULL;
	struct dit_identity identity;
	const char *bad_name = dit_names_invalid(def->names);
	int r = dit_identity_make(schema, TYPE, def->oid, def->names, error, &identity);

	if (r == 0 && bad_name != NULL) {
		r = dit_schema_fail(error, DIT_E_INVALID, TYPE, "Invalid NAME", bad_name);
	}
	r = r ?: check_usage(def, error);
	if (r < 0) {
		return r;
	}
	type = dit_arena_calloc(&schema->arena, 1, sizeof(*type));
	if (type == NULL) {
		return -ENOMEM;
	}
	type->oid = identity.oid;
	type->name = identity.name;
	type->names = identity.names;
	type->usage = def->usage;
	type->flags = def->flags;
	r = resolve_type(schema, def, type, error);
	return r < 0 ? r : add_type(schema, type, identity, error);
}
