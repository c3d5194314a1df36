/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several loads, reindexings, checks and exports at the same time in one process, each of
 * a database of its own (<ditkit/load.h>): each does what it does alone.
 *
 * The linker wraps what threads meet at. Each such call may sleep a little before and
 * after, so that threads come in orders in which they never come by themselves. The
 * thread sanitizer sees the same calls.
 *
 *   DIT_LONG=yes   1,000 rounds, not 10; DIT_ROUNDS=N: so many
 *   DIT_SEED=N     of the sleeps and of the threads; else by the clock
 */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "check/check.h"
#include "export/export.h"
#include "load_fixture.h"
#include "reindex/reindex.h"

/* ---- sleeps ---- */

/* The process's number; each thread's own state begins with another one. */
static _Atomic unsigned seed;
static _Atomic unsigned nsleeps;
static _Atomic bool is_disturbed;

static unsigned next_random(void)
{
	static _Thread_local unsigned state;

	if (state == 0) {
		state = (seed += 0x9E3779B9u) | 1;
	}
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static void disturb(void)
{
	unsigned n = is_disturbed ? next_random() % 64 : 64;

	if (n < 3) {
		struct timespec nap = {.tv_nsec = (long)(next_random() % 200000)};

		(void)nanosleep(&nap, NULL);
		nsleeps++;
	} else if (n < 12) {
		(void)sched_yield();
	}
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
#define WRAPPED(name, parameters, arguments)                                             \
 int __real_##name parameters;                                                           \
 int __wrap_##name parameters;                                                           \
 int __wrap_##name parameters                                                            \
 {                                                                                       \
  int r = 0;                                                                             \
                                                                                         \
  disturb();                                                                             \
  r = __real_##name arguments;                                                           \
  disturb();                                                                             \
  return r;                                                                              \
 }

WRAPPED(pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
WRAPPED(pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex))
WRAPPED(pthread_cond_signal, (pthread_cond_t * cond), (cond))
WRAPPED(pthread_cond_broadcast, (pthread_cond_t * cond), (cond))
WRAPPED(pthread_cond_wait, (pthread_cond_t * cond, pthread_mutex_t *mutex), (cond, mutex))
WRAPPED(pthread_join, (pthread_t thread, void **ret), (thread, ret))
WRAPPED(pthread_create,
        (pthread_t * thread, const pthread_attr_t *attr, void *(*start)(void *),
         void *ctx),
        (thread, attr, start, ctx))
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- what runs side by side ---- */

enum kind {
	LOAD_PAGES,
	LOAD_APPEND,
	LOAD_2_7,
	LOAD_MORE,
	LOAD_FEW, /* to many: indexes are grown (output/claimed_output.c) */
	REINDEX,
	CHECK,
	EXPORT,
	NKINDS,
};

struct job {
	enum kind kind;
	struct load_fixture f;
	pthread_t thread;
	unsigned nthreads;
	unsigned batch; /* records */
	int r;
	uint64_t result; /* findings, or bytes written */
	uint64_t wanted; /* digest after it, of the first run, which was alone */
};

static bool is_new_load(enum kind kind)
{
	return kind == LOAD_PAGES || kind == LOAD_APPEND || kind == LOAD_2_7;
}

static void run_load(struct job *job)
{
	struct dit_load_opts opts = load_fixture_opts(&job->f);

	opts.threads = job->nthreads;
	opts.batch_records = job->batch;
	opts.memory_bytes = DIT_LOAD_MEMORY_MIN;
	opts.writer = job->kind == LOAD_APPEND ? DIT_LOAD_WRITER_APPEND
	                                       : DIT_LOAD_WRITER_DEFAULT;
	opts.openldap = job->kind == LOAD_2_7 ? DIT_OPENLDAP_2_7 : DIT_OPENLDAP_2_6;
	job->r = load_fixture_run(&opts);
}

static void run_reindex(struct job *job)
{
	struct dit_reindex_opts opts = DIT_REINDEX_OPTS_INIT;
	struct dit_reindex_stats stats;

	opts.conf = job->f.conf;
	opts.tmpdir = job->f.tmpdir;
	opts.openldap = DIT_OPENLDAP_2_6;
	opts.threads = job->nthreads;
	opts.memory_bytes = DIT_LOAD_MEMORY_MIN;
	job->r = dit_reindex(&opts, &stats);
	dit_reindex_stats_deinit(&stats);
}

static void ignore(void *ctx, const struct dit_check_finding *finding)
{
	(void)ctx;
	(void)finding;
}

static void run_check(struct job *job)
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
	struct dit_check_stats stats;

	opts.conf = job->f.conf;
	opts.tmpdir = job->f.tmpdir;
	opts.openldap = DIT_OPENLDAP_2_6;
	opts.threads = job->nthreads;
	opts.memory_bytes = 16u << 20;
	opts.found = ignore;
	job->r = dit_check(&opts, &stats);
	job->result = stats.nfindings;
	dit_check_stats_deinit(&stats);
}

static void run_export(struct job *job)
{
	struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
	struct dit_export_stats stats;
	char output[4300];

	(void)snprintf(output, sizeof(output), "%s/out.ldif", job->f.dir);
	opts.conf = job->f.conf;
	opts.openldap = DIT_OPENLDAP_2_6;
	opts.output = output;
	opts.threads = job->nthreads;
	job->r = dit_export(&opts, &stats);
	job->result = stats.nbytes;
}

static void *run(void *ctx)
{
	struct job *job = ctx;

	switch (job->kind) {
	case REINDEX:
		run_reindex(job);
		break;
	case CHECK:
		run_check(job);
		break;
	case EXPORT:
		run_export(job);
		break;
	default:
		run_load(job);
	}
	return NULL;
}

/* ---- before and after it ---- */

#define NMANY 600

/* Later loads get a copy of what the first load made. */
static void load_many(struct load_fixture *f)
{
	char command[9000];
	char path[4300];

	(void)snprintf(path, sizeof(path), "%s/many", f->dir);
	if (access(path, F_OK) == 0) {
		(void)snprintf(command, sizeof(command), "cp '%s' '%s/data.mdb'", path,
		               f->database);
	} else {
		load_fixture_load_people(f, NMANY);
		(void)snprintf(command, sizeof(command), "cp '%s/data.mdb' '%s'",
		               f->database, path);
	}
	assert_int_equal(system(command), 0);
}

/* Entries that no database has yet. */
static void write_more(struct load_fixture *f)
{
	FILE *file = fopen(f->input, "w");

	assert_non_null(file);
	for (unsigned i = 0; i < 60; i++) {
		(void)fprintf(file,
		              "dn: cn=more %u,ou=dept %u,dc=x\nobjectClass: person\n"
		              "cn: more %u\nsn: Common\ndescription: new\n\n",
		              i, i % 3, i);
	}
	assert_int_equal(fclose(file), 0);
}

static void prepare(struct job *job)
{
	load_fixture_reset(&job->f);
	if (is_new_load(job->kind)) {
		load_fixture_write_people(&job->f, 150);
		return;
	}
	if (job->kind == LOAD_FEW) {
		load_many(&job->f);
	} else {
		load_fixture_load_people(&job->f, 150);
	}
	if (job->kind == LOAD_MORE || job->kind == LOAD_FEW) {
		write_more(&job->f);
	}
}

static void init(struct job *job, enum kind kind)
{
	memset(job, 0, sizeof(*job));
	job->kind = kind;
	job->nthreads = 2;
	load_fixture_init(&job->f, "lastmod off\n");
	prepare(job);
	(void)run(job);
	assert_int_equal(job->r, 0);
	job->wanted = load_fixture_digest(&job->f);
	assert_true(job->wanted != 0 && (kind != EXPORT || job->result > 10000));
}

static unsigned number_of(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);

	return text == NULL ? otherwise : (unsigned)strtoul(text, NULL, 10);
}

