/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load of several databases: all appear or none does, whatever fails; threads and
 * memory do not change what they hold.
 */
#include "test.h"

#include <sys/stat.h>

#include "files/files.h"
#include "load_fixture.h"
#include "locks/claim.h"

static bool directories_fail; /* to sync */

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	struct stat st;

	if (directories_fail && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		errno = EIO;
		return -1;
	}
	return __real_fsync(fd);
}

TEST(threads_and_memory_do_not_change_the_result)
{
	static const struct {
		unsigned threads;
		size_t batch_records;
		uint64_t memory;
	} cases[] = {{1, 0, 64 << 20}, {2, 7, 64 << 20}, {3, 0, DIT_LOAD_MEMORY_MIN}};
	struct load_fixture *f = load_fixture_new_glued("maxsize 1000000000\n");
	uint64_t want[2] = {0, 0};

	load_fixture_write_people(f, 3000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_load_opts opts = load_fixture_opts(f);
		struct dit_load_stats stats;
		uint64_t got[2];

		opts.threads = cases[i].threads;
		opts.batch_records = cases[i].batch_records;
		opts.memory_bytes = cases[i].memory;
		assert_int_equal(dit_load(&opts, &stats), 0);
		assert_string_equal(f->reports, "");
		assert_int_equal(stats.nentries, 3005);
		assert_int_equal(stats.ndatabases, 2);
		assert_int_equal(stats.databases[0].nentries, 3005 - 751);
		assert_string_equal(stats.databases[1].directory, f->subordinate);
		assert_int_equal(stats.databases[1].nentries, 751);
		assert_int_equal(stats.databases[1].nindexes, 2);
		dit_load_stats_deinit(&stats);
		got[0] = load_fixture_digest(f);
		got[1] = load_fixture_digest_of(f->subordinate);
		if (i == 0) {
			memcpy(want, got, sizeof(want));
		}
		assert_int_not_equal(got[0], 0);
		assert_int_not_equal(got[1], 0);
		assert_memory_equal(got, want, sizeof(want));
		load_fixture_reset(f);
	}
}

/* One database holds all, as with no_glue. */
TEST(a_load_into_another_directory_touches_no_configured_one)
{
	struct load_fixture *f = load_fixture_new_glued("");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;
	char other[4300];
	uint64_t want = 0;

	load_fixture_write_people(f, 20);
	opts.no_glue = true;
	assert_int_equal(load_fixture_run(&opts), 0);
	want = load_fixture_digest(f);
	load_fixture_reset(f);
	opts.no_glue = false;
	(void)snprintf(other, sizeof(other), "%s/other", f->dir);
	opts.directory = other;
	assert_int_equal(load_fixture_run(&opts), -ENOENT);
	assert_int_equal(mkdir(other, 0700), 0);
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_int_equal(stats.ndatabases, 1);
	assert_string_equal(stats.databases[0].directory, other);
	dit_load_stats_deinit(&stats);
	assert_int_equal(load_fixture_digest_of(other), want);
	assert_true(load_fixture_is_empty(f));
}

/* Put something in the way of the last rename once all is prepared. */
static void block_rename(void *ctx, const struct dit_progress *progress)
{
	const struct load_fixture *f = ctx;
	char path[4300];

	if (progress->phase == DIT_LOAD_PUBLISH) {
		(void)snprintf(path, sizeof(path), "%s/data.mdb", f->database);
		assert_int_equal(mkdir(path, 0700), 0);
	}
}

TEST(databases_in_place_are_taken_back)
{
	struct load_fixture *f = load_fixture_new_glued("");
	struct dit_load_opts opts = load_fixture_opts(f);
	char path[4300];

	load_fixture_write_people(f, 20);
	opts.progress = block_rename;
	opts.progress_ctx = f;

	assert_true(load_fixture_run(&opts) < 0);

	assert_non_null(strstr(f->reports, "error: could not put the database in place"));
	(void)snprintf(path, sizeof(path), "%s/data.mdb", f->database);
	assert_int_equal(rmdir(path), 0);
	assert_true(load_fixture_is_empty(f));
}

TEST(a_failure_of_one_leaves_all_as_they_were)
{
	struct load_fixture *f = load_fixture_new_glued("maxsize 8192\n");
	struct dit_load_opts opts = load_fixture_opts(f);

	/* The superior database is too small, the subordinate is not. */
	load_fixture_write_people(f, 200);

	assert_int_equal(load_fixture_run(&opts), DIT_E_FULL);

	assert_true(load_fixture_is_empty(f));
}

TEST(one_in_use_ends_the_load)
{
	struct load_fixture *f = load_fixture_new_glued("");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_claim claim;

	load_fixture_write_people(f, 20);
	assert_int_equal(dit_claim_take(&claim, dit_directory_open(f->subordinate, NULL),
	                                0600, NULL),
	                 0);

	assert_int_equal(load_fixture_run(&opts), DIT_E_BUSY);

	assert_non_null(strstr(f->reports,
	                       "sub is in use by slapd or another tool; stop it first"));
	dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
	assert_true(load_fixture_is_empty(f));
}

TEST(unsynced_directories_are_a_warning)
{
	struct load_fixture *f = load_fixture_new_glued("");
	struct dit_load_opts opts = load_fixture_opts(f);
	int r = 0;

	load_fixture_write_people(f, 20);

	directories_fail = true;
	r = load_fixture_run(&opts);
	directories_fail = false;

	assert_int_equal(r, 0);
	assert_non_null(
		strstr(f->reports, "a crash of the system may bring the old one"));
	assert_int_not_equal(load_fixture_digest(f), 0);
	assert_int_not_equal(load_fixture_digest_of(f->subordinate), 0);
}
