/* SPDX-License-Identifier: BSD-2-Clause */
/* A load with is_scratch: a directory for a while, and nothing is left of it. */
#include "test.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "load_fixture.h"

/* Names in the directory for temporary files. */
static unsigned count_left(const struct load_fixture *f)
{
	DIR *dir = opendir(f->tmpdir);
	const struct dirent *entry = NULL;
	unsigned n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		n += entry->d_name[0] != '.';
	}
	(void)closedir(dir);
	return n;
}

static int load(struct load_fixture *f, struct dit_load_stats *stats)
{
	struct dit_load_opts opts = load_fixture_opts(f);

	opts.tmpdir = f->tmpdir;
	opts.is_scratch = true;
	opts.no_glue = true;
	return dit_load(&opts, stats);
}

/* The lowest descriptor that is free. */
static int free_descriptor(void)
{
	int fd = dup(STDERR_FILENO);

	assert_true(fd >= 0 && close(fd) == 0);
	return fd;
}

TEST(the_configured_database_is_left_alone)
{
	int fd = free_descriptor();
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_stats stats;
	struct stat st;

	load_fixture_write_people(f, 20);
	assert_int_equal(load(f, &stats), 0);
	assert_true(load_fixture_is_empty(f));
	assert_int_equal(stats.databases[0].nentries, stats.nentries);
	assert_int_equal(stats.databases[0].nindexes, 0);
	assert_int_equal(stat(stats.databases[0].directory, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(count_left(f), 1);
	dit_load_scratch_remove(&stats);
	assert_int_equal(count_left(f), 0);
	assert_int_equal(free_descriptor(), fd);
	dit_load_scratch_remove(&stats); /* does nothing */
	dit_load_stats_deinit(&stats);
}

TEST(an_estimate_leaves_nothing)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_estimate estimate;
	int fd = free_descriptor();

	load_fixture_write_people(f, 20);
	opts.tmpdir = f->tmpdir;
	opts.is_scratch = true;
	assert_int_equal(dit_estimate_load(&opts, 0, &estimate), 0);
	assert_int_equal(estimate.nentries, estimate.sampled_entries);
	dit_estimate_deinit(&estimate);
	assert_int_equal(count_left(f), 0);
	assert_int_equal(free_descriptor(), fd);
}

TEST(a_failed_load_leaves_nothing)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_stats stats;

	load_fixture_write(f, "dn: dc=x\nobjectClass: nonsense\n");
	assert_true(load(f, &stats) < 0);
	assert_int_equal(count_left(f), 0);
	dit_load_stats_deinit(&stats);
}

TEST(few_descriptors_leave_nothing)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_stats stats;
	struct rlimit all;
	struct rlimit few;
	int r = -1;

	load_fixture_write_people(f, 20);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
	few = all;
	for (few.rlim_cur = (rlim_t)free_descriptor(); r < 0; few.rlim_cur++) {
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		r = load(f, &stats);
		dit_load_scratch_remove(&stats);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
		assert_int_equal(count_left(f), 0);
		dit_load_stats_deinit(&stats);
	}
	assert_int_equal(r, 0);
}

TEST(subordinate_databases_are_refused)
{
	struct load_fixture *f = load_fixture_new_glued("");
	struct dit_load_opts opts = load_fixture_opts(f);

	load_fixture_write_people(f, 20);
	opts.tmpdir = f->tmpdir;
	opts.is_scratch = true;
	assert_int_equal(load_fixture_run(&opts), -EINVAL);
	assert_non_null(strstr(f->reports, "set no_glue"));
	assert_int_equal(count_left(f), 0);
}

/* A process that ends without removing its directory; the next load does. */
TEST(the_next_load_removes_what_a_killed_one_left)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_stats stats;
	pid_t child = 0;

	load_fixture_write_people(f, 20);
	child = test_fork();
	if (child == 0) {
		_exit(load(f, &stats) == 0 ? 0 : 1);
	}
	assert_int_equal(test_wait(child), 0);
	assert_int_equal(count_left(f), 1);
	assert_int_equal(load(f, &stats), 0);
	assert_int_equal(count_left(f), 1);
	dit_load_scratch_remove(&stats);
	assert_int_equal(count_left(f), 0);
	dit_load_stats_deinit(&stats);
}
