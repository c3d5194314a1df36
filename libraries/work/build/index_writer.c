/* SPDX-License-Identifier: BSD-2-Clause */
/* Index databases written by all members, or by main alone. */
#include "build/index_writer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/monitor.h"
#include "index/index_keys.h"

/* How often main looks whether somebody wants an end. */
#define LOOK_MS 100
/* The same in lists, for a thread that writes: some 10 us. */
#define LISTS_PER_LOOK 64
/* Looks until a thread says how far it is. */
#define LOOKS_PER_TELLING 8

struct job {
	uint64_t npostings;
	size_t db;
};

struct dit_index_writer {
	/* [const] */
	struct dit_index_writer_opts opts;
	struct job *jobs;
	size_t njobs;
	/* One for each database. [own: the thread that writes its table; then main] */
	uint64_t *nkeys;
	struct dit_index_cost *costs;
	/* [atomic: postings of each database that were read; raised by the thread that
	 * writes it, read by main; relaxed, an old number does no harm] */
	_Atomic uint64_t *nread;

	/* [atomic: jobs are drawn in order; relaxed] */
	_Atomic size_t next_job;
	/* [atomic: cancelled, or a job failed: no more work; relaxed, only to end sooner,
	 * but set with the lock held, for those who wait] */
	_Atomic bool is_ended;

	struct dit_monitor monitor; /* tells of anything below */
	/* [lock: monitor] */
	size_t ndone;
	int error; /* the first */
};

static bool is_ended(const struct dit_index_writer *writer)
{
	return atomic_load_explicit(&writer->is_ended, memory_order_relaxed);
}

static bool is_alone(const struct dit_index_writer *writer)
{
	return writer->opts.nmembers == 1;
}

/* ---- lists ---- */

/* Some 15 instructions for each list: 0.3 % of a load with 27 indexes. */
static void count_lists(struct dit_index_cost *cost, const struct dit_output_list *lists,
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

static void tell_read(struct dit_index_writer *writer, size_t db, uint64_t n)
{
	atomic_store_explicit(&writer->nread[db], n, memory_order_relaxed);
}

/* All lists of a database. Main looks itself whether somebody wants an end. */
static int move_lists(struct dit_index_writer *writer, size_t db,
                      struct dit_output_table *table)
{
	bool is_main = is_alone(writer) || !writer->opts.output->is_parallel;
	struct dit_index_cursor *cursor = NULL;
	const struct dit_output_list *lists = NULL;
	size_t next_look = 0;
	size_t nlists = 0;
	unsigned nlooks = 0;
	ptrdiff_t n = 0;
	int r = dit_index_cursor_open(&cursor, writer->opts.builders, db, 0);

	while (r == 0 && (n = dit_index_cursor_next(cursor, &lists)) > 0) {
		nlists += (size_t)n;
		if (writer->opts.counts_lists) {
			count_lists(&writer->costs[db], lists, (size_t)n);
		}
		r = dit_output_put_lists(table, lists, (size_t)n);
		if (r == 0 && nlists >= next_look) {
			next_look = nlists + LISTS_PER_LOOK;
			if (++nlooks % LOOKS_PER_TELLING == 0) {
				tell_read(writer, db, dit_index_cursor_nread(cursor));
				dit_tick(is_main ? writer->opts.ticker : NULL);
			}
			r = (is_main ? dit_stop_is_set(writer->opts.stop)
			             : is_ended(writer))
			            ? DIT_E_STOPPED
			            : 0;
		}
	}
	dit_index_cursor_close(cursor);
	writer->nkeys[db] = nlists;
	if (r == 0 && n == 0) {
		tell_read(writer, db, dit_builders_npushed(writer->opts.builders, db));
	}
	return r < 0 ? r : (int)n;
}

/* ---- the tables ---- */

static int fill_table(struct dit_index_writer *writer, size_t db)
{
	struct dit_output_table *table = NULL;
	int r = dit_output_open_index(writer->opts.output, db, &table);

	if (r < 0) {
		return r;
	}
	table->ret_bytes = &writer->costs[db].bytes;
	r = move_lists(writer, db, table);
	if (r == 0) {
		return dit_output_finish(table);
	}
	dit_output_drop(table);
	return r;
}

static int write_table(struct dit_index_writer *writer, unsigned member, size_t db)
{
	struct dit_index_cost *cost = &writer->costs[db];
	uint64_t start_us = dit_clock_us(CLOCK_MONOTONIC);
	int r = fill_table(writer, db);

	cost->thread = member;
	cost->start_us = start_us - writer->opts.since_us;
	cost->time_us = dit_clock_us(CLOCK_MONOTONIC) - start_us;
	return r;
}

/* ---- members ---- */

static void end_job(struct dit_index_writer *writer, int r)
{
	dit_monitor_enter(&writer->monitor);
	writer->ndone++;
	if (r < 0) {
		atomic_store_explicit(&writer->is_ended, true, memory_order_relaxed);
		writer->error = writer->error == 0 ? r : writer->error;
	}
	dit_monitor_tell(&writer->monitor);
	dit_monitor_leave(&writer->monitor);
}

void dit_index_writer_work(struct dit_index_writer *writer, unsigned member)
{
	while (!is_ended(writer)) {
		size_t i = atomic_fetch_add_explicit(&writer->next_job, 1,
		                                     memory_order_relaxed);

		if (i >= writer->njobs) {
			return;
		}
		end_job(writer, write_table(writer, member, writer->jobs[i].db));
	}
}

/* ---- main ---- */

static int write_in_order(struct dit_index_writer *writer)
{
	int r = 0;

	for (size_t db = 0; db < writer->opts.ndbs && r == 0; db++) {
		r = write_table(writer, 0, db);
		dit_tick(writer->opts.ticker);
	}
	return r;
}

/* Until all is done, an error, or an end is wanted. */
static int wait_for_members(struct dit_index_writer *writer)
{
	int r = 0;

	dit_monitor_enter(&writer->monitor);
	while (writer->ndone < writer->njobs && writer->error == 0 && r == 0) {
		dit_monitor_wait_ms(&writer->monitor, LOOK_MS);
		dit_monitor_leave(&writer->monitor);
		dit_tick(writer->opts.ticker);
		r = dit_stop_is_set(writer->opts.stop) ? DIT_E_STOPPED : 0;
		dit_monitor_enter(&writer->monitor);
	}
	r = writer->error != 0 ? writer->error : r;
	dit_monitor_leave(&writer->monitor);
	return r;
}

int dit_index_writer_wait(struct dit_index_writer *writer)
{
	if (!writer->opts.output->is_parallel) {
		return write_in_order(writer);
	}
	if (is_alone(writer)) {
		dit_index_writer_work(writer, 0);
	}
	return wait_for_members(writer);
}

uint64_t dit_index_writer_nread(const struct dit_index_writer *writer)
{
	uint64_t n = 0;

	for (size_t db = 0; db < writer->opts.ndbs; db++) {
		n += atomic_load_explicit(&writer->nread[db], memory_order_relaxed);
	}
	return n;
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
			.npostings = dit_builders_npushed(writer->opts.builders, i),
			.nkeys = writer->nkeys[i],
			.cost = writer->costs[i]};
		if (stats[i].name == NULL) {
			dit_index_stats_free(stats, i);
			stats = NULL;
		}
	}
	if (stats == NULL) {
		return -ENOMEM;
	}
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

	if (x->npostings != y->npostings) {
		return x->npostings > y->npostings ? -1 : 1;
	}
	return x->db < y->db ? -1 : x->db > y->db;
}

