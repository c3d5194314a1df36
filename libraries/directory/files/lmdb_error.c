/* SPDX-License-Identifier: BSD-2-Clause */
/* LMDB's results: their ranges, and the one that says too little. */
#include "files/lmdb_error.h"

#include <errno.h>
#include <fcntl.h>

#include <lmdb.h>

#include "base/error.h"
#include "page/lmdb_format.h"

/* base/error.h promises three ranges without overlap. */
_Static_assert(MDB_KEYEXIST == -30799 && MDB_LAST_ERRCODE <= -30600,
               "LMDB's codes lie where error.h says");
_Static_assert(DIT_E_FORMAT < MDB_KEYEXIST, "our codes lie below LMDB's");
_Static_assert((int)DIT_LMDB_KEYEXIST == MDB_KEYEXIST &&
                       (int)DIT_LMDB_NOTFOUND == MDB_NOTFOUND &&
                       (int)DIT_LMDB_PAGE_NOTFOUND == MDB_PAGE_NOTFOUND &&
                       (int)DIT_LMDB_CORRUPTED == MDB_CORRUPTED &&
                       (int)DIT_LMDB_VERSION_MISMATCH == MDB_VERSION_MISMATCH &&
                       (int)DIT_LMDB_INVALID == MDB_INVALID &&
                       (int)DIT_LMDB_DBS_FULL == MDB_DBS_FULL &&
                       (int)DIT_LMDB_READERS_FULL == MDB_READERS_FULL &&
                       (int)DIT_LMDB_INCOMPATIBLE == MDB_INCOMPATIBLE &&
                       (int)DIT_LMDB_BAD_VALSIZE == MDB_BAD_VALSIZE,
               "lmdb_format.h has LMDB's numbers");

_Static_assert(DIT_DB_INTEGERKEY == MDB_INTEGERKEY && DIT_DB_DUPSORT == MDB_DUPSORT &&
                       DIT_DB_DUPFIXED == MDB_DUPFIXED &&
                       DIT_DB_INTEGERDUP == MDB_INTEGERDUP,
               "stored flags are LMDB's");

int dit_lmdb_short_write(int fd, uint64_t at, uint64_t len)
{
	if (fallocate(fd, 0, (off_t)at, (off_t)len) != 0 &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
		return -errno;
	}
	return -EIO;
}
