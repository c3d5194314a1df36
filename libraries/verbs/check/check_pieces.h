/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index keys and nodes are dealt into buckets by a hash, and each bucket has a sum
 * (check_sums.h, check_tree_sums.h). If the sum of a bucket is wrong, its pieces are
 * collected in memory, sorted and compared: the postings of a key, the records about a
 * node.
 *
 * If all of them do not fit, there are several passes: each takes the pieces whose hashes
 * lie in a window. A pass that does not fit either ends early, and is begun again with
 * half the window.
 *
 *   dit_check_pieces_init()
 *   do {
 *           for each piece: _add(); DIT_E_FULL: _narrow(), and all pieces again
 *           dit_check_pieces_sort();  _find() ...
 *   } while (dit_check_pieces_next())
 *   dit_check_pieces_deinit()
 *
 * Threads: belongs to one thread at a time.
 */
#ifndef DITKIT_CHECK_PIECES_H
#define DITKIT_CHECK_PIECES_H

#include <stdbool.h>

#include "base/arena.h"

/* ---- buckets ---- */

#define DIT_CHECK_NBUCKETS 256u

/** Some of the buckets; zero is none. */
struct dit_check_buckets {
	uint64_t words[DIT_CHECK_NBUCKETS / 64];
};

/** Another hash for each number: the factor is odd. Its upper bits depend on all bits of
 * the number. */
static inline uint64_t dit_check_hash(uint64_t number)
{
	return number * UINT64_C(0x9e3779b97f4a7c15);
}

/** The number that has this hash: the product of both factors is 1 modulo 2^64. */
static inline uint64_t dit_check_unhash(uint64_t hash)
{
	return hash * UINT64_C(0xf1de83e19937733d);
}

static inline unsigned dit_check_bucket(uint64_t hash)
{
	return (unsigned)(hash >> 56);
}

static inline void dit_check_buckets_add(struct dit_check_buckets *buckets,
                                         unsigned bucket)
{
	buckets->words[bucket / 64] |= UINT64_C(1) << bucket % 64;
}

static inline bool dit_check_buckets_has(const struct dit_check_buckets *buckets,
                                         unsigned bucket)
{
	return (buckets->words[bucket / 64] >> bucket % 64 & 1) != 0;
}

/* ---- pieces ---- */

struct dit_check_piece {
	uint64_t hash; /* of its key, or of its node */
	uint64_t rank; /* in the order of these pieces; one piece of each rank is kept */
	uint64_t words[3]; /* the user's */
};

struct dit_check_pieces {
	struct dit_check_piece *list; /* owned */
	size_t n;
	size_t size;
	size_t same_max;    /* of one hash the first so many are kept, and the last one */
	uint64_t bytes_max; /* of all; a window of one hash may have more */
	uint64_t first;     /* hash of the window ... */
	uint64_t last;      /* ... to this one */
	struct dit_arena texts; /* of the pieces */
	uint64_t text_bytes;
};

/** @param memory_bytes  what pieces and their sort may take, about */
void dit_check_pieces_init(struct dit_check_pieces *pieces, uint64_t memory_bytes,
                           size_t same_max);
void dit_check_pieces_deinit(struct dit_check_pieces *pieces);

/** Is the hash in the window? */
static inline bool dit_check_pieces_want(const struct dit_check_pieces *pieces,
                                         uint64_t hash)
{
	return hash >= pieces->first && hash <= pieces->last;
}

/** A piece that is wanted. @return 0; -ENOMEM; DIT_E_FULL: they do not fit */
int dit_check_pieces_add(struct dit_check_pieces *pieces,
                         const struct dit_check_piece *piece);

/** Begin again, with half of the window. */
void dit_check_pieces_narrow(struct dit_check_pieces *pieces);
/** Forget the pieces; a window of all hashes above. False: there are none. */
bool dit_check_pieces_next(struct dit_check_pieces *pieces);

/** Sort by hash and rank, when all pieces are there. */
void dit_check_pieces_sort(struct dit_check_pieces *pieces);
/** The number of pieces that have the hash of the one at @p first. */
size_t dit_check_pieces_same(const struct dit_check_pieces *pieces, size_t first);

#endif
