/* SPDX-License-Identifier: BSD-2-Clause */
/* The version text. */
#include "base/version.h"

#ifndef PACKAGE_VERSION
# define PACKAGE_VERSION "unknown"
#endif

const char *dit_version(void)
{
	return "ditkit " PACKAGE_VERSION;
}
