/* SPDX-License-Identifier: BSD-2-Clause */
/* The line to the keeper is a pair of sockets. The end of the line is its maker's end. */
#include "system/keeper.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h> /* musl has no close_range(2) */
#include <sys/wait.h>
#include <unistd.h>

static void close_between(int low, int high)
{
	if (low < high) {
		(void)syscall(SYS_close_range, (unsigned)low, (unsigned)high - 1, 0U);
	}
}

/* The keeper must not keep a pipe open whose reader waits for its end. */
static void close_others(int a, int b)
{
	int low = a < b ? a : b;
	int high = a < b ? b : a;

	close_between(0, low);
	close_between(low + 1, high);
	(void)syscall(SYS_close_range, (unsigned)high + 1, UINT_MAX, 0U);
}

int dit_keeper_start(struct dit_keeper *ret, int kept_fd, dit_keeper_live_fn live,
                     const void *ctx)
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
		close_others(fds[1], kept_fd);
		live(ctx, fds[1]);
		_exit(0);
	}
	r = pid < 0 ? -errno : 0;
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	(void)close(fds[1]);
	if (r < 0) {
		(void)close(fds[0]);
		return r;
	}
	*ret = (struct dit_keeper){.pid = pid, .fd = fds[0]};
	return 0;
}

int dit_keeper_ask(const struct dit_keeper *keeper, const void *order, size_t order_len,
                   void *ret, size_t len)
{
	ssize_t n = 0;

	do {
		n = send(keeper->fd, order, order_len, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		return -errno;
	}
	do {
		n = recv(keeper->fd, ret, len, MSG_WAITALL);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		return -errno;
	}
	return (size_t)n == len ? 0 : -EPIPE;
}

void dit_keeper_end(struct dit_keeper *keeper)
{
	if (keeper->pid == 0) {
		return;
	}
	(void)close(keeper->fd);
	while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR) {
	}
	keeper->pid = 0;
}
