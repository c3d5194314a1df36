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
 * a list move, or leave it; and after a record, if the list was of that alone.
 */
#include "base/grow.h"
#include "modify/modify_impl.h"

#define SORT_FROM 32u   /* values wanted, and there, from which on a copy pays */
#define NEW_MAX   4096u /* values after those that the copy has */

void dit_modify_forget_values(struct modifier *modifier)
{
	modifier->values.list = NULL;
}

/* Without memory, or with equal values, as slapadd -q stores them, there is no copy. */
static void sort(struct modify_values *values, const struct dit_attr *attr,
                 struct dit_value_order order)
{
	uint32_t n = attr->nvalues;

	values->n = 0;
	values->nwanted = 0;
	values->has_order = false;
	if (DIT_GROW(values->keys, values->keys_size, n) < 0 ||
	    DIT_GROW(values->places, values->places_size, n) < 0) {
		return;
	}
	memcpy(values->keys, dit_attr_keys(attr), n * sizeof(*values->keys));
	values->has_order = dit_values_sort(values->keys, values->places, n, order) ==
	                    DIT_VALUES_UNIQUE;
	values->n = values->has_order ? n : 0;
}

/* In sorted keys. n: it is not there */
static uint32_t find_sorted(const struct dit_span *keys, uint32_t n,
                            dit_value_order_fn order, struct dit_span wanted)
{
	uint32_t at = dit_values_position(keys, n, order, wanted);

	return at < n && order(keys[at], wanted) == 0 ? at : n;
}

/* Values whose lengths are equal if they are. */
static uint32_t find_plain(struct modify_values *values, const struct dit_attr *attr,
                           struct dit_value_order order, struct dit_span wanted,
                           uint32_t nwanted)
{
	const struct dit_span *keys = dit_attr_keys(attr);
	uint32_t n = attr->nvalues;
	uint32_t i = 0;

	if (attr->is_sorted) {
		return find_sorted(keys, n, order.by_value, wanted);
	}
	if (values->list != attr->values) {
		values->list = attr->values;
		values->is_lasting = attr->has_room;
		values->has_order = true;
		values->n = 0;
		values->nwanted = 0;
	}
	if (values->has_order && n >= SORT_FROM &&
	    values->nwanted + nwanted >= SORT_FROM &&
	    (values->n == 0 || n - values->n > NEW_MAX)) {
		sort(values, attr, order);
	}
	values->nwanted++;
	i = find_sorted(values->keys, values->n, order.by_value, wanted);
	if (i < values->n) {
		return values->places[i];
	}
	while (i < n &&
	       (keys[i].len != wanted.len || order.by_value(keys[i], wanted) != 0)) {
		i++;
	}
	return i;
}

uint32_t dit_modify_find_value(struct modifier *modifier, const struct dit_attr *attr,
                               struct dit_span wanted, uint32_t nwanted)
{
	const struct dit_attr_type *type = attr->ad->type;
	const struct dit_schema *schema = modifier->changing.schema;
	const struct dit_span *keys = dit_attr_keys(attr);
	struct dit_value_order order = dit_value_match_order(type);
	bool is_class = type->validator == DIT_VALID_CLASS_NAME;
	uint32_t i = 0;

	if (!order.has_prefixes && !is_class) {
		return find_plain(&modifier->values, attr, order, wanted, nwanted);
	}
	/* Names of one object class are equal. */
	while (i < attr->nvalues &&
	       !(is_class ? dit_values_equal(schema, type, keys[i], wanted) &&
	                            dit_values_equal(schema, type, wanted, keys[i])
	                  : dit_value_compare(order, keys[i], wanted) == 0)) {
		i++;
	}
	return i;
}
