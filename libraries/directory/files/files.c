/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a database directory, by descriptor. */
#include "files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errno_text.h"
#include "system/file_io.h"
#include "system/path.h"

/* ---- the directory ---- */

int dit_data_directory(const char *path, char **ret)
{
	const char *slash = strrchr(path, '/');

	if (strcmp(slash == NULL ? path : slash + 1, DIT_DATA_NAME) != 0) {
		return 0;
	}
	/* Without a slash at the end, which would follow a link. */
	*ret = slash == NULL   ? strdup(".")
	       : slash == path ? strdup("/")
	                       : strndup(path, (size_t)(slash - path));
	return *ret == NULL ? -ENOMEM : 1;
}

bool dit_directory_is_one(const char *a, const char *b)
{
	struct stat x;
	struct stat y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

int dit_directory_open(const char *path, struct dit_fault *fault)
{
	int path_fd = dit_path_open_to_work(path, fault == NULL ? NULL : fault->text);
	int fd = path_fd;

	if (path_fd >= 0) {
		fd = openat(path_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
		(void)close(path_fd);
	}
	return fd;
}

/* ---- files ---- */

/*
 * A second name may be one of another directory: a file that the owner of this directory
 * cannot write himself must not be written by us for him.
 */
static int check_file(int dir_fd, int fd, const char *name, struct dit_fault *fault)
{
	struct stat file;
	struct stat dir;
	int r = dit_regular_file_check(fd);

	if (r < 0 || fstat(fd, &file) != 0 || fstat(dir_fd, &dir) != 0) {
		return r < 0 ? r : -errno;
	}
	if (r == 0) {
		return dit_fault_say(fault, -EINVAL, "%s is no regular file", name);
	}
	if (file.st_nlink > 1 && file.st_uid != dir.st_uid) {
		return dit_fault_say(
			fault, -EINVAL,
			"%s is a hard link of a file elsewhere and belongs to user %u, the directory to user %u: it is not changed",
			name, (unsigned)file.st_uid, (unsigned)dir.st_uid);
	}
	return 0;
}

/* slapd's tools, run by root, leave such files to root. */
static int refuse(int dir_fd, const char *name, struct dit_fault *fault)
{
	struct stat file;
	struct stat dir;

	if (fstatat(dir_fd, name, &file, AT_SYMLINK_NOFOLLOW) != 0 ||
	    fstat(dir_fd, &dir) != 0) {
		return -EACCES;
	}
	return dit_fault_say(
		fault, -EACCES, "%s belongs to user %u and user %u may not open it%s",
		name, (unsigned)file.st_uid, (unsigned)geteuid(),
		file.st_uid == dir.st_uid ? ""
					  : ": give it to the owner of the directory");
}

int dit_file_open(int dir_fd, const char *name, int flags, struct dit_fault *fault)
{
	/* Not to wait for the other end of a FIFO. */
	int fd = openat(dir_fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 && errno == ELOOP) {
		return dit_fault_say(
			fault, -ELOOP,
			"%s is a symbolic link, which is not followed: let the "
			"configuration name the directory of the file",
			name);
	}
	if (fd < 0 && (errno == EISDIR || errno == ENXIO)) {
		return dit_fault_say(fault, -EINVAL, "%s is no regular file", name);
	}
	if (fd < 0 && errno == EACCES) {
		return refuse(dir_fd, name, fault);
	}
	return dit_fd_checked(fd, fd < 0 ? -errno : check_file(dir_fd, fd, name, fault));
}

/* Not to wait for a pipe. */
static int open_other(const char *path, struct dit_fault *fault)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int r = fd < 0 ? -errno : dit_regular_file_check(fd);

	r = r ?: dit_fault_say(fault, -EINVAL, "no regular file");
	return dit_fd_checked(fd, r);
}

int dit_data_open_path(const char *path, struct dit_fault *fault)
{
	struct stat st;
	char *directory = NULL;
	int dir_fd = -1;
	int fd = -1;
	int r = 0;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		directory = strdup(path);
		r = directory == NULL ? -ENOMEM : 1;
	} else {
		r = dit_data_directory(path, &directory);
	}
	if (r <= 0) {
		return r < 0 ? r : open_other(path, fault);
	}
	dir_fd = dit_directory_open(directory, fault);
	free(directory);
	if (dir_fd < 0) {
		return dir_fd;
	}
	fd = dit_file_open(dir_fd, DIT_DATA_NAME, O_RDONLY, fault);
	(void)close(dir_fd);
	return fd;
}

int dit_file_make(int dir_fd, const char *name, mode_t mode)
{
	int fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	                mode);

	return fd < 0 ? -errno : fd;
}

/* ---- directories in it ---- */

int dit_folder_open(int dir_fd, const char *name, struct dit_fault *fault)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP)) {
		return dit_fault_say(fault, -ENOTDIR,
		                     "%s in it is no directory: remove it", name);
	}
	return fd < 0 ? -errno : fd;
}

