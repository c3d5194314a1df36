/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/hint.h"

#include <errno.h>

#include "base/error.h"
#include "page/lmdb_format.h"

const char *dit_hint(int error)
{
	switch (error) {
	case -EMFILE: /* each spilled run is an open file: more memory makes fewer */
		return ": give more memory, or raise the limit of open files (ulimit -n)";
	case DIT_E_CORRUPT:
	case DIT_LMDB_CORRUPTED:
	case DIT_LMDB_INCOMPATIBLE:
	case DIT_LMDB_PAGE_NOTFOUND:
		return ": see what \"ditcheck --quick\" says";
	default:
		return "";
	}
}
