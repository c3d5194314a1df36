/* SPDX-License-Identifier: BSD-2-Clause */
/* Error texts of the three code ranges. */
#include "base/error.h"

#include <stddef.h>

#include <lmdb.h>

#include "base/errno_text.h"

/* By code, from the first one on. */
static const char *const own_texts[] = {
	[DIT_E_SYNTAX - DIT_E_SYNTAX] = "Syntax error",
	[DIT_E_UNKNOWN - DIT_E_SYNTAX] = "Not defined",
	[DIT_E_DUPLICATE - DIT_E_SYNTAX] = "Already defined or present",
	[DIT_E_INVALID - DIT_E_SYNTAX] = "Invalid value",
	[DIT_E_UNSUPPORTED - DIT_E_SYNTAX] = "Not supported by this release",
	[DIT_E_CONFIG - DIT_E_SYNTAX] = "Bad configuration",
	[DIT_E_REFUSED - DIT_E_SYNTAX] = "Entry refused",
	[DIT_E_NOTEMPTY - DIT_E_SYNTAX] = "The database is not empty",
	[DIT_E_BUSY - DIT_E_SYNTAX] = "The database is in use",
	[DIT_E_FULL - DIT_E_SYNTAX] = "The database does not fit its maximum size",
	[DIT_E_CORRUPT - DIT_E_SYNTAX] = "Damaged data",
	[DIT_E_TOOLONG - DIT_E_SYNTAX] = "Too long",
	[DIT_E_STOPPED - DIT_E_SYNTAX] = "Interrupted",
	[DIT_E_FORMAT - DIT_E_SYNTAX] =
		"The database is of LMDB 1.0 (OpenLDAP 2.7 or later), not of 0.9 "
		"(OpenLDAP 2.5 and 2.6)",
};

const char *dit_strerror(int error)
{
	const char *text = NULL;

	if (error >= DIT_E_SYNTAX && error <= DIT_E_FORMAT) {
		return own_texts[error - DIT_E_SYNTAX];
	}
	if (error >= MDB_KEYEXIST && error <= MDB_LAST_ERRCODE) {
		return mdb_strerror(error);
	}
	/* glibc's thread-safe one; NULL for a number that it does not know. */
	if (error > -4096 && error < 4096) {
		text = dit_errno_text(error < 0 ? -error : error);
	}
	return text == NULL ? "Unknown error" : text;
}
