/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/tell.h"

#include <stdio.h>
#include <stdlib.h>

void dit_tell(dit_report_fn report, void *ctx, enum dit_report_kind kind,
              const char *format, va_list args)
{
	char text[DIT_TELL_BYTES];
	struct dit_report told = {.kind = kind, .text = text};
	char *whole = NULL;
	va_list again;
	int len = 0;

	if (report == NULL) {
		return;
	}
	va_copy(again, args);
	len = vsnprintf(text, sizeof(text), format, args);
	if (len >= (int)sizeof(text)) {
		whole = malloc((size_t)len + 1);
	}
	if (whole != NULL) {
		(void)vsnprintf(whole, (size_t)len + 1, format, again);
		told.text = whole;
	}
	va_end(again);
	report(ctx, &told);
	free(whole);
}
