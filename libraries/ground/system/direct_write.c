/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/direct_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "system/whole_io.h"

/* The system is not asked to begin with less: the sync at the end writes it. */
#define BEGIN_BYTES (64u << 10)

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

int dit_cached_write(int fd, const char *data, size_t len, uint64_t at)
{
	int r = dit_write_at(fd, data, len, at);

#ifdef SYNC_FILE_RANGE_WRITE
	if (r == 0 && len >= BEGIN_BYTES) {
		(void)sync_file_range(fd, (off_t)at, (off_t)len, SYNC_FILE_RANGE_WRITE);
	}
#endif
	return r;
}

/* File systems say that they cannot in dit_direct_begin(), or here. */
int dit_direct_write(int fd, _Atomic bool *is_direct, const char *data, size_t len,
                     uint64_t at)
{
	int r = 0;

	if (!atomic_load_explicit(is_direct, memory_order_relaxed)) {
		return dit_cached_write(fd, data, len, at);
	}
	r = dit_write_at(fd, data, len, at);
	if (r == -EINVAL && dit_direct_end(fd) == 0) {
		atomic_store_explicit(is_direct, false, memory_order_relaxed);
		r = dit_cached_write(fd, data, len, at);
	}
	return r;
}
