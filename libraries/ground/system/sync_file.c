/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/sync_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int sync_piece(int fd, uint64_t at, uint64_t bytes)
{
	const unsigned how = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
	                     SYNC_FILE_RANGE_WAIT_AFTER;

	if (sync_file_range(fd, (off64_t)at, (off64_t)bytes, how) == 0) {
		return 0;
	}
	/* Other errors: this file system cannot do it; fsync() can. */
	return errno == EIO || errno == ENOSPC || errno == EDQUOT ? -errno : 0;
}

int dit_sync_pieces(int fd, uint64_t bytes, uint64_t *ret_done, struct dit_ticker *ticker)
{
	int r = 0;

	if (ticker == NULL || bytes <= DIT_SYNC_PIECE_BYTES) {
		return 0;
	}
	for (uint64_t at = 0; at < bytes && r == 0; at += DIT_SYNC_PIECE_BYTES) {
		uint64_t left = bytes - at;

		if (left > DIT_SYNC_PIECE_BYTES) {
			left = DIT_SYNC_PIECE_BYTES;
		}
		r = sync_piece(fd, at, left);
		if (ret_done != NULL) {
			*ret_done = at + left;
		}
		dit_tick(ticker);
	}
	return r;
}

int dit_sync_directory(int fd)
{
	int dir_fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = 0;

	if (dir_fd >= 0) {
		r = fsync(dir_fd) < 0 && errno != EINVAL ? -errno : 0;
		(void)close(dir_fd);
	}
	return r;
}
