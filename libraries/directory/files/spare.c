/* SPDX-License-Identifier: BSD-2-Clause */
#include "files/spare.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#define SPARE_BYTES (2 << 20) /* btrfs reserves some 500 KiB for cutting a file */

int dit_spare_keep(int dir_fd)
{
	struct statfs fs;
	int fd = -1;

	if (fstatfs(dir_fd, &fs) != 0 || fs.f_type != BTRFS_SUPER_MAGIC) {
		return -1;
	}
	fd = openat(dir_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0 && fallocate(fd, 0, 0, SPARE_BYTES) != 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}
