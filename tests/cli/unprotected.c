/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD: a ditadd that trusts the owner of a database directory, like a program
 * whose author did not think of him. hostile.sh shows with it that its attacks would
 * succeed:
 *
 *   fstat(2)     says that each directory is root's alone: the program stays root
 *   O_NOFOLLOW   is left out: links are followed
 *   O_EXCL       is left out: what is there already is used
 *   openat(2)    of a file in ditkit-staging goes by the name of that directory, not by
 *                the descriptor
 *   openat(2)    of "." in ditkit-staging leads to an empty directory
 *   fstatat(2)   of data.mdb follows a link
 *
 * And a ditadd that is slow at the right moment, so that the owner always is the quicker
 * one. With WINDOW=opened in the environment it waits, after openat(2) of what mkdirat(2)
 * has made, until he has exchanged ditkit-staging.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGING     "ditkit-staging"
#define PATIENCE_MS 2000

static int dir_fd = -1;
static int staging_fd = -1;
static bool is_made; /* and not opened yet */

static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (function == NULL) {
		abort();
	}
	return function;
}

static bool says(const char *variable, const char *value)
{
	const char *text = getenv(variable);

	return text != NULL && strcmp(text, value) == 0;
}

/* Until the name leads to another directory. */
static void wait_for_exchange(int fd, ino_t made)
{
	struct stat st;

	for (int i = 0; i < PATIENCE_MS; i++) {
		if (fstatat(fd, STAGING, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_ino != made) {
			return;
		}
		(void)usleep(1000);
	}
}

int fstatat(int fd, const char *restrict name, struct stat *restrict ret, int flags)
{
	int (*real)(int, const char *, struct stat *, int) = next("fstatat");

	if (strcmp(name, "data.mdb") == 0) {
		flags &= ~AT_SYMLINK_NOFOLLOW;
	}
	return real(fd, name, ret, flags);
}

int mkdirat(int fd, const char *name, mode_t mode)
{
	int (*real)(int, const char *, mode_t) = next("mkdirat");
	int r = real(fd, name, mode);

	is_made = is_made || (r == 0 && strcmp(name, STAGING) == 0);
	return r;
}

/* @param staging  the descriptor of what was made, if he was not quicker already */
static void wait_beside(int fd, int staging)
{
	int (*real_fstat)(int, struct stat *) = next("fstat");
	struct stat st;

	if (staging >= 0 && real_fstat(staging, &st) == 0 && st.st_uid == geteuid()) {
		wait_for_exchange(fd, st.st_ino);
	}
}

/* A directory that was removed has no names in it. */
static int open_empty(void)
{
	int (*real)(int, const char *, int, ...) = next("openat");
	char path[] = "/tmp/ditkit-empty-XXXXXX";
	int fd = -1;

	if (mkdtemp(path) != NULL) {
		fd = real(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		(void)rmdir(path);
	}
	return fd;
}

/* A file in ditkit-staging. */
static int open_in_staging(const char *name, int flags, mode_t mode)
{
	int (*real)(int, const char *, int, ...) = next("openat");
	char path[4096];

	if (strcmp(name, ".") == 0) {
		return open_empty();
	}
	(void)snprintf(path, sizeof(path), STAGING "/%s", name);
	return real(dir_fd, path, flags, mode);
}

static int open_trusting(int fd, const char *name, int flags, mode_t mode)
{
	int (*real)(int, const char *, int, ...) = next("openat");
	int r = -1;

	/* A link itself is wanted: there is nothing to follow. */
	if ((flags & O_PATH) == 0 || (flags & O_DIRECTORY) != 0) {
		flags &= ~(O_NOFOLLOW | O_EXCL);
	}
	if (fd >= 0 && fd == staging_fd) {
		return open_in_staging(name, flags, mode);
	}
	r = real(fd, name, flags, mode);
	if (strcmp(name, STAGING) == 0) {
		dir_fd = fd;
		staging_fd = r;
		if (is_made && says("WINDOW", "opened")) {
			wait_beside(fd, r);
		}
		is_made = false;
	}
	return r;
}

static mode_t mode_of(int flags, va_list arguments)
{
	return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

int openat(int fd, const char *name, int flags, ...)
{
	va_list arguments;
	mode_t mode = 0;

	va_start(arguments, flags);
	mode = mode_of(flags, arguments);
	va_end(arguments);
	return open_trusting(fd, name, flags, mode);
}

int __openat_2(int fd, const char *name, int flags);
int __openat_2(int fd, const char *name, int flags)
{
	return open_trusting(fd, name, flags, 0);
}

int open(const char *name, int flags, ...)
{
	va_list arguments;
	mode_t mode = 0;

	va_start(arguments, flags);
	mode = mode_of(flags, arguments);
	va_end(arguments);
	return open_trusting(AT_FDCWD, name, flags, mode);
}

int __open_2(const char *name, int flags);
int __open_2(const char *name, int flags)
{
	return open_trusting(AT_FDCWD, name, flags, 0);
}

int fstat(int fd, struct stat *ret)
{
	int (*real)(int, struct stat *) = next("fstat");
	int r = real(fd, ret);

	if (r == 0 && S_ISDIR(ret->st_mode)) {
		ret->st_uid = 0;
		ret->st_mode &= ~(mode_t)(S_IWGRP | S_IWOTH);
	}
	return r;
}
