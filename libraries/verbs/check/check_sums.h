/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums tell without a sort whether an index is right: each posting has a digest, and the
 * digests of the stored postings have the same sum as those of the postings that the
 * entries make. Sums do not depend on the order, so each thread has its own.
 *
 *   dit_check_sums_new()
 *   dit_walk() with dit_check_sums_note() for each list
 *   dit_check_sums_end_walk()
 *   each member, for each entry:  _begin(), then _push() and _push_key() ...
 *   dit_check_sums_end()
 *   dit_check_sums_is_wrong(), _is_wanted(): what is compared posting by posting
 *   dit_check_sums_free()
 *
 * The keys of an index are dealt into buckets by a hash, and each bucket has a sum. A
 * bucket whose sums differ is wrong. So is one that sums cannot judge: it has a list that
 * is full or too long, or a wrong range; or an entry has very many keys. check_index.c
 * compares the postings of wrong buckets.
 *
 * A stored range has no IDs: its key is kept, and the IDs that entries make of this key
 * must lie within the range.
 *
 * If a bucket is right, its lists are those that check_index.c would accept, but for one
 * case in 2^64: the digests have 64 bits and a random seed, so nobody can make a file
 * for it.
 *
 * The walk's lists of the tree go on to check_tree_sums.h.
 *
 * Threads: members note side by side, and push side by side, each for itself; the rest is
 * one thread's.
 */
#ifndef DITKIT_CHECK_SUMS_H
#define DITKIT_CHECK_SUMS_H

#include "check/check_pieces.h"
#include "check/check_tree_sums.h"
#include "index/index_keys.h"
#include "walk/walk.h"

struct dit_check_sums;

struct dit_check_sums_opts {
	/* Borrowed. The formats of its keys count from the first push on */
	const struct dit_index_set *indexes;
	unsigned nmembers;
	/* For all members together: memory to find repeats among the keys of an entry */
	uint64_t memory_bytes;
	uint32_t list_max;      /* longest list of IDs; a longer one is a range */
	struct dit_span suffix; /* as in dit_check_tree_sums_new() */
};

/** @return 0; -ENOMEM; -errno of getrandom() */
int dit_check_sums_new(struct dit_check_sums **ret,
                       const struct dit_check_sums_opts *opts);
/** NULL is fine. */
void dit_check_sums_free(struct dit_check_sums *sums);

/** The sums of the tree; owned by those of the indexes. */
struct dit_check_tree_sums *dit_check_sums_tree(const struct dit_check_sums *sums);

/** For the callback of the walk. Errors are told by dit_check_sums_end_walk(). */
void dit_check_sums_note(struct dit_check_sums *sums, unsigned member,
                         const struct dit_walk_list *list);

/** After the walk. @return 0; -ENOMEM: also of what was noted */
int dit_check_sums_end_walk(struct dit_check_sums *sums);

/** The keys of the next entry follow. @param id  not 0 */
void dit_check_sums_begin(struct dit_check_sums *sums, unsigned member, uint64_t id);
/** Keys with ordinals (index_keys.h), repeats included. @return 0; -ENOMEM */
int dit_check_sums_push(struct dit_check_sums *sums, unsigned member, unsigned db,
                        const uint64_t *ordinals, size_t nkeys);
/** A key as it is stored. @return 0; -ENOMEM */
int dit_check_sums_push_key(struct dit_check_sums *sums, unsigned member, unsigned db,
                            struct dit_span key);

/** After the last entry: which buckets are wrong? */
void dit_check_sums_end(struct dit_check_sums *sums);

/** Has the index a wrong bucket? */
bool dit_check_sums_is_wrong(const struct dit_check_sums *sums, size_t db);
/** The hash of a key, if its bucket in the index is wrong. */
bool dit_check_sums_is_wanted(const struct dit_check_sums *sums, size_t db,
                              struct dit_span key, uint64_t *ret_hash);

#endif
