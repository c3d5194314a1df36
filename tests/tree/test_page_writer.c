/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the page writer:
 * - every chunk is written to its place, by whichever thread, in whatever order;
 * - a caller or file system that refuses direct writes, at once or later, gets others;
 * - the first error of a file is told to all who put chunks, and to no others;
 * - there are never more chunks than the queue and the callers hold;
 * - chunks are written past the page cache, unless the caller wants it.
 */
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tree/page_writer.h"

#include "base/slab.h"

#define PAGE     4096u
#define NCHUNKS  60
#define NTHREADS 4

/* ---- a system that can be told to fail ---- */

static bool wants_direct = true;
static bool no_direct_flag;
static bool no_threads;
/* The page writer's thread looks at these. */
static _Atomic bool refuses_direct; /* writes, but not the flag */
static _Atomic int full_fd = -1;    /* no space for this one */
static _Atomic unsigned nrefused;   /* writes to it */
static _Atomic bool keeps_flags;    /* here and not in the system, whatever it can do */
static _Atomic int direct_fd = -1;  /* then */
/* Bit n: chunk n. */
static _Atomic uint64_t went_through; /* the page cache */

ssize_t __real_pwrite(int fd, const void *data, size_t len, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t at);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*fn)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*fn)(void *), void *arg);
int __real_fcntl(int fd, int what, int flags);
int __wrap_fcntl(int fd, int what, int flags);

/* Chunks lie DIT_CHUNK_BYTES from each other. */
static uint64_t chunk_bit(off_t at)
{
	assert_int_equal(at % (off_t)DIT_CHUNK_BYTES, 0);
	return UINT64_C(1) << at / (off_t)DIT_CHUNK_BYTES;
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t at)
{
	if (fd == full_fd) {
		nrefused++;
		errno = ENOSPC;
		return -1;
	}
	if (refuses_direct && (fcntl(fd, F_GETFL) & O_DIRECT) != 0) {
		errno = EINVAL;
		return -1;
	}
	if (keeps_flags && fd != direct_fd) {
		went_through |= chunk_bit(at);
	}
	return __real_pwrite(fd, data, len, at);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*fn)(void *), void *arg)
{
	return no_threads ? EAGAIN : __real_pthread_create(thread, attr, fn, arg);
}

int __wrap_fcntl(int fd, int what, int flags)
{
	if (no_direct_flag && what == F_SETFL && (flags & O_DIRECT) != 0) {
		errno = EINVAL;
		return -1;
	}
	if (keeps_flags && what == F_SETFL) {
		direct_fd = (flags & O_DIRECT) != 0 ? fd : -1;
		return 0;
	}
	return __real_fcntl(fd, what, flags);
}

/* ---- one file ---- */

struct scratch {
	char *dir;
	char path[4200];
	int fd;
	struct dit_page_writer *writer;
	struct dit_page_file file;
};

static void scratch_open(struct scratch *scratch, bool has_thread)
{
	*scratch = (struct scratch){.dir = test_scratch()};
	(void)snprintf(scratch->path, sizeof(scratch->path), "%s/file", scratch->dir);
	scratch->fd = open(scratch->path, O_RDWR | O_CREAT, 0600);
	assert_true(scratch->fd >= 0);
	assert_int_equal(dit_page_writer_new(&scratch->writer, has_thread), 0);
	dit_page_file_open(&scratch->file, scratch->fd, scratch->writer, wants_direct);
}

static void scratch_close(struct scratch *scratch)
{
	dit_page_file_close(&scratch->file);
	dit_page_file_close(&scratch->file);
	assert_int_equal(close(scratch->fd), 0);
	dit_page_writer_free(scratch->writer);
	test_scratch_remove(scratch->dir);
}

/* Chunk n lies after the others, each is a page shorter than the one before. */
static size_t chunk_len(size_t n)
{
	return DIT_CHUNK_BYTES - n * PAGE;
}

static uint64_t chunk_at(size_t n)
{
	return (uint64_t)n * DIT_CHUNK_BYTES;
}

static int put(struct dit_page_file *file, size_t n)
{
	char *chunk = dit_slab_get(DIT_CHUNK_BYTES);

	if (chunk == NULL) {
		return -ENOMEM;
	}
	memset(chunk, (int)n + 1, chunk_len(n));
	return dit_page_file_put(file, chunk, chunk_len(n), chunk_at(n));
}

static void assert_all_written(const char *path)
{
	char *bytes = malloc(DIT_CHUNK_BYTES);
	int fd = open(path, O_RDONLY);

	assert_non_null(bytes);
	for (size_t n = 0; n < NCHUNKS; n++) {
		size_t len = chunk_len(n);

		assert_int_equal(pread(fd, bytes, len, (off_t)chunk_at(n)), len);
		for (size_t i = 0; i < len; i++) {
			if (bytes[i] != (char)(n + 1)) {
				fail();
			}
		}
	}
	assert_int_equal(close(fd), 0);
	free(bytes);
}

static void write_and_check(struct scratch *scratch)
{
	for (size_t n = NCHUNKS; n > 0; n--) {
		assert_int_equal(put(&scratch->file, n - 1), 0);
	}
	assert_int_equal(dit_page_file_drain(&scratch->file), 0);
	assert_all_written(scratch->path);
}

TEST(chunks_are_written_where_they_belong)
{
	for (int has_thread = 0; has_thread < 2; has_thread++) {
		struct scratch scratch;

		scratch_open(&scratch, has_thread);
		write_and_check(&scratch);
		scratch_close(&scratch);
	}
}

