/* SPDX-License-Identifier: BSD-2-Clause */
/* Index databases written by all members, or by main alone. */
#include "indexing/index_writer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "base/object.h"
#include "index/index_keys.h"

/* Lists until a thread looks whether somebody wants an end, and says how far it is: some
 * 40 us. */
#define LISTS_PER_LOOK 256

/* So many postings are worth a part of their own. */
#define PART_POSTINGS_MIN UINT64_C(4096)

/* A database, or a part of one. */
struct job {
	/* [const] */
	size_t db;
	unsigned part;      /* 0: a whole database as well */
	uint64_t npostings; /* of a part: as if all had as many */

	/* [atomic: postings that were read; raised by the thread that does the job, read
	 * by main; relaxed, an old number does no harm] */
	_Atomic uint64_t nread;

	/* [own: the thread that does the job; then main] */
	uint64_t nkeys;
	struct dit_index_cost cost;
};

struct dit_index_writer {
	/* [const] */
	struct dit_index_writer_opts opts;
	struct job *jobs;
	size_t njobs;
	size_t jobs_size;

	/* [atomic: jobs are drawn in order; relaxed] */
	_Atomic size_t next_job;
	/* [atomic: the first; relaxed, to the others it only says that they can end] */
	_Atomic int error;
};

/* Does main do all jobs? */
static bool is_mains(const struct dit_index_writer *writer)
{
	return writer->opts.shared.nthreads == 1 || !writer->opts.output->is_parallel;
}

static int look(const struct dit_index_writer *writer)
{
	return dit_stop_is_set(writer->opts.shared.stop)
	               ? DIT_E_STOPPED
	               : atomic_load_explicit(&writer->error, memory_order_relaxed);
}

/* ---- lists ---- */

/* Some 15 instructions for each list: 0.3 % of a load with 27 indexes. */
static void count_lists(struct dit_index_cost *cost, const struct dit_posting_list *lists,
                        size_t nlists)
{
	for (size_t i = 0; i < nlists; i++) {
		size_t nids = lists[i].nids;
		unsigned class = 63 - (unsigned)__builtin_clzll(nids | 1);

		if (nids == DIT_RANGE_IDS && lists[i].ids[0] == 0) {
			cost->nranges++;
		} else {
			cost->nlists[class & (DIT_LIST_LENGTHS - 1)]++;
		}
	}
}

static void tell_read(struct job *job, uint64_t n)
{
	atomic_store_explicit(&job->nread, n, memory_order_relaxed);
}

/* All lists of a job. */
static int move_lists(struct dit_index_writer *writer, struct job *job,
                      struct dit_output_table *table)
{
	struct dit_ticker *ticker = is_mains(writer) ? writer->opts.shared.ticker : NULL;
	struct dit_index_cursor *cursor = NULL;
	const struct dit_posting_list *lists = NULL;
	size_t next_look = 0;
	size_t nlists = 0;
	ptrdiff_t n = 0;
	int r = dit_index_cursor_open(&cursor, writer->opts.builders, job->db, job->part);

	while (r == 0 && (n = dit_index_cursor_next(cursor, &lists)) > 0) {
		nlists += (size_t)n;
		if (writer->opts.counts_lists) {
			count_lists(&job->cost, lists, (size_t)n);
		}
		r = dit_output_put_lists(table, lists, (size_t)n);
		if (r == 0 && nlists >= next_look) {
			next_look = nlists + LISTS_PER_LOOK;
			tell_read(job, dit_index_cursor_nread(cursor));
			dit_tick_often(ticker);
			r = look(writer);
		}
	}
	dit_index_cursor_close(cursor);
	job->nkeys = nlists;
	if (r == 0 && n == 0) {
		tell_read(job, job->npostings);
	}
	return r < 0 ? r : (int)n;
}

/* ---- the tables ---- */

