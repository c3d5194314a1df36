/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LMDB's results in our code ranges (base/error.h). Every result passes through here.
 *
 * Threads: no state.
 */
#ifndef DITKIT_LMDB_ERROR_H
#define DITKIT_LMDB_ERROR_H

/**
 * LMDB answers 0, one of its own negative codes, or a positive errno.
 *
 * @return 0, the same negative code, or -errno
 */
int dit_lmdb_error(int rc);

#endif