static int find_name(const void *ctx, int dir_fd, const char *name)
{
	(void)dir_fd;
	(void)name;
	(void)ctx;
	return 1;
}

static int remove_name(const void *ctx, int dir_fd, const char *name)
{
	(void)ctx;
	return unlinkat(dir_fd, name, 0) == 0 ? 0 : -errno;
}

struct removal {
	const char *folder;
	struct dit_fault *fault;
};

static int refuse_directory(const void *ctx, int dir_fd, const char *name)
{
	const struct removal *removal = ctx;
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		return errno == ENOENT ? 0 : -errno;
	}
	return S_ISDIR(st.st_mode)
	               ? dit_fault_say(removal->fault, -EISDIR,
	                               "%s/%.200s in it is a directory: remove it",
	                               removal->folder, name)
	               : 0;
}

int dit_folder_check_files(int fd, const char *name, struct dit_fault *fault)
{
	const struct removal removal = {name, fault};

	return dit_name_each(fd, refuse_directory, &removal);
}

int dit_folder_remove(int dir_fd, const char *name, int fd)
{
	int r = dit_name_each(fd, remove_name, NULL);

	(void)close(fd);
	return r == 0 && unlinkat(dir_fd, name, AT_REMOVEDIR) != 0 ? -errno : r;
}

int dit_folder_clear(int dir_fd, const char *name, struct dit_fault *fault)
{
	int fd = dit_folder_open(dir_fd, name, fault);
	int r = 0;

	if (fd == -ENOENT) {
		return 0;
	}
	if (fd < 0) {
		return fd;
	}
	r = dit_folder_check_files(fd, name, fault);
	if (r < 0) {
		(void)close(fd);
		return r;
	}
	r = dit_folder_remove(dir_fd, name, fd);
	return r < 0 ? dit_fault_say(fault, r, "%s in it cannot be removed: %s", name,
	                             dit_errno_text(-r))
	             : 0;
}

int dit_folder_check(int fd, const char *name, struct dit_fault *fault)
{
	struct stat st;

	if (fstat(fd, &st) != 0) {
		return -errno;
	}
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
		return dit_fault_say(fault, -EPERM,
		                     "%s in it belongs to user %u, mode %04o: somebody "
		                     "has put it there",
		                     name, (unsigned)st.st_uid,
		                     (unsigned)st.st_mode & 07777);
	}
	return 0;
}

/* The opened directory may be another one; in the end all that is in it is removed. */
static int check_staging(int fd, struct dit_fault *fault)
{
	int r = dit_name_each(fd, find_name, NULL);

	if (r > 0) {
		return dit_fault_say(fault, -EPERM,
		                     DIT_STAGING_NAME " in it is not empty: somebody has "
		                                      "put it there");
	}
	return r < 0 ? r : dit_folder_check(fd, DIT_STAGING_NAME, fault);
}

int dit_staging_make(int dir_fd, struct dit_fault *fault)
{
	int fd = -1;
	int r = dit_folder_clear(dir_fd, DIT_STAGING_NAME, fault);

	if (r < 0) {
		return r;
	}
	if (mkdirat(dir_fd, DIT_STAGING_NAME, 0700) != 0) {
		return -errno;
	}
	fd = dit_folder_open(dir_fd, DIT_STAGING_NAME, fault);
	if (fd < 0) {
		(void)unlinkat(dir_fd, DIT_STAGING_NAME, AT_REMOVEDIR);
		return fd;
	}
	r = check_staging(fd, fault);
	if (r < 0) {
		(void)close(fd);
		/* Safe whoever owns it: only an empty directory is removed. */
		(void)unlinkat(dir_fd, DIT_STAGING_NAME, AT_REMOVEDIR);
		return r;
	}
	return fd;
}

void dit_staging_remove(int dir_fd, int staging_fd)
{
	if (staging_fd < 0) {
		return;
	}
	/* First what needs no memory. */
	(void)unlinkat(staging_fd, DIT_DATA_NAME, 0);
	(void)unlinkat(staging_fd, DIT_LOCK_NAME, 0);
	(void)unlinkat(staging_fd, DIT_OLD_NAME, 0);
	/* The next load removes what is left. */
	(void)dit_name_each(staging_fd, remove_name, NULL);
	(void)close(staging_fd);
	(void)unlinkat(dir_fd, DIT_STAGING_NAME, AT_REMOVEDIR);
}

/* ---- paths ---- */

int dit_fd_path(int fd, char ret[DIT_FD_PATH_BYTES], struct dit_fault *fault)
{
	(void)snprintf(ret, DIT_FD_PATH_BYTES, "/proc/self/fd/%d", fd);
	if (access(ret, F_OK) != 0) {
		return dit_fault_say(fault, -ENOSYS,
		                     "the database cannot be opened through %s: /proc is "
		                     "not mounted",
		                     ret);
	}
	return 0;
}
