/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second phase of a load: the index databases.
 *
 * Each tool thread draws a database, the one with the most postings first, sorts and
 * merges its postings and writes its pages, until there is none left. Databases whose keys
 * have no ordinals share one sorter and are one thread's work, one after the other.
 *
 *   thread 1   sort, merge, write mail │ sort, merge, write sn │ ...
 *   thread 2   sort, merge, write cn       │ ...
 *   main       write the tree  │ wait
 *
 * Lock order: there is one lock, and nothing is called with it held.
 */
#include "bulk/load_private.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* How often main looks whether the load is to be stopped. */
#define LOOK_NS 100000000L

struct index_job {
	uint64_t npostings;
	size_t db;
	bool is_wide; /* all such databases */
};

struct load_index {
	/* [const] */
	struct load_target *target;
	struct index_job *jobs;
	size_t njobs;

	/* [atomic: jobs are drawn in order; relaxed] */
	_Atomic size_t next_job;
	/* [atomic: cancelled, or a job failed: no more work; relaxed, only to end sooner,
	 * but set with the lock held, for those who wait] */
	_Atomic bool is_ended;

	pthread_mutex_t lock;
	pthread_cond_t changed; /* anything below */
	/* [lock: lock] */
	size_t ndone;
	int error; /* the first */
};

/* ---- tool threads ---- */

static bool is_ended(const struct load_index *phase)
{
	return atomic_load_explicit(&phase->is_ended, memory_order_relaxed);
}

static void end_job(struct load_index *phase, int r)
{
	(void)pthread_mutex_lock(&phase->lock);
	phase->ndone++;
	if (r < 0) {
		atomic_store_explicit(&phase->is_ended, true, memory_order_relaxed);
		phase->error = phase->error == 0 ? r : phase->error;
	}
	(void)pthread_cond_broadcast(&phase->changed);
	(void)pthread_mutex_unlock(&phase->lock);
}

static int write_lists(struct load_index *phase, size_t number,
                       struct dit_posting_cursor *cursor, struct dit_output_table *table)
{
	struct load_target *target = phase->target;
	const struct dit_index_db *db = dit_index_set_db(target->indexes, number);
	struct dit_load_index_stats *stats = &target->stats->indexes[number];
	struct dit_posting_list list = {0};
	int r = dit_posting_cursor_next(cursor, &list);

	while (r > 0) {
		char key[8];
		size_t len = dit_index_key_bytes(db, list.ordinal, key);

		r = dit_output_put_list(
			table, (struct dit_span){key, len},
			&(struct dit_output_list){.ids = list.ids, .nids = list.nids});
		stats->nkeys++;
		if (r == 0 && is_ended(phase)) {
			r = DIT_E_STOPPED;
		}
		if (r == 0) {
			r = dit_posting_cursor_next(cursor, &list);
		}
	}
	stats->npostings =
		dit_postings_stream_npushed(target->postings, (unsigned)number);
	return r;
}

static int write_db(struct load_index *phase, size_t number)
{
	struct load_target *target = phase->target;
	struct dit_posting_cursor *cursor = NULL;
	struct dit_output_table *table = NULL;
	int r = dit_posting_cursor_open(&cursor, target->postings, (unsigned)number);

	if (r == 0) {
		r = dit_output_open_index(target->output, number, &table);
	}
	if (r == 0) {
		r = write_lists(phase, number, cursor, table);
	}
	dit_posting_cursor_close(cursor);
	if (r == 0) {
		return dit_output_finish(table);
	}
	dit_output_drop(table);
	return r;
}

static int write_wide_dbs(struct load_index *phase)
{
	struct load_target *target = phase->target;
	size_t ndbs = dit_index_set_ndbs(target->indexes);
	int r = 0;

	for (size_t number = 0; number < ndbs && r == 0; number++) {
		struct dit_output_table *table = NULL;

		if (dit_index_set_db(target->indexes, number)->format != DIT_KEY_WIDE) {
			continue;
		}
		r = dit_output_open_index(target->output, number, &table);
		if (r == 0) {
			r = load_wide_write(target, (unsigned)number, table,
			                    &target->stats->indexes[number]);
		}
		if (r == 0) {
			r = dit_output_finish(table);
		} else {
			dit_output_drop(table);
		}
	}
	return r;
}

