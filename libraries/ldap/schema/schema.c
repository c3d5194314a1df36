/* SPDX-License-Identifier: BSD-2-Clause */
/* The registry: owns all elements, finds them by name. */
#include "schema/schema.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/object.h"
#include "schema/schema_private.h"

#define ARENA_BLOCK (64 * 1024) /* the hard-coded set takes about 150 KiB */

/* slapd composes these messages in a buffer of this size and cuts what is longer. */
#define ERROR_BYTES 256

int dit_schema_new(struct dit_schema **ret, enum dit_openldap_version openldap)
{
	struct dit_schema *schema = calloc(1, sizeof(*schema));
	int r = 0;

	if (schema == NULL) {
		return -ENOMEM;
	}
	schema->openldap = openldap;
	schema->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	dit_arena_init(&schema->arena, ARENA_BLOCK);
	dit_arena_init(&schema->ads_arena, ARENA_BLOCK);

	r = dit_schema_define_option(schema, "lang-", NULL);
	if (r == 0) {
		schema->has_default_options = true;
		r = dit_define_builtin(schema, NULL, NULL);
	}
	return DIT_HAND_OVER(r, ret, schema, dit_schema_free);
}

void dit_schema_free(struct dit_schema *schema)
{
	if (schema == NULL) {
		return;
	}
	dit_name_table_deinit(&schema->syntaxes);
	dit_name_table_deinit(&schema->rules);
	dit_name_table_deinit(&schema->types);
	dit_name_table_deinit(&schema->classes);
	dit_name_table_deinit(&schema->content_rules);
	dit_name_table_deinit(&schema->ads);
	dit_arena_deinit(&schema->arena);
	dit_arena_deinit(&schema->ads_arena);
	(void)pthread_mutex_destroy(&schema->lock);
	free(schema);
}

void dit_schema_freeze(struct dit_schema *schema)
{
	schema->is_frozen = true;
}

void dit_schema_say(struct dit_schema_error *error, const char *format, ...)
{
	va_list args;

	if (error == NULL) {
		return;
	}
	va_start(args, format);
	(void)vsnprintf(error->text, ERROR_BYTES, format, args);
	va_end(args);
	error->detail[0] = '\0';
}

const struct dit_attr_type *dit_schema_find_type(const struct dit_schema *schema,
                                                 struct dit_span name)
{
	return dit_name_table_find(&schema->types, name);
}

const struct dit_class *dit_schema_find_class(const struct dit_schema *schema,
                                              struct dit_span name)
{
	return dit_name_table_find(&schema->classes, name);
}

const struct dit_rule *dit_schema_find_rule(const struct dit_schema *schema,
                                            struct dit_span name)
{
	return dit_name_table_find(&schema->rules, name);
}

const struct dit_syntax *dit_schema_find_syntax(const struct dit_schema *schema,
                                                struct dit_span oid)
{
	return dit_name_table_find(&schema->syntaxes, oid);
}

size_t dit_schema_ntypes(const struct dit_schema *schema)
{
	return schema->ntypes;
}

bool dit_type_is_a(const struct dit_attr_type *type, const struct dit_attr_type *ancestor)
{
	while (type != NULL && type != ancestor) {
		type = type->sup;
	}
	return type != NULL;
}

bool dit_class_is_a(const struct dit_class *oc, const struct dit_class *ancestor)
{
	uint32_t i = ancestor->ordinal;

	return i <= oc->ordinal && (oc->lineage[i / 64] >> i % 64 & 1) != 0;
}

bool dit_schema_has_module(const struct dit_schema *schema, const char *module)
{
	return dit_words_have(schema->loaded, dit_span_of(module), dit_span_eq);
}

int dit_schema_load_module(struct dit_schema *schema, const char *module,
                           struct dit_schema_error *error)
{
	int r = 0;

	assert(!schema->is_frozen);
	if (dit_schema_has_module(schema, module)) {
		return 0;
	}
	r = dit_words_add(&schema->loaded, dit_span_of(module), &schema->arena);
	return r ?: dit_define_builtin(schema, module, error);
}

static const struct dit_macro *find_macro(const struct dit_schema *schema,
                                          struct dit_span name)
{
	const struct dit_macro *macro = schema->macros;

	while (macro != NULL && !dit_span_eq(dit_span_of(macro->name), name)) {
		macro = macro->next;
	}
	return macro;
}

