/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An external merge sort of records with byte keys and byte values, whose user defines
 * the order of keys and what becomes of values of equal keys. Until the end, and while
 * others go on pushing, any thread can look at what is there: a key, a range, all of it.
 *
 *     struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;
 *     struct dit_sorter *sorter;
 *     struct dit_sort_record record;
 *
 *     opts.merge = add_up;
 *     r = dit_sorter_new(&sorter, &opts);
 *     r = dit_sorter_push(sorter, 0, key, value);    again and again
 *     r = dit_sorter_seal(sorter);
 *     while ((r = dit_sorter_next(sorter, &record)) > 0) {
 *             use(record.key, record.value);         in key order
 *     }
 *     dit_sorter_free(sorter);
 *
 * and, at any time between new and free:
 *
 *     r = dit_sort_view_open(&view, sorter);         what is there now
 *     r = dit_sort_cursor_open(&cursor, view);
 *     found = dit_sort_cursor_get(cursor, key, &record);
 *     r = dit_sort_cursor_range(cursor, from, to);
 *     while ((r = dit_sort_cursor_next(cursor, &record)) > 0) ...
 *     dit_sort_cursor_close(cursor);
 *     dit_sort_view_close(view);
 *
 * doc/sort.md explains it and shows three merges: replace, sum, union.
 *
 * Order of equal keys: by producer, then by time of pushing. Without a merge function the
 * records come out in that order; with one, values are combined in that order, but in any
 * grouping: when a run is written, when runs are merged, and when they are read.
 *
 * Memory: each producer collects records up to its share of the budget; sorting them is
 * included. Then they are written to a run, a temporary file without a name, which is
 * gone when the process ends, however it ends. Beyond the budget there are
 *
 *   - a single record that is larger than the share;
 *   - per producer, a write buffer of 256 KiB, and while runs are merged the
 *     read buffers;
 *   - for look-ups, 16 bytes for every block (share / 64, at most 16 KiB) of
 *     the runs;
 *   - per cursor, and for dit_sorter_next(), a read buffer of a block for
 *     each run;
 *   - per view, 32 bytes (16 when it is open) for each record in memory at
 *     that time; and as long as it is open the memory of these records,
 *     though they are written to a run by then.
 *
 * Runs: as soon as a producer has fan_in of them of one level, these are merged into one
 * of the next level, within the push that wrote the last. So there are at most
 * (fan_in - 1) * levels per producer, and levels grow with the logarithm of the data. A
 * run is one file descriptor. Runs carry checksums.
 *
 * Threads: one per producer; one that ends pushing and calls next, when the producers are
 * at rest; any number that open views. A view may be used by several threads at once, a
 * cursor by one at a time. The caller's functions are called by all of these threads,
 * also at once, and never with a lock held.
 *
 * Errors: 0 or positive is success; dit_strerror() explains the rest.
 */
#ifndef DITKIT_SORT_H
#define DITKIT_SORT_H

#include <stddef.h>
#include <stdint.h>

#include <ditkit/error.h>
#include <ditkit/span.h>

struct dit_arena;
struct dit_sorter;

/** Longest key and longest value, in bytes. */
#define DIT_SORT_PART_MAX ((size_t)1 << 30)
/** Smallest share of a producer, in bytes. */
#define DIT_SORT_SHARE_MIN ((size_t)64 << 10)

/**
 * The order of keys.
 *
 * @return below, equal to or above 0, as @p a comes before, equals or follows @p b; the
 *         same answer always. If equal keys have different bytes, the oldest is kept.
 */
typedef int (*dit_sort_order_fn)(void *ctx, struct dit_span a, struct dit_span b);

/**
 * Combine two values of one key. Must be associative: (a b) c is a (b c).
 *
 * @param older, newer  borrowed, at any address
 * @param arena         for the result: dit_sort_alloc()
 * @param ret           the result: from @p arena, or a part of one of the inputs; at most
 *                      DIT_SORT_PART_MAX long
 * @return 0; anything negative ends the push or the reading and is returned there
 */
typedef int (*dit_sort_merge_fn)(void *ctx, struct dit_span key, struct dit_span older,
                                 struct dit_span newer, struct dit_arena *arena,
                                 struct dit_span *ret);

/** @return @p size bytes, aligned to 8, for the result of a merge; NULL: no memory */
DIT_PUBLIC void *dit_sort_alloc(struct dit_arena *arena, size_t size);

struct dit_sorter_opts {
	size_t size;         /* of this struct: DIT_SORTER_OPTS_INIT sets it */
	unsigned nproducers; /* threads that push; 1 by default */
	/* All producers together; at least DIT_SORT_SHARE_MIN each. 64 MiB by default. */
	size_t memory_bytes;
	const char *tmpdir;      /* copied; NULL or empty: $TMPDIR, else /tmp */
	dit_sort_merge_fn merge; /* NULL: keep all records */
	void *merge_ctx;
	/* NULL: byte by byte, a key before those that begin with it; much faster. */
	dit_sort_order_fn order;
	void *order_ctx;
	/*
	 * Runs merged into one, 2 or more; 0: 256 / producers, within 4 and 64, which
	 * keeps descriptors few and writes most records once or twice. Small numbers
	 * make look-ups faster and write more.
	 */
	unsigned fan_in;
	struct dit_run_cipher *cipher; /* the library's own use; NULL */
};

