/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An external merge sort of records with byte keys and byte values, and a user-defined
 * merge of the values of equal keys.
 *
 *   dit_sorter_new();  dit_sorter_push()... (each producer on its own thread);
 *   dit_sorter_seal();  dit_sorter_next()...;  dit_sorter_free()
 *
 * Keys compare bytewise, the shorter first. Without a merge function records of equal
 * keys all come out, in the order of producer, then of pushing. With one, the values of
 * equal keys are combined pairwise, in any grouping: it must be associative.
 *
 * Memory: each producer collects records up to its share of the budget, then sorts them
 * and writes a run file, which is unlinked at once and carries checksums. Beyond the
 * budget there are a single record that is larger than the share, a write buffer of
 * 256 KiB per producer, and at the end a read buffer of at most 64 KiB per run.
 *
 * It knows nothing of LDAP or LMDB.
 */
#ifndef DITKIT_SORT_H
#define DITKIT_SORT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"

struct dit_sorter;

/**
 * Combine two values of one key.
 *
 * @param older, newer  borrowed; in the order in which they were pushed (by producer)
 * @param arena         for the result
 * @param ret           may point into the arena or be one of the inputs
 * @return 0 or an error, which ends the sort
 */
typedef int (*dit_sort_merge_fn)(void *ctx, struct dit_span key, struct dit_span older,
                                 struct dit_span newer, struct dit_arena *arena,
                                 struct dit_span *ret);

struct dit_sorter_opts {
	unsigned nproducers;
	size_t memory_bytes;     /* all producers together, at least 64 KiB each */
	const char *tmpdir;      /* copied */
	dit_sort_merge_fn merge; /* NULL: keep all records */
	void *merge_ctx;
};

/** 0; -EINVAL (no producers, less than 64 KiB for each); -ENOMEM */
int dit_sorter_new(struct dit_sorter **ret, const struct dit_sorter_opts *opts);
void dit_sorter_free(struct dit_sorter *sorter);

/**
 * Add a record; key and value are copied, each at most 1 GiB.
 *
 * @return 0; -EINVAL (too long); -ENOMEM; -ENOSPC and other -errno of writing a run; the
 *         first error sticks to the producer
 */
int dit_sorter_push(struct dit_sorter *sorter, unsigned producer, struct dit_span key,
                    struct dit_span value);

/**
 * No more pushes; producers at rest. Sorts what is in memory, on the calling thread. Then
 * dit_sorter_next() from one thread.
 *
 * @return 0; the first error of any producer; -EINVAL (called before); DIT_E_CORRUPT;
 *         -ENOMEM; -errno
 */
int dit_sorter_seal(struct dit_sorter *sorter);

struct dit_sort_record {
	struct dit_span key; /* valid until the next call */
	struct dit_span value;
};

/** @return 1; 0: end; DIT_E_CORRUPT: a damaged run; -EINVAL: not sealed; -errno */
int dit_sorter_next(struct dit_sorter *sorter, struct dit_sort_record *ret);

/** Bytes written to run files so far. Producers must be at rest. */
uint64_t dit_sorter_run_bytes(const struct dit_sorter *sorter);

#endif
