/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where temporary files go.
 *
 * Threads: any, as long as nobody changes the environment.
 */
#ifndef DITKIT_TMP_DIR_H
#define DITKIT_TMP_DIR_H

/**
 * @param chosen  by the caller; may be NULL
 *
 * @return the first that is there and not empty: @p chosen, $TMPDIR, "/tmp". Not copied.
 */
const char *dit_tmp_dir(const char *chosen);

#endif
