/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line to the keeper is a pair of sockets. One byte asks it to rename; an int comes
 * back, 0 or an errno. The end of the line is the end of the export.
 */
#include "result/export_keeper.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h> /* musl has no close_range(2) */
#include <sys/wait.h>
#include <unistd.h>

/* The keeper must not keep a pipe open whose reader waits for its end. */
static void close_others(int a, int b)
{
	unsigned low = (unsigned)(a < b ? a : b);
	unsigned high = (unsigned)(a < b ? b : a);

	if (low > 0) {
		(void)syscall(SYS_close_range, 0U, low - 1, 0U);
	}
	if (low + 1 < high) {
		(void)syscall(SYS_close_range, low + 1, high - 1, 0U);
	}
	(void)syscall(SYS_close_range, high + 1, UINT_MAX, 0U);
}

/* The life of the keeper. Only calls that are safe in the child of a threaded process. */
static void keep(int fd, int dir_fd, const char *from, const char *to)
{
	char order = 0;
	int error = 0;

	close_others(fd, dir_fd);
	if (read(fd, &order, 1) == 1) { /* all signals are blocked: no EINTR */
		error = renameat(dir_fd, from, dir_fd, to) == 0 ? 0 : errno;
		(void)send(fd, &error, sizeof(error), MSG_NOSIGNAL);
	} else {
		error = ECANCELED;
	}
	if (error != 0) {
		(void)unlinkat(dir_fd, from, 0);
	}
	_exit(0);
}

int dit_export_keeper_start(struct dit_export_keeper *keeper, int dir_fd,
                            const char *from, const char *to)
{
	sigset_t all;
	sigset_t old;
	pid_t pid = -1;
	int fds[2];
	int r = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
		return -errno;
	}
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0) {
		keep(fds[1], dir_fd, from, to);
	}
	r = pid < 0 ? -errno : 0;
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	(void)close(fds[1]);
	if (r < 0) {
		(void)close(fds[0]);
		return r;
	}
	*keeper = (struct dit_export_keeper){.pid = pid, .fd = fds[0]};
	return 0;
}

int dit_export_keeper_place(struct dit_export_keeper *keeper)
{
	const char order = 'r';
	int error = 0;
	ssize_t n = 0;

	do {
		n = send(keeper->fd, &order, 1, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		return -errno;
	}
	do {
		n = recv(keeper->fd, &error, sizeof(error), MSG_WAITALL);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		return -errno;
	}
	return n == sizeof(error) ? -error : -EPIPE;
}

void dit_export_keeper_end(struct dit_export_keeper *keeper)
{
	if (keeper->pid == 0) {
		return;
	}
	(void)close(keeper->fd);
	while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR) {
	}
	keeper->pid = 0;
}
