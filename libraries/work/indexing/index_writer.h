/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lists of all index builders go into an output.
 *
 *   dit_index_writer_new()
 *   all members at once:        dit_index_writer_work(); a stop ends it soon
 *   main, once they are ready:  dit_index_writer_end()
 *   dit_index_writer_free()
 *
 * The output decides which thread does the work:
 *
 *   is_parallel   Each member draws a database, the one with the most postings first,
 *                 sorts and merges its postings and writes its table. A new database of
 *                 hashes that has two even shares of all postings or more is cut by
 *                 keys: several members make its leaves, and the last one the branches.
 *                 Parts are for processors that would wait, since they cost work.
 *
 *       member 1   sort, merge, write cn, first half  │ sort, merge, write sn │ ...
 *       member 2   sort, merge, write cn, second half   │ ...
 *       main       (writes the tree)  │ wait
 *
 *   otherwise     Main does everything, one database after the other, in
 *                 dit_index_writer_end(). liblmdb's writing takes most of the time.
 *
 * With one member main does everything as well.
 */
#ifndef DITKIT_INDEX_WRITER_H
#define DITKIT_INDEX_WRITER_H

#include "base/shared.h"
#include "indexing/builders.h"
#include "indexing/index_cost.h"
#include "output/output.h"

struct dit_index_writer;

struct dit_index_writer_opts {
	struct dit_builders
		*builders;         /* finished; borrowed until free, as is the output */
	struct dit_output *output; /* index i is database i of the builders */
	size_t ndbs;
	struct dit_shared shared; /* each thread is a member */
	unsigned nprocessors; /* no more members than these make parts of a database */
	bool counts_lists;    /* nranges and nlists of the costs */
	uint64_t since_us; /* CLOCK_MONOTONIC: from when start_us of the costs counts */
};

/** 0, -ENOMEM, -EAGAIN */
int dit_index_writer_new(struct dit_index_writer **ret,
                         const struct dit_index_writer_opts *opts);

/** A member's part of the work, which may be nothing. Each member calls this once. */
void dit_index_writer_work(struct dit_index_writer *writer, unsigned member);

/**
 * Main's part of the work.
 *
 * @return 0: all tables are written; the first error of any thread; DIT_E_STOPPED
 */
int dit_index_writer_end(struct dit_index_writer *writer);

/** Postings, repeats included, that were merged so far, nearly; all of them after an end
 * that succeeded. Any thread. */
uint64_t dit_index_writer_nread(const struct dit_index_writer *writer);

/**
 * The results of all databases; the lists are the new ones, without stored ones. After
 * an end that succeeded.
 *
 * @param indexes  those of the builders
 * @param ret      dit_index_stats_free()
 *
 * @return 0, -ENOMEM
 */
int dit_index_writer_stats(const struct dit_index_writer *writer,
                           const struct dit_index_set *indexes,
                           struct dit_index_stats **ret, size_t *ret_n);
/** NULL is fine. */
void dit_index_stats_free(struct dit_index_stats *stats, size_t n);

/** Members must be at rest. NULL is fine. */
void dit_index_writer_free(struct dit_index_writer *writer);

#endif
