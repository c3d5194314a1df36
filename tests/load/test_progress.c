/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of progress (progress.h): phases come in order, counts of a phase never fall
 * and end at their total, and the callback is called on the caller's thread, with one
 * thread and with several, in a load, of one database and of glued ones, with and
 * without runs on the disk; in a reindexing; an export; a check. It is called while a
 * load waits for a pipe.
 */
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "check/check.h"
#include "export/export.h"
#include "load/load.h"
#include "load_fixture.h"
#include "reindex/reindex.h"

#define NPEOPLE  3000
#define NENTRIES (NPEOPLE + 5) /* the fixture adds its suffix and departments */
#define NPHASES  DIT_LOAD_NPHASES

struct told {
	pthread_t thread;
	bool may_return; /* phases of several databases */
	unsigned n;
	unsigned phase;
	struct dit_progress last[NPHASES];
	unsigned ncalls[NPHASES];
};

static void note(void *ctx, const struct dit_progress *progress)
{
	struct told *told = ctx;
	struct dit_progress *last = NULL;

	assert_true(pthread_equal(pthread_self(), told->thread));
	assert_in_range(progress->phase, 0, NPHASES - 1);
	last = &told->last[progress->phase];
	assert_true(progress->phase >= told->phase || told->may_return);
	assert_true(progress->total == 0 || progress->done <= progress->total);
	assert_true(progress->done >= last->done);
	assert_true(progress->nentries >= last->nentries);
	assert_true(progress->npostings >= last->npostings);
	assert_true(progress->run_bytes >= last->run_bytes);
	assert_true(progress->memory_bytes > 0);
	assert_true(progress->threads > 0);
	told->phase = progress->phase;
	told->ncalls[progress->phase]++;
	*last = *progress;
	told->n++;
}

static struct told nothing_told(void)
{
	return (struct told){.thread = pthread_self()};
}

static void has_come_to_its_end(const struct told *told, unsigned phase,
                                enum dit_progress_unit unit)
{
	const struct dit_progress *last = &told->last[phase];

	assert_true(told->ncalls[phase] > 0);
	assert_int_equal(last->unit, unit);
	assert_true(last->total > 0);
	assert_int_equal(last->done, last->total);
}

/* ---- loads ---- */

static struct told load_and_listen(struct load_fixture *f, unsigned nthreads,
                                   uint64_t memory_bytes)
{
	struct told told = nothing_told();
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;

	told.may_return = f->subordinate[0] != '\0';
	opts.threads = nthreads;
	opts.memory_bytes = memory_bytes;
	opts.batch_records = 100;
	opts.progress = note;
	opts.progress_ctx = &told;
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_int_equal(told.last[told.phase].nentries, stats.nentries);
	dit_load_stats_deinit(&stats);
	return told;
}

static void check_load(const struct told *told, const struct load_fixture *f)
{
	struct stat input;

	assert_int_equal(stat(f->input, &input), 0);
	has_come_to_its_end(told, DIT_LOAD_ENTRIES, DIT_PROGRESS_BYTES);
	assert_int_equal(told->last[DIT_LOAD_ENTRIES].total, input.st_size);
	assert_int_equal(told->last[DIT_LOAD_ENTRIES].bytes_read, input.st_size);
	assert_true(told->ncalls[DIT_LOAD_ENTRIES] >= NPEOPLE / 100);
	assert_true(told->ncalls[DIT_LOAD_NAMES] > 0);
	assert_int_equal(told->last[DIT_LOAD_NAMES].unit, DIT_PROGRESS_RECORDS);
	assert_true(told->last[DIT_LOAD_INDEXES].total > NENTRIES);
	assert_int_equal(told->last[DIT_LOAD_INDEXES].unit, DIT_PROGRESS_POSTINGS);
	assert_int_equal(told->last[DIT_LOAD_INDEXES].total,
	                 told->last[DIT_LOAD_INDEXES].npostings);
	assert_int_equal(told->phase, DIT_LOAD_PUBLISH);
	assert_true(told->last[DIT_LOAD_INDEXES].bytes_written > 4096);
}

TEST(a_load_tells_all_phases)
{
	struct load_fixture *f = load_fixture_new("");

	load_fixture_write_people(f, NPEOPLE);
	for (unsigned nthreads = 1; nthreads <= 3; nthreads++) {
		struct told told = load_and_listen(f, nthreads, 0);

		check_load(&told, f);
		assert_int_equal(told.last[DIT_LOAD_NAMES].total, 2 * NENTRIES);
		assert_int_equal(told.last[DIT_LOAD_PUBLISH].run_bytes, 0);
		assert_int_equal(told.last[DIT_LOAD_PUBLISH].threads, nthreads);
		load_fixture_reset(f);
	}
}

TEST(a_load_of_glued_databases_tells_all_phases)
{
	struct load_fixture *f = load_fixture_new_glued("");

	load_fixture_write_people(f, NPEOPLE);
	for (unsigned nthreads = 1; nthreads <= 3; nthreads++) {
		struct told told = load_and_listen(f, nthreads, 0);

		check_load(&told, f);
		load_fixture_reset(f);
	}
}

