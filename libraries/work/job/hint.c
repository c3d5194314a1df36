/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/hint.h"

#include <errno.h>

#include <lmdb.h>

#include "base/error.h"

const char *dit_hint(int error)
{
	switch (error) {
	case -EMFILE: /* each spilled run is an open file: more memory makes fewer */
		return ": give more memory, or raise the limit of open files (ulimit -n)";
	case DIT_E_CORRUPT:
	case MDB_CORRUPTED:
	case MDB_INCOMPATIBLE:
	case MDB_PAGE_NOTFOUND:
		return ": see what \"ditcheck --quick\" says";
	default:
		return "";
	}
}
