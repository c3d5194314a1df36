/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a constructor.
 *
 *   r = r ?: the_last_step(object);
 *   return DIT_HAND_OVER(r, ret, object, thing_free);
 *
 * Threads: no state.
 */
#ifndef DITKIT_OBJECT_H
#define DITKIT_OBJECT_H

/** The caller owns the object in *ret, or after an error it is released. @return 0; @p r
 * if that is negative */
#define DIT_HAND_OVER(r, ret, object, release)                                           \
 ((r) < 0 ? ((release)(object), (r)) : (*(ret) = (object), 0))

#endif
