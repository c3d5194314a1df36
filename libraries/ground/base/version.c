/* SPDX-License-Identifier: BSD-2-Clause */
/* The version text, and options of programs of other releases. */
#include "base/version.h"

#include <errno.h>
#include <string.h>

#define TEXT_OF(number) #number
#define DOTTED(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

const char *dit_version(void)
{
	return "ditkit " DOTTED(DIT_VERSION_MAJOR, DIT_VERSION_MINOR, DIT_VERSION_PATCH);
}

int dit_opts_take(void *own, size_t own_bytes, const void *opts)
{
	const char *bytes = opts;
	size_t size = 0;
	size_t known = 0;

	memcpy(&size, opts, sizeof(size));
	if (size <= sizeof(size)) {
		return -EINVAL;
	}
	for (size_t i = own_bytes; i < size; i++) {
		if (bytes[i] != 0) {
			return DIT_E_UNSUPPORTED;
		}
	}
	known = size < own_bytes ? size : own_bytes;
	memset((char *)own + known, 0, own_bytes - known);
	memcpy(own, opts, known);
	memcpy(own, &own_bytes, sizeof(own_bytes));
	return 0;
}