static int fill_table(struct dit_index_writer *writer, struct job *job)
{
	struct dit_output *output = writer->opts.output;
	struct dit_output_table *table = NULL;
	int r = dit_output_open_part(output, job->db, job->part, &table);

	if (r < 0) {
		return r;
	}
	r = move_lists(writer, job, table);
	return r ?: dit_output_finish(table, &job->cost.bytes);
}

static int write_table(struct dit_index_writer *writer, unsigned member, struct job *job)
{
	uint64_t start_us = dit_clock_us(CLOCK_MONOTONIC);
	int r = fill_table(writer, job);

	job->cost.thread = member;
	job->cost.start_us = start_us - writer->opts.since_us;
	job->cost.time_us = dit_clock_us(CLOCK_MONOTONIC) - start_us;
	return r;
}

/* ---- all threads ---- */

static void do_jobs(struct dit_index_writer *writer, unsigned member)
{
	int r = look(writer);

	while (r == 0) {
		size_t i = atomic_fetch_add_explicit(&writer->next_job, 1,
		                                     memory_order_relaxed);

		if (i >= writer->njobs) {
			return;
		}
		r = write_table(writer, member, &writer->jobs[i]) ?: look(writer);
		dit_tick(is_mains(writer) ? writer->opts.shared.ticker : NULL);
	}
	atomic_compare_exchange_strong_explicit(
		&writer->error, &(int){0}, r, memory_order_relaxed, memory_order_relaxed);
}

void dit_index_writer_work(struct dit_index_writer *writer, unsigned member)
{
	if (!is_mains(writer)) {
		do_jobs(writer, member);
	}
}

int dit_index_writer_end(struct dit_index_writer *writer)
{
	if (is_mains(writer)) {
		do_jobs(writer, 0);
	}
	return look(writer);
}

uint64_t dit_index_writer_nread(const struct dit_index_writer *writer)
{
	uint64_t n = 0;

	for (size_t i = 0; i < writer->njobs; i++) {
		n += atomic_load_explicit(&writer->jobs[i].nread, memory_order_relaxed);
	}
	return n;
}

/* The parts of a database as one: from the beginning of the first one to the end of the
 * last one. */
static void add_part(struct dit_index_cost *sum, const struct dit_index_cost *part)
{
	uint64_t sum_end_us = sum->start_us + sum->time_us;
	uint64_t end_us = part->start_us + part->time_us;

	if (part->start_us < sum->start_us) {
		sum->start_us = part->start_us;
		sum->thread = part->thread;
	}
	sum->time_us = (end_us > sum_end_us ? end_us : sum_end_us) - sum->start_us;
	sum->bytes += part->bytes;
	sum->nranges += part->nranges;
	for (unsigned i = 0; i < DIT_LIST_LENGTHS; i++) {
		sum->nlists[i] += part->nlists[i];
	}
}

static void fill_stats(const struct dit_index_writer *writer,
                       struct dit_index_stats *stats)
{
	for (size_t i = 0; i < writer->njobs; i++) {
		const struct job *job = &writer->jobs[i];

		stats[job->db].nkeys += job->nkeys;
		if (job->part == 0) {
			stats[job->db].cost = job->cost;
		}
	}
	for (size_t i = 0; i < writer->njobs; i++) {
		if (writer->jobs[i].part > 0) {
			add_part(&stats[writer->jobs[i].db].cost, &writer->jobs[i].cost);
		}
	}
}

int dit_index_writer_stats(const struct dit_index_writer *writer,
                           const struct dit_index_set *indexes,
                           struct dit_index_stats **ret, size_t *ret_n)
{
	size_t n = writer->opts.ndbs;
	struct dit_index_stats *stats = calloc(n + 1, sizeof(*stats));

	for (size_t i = 0; stats != NULL && i < n; i++) {
		const struct dit_index_db *db = dit_index_set_db(indexes, i);

		stats[i] = (struct dit_index_stats){
			.name = strdup(db->name),
			.is_integerkey = db->is_integerkey,
			.npostings = dit_builders_npushed(writer->opts.builders, i)};
		if (stats[i].name == NULL) {
			dit_index_stats_free(stats, i);
			stats = NULL;
		}
	}
	if (stats == NULL) {
		return -ENOMEM;
	}
	fill_stats(writer, stats);
	*ret = stats;
	*ret_n = n;
	return 0;
}

