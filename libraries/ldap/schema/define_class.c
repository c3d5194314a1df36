/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Object classes and content rules: resolve names, inherit, check, add (values.md 3.4 and
 * 3.5). The checks stand in slapd's order.
 *
 * The lists of a class hold what it inherits first, superclass by superclass, then its
 * own, each attribute once, at its first place. That is the order in which slapd looks
 * for missing attributes:
 *
 *     a MUST ( x $ y )   b MUST z   c SUP ( a $ b ) MUST ( w $ y )   ->   x y z w
 */
#include "schema/schema_private.h"

#include <errno.h>

#include <ldap.h>
#include <ldap_schema.h>

#include "base/ascii.h"
#include "base/error.h"

#define CLASS    "objectclass"
#define RULE     "ditcontentrule"
#define BAD_SUP  "user-defined ObjectClass has inappropriate SUPerior"
#define BAD_AUX  "Content Rule AUX contains inappropriate object class"
#define NO_TYPE  "AttributeType not found"
#define NO_CLASS "ObjectClass not found"

static const struct dit_element_words words = {CLASS, "objectClass",
                                               "register_oc: objectclass"};

static const char *const no_names[] = {NULL};
static const char *const top[] = {"top", NULL};

static size_t count_types(const struct dit_attr_type *const *types)
{
	size_t n = 0;

	while (types[n] != NULL) {
		n++;
	}
	return n;
}

/* Append unless it is there; the list has room and ends with NULL. */
static void add_once(const struct dit_attr_type **list, const struct dit_attr_type *type)
{
	while (*list != NULL && *list != type) {
		list++;
	}
	*list = type;
}

static bool any_operational(const struct dit_attr_type *const *list)
{
	while (*list != NULL && !dit_type_is_operational(*list)) {
		list++;
	}
	return *list != NULL;
}

static bool is_allowed_sup(const struct dit_class *oc, const struct dit_class *sup)
{
	return (sup->kind == DIT_CLASS_ABSTRACT || sup->kind == oc->kind) &&
	       (!sup->is_obsolete || oc->is_obsolete);
}

static int resolve_sups(struct dit_schema *schema, dit_names names, struct dit_class *oc,
                        struct dit_schema_error *error)
{
	oc->sups = dit_arena_calloc(&schema->arena, dit_names_count(names) + 1,
	                            sizeof(*oc->sups));
	if (oc->sups == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; names[i] != NULL; i++) {
		oc->sups[i] = dit_schema_find_class(schema, dit_span_of(names[i]));
		if (oc->sups[i] == NULL) {
			return dit_schema_fail(error, DIT_E_UNKNOWN, CLASS, NO_CLASS,
			                       names[i]);
		}
		if (!is_allowed_sup(oc, oc->sups[i])) {
			return dit_schema_fail(error, DIT_E_INVALID, CLASS, BAD_SUP,
			                       names[i]);
		}
	}
	return 0;
}

/* One of the two lists, filled with what is inherited; room for @p nown more. */
static const struct dit_attr_type **inherit_list(struct dit_schema *schema,
                                                 const struct dit_class *oc, bool is_must,
                                                 size_t nown)
{
	const struct dit_attr_type **list = NULL;
	size_t n = nown;

	for (size_t i = 0; oc->sups[i] != NULL; i++) {
		n += count_types(is_must ? oc->sups[i]->must : oc->sups[i]->may);
	}
	list = dit_arena_calloc(&schema->arena, n + 1, sizeof(*list));
	for (size_t i = 0; oc->sups[i] != NULL && list != NULL; i++) {
		const struct dit_attr_type **from =
			is_must ? oc->sups[i]->must : oc->sups[i]->may;

		for (; *from != NULL; from++) {
			add_once(list, *from);
		}
	}
	return list;
}

static int add_own(struct dit_schema *schema, dit_names names,
                   const struct dit_attr_type **list, struct dit_schema_error *error)
{
	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		const struct dit_attr_type *type =
			dit_schema_find_type(schema, dit_span_of(names[i]));

		if (type == NULL) {
			return dit_schema_fail(error, DIT_E_UNKNOWN, CLASS, NO_TYPE,
			                       names[i]);
		}
		add_once(list, type);
	}
	return 0;
}

/* slapd tells inherited operational attributes from own ones by when it looks. */
static int resolve_lists(struct dit_schema *schema, const struct dit_class_def *def,
                         struct dit_class *oc, const char *text,
                         struct dit_schema_error *error)
{
	int r = 0;

