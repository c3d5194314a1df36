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

/** What LMDB's flags mean. */
void dit_key_default_orders(unsigned flags, struct dit_key_orders *ret);

/** Negative, 0, positive; both have the order's length. @p key of the list. */
int dit_key_compare(const struct dit_key_order *order, struct dit_span key,
                    struct dit_span a, struct dit_span b);

/** Has the key, or item, a length that the order knows, or at most @p max? */
bool dit_key_has_length(const struct dit_key_order *order, size_t max,
                        struct dit_span span);

/**
 * The orders of a database. They come filled with what LMDB's flags mean; who opens the
 * database with comparisons of its own changes them.
 *
 * @param flags  as stored, MDB_...
 */
typedef void (*dit_key_order_fn)(void *ctx, struct dit_span name, unsigned flags,
                                 struct dit_key_orders *orders);

#endif
