/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void dit_leftover_each(int dir_fd, dit_leftover_fn look, const void *ctx)
{
	/* With a place of its own, and to be read. */
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry = NULL;

	if (dir == NULL) {
		if (fd >= 0) {
			(void)close(fd);
		}
		return;
	}
	for (entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
		look(ctx, fd, entry->d_name);
	}
	(void)closedir(dir);
}

bool dit_leftover_is_one(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

int dit_leftover_hold(int fd)
{
	struct stat st;

	/* A file system without locks: then nobody can think it is left either. */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		return -EEXIST;
	}
	if (fstat(fd, &st) != 0) {
		return -errno;
	}
	return st.st_nlink == 0 ? -EEXIST : 0;
}
