/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keeper's line is a pair of sockets: one byte asks for the rename, an int comes
 * back, 0 or an errno. The end of the line without that byte means: remove the file.
 */
#include "result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h> /* musl has no close_range(2) */
#include <sys/wait.h>
#include <unistd.h>

#define MODE 0666 /* less the umask */

static int fail(const struct result_file *file, int error)
{
	(void)fprintf(stderr, "%s: %s: %s\n", file->program, file->path, strerror(error));
	return -1;
}

/* ---- who renames ---- */

/* The life of the keeper: calls that are safe behind a fork, and no other open file. */
static void keep(int fd, const char *from, const char *to)
{
	char order = 0;
	int error = ECANCELED;

	if (fd > 0) {
		(void)syscall(SYS_close_range, 0U, (unsigned)fd - 1, 0U);
	}
	(void)syscall(SYS_close_range, (unsigned)fd + 1, UINT_MAX, 0U);
	if (read(fd, &order, 1) == 1) { /* all signals are blocked: no EINTR */
		error = rename(from, to) == 0 ? 0 : errno;
		(void)send(fd, &error, sizeof(error), MSG_NOSIGNAL);
	}
	if (error != 0) {
		(void)unlink(from);
	}
	_exit(0);
}

static int start_keeper(struct result_file *file)
{
	sigset_t all;
	sigset_t old;
	pid_t pid = -1;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
		return errno;
	}
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0) {
		keep(fds[1], file->beside, file->path);
	}
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	(void)close(fds[1]);
	if (pid < 0) {
		(void)close(fds[0]);
		return errno;
	}
	file->keeper = pid;
	file->keeper_fd = fds[0];
	return 0;
}

/* @return 0 or an errno */
static int ask_keeper(const struct result_file *file)
{
	const char order = 'r';
	int error = 0;
	ssize_t n = 0;

	do {
		n = send(file->keeper_fd, &order, 1, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		return errno;
	}
	do {
		n = recv(file->keeper_fd, &error, sizeof(error), MSG_WAITALL);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		return errno;
	}
	return n == sizeof(error) ? error : EPIPE;
}

static void end_keeper(struct result_file *file)
{
	(void)close(file->keeper_fd);
	while (waitpid(file->keeper, NULL, 0) < 0 && errno == EINTR) {
	}
	file->keeper = 0;
}

/* ---- the file ---- */

/* @param mode  of the file that is replaced; 0: a new one */
static int make_beside(struct result_file *file, mode_t mode)
{
	mode_t mask = umask(0);
	int fd = -1;

	(void)umask(mask);
	if (asprintf(&file->beside, "%s.new-XXXXXX", file->path) < 0) {
		file->beside = NULL;
		return ENOMEM;
	}
	fd = mkostemp(file->beside, O_CLOEXEC);
	if (fd < 0) {
		int error = errno;

		free(file->beside);
		file->beside = NULL;
		return error;
	}
	(void)fchmod(fd, mode != 0 ? mode : MODE & ~mask);
	file->file = fdopen(fd, "w");
	if (file->file == NULL) {
		(void)close(fd);
		return ENOMEM;
	}
	/* Only root becomes somebody else. */
	return geteuid() == 0 ? start_keeper(file) : 0;
}

/* Such a name leads to something that is open already, whatever its type. */
static bool is_of_system(const char *path)
{
	bool is_device =
		strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;

	return is_device || strncmp(path, "/proc/", 6) == 0;
}

/*
 * A pipe or a device. Meanwhile somebody may have put a link or a file there: it is not
 * written to. O_CREAT: the system looks whose pipe it is (fs.protected_fifos).
 */
static int open_in_place(struct result_file *file)
{
	int fd = open(file->path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
	              0600);
	struct stat status;
	int error = 0;

	if (fd < 0 || fstat(fd, &status) < 0) {
		error = errno;
	} else if (S_ISREG(status.st_mode)) {
		error = EEXIST;
	} else {
		file->file = fdopen(fd, "w");
		error = file->file == NULL ? errno : 0;
	}
	if (error != 0 && fd >= 0) {
		(void)close(fd);
	}
	return error;
}

/* A link is replaced, unless it leads to a directory. */
static int open_link(struct result_file *file)
{
	struct stat status;
	bool is_directory = stat(file->path, &status) == 0 && S_ISDIR(status.st_mode);

	return is_directory ? EISDIR : make_beside(file, 0);
}

/* @return 0 or an errno */
static int open_file(struct result_file *file)
{
	struct stat status;

	if (is_of_system(file->path)) {
		/* Where standard output is a file, what is in it stays. */
		file->file = fopen(file->path, "ae");
		return file->file == NULL ? errno : 0;
	}
	if (lstat(file->path, &status) < 0) {
		return errno == ENOENT ? make_beside(file, 0) : errno;
	}
	switch (status.st_mode & S_IFMT) {
	case S_IFLNK:
		return open_link(file);
	case S_IFREG:
		return make_beside(file, status.st_mode & 0777);
	case S_IFDIR:
		return EISDIR;
	default:
		return open_in_place(file);
	}
}

int result_file_open(struct result_file *file, const char *program, const char *path)
{
	int error = 0;

	*file = (struct result_file){.program = program, .path = path};
	error = open_file(file);
	if (error != 0) {
		result_file_drop(file);
		return fail(file, error);
	}
	return 0;
}

static int close_file(struct result_file *file)
{
	FILE *stream = file->file;

	file->file = NULL;
	return fclose(stream) != 0 ? errno : 0;
}

static int give_name(struct result_file *file)
{
	if (file->beside == NULL) {
		return 0;
	}
	if (file->keeper != 0) {
		return ask_keeper(file);
	}
	return rename(file->beside, file->path) == 0 ? 0 : errno;
}

int result_file_place(struct result_file *file)
{
	bool is_bad = ferror(file->file) != 0; /* its reason is gone */
	int error = close_file(file);

	if (is_bad) {
		(void)fprintf(stderr, "%s: %s: not written completely\n", file->program,
		              file->path);
		result_file_drop(file);
		return -1;
	}
	if (error == 0) {
		error = give_name(file);
	}
	if (error == 0 && file->beside != NULL) {
		free(file->beside);
		file->beside = NULL;
	}
	result_file_drop(file);
	return error == 0 ? 0 : fail(file, error);
}

void result_file_drop(struct result_file *file)
{
	if (file->file != NULL) {
		(void)fclose(file->file);
		file->file = NULL;
	}
	if (file->beside != NULL && file->keeper == 0) {
		(void)unlink(file->beside);
	}
	if (file->keeper != 0) {
		end_keeper(file);
	}
	free(file->beside);
	file->beside = NULL;
}
