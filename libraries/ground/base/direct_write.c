/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/direct_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/whole_io.h"

/* Enough for every file system that can do it at all. */
#define ALIGNMENT 4096

/* Through the cache: so much is written before the system is asked to begin with it. */
#define WINDOW_BYTES (8u << 20)

void *dit_direct_alloc(size_t size_bytes)
{
	return aligned_alloc(ALIGNMENT,
	                     (size_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1));
}

bool dit_direct_begin(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_DIRECT) == 0;
}

int dit_direct_end(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 || fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0 ? -errno : 0;
}

/* Advice only: the sync at the end has less left to do. */
static void start_writing(int fd, uint64_t begin, uint64_t end)
{
#ifdef SYNC_FILE_RANGE_WRITE
	uint64_t window = end / WINDOW_BYTES;

	/* Others may still be at work on the window before. */
	if (begin / WINDOW_BYTES != window && window >= 2) {
		(void)sync_file_range(fd, (off_t)((window - 2) * WINDOW_BYTES),
		                      WINDOW_BYTES, SYNC_FILE_RANGE_WRITE);
	}
#else
	(void)fd, (void)begin, (void)end;
#endif
}

/* File systems say that they cannot in dit_direct_begin(), or here. */
int dit_direct_write(int fd, _Atomic bool *is_direct, const char *data, size_t len,
                     uint64_t at)
{
	int r = dit_write_at(fd, data, len, at);

	if (r == -EINVAL && dit_direct_end(fd) == 0) {
		atomic_store_explicit(is_direct, false, memory_order_relaxed);
		r = dit_write_at(fd, data, len, at);
	}
	if (r == 0 && !atomic_load_explicit(is_direct, memory_order_relaxed)) {
		start_writing(fd, at, at + len);
	}
	return r;
}
