/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of the postings: the object, its producers, runs, and the merge. */
#ifndef DITKIT_POSTINGS_PRIVATE_H
#define DITKIT_POSTINGS_PRIVATE_H

#include <stdatomic.h>

#include "base/slab.h"
#include "sort/merge_heap.h"
#include "sort/posting_list.h"
#include "sort/postings.h"
#include "sort/run_file.h"

/** 32-bit units of a bucket; the producer knows the size. */
struct dit_chunk {
	struct dit_chunk *next;
	uint32_t *end; /* after the units in use; not set in the last one of a bucket */
	uint32_t units[];
};

/** The pairs of one stream of one producer: a list of chunks, all full but the last. */
struct dit_bucket {
	uint32_t *at; /* next unit of the last chunk */
	uint32_t *end;
	struct dit_chunk *first;
	struct dit_chunk *last;
	size_t npairs; /* in the chunks */
	uint64_t last_id;
	bool is_ascending; /* IDs came in order */
	/* [atomic: raised by the producer alone; relaxed, an old number does no harm] */
	_Atomic uint64_t npushed;
};

/**
 * A run file. The lists of a stream are segments, one for each cell: a cell has the keys
 * with the same highest bits (DIT_POSTING_PARTS_BITS); a part of a stream is some cells.
 */
struct dit_posting_run {
	int fd;
	unsigned level;                                        /* dit_fan_in() */
	struct dit_run_segment cells[][DIT_POSTING_PARTS_MAX]; /* by stream */
};

/** Sorted words, and as much memory to sort them in. Zero is none. */
struct dit_sorted_words {
	struct dit_buffer words;
	struct dit_buffer spare;
	size_t nwords;
};

static inline void dit_sorted_words_drop(struct dit_sorted_words *sorted)
{
	dit_buffer_drop(&sorted->words);
	dit_buffer_drop(&sorted->spare);
}

/** Cursors of one stream. */
struct dit_posting_stream {
	unsigned nparts; /* [const] once a part is open */

	/* [atomic: a bit for each part that was opened; relaxed] */
	_Atomic uint32_t opened;
	/* [atomic: parts that are closed; acquire and release: the last one gives the
	 * chunks and the disk space back] */
	_Atomic unsigned nclosed;
};

struct dit_producer {
	/* [const] */
	struct dit_postings *postings;

	/* [own: the producer's thread, until finish] */
	struct dit_bucket *buckets;     /* one per stream */
	size_t chunk_bytes;             /* [const] a power of two */
	size_t nchunks;                 /* in all buckets */
	size_t nwords_biggest;          /* of the largest bucket, its last chunk filled */
	struct dit_sorted_words sorted; /* scratch of sorting */
	struct dit_run_writer writer;
	struct dit_list list;
	struct dit_posting_run **runs; /* oldest first */
	size_t nruns;
	size_t runs_size;
	uint32_t nspills_seen; /* of those that others began */
	int error;             /* the first one */
};

struct dit_postings {
	/* [const] */
	unsigned nstreams;
	struct dit_shared shared;
	bool *is_64bit;
	uint32_t list_max;
	size_t share_bytes; /* of one producer */
	size_t block_bytes; /* of run files */
	unsigned fan_in;    /* runs merged into one */

	/* [own: whoever finishes; const afterwards] */
	struct dit_producer **producers;
	struct dit_late_table late;
	bool is_finished;

	struct dit_posting_stream *streams;

	/* [atomic: a statistic, no order needed] */
	_Atomic uint64_t run_bytes;

	/* [atomic: a hint, no order needed] */
	_Atomic uint32_t nspills; /* that began because a share was used up */
};

/**
 * Words per pair when it is sorted: 32-bit keys share a word with the ID, 64-bit keys
 * have their own.
 */
static inline unsigned dit_stream_width(const struct dit_postings *postings,
                                        unsigned stream)
{
	return postings->is_64bit[stream] ? 2 : 1;
}

/** 4-byte units of a chunk. */
static inline size_t dit_chunk_nunits(const struct dit_producer *producer)
{
	return (producer->chunk_bytes - sizeof(struct dit_chunk)) / sizeof(uint32_t);
}

/**
 * Memory for sorting so many chunks. In the end as many streams as there are producers
 * are sorted side by side, and each takes two words for a word.
 *
 * @param nwords_biggest  as in the producer
 */
