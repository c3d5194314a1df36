/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A database that is there, opened with LMDB's locks next to other processes, by
 * descriptor (files.h).
 *
 *   dit_door_open();  mdb_env_create();  dit_door_open_env();  ...
 *   mdb_env_close();  dit_door_close()
 *
 * The lock file stays open as long as the environment: to close a descriptor of it gives
 * up all locks that the process has on it.
 *
 * Threads: a door belongs to one thread at a time.
 */
#ifndef DITKIT_DOOR_H
#define DITKIT_DOOR_H

#include <lmdb.h>

#include "place/fault.h"

struct dit_door {
	int data_fd;
	int lock_fd; /* -1: a file system that may only be read, or nobody has a lock */
};

#define DIT_DOOR_CLOSED ((struct dit_door){.data_fd = -1, .lock_fd = -1})

/**
 * @param fault  may be NULL
 *
 * @return 0; DIT_E_FORMAT; what dit_directory_open() and dit_file_open() return. The door
 *         is to be closed in every case
 */
int dit_door_open(struct dit_door *ret, const char *directory, struct dit_fault *fault);

/** The same, but makes no missing lock file: no process has the database open then. */
int dit_door_open_as_is(struct dit_door *ret, const char *directory,
                        struct dit_fault *fault);

/**
 * mdb_env_open(). Makes a private directory in the one for temporary files, and removes
 * it again.
 *
 * @return 0; LMDB's codes; -errno; -EROFS: only MDB_RDONLY is possible
 */
int dit_door_open_env(const struct dit_door *door, MDB_env *env, unsigned flags,
                      struct dit_fault *fault);

/** After mdb_env_close(). Closing twice is fine. */
void dit_door_close(struct dit_door *door);

#endif
