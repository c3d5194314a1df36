/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes that go through to their end:
 * - at a place in a file, all bytes, or those up to its end;
 * - from a pipe, all bytes, however small the pieces and whatever signals come;
 * - a stop ends the wait for more.
 */
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include "base/error.h"
#include "base/stop.h"
#include "system/file_io.h"

#define NPIECES 20

static int open_scratch(const char *dir)
{
	char *path = test_text("%s/file", dir);
	int fd = -1;

	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	return fd;
}

TEST(a_place_in_a_file_is_written_and_read)
{
	char *dir = test_scratch();
	int fd = open_scratch(dir);
	char bytes[16] = "";

	assert_int_equal(dit_write_at(fd, "abcdef", 6, 3), 0);
	assert_int_equal(dit_read_at(fd, bytes, 4, 4), 4);
	assert_memory_equal(bytes, "bcde", 4);
	/* The file ends in the middle, and before the place. */
	assert_int_equal(dit_read_at(fd, bytes, 8, 7), 2);
	assert_memory_equal(bytes, "ef", 2);
	assert_int_equal(dit_read_at(fd, bytes, 8, 100), 0);
	assert_int_equal(dit_read_at(fd, bytes, 0, 0), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(dit_read_at(fd, bytes, 1, 0), -EBADF);
	assert_int_equal(dit_write_at(fd, bytes, 1, 0), -EBADF);
}

struct feeder {
	int fd;
	pthread_t reader;
};

static void ignore(int signal)
{
	(void)signal;
}

/* Three bytes at a time, each with a signal that interrupts the reader. */
static void *feed(void *ctx)
{
	struct feeder *feeder = ctx;

	for (int i = 0; i < NPIECES; i++) {
		(void)usleep(2000);
		(void)pthread_kill(feeder->reader, SIGUSR1);
		if (write(feeder->fd, "abc", 3) != 3) {
			break;
		}
	}
	(void)close(feeder->fd);
	return NULL;
}

TEST(a_pipe_is_read_to_the_end_of_the_buffer_or_its_own)
{
	const struct sigaction action = {.sa_handler = ignore};
	struct feeder feeder = {.reader = pthread_self()};
	pthread_t thread;
	char bytes[3 * NPIECES];
	int fds[2];

	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(pipe(fds), 0);
	feeder.fd = fds[1];
	assert_int_equal(pthread_create(&thread, NULL, feed, &feeder), 0);
	assert_int_equal(dit_read_full(fds[0], bytes, 50, NULL), 50);
	assert_memory_equal(bytes, "abcabcabc", 9);
	assert_memory_equal(bytes + 45, "abcab", 5);
	assert_int_equal(dit_read_full(fds[0], bytes, sizeof(bytes), NULL),
	                 3 * NPIECES - 50);
	assert_memory_equal(bytes, "cabcabcabc", 10);
	assert_int_equal(dit_read_full(fds[0], bytes, sizeof(bytes), NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(close(fds[0]), 0);
	assert_true(dit_read_full(fds[0], bytes, 1, NULL) < 0);
}

TEST(a_piece_is_handed_out_as_it_comes)
{
	char bytes[8];
	int fds[2];

	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	assert_int_equal(write(fds[1], "ab", 2), 2);
	assert_int_equal(dit_read_some(fds[0], bytes, sizeof(bytes), NULL), 2);
	assert_int_equal(close(fds[1]), 0);
	assert_int_equal(dit_read_some(fds[0], bytes, sizeof(bytes), NULL), 0);
	assert_int_equal(close(fds[0]), 0);
}

static void *end_soon(void *stop)
{
	(void)usleep(50000);
	dit_stop_end(stop);
	return NULL;
}

TEST(a_stop_ends_the_wait_for_the_rest)
{
	struct dit_stop stop = {.flag = NULL};
	pthread_t thread;
	char bytes[8];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "ab", 2), 2);
	assert_int_equal(pthread_create(&thread, NULL, end_soon, &stop), 0);
	assert_int_equal(dit_read_full(fds[0], bytes, sizeof(bytes), &stop),
	                 DIT_E_STOPPED);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(dit_read_some(fds[0], bytes, sizeof(bytes), &stop),
	                 DIT_E_STOPPED);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(close(fds[1]), 0);
}