void dit_index_stats_free(struct dit_index_stats *stats, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(stats[i].name);
	}
	free(stats);
}

/* ---- beginning and end ---- */

static int compare_jobs(const void *a, const void *b)
{
	const struct job *x = a;
	const struct job *y = b;

	return DIT_ORDER_OF(y->npostings, x->npostings)
	               ?: DIT_ORDER_OF(x->db, y->db) ?: DIT_ORDER_OF(x->part, y->part);
}

/* Even shares of the work that a database is; below two of them parts gain nothing. A
 * power of two, since parts are quarters or halves of the keys. */
static unsigned wanted_parts(const struct dit_index_writer *writer, size_t db,
                             uint64_t total)
{
	const struct dit_builders *builders = writer->opts.builders;
	uint64_t npostings = dit_builders_npushed(builders, db);
	uint64_t nshares = writer->opts.shared.nthreads < writer->opts.nprocessors
	                           ? writer->opts.shared.nthreads
	                           : writer->opts.nprocessors;
	unsigned most = dit_builders_parts_max(builders, db);
	unsigned n = 1;

	while (writer->opts.output->is_parallel && 2 * n <= most &&
	       npostings * nshares >= 2 * n * total &&
	       npostings >= 2 * n * PART_POSTINGS_MIN) {
		n *= 2;
	}
	return n;
}

/* @return its parts, 1 or more; error */
static int cut(struct dit_index_writer *writer, size_t db, uint64_t total)
{
	unsigned nparts = wanted_parts(writer, db, total);
	int r = nparts == 1 ? 0 : dit_output_cut_index(writer->opts.output, db, nparts);

	if (r <= 0) {
		return r < 0 ? r : 1;
	}
	dit_builders_cut(writer->opts.builders, db, nparts);
	return (int)nparts;
}

static int add_jobs(struct dit_index_writer *writer, size_t db, unsigned nparts)
{
	uint64_t npostings = dit_builders_npushed(writer->opts.builders, db);

	if (DIT_GROW(writer->jobs, writer->jobs_size, writer->njobs + nparts) < 0) {
		return -ENOMEM;
	}
	for (unsigned part = 0; part < nparts; part++) {
		/* The first one has what is left over. */
		uint64_t n = npostings / nparts + (part == 0 ? npostings % nparts : 0);

		writer->jobs[writer->njobs++] =
			(struct job){.db = db, .part = part, .npostings = n};
	}
	return 0;
}

static int make_jobs(struct dit_index_writer *writer)
{
	uint64_t total = dit_builders_npostings(writer->opts.builders);
	int r = 0;

	for (size_t db = 0; db < writer->opts.ndbs && r >= 0; db++) {
		r = cut(writer, db, total);
		r = r <= 0 ? r : add_jobs(writer, db, (unsigned)r);
	}
	/* Main alone writes them in their order. */
	if (r == 0 && writer->njobs > 1 && writer->opts.output->is_parallel) {
		qsort(writer->jobs, writer->njobs, sizeof(*writer->jobs), compare_jobs);
	}
	return r;
}

int dit_index_writer_new(struct dit_index_writer **ret,
                         const struct dit_index_writer_opts *opts)
{
	struct dit_index_writer *writer = calloc(1, sizeof(*writer));
	int r = 0;

	if (writer == NULL) {
		return -ENOMEM;
	}
	writer->opts = *opts;
	r = make_jobs(writer);
	return DIT_HAND_OVER(r, ret, writer, dit_index_writer_free);
}

void dit_index_writer_free(struct dit_index_writer *writer)
{
	if (writer != NULL) {
		free(writer->jobs);
		free(writer);
	}
}