TEST(a_file_without_direct_writes_gets_ordinary_ones)
{
	for (int i = 0; i < 6; i++) {
		struct scratch scratch;

		no_direct_flag = i / 2 == 0;
		refuses_direct = i / 2 == 1;
		wants_direct = i / 2 != 2;
		scratch_open(&scratch, i % 2 == 0);
		write_and_check(&scratch);
		assert_false(atomic_load(&scratch.file.is_direct));
		scratch_close(&scratch);
	}
	no_direct_flag = false;
	refuses_direct = false;
	wants_direct = true;
}

/* Its end is no place for direct writes any more. */
TEST(lengths_that_are_not_aligned_are_written)
{
	struct scratch scratch;
	char text[100] = "";
	int fd = -1;

	scratch_open(&scratch, true);
	assert_int_equal(dit_page_file_write(&scratch.file, "text at odd places", 18, 77),
	                 0);
	fd = open(scratch.path, O_RDONLY);
	assert_int_equal(pread(fd, text, 18, 77), 18);
	assert_int_equal(close(fd), 0);
	assert_string_equal(text, "text at odd places");
	scratch_close(&scratch);
}

/* ---- the page cache ---- */

#define ALL ((UINT64_C(1) << NCHUNKS) - 1)

static void put_and_drain(bool has_thread)
{
	struct scratch scratch;

	went_through = 0;
	scratch_open(&scratch, has_thread);
	for (size_t n = 0; n < NCHUNKS; n++) {
		assert_int_equal(put(&scratch.file, n), 0);
		assert_int_equal(dit_page_file_drain(&scratch.file), 0);
	}
	assert_all_written(scratch.path);
	scratch_close(&scratch);
}

TEST(chunks_go_past_the_cache)
{
	keeps_flags = true;
	for (int has_thread = 0; has_thread < 2; has_thread++) {
		put_and_drain(has_thread);
		assert_int_equal(went_through, 0);
		wants_direct = false;
		put_and_drain(has_thread);
		assert_true(went_through == ALL);
		wants_direct = true;
	}
	keeps_flags = false;
	direct_fd = -1;
}

/* ---- errors ---- */

TEST(the_first_error_of_a_file_is_its_own)
{
	for (int has_thread = 0; has_thread < 2; has_thread++) {
		struct scratch bad;
		struct scratch good;
		int r = 0;

		scratch_open(&bad, has_thread);
		scratch_open(&good, false);
		good.file.writer = bad.writer;
		full_fd = bad.file.direct_fd >= 0 ? bad.file.direct_fd : bad.file.fd;
		nrefused = 0;
		/* It may come late, but it comes before the file is full of them. */
		for (size_t n = 0; n < NCHUNKS && r == 0; n++) {
			r = put(&bad.file, n);
		}
		assert_int_equal(r, -ENOSPC);
		if (!has_thread) {
			full_fd = -1;
		}
		assert_int_equal(put(&bad.file, 1), has_thread ? -ENOSPC : 0);
		assert_int_equal(dit_page_file_drain(&bad.file), -ENOSPC);
		/* Chunks on their way are not written after it. */
		assert_int_equal(nrefused, 1);
		full_fd = -1;

		write_and_check(&good);
		dit_page_file_close(&good.file);
		assert_int_equal(close(good.fd), 0);
		dit_page_writer_free(good.writer);
		test_scratch_remove(good.dir);
		scratch_close(&bad);
	}
}

TEST(a_limit_on_file_sizes_is_an_error_and_no_signal)
{
	for (int has_thread = 0; has_thread < 2; has_thread++) {
		struct scratch scratch;
		pid_t pid = 0;

		scratch_open(&scratch, false);
		pid = test_fork();
		if (pid == 0) {
			const struct rlimit limit = {3 * DIT_CHUNK_BYTES + 777,
			                             3 * DIT_CHUNK_BYTES + 777};
			int r = 0;

			(void)signal(SIGXFSZ, SIG_DFL);
			if (dit_page_writer_new(&scratch.file.writer, has_thread) != 0) {
				_exit(1);
			}
			(void)setrlimit(RLIMIT_FSIZE, &limit);
			for (size_t n = 0; n < NCHUNKS && r == 0; n++) {
				r = put(&scratch.file, n);
			}
			_exit(r == -EFBIG && dit_page_file_drain(&scratch.file) == -EFBIG
			              ? 0
			              : 2);
		}
		assert_int_equal(test_wait(pid), 0);
		scratch_close(&scratch);
	}
}

TEST(a_thread_that_cannot_be_started_is_an_error)
{
	struct dit_page_writer *writer = NULL;

	no_threads = true;
	assert_int_equal(dit_page_writer_new(&writer, true), -EAGAIN);
	assert_int_equal(dit_page_writer_new(&writer, false), 0);
	no_threads = false;
	dit_page_writer_free(writer);
	dit_page_writer_free(NULL);
}

/* ---- several threads ---- */

struct share {
	struct dit_page_file *file;
	size_t first;
	int r;
};

static void *put_share(void *arg)
{
	struct share *share = arg;

	for (size_t n = share->first; n < NCHUNKS && share->r == 0; n += NTHREADS) {
		share->r = put(share->file, n);
	}
	return NULL;
}

TEST(several_threads_share_a_writer_and_a_file)
{
	struct scratch scratch;
	struct share shares[NTHREADS];
	pthread_t threads[NTHREADS];

	scratch_open(&scratch, true);
	for (size_t i = 0; i < NTHREADS; i++) {
		shares[i] = (struct share){.file = &scratch.file, .first = i};
		assert_int_equal(pthread_create(&threads[i], NULL, put_share, &shares[i]),
		                 0);
	}
	for (size_t i = 0; i < NTHREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(shares[i].r, 0);
	}
	assert_int_equal(dit_page_file_drain(&scratch.file), 0);
	assert_all_written(scratch.path);
	scratch_close(&scratch);
}
