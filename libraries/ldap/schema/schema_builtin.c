/* SPDX-License-Identifier: BSD-2-Clause */
/* The hard-coded elements: from the generated tables into the registry. */
#include "schema/schema_private.h"

#include <errno.h>

#include "base/error.h"

/*
 * Elements of slapd proper come with the schema, those of a module when it is loaded;
 * none that the release does not have.
 */
static bool is_wanted(const struct dit_schema *schema, const struct dit_origin *origin,
                      const char *wanted)
{
	const char *module = origin->module;

	return dit_openldap_is_in(schema->openldap, origin->releases) &&
	       (wanted == NULL || module == NULL ? wanted == module
	                                         : strcmp(module, wanted) == 0);
}

/* A macro with another value stays as it is, if the module can do with it. */
static int define_macro(struct dit_schema *schema, const struct dit_macro_def *def,
                        struct dit_schema_error *error)
{
	int r = dit_schema_define_macro(schema, def->name, def->oid, error);

	return r == DIT_E_DUPLICATE && def->origin.again == DIT_AGAIN_BY_NAME ? 1 : r;
}

/*
 * A module may change the normaliser of a type's equality rule and the type's validator
 * (values.md 4.13), also of a type that was there before. The type gets a copy of the
 * rule, which belongs to others as well.
 */
static int define_type(struct dit_schema *schema, const struct dit_type_def *def,
                       struct dit_schema_error *error)
{
	int r = dit_define_type(schema, def, error);
	struct dit_attr_type *type = NULL;
	struct dit_rule *rule = NULL;

	if (r < 0 || def->normalizer == DIT_NORM_NONE) {
		return r;
	}
	type = dit_name_table_find(&schema->types, dit_span_of(def->names[0]));
	rule = dit_arena_alloc(&schema->arena, sizeof(*rule));
	if (rule == NULL) {
		return -ENOMEM;
	}
	*rule = *type->equality;
	rule->normalizer = def->normalizer;
	type->equality = rule;
	if (def->validator != DIT_VALID_NONE) {
		type->validator = def->validator;
	}
	return 0;
}

static int define(struct dit_schema *schema, enum dit_builtin_kind kind, const void *def,
                  struct dit_schema_error *error)
{
	const struct dit_rule_def *rule = def;

	switch (kind) {
	case DIT_BUILTIN_MACROS:
		return define_macro(schema, def, error);
	case DIT_BUILTIN_SYNTAXES:
		return dit_define_syntax(schema, def, error);
	case DIT_BUILTIN_RULES:
		return dit_schema_find_rule(schema, dit_span_of(rule->oid)) != NULL
		               ? 0
		               : dit_define_rule(schema, rule);
	case DIT_BUILTIN_TYPES:
		return define_type(schema, def, error);
	case DIT_BUILTIN_CLASSES:
		return dit_define_class(schema, def, NULL, error);
	case DIT_BUILTIN_KINDS:
		break;
	}
	return 0;
}

int dit_define_builtin(struct dit_schema *schema, const char *module,
                       struct dit_schema_error *error)
{
	int r = 0;

	for (unsigned kind = 0; kind < DIT_BUILTIN_KINDS; kind++) {
		const struct dit_builtin_defs *all = &dit_builtin_schema[kind];

		for (size_t i = 0; i < all->ndefs && r >= 0; i++) {
			const void *def = (const char *)all->defs + i * all->def_bytes;

			if (is_wanted(schema, def, module)) {
				r = define(schema, kind, def, error);
			}
		}
	}
	return r < 0 ? r : 0;
}