static int make_jobs(struct dit_index_writer *writer)
{
	const struct dit_builders *builders = writer->opts.builders;

	writer->jobs = calloc(writer->opts.ndbs + 1, sizeof(*writer->jobs));
	writer->nkeys = calloc(writer->opts.ndbs + 1, sizeof(*writer->nkeys));
	writer->nread = calloc(writer->opts.ndbs + 1, sizeof(*writer->nread));
	writer->costs = calloc(writer->opts.ndbs + 1, sizeof(*writer->costs));
	if (writer->jobs == NULL || writer->nkeys == NULL || writer->nread == NULL ||
	    writer->costs == NULL) {
		return -ENOMEM;
	}
	if (!writer->opts.output->is_parallel) {
		return 0; /* main writes them in their order */
	}
	for (size_t db = 0; db < writer->opts.ndbs; db++) {
		writer->jobs[writer->njobs++] = (struct job){
			.npostings = dit_builders_npushed(builders, db), .db = db};
	}
	qsort(writer->jobs, writer->njobs, sizeof(*writer->jobs), compare_jobs);
	return 0;
}

int dit_index_writer_new(struct dit_index_writer **ret,
                         const struct dit_index_writer_opts *opts)
{
	struct dit_index_writer *writer = calloc(1, sizeof(*writer));
	int r = 0;

	if (writer == NULL) {
		return -ENOMEM;
	}
	dit_monitor_init(&writer->monitor);
	writer->opts = *opts;
	r = make_jobs(writer);
	if (r < 0) {
		dit_index_writer_free(writer);
		return r;
	}
	*ret = writer;
	return 0;
}

void dit_index_writer_cancel(struct dit_index_writer *writer)
{
	if (writer == NULL) {
		return;
	}
	dit_monitor_enter(&writer->monitor);
	atomic_store_explicit(&writer->is_ended, true, memory_order_relaxed);
	dit_monitor_tell(&writer->monitor);
	dit_monitor_leave(&writer->monitor);
}

void dit_index_writer_free(struct dit_index_writer *writer)
{
	if (writer == NULL) {
		return;
	}
	free(writer->jobs);
	free(writer->nkeys);
	free(writer->costs);
	free((void *)writer->nread);
	dit_monitor_deinit(&writer->monitor);
	free(writer);
}
