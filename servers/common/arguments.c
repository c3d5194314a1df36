/* SPDX-License-Identifier: BSD-2-Clause */
#include "arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int common_read_number(const char *text, unsigned long long max, unsigned long long *ret)
{
	char *end = NULL;

	if (text[0] < '0' || text[0] > '9') {
		return -1;
	}
	errno = 0;
	*ret = strtoull(text, &end, 10);
	return errno != 0 || *end != '\0' || *ret > max ? -1 : 0;
}

void common_print_report(const char *program, bool is_silent,
                         const struct dit_report *report)
{
	switch (report->kind) {
	case DIT_REPORT_DIAGNOSTIC:
		if (!is_silent) {
			(void)fprintf(stderr, "%s\n", report->text);
		}
		break;
	case DIT_REPORT_ERROR:
		(void)fprintf(stderr, "%s: %s\n", program, report->text);
		break;
	case DIT_REPORT_WARNING:
		(void)fprintf(stderr, "%s: warning: %s\n", program, report->text);
		break;
	case DIT_REPORT_PLAIN:
	case DIT_REPORT_ADDED:
	case DIT_REPORT_MISSING:
		(void)fprintf(stderr, "%s\n", report->text);
		break;
	}
}
