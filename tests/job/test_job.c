/* SPDX-License-Identifier: BSD-2-Clause */
/* A job tells the caller directories and failures, and chooses its memory. */
#include "job/job.h"

#include "base/error.h"
#include "nomem.h"
#include "test.h"

static struct dit_database databases[] = {
	{.type = "mdb", .data.directory = "one"},
	{.type = "ldap"},
	{.type = "mdb", .data.directory = "two"},
};
static const struct dit_database *const all[] = {&databases[0], &databases[1],
                                                 &databases[2]};

static void keep_report(void *ctx, const struct dit_report *report)
{
	assert_int_equal(report->kind, DIT_REPORT_ERROR);
	(void)snprintf(ctx, 80, "%s", report->text);
}

static int note_directories(void *ctx, const char *const *directories, size_t n)
{
	assert_int_equal(n, 2);
	assert_string_equal(directories[0], "one");
	assert_string_equal(directories[1], "two");
	++*(unsigned *)ctx;
	return -EPERM;
}

TEST(directories_of_mdb_databases_are_told)
{
	char text[80] = "";
	unsigned ncalls = 0;
	const struct dit_job_opts silent = {.report = NULL};
	const struct dit_job_opts opts = {.report = keep_report,
	                                  .report_ctx = text,
	                                  .before_open = note_directories,
	                                  .before_open_ctx = &ncalls};
	struct dit_job job;

	dit_job_init(&job, &silent);
	assert_int_equal(dit_job_before_open(&job, all, 3), 0);
	dit_job_init(&job, &opts);
	assert_int_equal(dit_job_before_open(&job, all, 3), -EPERM);
	assert_int_equal(ncalls, 1);
	assert_string_equal(text, ""); /* the callback's business */
	assert_no_memory(dit_job_before_open(&job, all, 3));
	assert_int_equal(ncalls, 1);
	assert_string_equal(text, "could not start: Cannot allocate memory");
	dit_job_deinit(&job);
}

TEST(phases_are_all_of_the_time)
{
	uint64_t us[2] = {0, 0};
	uint64_t cpu_us[2] = {0, 0};
	const struct dit_job_opts opts = {.phase_us = us, .phase_cpu_us = cpu_us};
	uint64_t begun_us = 0;
	uint64_t begun_cpu_us = 0;
	struct dit_job job;

	dit_job_init(&job, &opts);
	begun_us = job.ended_us;
	begun_cpu_us = job.ended_cpu_us;
	while (cpu_us[0] == 0 || cpu_us[1] == 0) {
		dit_job_end_phase(&job, 0);
		dit_job_end_phase(&job, 1);
	}
	assert_int_equal(us[0] + us[1], job.ended_us - begun_us);
	assert_int_equal(cpu_us[0] + cpu_us[1], job.ended_cpu_us - begun_cpu_us);
	dit_job_deinit(&job);
}

TEST(an_interrupt_is_told_instead_of_its_consequence)
{
	static const struct dit_fault none = {""};
	static const struct dit_fault fault = {"it is damaged"};
	char text[80] = "";
	volatile sig_atomic_t stop = 0;
	const struct dit_job_opts opts = {
		.report = keep_report, .report_ctx = text, .stop = &stop};
	struct dit_job job;

	dit_job_init(&job, &opts);
	job.interrupted = "it ends";
	assert_int_equal(dit_job_fail(&job, -EMFILE, "sort"), -EMFILE);
	assert_string_equal(text, "sort: Too many open files: give more memory, or raise "
	                          "the limit of open files (");
	assert_int_equal(dit_job_fail(&job, DIT_E_BUSY, "db"), DIT_E_BUSY);
	assert_string_equal(text, "db: The database is in use");
	assert_int_equal(dit_job_fail_with(&job, -EIO, "dir", &none), -EIO);
	assert_string_equal(text, "dir: Input/output error");
	assert_int_equal(dit_job_fail_with(&job, -EIO, "dir", &fault), -EIO);
	assert_string_equal(text, "dir: it is damaged");
	stop = 1;
	assert_int_equal(dit_job_fail(&job, 1, "no failure"), 1);
	assert_string_equal(text, "dir: it is damaged");
	assert_int_equal(dit_job_fail(&job, DIT_E_BUSY, "db"), DIT_E_STOPPED);
	assert_string_equal(text, "it ends");
	dit_job_deinit(&job);
}

static void note_text(void *ctx, const struct dit_report *report)
{
	(void)snprintf(ctx, 120, "%s", report->text);
}

TEST(failures_of_a_publication_are_told)
{
	static const struct {
		enum dit_publish_step step;
		int error;
		const char *text;
	} cases[] = {
		{DIT_PUBLISH_PREPARE, -EIO, ""},
		{DIT_PUBLISH_COMMIT, -EIO, ""},
		{DIT_PUBLISH_RENAME, -EIO, ""},
		{DIT_PUBLISH_FIND, -ESTALE, "dir: was removed"},
		{DIT_PUBLISH_FIND_AGAIN, -ESTALE, "dir: was removed"},
		{DIT_PUBLISH_TAKE_BACK, 1, "dir: undone"},
		{DIT_PUBLISH_TAKE_BACK, -EIO, "dir: kept: Input/output error; whole"},
		{DIT_PUBLISH_END, -EIO,
	         "dir: the database is in place, but a crash of the system may bring "
	         "the old one back: Input/output error"},
	};
	const struct dit_publish_words words = {"undone", "kept", "; whole"};
	const struct dit_published item = {.directory = "dir", .fault = {"was removed"}};
	const struct dit_published interrupted = {.directory = "dir"};
	char text[120];
	const struct dit_job_opts opts = {.report = note_text, .report_ctx = text};
	struct dit_job job;

	dit_job_init(&job, &opts);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool is_told = cases[i].text[0] != '\0';

		text[0] = '\0';
		assert_int_equal(dit_job_tell_publish(&job, &item, cases[i].step,
		                                      cases[i].error, &words),
		                 is_told);
		assert_string_equal(text, cases[i].text);
	}
	text[0] = '\0';
	assert_false(dit_job_tell_publish(&job, &interrupted, DIT_PUBLISH_FIND,
	                                  DIT_E_STOPPED, &words));
	assert_string_equal(text, "");
	dit_job_deinit(&job);
}

/* ---- memory ---- */

static uint64_t limit_bytes;

uint64_t __wrap_dit_memory_limit(void);

uint64_t __wrap_dit_memory_limit(void)
{
	return limit_bytes;
}

#define MIB ((uint64_t)1 << 20)

TEST(memory_is_a_quarter_of_what_there_is)
{
	static const struct {
		uint64_t limit_bytes;
		uint64_t share_bytes;
		uint64_t record_bytes;
	} cases[] = {{UINT64_MAX, 1024 * MIB, 4096 * MIB},
	             {16384 * MIB, 1024 * MIB, 4096 * MIB},
	             {4096 * MIB, 1024 * MIB, 1024 * MIB},
	             {2048 * MIB, 512 * MIB, 512 * MIB},
	             {256 * MIB, 64 * MIB, 64 * MIB},
	             {200 * MIB, 64 * MIB, 64 * MIB},
	             {100 * MIB, 64 * MIB, 64 * MIB}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		limit_bytes = cases[i].limit_bytes;
		assert_int_equal(dit_memory_share(0), cases[i].share_bytes);
		assert_int_equal(dit_record_max(0), cases[i].record_bytes);
		assert_int_equal(dit_memory_share(5), 5);
		assert_int_equal(dit_record_max(5), 5);
	}
}
