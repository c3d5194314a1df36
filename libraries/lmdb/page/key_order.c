/* SPDX-License-Identifier: BSD-2-Clause */
/* The orders that LMDB's flags mean. */
#include "page/key_order.h"

#include "page/lmdb_format.h"

static struct dit_key_order order_by(bool is_number, bool is_backward)
{
	return (struct dit_key_order){
		.kind = is_backward ? DIT_ORDER_BACKWARD
	                : is_number ? DIT_ORDER_NUMBERS
	                            : DIT_ORDER_BYTES,
	};
}

void dit_key_default_orders(unsigned flags, struct dit_key_orders *ret)
{
	ret->keys = order_by((flags & DIT_DB_INTEGERKEY) != 0,
	                     (flags & DIT_DB_REVERSEKEY) != 0);
	ret->items = order_by((flags & DIT_DB_INTEGERDUP) != 0,
	                      (flags & DIT_DB_REVERSEDUP) != 0);
}

bool dit_key_has_length(const struct dit_key_order *order, size_t max,
                        struct dit_span span)
{
	return order->bytes == 0 ? span.len <= max : span.len == order->bytes;
}

static int compare_lengths(struct dit_span a, struct dit_span b)
{
	return (a.len > b.len) - (a.len < b.len);
}

static int compare_backward(struct dit_span a, struct dit_span b)
{
	for (size_t i = 1; i <= a.len && i <= b.len; i++) {
		unsigned char x = (unsigned char)a.data[a.len - i];
		unsigned char y = (unsigned char)b.data[b.len - i];

		if (x != y) {
			return x < y ? -1 : 1;
		}
	}
	return compare_lengths(a, b);
}

/*
 * Numbers of different lengths have no order (storage.md 1.5): the shorter comes first.
 */
static int compare_numbers(struct dit_span a, struct dit_span b)
{
	return a.len != b.len ? compare_lengths(a, b) : compare_backward(a, b);
}

int dit_key_compare_any(const struct dit_key_order *order, struct dit_span key,
                        struct dit_span a, struct dit_span b)
{
	switch (order->kind) {
	case DIT_ORDER_BYTES:
		return dit_span_compare(a, b);
	case DIT_ORDER_BACKWARD:
		return compare_backward(a, b);
	case DIT_ORDER_NUMBERS:
		return compare_numbers(a, b);
	case DIT_ORDER_CALL:
		return order->compare(order->ctx, key, a, b);
	case DIT_ORDER_UNKNOWN:
		return -1;
	}
	return -1;
}