TEST(all_do_what_they_do_alone)
{
	static struct job jobs[NKINDS];
	const char *is_long = getenv("DIT_LONG");
	unsigned nrounds = number_of(
		"DIT_ROUNDS", is_long != NULL && strcmp(is_long, "yes") == 0 ? 1000 : 10);
	uint64_t nbytes = 0;

	seed = number_of("DIT_SEED", (unsigned)time(NULL));
	print_message("seed %u, %u rounds\n", seed, nrounds);
	for (int i = 0; i < NKINDS; i++) {
		init(&jobs[i], (enum kind)i);
	}
	nbytes = jobs[EXPORT].result;
	for (unsigned round = 0; round < nrounds; round++) {
		for (int i = 0; i < NKINDS; i++) {
			prepare(&jobs[i]);
			jobs[i].nthreads = 1 + next_random() % 4;
			jobs[i].batch = 1 + next_random() % 40;
		}
		is_disturbed = true;
		for (int i = 0; i < NKINDS; i++) {
			assert_int_equal(
				pthread_create(&jobs[i].thread, NULL, run, &jobs[i]), 0);
		}
		for (int i = 0; i < NKINDS; i++) {
			assert_int_equal(pthread_join(jobs[i].thread, NULL), 0);
		}
		is_disturbed = false;
		for (int i = 0; i < NKINDS; i++) {
			if (jobs[i].r != 0) {
				print_message("%s", jobs[i].f.reports);
			}
			assert_int_equal(jobs[i].r, 0);
			assert_int_equal(load_fixture_digest(&jobs[i].f), jobs[i].wanted);
		}
		assert_int_equal(jobs[CHECK].result, 0);
		assert_int_equal(jobs[EXPORT].result, nbytes);
	}
	print_message("%u sleeps\n", nsleeps);
	assert_true(nsleeps > nrounds);
	for (int i = 0; i < NKINDS; i++) {
		load_fixture_deinit(&jobs[i].f);
	}
}
