/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Temporary files: their directory, and those that killed processes have left.
 *
 * Some temporary files and directories have a name of their own. Their maker holds each
 * by a lock, which ends with the process. The next run goes through the directory and
 * removes those of its kind that nobody holds. A file system without locks keeps all of
 * them: no run can lock one.
 *
 * Threads: any, as long as no thread changes the environment.
 */
#ifndef DITKIT_TMP_FILES_H
#define DITKIT_TMP_FILES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * @param chosen  by the caller; may be NULL
 *
 * @return the first that is there and not empty: @p chosen, $TMPDIR, "/tmp". Not copied.
 */
const char *dit_tmp_dir(const char *chosen);

/**
 * Can temporary files be made in @p dir? Found out before the work begins, not when the
 * memory is full.
 *
 * @return 0; -errno, with a text in @p ret: the directory, and the user if permissions
 *         are missing, or the link that is not followed (path.h)
 */
int dit_tmp_dir_check(const char *dir, char *ret, size_t size);

/** Does nobody hold it? It is held then, until @p fd is closed. */
bool dit_leftover_is_one(int fd);

/**
 * Hold what this process has just made.
 *
 * @return 0; -EEXIST: another run has taken it for a leftover: make another one; -errno
 */
int dit_leftover_hold(int fd);

#endif
