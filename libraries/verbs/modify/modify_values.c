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
static int sort(struct modify_values *values, const struct dit_attr *attr,
                struct dit_value_order order)
{
	uint32_t n = attr->nvalues;

	if (DIT_GROW(values->keys, values->keys_size, n) < 0 ||
	    DIT_GROW(values->places, values->places_size, n) < 0) {
		return -ENOMEM;
	}
	memcpy(values->keys, dit_attr_keys(attr), n * sizeof(*values->keys));
	values->nwanted = 0;
	values->n = dit_values_sort(values->keys, values->places, n, order) ==
	                            DIT_VALUES_UNIQUE
	                    ? n
	                    : 0;
	return 0;
}

int dit_modify_find_values(struct modifier *modifier, const struct dit_attr *attr,
                           uint32_t nwanted, struct modify_finder *ret)
{
	struct modify_values *values = &modifier->values;
	const struct dit_attr_type *type = attr->ad->type;
	int r = 0;

	*ret = (struct modify_finder){.attr = attr,
	                              .schema = modifier->changing.schema,
	                              .order = dit_value_match_order(type)};
	ret->is_plain =
		!ret->order.has_prefixes && type->validator != DIT_VALID_CLASS_NAME;
	if (!ret->is_plain || attr->is_sorted) {
		return 0;
	}
	if (!attr->has_room || values->list != attr->values) {
		/* One without room is of this record alone. */
		values->list = attr->has_room ? attr->values : NULL;
		values->n = 0;
		values->nwanted = 0;
	}
	values->nwanted += nwanted;
	if (attr->nvalues >= SORT_FROM && values->nwanted >= SORT_FROM &&
	    (values->n == 0 || attr->nvalues - values->n > NEW_MAX)) {
		r = sort(values, attr, ret->order);
	}
	ret->copy = values;
	return r;
}

static bool are_equal(const struct modify_finder *finder, struct dit_span a,
                      struct dit_span b)
{
	const struct dit_attr_type *type = finder->attr->ad->type;

	if (finder->is_plain) {
		return a.len == b.len && finder->order.by_value(a, b) == 0;
	}
	/* Names of one object class are equal. */
	return type->validator != DIT_VALID_CLASS_NAME
	               ? dit_value_compare(finder->order, a, b) == 0
	               : dit_values_equal(finder->schema, type, a, b) &&
	                         dit_values_equal(finder->schema, type, b, a);
}

/* In sorted keys. n: it is not there */
static uint32_t find_sorted(const struct modify_finder *finder,
                            const struct dit_span *keys, uint32_t n,
                            struct dit_span wanted)
{
	uint32_t at = dit_values_position(keys, n, finder->order.by_value, wanted);

	return at < n && are_equal(finder, keys[at], wanted) ? at : n;
}

uint32_t dit_modify_find_value(const struct modify_finder *finder, struct dit_span wanted)
{
	const struct dit_span *keys = dit_attr_keys(finder->attr);
	uint32_t n = finder->attr->nvalues;
	uint32_t i = finder->copy == NULL ? 0 : finder->copy->n;

	if (finder->is_plain && finder->attr->is_sorted) {
		return find_sorted(finder, keys, n, wanted);
	}
	if (i > 0) {
		uint32_t at = find_sorted(finder, finder->copy->keys, i, wanted);

		if (at < i) {
			return finder->copy->places[at];
		}
	}
	while (i < n && !are_equal(finder, keys[i], wanted)) {
		i++;
	}
	return i;
}
