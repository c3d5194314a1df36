/* SPDX-License-Identifier: BSD-2-Clause */
/* The orders of equality rules. */
#include "values/value_order.h"

#include "values/value_scope.h"

static int by_length(struct dit_span a, struct dit_span b)
{
	if (a.len != b.len) {
		return a.len < b.len ? -1 : 1;
	}
	return a.len == 0 ? 0 : memcmp(a.data, b.data, a.len);
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
	return (a.len < b.len) - (a.len > b.len);
}

static int by_name_uid(struct dit_span a, struct dit_span b)
{
	struct dit_span dns[2];
	struct dit_span uids[2];
	int order = 0;

	dit_name_uid_split(a, &dns[0], &uids[0]);
	dit_name_uid_split(b, &dns[1], &uids[1]);
	if ((uids[0].len == 0) != (uids[1].len == 0)) {
		return uids[0].len == 0 ? 1 : -1;
	}
	order = by_length(uids[0], uids[1]);
	return order != 0 ? order : by_length(dns[0], dns[1]);
}

dit_value_order_fn dit_value_order(const struct dit_attr_type *type)
{
	const struct dit_rule *rule = type->equality;

	if (rule == NULL || type->pretty == DIT_PRETTY_CLASS_NAME ||
	    (type->flags & (DIT_TYPE_ORDERED_VALUES | DIT_TYPE_ORDERED_SIBLINGS)) != 0) {
		return by_length;
	}
	switch (rule->normalizer) {
	case DIT_NORM_FIRST_COMPONENT_INTEGER:
		return by_number;
	case DIT_NORM_NAME_UID:
		return by_name_uid;
	case DIT_NORM_NONE:
		break;
	default:
		return by_length;
	}
	switch (rule->syntax->validator) {
	case DIT_VALID_INTEGER:
		return by_number;
	case DIT_VALID_BOOLEAN:
		return by_length_alone;
	default:
		return by_length;
	}
}
