/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of a file, and the thread that fetches the file in order. */
#include "page/page_source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "page/page_seal.h"
#include "system/file_io.h"

/* The kernel takes so much in one request; so much of the file is under way. */
#define REQUEST_BYTES (128u << 10)
#define WINDOW_BYTES  (1u << 20)
#define AHEAD_BYTES   (8u << 20)
/* The kernel says "not in memory" of some pages that are. */
#define MISSES_MIN 16
/* That are read with one call. */
#define UNIT_PAGES_MAX (1u << 14)

void dit_page_source_init(struct dit_page_source *source, int fd,
                          const struct dit_page_format *format, unsigned page_bytes,
                          uint64_t npages)
{
	*source = (struct dit_page_source){.fd = fd,
	                                   .format = format,
	                                   .page_bytes = page_bytes,
	                                   .npages = npages,
	                                   .lock = PTHREAD_MUTEX_INITIALIZER,
	                                   .moved = PTHREAD_COND_INITIALIZER};
}

void dit_page_source_deinit(struct dit_page_source *source)
{
	if (source->page_bytes == 0) {
		return;
	}
	if (source->has_thread) {
		atomic_store_explicit(&source->stops, true, memory_order_relaxed);
		(void)pthread_join(source->thread, NULL);
	}
	(void)pthread_cond_destroy(&source->moved);
	(void)pthread_mutex_destroy(&source->lock);
}

/* ---- reading ahead ---- */

static void set_fetched(struct dit_page_source *source, uint64_t npages)
{
	(void)pthread_mutex_lock(&source->lock);
	source->fetched = npages;
	(void)pthread_cond_broadcast(&source->moved);
	(void)pthread_mutex_unlock(&source->lock);
}

/* Ask for a window; the kernel reads it while we do something else. */
static void ask_for(const struct dit_page_source *source, uint64_t at, uint64_t end)
{
	uint64_t to = at + WINDOW_BYTES < end ? at + WINDOW_BYTES : end;

	for (; at < to; at += REQUEST_BYTES) {
		(void)posix_fadvise(source->fd, (off_t)at, REQUEST_BYTES,
		                    POSIX_FADV_WILLNEED);
	}
}

/* A window is there when its last byte can be read. */
static bool wait_for(const struct dit_page_source *source, uint64_t at, uint64_t end)
{
	uint64_t to = at + WINDOW_BYTES < end ? at + WINDOW_BYTES : end;
	char byte = 0;

	return pread(source->fd, &byte, 1, (off_t)(to - 1)) == 1;
}

static void *fetch(void *arg)
{
	struct dit_page_source *source = arg;
	uint64_t end = source->npages * source->page_bytes;
	uint64_t asked = 0;

	(void)pthread_setname_np(pthread_self(), "dit-fetch");
	for (uint64_t at = 0; at < end; at += WINDOW_BYTES) {
		if (atomic_load_explicit(&source->stops, memory_order_relaxed)) {
			break;
		}
		for (; asked < end && asked < at + AHEAD_BYTES; asked += WINDOW_BYTES) {
			ask_for(source, asked, end);
		}
		if (!wait_for(source, at, end)) {
			break; /* whoever reads the page finds out why */
		}
		set_fetched(source, (at + WINDOW_BYTES) / source->page_bytes);
	}
	set_fetched(source, UINT64_MAX);
	return NULL;
}

/* ---- reading ---- */

/* With the lock held; once. */
static void start_fetching(struct dit_page_source *source)
{
	source->was_started = true;
	source->has_thread = pthread_create(&source->thread, NULL, fetch, source) == 0;
	if (!source->has_thread) {
		source->fetched = UINT64_MAX;
	}
}

static void wait_until_fetched(struct dit_page_source *source, uint64_t number)
{
	(void)pthread_mutex_lock(&source->lock);
	if (!source->was_started) {
		start_fetching(source);
	}
	while (source->fetched <= number) {
		(void)pthread_cond_wait(&source->moved, &source->lock);
	}
	(void)pthread_mutex_unlock(&source->lock);
}

/* Not each C library has preadv2(). */
static ssize_t read_at_once(int fd, const struct iovec *space, off_t at)
{
#ifdef RWF_NOWAIT
	return preadv2(fd, space, 1, at, RWF_NOWAIT);
#else
	(void)fd;
	(void)space;
	(void)at;
	errno = ENOSYS;
	return -1;
#endif
}

static bool can_ask(struct dit_page_source *source)
{
	return source->reads_ahead &&
	       !atomic_load_explicit(&source->cannot_ask, memory_order_relaxed);
}

/*
 * Read pages that are in memory, without waiting for the disk; below 1: none are, or it
 * is not known.
 */
static ssize_t read_from_memory(struct dit_page_source *source, char *pages, size_t len,
                                off_t at)
{
	struct iovec space = {pages, len};
	ssize_t n = -1;

	if (!can_ask(source)) {
		return -1;
	}
	n = read_at_once(source->fd, &space, at);
	if (n < 0 && errno != EAGAIN) {
		atomic_store_explicit(&source->cannot_ask, true, memory_order_relaxed);
	}
	return n;
}

/* As they lie in the file. */
static int read_sealed(struct dit_page_source *source, uint64_t number, unsigned wanted,
                       char *pages)
{
	size_t page_bytes = source->page_bytes;
	uint64_t left = source->npages - number;
	size_t count = wanted < left ? wanted : (size_t)left;
	uint64_t at = number * page_bytes;
	ssize_t n = read_from_memory(source, pages, count * page_bytes, (off_t)at);

	assert(page_bytes > 0 && number < source->npages);
	if (n >= (ssize_t)page_bytes) {
		return (int)((size_t)n / page_bytes);
	}
	if (can_ask(source) &&
	    atomic_fetch_add_explicit(&source->nmissed, 1, memory_order_relaxed) >=
	            MISSES_MIN) {
		wait_until_fetched(source, number);
	}
	n = dit_read_at(source->fd, pages, count * page_bytes, at);
	if (n < 0) {
		/* One page alone may be readable where several are not. */
		n = dit_read_at(source->fd, pages, page_bytes, at);
	}
	if (n < 0) {
		return (int)n;
	}
	return n < (ssize_t)page_bytes ? -ENODATA : (int)((size_t)n / page_bytes);
}

int dit_page_source_read(struct dit_page_source *source, uint64_t number, unsigned wanted,
                         char *pages)
{
	const struct dit_page_format *format = source->format;
	int n = read_sealed(source, number, wanted, pages);
	int r = 0;

	for (int i = 0; format->crypto != NULL && i < n; i++) {
		r = dit_page_unseal(format, pages + (size_t)i * source->page_bytes,
		                    source->page_bytes);
		if (r < 0) {
			return i > 0 ? i : r;
		}
	}
	return n;
}

int dit_page_source_read_unit(struct dit_page_source *source, uint64_t first,
                              uint64_t npages, char *pages)
{
	for (uint64_t i = 0; i < npages;) {
		uint64_t left = npages - i;
		int n = read_sealed(source, first + i,
		                    left < UNIT_PAGES_MAX ? (unsigned)left
		                                          : UNIT_PAGES_MAX,
		                    pages + i * source->page_bytes);

		if (n < 0) {
			return n;
		}
		i += (unsigned)n;
	}
	return source->format->crypto == NULL
	               ? 0
	               : dit_page_unseal(source->format, pages,
	                                 npages * source->page_bytes);
}
