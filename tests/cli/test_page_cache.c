/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of page_cache_warm():
 * - the system is asked for all bytes of the database that were not there before, once;
 * - it is not asked for the hole after them: slapadd -q and slapindex -q leave files of
 *   maxsize bytes;
 * - nothing is asked for if the bytes do not fit, if the file is none, or after a signal.
 */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "page_cache.h"

#define MIB ((uint64_t)1 << 20)

int __wrap_posix_fadvise(int fd, off_t at, off_t len, int advice);

static uint64_t nasked;   /* bytes */
static uint64_t last_end; /* of the latest call */

int __wrap_posix_fadvise(int fd, off_t at, off_t len, int advice)
{
	(void)fd;
	assert_int_equal(advice, POSIX_FADV_WILLNEED);
	if (nasked > 0) {
		assert_int_equal(at, last_end);
	}
	nasked += (uint64_t)len;
	last_end = (uint64_t)at + (uint64_t)len;
	return 0;
}

/* What is asked for of a file that has this length. */
static uint64_t warm(uint64_t length, uint64_t bytes, uint64_t kept_bytes,
                     sig_atomic_t stopped)
{
	const volatile sig_atomic_t stop = stopped;
	struct meter meter = {.plan.program = "test"};
	const struct page_cache_warming warming = {.meter = &meter, .stop = &stop};
	char *dir = test_scratch();
	char path[4096];
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/data.mdb", dir);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)length), 0);
	assert_int_equal(close(fd), 0);
	nasked = 0;
	page_cache_warm(&warming, dir, bytes, kept_bytes);
	test_scratch_remove(dir);
	return nasked;
}

static void all_bytes_are_asked_for(void **state)
{
	(void)state;
	assert_int_equal(warm(10 * MIB, 10 * MIB, 0, 0), 10 * MIB);
	assert_int_equal(warm(10 * MIB, 10 * MIB, 4 * MIB, 0), 6 * MIB);
	assert_int_equal(last_end, 10 * MIB);
}

static void a_hole_after_the_database_is_not_asked_for(void **state)
{
	(void)state;
	assert_int_equal(warm((uint64_t)100 << 30, 10 * MIB, 0, 0), 10 * MIB);
	assert_int_equal(warm((uint64_t)100 << 30, 10 * MIB, 8 * MIB, 0), 2 * MIB);
}

static void a_file_that_became_shorter_ends_where_it_ends(void **state)
{
	(void)state;
	assert_int_equal(warm(4 * MIB, 10 * MIB, 0, 0), 4 * MIB);
}

static void nothing_is_asked_for_in_vain(void **state)
{
	(void)state;
	assert_int_equal(warm(10 * MIB, 0, 0, 0), 0);
	assert_int_equal(warm(10 * MIB, page_cache_room(), 0, 0), 0);
	assert_int_equal(warm(10 * MIB, 10 * MIB, 0, SIGTERM), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_bytes_are_asked_for),
		cmocka_unit_test(a_hole_after_the_database_is_not_asked_for),
		cmocka_unit_test(a_file_that_became_shorter_ends_where_it_ends),
		cmocka_unit_test(nothing_is_asked_for_in_vain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
