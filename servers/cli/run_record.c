/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of a program's work, as JSON. */
#include "run_record.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <jansson.h>

#include "run_facts.h"
#include <ditkit/clock.h>
#include <ditkit/version.h>

/* ---- times of threads, from /proc ---- */

/* A file of a thread. @return its length; 0: the thread is gone, or has no such file */
static size_t read_file(int tasks, const char *id, const char *name, char *text,
                        size_t size)
{
	char path[64];
	ssize_t n = 0;
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/%s", id, name);
	fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return 0;
	}
	n = read(fd, text, size - 1);
	(void)close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n < 0 ? 0 : (size_t)n;
}

static struct thread_time *find(struct thread_times *times, long id)
{
	struct thread_time *items = NULL;

	for (size_t i = 0; i < times->n; i++) {
		if (times->items[i].id == id) {
			return &times->items[i];
		}
	}
	items = reallocarray(times->items, times->n + 1, sizeof(*items));
	if (items == NULL) {
		return NULL;
	}
	times->items = items;
	items[times->n] = (struct thread_time){.id = id};
	return &items[times->n++];
}

static void look_at(struct thread_times *times, int tasks, const char *id,
                    uint64_t passed_us, unsigned phase)
{
	char text[128];
	uint64_t busy_ns = 0;
	uint64_t ready_ns = 0;
	struct thread_time *thread = NULL;
	struct thread_phase *sum = NULL;

	if (read_file(tasks, id, "schedstat", text, sizeof(text)) == 0 ||
	    sscanf(text, "%" SCNu64 " %" SCNu64, &busy_ns, &ready_ns) != 2) {
		return;
	}
	thread = find(times, strtol(id, NULL, 10));
	if (thread == NULL) {
		return;
	}
	if (read_file(tasks, id, "comm", thread->name, sizeof(thread->name)) > 0) {
		thread->name[strcspn(thread->name, "\n")] = '\0';
	}
	sum = &thread->phases[phase];
	sum->busy_us += busy_ns / 1000 - thread->busy_ns / 1000;
	sum->ready_us += ready_ns / 1000 - thread->ready_ns / 1000;
	sum->alive_us += passed_us;
	thread->busy_ns = busy_ns;
	thread->ready_ns = ready_ns;
}

void thread_times_look(struct thread_times *times, uint64_t now_us, unsigned phase)
{
	uint64_t passed_us = now_us - times->looked_us;
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task = NULL;

	times->looked_us = now_us;
	if (tasks == NULL || phase >= THREAD_TIMES_PHASES) {
		(void)(tasks != NULL && closedir(tasks));
		return;
	}
	while ((task = readdir(tasks)) != NULL) {
		if (task->d_name[0] != '.') {
			look_at(times, dirfd(tasks), task->d_name, passed_us, phase);
		}
	}
	(void)closedir(tasks);
}

void thread_times_deinit(struct thread_times *times)
{
	free(times->items);
	*times = (struct thread_times){.n = 0};
}

/* ---- samples ---- */

bool samples_wants(const struct samples *samples, uint64_t time_us, unsigned phase)
{
	const struct sample *last = &samples->items[samples->n - (samples->n > 0)];
	uint64_t interval_us = (uint64_t)SAMPLES_INTERVAL_US << samples->nhalvings;

	return samples->n == 0 || last->progress.phase != phase ||
	       time_us - last->time_us >= interval_us;
}

static void halve(struct samples *samples)
{
	size_t kept = 0;

	for (size_t i = 0; i < samples->n; i++) {
		bool is_first = i == 0 || samples->items[i].progress.phase !=
		                                  samples->items[i - 1].progress.phase;

		if (is_first || i % 2 == 0) {
			samples->items[kept++] = samples->items[i];
		}
	}
	/* More phases than samples: the last ones must do. */
	samples->n = kept == SAMPLES_MAX ? kept - 1 : kept;
	samples->nhalvings++;
}

void samples_add(struct samples *samples, const struct sample *sample)
{
	if (samples->n == SAMPLES_MAX) {
		halve(samples);
	}
	samples->items[samples->n++] = *sample;
}

#define FORMAT 1

/* ---- while the program works ---- */

void run_record_start(struct run_record *record, const struct common_options *options,
                      const struct meter_phase *phases, unsigned nphases)
{
	*record = (struct run_record){.options = options,
	                              .phases = phases,
	                              .nphases = nphases,
	                              .started = time(NULL),
	                              .start_us = dit_clock_us(CLOCK_MONOTONIC)};
	thread_times_look(&record->threads, 0, 0);
}

