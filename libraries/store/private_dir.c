/* SPDX-License-Identifier: BSD-2-Clause */
#include "store/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errno_text.h"
#include "base/tmp_dir.h"
#include "store/files.h"

#define PREFIX    "ditkit-open-"
#define NATTEMPTS 100

static int open_dir(int dir_fd, const char *name)
{
	return openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Only what dit_env_open_locked() makes: a link. */
static void remove_link(int fd, const char *name)
{
	struct stat st;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode)) {
		(void)unlinkat(fd, name, 0);
	}
}

/* The directory for temporary files is open to all: the name may lead to anything. */
static void remove_if_stale(int tmp_fd, const char *name)
{
	struct stat st;
	int fd = open_dir(tmp_fd, name);

	if (fd < 0) {
		return;
	}
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    (st.st_mode & 07777) == 0700 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		remove_link(fd, DIT_DATA_NAME);
		remove_link(fd, DIT_LOCK_NAME);
		(void)unlinkat(tmp_fd, name, AT_REMOVEDIR);
	}
	(void)close(fd);
}

static void remove_stale(const char *tmp)
{
	DIR *dir = opendir(tmp);
	const struct dirent *entry = NULL;

	if (dir == NULL) {
		return;
	}
	for (entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0) {
			remove_if_stale(dirfd(dir), entry->d_name);
		}
	}
	(void)closedir(dir);
}

/* -ENOENT: before it was locked, somebody has taken it for a stale one. */
static int lock(int fd)
{
	struct stat st;

	/* A file system without locks: then nobody can think it is stale either. */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		return -ENOENT;
	}
	if (fstat(fd, &st) != 0) {
		return -errno;
	}
	return st.st_nlink == 0 ? -ENOENT : 0;
}

/* Who may rename in the directory for temporary files may have exchanged it meanwhile. */
static int check_ours(const struct dit_private_dir *dir, struct dit_fault *fault)
{
	struct stat st;

	if (fstat(dir->fd, &st) != 0) {
		return -errno;
	}
	if (st.st_uid != geteuid() || (st.st_mode & 0077) != 0) {
		return dit_fault_say(fault, -EPERM,
		                     "%s belongs to user %u, mode %04o: somebody has put "
		                     "it there",
		                     dir->path, (unsigned)st.st_uid,
		                     (unsigned)st.st_mode & 07777);
	}
	return 0;
}

static int make(struct dit_private_dir *ret, struct dit_fault *fault)
{
	int r = 0;

	if (asprintf(&ret->path, "%s/" PREFIX "XXXXXX", dit_tmp_dir(NULL)) < 0) {
		ret->path = NULL;
		return -ENOMEM;
	}
	if (mkdtemp(ret->path) == NULL) {
		r = dit_fault_say(fault, -errno, "%s: %s", ret->path,
		                  dit_errno_text(errno));
		free(ret->path);
		ret->path = NULL;
		return r;
	}
	ret->fd = open_dir(AT_FDCWD, ret->path);
	if (ret->fd < 0) {
		return -errno;
	}
	r = check_ours(ret, fault);
	return r < 0 ? r : lock(ret->fd);
}

int dit_private_dir_make(struct dit_private_dir *ret, struct dit_fault *fault)
{
	int r = -ENOENT;

	remove_stale(dit_tmp_dir(NULL));
	for (unsigned i = 0; i < NATTEMPTS && r == -ENOENT; i++) {
		*ret = (struct dit_private_dir){.fd = -1};
		r = make(ret, fault);
		if (r < 0 && ret->path == NULL) {
			return r;
		}
		if (r < 0) {
			dit_private_dir_remove(ret);
		}
	}
	return r;
}

void dit_private_dir_remove(struct dit_private_dir *dir)
{
	if (dir->path != NULL) {
		(void)rmdir(dir->path);
		free(dir->path);
	}
	if (dir->fd >= 0) {
		(void)close(dir->fd);
	}
	*dir = (struct dit_private_dir){.fd = -1};
}
