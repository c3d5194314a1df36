/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/tmp_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/file_io.h"
#include "system/path.h"

const char *dit_tmp_dir(const char *chosen)
{
	const char *dir = chosen;

	if (dir == NULL || dir[0] == '\0') {
		dir = getenv("TMPDIR");
	}
	return dir == NULL || dir[0] == '\0' ? "/tmp" : dir;
}

int dit_tmp_dir_check(const char *dir, char *ret, size_t size)
{
	char why[DIT_PATH_WHY_BYTES];
	int fd = dit_path_open(dir, why);
	int error = fd < 0 ? -fd : faccessat(fd, ".", W_OK | X_OK, 0) == 0 ? 0 : errno;

	dit_close(fd);
	if (why[0] != '\0') {
		(void)snprintf(ret, size, "%s, for temporary files: %s", dir, why);
	} else if (error == EACCES) {
		(void)snprintf(ret, size, "%s, for temporary files of user %u", dir,
		               (unsigned)geteuid());
	} else {
		(void)snprintf(ret, size, "%s", dir);
	}
	return -error;
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
