/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One byte asks the keeper (system/keeper.h) to rename; an int comes back, 0 or an errno.
 * The end of the line is the end of the export.
 */
#include "result/export_keeper.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "system/keeper.h"

struct names {
	int dir_fd;
	const char *from;
	const char *to;
};

/* The life of the keeper; all signals are blocked: no EINTR. */
static void keep(const void *ctx, int fd)
{
	const struct names *names = ctx;
	char order = 0;
	int error = ECANCELED;

	if (read(fd, &order, 1) == 1) {
		int r = renameat(names->dir_fd, names->from, names->dir_fd, names->to);

		error = r == 0 ? 0 : errno;
		(void)send(fd, &error, sizeof(error), MSG_NOSIGNAL);
	}
	if (error != 0) {
		(void)unlinkat(names->dir_fd, names->from, 0);
	}
}

int dit_export_keeper_start(struct dit_export_keeper *keeper, int dir_fd,
                            const char *from, const char *to)
{
	const struct names names = {dir_fd, from, to};
	struct dit_keeper started;
	int r = dit_keeper_start(&started, dir_fd, keep, &names);

	if (r == 0) {
		*keeper =
			(struct dit_export_keeper){.pid = started.pid, .fd = started.fd};
	}
	return r;
}

int dit_export_keeper_place(struct dit_export_keeper *keeper)
{
	const struct dit_keeper asked = {.pid = keeper->pid, .fd = keeper->fd};
	const char order = 'r';
	int error = 0;
	int r = dit_keeper_ask(&asked, &order, 1, &error, sizeof(error));

	return r < 0 ? r : -error;
}

void dit_export_keeper_end(struct dit_export_keeper *keeper)
{
	struct dit_keeper ended = {.pid = keeper->pid, .fd = keeper->fd};

	dit_keeper_end(&ended);
	keeper->pid = 0;
}
