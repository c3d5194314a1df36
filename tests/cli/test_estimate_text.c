/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of estimate_judge(): a line for each thing that does not fit, with both
 * figures and with what to do; nothing for what fits. And of the time: it follows
 * from the speed of the sample, and threads share it.
 */
#include "test.h"

#include <stdio.h>
#include <unistd.h>

#include "estimate_text.h"

#define MIB ((uint64_t)1 << 20)

static uint64_t disk_bytes;
static uint64_t tmp_bytes;
static uint64_t memory_bytes;
static bool is_one_disk;

static uint64_t disk(const char *directory)
{
	return strcmp(directory, "/tmp") == 0 ? tmp_bytes : disk_bytes;
}

static uint64_t memory(void)
{
	return memory_bytes;
}

static bool is_same(const char *x, const char *y)
{
	return is_one_disk || strcmp(x, y) == 0;
}

static const struct estimate_supply supply = {disk, memory, is_same};
static struct dit_estimate_database database = {.directory = (char[]){"/db"},
                                                .bytes = 100 * MIB,
                                                .disk_bytes = 100 * MIB};
static struct dit_estimate estimate = {.run_bytes = 50 * MIB,
                                       .memory_bytes = 30 * MIB,
                                       .tmpdir = "/tmp",
                                       .databases = &database,
                                       .ndatabases = 1};

/* Where all fits. */
static int set_up(void **state)
{
	(void)state;
	disk_bytes = 1000 * MIB;
	tmp_bytes = 1000 * MIB;
	memory_bytes = 1000 * MIB;
	is_one_disk = false;
	database.maxsize_bytes = 1000 * MIB;
	estimate.run_bytes = 50 * MIB;
	return 0;
}

/* The text about the estimate has as many lines as are counted. */
static void expect(const struct estimate_view *view, const char *kind, const char *text)
{
	FILE *file = tmpfile();
	int old = dup(STDERR_FILENO);
	char got[2048] = "";
	unsigned nlines = 0;
	unsigned n = 0;
	size_t len = 0;

	assert_non_null(file);
	assert_true(old >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
	n = estimate_judge(view, kind);
	assert_true(dup2(old, STDERR_FILENO) >= 0);
	(void)close(old);
	rewind(file);
	len = fread(got, 1, sizeof(got) - 1, file);
	got[len] = '\0';
	(void)fclose(file);
	assert_string_equal(got, text);
	for (size_t i = 0; i < len; i++) {
		nlines += got[i] == '\n';
	}
	assert_int_equal(n, nlines);
}

static const struct estimate_view view = {.program = "ditadd",
                                          .supply = &supply,
                                          .estimate = &estimate};

static void what_fits_is_not_told(void **state)
{
	(void)state;
	expect(&view, "", "");
	memory_bytes = 0; /* the system does not tell */
	expect(&view, "", "");
}

static void a_full_disk(void **state)
{
	(void)state;
	disk_bytes = 99 * MIB;
	expect(&view, "",
	       "ditadd: /db: about 100 MiB of disk are needed, 99.0 MiB are free\n");
	/* Temporary files lie there, too. */
	disk_bytes = tmp_bytes = 149 * MIB;
	is_one_disk = true;
	expect(&view, "warning: ",
	       "ditadd: warning: /db: about 150 MiB of disk are needed, 149 MiB are "
	       "free\n");
}

static void a_full_tmpdir(void **state)
{
	(void)state;
	tmp_bytes = 49 * MIB;
	expect(&view, "",
	       "ditadd: /tmp: about 50.0 MiB of disk are needed, 49.0 MiB are free: give "
	       "another --tmpdir, or more --memory\n");
	estimate.run_bytes = 0;
	tmp_bytes = 0;
	expect(&view, "", "");
}

static void too_little_memory(void **state)
{
	(void)state;
	memory_bytes = 29 * MIB;
	expect(&view, "",
	       "ditadd: about 30.0 MiB of memory are needed, 29.0 MiB are available: give "
	       "less --memory\n");
}

static void a_small_maxsize(void **state)
{
	struct estimate_view growing = view;

	(void)state;
	database.maxsize_bytes = 10 * MIB;
	expect(&view, "",
	       "ditadd: /db: the database will need about 100 MiB, but maxsize is "
	       "10.0 MiB: configure \"maxsize 157286400\"\n");
	growing.may_grow = true;
	expect(&growing, "", "");
}

static void time_follows_the_speed_of_the_sample(void **state)
{
	struct dit_estimate sampled = {.sampled_bytes = 10 * MIB,
	                               .text_bytes = 1000 * MIB,
	                               .sample_cpu_us = 100000,
	                               .threads = 1};
	const struct estimate_view timed = {
		.program = "ditadd", .work = 2, .estimate = &sampled};

	(void)state;
	assert_float_equal(estimate_seconds(&timed), 20, 0.1);
	sampled.threads = 4;
	assert_float_equal(estimate_seconds(&timed), 5, 1);
	sampled.sampled_bytes = 0;
	assert_true(estimate_seconds(&timed) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_fits_is_not_told, set_up),
		cmocka_unit_test_setup(a_full_disk, set_up),
		cmocka_unit_test_setup(a_full_tmpdir, set_up),
		cmocka_unit_test_setup(too_little_memory, set_up),
		cmocka_unit_test_setup(a_small_maxsize, set_up),
		cmocka_unit_test_setup(time_follows_the_speed_of_the_sample, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
