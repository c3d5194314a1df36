/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The value check, "-o value-check=yes": every value valid under its syntax, no more
 * values than allowed, no value twice. slapadd does it after the schema check.
 *
 * Duplicates are looked for among normal forms; where a type has none, among pretty ones.
 */
#include "entry/entry_work.h"

#include <errno.h>

#include "base/cut.h"
#include "base/error.h"
#include "values/value.h"

/*
 * slapd prefers the pretty function of a type, which may refuse more than the syntax. A
 * value of pwdAttribute is the name of an attribute, which its normal form has proved.
 */
static int validate(struct dit_entry_check *check, const struct dit_attr_type *type,
                    struct dit_span value)
{
	struct dit_arena_mark mark = dit_arena_mark(check->arena);
	struct dit_span pretty = {NULL, 0};
	size_t nprefix = dit_attr_order_prefix(type, value);
	int r = 0;

	dit_cut(&value, nprefix);
	if (dit_attr_has_normal(type) &&
	    type->equality->normalizer == DIT_NORM_TYPE_OID) {
		return 0;
	}
	if (!dit_has_pretty(type->validator)) {
		return dit_value_validate(check->context->schema, type->validator, value);
	}
	r = dit_value_pretty(check->context->schema, type->validator, value, check->arena,
	                     &pretty);
	dit_arena_rewind(check->arena, mark);
	return r;
}

static struct dit_why why_value(enum dit_why_kind kind, const struct dit_attr *attr,
                                uint32_t i)
{
	return dit_why_value(kind, attr->ad, attr->values[i], i,
	                     attr->ad->type->syntax->oid);
}

