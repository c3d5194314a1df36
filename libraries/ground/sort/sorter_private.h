/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of the general sorter.
 *
 * How a view gets along with a producer that goes on: everything a producer has is in
 * its list of runs and in its batch. A batch only grows, and its number of records is
 * published after each; a run never changes. When a batch becomes a run, or runs become
 * one run, the new is made next to the old and put in its place under the producer's
 * lock. A view takes the lock to read the list, the batch and its number, and to take a
 * reference on each; that is its consistent state. So a push takes no lock.
 */
#ifndef DITKIT_SORTER_PRIVATE_H
#define DITKIT_SORTER_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "sort/merge_heap.h"
#include "sort/radix.h"
#include "sort/run_file.h"
#include "sort/sort.h"

/* ---- records in memory ---- */

/** A record in memory: key, then value. */
struct dit_sort_stored {
	uint32_t key_len; /* or DIT_SORT_LINK */
	uint32_t value_len;
	char bytes[];
};

/** In place of a record: the next one lies elsewhere, and the bytes point to it. */
#define DIT_SORT_LINK UINT32_MAX

/** The record of an item; the item's key is a part of the record's key. */
static inline const struct dit_sort_stored *dit_sort_stored(const struct dit_pair *item)
{
	return (const struct dit_sort_stored *)(uintptr_t)item->value;
}

/** Bytes that a record takes: a multiple of 8. */
static inline size_t dit_sort_stored_size(size_t key_len, size_t value_len)
{
	return (sizeof(struct dit_sort_stored) + key_len + value_len + 7) & ~(size_t)7;
}

/**
 * Records in the order of pushing. The last reference frees it.
 */
struct dit_sort_batch {
	atomic_uint nrefs; /* [atomic: acquire-release, as usual for references] */
	/* [own: the producer's thread] They do not move. After the newest one is room for
	 * a link. */
	struct dit_arena records;
	const struct dit_sort_stored *first; /* [const] once there is one */
	/* [atomic: raised with release once a record is complete, loaded with acquire] */
	atomic_size_t nrecords;
};

/** An empty batch with one reference, or NULL. */
struct dit_sort_batch *dit_sort_batch_new(const struct dit_sorter *sorter);
void dit_sort_batch_drop(struct dit_sort_batch *batch);

/* ---- order ---- */

struct dit_sort_order {
	dit_sort_order_fn compare; /* NULL: bytewise */
	void *ctx;
};

/** Eight bytes of a key from @p at on, as a number that compares as they do. */
uint64_t dit_sort_word(const char *key, size_t key_len, size_t at);

/**
 * A number that is smaller for a smaller key; the same for all, where bytes say
 * nothing.
 */
static inline uint64_t dit_sort_prefix(const struct dit_sort_order *order,
                                       struct dit_span key)
{
	return order->compare == NULL ? dit_sort_word(key.data, key.len, 0) : 0;
}

static inline int dit_sort_compare(const struct dit_sort_order *order, struct dit_span a,
                                   struct dit_span b)
{
	return order->compare != NULL ? order->compare(order->ctx, a, b)
	                              : dit_span_compare(a, b);
}

/**
 * Items of the first @p n records in key order, of equal keys in the order of pushing.
 *
 * @param items  gets them; grows as needed, as does @p spare, and is the caller's also
 *               after an error
 *
 * @return 0 or -ENOMEM
 */
int dit_sort_batch_sort(const struct dit_sort_order *order,
                        const struct dit_sort_batch *batch, size_t n,
                        struct dit_buffer *items, struct dit_buffer *spare);

/* ---- runs ---- */

/** The first record that begins in a block. */
struct dit_sort_fence {
	uint64_t prefix; /* of its key */
	uint64_t place;  /* in the segment */
};

/** A run file with one segment. Const but for the references; the last one frees it. */
struct dit_sort_run {
	atomic_uint nrefs; /* [atomic: acquire-release] */
	int fd;
	unsigned level; /* dit_fan_in() */
	struct dit_run_segment segment;
	struct dit_sort_fence *fences; /* one per block in which a record begins */
	size_t nfences;
	size_t fences_size;
};

void dit_sort_run_drop(struct dit_sort_run *run);

struct dit_sort_producer {
	/* [const] */
	struct dit_sorter *sorter;

