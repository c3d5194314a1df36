/* SPDX-License-Identifier: BSD-2-Clause */
#include "rejects.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ditkit/error.h>
#include <ditkit/path.h>

#include "arguments.h"

/* A reason not to write passwords here; NULL: none. */
static const char *objection(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0) {
		return strerror(errno);
	}
	if (!S_ISREG(st.st_mode)) {
		return "not a regular file";
	}
	if (st.st_uid != geteuid()) {
		return "the file belongs to another user";
	}
	return st.st_nlink > 1 ? "the file has other names" : NULL;
}

static int open_file(int dir_fd, const char *name, int more_flags)
{
	return openat(dir_fd, name,
	              O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
	                      O_NOCTTY | more_flags,
	              S_IRUSR | S_IWUSR);
}

/*
 * Others can have the file open that they may read now, and go on reading. So another one
 * takes its place. @return the new descriptor for the old one; -1 with errno
 */
static int replace(int fd, int dir_fd, const char *name)
{
	int new_fd = unlinkat(dir_fd, name, 0) < 0 ? -1 : open_file(dir_fd, name, O_EXCL);
	int error = errno;

	(void)close(fd);
	errno = error;
	return new_fd;
}

/* @return the descriptor of an empty file that no other user reads; -1 with errno */
static int close_to_others(int fd, int dir_fd, const char *name)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && (st.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
		return replace(fd, dir_fd, name);
	}
	if (fchmod(fd, S_IRUSR | S_IWUSR) < 0 || ftruncate(fd, 0) < 0) {
		int error = errno;

		(void)close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/* @return NULL, or the reason of the failure */
static const char *open_in(FILE **ret, int dir_fd, const char *name)
{
	int fd = open_file(dir_fd, name, 0);
	const char *reason = NULL;

	if (fd < 0) {
		return errno == ELOOP ? "a symbolic link is not followed"
		                      : strerror(errno);
	}
	reason = objection(fd);
	if (reason == NULL) {
		fd = close_to_others(fd, dir_fd, name);
		reason = fd < 0 ? strerror(errno) : NULL;
	}
	if (reason == NULL) {
		*ret = fdopen(fd, "w");
		reason = *ret == NULL ? strerror(errno) : NULL;
	}
	if (reason != NULL && fd >= 0) {
		(void)close(fd);
	}
	return reason;
}

int rejects_open(struct rejects *rejects)
{
	char why[DIT_PATH_WHY_BYTES];
	const char *name = NULL;
	const char *reason = NULL;
	int dir_fd = -1;

	if (rejects->path == NULL) {
		return 0;
	}
	dir_fd = dit_path_open_parent(rejects->path, &name, why);
	if (dir_fd < 0) {
		return common_fail_path(rejects->path,
		                        why[0] == '\0' ? strerror(-dir_fd) : why);
	}
	reason = open_in(&rejects->file, dir_fd, name);
	(void)close(dir_fd);
	return reason == NULL ? 0 : common_fail_path(rejects->path, reason);
}

static int sync_file(FILE *file)
{
	if (fflush(file) != 0 || fsync(fileno(file)) < 0) {
		return -errno;
	}
	return ferror(file) != 0 ? -EIO : 0;
}

int rejects_complete(void *ctx)
{
	const struct rejects *rejects = ctx;
	int r = sync_file(rejects->file);

	if (r < 0) {
		meter_break(rejects->meter);
		(void)common_say(r, "%s: %s; the database is what it was before",
		                 rejects->path, dit_strerror(r));
	}
	return r;
}

/* A comment goes on in lines that begin with a space, so a newline cannot end it. */
static void put_comment(FILE *file, const char *name, const char *text)
{
	(void)fprintf(file, "# %s: ", name);
	for (; *text != '\0'; text++) {
		(void)fputc(*text, file);
		if (*text == '\n') {
			(void)fputc(' ', file);
		}
	}
	(void)fputc('\n', file);
}

int rejects_write(void *ctx, const struct dit_reject *reject)
{
	FILE *out = ((const struct rejects *)ctx)->file;

	errno = 0;
	(void)fprintf(out, "# line: %lu\n", reject->line);
	put_comment(out, "dn", reject->dn);
	put_comment(out, "reason", reject->reason);
	/* A line that begins with a space would go on with the comment. */
	if (reject->record_len > 0 && reject->record[0] == ' ') {
		(void)fputc('\n', out);
	}
	(void)fwrite(reject->record, 1, reject->record_len, out);
	if (reject->record_len > 0 && reject->record[reject->record_len - 1] != '\n') {
		(void)fputc('\n', out);
	}
	(void)fputc('\n', out);
	if (ferror(out) == 0) {
		return 0;
	}
	return errno == 0 ? -EIO : -errno;
}

int rejects_close(struct rejects *rejects)
{
	bool is_bad = rejects->file != NULL && ferror(rejects->file) != 0;

	return rejects->file != NULL && (fclose(rejects->file) != 0 || is_bad)
	               ? common_fail_path(rejects->path, "not written completely")
	               : 0;
}