	oc->must = inherit_list(schema, oc, true, dit_names_count(def->must));
	oc->may = inherit_list(schema, oc, false, dit_names_count(def->may));
	if (oc->must == NULL || oc->may == NULL) {
		return -ENOMEM;
	}
	if (text != NULL && (any_operational(oc->must) || any_operational(oc->may))) {
		return dit_schema_fail(error, DIT_E_INVALID, CLASS, BAD_SUP, text);
	}
	r = add_own(schema, def->must, oc->must, error);
	r = r ?: add_own(schema, def->may, oc->may, error);
	if (r == 0 && text != NULL &&
	    (any_operational(oc->must) || any_operational(oc->may))) {
		return dit_schema_fail(error, DIT_E_INVALID, CLASS,
		                       "user-defined ObjectClass includes operational "
		                       "attributes",
		                       text);
	}
	return r;
}

/*
 * A search from superclass to superclass doubles its time with each level where every
 * class has two. Superclasses are defined first and have lower ordinals.
 */
static int make_lineage(struct dit_schema *schema, struct dit_class *oc)
{
	size_t nwords = oc->ordinal / 64 + 1;
	uint64_t *lineage = dit_arena_calloc(&schema->arena, nwords, sizeof(*lineage));

	if (lineage == NULL) {
		return -ENOMEM;
	}
	lineage[oc->ordinal / 64] |= (uint64_t)1 << oc->ordinal % 64;
	for (size_t i = 0; oc->sups[i] != NULL; i++) {
		const struct dit_class *sup = oc->sups[i];

		for (size_t k = 0; k <= sup->ordinal / 64; k++) {
			lineage[k] |= sup->lineage[k];
		}
	}
	oc->lineage = lineage;
	return 0;
}

int dit_define_class(struct dit_schema *schema, const struct dit_class_def *def,
                     const char *text, struct dit_schema_error *error)
{
	struct dit_name_table *classes = &schema->classes;
	struct dit_class *oc = NULL;
	struct dit_identity identity;
	dit_names sups = def->sups;
	int r = 0;

	if (dit_names_invalid(def->names) != NULL) {
		return dit_schema_fail(error, DIT_E_INVALID, CLASS, "Invalid NAME", text);
	}
	r = dit_identity_make(schema, CLASS, def->oid, def->names, error, &identity);
	if (r < 0) {
		return r;
	}
	oc = dit_arena_alloc(&schema->arena, sizeof(*oc));
	if (oc == NULL) {
		return -ENOMEM;
	}
	*oc = (struct dit_class){
		.oid = identity.oid,
		.name = identity.name,
		.names = identity.names,
		.kind = def->kind,
		.oc_flags = def->oc_flags,
		.is_obsolete = def->is_obsolete,
		.check = def->check,
	};
	if (sups == NULL) {
		sups = def->kind == DIT_CLASS_STRUCTURAL ? top : no_names;
	}
	r = resolve_sups(schema, sups, oc, error);
	r = r ?: resolve_lists(schema, def, oc, text, error);
	r = r ?: dit_identity_check(classes, identity, &words, &def->origin, error);
	r = r ?: dit_identity_put(classes, identity, oc);
	if (r == 0) {
		oc->ordinal = schema->nclasses++;
		r = make_lineage(schema, oc);
	}
	return r;
}

/* A content rule in the making. */
struct content_rule_work {
	struct dit_schema *schema;
	const struct ldap_contentrule *cr;
	struct dit_content_rule *rule;
	bool is_operational; /* it touches a class or attribute of slapd's own */
	struct dit_schema_error *error;
};

static int resolve_structural(struct content_rule_work *work, const char *oid,
                              struct dit_class **ret)
{
	struct dit_class *oc =
		dit_name_table_find(&work->schema->classes, dit_span_of(oid));

	if (oc == NULL) {
		return dit_schema_fail(work->error, DIT_E_UNKNOWN, RULE, NO_CLASS, oid);
	}
	if (oc->kind != DIT_CLASS_STRUCTURAL) {
		return dit_schema_fail(work->error, DIT_E_INVALID, RULE,
		                       "Content Rule not for STRUCTURAL object class",
		                       oid);
	}
	work->rule->structural = oc;
	work->is_operational = (oc->oc_flags & DIT_OC_OPERATIONAL) != 0;
	*ret = oc;
	return 0;
}

