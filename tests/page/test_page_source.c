/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the page source:
 * - every page is read as it is, in memory or not, by one thread or several;
 * - pages that lie in a row are read with one call, and none after the last;
 * - what is not in memory is fetched by a thread, which is joined also in the middle;
 * - without that thread, or a system that tells what is in memory, reading goes on;
 * - a file that is cut is told.
 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/uio.h>

#include "page/page_source.h"

#define PAGE   4096u
#define NPAGES 3000u

/* ---- a system that can be told what is in memory ---- */

static _Atomic int asked_error; /* 0: as it is */
static _Atomic bool no_threads;
static _Atomic unsigned nthreads_started;

ssize_t __real_preadv2(int fd, const struct iovec *spaces, int n, off_t at, int flags);
ssize_t __wrap_preadv2(int fd, const struct iovec *spaces, int n, off_t at, int flags);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*fn)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*fn)(void *), void *arg);

ssize_t __wrap_preadv2(int fd, const struct iovec *spaces, int n, off_t at, int flags)
{
	if (asked_error != 0) {
		errno = asked_error;
		return -1;
	}
	return __real_preadv2(fd, spaces, n, at, flags);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*fn)(void *), void *arg)
{
	if (no_threads) {
		return EAGAIN;
	}
	nthreads_started++;
	return __real_pthread_create(thread, attr, fn, arg);
}

/* ---- a file of numbered pages ---- */

static int open_file(void)
{
	int fd = test_nameless_file();
	char page[PAGE];

	for (uint64_t i = 0; i < NPAGES; i++) {
		memset(page, (int)(i % 251), sizeof(page));
		memcpy(page, &i, sizeof(i));
		assert_int_equal(write(fd, page, PAGE), PAGE);
	}
	return fd;
}

/* Pages far apart, each as it should be. */
static int read_all(struct dit_page_source *source, uint64_t first, uint64_t step)
{
	char page[PAGE];

	for (uint64_t i = 0; i < NPAGES; i++) {
		uint64_t wanted = (first + i * step) % NPAGES;
		uint64_t number = 0;

		if (dit_page_source_read(source, wanted, 1, page) != 1) {
			return -1;
		}
		memcpy(&number, page, sizeof(number));
		if (number != wanted || page[PAGE - 1] != (char)(wanted % 251)) {
			return -1;
		}
	}
	return 0;
}

static void pages_are_read_as_they_are(void **state)
{
	static const struct {
		bool reads_ahead;
		int asked_error;
		bool no_threads;
		unsigned nthreads; /* started */
	} cases[] = {
		{false, 0, false, 0},
		{true, EAGAIN, false, 1},     /* nothing is in memory */
		{true, EOPNOTSUPP, false, 0}, /* not known */
		{true, EAGAIN, true, 0},
		{false, EAGAIN, false, 0},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_page_source source;
		int fd = open_file();

		asked_error = cases[i].asked_error;
		no_threads = cases[i].no_threads;
		nthreads_started = 0;
		dit_page_source_init(&source, fd, &dit_lmdb_09, PAGE, NPAGES);
		source.reads_ahead = cases[i].reads_ahead;
		assert_int_equal(read_all(&source, 0, 1), 0);
		assert_int_equal(read_all(&source, 7, 1301), 0);
		dit_page_source_deinit(&source);
		assert_int_equal(nthreads_started, cases[i].nthreads);
		assert_int_equal(close(fd), 0);
	}
	asked_error = 0;
	no_threads = false;
}

struct share {
	struct dit_page_source *source;
	uint64_t first;
	int r;
};

static void *read_share(void *arg)
{
	struct share *share = arg;

	share->r = read_all(share->source, share->first, 1301);
	return NULL;
}

static void several_threads_read_what_one_thread_fetches(void **state)
{
	struct dit_page_source source;
	struct share shares[4];
	pthread_t threads[4];
	int fd = open_file();
	(void)state;

	asked_error = EAGAIN;
	dit_page_source_init(&source, fd, &dit_lmdb_09, PAGE, NPAGES);
	source.reads_ahead = true;
	for (size_t i = 0; i < 4; i++) {
		shares[i] = (struct share){&source, i * 700, -1};
		assert_int_equal(
			pthread_create(&threads[i], NULL, read_share, &shares[i]), 0);
	}
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(shares[i].r, 0);
	}
	dit_page_source_deinit(&source);
	asked_error = 0;
	assert_int_equal(close(fd), 0);
}

static void neighbours_are_read_with_one_call(void **state)
{
	char *pages = malloc(16 * PAGE);
	struct dit_page_source source;
	int fd = open_file();
	uint64_t number = 0;
	(void)state;

	assert_non_null(pages);
	dit_page_source_init(&source, fd, &dit_lmdb_09, PAGE, NPAGES - 5);
	assert_int_equal(dit_page_source_read(&source, 100, 16, pages), 16);
	memcpy(&number, pages + 15 * PAGE, sizeof(number));
	assert_int_equal(number, 115);
	assert_int_equal(dit_page_source_read(&source, NPAGES - 7, 16, pages), 2);
	dit_page_source_deinit(&source);

	/* A page that is there in half is none. */
	assert_int_equal(ftruncate(fd, 50 * PAGE + 100), 0);
	dit_page_source_init(&source, fd, &dit_lmdb_09, PAGE, NPAGES);
	source.reads_ahead = true;
	assert_int_equal(dit_page_source_read(&source, 48, 16, pages), 2);
	assert_int_equal(dit_page_source_read(&source, 50, 16, pages), -ENODATA);
	asked_error = EAGAIN;
	for (int i = 0; i < 40; i++) {
		assert_int_equal(dit_page_source_read(&source, 2000, 1, pages), -ENODATA);
	}
	asked_error = 0;
	dit_page_source_deinit(&source);
	assert_int_equal(close(fd), 0);
	dit_page_source_init(&source, fd, &dit_lmdb_09, PAGE, NPAGES);
	assert_int_equal(dit_page_source_read(&source, 1, 4, pages), -EBADF);
	dit_page_source_deinit(&source);
	free(pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_read_as_they_are),
		cmocka_unit_test(several_threads_read_what_one_thread_fetches),
		cmocka_unit_test(neighbours_are_read_with_one_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
