/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The canonical order of marks: within each run of code points whose combining class is
 * not 0, the lower class comes first, and equal classes keep their places.
 * For the files of this room only.
 *
 * Threads: no state; the arena belongs to the caller.
 */
#ifndef DITKIT_MARK_ORDER_H
#define DITKIT_MARK_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/** The combining class of a code point. @param ctx as given to dit_mark_order() */
typedef uint8_t (*dit_mark_class_fn)(void *ctx, uint32_t point);

/**
 * Bring all marks into canonical order.
 *
 * @param points    n code points, changed
 * @param class_of  is called twice for each code point
 * @param arena     lends memory for the time of the call
 *
 * @return 0; -ENOMEM: nothing has changed
 */
int dit_mark_order(uint32_t *points, size_t n, dit_mark_class_fn class_of, void *ctx,
                   struct dit_arena *arena);

#endif
