/* SPDX-License-Identifier: BSD-2-Clause */
/* The hard-coded elements: from the generated tables into the registry. */
#include "schema/schema_private.h"

#include <errno.h>

/*
 * Elements of slapd proper come with the schema, those of a module when it is loaded;
 * none that the release does not have.
 */
static bool is_wanted(const struct dit_schema *schema, const char *source,
                      struct dit_openldap_range releases, const char *wanted)
{
	if (!dit_openldap_is_in(schema->openldap, releases)) {
		return false;
	}
	if (wanted == NULL) {
		return strncmp(source, "module:", strlen("module:")) != 0;
	}
	return strcmp(source, wanted) == 0;
}

/*
 * An OID that is known already is left alone: memberof and dynlist both bring memberOf,
 * and a module may be loaded twice.
 */
static bool is_known(const struct dit_name_table *table, const char *oid)
{
	return dit_name_table_find(table, dit_span_of(oid)) != NULL;
}

static int define_macros(struct dit_schema *schema, const char *source)
{
	const struct dit_builtin_schema *all = &dit_builtin_schema;
	int r = 0;

	for (size_t i = 0; i < all->nmacros && r >= 0; i++) {
		if (is_wanted(schema, all->macros[i].source, all->macros[i].releases,
		              source)) {
			r = dit_schema_define_macro(schema, all->macros[i].name,
			                            all->macros[i].oid, NULL);
		}
	}
	return r;
}

static int define_syntaxes(struct dit_schema *schema, const char *source)
{
	const struct dit_builtin_schema *all = &dit_builtin_schema;
	int r = 0;

	for (size_t i = 0; i < all->nsyntaxes && r >= 0; i++) {
		if (is_wanted(schema, all->syntaxes[i].source, all->syntaxes[i].releases,
		              source) &&
		    !is_known(&schema->syntaxes, all->syntaxes[i].oid)) {
			r = dit_define_syntax(schema, &all->syntaxes[i], NULL);
		}
	}
	return r;
}

static int define_rules(struct dit_schema *schema, const char *source)
{
	const struct dit_builtin_schema *all = &dit_builtin_schema;
	int r = 0;

	for (size_t i = 0; i < all->nrules && r >= 0; i++) {
		if (is_wanted(schema, all->rules[i].source, all->rules[i].releases,
		              source) &&
		    !is_known(&schema->rules, all->rules[i].oid)) {
			r = dit_define_rule(schema, &all->rules[i]);
		}
	}
	return r;
}

static int define_types(struct dit_schema *schema, const char *source)
{
	const struct dit_builtin_schema *all = &dit_builtin_schema;
	int r = 0;

	for (size_t i = 0; i < all->ntypes && r >= 0; i++) {
		if (is_wanted(schema, all->types[i].source, all->types[i].releases,
		              source) &&
		    !is_known(&schema->types, all->types[i].oid)) {
			r = dit_define_type(schema, &all->types[i], NULL);
		}
	}
	return r;
}

/*
 * Attribute types for which a module changes the normaliser of their equality rule when
 * it is loaded (values.md 4.13). The overlay ppolicy also takes the type's validator
 * away: then no DN may have such a value, and the value check is content with what could
 * be normalised.
 */
static const struct {
	const char *source;
	const char *type;
	enum dit_normalizer normalizer;
	enum dit_validator validator; /* DIT_VALID_NONE: the syntax's stays */
} own_normalizers[] = {
	{"module:accesslog", "reqStart", DIT_NORM_UTC_TIME, DIT_VALID_NONE},
	{"module:accesslog", "reqEnd", DIT_NORM_UTC_TIME, DIT_VALID_NONE},
	{"module:ppolicy", "pwdAttribute", DIT_NORM_TYPE_OID, DIT_VALID_REJECT_ALL},
};

/* They get a copy of the rule: the rule itself belongs to others as well. */
static int change_normalizers(struct dit_schema *schema, const char *source)
{
	for (size_t i = 0; i < sizeof(own_normalizers) / sizeof(own_normalizers[0]);
	     i++) {
		struct dit_attr_type *type = NULL;
		struct dit_rule_entry *entry = NULL;

		if (source == NULL || strcmp(own_normalizers[i].source, source) != 0) {
			continue;
		}
		type = dit_name_table_find(&schema->types,
		                           dit_span_of(own_normalizers[i].type));
		entry = dit_arena_alloc(&schema->arena, sizeof(*entry));
		if (entry == NULL) {
			return -ENOMEM;
		}
		*entry = *(const struct dit_rule_entry *)(const void *)type->equality;
		entry->rule.normalizer = own_normalizers[i].normalizer;
		type->equality = &entry->rule;
		if (own_normalizers[i].validator != DIT_VALID_NONE) {
			type->validator = own_normalizers[i].validator;
		}
	}
	return 0;
}

static int define_classes(struct dit_schema *schema, const char *source)
{
	const struct dit_builtin_schema *all = &dit_builtin_schema;
	int r = 0;

	for (size_t i = 0; i < all->nclasses && r >= 0; i++) {
		if (is_wanted(schema, all->classes[i].source, all->classes[i].releases,
		              source) &&
		    !is_known(&schema->classes, all->classes[i].oid)) {
			r = dit_define_class(schema, &all->classes[i], NULL, NULL);
		}
	}
	return r;
}

int dit_define_builtin(struct dit_schema *schema, const char *source)
{
	int (*const steps[])(struct dit_schema *, const char *) = {
		define_macros, define_syntaxes,    define_rules,
		define_types,  change_normalizers, define_classes,
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && r >= 0; i++) {
		r = steps[i](schema, source);
	}
	return r < 0 ? r : 0;
}
