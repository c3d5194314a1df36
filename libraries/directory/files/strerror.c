/* SPDX-License-Identifier: BSD-2-Clause */
/* Error texts of the three code ranges. */
#include "base/error.h"

#include <stddef.h>

#include <lmdb.h>

#include "base/errno_text.h"

static const char *own_text(int error)
{
	switch ((enum dit_error)error) {
	case DIT_E_SYNTAX:
		return "Syntax error";
	case DIT_E_UNKNOWN:
		return "Not defined";
	case DIT_E_DUPLICATE:
		return "Already defined or present";
	case DIT_E_INVALID:
		return "Invalid value";
	case DIT_E_UNSUPPORTED:
		return "Not supported by this release";
	case DIT_E_CONFIG:
		return "Bad configuration";
	case DIT_E_REFUSED:
		return "Entry refused";
	case DIT_E_NOTEMPTY:
		return "The database is not empty";
	case DIT_E_BUSY:
		return "The database is in use";
	case DIT_E_FULL:
		return "The database does not fit its maximum size";
	case DIT_E_CORRUPT:
		return "Damaged data";
	case DIT_E_TOOLONG:
		return "Too long";
	case DIT_E_STOPPED:
		return "Interrupted";
	case DIT_E_FORMAT:
		return "The database is of LMDB 1.0 (OpenLDAP 2.7 or later), not of 0.9 "
		       "(OpenLDAP 2.5 and 2.6)";
	}
	return NULL;
}

const char *dit_strerror(int error)
{
	const char *text = own_text(error);

	if (text != NULL) {
		return text;
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
