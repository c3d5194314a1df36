/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LMDB's results in our code ranges (base/error.h). Every result passes through here.
 *
 * Threads: no state.
 */
#ifndef DITKIT_LMDB_ERROR_H
#define DITKIT_LMDB_ERROR_H

#include <assert.h>
#include <stdint.h>

/**
 * LMDB answers 0, one of its own negative codes, or a positive errno.
 *
 * @return 0, the same negative code, or -errno
 */
static inline int dit_lmdb_error(int rc)
{
	int r = rc > 0 ? -rc : rc;

	assert(r <= 0);
	return r;
}

/**
 * LMDB reports EIO when the system wrote less than it was asked to, as it does on a disk
 * that becomes full in the middle of a write, or at a limit. Asking for the space tells.
 *
 * @param fd  the data file; @p at, @p len  what may have been missing
 *
 * @return -ENOSPC, -EDQUOT, -EFBIG; -EIO: there is space
 */
int dit_lmdb_short_write(int fd, uint64_t at, uint64_t len);

#endif
