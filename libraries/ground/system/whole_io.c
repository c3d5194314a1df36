/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A write may be cut short by a signal, a limit or a disk that fills up; a read by a
 * signal, or because a pipe holds no more at the moment.
 */
#include "system/whole_io.h"

#include <errno.h>
#include <unistd.h>

#include "base/stop.h"

/* Between two questions whether to end. */
#define READ_BYTES_MAX ((size_t)8 << 20)

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

ssize_t dit_read_at(int fd, void *data, size_t len, uint64_t at)
{
	char *next = data;
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, next + done, len - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return -errno;
		}
		if (n == 0) {
			break;
		}
		done += (size_t)n;
	}
	return (ssize_t)done;
}

ssize_t dit_read_some(int fd, void *data, size_t len, const struct dit_stop *stop)
{
	for (;;) {
		int r = dit_stop_wait_input(stop, fd);
		ssize_t n = 0;

		if (r < 0) {
			return r;
		}
		n = read(fd, data, len);
		if (n >= 0) {
			return n;
		}
		if (errno != EINTR && errno != EAGAIN) {
			return -errno;
		}
	}
}

ssize_t dit_read_full(int fd, void *data, size_t len, const struct dit_stop *stop)
{
	char *next = data;
	size_t done = 0;

	while (done < len) {
		size_t most = len - done < READ_BYTES_MAX ? len - done : READ_BYTES_MAX;
		ssize_t n = dit_read_some(fd, next + done, most, stop);

		if (n < 0) {
			return n;
		}
		if (n == 0) {
			break;
		}
		done += (size_t)n;
	}
	return (ssize_t)done;
}