static inline size_t dit_producer_sort_bytes(const struct dit_producer *producer,
                                             size_t nchunks, size_t nwords_biggest)
{
	/* A unit becomes a word at most. */
	size_t all = nchunks * dit_chunk_nunits(producer);
	size_t open = nwords_biggest * producer->postings->shared.nthreads;

	return 2 * sizeof(uint64_t) * (open < all ? open : all);
}

/** Memory for the pairs that a producer has, and for sorting them. */
static inline size_t dit_producer_used_bytes(const struct dit_producer *producer)
{
	return producer->nchunks * producer->chunk_bytes +
	       dit_producer_sort_bytes(producer, producer->nchunks,
	                               producer->nwords_biggest);
}

/**
 * Add keys of one ID, as many as fit into one group of the last chunk.
 *
 * @param nkeys  1 at least
 * @return the number of keys added; 0: the chunk is full, or there is none
 */
size_t dit_bucket_put(struct dit_bucket *bucket, uint64_t id, const uint64_t *ordinals,
                      size_t nkeys, unsigned width);

/** The keys from one to another, both included. */
struct dit_key_range {
	uint64_t first;
	uint64_t last;
};

/**
 * Sort the pairs that producers have of one stream, which stay in their buckets.
 *
 * @param range  pairs of other keys are left out; NULL: all are wanted
 * @param ret    its memory grows as needed, and is the caller's also after an error
 *
 * @return 0 or -ENOMEM
 */
int dit_buckets_sort(struct dit_producer *const *producers, unsigned nproducers,
                     unsigned stream, const struct dit_key_range *range,
                     struct dit_sorted_words *ret);

/** Forget the pairs, and put the chunks back. */
void dit_bucket_empty(const struct dit_producer *producer, struct dit_bucket *bucket);

/** Write all pairs in memory to a new run and empty the buckets. 0 or a negative error */
int dit_producer_spill(struct dit_producer *producer);
void dit_posting_run_free(struct dit_posting_run *run);
/** Give the disk space of a stream back. It is not to be read again. */
void dit_posting_run_drop(const struct dit_posting_run *run, unsigned stream);

/**
 * A sorted sequence of (key, ID): an array, or cells of a run. The current item is read
 * already. A run may also hold ranges.
 */
struct dit_posting_source {
	uint64_t key;
	uint64_t id;
	uint64_t highest; /* of a range; id is the lowest then */
	bool is_range;
	bool is_repeat; /* the ID was pushed more than once */
	unsigned width; /* of an array; 0: cells */
	uint64_t *at;   /* array: after the current item */
	const uint64_t *end;
	struct dit_run_reader reader;
	uint64_t nleft; /* cells: IDs to come in the current list */
	const struct dit_run_segment *next_cell;
	const struct dit_run_segment *end_cell;
};

struct dit_posting_merge {
	struct dit_posting_source *sources;
	size_t nsources;
	struct dit_heap heap; /* of those not at their end */
};

/** @param max most sources that will be added. 0 or -ENOMEM */
int dit_posting_merge_init(struct dit_posting_merge *merge, size_t max);
void dit_posting_merge_deinit(struct dit_posting_merge *merge);
/** Add a source of sorted words, borrowed; lists are made in their place. Zero words are
 * fine. */
void dit_posting_merge_add_array(struct dit_posting_merge *merge,
                                 const struct dit_sorted_words *sorted, unsigned width);
/** Bits of a key below the number of its cell. */
static inline unsigned dit_posting_cell_shift(unsigned width)
{
	return (width == 1 ? 32 : 64) - DIT_POSTING_PARTS_BITS;
}

/** The keys of a part. */
struct dit_key_range dit_posting_part_range(const struct dit_postings *postings,
                                            unsigned stream, unsigned part);
/** Add a run's lists of a part of a stream. 0; DIT_E_CORRUPT; -errno */
int dit_posting_merge_add_run(struct dit_posting_merge *merge,
                              const struct dit_postings *postings,
                              const struct dit_posting_run *run, unsigned stream,
                              unsigned part);
/**
 * The next key with all its IDs.
 *
 * @param list  reset, then filled, not finished
 * @return 1; 0: end; DIT_E_CORRUPT; -errno
 */
int dit_posting_merge_next(struct dit_posting_merge *merge, struct dit_list *list,
                           uint64_t *ret_key);

#endif
