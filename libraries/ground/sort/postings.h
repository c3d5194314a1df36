/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Postings: an external merge sort of (key, ID) pairs whose merge is the union of posting
 * lists, many lists ("streams") side by side.
 *
 *   dit_postings_new();
 *   many producers, each on its own thread:  dit_postings_push()...
 *   one thread, producers at rest:           dit_postings_finish()
 *   the same, if need be:                    dit_postings_cut()
 *   per stream or part of one, any thread,   dit_posting_cursor_open(), _next()...,
 *   each once:                               _close()
 *   dit_postings_free()
 *
 * A key is a 64-bit ordinal, or, in 32-bit streams, one below 2^32. An ID is
 * never 0 and at most 2^48 - 1 in 64-bit streams, 2^32 - 1 in others, where key and ID
 * share a machine word.
 *
 * A list that outgrows the limit collapses to the range of its smallest and largest ID.
 * Pushing the same pair twice counts: a list that is exactly full becomes a range if the
 * entry that filled it pushed the key once more (storage.md 5.4); everything else is a
 * set.
 *
 * Memory: a pair takes 4 bytes while it waits (8 in 64-bit streams), and each call of
 * push 4 more; while its stream is sorted, 16 more (32). The budget counts both, for as
 * many streams as there are producers. Each producer collects pairs up to its share of
 * the budget, then sorts and writes them as one run file (all streams, collapsed,
 * checksummed), so runs are written by the producers' threads. Below the budget nothing
 * is written. Run files are unlinked as soon as they are open: a killed process leaves
 * nothing. Beyond the budget there are a write buffer of 256 KiB per producer, and a read
 * buffer of at most 64 KiB per run and open cursor.
 *
 * It knows nothing of LDAP or LMDB.
 */
#ifndef DITKIT_POSTINGS_H
#define DITKIT_POSTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ids.h"
#include "base/shared.h"

struct dit_late_table; /* posting_list.h */
struct dit_postings;

struct dit_postings_opts {
	unsigned nstreams;
	const bool *is_64bit;     /* per stream: keys need 64 bits, not 32; copied */
	struct dit_shared shared; /* each thread is a producer */
	size_t memory_bytes;      /* for pairs not yet written, all producers together */
	uint32_t list_max;        /* longest list, 2^idlexp - 1 */
};

/** @return 0; -EINVAL (no producers, less than 64 KiB for each, list_max 0); -ENOMEM */
int dit_postings_new(struct dit_postings **ret, const struct dit_postings_opts *opts);
/** Also before finish, and after errors. */
void dit_postings_free(struct dit_postings *postings);

/**
 * Add the keys of one entry to a stream.
 *
 * @param producer  0 .. nthreads - 1; each number belongs to one thread
 * @param id        IDs of one producer usually ascend; they need not
 *
 * @return 0; -EINVAL (ID 0); -EOVERFLOW (ID too high); DIT_E_STOPPED; -ENOMEM; -ENOSPC
 *         and other -errno of writing a run; the first error sticks to the producer
 */
int dit_postings_push(struct dit_postings *postings, unsigned producer, unsigned stream,
                      uint64_t id, const uint64_t *ordinals, size_t nkeys);

/**
 * An entry took an ID that was given out earlier (a hole was filled), so IDs are not in
 * input order there: @p id counts as inserted just before @p next_id. Only matters to
 * lists that are exactly full. One thread, before finish; producers may be at work. 0 or
 * -ENOMEM
 */
int dit_postings_note_late(struct dit_postings *postings, uint64_t id, uint64_t next_id);
/** The noted keys, sorted, for lists that are made elsewhere. After finish. */
const struct dit_late_table *dit_postings_late(const struct dit_postings *postings);

/** No more pushes. Producers must be at rest. 0 or the first error of any producer. */
int dit_postings_finish(struct dit_postings *postings);

/** Bytes of all run files so far. Any thread, at any time. */
uint64_t dit_postings_run_bytes(const struct dit_postings *postings);
/** Pairs pushed to one stream so far. Any thread, at any time. */
uint64_t dit_postings_stream_npushed(const struct dit_postings *postings,
                                     unsigned stream);

/* Most parts of a stream, a power of two. Each part looks at all pairs in memory, so more
 * of them would gain little and cost much. */
#define DIT_POSTING_PARTS_BITS 2
#define DIT_POSTING_PARTS_MAX  (1u << DIT_POSTING_PARTS_BITS)

/**
 * Cut a stream into parts, so that several threads can sort it. Each part has an equal
 * share of all keys that are possible, however many pairs have them. The keys of a part
 * are lower than those of the next one. After finish, before the stream is opened.
 *
 * @param nparts  a power of two, DIT_POSTING_PARTS_MAX at most
 */
void dit_postings_cut(struct dit_postings *postings, unsigned stream, unsigned nparts);

struct dit_posting_cursor;

/**
 * Iterate one stream, or a part of one, in key order, merged over producers and runs.
 * Sorting what is still in memory happens here, on the calling thread. Each part can be
 * opened once. When all parts of a stream are closed, its memory passes to the next
 * cursors, and its disk space to the system. Different parts may be open on different
 * threads.
 *
 * @param part  0 to nparts - 1; 0 of a stream that is not cut
 *
 * @return 0; -EINVAL (not finished, opened before); DIT_E_CORRUPT; DIT_E_STOPPED;
 *         -ENOMEM; -errno
 */
int dit_posting_cursor_open(struct dit_posting_cursor **ret,
                            struct dit_postings *postings, unsigned stream,
                            unsigned part);
/**
 * The next lists: several where all postings of the stream are in memory, one where runs
 * are merged.
 *
 * @param ret  room for @p max lists, at least 1
 *
 * @return how many, valid until the next call; 0: end; DIT_E_CORRUPT; DIT_E_STOPPED;
 *         -errno
 */
ptrdiff_t dit_posting_cursor_next(struct dit_posting_cursor *cursor,
                                  struct dit_posting_list *ret, size_t max);
/** Pairs of these lists, about: their number is known of the stream alone. The thread of
 * the cursor. */
uint64_t dit_posting_cursor_nread(const struct dit_posting_cursor *cursor);
void dit_posting_cursor_close(struct dit_posting_cursor *cursor);

#endif
