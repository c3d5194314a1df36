/* SPDX-License-Identifier: BSD-2-Clause */
/* One thread and a queue. */
#include "tree/page_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/monitor.h"
#include "base/slab.h"
#include "system/file_io.h"

/* Chunks on their way: a few milliseconds of any disk. */
#define QUEUE_SIZE 8

struct job {
	struct dit_page_file *file;
	char *chunk;
	size_t len;
	uint64_t at;
};

/* Less than this costs less through the page cache: a call past it waits for the disk.
 * Changes that fill free pages write them one by one. */
#define DIRECT_MIN ((size_t)64 << 10)

/* Lock order: there is one lock, and nothing is called with it held. */
struct dit_page_writer {
	pthread_t thread;

	/* [lock: monitor] */
	struct dit_monitor monitor;   /* tells of changes of all that follows */
	struct job queue[QUEUE_SIZE]; /* a ring */
	size_t first;
	size_t n;
	bool is_ended;
};

/* ---- writing ---- */

static int write_data(struct dit_page_file *file, const char *data, size_t len,
                      uint64_t at)
{
	bool is_cached = file->direct_fd < 0 || len < DIRECT_MIN;
	int none = 0;
	int r = is_cached ? dit_cached_write(file->fd, data, len, at)
	                  : dit_direct_write(file->direct_fd, &file->is_direct, data, len,
	                                     at);

	if (r < 0) {
		(void)atomic_compare_exchange_strong_explicit(&file->error, &none, r,
		                                              memory_order_relaxed,
		                                              memory_order_relaxed);
	}
	return r;
}

/* A limit on file sizes is an error and no signal. */
int dit_page_file_write(struct dit_page_file *file, const char *data, size_t len,
                        uint64_t at)
{
	sigset_t previous;
	int r = 0;

	dit_file_size_signal_block(&previous);
	r = write_data(file, data, len, at);
	dit_file_size_signal_restore(&previous);
	return r;
}

/* ---- the thread ---- */

/* The next chunk; false: there will be none. */
static bool next_job(struct dit_page_writer *writer, struct job *ret)
{
	bool is_there = false;

	dit_monitor_enter(&writer->monitor);
	while (writer->n == 0 && !writer->is_ended) {
		dit_monitor_wait(&writer->monitor);
	}
	is_there = writer->n > 0;
	if (is_there) {
		*ret = writer->queue[writer->first];
	}
	dit_monitor_leave(&writer->monitor);
	return is_there;
}

/*
 * Only now is there room for another one: so chunks are never more than the ring holds.
 */
static void end_job(struct dit_page_writer *writer, const struct job *job)
{
	dit_slab_put(job->chunk, DIT_CHUNK_BYTES);
	dit_monitor_enter(&writer->monitor);
	writer->first = (writer->first + 1) % QUEUE_SIZE;
	writer->n--;
	atomic_fetch_sub_explicit(&job->file->npending, 1, memory_order_relaxed);
	dit_monitor_tell(&writer->monitor);
	dit_monitor_leave(&writer->monitor);
}

static void *writer_main(void *arg)
{
	struct dit_page_writer *writer = arg;
	struct job job;

	while (next_job(writer, &job)) {
		/* After a failure the rest of the file is lost as well. */
		if (atomic_load_explicit(&job.file->error, memory_order_relaxed) == 0) {
			(void)write_data(job.file, job.chunk, job.len, job.at);
		}
		end_job(writer, &job);
	}
	return NULL;
}

/* The thread blocks all signals: other threads take them, and SIGXFSZ must not kill. */
static int start_thread(struct dit_page_writer *writer)
{
	sigset_t all;
	sigset_t previous;
	int r = 0;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &previous);
	r = -pthread_create(&writer->thread, NULL, writer_main, writer);
	(void)pthread_sigmask(SIG_SETMASK, &previous, NULL);
	if (r == 0) {
		(void)pthread_setname_np(writer->thread, "dit-write");
	}
	return r;
}

int dit_page_writer_new(struct dit_page_writer **ret, bool has_thread)
{
	struct dit_page_writer *writer = has_thread ? calloc(1, sizeof(*writer)) : NULL;
	int r = 0;

	*ret = NULL;
	if (writer == NULL) {
		return has_thread ? -ENOMEM : 0;
	}
	dit_monitor_init(&writer->monitor);
	r = start_thread(writer);
	if (r < 0) {
		dit_monitor_deinit(&writer->monitor);
		free(writer);
		return r;
	}
	*ret = writer;
	return 0;
}

void dit_page_writer_free(struct dit_page_writer *writer)
{
	if (writer == NULL) {
		return;
	}
	dit_monitor_enter(&writer->monitor);
	writer->is_ended = true;
	dit_monitor_tell(&writer->monitor);
	dit_monitor_leave(&writer->monitor);
	(void)pthread_join(writer->thread, NULL);
	dit_monitor_deinit(&writer->monitor);
	free(writer);
}

/* ---- files ---- */

/* Another descriptor of the file, for writes past the page cache. -1: there is none. */
static int open_direct(int fd)
{
	char path[sizeof("/proc/self/fd/") + 3 * sizeof(fd)];
	int direct_fd = -1;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	direct_fd = open(path, O_RDWR | O_CLOEXEC);
	if (direct_fd >= 0 && !dit_direct_begin(direct_fd)) {
		(void)close(direct_fd);
		direct_fd = -1;
	}
	return direct_fd;
}

void dit_page_file_open(struct dit_page_file *file, int fd,
                        struct dit_page_writer *writer, bool is_direct)
{
	*file = (struct dit_page_file){.fd = fd,
	                               .direct_fd = is_direct ? open_direct(fd) : -1,
	                               .writer = writer};
	atomic_init(&file->error, 0);
	atomic_init(&file->is_direct, file->direct_fd >= 0);
	atomic_init(&file->npending, 0);
}

int dit_page_file_drain(struct dit_page_file *file)
{
	struct dit_page_writer *writer = file->writer;

	if (writer != NULL) {
		dit_monitor_enter(&writer->monitor);
		while (atomic_load_explicit(&file->npending, memory_order_relaxed) > 0) {
			dit_monitor_wait(&writer->monitor);
		}
		dit_monitor_leave(&writer->monitor);
	}
	return atomic_load_explicit(&file->error, memory_order_relaxed);
}

void dit_page_file_close(struct dit_page_file *file)
{
	if (file->fd >= 0) {
		(void)dit_page_file_drain(file);
		file->fd = -1;
		dit_close(file->direct_fd);
		file->direct_fd = -1;
	}
}

static void hand_over(struct dit_page_writer *writer, const struct job *job)
{
	dit_monitor_enter(&writer->monitor);
	while (writer->n == QUEUE_SIZE) {
		dit_monitor_wait(&writer->monitor);
	}
	writer->queue[(writer->first + writer->n) % QUEUE_SIZE] = *job;
	writer->n++;
	atomic_fetch_add_explicit(&job->file->npending, 1, memory_order_relaxed);
	dit_monitor_tell(&writer->monitor);
	dit_monitor_leave(&writer->monitor);
}

int dit_page_file_put(struct dit_page_file *file, char *chunk, size_t len, uint64_t at)
{
	const struct job job = {.file = file, .chunk = chunk, .len = len, .at = at};
	int r = 0;

	if (file->writer == NULL) {
		r = dit_page_file_write(file, chunk, len, at);
		dit_slab_put(chunk, DIT_CHUNK_BYTES);
		return r;
	}
	hand_over(file->writer, &job);
	return atomic_load_explicit(&file->error, memory_order_relaxed);
}
