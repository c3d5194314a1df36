/* SPDX-License-Identifier: BSD-2-Clause */
/* The moment before databases are opened: which are told, what has happened by then. */
#include "test.h"

#include <dirent.h>
#include <sys/stat.h>

#include "check/check.h"
#include "export/export.h"
#include "load/load_fixture.h"
#include "reindex/reindex.h"

struct moment {
	const struct load_fixture *f;
	unsigned ncalls;
	size_t n; /* directories told */
	bool is_chosen_told;
	bool is_subordinate_told;
	unsigned nthreads; /* of the process then */
	unsigned nreports;
	int result;
};

static unsigned count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	unsigned n = 0;

	assert_non_null(dir);
	for (const struct dirent *entry = readdir(dir); entry != NULL;
	     entry = readdir(dir)) {
		n += entry->d_name[0] != '.';
	}
	assert_int_equal(closedir(dir), 0);
	return n;
}

static int note_moment(void *ctx, const char *const *directories, size_t n)
{
	struct moment *moment = ctx;

	moment->ncalls++;
	moment->n = n;
	moment->nthreads = count_threads();
	for (size_t i = 0; i < n; i++) {
		moment->is_chosen_told |=
			strcmp(directories[i], moment->f->database) == 0;
		moment->is_subordinate_told |=
			strcmp(directories[i], moment->f->subordinate) == 0;
	}
	return moment->result;
}

static void count_report(void *ctx, const struct dit_report *report)
{
	struct moment *moment = ctx;

	(void)report;
	moment->nreports++;
}

static int load(struct load_fixture *f, struct moment *moment)
{
	struct dit_load_opts opts = load_fixture_opts(f);
	int r = 0;

	opts.threads = 3;
	opts.before_open = note_moment;
	opts.before_open_ctx = moment;
	r = load_fixture_run(&opts);
	return r;
}

/* The options that these tools share. */
#define BEGIN(opts, f, moment)                                                           \
 do {                                                                                    \
  (opts).conf = (f)->conf;                                                               \
  (opts).threads = 3;                                                                    \
  (opts).before_open = note_moment;                                                      \
  (opts).before_open_ctx = moment;                                                       \
  (opts).report = count_report;                                                          \
  (opts).report_ctx = moment;                                                            \
 } while (0)

static int reindex(struct load_fixture *f, struct moment *moment)
{
	struct dit_reindex_opts opts = DIT_REINDEX_OPTS_INIT;
	struct dit_reindex_stats stats;
	int r = 0;

	BEGIN(opts, f, moment);
	opts.tmpdir = f->tmpdir;
	r = dit_reindex(&opts, &stats);
	dit_reindex_stats_deinit(&stats);
	return r;
}

static int export(struct load_fixture *f, struct moment *moment)
{
	struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
	struct dit_export_stats stats;
	char *path = test_text("%s/out.ldif", f->tmpdir);

	BEGIN(opts, f, moment);
	opts.output = path;
	return dit_export(&opts, &stats);
}

static void found_nothing(void *ctx, const struct dit_check_finding *finding)
{
	(void)ctx;
	fail_msg("%s", finding->text);
}

static int check_with(const struct load_fixture *f, struct moment *moment,
                      const char *path, bool is_quick)
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
	struct dit_check_stats stats;
	int r = 0;

	BEGIN(opts, f, moment);
	opts.path = path;
	opts.is_quick = is_quick;
	opts.found = found_nothing;
	r = dit_check(&opts, &stats);
	dit_check_stats_deinit(&stats);
	return r;
}

static int check(struct load_fixture *f, struct moment *moment)
{
	return check_with(f, moment, NULL, false);
}

TEST(the_databases_are_told_before_a_thread_starts)
{
	static int (*const tools[])(struct load_fixture *,
	                            struct moment *) = {load, reindex, export, check};
	struct load_fixture *f = load_fixture_new_glued("");

	load_fixture_write_people(f, 20);
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		struct moment moment = {.f = f, .result = -EPERM};
		uint64_t before = load_fixture_digest(f);
		unsigned nthreads = count_threads(); /* a sanitizer has one of its own */

		assert_int_equal(tools[i](f, &moment), -EPERM);
		assert_int_equal(moment.ncalls, 1);
		assert_int_equal(moment.n, 2);
		assert_true(moment.is_chosen_told && moment.is_subordinate_told);
		assert_int_equal(moment.nthreads, nthreads);
		assert_int_equal(moment.nreports, 0); /* the callback has told */
		assert_int_equal(load_fixture_digest(f), before);
		assert_int_equal(load_fixture_is_empty(f), i == 0);
		moment.result = EPERM;
		assert_int_equal(tools[i](f, &moment), -EINVAL);
		assert_int_equal(load_fixture_digest(f), before);
		moment.result = 0;
		assert_int_equal(tools[i](f, &moment), 0);
		assert_int_equal(moment.ncalls, 3);
	}
}

/* Nothing else is opened then. */
TEST(a_path_is_told_alone)
{
	struct load_fixture *f = load_fixture_new_glued("");

	load_fixture_write_people(f, 20);
	assert_int_equal(load(f, &(struct moment){.f = f}), 0);
	for (int i = 0; i < 2; i++) {
		struct moment moment = {.f = f, .result = -EPERM};

		assert_int_equal(check_with(f, &moment, f->database, i == 0), -EPERM);
		moment.result = EPERM;
		assert_int_equal(check_with(f, &moment, f->database, i == 0), -EINVAL);
		assert_int_equal(moment.n, 1);
		assert_true(moment.is_chosen_told);
		moment.result = 0;
		assert_int_equal(check_with(f, &moment, f->database, i == 0), 0);
	}
}
