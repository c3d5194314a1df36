/* SPDX-License-Identifier: BSD-2-Clause */
/* LMDB's results: their ranges, and the one that says too little. */
#include "place/lmdb_error.h"

#include <errno.h>
#include <fcntl.h>

#include <lmdb.h>

#include "base/error.h"

/* base/error.h promises three ranges without overlap. */
_Static_assert(MDB_KEYEXIST == -30799 && MDB_LAST_ERRCODE <= -30600,
               "LMDB's codes lie where error.h says");
_Static_assert(DIT_E_FORMAT < MDB_KEYEXIST, "our codes lie below LMDB's");

int dit_lmdb_short_write(int fd, uint64_t at, uint64_t len)
{
	if (fallocate(fd, 0, (off_t)at, (off_t)len) != 0 &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
		return -errno;
	}
	return -EIO;
}