/** Options to begin with: all defaults. Not for static objects. */
#define DIT_SORTER_OPTS_INIT dit_sorter_opts_init()
DIT_OPTS(dit_sorter_opts, opts.nproducers = 1, opts.memory_bytes = (size_t)64 << 20)

/** @return 0; -EINVAL (options out of range); -ENOMEM; -errno */
DIT_PUBLIC int dit_sorter_new(struct dit_sorter **ret,
                              const struct dit_sorter_opts *opts);

/** Views and cursors must be closed. NULL is fine. */
DIT_PUBLIC void dit_sorter_free(struct dit_sorter *sorter);

/**
 * Add a record; key and value are copied.
 *
 * @param producer  0 .. nproducers-1, each on one thread at a time
 * @return 0; DIT_E_TOOLONG; -EINVAL (no such producer; pushing has ended); -ENOMEM;
 *         -ENOSPC and other -errno of writing a run; DIT_E_CORRUPT (a run to be merged is
 *         damaged); what the merge function returned. After an error this record is not
 *         in, those before are and can be viewed; the error sticks to the producer.
 */
DIT_PUBLIC int dit_sorter_push(struct dit_sorter *sorter, unsigned producer,
                               struct dit_span key, struct dit_span value);

/**
 * No more pushes; producers at rest. Sorts what is in memory, on the calling thread. Then
 * dit_sorter_next() from one thread.
 *
 * @return 0; the first error of any producer; -EINVAL (called before); -ENOMEM
 */
DIT_PUBLIC int dit_sorter_seal(struct dit_sorter *sorter);

/** Both point into the sorter or cursor, at any address, until its next call. */
struct dit_sort_record {
	struct dit_span key;
	struct dit_span value;
};

/**
 * @return 1: the next record of all; 0: end; DIT_E_CORRUPT: a damaged run; -EINVAL:
 *         before dit_sorter_seal(); -ENOMEM; -errno; what the merge function returned.
 *         Errors stick.
 */
DIT_PUBLIC int dit_sorter_next(struct dit_sorter *sorter, struct dit_sort_record *ret);

/** Bytes written to runs so far, those of runs merged since included. Any thread. */
DIT_PUBLIC uint64_t dit_sorter_run_bytes(const struct dit_sorter *sorter);
/** Runs that there are now. Any thread. */
DIT_PUBLIC size_t dit_sorter_nruns(const struct dit_sorter *sorter);

/**
 * The records of a sorter at one time: all records whose push had returned when
 * dit_sort_view_open() was called, and of those pushed during that call, by each
 * producer, the first few. It stays so, whatever is pushed, written or merged.
 */
struct dit_sort_view;

/**
 * Sorts a copy of the pointers to records in memory, on the calling thread; producers go
 * on. After dit_sorter_seal() it costs next to nothing.
 *
 * @return 0 or -ENOMEM
 */
DIT_PUBLIC int dit_sort_view_open(struct dit_sort_view **ret, struct dit_sorter *sorter);
/** Its cursors must be closed. NULL is fine. */
DIT_PUBLIC void dit_sort_view_close(struct dit_sort_view *view);

/** A reader of a view. */
struct dit_sort_cursor;

/** It starts before the first record. 0 or -ENOMEM */
DIT_PUBLIC int dit_sort_cursor_open(struct dit_sort_cursor **ret,
                                    const struct dit_sort_view *view);
/** NULL is fine. */
DIT_PUBLIC void dit_sort_cursor_close(struct dit_sort_cursor *cursor);

/**
 * Go before the first record of a range.
 *
 * @param from, to  keys; @p to itself is not in the range. NULL data: open on that side
 * @return 0; DIT_E_CORRUPT; -ENOMEM; -errno
 */
DIT_PUBLIC int dit_sort_cursor_range(struct dit_sort_cursor *cursor, struct dit_span from,
                                     struct dit_span to);

/** As dit_sorter_next(), within the range. Errors stick until the next range or get. */
DIT_PUBLIC int dit_sort_cursor_next(struct dit_sort_cursor *cursor,
                                    struct dit_sort_record *ret);

/**
 * Look up one key. Without a merge function this gives its oldest record, and
 * dit_sort_cursor_next() the others.
 *
 * @return 1; 0: no such key; errors as dit_sort_cursor_next()
 */
DIT_PUBLIC int dit_sort_cursor_get(struct dit_sort_cursor *cursor, struct dit_span key,
                                   struct dit_sort_record *ret);

#endif
