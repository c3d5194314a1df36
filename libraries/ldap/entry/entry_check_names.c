/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Naming values (values.md 7.2 D): each attribute value assertion of the RDN must be able
 * to name an entry, and must be among the entry's values. A missing value is added:
 *
 *   dn: cn=A+sn=B,dc=x            cn: z                cn: z, A
 *   cn: z                   ->    structuralObjectClass: person
 *                                 sn: B
 *
 * With names_first the last two blocks stand in the other order (storage-2.7.md 2.5).
 *
 * Only the first block of a description is looked at, and only the one without options.
 */
#include "entry/entry_work.h"

#include <errno.h>

#include "base/error.h"
#include "values/value.h"

static int refuse_name(struct dit_entry_check *check, enum dit_why_kind kind,
                       const struct dit_attr_type *type)
{
	return dit_check_refuse(
		check, dit_why_dn(kind, (struct dit_span){0}, dit_span_of(type->name)));
}

static int check_type(struct dit_entry_check *check, const struct dit_attr_type *type)
{
	if (type->usage != DIT_USAGE_USER) {
		return refuse_name(check, DIT_WHY_NAMING_OPERATIONAL, type);
	}
	if ((type->flags & DIT_TYPE_COLLECTIVE) != 0) {
		return refuse_name(check, DIT_WHY_NAMING_COLLECTIVE, type);
	}
	if ((type->flags & DIT_TYPE_OBSOLETE) != 0) {
		return refuse_name(check, DIT_WHY_NAMING_OBSOLETE, type);
	}
	return type->equality == NULL ? refuse_name(check, DIT_WHY_NAMING_RULE, type) : 0;
}

/* DNs keep UUIDs as text and take values of first-component rules as they are (values.md
 * 5.3); attributes do not. */
int dit_name_normal(const struct dit_schema *schema, const struct dit_ava *ava,
                    struct dit_arena *arena, struct dit_span *ret)
{
	enum dit_normalizer normalizer = DIT_NORM_NONE;
	int r = 0;

	if (!dit_attr_has_normal(ava->type)) {
		return 0;
	}
	normalizer = ava->type->equality->normalizer;
	if (normalizer != DIT_NORM_UUID16 &&
	    normalizer != DIT_NORM_FIRST_COMPONENT_INTEGER &&
	    normalizer != DIT_NORM_FIRST_COMPONENT_OID) {
		*ret = ava->norm;
		return 1;
	}
	r = dit_attr_normalize(schema, ava->type, ava->value, arena, ret);
	return r == DIT_E_INVALID ? 0 : r < 0 ? r : 1;
}

int dit_name_value(const struct dit_schema *schema, const struct dit_ava *ava,
                   struct dit_arena *arena, struct dit_span *ret)
{
	const struct dit_rule *equality = ava->type->equality;

	*ret = ava->norm;
	if (equality != NULL && equality->normalizer == DIT_NORM_UUID16) {
		return dit_attr_normalize(schema, ava->type, ava->value, arena, ret);
	}
	return 0;
}

bool dit_attr_has_name_value(const struct dit_schema *schema, const struct dit_attr *attr,
                             struct dit_span asserted)
{
	for (uint32_t i = 0; i < attr->nvalues; i++) {
		if (dit_values_equal(schema, attr->ad->type, dit_attr_keys(attr)[i],
		                     asserted)) {
			return true;
		}
	}
	return false;
}

/* Make the list a copy with one more value at @p at. @return 0 or -ENOMEM */
static int insert(struct dit_arena *arena, struct dit_span **list, uint32_t n,
                  uint32_t at, struct dit_span value)
{
	struct dit_span *copy = dit_arena_alloc(arena, ((size_t)n + 1) * sizeof(*copy));

	if (copy == NULL) {
		return -ENOMEM;
	}
	if (n > 0) {
		memcpy(copy, *list, at * sizeof(*copy));
		memcpy(copy + at + 1, *list + at, (n - at) * sizeof(*copy));
	}
	copy[at] = value;
	*list = copy;
	return 0;
}

/*
 * Add the naming value. If it has no normal form the block loses the normal forms of its
 * other values, too: slapd keeps them for all values or for none.
 */
static int add_value(struct dit_entry_check *check, const struct dit_ava *ava,
                     struct dit_attr *attr)
{
	struct dit_span normal = {NULL, 0};
	int r = dit_name_normal(check->context->schema, ava, check->arena, &normal);
	bool has_normal = r > 0 && (attr->nvalues == 0 || attr->normal != NULL);
	uint32_t at = 0;

	if (r < 0) {
		return r;
	}
	at = dit_attr_position(attr, r > 0 ? normal : ava->value);
	r = insert(check->arena, &attr->values, attr->nvalues, at, ava->value);
	if (!has_normal) {
		attr->normal = NULL;
	} else if (r == 0) {
		r = insert(check->arena, &attr->normal, attr->nvalues, at, normal);
	}
	attr->nvalues += r == 0;
	return r;
}

static int check_name(struct dit_entry_check *check, const struct dit_ava *ava)
{
	const struct dit_attr_type *type = ava->type;
	struct dit_attr *attr = NULL;
	struct dit_span asserted = {NULL, 0};
	int r = check_type(check, type);

	r = r ?: dit_name_value(check->context->schema, ava, check->arena, &asserted);
	if (r < 0) {
		return r;
	}
	attr = dit_entry_find(check->entry, &type->ad);
	if (attr != NULL &&
	    dit_attr_has_name_value(check->context->schema, attr, asserted)) {
		return 0;
	}
	if (check->context->keeps_names) {
		return refuse_name(check,
		                   attr == NULL ? DIT_WHY_NAMING_MISSING
		                                : DIT_WHY_NAMING_GONE,
		                   type);
	}
	if (attr != NULL && (type->flags & DIT_TYPE_SINGLE) != 0) {
		return dit_check_refuse_attr(check, DIT_WHY_NAMING_VALUE, &type->ad,
		                             type->name);
	}
	if (attr == NULL) {
		attr = dit_entry_add(check->entry, &type->ad, check->arena);
		if (attr == NULL) {
			return -ENOMEM;
		}
		attr->is_sorted = dit_entry_is_sorted(check->context, type);
	}
	dit_check_see(check, type);
	return add_value(check, ava, attr);
}

int dit_check_names(struct dit_entry_check *check)
{
	const struct dit_dn *dn = &check->entry->dn;
	bool has_names = (check->entry->oc_flags & DIT_OC_GLUE) == 0;
	int r = 0;

	for (unsigned i = 0; has_names && i < dn->navas && r == 0; i++) {
		r = check_name(check, &dn->avas[i]);
	}
	return r;
}
