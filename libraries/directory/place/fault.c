/* SPDX-License-Identifier: BSD-2-Clause */
#include "place/fault.h"

#include <stdarg.h>
#include <stdio.h>

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
