/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that keeps the rights to one file name.
 *
 * An export that runs as root may become another user before it opens a database. That
 * user need not have the right to rename a file in the directory of the output. So the
 * export forks a process before, which stays root and knows one thing to do: give the
 * finished file its name, or remove the unfinished one. Both names are fixed at the fork.
 *
 *   dit_export_keeper_start();  dit_export_keeper_place();  dit_export_keeper_end()
 *
 * The keeper ends with the export, however that ends; then it removes what was not put
 * in place. Signals do not reach it, but SIGKILL.
 *
 * Threads: a keeper belongs to one thread. The process should have no other thread when
 * the keeper is started; in the child only calls are made that are safe nonetheless.
 */
#ifndef DITKIT_EXPORT_KEEPER_H
#define DITKIT_EXPORT_KEEPER_H

#include <sys/types.h>

struct dit_export_keeper {
	pid_t pid; /* 0: none was started */
	int fd;    /* the line to it */
};

/**
 * @param dir_fd  the directory in which both names are
 * @param from    the unfinished file
 * @param to      the name that it gets
 *
 * @return 0; -errno
 */
int dit_export_keeper_start(struct dit_export_keeper *keeper, int dir_fd,
                            const char *from, const char *to);

/** Rename. 0; -errno: the unfinished file is removed; -EPIPE: the keeper is gone */
int dit_export_keeper_place(struct dit_export_keeper *keeper);

/** Wait for the keeper's end. Ending one that was not started is fine. */
void dit_export_keeper_end(struct dit_export_keeper *keeper);

#endif