/* The time since the last look belongs to the phase that ends here, or goes on. */
static void note(struct run_record *record, const struct sample *sample)
{
	thread_times_look(&record->threads, sample->time_us, record->phase);
	samples_add(&record->samples, sample);
	record->phase = sample->progress.phase;
	if (sample->progress.memory_bytes > record->memory_max_bytes) {
		record->memory_max_bytes = sample->progress.memory_bytes;
	}
}

void run_record_progress(struct run_record *record, const struct dit_progress *progress)
{
	const struct sample sample = {dit_clock_us(CLOCK_MONOTONIC) - record->start_us,
	                              *progress};

	if (samples_wants(&record->samples, sample.time_us, progress->phase)) {
		note(record, &sample);
	}
}

void run_record_end(struct run_record *record)
{
	const struct samples *samples = &record->samples;

	record->wall_us = dit_clock_us(CLOCK_MONOTONIC) - record->start_us;
	if (samples->n > 0) {
		struct sample last = samples->items[samples->n - 1];

		last.time_us = record->wall_us;
		note(record, &last);
	}
}

void run_record_deinit(struct run_record *record)
{
	thread_times_deinit(&record->threads);
}

/* ---- as JSON ---- */

static json_t *seconds(uint64_t us)
{
	return json_real((double)us / 1e6);
}

static json_t *per_second(uint64_t n, uint64_t us)
{
	if (n == 0 || us == 0) {
		return json_null();
	}
	return json_number((uint64_t)((double)n / ((double)us / 1e6) + 0.5));
}

static json_t *word_json(const void *record, size_t i)
{
	return json_text(((const struct run_record *)record)->options->argv[i]);
}

static const char *phase_name(const struct run_record *record, unsigned i)
{
	const struct meter_phase *phase = &record->phases[i];

	assert(i < record->nphases);
	return phase->stats_name != NULL ? phase->stats_name : phase->name;
}

struct json_t *run_time_json(time_t time)
{
	char text[32];
	struct tm parts;

	if (gmtime_r(&time, &parts) == NULL ||
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
		return json_null();
	}
	return json_string(text);
}

/* A thread waits while it is neither busy nor ready. */
static json_t *times_json(const struct thread_phase *times)
{
	uint64_t at_work_us = times->busy_us + times->ready_us;
	uint64_t waiting_us =
		times->alive_us > at_work_us ? times->alive_us - at_work_us : 0;

	return json_pack("{s:o, s:o, s:o}", "busy_s", seconds(times->busy_us), "ready_s",
	                 seconds(times->ready_us), "waiting_s", seconds(waiting_us));
}

static json_t *thread_json(const void *ctx, size_t number)
{
	const struct run_record *record = ctx;
	const struct thread_time *thread = &record->threads.items[number];
	struct thread_phase sum = {.busy_us = 0};
	json_t *phases = json_object();
	json_t *json = NULL;

	for (unsigned i = 0; i < record->nphases; i++) {
		const struct thread_phase *phase = &thread->phases[i];

		sum.busy_us += phase->busy_us;
		sum.ready_us += phase->ready_us;
		sum.alive_us += phase->alive_us;
		(void)json_object_set_new(phases, phase_name(record, i),
		                          times_json(phase));
	}
	json = times_json(&sum);
	(void)json_object_set_new(
		json, "name", json_text(thread->id == getpid() ? "main" : thread->name));
	(void)json_object_set_new(json, "phases", phases);
	return json;
}

