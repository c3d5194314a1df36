/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A directory of our own, for a moment: liblmdb wants a path with both files of a
 * database in it, and we want it to open descriptors (files.h). It gets the path of a
 * directory with two links, TMPDIR/ditkit-open-XXXXXX.
 *
 * A process that is killed in that moment leaves the directory. So its maker holds a lock
 * on it (flock(2)), and the maker of another one removes those of the same user that are
 * not locked.
 *
 * Threads: no state; any thread.
 */
#ifndef DITKIT_PRIVATE_DIR_H
#define DITKIT_PRIVATE_DIR_H

#include "files/fault.h"

struct MDB_env;

struct dit_private_dir {
	int fd;        /* the caller may use it until dit_private_dir_remove() */
	int tmp_fd;    /* of the directory that it lies in */
	char name[32]; /* there; empty: there is none */
};

/**
 * Make one, empty and closed to others. Directories that killed processes of our user
 * left are removed first.
 *
 * @param fault  may be NULL
 *
 * @return 0; -errno; -EPERM with a fault: somebody has put another directory in its place
 */
int dit_private_dir_make(struct dit_private_dir *ret, struct dit_fault *fault);

/** Remove an empty one. */
void dit_private_dir_remove(struct dit_private_dir *dir);

/** dit_env_open_locked() by way of such a directory, which is gone again afterwards. */
int dit_env_open_private(struct MDB_env *env, int data_fd, int lock_fd, unsigned flags,
                         struct dit_fault *fault);

#endif
