/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The size of each named database, collected during a walk (walk.h): its share of range
 * keys and its longest lists as well.
 *
 *   dit_check_sizes_new()
 *   dit_walk() with dit_check_sizes_note() and dit_check_sizes_take()
 *   dit_check_sizes_tell();  dit_check_sizes_free()
 *
 * Threads: members note side by side, each for itself; the rest is one thread's.
 */
#ifndef DITKIT_CHECK_SIZES_H
#define DITKIT_CHECK_SIZES_H

#include "check/check.h"
#include "walk/walk.h"

struct dit_check_sizes;

/** 0 or -ENOMEM. */
int dit_check_sizes_new(struct dit_check_sizes **ret, unsigned nmembers);
/** NULL is fine. */
void dit_check_sizes_free(struct dit_check_sizes *sizes);

/** Callbacks of the walk; ctx is the object. A database is taken when all members have
 * noted its lists. */
void dit_check_sizes_note(void *ctx, unsigned member, const struct dit_walk_list *list);
void dit_check_sizes_take(void *ctx, const struct dit_walk_size *size);

/** The list of a key, if it is one of the longest, without a value so far: the value that
 * it gets is owned by the sizes. Else NULL */
struct dit_check_list *dit_check_sizes_list(const struct dit_check_sizes *sizes,
                                            const char *name, struct dit_span key);

/** Tell all databases, by name. @return 0 or -ENOMEM: something could not be noted */
int dit_check_sizes_tell(const struct dit_check_sizes *sizes, const char *file,
                         unsigned page_bytes, dit_check_database_fn told, void *ctx);

#endif
