/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where temporary files go.
 *
 * Threads: any, as long as no thread changes the environment.
 */
#ifndef DITKIT_TMP_DIR_H
#define DITKIT_TMP_DIR_H

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

#endif
