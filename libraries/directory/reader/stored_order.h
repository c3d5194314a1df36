/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The orders of back-mdb's databases (storage.md 1.2, 1.3), for whoever reads them
 * without liblmdb: what keys and items are compared by, and how long they are.
 *
 * Threads: no state.
 */
#ifndef DITKIT_STORED_ORDER_H
#define DITKIT_STORED_ORDER_H

#include "walk/walk.h"

/**
 * Fit the orders to the database's name. Records of id2v are in an order that depends on
 * their attribute; that one is not known here.
 *
 * @param ctx  not used
 */
void dit_stored_order(void *ctx, struct dit_span name, unsigned flags,
                      struct dit_key_orders *orders);

/** Is it one of back-mdb's own databases, and no index? */
bool dit_stored_is_fixed(struct dit_span name);

/**
 * Are these the flags that back-mdb gives a database of that name? Index databases may
 * have integer keys or not. What LMDB stores beside the flags does not count.
 */
bool dit_stored_flags_are_right(struct dit_span name, unsigned flags);

#endif