void load_index_round(struct load_target *target)
{
	struct load_index *phase = target->index_phase;

	for (;;) {
		size_t i = atomic_fetch_add_explicit(&phase->next_job, 1,
		                                     memory_order_relaxed);
		const struct index_job *job = NULL;

		if (i >= phase->njobs) {
			return;
		}
		job = &phase->jobs[i];
		end_job(phase,
		        job->is_wide ? write_wide_dbs(phase) : write_db(phase, job->db));
	}
}

/* ---- main ---- */

static void wait_a_little(struct load_index *phase)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_NS;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	(void)pthread_cond_timedwait(&phase->changed, &phase->lock, &until);
}

/* Until all is done, an error, or a signal. 0, the error, or DIT_E_STOPPED. */
static int wait_for_members(struct load_index *phase)
{
	size_t nseen = 0;
	int r = 0;

	(void)pthread_mutex_lock(&phase->lock);
	while (phase->ndone < phase->njobs && phase->error == 0 && r == 0) {
		wait_a_little(phase);
		if (phase->ndone > nseen) {
			nseen = phase->ndone;
			(void)pthread_mutex_unlock(&phase->lock);
			load_tell_progress(phase->target->loader, DIT_LOAD_INDEXES);
			(void)pthread_mutex_lock(&phase->lock);
		}
		r = load_is_stopped(phase->target->loader) ? DIT_E_STOPPED : 0;
	}
	r = phase->error != 0 ? phase->error : r;
	(void)pthread_mutex_unlock(&phase->lock);
	return r;
}

int load_index_write(struct load_target *target)
{
	if (target->loader->nthreads == 1) {
		load_index_round(target);
	}
	return wait_for_members(target->index_phase);
}

/* ---- beginning and end ---- */

static int compare_jobs(const void *a, const void *b)
{
	const struct index_job *x = a;
	const struct index_job *y = b;

	if (x->npostings != y->npostings) {
		return x->npostings > y->npostings ? -1 : 1;
	}
	return x->db < y->db ? -1 : x->db > y->db;
}

static int make_jobs(struct load_index *phase)
{
	struct load_target *target = phase->target;
	size_t ndbs = dit_index_set_ndbs(target->indexes);
	bool has_wide = false;

	phase->jobs = calloc(ndbs + 1, sizeof(*phase->jobs));
	if (phase->jobs == NULL) {
		return -ENOMEM;
	}
	for (size_t db = 0; db < ndbs; db++) {
		if (dit_index_set_db(target->indexes, db)->format == DIT_KEY_WIDE) {
			has_wide = true;
			continue;
		}
		phase->jobs[phase->njobs++] =
			(struct index_job){.npostings = dit_postings_stream_npushed(
						   target->postings, (unsigned)db),
		                           .db = db};
	}
	if (has_wide) {
		/* First: they take long, and nobody can help. */
		phase->jobs[phase->njobs++] =
			(struct index_job){.npostings = UINT64_MAX, .is_wide = true};
	}
	qsort(phase->jobs, phase->njobs, sizeof(*phase->jobs), compare_jobs);
	return 0;
}

int load_index_start(struct load_target *target)
{
	struct load_index *phase = calloc(1, sizeof(*phase));
	int r = 0;

	if (phase == NULL) {
		return -ENOMEM;
	}
	r = -pthread_mutex_init(&phase->lock, NULL);
	if (r < 0) {
		free(phase);
		return r;
	}
	r = -pthread_cond_init(&phase->changed, NULL);
	if (r < 0) {
		(void)pthread_mutex_destroy(&phase->lock);
		free(phase);
		return r;
	}
	phase->target = target;
	target->index_phase = phase;
	return make_jobs(phase);
}

void load_index_cancel(struct load_target *target)
{
	struct load_index *phase = target->index_phase;

	if (phase == NULL) {
		return;
	}
	(void)pthread_mutex_lock(&phase->lock);
	atomic_store_explicit(&phase->is_ended, true, memory_order_relaxed);
	(void)pthread_cond_broadcast(&phase->changed);
	(void)pthread_mutex_unlock(&phase->lock);
}

void load_index_free(struct load_target *target)
{
	struct load_index *phase = target->index_phase;

	if (phase == NULL) {
		return;
	}
	free(phase->jobs);
	(void)pthread_cond_destroy(&phase->changed);
	(void)pthread_mutex_destroy(&phase->lock);
	free(phase);
	target->index_phase = NULL;
}
