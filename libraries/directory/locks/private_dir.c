/* SPDX-License-Identifier: BSD-2-Clause */
#include "locks/private_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errno_text.h"
#include "files/files.h"
#include "system/path.h"
#include "system/tmp_files.h"

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
static void remove_if_stale(const void *ctx, int tmp_fd, const char *name)
{
	struct stat st;
	int fd = strncmp(name, PREFIX, strlen(PREFIX)) == 0 ? open_dir(tmp_fd, name) : -1;
	(void)ctx;

	if (fd < 0) {
		return;
	}
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    (st.st_mode & 07777) == 0700 && dit_leftover_is_one(fd)) {
		remove_link(fd, DIT_DATA_NAME);
		remove_link(fd, DIT_LOCK_NAME);
		(void)unlinkat(tmp_fd, name, AT_REMOVEDIR);
	}
	(void)close(fd);
}

/* Another user who may rename in the directory may have exchanged it. */
static int check_ours(const struct dit_private_dir *dir, struct dit_fault *fault)
{
	struct stat st;

	if (fstat(dir->fd, &st) != 0) {
		return -errno;
	}
	if (st.st_uid != geteuid() || (st.st_mode & 0077) != 0) {
		return dit_fault_say(fault, -EPERM,
		                     "%s/%s belongs to user %u, mode %04o: somebody has "
		                     "put it there",
		                     dit_tmp_dir(NULL), dir->name, (unsigned)st.st_uid,
		                     (unsigned)st.st_mode & 07777);
	}
	return 0;
}

static void leave(struct dit_private_dir *dir)
{
	if (dir->name[0] != '\0') {
		(void)unlinkat(dir->tmp_fd, dir->name, AT_REMOVEDIR);
		dir->name[0] = '\0';
	}
	if (dir->fd >= 0) {
		(void)close(dir->fd);
		dir->fd = -1;
	}
}

static int open_tmp(struct dit_fault *fault)
{
	const char *tmp = dit_tmp_dir(NULL);
	struct dit_fault why = {""};
	int fd = dit_path_open(tmp, why.text);

	return fd >= 0 ? fd
	               : dit_fault_say(fault, fd, "%s, for temporary files: %.200s", tmp,
	                               why.text[0] == '\0' ? dit_errno_text(-fd)
	                                                   : why.text);
}

static int make(struct dit_private_dir *ret, struct dit_fault *fault)
{
	char path[DIT_FD_PATH_BYTES + sizeof(ret->name)];
	char tmp[DIT_FD_PATH_BYTES];
	int r = dit_fd_path(ret->tmp_fd, tmp, fault);

	if (r < 0) {
		return r;
	}
	(void)snprintf(path, sizeof(path), "%s/" PREFIX "XXXXXX", tmp);
	if (mkdtemp(path) == NULL) {
		return dit_fault_say(fault, -errno, "%s/" PREFIX "XXXXXX: %s",
		                     dit_tmp_dir(NULL), dit_errno_text(errno));
	}
	(void)snprintf(ret->name, sizeof(ret->name), "%s", strrchr(path, '/') + 1);
	ret->fd = open_dir(ret->tmp_fd, ret->name);
	if (ret->fd < 0) {
		/* Not there: another run has taken it for a leftover. */
		return errno == ENOENT ? -EEXIST : -errno;
	}
	r = check_ours(ret, fault);
	return r < 0 ? r : dit_leftover_hold(ret->fd);
}

int dit_private_dir_make(struct dit_private_dir *ret, struct dit_fault *fault)
{
	int tmp_fd = open_tmp(fault);
	int r = -EEXIST;

	if (tmp_fd < 0) {
		return tmp_fd;
	}
	dit_leftover_each(tmp_fd, remove_if_stale, NULL);
	for (unsigned i = 0; i < NATTEMPTS && r == -EEXIST; i++) {
		*ret = (struct dit_private_dir){.fd = -1, .tmp_fd = tmp_fd};
		r = make(ret, fault);
		if (r < 0 && ret->name[0] == '\0') {
			break;
		}
		if (r < 0) {
			leave(ret);
		}
	}
	if (r < 0) {
		(void)close(tmp_fd);
	}
	return r;
}

void dit_private_dir_remove(struct dit_private_dir *dir)
{
	leave(dir);
	if (dir->tmp_fd >= 0) {
		(void)close(dir->tmp_fd);
	}
	*dir = (struct dit_private_dir){.fd = -1, .tmp_fd = -1};
}

int dit_env_open_private(struct MDB_env *env, int data_fd, int lock_fd, unsigned flags,
                         struct dit_fault *fault)
{
	struct dit_private_dir dir;
	int r = dit_private_dir_make(&dir, fault);

	if (r == 0) {
		r = dit_env_open_locked(env, dir.fd, data_fd, lock_fd, flags, fault);
		dit_private_dir_remove(&dir);
	}
	return r;
}