TEST(runs_on_the_disk_are_counted)
{
	struct load_fixture *f = load_fixture_new("maxsize 1073741824\n");
	struct told told;

	load_fixture_write_people(f, 6 * NPEOPLE);
	told = load_and_listen(f, 2, DIT_LOAD_MEMORY_MIN);
	assert_true(told.last[DIT_LOAD_PUBLISH].run_bytes > 0);
}

/* ---- a pipe ---- */

struct source {
	const char *path;
	char ldif[64 << 10];
};

static void read_all(struct source *source)
{
	FILE *file = fopen(source->path, "r");
	size_t n = 0;

	assert_non_null(file);
	n = fread(source->ldif, 1, sizeof(source->ldif) - 1, file);
	assert_in_range(n, 10, sizeof(source->ldif) - 2);
	source->ldif[n] = '\0';
	(void)fclose(file);
}

static void pause_ms(long ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&time, &time) != 0 && errno == EINTR) {
	}
}

static void *write_slowly(void *arg)
{
	const struct source *source = arg;
	int fd = open(source->path, O_WRONLY);
	size_t len = strlen(source->ldif);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, source->ldif, 5), 5);
	pause_ms(900);
	assert_int_equal(write(fd, source->ldif + 5, len - 5), len - 5);
	(void)close(fd);
	return NULL;
}

TEST(a_wait_for_a_pipe_is_told)
{
	struct load_fixture *f = load_fixture_new("");
	struct source source = {.path = f->input};

	load_fixture_write_people(f, 10);
	read_all(&source);
	(void)unlink(f->input);
	assert_int_equal(mkfifo(f->input, 0600), 0);
	for (unsigned nthreads = 1; nthreads <= 2; nthreads++) {
		struct told told;
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, write_slowly, &source), 0);
		told = load_and_listen(f, nthreads, 0);
		(void)pthread_join(thread, NULL);
		assert_true(told.ncalls[DIT_LOAD_ENTRIES] >= 2);
		assert_int_equal(told.last[DIT_LOAD_ENTRIES].total, 0);
		load_fixture_reset(f);
	}
}

/* ---- the others ---- */

TEST(a_reindexing_tells_all_phases)
{
	struct load_fixture *f = load_fixture_new_people(NPEOPLE);

	for (unsigned nthreads = 1; nthreads <= 3; nthreads++) {
		struct told told = nothing_told();
		struct dit_reindex_opts opts = DIT_REINDEX_OPTS_INIT;
		struct dit_reindex_stats stats;

		opts.conf = f->conf;
		opts.threads = nthreads;
		opts.progress = note;
		opts.progress_ctx = &told;
		assert_int_equal(dit_reindex(&opts, &stats), 0);
		dit_reindex_stats_deinit(&stats);
		has_come_to_its_end(&told, DIT_REINDEX_ENTRIES, DIT_PROGRESS_RECORDS);
		assert_int_equal(told.last[DIT_REINDEX_ENTRIES].total, NENTRIES);
		assert_true(told.last[DIT_REINDEX_INDEXES].total > NENTRIES);
		assert_int_equal(told.phase, DIT_REINDEX_PUBLISH);
	}
}

TEST(an_export_tells_its_entries)
{
	struct load_fixture *f = load_fixture_new_people(NPEOPLE);
	char *path = test_text("%s/out.ldif", f->dir);

	for (unsigned nthreads = 1; nthreads <= 3; nthreads++) {
		struct told told = nothing_told();
		struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
		struct dit_export_stats stats;

		opts.conf = f->conf;
		opts.output = path;
		opts.threads = nthreads;
		opts.progress = note;
		opts.progress_ctx = &told;
		assert_int_equal(dit_export(&opts, &stats), 0);
		has_come_to_its_end(&told, DIT_EXPORT_ENTRIES, DIT_PROGRESS_RECORDS);
		assert_int_equal(told.last[DIT_EXPORT_ENTRIES].nentries, NENTRIES);
		assert_int_equal(told.last[DIT_EXPORT_PUBLISH].bytes_written,
		                 stats.nbytes);
		assert_int_equal(told.phase, DIT_EXPORT_PUBLISH);
	}
	(void)unlink(path);
}

TEST(a_check_tells_all_phases)
{
	struct load_fixture *f = load_fixture_new_people(NPEOPLE);

	for (unsigned nthreads = 1; nthreads <= 3; nthreads++) {
		struct told told = nothing_told();
		struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
		struct dit_check_stats stats;

		opts.conf = f->conf;
		opts.threads = nthreads;
		opts.progress = note;
		opts.progress_ctx = &told;
		assert_int_equal(dit_check(&opts, &stats), 0);
		assert_int_equal(stats.nfindings, 0);
		dit_check_stats_deinit(&stats);
		assert_true(told.ncalls[DIT_CHECK_STRUCTURE] > 0);
		assert_true(told.last[DIT_CHECK_STRUCTURE].total > 10);
		has_come_to_its_end(&told, DIT_CHECK_ENTRIES, DIT_PROGRESS_RECORDS);
		assert_int_equal(told.last[DIT_CHECK_ENTRIES].total, NENTRIES);
		/* Sums have told that indexes and tree need not be compared. */
		assert_int_equal(told.last[DIT_CHECK_INDEXES].total, 0);
		assert_int_equal(told.phase, DIT_CHECK_INDEXES);
	}
}
