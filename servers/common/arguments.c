/* SPDX-License-Identifier: BSD-2-Clause */
#include "arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

int common_read_size(const char *text, uint64_t *ret)
{
	static const char suffixes[] = "KMGT";
	unsigned long long number = 0;
	char digits[32];
	size_t len = strlen(text);
	unsigned shift = 0;

	if (len > 0) {
		const char *suffix = strchr(suffixes, text[len - 1] & ~0x20);

		if (suffix != NULL && *suffix != '\0') {
			shift = (unsigned)(suffix - suffixes + 1) * 10;
			len--;
		}
	}
	if (len == 0 || len >= sizeof(digits)) {
		return -1;
	}
	memcpy(digits, text, len);
	digits[len] = '\0';
	if (common_read_number(digits, UINT64_MAX >> shift, &number) < 0) {
		return -1;
	}
	*ret = (uint64_t)number << shift;
	return 0;
}

/* A byte that a terminal would obey. The lines of a text stay lines. */
static bool is_control(char c)
{
	return ((unsigned char)c < ' ' && c != '\n' && c != '\t') || c == 0x7f;
}

static bool has_control(const char *text)
{
	while (*text != '\0' && !is_control(*text)) {
		text++;
	}
	return *text != '\0';
}

/*
 * Names and values of an input are in the texts. A terminal gets '?' for bytes that it
 * would obey; files and pipes get slapadd's bytes.
 */
static void print_line(const char *program, const char *what, const char *text)
{
	if (!has_control(text) || isatty(STDERR_FILENO) != 1) {
		(void)fprintf(stderr, "%s%s%s\n", program, what, text);
		return;
	}
	(void)fprintf(stderr, "%s%s", program, what);
	for (; *text != '\0'; text++) {
		(void)fputc(is_control(*text) ? '?' : *text, stderr);
	}
	(void)fputc('\n', stderr);
}

void common_print_report(const char *program, bool is_silent,
                         const struct dit_report *report)
{
	switch (report->kind) {
	case DIT_REPORT_DIAGNOSTIC:
		if (!is_silent) {
			print_line("", "", report->text);
		}
		break;
	case DIT_REPORT_REMARK:
		if (is_silent) {
			break;
		}
		/* fall through */
	case DIT_REPORT_ERROR:
		print_line(program, ": ", report->text);
		break;
	case DIT_REPORT_WARNING:
		print_line(program, ": warning: ", report->text);
		break;
	case DIT_REPORT_PLAIN:
	case DIT_REPORT_ADDED:
	case DIT_REPORT_MISSING:
	case DIT_REPORT_EXPLANATION:
		print_line("", "", report->text);
		break;
	}
}

void common_raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}
