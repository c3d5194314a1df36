/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD: a ditadd that trusts the owner of a database directory, like a program
 * whose author did not think of him. hostile.sh shows with it that its attacks would
 * succeed:
 *
 *   O_NOFOLLOW   is left out: links are followed
 *   O_EXCL       is left out: what is there already is used
 *   openat(2)    of a file in ditkit-staging goes by the name of that directory, not by
 *                the descriptor
 *   fstat(2)     of ditkit-staging says that it belongs to the caller, and to nobody else
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGING "ditkit-staging"

static int dir_fd = -1;
static int staging_fd = -1;

static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (function == NULL) {
		abort();
	}
	return function;
}

static int open_trusting(int fd, const char *name, int flags, mode_t mode)
{
	int (*real)(int, const char *, int, ...) = next("openat");
	char path[4096];
	int r = -1;

	/* A link itself is wanted: there is nothing to follow. */
	if ((flags & O_PATH) == 0) {
		flags &= ~(O_NOFOLLOW | O_EXCL);
	}
	if (fd >= 0 && fd == staging_fd) {
		(void)snprintf(path, sizeof(path), STAGING "/%s", name);
		return real(dir_fd, path, flags, mode);
	}
	r = real(fd, name, flags, mode);
	if (strcmp(name, STAGING) == 0) {
		dir_fd = fd;
		staging_fd = r;
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

	if (r == 0 && fd >= 0 && fd == staging_fd) {
		ret->st_uid = geteuid();
		ret->st_mode &= ~(mode_t)(S_IWGRP | S_IWOTH);
	}
	return r;
}
