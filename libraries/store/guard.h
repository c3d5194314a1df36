/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What liblmdb is about to read of a data file is checked before (pages/walk_probe.h), in
 * the orders of back-mdb's databases: damage becomes an error instead of a crash.
 *
 * Threads: one at a time.
 */
#ifndef DITKIT_GUARD_H
#define DITKIT_GUARD_H

#include "pages/walk_probe.h"
#include "store/fault.h"

struct dit_guard {
	struct dit_probe *probe; /* NULL: not open */
	struct dit_fault fault;  /* the first finding */
};

/**
 * Check the meta pages, the free list and the main tree.
 *
 * @param data_fd  open for reading; borrowed
 * @param fault    gets what was found; may be NULL
 *
 * @return as dit_probe_open(). The guard is to be closed in every case.
 */
int dit_guard_open(struct dit_guard *guard, int data_fd, struct dit_fault *fault);

/**
 * Check the whole file; for files that hold little.
 *
 * @return 0; DIT_E_CORRUPT with a fault; as dit_walk()
 */
int dit_guard_whole(int data_fd, struct dit_fault *fault);

/** One that was never opened, but is zero, is fine. */
void dit_guard_close(struct dit_guard *guard);

#endif
