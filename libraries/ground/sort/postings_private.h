/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of the postings: the object, its producers, runs, and the merge.
 *
 *   postings.c        the object, pushing, seal
 *   postings_bucket.c the pairs of one stream in a producer's memory
 *   postings_run.c    a producer's pairs -> run files, merges of runs
 *   postings_merge.c  sorted sources -> lists in key order
 *   postings_cursor.c one stream, merged
 */
#ifndef DITKIT_POSTINGS_PRIVATE_H
#define DITKIT_POSTINGS_PRIVATE_H

#include <stdatomic.h>

#include "sort/merge_heap.h"
#include "sort/pages.h"
#include "sort/posting_list.h"
#include "sort/postings.h"
#include "sort/run_file.h"

/** The pairs of one stream of one producer: a list of chunks, all full but the last. */
struct dit_bucket {
	uint32_t *at; /* next unit of the last chunk */
	uint32_t *end;
	struct dit_chunk *first;
	struct dit_chunk *last; /* its own end is not set */
	size_t npairs;          /* in the chunks */
	uint64_t last_id;
	bool is_ascending; /* IDs came in order */
	uint64_t npushed;
};

/** A run file with one segment per stream. */
struct dit_posting_run {
	int fd;
	unsigned level; /* dit_fan_in() */
	struct dit_run_segment segments[];
};

struct dit_producer {
	/* [const] */
	struct dit_postings *postings;

	/* [own: the producer's thread, until seal] */
	struct dit_bucket *buckets; /* one per stream */
	struct dit_chunk_pool pool;
	size_t nchunks;           /* in all buckets */
	size_t nwords_biggest;    /* of the largest bucket, its last chunk filled */
	struct dit_buffer sorted; /* scratch of sorting */
	struct dit_buffer spare;
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
	unsigned nproducers;
	bool *is_64bit;
	char *tmpdir;
	struct dit_run_cipher *cipher; /* borrowed; NULL: runs are not encrypted */
	uint32_t list_max;
	const struct dit_stop *stop; /* borrowed; NULL: none */
	size_t share_bytes;          /* of one producer */
	size_t block_bytes;          /* of run files */
	unsigned fan_in;             /* runs merged into one */

	/* [own: whoever seals; const afterwards] */
	struct dit_producer **producers;
	struct dit_late_table late;
	bool is_sealed;

	/* After seal each element belongs to the thread that opens the stream. */
	bool *is_opened;

	struct dit_buffer_cache buffers; /* of cursors; has its own lock */

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
	return (producer->pool.chunk_bytes - DIT_CHUNK_HEAD) / sizeof(uint32_t);
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
	size_t open = nwords_biggest * producer->postings->nproducers;

	return 2 * sizeof(uint64_t) * (open < all ? open : all);
}

/** Memory for the pairs that a producer has, and for sorting them. */
static inline size_t dit_producer_used_bytes(const struct dit_producer *producer)
{
	return producer->nchunks * producer->pool.chunk_bytes +
	       dit_producer_sort_bytes(producer, producer->nchunks,
	                               producer->nwords_biggest);
}

/** Words of all pairs in memory, when they are sorted. */
static inline size_t dit_bucket_nwords(const struct dit_bucket *bucket, unsigned width)
{
	return bucket->npairs * width;
}

/**
 * Add keys of one ID, as many as fit into one group of the last chunk.
 *
 * @param nkeys  1 at least
 * @return the number of keys added; 0: the chunk is full, or there is none
 */
size_t dit_bucket_put(struct dit_bucket *bucket, uint64_t id, const uint64_t *ordinals,
                      size_t nkeys, unsigned width);
/**
 * The pairs of one stream's buckets, as sorted words.
 *
 * @param buckets  with one pair at least, all together
 * @param words    room for their dit_bucket_nwords()
 * @param spare    as much
 * @param ret      @p words as a rule, or @p spare, whichever holds the result
 *
 * @return 0 or -ENOMEM
 */
int dit_buckets_sort(const struct dit_bucket *const *buckets, size_t n, uint64_t *words,
                     uint64_t *spare, unsigned width, uint64_t **ret);

/** Write all pairs in memory to a new run and empty the buckets. 0 or a negative error */
int dit_producer_spill(struct dit_producer *producer);
void dit_posting_run_free(struct dit_posting_run *run);

/**
 * A sorted sequence of (key, ID): an array or a run segment. The current item is read
 * already. A run may also hold ranges.
 */
struct dit_posting_source {
	uint64_t key;
	uint64_t id;
	uint64_t highest; /* of a range; id is the lowest then */
	bool is_range;
	bool is_repeat; /* the ID was pushed more than once */
	unsigned width; /* of an array; 0: a segment */
	uint64_t *at;   /* array: after the current item */
	const uint64_t *end;
	struct dit_run_reader reader;
	uint64_t nleft; /* segment: IDs to come in the current list */
};

struct dit_posting_merge {
	struct dit_posting_source *sources;
	size_t nsources;
	struct dit_heap heap; /* of those not at their end */
};

/** @param max most sources that will be added. 0 or -ENOMEM */
int dit_posting_merge_init(struct dit_posting_merge *merge, size_t max);
void dit_posting_merge_deinit(struct dit_posting_merge *merge);
/** Add a source of sorted words, borrowed; lists are made in their place. Empty ones are
 * fine. */
void dit_posting_merge_add_array(struct dit_posting_merge *merge, uint64_t *words,
                                 size_t nwords, unsigned width);
/** 0; DIT_E_CORRUPT; -errno */
int dit_posting_merge_add_run(struct dit_posting_merge *merge,
                              const struct dit_postings *postings,
                              const struct dit_posting_run *run, unsigned stream);
/**
 * The next key with all its IDs.
 *
 * @param list  reset, then filled, not finished
 * @return 1; 0: end; DIT_E_CORRUPT; -errno
 */
int dit_posting_merge_next(struct dit_posting_merge *merge, struct dit_list *list,
                           uint64_t *ret_key);

#endif