static int check_syntax(struct dit_entry_check *check, const struct dit_attr *attr)
{
	const struct dit_attr_type *type = attr->ad->type;

	if (type->validator == DIT_VALID_NONE) {
		return dit_check_refuse_attr(check, DIT_WHY_NO_VALIDATOR, attr->ad,
		                             type->syntax->oid);
	}
	for (uint32_t i = 0; i < attr->nvalues; i++) {
		int r = validate(check, type, attr->values[i]);

		if (r == DIT_E_INVALID) {
			return dit_check_refuse(check, why_value(DIT_WHY_VALUE, attr, i));
		}
		if (r == DIT_E_UNSUPPORTED) {
			(void)dit_why_tell(check->notes,
			                   why_value(DIT_WHY_VALUE_NESTED, attr, i));
		}
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

/*
 * The forms by which the values of an attribute are compared. A naming value that was
 * added has its normal form from the DN, which knows nothing of prefixes: "{3} b" keeps
 * its space there. slapd makes the normal forms again here.
 *
 * @return 0 or -ENOMEM
 */
static int make_keys(struct dit_entry_check *check, const struct dit_attr *attr,
                     struct dit_span *keys)
{
	const struct dit_attr_type *type = attr->ad->type;

	for (uint32_t i = 0; i < attr->nvalues; i++) {
		int r = 0;

		keys[i] = dit_attr_keys(attr)[i];
		if (attr->normal != NULL && dit_attr_order_prefix(type, keys[i]) > 0) {
			r = dit_attr_normalize(check->context->schema, type,
			                       attr->values[i], check->arena, &keys[i]);
		} else if (attr->normal == NULL && dit_has_pretty(type->validator) &&
		           dit_attr_order_prefix(type, keys[i]) == 0) {
			r = dit_value_pretty(check->context->schema, type->validator,
			                     keys[i], check->arena, &keys[i]);
		}
		if (r == -ENOMEM) {
			return r;
		}
	}
	return 0;
}

static int check_unique(struct dit_entry_check *check, const struct dit_attr *attr)
{
	struct dit_arena_mark mark = dit_arena_mark(check->arena);
	struct dit_span *keys = NULL;
	uint32_t *origins = NULL;
	uint32_t found = 0;
	int r = 0;

	keys = dit_arena_alloc(check->arena, attr->nvalues * sizeof(*keys));
	origins = dit_arena_alloc(check->arena, attr->nvalues * sizeof(*origins));
	if (keys == NULL || origins == NULL) {
		return -ENOMEM;
	}
	r = make_keys(check, attr, keys);
	if (r < 0) {
		return r;
	}
	found = dit_values_sort(keys, origins, attr->nvalues,
	                        dit_value_match_order(attr->ad->type));
	dit_arena_rewind(check->arena, mark);
	return found == DIT_VALUES_UNIQUE
	               ? 0
	               : dit_check_refuse(check,
	                                  why_value(DIT_WHY_VALUE_TWICE, attr, found));
}

/*
 * Whether a value is, or may have inside a DN, an authorization rule. The pretty form of
 * its filter may be no filter: "(&)", "(foo=x)". The pretty form of all other values has
 * a normal form if the value has one.
 */
static bool has_rules_inside(const struct dit_attr_type *type)
{
	return type->validator >= DIT_VALID_DN;
}

/* The normal form of the pretty form; an ordering prefix is part of neither. */
static int normalize_pretty(struct dit_entry_check *check,
                            const struct dit_attr_type *type, struct dit_span value)
{
	const struct dit_schema *schema = check->context->schema;
	size_t nprefix = dit_attr_order_prefix(type, value);
	int r = 0;

	dit_cut(&value, nprefix);
	if (has_rules_inside(type)) {
		r = dit_value_pretty(schema, type->validator, value, check->arena,
		                     &value);
	}
	if (r == 0) {
		r = dit_value_normalize(schema, type->equality->normalizer, value,
		                        check->arena, &value);
	}
	return r == DIT_E_UNKNOWN ? DIT_E_INVALID : r;
}

/*
 * A naming value that was added without a normal form took those of its block along; here
 * slapd makes up for it, and finds out that the rule refuses the value. Likewise that a
 * pretty form has no normal form.
 */
static int check_normal(struct dit_entry_check *check, const struct dit_attr *attr)
{
	for (uint32_t i = 0; i < attr->nvalues; i++) {
		int r = normalize_pretty(check, attr->ad->type, attr->values[i]);

		if (r == DIT_E_INVALID) {
			(void)dit_why_tell(check->notes,
			                   why_value(DIT_WHY_VALUE_RULE, attr, i));
			return dit_check_refuse(check,
			                        why_value(DIT_WHY_VALUE_RULE, attr, i));
		}
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

/*
 * An option that ends in '-' stands for all that begin so; only searches may ask for
 * them.
 */
static bool has_range_option(struct dit_span options)
{
	for (size_t i = 0; i < options.len; i++) {
		if (options.data[i] == '-' &&
		    (i + 1 == options.len || options.data[i + 1] == ';')) {
			return true;
		}
	}
	return false;
}

static int check_attr(struct dit_entry_check *check, const struct dit_attr *attr)
{
	int r = 0;

	if (has_range_option(attr->ad->options)) {
		return dit_check_refuse_attr(check, DIT_WHY_RANGE_OPTION, attr->ad, "");
	}
	r = check_syntax(check, attr);
	if (r < 0) {
		return r;
	}
	if (attr->nvalues > 1 && (attr->ad->type->flags & DIT_TYPE_SINGLE) != 0) {
		return dit_check_refuse_as(
			check, dit_why_attr(DIT_WHY_SINGLE, attr->ad, ""),
			"{a}: multiple values provided", DIT_NOTE_NONE);
	}
	if (dit_attr_has_normal(attr->ad->type) &&
	    (attr->normal == NULL || has_rules_inside(attr->ad->type))) {
		r = check_normal(check, attr);
	}
	return r < 0 || attr->nvalues < 2 ? r : check_unique(check, attr);
}

int dit_check_values(struct dit_entry_check *check)
{
	int r = 0;

	for (uint32_t i = 0; i < check->entry->nattrs && r == 0; i++) {
		r = check_attr(check, &check->entry->attrs[i]);
	}
	return r;
}
