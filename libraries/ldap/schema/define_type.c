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

static const struct dit_element_words words = {TYPE, "attributeType",
                                               "register_at: AttributeType"};

/* Syntaxes by OID, NULL-terminated. */
static int resolve_syntaxes(struct dit_schema *schema, dit_names oids,
                            const struct dit_syntax ***ret)
{
	size_t n = dit_names_count(oids);
	const struct dit_syntax **list =
		dit_arena_calloc(&schema->arena, n + 1, sizeof(*list));

	if (list == NULL) {
		return -ENOMEM;
	}
	*ret = list;
	for (size_t i = 0; i < n; i++) {
		list[i] = dit_schema_find_syntax(schema, dit_span_of(oids[i]));
		if (list[i] == NULL) {
			return DIT_E_UNKNOWN;
		}
	}
	return 0;
}

/* Let a rule apply to attributes of one more syntax. */
static int join_rule(struct dit_schema *schema, const char *name,
                     const struct dit_syntax *syntax)
{
	struct dit_rule *rule = dit_name_table_find(&schema->rules, dit_span_of(name));
	const struct dit_syntax **list = NULL;
	size_t n = 0;

	if (rule == NULL) {
		return DIT_E_UNKNOWN;
	}
	while (rule->compatible[n] != NULL) {
		n++;
	}
	list = dit_arena_calloc(&schema->arena, n + 2, sizeof(*list));
	if (list == NULL) {
		return -ENOMEM;
	}
	memcpy(list, rule->compatible, n * sizeof(*list));
	list[n] = syntax;
	rule->compatible = list;
	return 0;
}

int dit_define_syntax(struct dit_schema *schema, const struct dit_syntax_def *def,
                      struct dit_schema_error *error)
{
	struct dit_identity identity = {.names = (const char *const[]){NULL}};
	struct dit_syntax *syntax = NULL;
	int r = 0;

	if (dit_schema_find_syntax(schema, dit_span_of(def->oid)) != NULL) {
		if (!def->origin.is_built_in) {
			return dit_schema_fail(error, DIT_E_DUPLICATE, "ldapsyntax",
			                       "Duplicate ldapSyntax", def->oid);
		}
		dit_schema_say(error,
		               "Error in register_syntax: Duplicate ldapSyntax %s in "
		               "( %s )",
		               def->oid, def->oid);
		return DIT_E_DUPLICATE;
	}
	syntax = dit_arena_alloc(&schema->arena, sizeof(*syntax));
	identity.oid = dit_arena_copy(&schema->arena, dit_span_of(def->oid)).data;
	if (syntax == NULL || identity.oid == NULL) {
		return -ENOMEM;
	}
	*syntax = (struct dit_syntax){
		.oid = identity.oid,
		.validator = def->validator,
		.flags = def->flags,
	};
	r = resolve_syntaxes(schema, def->superiors, &syntax->superiors);
	if (r == 0 && def->joins != NULL) {
		r = join_rule(schema, def->joins, syntax);
	}
	return r ?: dit_identity_put(&schema->syntaxes, identity, syntax);
}

/* Rules are hard-coded only; slapd has no directive for them. */
int dit_define_rule(struct dit_schema *schema, const struct dit_rule_def *def)
{
	struct dit_identity identity = {.oid = def->oid, .names = def->names};
	struct dit_rule *rule = dit_arena_alloc(&schema->arena, sizeof(*rule));
	int r = 0;

	if (rule == NULL) {
		return -ENOMEM;
	}
	*rule = (struct dit_rule){
		.oid = def->oid, /* static, like the names */
		.name = def->names[0],
		.syntax = dit_schema_find_syntax(schema, dit_span_of(def->syntax)),
		.usage = def->usage,
		.normalizer = def->normalizer,
		.indexer = def->indexer,
		.is_extensible = def->is_extensible,
		.is_unsupported = def->is_unsupported,
	};
	r = resolve_syntaxes(schema, def->compatible, &rule->compatible);
	if (def->approx != NULL) {
		rule->approx = dit_schema_find_rule(schema, dit_span_of(def->approx));
	}
	if (rule->syntax == NULL || (def->approx != NULL && rule->approx == NULL)) {
		r = r ?: DIT_E_UNKNOWN;
	}
	return r ?: dit_identity_put(&schema->rules, identity, rule);
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
	if (type->syntax != NULL && DIT_IS_LISTED(syntax, type->syntax->superiors)) {
		return dit_schema_fail(error, DIT_E_INVALID, TYPE, BAD_SUP,
		                       type_label(def));
	}
	type->syntax = syntax;
	type->validator = syntax->validator;
	return 0;
}

/* May the rule be used with values of a syntax? */
static bool takes(const struct dit_rule *rule, const struct dit_syntax *syntax)
{
	return rule->syntax == syntax || DIT_IS_LISTED(syntax, rule->compatible);
}

bool dit_rule_suits(const struct dit_rule *rule, const struct dit_attr_type *type)
{
	return DIT_IS_LISTED(type->syntax, rule->compatible) ||
	       (rule->is_extensible &&
	        (rule->syntax == type->syntax || rule == type->equality ||
	         rule == type->approx ||
	         DIT_IS_LISTED(rule->syntax, type->syntax->superiors)));
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
	const struct dit_rule *rule = NULL;

	if (name == NULL) {
		return 0;
	}
	if (usage != DIT_RULE_EQUALITY && type->equality == NULL) {
		return dit_schema_fail(error, DIT_E_INVALID, TYPE, BAD_RULE, name);
	}
	rule = dit_schema_find_rule(schema, dit_span_of(name));
	if (rule == NULL) {
		return dit_schema_fail(error, DIT_E_UNKNOWN, TYPE,
		                       "MatchingRule not found", name);
	}
	if (rule->usage != usage ||
	    !takes(usage == DIT_RULE_SUBSTR ? type->equality : rule, type->syntax)) {
		return dit_schema_fail(error, DIT_E_INVALID, TYPE, BAD_RULE, name);
	}
	*rules[usage] = rule;
	if (usage == DIT_RULE_EQUALITY) {
		type->approx = rule->approx;
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
                    struct dit_identity identity)
{
	int r = dit_identity_put(&schema->types, identity, type);

	if (r < 0) {
		return r;
	}
	type->ordinal = schema->ntypes++;
	type->ad = (struct dit_ad){
		.type = type,
		.name = dit_span_of(type->name),
		.name_sum = dit_sum128_seed(dit_span_of(type->name), 0),
		.ordinal = schema->nads++,
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
	r = r
	            ?: dit_identity_check(&schema->types, identity, &words, &def->origin,
	                                  error);
	return r ?: add_type(schema, type, identity);
}