/* A count that begins again has gained nothing. */
static uint64_t gained(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/* It lasts until the next one, the last one not at all. */
static json_t *sample_json(const void *ctx, size_t i)
{
	const struct run_record *record = ctx;
	const struct sample *sample = &record->samples.items[i];
	const struct sample *next = sample + (i + 1 < record->samples.n);
	const struct dit_progress *progress = &sample->progress;
	const char *phase = phase_name(record, progress->phase);
	uint64_t us = next->time_us - sample->time_us;
	bool is_same = progress->phase == next->progress.phase;
	bool is_entries = is_same && progress->phase == 0;
	bool is_indexes = is_same && strcmp(phase, "indexes") == 0;

	return json_pack(
		"{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "time_s",
		seconds(sample->time_us), "lasts_s", seconds(us), "phase", phase,
		"phase_done", json_number(progress->done), "entries",
		json_number(progress->nentries), "entries_per_s",
		per_second(is_entries
	                           ? gained(progress->nentries, next->progress.nentries)
	                           : 0,
	                   us),
		"postings_per_s",
		per_second(is_indexes ? gained(progress->done, next->progress.done) : 0,
	                   us),
		"input_bytes", json_number(progress->bytes_read), "written_bytes",
		json_number(progress->bytes_written), "spilled_bytes",
		json_number(progress->run_bytes), "anonymous_bytes",
		run_known_json(progress->memory_bytes));
}

/* The input is read in the first phase; postings are those of the phase "indexes". */
static json_t *phase_json(const json_t *own, const char *name, bool is_first,
                          uint64_t wall_us, uint64_t cpu_us)
{
	const json_t *input = is_first ? json_object_get(own, "input") : NULL;
	json_t *indexes = strcmp(name, "indexes") == 0 ? fact_indexes(own) : NULL;
	json_t *json = json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o}", "name", name, "wall_s",
		seconds(wall_us), "cpu_s", seconds(cpu_us), "entries_per_s",
		per_second(is_first ? fact_entries(own) : 0, wall_us), "bytes_per_s",
		per_second(fact_number(input, "bytes"), wall_us), "postings_per_s",
		per_second(fact_sum(indexes, "postings"), wall_us));

	json_decref(indexes);
	return json;
}

struct json_t *run_record_json(const struct run_record *record, json_t *own,
                               const uint64_t *wall_us, const uint64_t *cpu_us)
{
	struct rusage usage = {0};
	json_t *phases = json_array();
	json_t *json = NULL;

	(void)getrusage(RUSAGE_SELF, &usage);
	for (unsigned i = 0; i < record->nphases; i++) {
		(void)json_array_append_new(phases,
		                            phase_json(own, phase_name(record, i), i == 0,
		                                       wall_us[i], cpu_us[i]));
	}
	json = json_pack(
		"{s:i, s:s, s:s, s:o, s:o, s:i, s:o, s:f, s:f, s:{s:o, s:o, s:o}, s:o, s:o, s:o}",
		"format", FORMAT, "program", program_invocation_short_name, "version",
		dit_version(), "command",
		json_list((size_t)record->options->argc, word_json, record), "started",
		run_time_json(record->started), "processors",
		(int)sysconf(_SC_NPROCESSORS_ONLN), "wall_s", seconds(record->wall_us),
		"cpu_user_s",
		(double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6,
		"cpu_system_s",
		(double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6,
		"memory", "peak_resident_bytes",
		json_number((uint64_t)usage.ru_maxrss * 1024), "peak_anonymous_bytes",
		json_number(record->memory_max_bytes), "page_faults",
		json_number((uint64_t)usage.ru_minflt), "phases", phases, "threads",
		json_list(record->threads.n, thread_json, record), "samples",
		json_list(record->samples.n, sample_json, record));
	if (own == NULL || json_object_update(json, own) < 0) {
		json_decref(json);
		json = NULL;
	}
	json_decref(own);
	return json;
}

struct json_t *run_known_json(uint64_t n)
{
	return n == 0 ? json_null() : json_number(n);
}

struct json_t *run_lengths_json(const uint64_t *nlists)
{
	json_t *lengths = json_array();

	for (unsigned i = 0; i < DIT_LIST_LENGTHS; i++) {
		uint64_t from = (uint64_t)1 << i;

		json_t *length = NULL;

		if (nlists[i] == 0) {
			continue;
		}
		length = json_pack("{s:o, s:o, s:o}", "from", json_number(from), "to",
		                   json_number(2 * from - 1), "keys",
		                   json_number(nlists[i]));
		(void)json_array_append_new(lengths, length);
	}
	return lengths;
}

static json_t *index_json(const struct dit_index_stats *index, bool has_threads)
{
	const struct dit_index_cost *cost = &index->cost;
	char thread[32] = "main";

	if (has_threads) {
		(void)snprintf(thread, sizeof(thread), "tool-%u", cost->thread);
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "name",
	                 index->name, "key_kind",
	                 index->is_integerkey ? "integer" : "bytes", "postings",
	                 json_number(index->npostings), "keys", json_number(index->nkeys),
	                 "range_keys", json_number(cost->nranges), "bytes",
	                 run_known_json(cost->bytes), "start_s", seconds(cost->start_us),
	                 "wall_s", seconds(cost->time_us), "thread", thread,
	                 "list_lengths", run_lengths_json(cost->nlists));
}

struct json_t *run_indexes_json(const struct dit_index_stats *indexes, size_t n,
                                bool has_threads)
{
	json_t *json = json_array();

	for (size_t i = 0; i < n; i++) {
		(void)json_array_append_new(json, index_json(&indexes[i], has_threads));
	}
	return json;
}
