/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that keeps the rights of the one that made it.
 *
 * A program that root has started may become another user before it opens a database.
 * A process that was forked before stays root, knows one thing to do that root alone may
 * do, and does it when it is asked.
 *
 *   dit_keeper_start();  dit_keeper_ask() ...;  dit_keeper_end()
 *
 * The keeper ends with its maker, however that ends. Only SIGKILL reaches it.
 *
 * Threads: a keeper belongs to one thread at a time. The process should have no other
 * thread when the keeper is started; glibc and musl let the child use malloc(3) and
 * streams nonetheless.
 */
#ifndef DITKIT_KEEPER_H
#define DITKIT_KEEPER_H

#include <stddef.h>
#include <sys/types.h>

struct dit_keeper {
	pid_t pid; /* 0: none was started */
	int fd;    /* the line to it */
};

/**
 * The life of the keeper, in the child: it reads orders from the line and writes answers
 * to it (send(2), MSG_NOSIGNAL), until the line ends.
 */
typedef void (*dit_keeper_live_fn)(const void *ctx, int fd);

/** @param kept_fd  stays open in the keeper, besides the line; -1: none. 0; -errno */
int dit_keeper_start(struct dit_keeper *ret, int kept_fd, dit_keeper_live_fn live,
                     const void *ctx);

/** Send an order and wait for the answer, of @p len bytes. 0; -errno; -EPIPE: the keeper
 * is gone */
int dit_keeper_ask(const struct dit_keeper *keeper, const void *order, size_t order_len,
                   void *ret, size_t len);

/** Wait for the keeper's end. Ending one that was not started is fine. */
void dit_keeper_end(struct dit_keeper *keeper);

#endif
