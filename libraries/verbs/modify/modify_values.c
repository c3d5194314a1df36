/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Equal values of a list. Where many are looked for, in one record or in one record each,
 * the list has a sorted copy, and values that were put at its end since are looked at one
 * by one:
 *
 *   list     m4  m2  m9  m1 | m7  m5     two are new
 *   copy     m1  m2  m4  m9              with the places 3, 1, 0, 2
 *
 * There is one copy, of the list that was looked at last. It is forgotten when values of
 * a list move, or leave it.
 */
#include <errno.h>

#include "base/grow.h"
#include "modify/modify_impl.h"

#define SORT_FROM 32u   /* values wanted, and there, from which on a copy pays */
#define NEW_MAX   4096u /* values after those that the copy has */

void dit_modify_forget_values(struct modifier *modifier)
{
	modifier->values.list = NULL;
}

/* A list that holds equal values, as slapadd -q stores them, has no order. */
static int sort(struct modify_values *values)
{
	uint32_t n = values->attr->nvalues;

	if (DIT_GROW(values->keys, values->keys_size, n) < 0 ||
	    DIT_GROW(values->places, values->places_size, n) < 0) {
		return -ENOMEM;
	}
	memcpy(values->keys, dit_attr_keys(values->attr), n * sizeof(*values->keys));
	values->nwanted = 0;
	values->n = dit_values_sort(values->keys, values->places, n, values->order) ==
	                            DIT_VALUES_UNIQUE
	                    ? n
	                    : 0;
	return 0;
}

int dit_modify_find_values(struct modifier *modifier, const struct dit_attr *attr,
                           uint32_t nwanted)
{
	struct modify_values *values = &modifier->values;
	const struct dit_attr_type *type = attr->ad->type;

	values->attr = attr;
	values->order = dit_value_match_order(type);
	values->is_plain =
		!values->order.has_prefixes && type->validator != DIT_VALID_CLASS_NAME;
	if (!values->is_plain || attr->is_sorted) {
		return 0;
	}
	if (!attr->has_room || values->list != attr->values) {
		/* One without room is of this record alone. */
		values->list = attr->has_room ? attr->values : NULL;
		values->n = 0;
		values->nwanted = 0;
	}
	values->nwanted += nwanted;
	return attr->nvalues >= SORT_FROM && values->nwanted >= SORT_FROM &&
	                       (values->n == 0 || attr->nvalues - values->n > NEW_MAX)
	               ? sort(values)
	               : 0;
}

static bool are_equal(const struct modifier *modifier, struct dit_span a,
                      struct dit_span b)
{
	const struct modify_values *values = &modifier->values;
	const struct dit_schema *schema = modifier->changing.schema;
	const struct dit_attr_type *type = values->attr->ad->type;

	if (values->is_plain) {
		return a.len == b.len && values->order.by_value(a, b) == 0;
	}
	/* Names of one object class are equal. */
	return type->validator != DIT_VALID_CLASS_NAME
	               ? dit_value_compare(values->order, a, b) == 0
	               : dit_values_equal(schema, type, a, b) &&
	                         dit_values_equal(schema, type, b, a);
}

/* In sorted keys. n: it is not there */
static uint32_t find_sorted(const struct modifier *modifier, const struct dit_span *keys,
                            uint32_t n, struct dit_span wanted)
{
	uint32_t at =
		dit_values_position(keys, n, modifier->values.order.by_value, wanted);

	return at < n && are_equal(modifier, keys[at], wanted) ? at : n;
}

uint32_t dit_modify_find_value(const struct modifier *modifier, struct dit_span wanted)
{
	const struct modify_values *values = &modifier->values;
	const struct dit_span *keys = dit_attr_keys(values->attr);
	uint32_t n = values->attr->nvalues;
	uint32_t i = values->is_plain ? values->n : 0;

	if (values->is_plain && values->attr->is_sorted) {
		return find_sorted(modifier, keys, n, wanted);
	}
	if (i > 0) {
		uint32_t at = find_sorted(modifier, values->keys, i, wanted);

		if (at < i) {
			return values->places[at];
		}
	}
	while (i < n && !are_equal(modifier, keys[i], wanted)) {
		i++;
	}
	return i;
}
