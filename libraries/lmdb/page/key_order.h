/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The orders of keys, and of the items of lists: those that the flags of a database mean,
 * and those that a program gives its databases.
 *
 * Threads: any.
 */
#ifndef DITKIT_KEY_ORDER_H
#define DITKIT_KEY_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

enum dit_key_order_kind {
	DIT_ORDER_BYTES,    /* memcmp, then the shorter first */
	DIT_ORDER_BACKWARD, /* the same from the last byte to the first */
	DIT_ORDER_NUMBERS,  /* little-endian, all of one length */
	DIT_ORDER_CALL,     /* compare() */
	DIT_ORDER_UNKNOWN,  /* not checked */
};

/**
 * Below, equal, above: negative, 0, positive.
 *
 * @param key  of the list that the items are in; empty when keys are compared
 */
typedef int (*dit_key_compare_fn)(const void *ctx, struct dit_span key, struct dit_span a,
                                  struct dit_span b);

struct dit_key_order {
	enum dit_key_order_kind kind;
	unsigned bytes; /* length of each; 0: any */
	dit_key_compare_fn compare;
	const void *ctx; /* of compare */
};

struct dit_key_orders {
	struct dit_key_order keys;
	struct dit_key_order items; /* of lists */
};

/** The orders that LMDB's flags stand for. */
void dit_key_default_orders(unsigned flags, struct dit_key_orders *ret);

/** dit_key_compare() without its short ways. */
int dit_key_compare_any(const struct dit_key_order *order, struct dit_span key,
                        struct dit_span a, struct dit_span b);

/** Negative, 0, positive; both have the order's length. @p key of the list. */
static inline int dit_key_compare(const struct dit_key_order *order, struct dit_span key,
                                  struct dit_span a, struct dit_span b)
{
	uint64_t wide[2];
	uint32_t narrow[2];

	if (order->kind == DIT_ORDER_BYTES) {
		return dit_span_compare(a, b);
	}
	if (order->kind == DIT_ORDER_NUMBERS && a.len == b.len) {
		if (a.len == sizeof(narrow[0])) {
			memcpy(&narrow[0], a.data, sizeof(narrow[0]));
			memcpy(&narrow[1], b.data, sizeof(narrow[1]));
			return (narrow[0] > narrow[1]) - (narrow[0] < narrow[1]);
		}
		if (a.len == sizeof(wide[0])) {
			memcpy(&wide[0], a.data, sizeof(wide[0]));
			memcpy(&wide[1], b.data, sizeof(wide[1]));
			return (wide[0] > wide[1]) - (wide[0] < wide[1]);
		}
	}
	return dit_key_compare_any(order, key, a, b);
}

/** Is each of these 8-byte numbers, at any address, above the one before it? */
static inline bool dit_numbers_ascend(const void *numbers, size_t n)
{
	const char *at = numbers;

#pragma GCC unroll 4
	for (size_t i = 1; i < n; i++) {
		uint64_t before = 0;
		uint64_t number = 0;

		memcpy(&before, at + (i - 1) * sizeof(before), sizeof(before));
		memcpy(&number, at + i * sizeof(number), sizeof(number));
		if (before >= number) {
			return false;
		}
	}
	return true;
}

/** Has the key, or item, a length that the order knows, or at most @p max? */
bool dit_key_has_length(const struct dit_key_order *order, size_t max,
                        struct dit_span span);

/**
 * The orders of a database. They come filled with what LMDB's flags mean. A program that
 * opens the database with comparisons of its own changes them.
 *
 * @param flags  as stored, MDB_...
 */
typedef void (*dit_key_order_fn)(void *ctx, struct dit_span name, unsigned flags,
                                 struct dit_key_orders *orders);

#endif
