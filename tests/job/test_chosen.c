/* SPDX-License-Identifier: BSD-2-Clause */
/* The database that a job chooses, the release of OpenLDAP, the number of threads. */
#include "test.h"

#include <sched.h>

#include "base/error.h"
#include "config/settings.h"
#include "default_paths.h"
#include "job/job.h"
#include "load/load_fixture.h"

static void collect(void *ctx, const struct dit_report *report)
{
	char *text = ctx;

	(void)snprintf(text, 1000, "%s", report->text);
}

static int choose(struct dit_job *job, const struct dit_job_opts *opts)
{
	int r = 0;

	dit_job_init(job, opts);
	r = dit_job_check(job, NULL, 0);
	r = r < 0 ? r : dit_job_read(job);
	return r < 0 ? r : dit_job_choose(job);
}

TEST(the_database_is_chosen_by_suffix_or_number)
{
	struct load_fixture *f = load_fixture_new_glued("");
	char text[1000] = "";
	struct dit_job_opts opts = {.database = -1,
	                            .openldap = DIT_OPENLDAP_2_6,
	                            .report = collect,
	                            .report_ctx = text};
	struct dit_job job;

	opts.conf = f->conf;
	assert_int_equal(choose(&job, &opts), 0);
	assert_span_equal(job.chosen.db->suffix, "dc=x");
	assert_int_equal(job.chosen.openldap, DIT_OPENLDAP_2_6);
	assert_false(job.chosen.is_openldap_found);
	assert_string_equal(text, "");
	dit_job_deinit(&job);
	assert_null(job.chosen.settings);

	opts.database = 1;
	opts.is_verbose = true;
	assert_int_equal(choose(&job, &opts), 0);
	assert_span_equal(job.chosen.db->suffix, "ou=dept 3,dc=x");
	assert_string_equal(text, "OpenLDAP 2.6, as chosen");
	dit_job_deinit(&job);

	opts.database = -1;
	opts.openldap = DIT_OPENLDAP_NEWEST + 1;
	assert_int_equal(choose(&job, &opts), -EINVAL);
	assert_null(job.chosen.settings);
	assert_string_equal(text, "the option openldap can be 0 to 3, not 4");

	opts.openldap = DIT_OPENLDAP_2_6;
	opts.suffix = "dc=other";
	assert_int_equal(choose(&job, &opts), DIT_E_CONFIG);
	assert_null(job.chosen.db);
	assert_non_null(strstr(text, "dc=other"));
	dit_job_deinit(&job);
}

TEST(another_directory_is_that_of_the_chosen_database_alone)
{
	struct load_fixture *f = load_fixture_new_glued("");
	struct dit_job_opts opts = {.conf = f->conf, .database = -1};
	struct dit_job job;

	assert_int_equal(choose(&job, &opts), 0);
	assert_int_equal(dit_job_glue(&job), 0);
	assert_int_equal(job.glue.ndatabases, 2);
	assert_string_equal(job.chosen.db->data.directory, f->database);
	dit_job_deinit(&job);

	opts.directory = "other";
	assert_int_equal(choose(&job, &opts), 0);
	assert_int_equal(dit_job_glue(&job), 0);
	assert_int_equal(job.glue.ndatabases, 1);
	assert_string_equal(job.chosen.db->data.directory, "other");
	dit_job_deinit(&job);

	opts.suffix = "ou=dept 3,dc=x";
	assert_int_equal(choose(&job, &opts), 0);
	assert_span_equal(job.chosen.db->suffix, opts.suffix);
	assert_string_equal(job.chosen.db->data.directory, "other");
	dit_job_deinit(&job);
}

TEST(the_release_is_that_of_the_installed_slapd)
{
	struct dit_slapd slapd;
	char text[1000] = "";
	struct dit_job_opts opts = {.conf = "/nonexistent", .database = -1};
	struct dit_job job;

	dit_slapd_look(DIT_DEFAULT_SLAPD, &slapd);
	assert_int_equal(choose(&job, &opts), DIT_E_CONFIG);
	assert_int_equal(job.chosen.openldap, slapd.version);
	assert_int_equal(job.chosen.patch, slapd.patch);
	assert_int_equal(job.chosen.is_openldap_found, slapd.is_found);
	assert_string_equal(text, "");
}

TEST(threads_are_those_asked_for_or_configured_or_one_per_cpu)
{
	struct dit_settings settings = {.tool_threads = 7};
	cpu_set_t set;

	assert_int_equal(dit_thread_count(3, &settings), 3);
	assert_int_equal(dit_thread_count(0, &settings), 7);
	assert_int_equal(dit_thread_count(1000000, &settings), 1024);
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	assert_int_equal(dit_thread_count(0, NULL), CPU_COUNT(&set));
	settings.tool_threads = 0;
	assert_int_equal(dit_thread_count(0, &settings), CPU_COUNT(&set));
}
