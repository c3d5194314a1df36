/* SPDX-License-Identifier: BSD-2-Clause */
/* A write may be cut short by a signal, a limit or a disk that fills up. */
#include "base/whole_io.h"

#include <errno.h>
#include <unistd.h>

int dit_write_at(int fd, const void *data, size_t len, uint64_t at)
{
	const char *next = data;

	while (len > 0) {
		ssize_t n = pwrite(fd, next, len, (off_t)at);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			return n < 0 ? -errno : -EIO;
		}
		next += n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}
