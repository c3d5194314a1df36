/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record of a program's work, and the part of its statistics that all
 * programs have alike (doc/stats.md).
 *
 *   run_record_start()
 *   run_record_progress() ...      from the progress callback; cheap
 *   run_record_end();  run_record_json()
 *   run_record_deinit()
 *
 * It holds a bounded series of samples: when the run had come how far, with how much
 * memory. The longer the run, the farther apart they are: 50 ms at first; when the series
 * is full, every second sample goes, and the distance doubles. The first sample of each
 * phase stays.
 *
 * And the time of the threads of the process, by phase: how long each was busy, how long
 * it was ready and had no processor, and how long it waited. The kernel counts
 * (/proc/self/task/N/schedstat), and thread_times_look() reads it from time to time, so
 * the threads themselves have no work with it. The work of a thread between the last look
 * and its end is not seen.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_COMMON_RUN_RECORD_H
#define DITKIT_COMMON_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <ditkit/index_cost.h>

#include "common_options.h"

/* ---- times of threads, from /proc ---- */

#define THREAD_TIMES_PHASES 8

struct thread_phase {
	uint64_t busy_us;
	uint64_t ready_us; /* without a processor */
	uint64_t alive_us; /* the whole, as far as it was seen */
};

struct thread_time {
	long id;
	char name[17];
	uint64_t busy_ns; /* as the kernel counts, at the last look */
	uint64_t ready_ns;
	struct thread_phase phases[THREAD_TIMES_PHASES];
};

/** Zero: no look yet. */
struct thread_times {
	struct thread_time *items; /* in the order of their start; owned */
	size_t n;
	uint64_t looked_us;
};

/** @param now_us  of any clock that ascends. Without memory, or where the kernel does not
 *                 count, nothing is noted. */
void thread_times_look(struct thread_times *times, uint64_t now_us, unsigned phase);
void thread_times_deinit(struct thread_times *times);

/* ---- samples ---- */

#define SAMPLES_MAX         240
#define SAMPLES_INTERVAL_US 50000

struct sample {
	uint64_t time_us; /* since the beginning of the run */
	struct dit_progress progress;
};

/** Zero is an empty series. */
struct samples {
	struct sample items[SAMPLES_MAX];
	size_t n;
	unsigned nhalvings;
};

/** Is it time for another sample? */
bool samples_wants(const struct samples *samples, uint64_t time_us, unsigned phase);
/** Times ascend. */
void samples_add(struct samples *samples, const struct sample *sample);

struct run_record {
	/* [const] */
	const struct common_options *options; /* of the program; borrowed */
	const struct meter_phase *phases;     /* static */
	unsigned nphases;

	time_t started;
	uint64_t start_us; /* CLOCK_MONOTONIC */
	uint64_t wall_us;
	unsigned phase;
	uint64_t memory_max_bytes; /* anonymous, of all samples */
	struct samples samples;
	struct thread_times threads;
};

/** @param nphases  THREAD_TIMES_PHASES at most */
void run_record_start(struct run_record *record, const struct common_options *options,
                      const struct meter_phase *phases, unsigned nphases);
void run_record_progress(struct run_record *record, const struct dit_progress *progress);
void run_record_end(struct run_record *record);

/**
 * {"format", "program", "version", "command", "started", "processors", "wall_s",
 * "cpu_user_s", "cpu_system_s", "memory", "phases", "threads", "samples"}, and the
 * members of the program's own: "records" and "databases" among them, which the rates of
 * phases are made of.
 *
 * @param own      taken; NULL: there was no memory for it
 * @param wall_us  of each phase
 * @param cpu_us   likewise, of all threads of the process
 *
 * @return owned; NULL: no memory
 */
struct json_t *run_record_json(const struct run_record *record, struct json_t *own,
                               const uint64_t *wall_us, const uint64_t *cpu_us);
void run_record_deinit(struct run_record *record);

/* ---- parts of the rest ---- */

/**
 * "indexes". Returns owned; NULL: no memory
 *
 * @param has_threads  there were tool threads: the costs have the number of one
 */
struct json_t *run_indexes_json(const struct dit_index_stats *indexes, size_t n,
                                bool has_threads);

/** "list_lengths": classes that no key is in are left out. Likewise. */
struct json_t *run_lengths_json(const uint64_t *nlists);

/** "2026-11-23T06:25:00Z". Likewise. */
struct json_t *run_time_json(time_t time);

/** A number of bytes; 0 becomes null: not known. Likewise. */
struct json_t *run_known_json(uint64_t n);

#endif
