/* SPDX-License-Identifier: BSD-2-Clause */
/* The orders of equality rules. */
#include "values/value_order.h"

#include "base/cut.h"
#include "base/ids.h"
#include "values/dn.h"
#include "values/value.h"

static int by_length(struct dit_span a, struct dit_span b)
{
	return a.len > 0 && a.len == b.len ? memcmp(a.data, b.data, a.len)
	                                   : DIT_ORDER_OF(a.len, b.len);
}

/* Numbers have no leading zeros, so the longer one is further from zero. */
static int by_number(struct dit_span a, struct dit_span b)
{
	bool is_below = a.len > 0 && a.data[0] == '-';

	if (is_below != (b.len > 0 && b.data[0] == '-')) {
		return is_below ? -1 : 1;
	}
	return is_below ? by_length(b, a) : by_length(a, b);
}

static int by_length_alone(struct dit_span a, struct dit_span b)
{
	return DIT_ORDER_OF(b.len, a.len);
}

static int by_name_uid(struct dit_span a, struct dit_span b)
{
	struct dit_span dns[2];
	struct dit_span uids[2];

	dit_name_uid_split(a, &dns[0], &uids[0]);
	dit_name_uid_split(b, &dns[1], &uids[1]);
	return DIT_ORDER_OF(uids[0].len == 0, uids[1].len == 0)
	               ?: by_length(uids[0], uids[1]) ?: by_length(dns[0], dns[1]);
}

bool dit_name_uid_alike(struct dit_span a, struct dit_span b)
{
	struct dit_span dns[2];
	struct dit_span uids[2];

	dit_name_uid_split(a, &dns[0], &uids[0]);
	dit_name_uid_split(b, &dns[1], &uids[1]);
	return (uids[0].len == 0 || uids[1].len == 0 || dit_span_eq(uids[0], uids[1])) &&
	       dit_span_eq(dns[0], dns[1]);
}

/* Values that are compared as they are stored. */
static dit_value_order_fn plain_order(enum dit_validator validator)
{
	if (validator == DIT_VALID_INTEGER) {
		return by_number;
	}
	return validator == DIT_VALID_BOOLEAN ? by_length_alone : by_length;
}

dit_value_order_fn dit_rule_order(const struct dit_rule *rule)
{
	switch (rule->normalizer) {
	case DIT_NORM_FIRST_COMPONENT_INTEGER:
		return by_number;
	case DIT_NORM_NAME_UID:
		return by_name_uid;
	case DIT_NORM_NONE:
		return plain_order(rule->syntax->validator);
	default:
		return by_length;
	}
}

static dit_value_order_fn rule_order(const struct dit_attr_type *type)
{
	const struct dit_rule *rule = type->equality;

	return rule == NULL || type->validator == DIT_VALID_CLASS_NAME
	               ? by_length
	               : dit_rule_order(rule);
}

dit_value_order_fn dit_value_order(const struct dit_attr_type *type)
{
	return dit_type_is_ordered(type) ? by_length : rule_order(type);
}

bool dit_prefixes_decide(struct dit_span *value, struct dit_span *asserted, int *ret)
{
	struct dit_span a = {value->data, dit_value_order_prefix(*value)};
	struct dit_span b = {asserted->data, dit_value_order_prefix(*asserted)};

	dit_cut(value, a.len);
	dit_cut(asserted, b.len);
	if (a.len == 0 || b.len == 0) {
		return false;
	}
	/* As text, so {10} is below {2}. The last brace does not count. */
	a.len--;
	b.len--;
	*ret = dit_span_compare(a, b);
	return *ret != 0 || asserted->len == 0;
}

int dit_value_compare(struct dit_value_order order, struct dit_span value,
                      struct dit_span asserted)
{
	int by_prefix = 0;

	return order.has_prefixes && dit_prefixes_decide(&value, &asserted, &by_prefix)
	               ? by_prefix
	               : order.by_value(value, asserted);
}

struct dit_value_order dit_value_match_order(const struct dit_attr_type *type)
{
	return (struct dit_value_order){rule_order(type), dit_type_is_ordered(type)};
}

bool dit_values_equal(const struct dit_schema *schema, const struct dit_attr_type *type,
                      struct dit_span value, struct dit_span asserted)
{
	const struct dit_class *oc = NULL;
	const struct dit_class *above = NULL;

	if (type->validator != DIT_VALID_CLASS_NAME) {
		return dit_value_compare(dit_value_match_order(type), value, asserted) ==
		       0;
	}
	oc = dit_schema_find_class(schema, value);
	above = dit_schema_find_class(schema, asserted);
	return oc != NULL && above != NULL && dit_class_is_a(oc, above);
}