int dit_schema_expand_oid(struct dit_schema *schema, const char *text, const char **ret)
{
	size_t len = strcspn(text, ":");
	const struct dit_macro *macro = NULL;
	char *oid = NULL;
	size_t size = 0;

	if (*text >= '0' && *text <= '9') {
		*ret = text;
		return 0;
	}
	macro = find_macro(schema, (struct dit_span){text, len});
	if (macro == NULL) {
		return DIT_E_UNKNOWN;
	}
	if (text[len] == '\0') {
		*ret = macro->oid;
		return 0;
	}
	size = strlen(macro->oid) + strlen(text + len) + 1;
	oid = dit_arena_bytes(&schema->arena, size);
	if (oid == NULL) {
		return -ENOMEM;
	}
	(void)snprintf(oid, size, "%s.%s", macro->oid, text + len + 1);
	*ret = oid;
	return 0;
}

/* Names of macros are not checked, as in slapd; a number stands for itself already. */
static const char *defined_oid(const struct dit_schema *schema, const char *name)
{
	const struct dit_macro *macro = find_macro(schema, dit_span_of(name));

	if (*name >= '0' && *name <= '9') {
		return name;
	}
	return macro == NULL ? NULL : macro->oid;
}

int dit_schema_define_macro(struct dit_schema *schema, const char *name, const char *oid,
                            struct dit_schema_error *error)
{
	const char *old = defined_oid(schema, name);
	const char *expanded = NULL;
	struct dit_macro *macro = NULL;
	int r = 0;

	assert(!schema->is_frozen);
	r = dit_schema_expand_oid(schema, oid, &expanded);
	if (r == -ENOMEM) {
		return r;
	}
	if (r < 0) {
		dit_schema_say(error, "objectidentifier: OID %s not recognized", oid);
		return r;
	}
	if (old != NULL) {
		dit_schema_say(error,
		               "objectidentifier: \"%s\" previously defined \"%s\"", name,
		               old);
		return strcmp(old, expanded) == 0 ? 1 : DIT_E_DUPLICATE;
	}

	macro = dit_arena_alloc(&schema->arena, sizeof(*macro));
	if (macro == NULL) {
		return -ENOMEM;
	}
	macro->name = dit_arena_copy(&schema->arena, dit_span_of(name)).data;
	macro->oid = dit_arena_copy(&schema->arena, dit_span_of(expanded)).data;
	if (macro->name == NULL || macro->oid == NULL) {
		return -ENOMEM;
	}
	macro->next = schema->macros;
	schema->macros = macro;
	return 0;
}

/* ---- the digest ---- */

/*
 * The sum over all elements, each as often as it has names. The fields of an element are
 * put one after the other; it names other elements by OID.
 */

static uint64_t put(uint64_t seed, const char *text)
{
	return dit_sum128_seed(dit_span_of(text), seed);
}

static uint64_t put_number(uint64_t seed, uint64_t n)
{
	return dit_sum128_seed((struct dit_span){(const char *)&n, sizeof(n)}, seed);
}

static uint64_t put_rule(uint64_t seed, const struct dit_rule *rule)
{
	return put(seed, rule == NULL ? "" : rule->oid);
}

static uint64_t put_types(uint64_t seed, const struct dit_attr_type *const *types)
{
	for (; *types != NULL; types++) {
		seed = put(seed, (*types)->oid);
	}
	return put(seed, "");
}

static uint64_t seed_of_type(const void *element)
{
	const struct dit_attr_type *type = element;
	uint64_t seed = put(put(0, type->oid), type->name);

	seed = put(seed, type->sup == NULL ? "" : type->sup->oid);
	seed = put(seed, type->syntax->oid);
	seed = put_rule(seed, type->equality);
	seed = put_rule(seed, type->ordering);
	seed = put_rule(seed, type->substr);
	seed = put_rule(seed, type->approx);
	seed = put_number(seed, type->validator);
	return put_number(seed, (uint64_t)type->usage << 32 | type->flags);
}

static uint64_t seed_of_class(const void *element)
{
	const struct dit_class *oc = element;
	uint64_t seed = put(put(0, oc->oid), oc->name);

	seed = put_number(seed, (uint64_t)oc->kind << 32 | oc->oc_flags);
	for (size_t i = 0; oc->sups[i] != NULL; i++) {
		seed = put(seed, oc->sups[i]->oid);
	}
	return put_types(put_types(put(seed, ""), oc->must), oc->may);
}

static void add_all(struct dit_sum128 *sum, const struct dit_name_table *table,
                    uint64_t (*seed_of)(const void *element))
{
	for (size_t i = 0; i < table->nslots; i++) {
		const struct dit_name_slot *slot = &table->slots[i];
		struct dit_sum128 digest;

		if (slot->name.data != NULL) {
			digest = dit_sum128_of(slot->name, seed_of(slot->value));
			dit_sum128_add(sum, &digest);
		}
	}
}

struct dit_sum128 dit_schema_digest(const struct dit_schema *schema)
{
	struct dit_sum128 sum = {0, 0};

	add_all(&sum, &schema->types, seed_of_type);
	add_all(&sum, &schema->classes, seed_of_class);
	return sum;
}
