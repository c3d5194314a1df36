/* SPDX-License-Identifier: BSD-2-Clause */
#include "files/fault.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

int dit_fault_say(struct dit_fault *fault, int r, const char *format, ...)
{
	va_list args;

	if (fault != NULL) {
		va_start(args, format);
		(void)vsnprintf(fault->text, sizeof(fault->text), format, args);
		va_end(args);
	}
	return r;
}

int dit_fault_place(struct dit_fault *fault, int r, const char *where)
{
	return fault == NULL || fault->text[0] != '\0'
	               ? r
	               : dit_fault_say(fault, r, "%s: %s", where, dit_strerror(r));
}