static int resolve_aux(struct content_rule_work *work)
{
	dit_names names = dit_names_of(work->cr->cr_oc_oids_aux);
	size_t n = dit_names_count(names);
	const struct dit_class **aux = NULL;

	aux = dit_arena_calloc(&work->schema->arena, n + 1, sizeof(*aux));
	if (aux == NULL) {
		return -ENOMEM;
	}
	work->rule->aux = aux;
	for (size_t i = 0; i < n; i++) {
		aux[i] = dit_schema_find_class(work->schema, dit_span_of(names[i]));
		if (aux[i] == NULL) {
			return dit_schema_fail(work->error, DIT_E_UNKNOWN, RULE, NO_CLASS,
			                       names[i]);
		}
		if (aux[i]->kind != DIT_CLASS_AUXILIARY) {
			return dit_schema_fail(work->error, DIT_E_INVALID, RULE, BAD_AUX,
			                       names[i]);
		}
		/* Only slapd's own extensibleObject may be allowed. */
		work->is_operational |=
			(aux[i]->oc_flags & DIT_OC_OPERATIONAL) != 0 &&
			dit_ascii_strcasecmp(aux[i]->name, "extensibleObject") != 0;
	}
	return 0;
}

/* @p ret_list is one of the rule's three lists; an attribute stands in one, once. */
static int resolve_rule_list(struct content_rule_work *work, dit_names names,
                             const struct dit_attr_type ***ret_list)
{
	const struct dit_content_rule *rule = work->rule;
	size_t n = dit_names_count(names);
	const struct dit_attr_type **list = NULL;

	list = dit_arena_calloc(&work->schema->arena, n + 1, sizeof(*list));
	if (list == NULL) {
		return -ENOMEM;
	}
	*ret_list = list;
	for (size_t i = 0; i < n; i++) {
		const struct dit_attr_type *type =
			dit_schema_find_type(work->schema, dit_span_of(names[i]));

		if (type == NULL) {
			return dit_schema_fail(work->error, DIT_E_UNKNOWN, RULE, NO_TYPE,
			                       names[i]);
		}
		if (DIT_IS_LISTED(type, rule->must) || DIT_IS_LISTED(type, rule->may) ||
		    DIT_IS_LISTED(type, rule->precluded)) {
			return dit_schema_fail(
				work->error, DIT_E_INVALID, RULE,
				"Content Rule attribute type list contains "
				"duplicate",
				names[i]);
		}
		work->is_operational |= dit_type_is_operational(type);
		list[i] = type;
	}
	return 0;
}

static int resolve_rule_lists(struct content_rule_work *work)
{
	const struct {
		char **names;
		const struct dit_attr_type ***list;
	} lists[] = {
		{work->cr->cr_at_oids_must, &work->rule->must},
		{work->cr->cr_at_oids_may, &work->rule->may},
		{work->cr->cr_at_oids_not, &work->rule->precluded},
	};
	int r = resolve_aux(work);

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && r == 0; i++) {
		r = resolve_rule_list(work, dit_names_of(lists[i].names), lists[i].list);
	}
	return r;
}

static int add_content_rule(struct content_rule_work *work, struct dit_class *oc,
                            dit_names names)
{
	struct dit_name_table *table = &work->schema->content_rules;
	int r = 0;

	if (oc->content_rule != NULL) {
		return dit_schema_fail(work->error, DIT_E_DUPLICATE, RULE,
		                       "Duplicate Content Rule", work->rule->oid);
	}
	for (size_t i = 0; names[i] != NULL; i++) {
		if (dit_name_table_find(table, dit_span_of(names[i])) != NULL) {
			return dit_schema_fail(work->error, DIT_E_DUPLICATE, RULE,
			                       "Duplicate Content Rule", names[i]);
		}
	}
	r = dit_identity_put(table, (struct dit_identity){.names = names}, work->rule);
	if (r == 0) {
		oc->content_rule = work->rule;
	}
	return r;
}

int dit_define_content_rule(struct dit_schema *schema, const struct ldap_contentrule *cr,
                            const char *text, struct dit_schema_error *error)
{
	struct content_rule_work work = {.schema = schema, .cr = cr, .error = error};
	struct dit_class *oc = NULL;
	struct dit_identity identity;
	int r = 0;

	if (dit_names_invalid(dit_names_of(cr->cr_names)) != NULL) {
		return dit_schema_fail(error, DIT_E_INVALID, RULE, "Invalid NAME", text);
	}
	r = dit_identity_make(schema, RULE, cr->cr_oid, dit_names_of(cr->cr_names), error,
	                      &identity);
	if (r < 0) {
		return r;
	}
	work.rule = dit_arena_calloc(&schema->arena, 1, sizeof(*work.rule));
	if (work.rule == NULL) {
		return -ENOMEM;
	}
	work.rule->oid = identity.oid;
	work.rule->name = identity.name;
	work.rule->is_obsolete = cr->cr_obsolete != 0;

	r = resolve_structural(&work, identity.oid, &oc);
	r = r < 0 ? r : resolve_rule_lists(&work);
	if (r < 0) {
		return r;
	}
	if (work.is_operational) {
		return dit_schema_fail(error, DIT_E_INVALID, RULE, BAD_AUX, text);
	}
	return add_content_rule(&work, oc, identity.names);
}
