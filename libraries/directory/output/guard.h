/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guard checks the pages of a data file that liblmdb is about to read
 * (walk/walk_probe.h), in the orders of back-mdb's databases. So damage becomes an error
 * instead of a crash.
 *
 * Threads: one thread at a time uses a guard.
 */
#ifndef DITKIT_GUARD_H
#define DITKIT_GUARD_H

#include "place/fault.h"
#include "walk/walk_probe.h"

struct dit_guard {
	struct dit_probe *probe; /* NULL: not open */
	struct dit_fault fault;  /* the first finding */
};

/**
 * Check the meta pages, the free list and the main tree.
 *
 * @param data_fd  open for reading; borrowed
 * @param stop     as in a walk; kept until dit_guard_close()
 * @param fault    gets the first finding; may be NULL
 *
 * @return as dit_probe_open(). The caller closes the guard in every case.
 */
int dit_guard_open(struct dit_guard *guard, int data_fd,
                   const volatile sig_atomic_t *stop, struct dit_fault *fault);

/**
 * Check the whole file; for small files.
 *
 * @return 0; DIT_E_CORRUPT with a fault; errors of dit_walk()
 */
int dit_guard_whole(int data_fd, const volatile sig_atomic_t *stop,
                    struct dit_fault *fault);

/**
 * Check that the numbers of the two meta pages are neighbours (page/meta_pages.h). The
 * file is of either format, and no other process writes to it. A change of a file that is
 * not in its last state would lose later transactions.
 *
 * @return 0, also of a file that cannot be read; DIT_E_CORRUPT with a fault
 */
int dit_guard_metas(int data_fd, struct dit_fault *fault);

/** A guard of zero bytes, which was never opened, is fine. */
void dit_guard_close(struct dit_guard *guard);

#endif
