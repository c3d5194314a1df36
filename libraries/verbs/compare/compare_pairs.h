/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of two databases, two by two: those that have one DN are a pair.
 *
 *   dit_entry_pairs_new();  dit_entry_pairs_next() ...;  dit_entry_pairs_number() ...
 *   dit_entry_pairs_free()
 *
 * First come the entries of the first database in the order of their IDs, each with its
 * twin or alone; then those of the second that have none. Holes are passed over. An entry
 * whose DN cannot be read is the twin of such a one that has its ID.
 *
 * Memory: 32 bytes for each entry of the second, 16 for each of the first.
 *
 * Threads: a walk belongs to one thread, like the two readers.
 */
#ifndef DITKIT_COMPARE_PAIRS_H
#define DITKIT_COMPARE_PAIRS_H

#include "reader/entry_reader.h"

struct dit_entry_pairs;

/** An entry of this side was read. 0; an error, which ends the walk */
typedef int (*dit_entry_pairs_step_fn)(void *ctx, int side);

/**
 * Read the DNs of the second database.
 *
 * @param readers  of both; borrowed. The walk moves them
 *
 * @return 0; what the step returned; -ENOMEM; LMDB's codes
 */
int dit_entry_pairs_new(struct dit_entry_pairs **ret,
                        struct dit_entry_reader *const readers[2],
                        dit_entry_pairs_step_fn step, void *ctx);
/** NULL is fine. */
void dit_entry_pairs_free(struct dit_entry_pairs *pairs);

/**
 * @param ret  both entries of a pair; NULL: the other database has this one alone. Valid
 *             until the next call
 *
 * @return 1; 0: there are no more; errors as above
 */
int dit_entry_pairs_next(struct dit_entry_pairs *pairs,
                         const struct dit_entry_view *ret[2]);
/** The two that next() found last differ. */
void dit_entry_pairs_mark(struct dit_entry_pairs *pairs);

/*
 * After the last pair: pairs have numbers, in the order of the second's IDs.
 */

#define DIT_PAIR_NONE  SIZE_MAX       /* no entry has the ID */
#define DIT_PAIR_ALONE (SIZE_MAX - 1) /* the other database does not have the entry */

/** The pair of an entry of one side. */
size_t dit_entry_pairs_number(const struct dit_entry_pairs *pairs, int side, uint64_t id);
/** Numbers are below this one; entries of the second alone have numbers, too. */
size_t dit_entry_pairs_end(const struct dit_entry_pairs *pairs);
uint64_t dit_entry_pairs_id(const struct dit_entry_pairs *pairs, size_t number, int side);
bool dit_entry_pairs_is_marked(const struct dit_entry_pairs *pairs, size_t number);

#endif