	/* [own: the producer's thread, until pushing ends] */
	struct dit_buffer items; /* scratch of sorting */
	struct dit_buffer spare;
	struct dit_run_writer writer;
	size_t runs_size;
	int error; /* the first one */

	pthread_mutex_t lock;

	/* [lock: lock] for changes, by the producer; which reads them without */
	struct dit_sort_batch *batch;
	bool is_sorted;             /* pushing has ended: its items are const */
	struct dit_sort_run **runs; /* oldest first */
	size_t nruns;
};

/** Sort the records of a producer and write them as a run. 0 or a negative error */
int dit_sort_spill(struct dit_sort_producer *producer);
/** Sort what a producer holds in memory into its items. 0 or -ENOMEM */
int dit_sort_memory(struct dit_sort_producer *producer);

/* ---- merging ---- */

/** Values of one key on their way to one value. */
#define DIT_SORT_LEVELS 48 /* 2^48 values of one key */

struct dit_sort_combiner {
	dit_sort_merge_fn merge;
	void *ctx;
	struct {
		struct dit_arena arena;
		struct dit_span value;
		bool is_used;
	} levels[DIT_SORT_LEVELS + 1];
	unsigned nlevels; /* used since the last reset */
};

/** A sorted sequence of records: items in memory or a run. */
struct dit_sort_source {
	struct dit_sort_record record; /* the current one */
	uint64_t prefix;               /* of its key */
	const struct dit_sort_order *order;
	size_t number; /* sources with lower numbers are older */

	const struct dit_pair *items; /* memory */
	size_t nitems;
	size_t at; /* after the current item */

	const struct dit_sort_run *run; /* NULL: memory */
	struct dit_run_reader reader;
	char *buffer; /* a record that straddles blocks */
	size_t buffer_size;
};

/** Where to read. The spans are borrowed; NULL data: open on that side. */
struct dit_sort_bounds {
	struct dit_span from;
	struct dit_span to;
	bool has_to; /* the range includes @p to */
};

struct dit_sort_merge {
	const struct dit_sort_order *order;
	struct dit_sort_source *sources;
	size_t nsources;
	struct dit_heap heap; /* of sources not at their end */
	struct dit_sort_combiner combiner;
	struct dit_arena key; /* of the record given out */
	struct dit_sort_bounds bounds;
	bool is_given; /* the record on top has been given out */
	int error;     /* the first one since start */
};

/** @param max most sources that will be added. 0 or -ENOMEM */
int dit_sort_merge_init(struct dit_sort_merge *merge, const struct dit_sorter *sorter,
                        size_t max);
/** A zeroed merge is fine. */
void dit_sort_merge_deinit(struct dit_sort_merge *merge);
/** Sources are added oldest first, and borrowed. */
void dit_sort_merge_add_items(struct dit_sort_merge *merge, const struct dit_pair *items,
                              size_t nitems);
/** 0 or -ENOMEM */
int dit_sort_merge_add_run(struct dit_sort_merge *merge, const struct dit_sorter *sorter,
                           const struct dit_sort_run *run);
/** Begin, or begin again. 0; DIT_E_CORRUPT; -ENOMEM; -errno */
int dit_sort_merge_start(struct dit_sort_merge *merge,
                         const struct dit_sort_bounds *bounds);
/** As dit_sorter_next(). */
int dit_sort_merge_next(struct dit_sort_merge *merge, struct dit_sort_record *ret);

/* ---- the object ---- */

struct dit_sorter {
	/* [const] */
	struct dit_sorter_opts opts; /* the directory is owned, and fan_in chosen */
	struct dit_sort_order order;
	size_t share_bytes; /* of one producer */
	size_t slab_bytes;
	size_t block_bytes; /* of run files */
	struct dit_sort_producer **producers;

	/* [own: the thread that ends pushing and reads] */
	struct dit_sort_view *view; /* for dit_sorter_next() */
	struct dit_sort_cursor *cursor;
	bool was_finished; /* or it was tried */

	/* [atomic: statistics of all producers; relaxed] */
	_Atomic uint64_t run_bytes; /* written in all */
	atomic_size_t nruns;

	/* [atomic: a check of the calls' order] */
	atomic_size_t nviews;
};

#endif
