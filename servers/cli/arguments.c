/* SPDX-License-Identifier: BSD-2-Clause */
#include "arguments.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of the words of a command line; a path has PATH_MAX. */
#define ECHO_MAX 4096

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

/* Bytes of the UTF-8 character at the beginning; 1: it is none. */
static size_t character_bytes(const char *text)
{
	unsigned char first = (unsigned char)*text;
	size_t n = first < 0xc2   ? 1
	           : first < 0xe0 ? 2
	           : first < 0xf0 ? 3
	           : first < 0xf5 ? 4
	                          : 1;

	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80) {
			return 1;
		}
	}
	return n;
}

/* A character of n bytes that a terminal would obey, or that ends a line of a log: C0
 * without the tabulator, C1 in UTF-8 or alone. */
static bool is_control(const char *text, size_t n)
{
	unsigned char last = (unsigned char)text[n - 1];

	if (n == 1 && last < 0x80) {
		return (last < ' ' && last != '\t') || last == 0x7f;
	}
	return last < 0xa0 && (n == 1 || (unsigned char)text[0] == 0xc2);
}

void text_put(FILE *out, const char *text, size_t len)
{
	for (const char *end = text + len; text < end;) {
		size_t n = character_bytes(text);
		bool is_obeyed = is_control(text, n);

		(void)fwrite(is_obeyed ? "?" : text, 1, is_obeyed ? 1 : n, out);
		text += n;
	}
}

void text_echo(FILE *out, const char *text)
{
	size_t len = strlen(text);

	if (len <= ECHO_MAX) {
		text_put(out, text, len);
		return;
	}
	text_put(out, text, ECHO_MAX);
	(void)fprintf(out, "... [%zu bytes]", len);
}

int common_fail_path(const char *path, const char *reason)
{
	(void)fprintf(stderr, "%s: ", program_invocation_short_name);
	text_echo(stderr, path[0] == '\0' ? "\"\"" : path);
	(void)fprintf(stderr, ": %s\n", reason);
	return -1;
}

/*
 * Names of files, and names and values of an input, are in the texts. Whoever reads
 * standard error, a terminal or a log, gets '?' for control characters: one report is one
 * line.
 */
static void print_line(const char *program, const char *what, const char *text)
{
	(void)fprintf(stderr, "%s%s", program, what);
	text_put(stderr, text, strlen(text));
	(void)fputc('\n', stderr);
}

int common_say(int r, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0) {
		text = NULL;
	}
	va_end(args);
	print_line(program_invocation_short_name, ": ",
	           text == NULL ? "no memory" : text);
	free(text);
	return r;
}

void common_print_report(bool is_silent, const struct dit_report *report)
{
	const char *program = program_invocation_short_name;

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

int common_flush_output(void)
{
	return fflush(stdout) == 0 && ferror(stdout) == 0
	               ? 0
	               : common_say(-1, "standard output: %s", strerror(errno));
}

/* ---- figures ---- */

struct figure figure_count(uint64_t n)
{
	struct figure figure;
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%lu", n);
	size_t at = 0;

	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0) {
			figure.text[at++] = ',';
		}
		figure.text[at++] = digits[i];
	}
	figure.text[at] = '\0';
	return figure;
}

struct figure figure_bytes(uint64_t bytes)
{
	static const char *const units[] = {"B",   "KiB", "MiB", "GiB",
	                                    "TiB", "PiB", "EiB"};
	struct figure figure;
	double n = (double)bytes;
	unsigned unit = 0;

	while (n >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		n /= 1024;
		unit++;
	}
	(void)snprintf(figure.text, sizeof(figure.text), "%.*f %s",
	               unit == 0 || n >= 99.95 ? 0 : 1, n, units[unit]);
	return figure;
}

struct figure figure_seconds(double seconds)
{
	struct figure figure;
	unsigned long whole = (unsigned long)(seconds + 0.5);

	if (seconds < 99.95) {
		int ndigits = seconds < 0.0995 ? 3 : seconds < 9.995 ? 2 : 1;

		(void)snprintf(figure.text, sizeof(figure.text), "%.*f s", ndigits,
		               seconds);
	} else if (whole < 3600) {
		(void)snprintf(figure.text, sizeof(figure.text), "%lu min %02lu s",
		               whole / 60, whole % 60);
	} else {
		(void)snprintf(figure.text, sizeof(figure.text), "%lu h %02lu min",
		               whole / 3600, whole / 60 % 60);
	}
	return figure;
}

struct figure figure_share(double part, double of)
{
	struct figure figure;
	double percent = of > 0 ? 100 * part / of : 0;
	int ndigits = percent <= 0 || percent >= 9.95 ? 0 : 1;

	if (percent > 0 && percent < 0.05) {
		(void)snprintf(figure.text, sizeof(figure.text), "<0.1 %%");
		return figure;
	}
	(void)snprintf(figure.text, sizeof(figure.text), "%.*f %%", ndigits, percent);
	return figure;
}

/* ---- words for a shell ---- */

void shell_word(FILE *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./:=,@+";

	if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
		(void)fputs(text, out);
		return;
	}
	(void)fputc('\'', out);
	for (; *text != '\0'; text++) {
		(void)fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, out);
	}
	(void)fputc('\'', out);
}

/* ---- lines of a width ---- */

void wrap_line(struct wrap *wrap)
{
	(void)fprintf(wrap->out, "\n%*s", (int)wrap->indent, "");
	wrap->column = wrap->indent;
}

void wrap_word(struct wrap *wrap, const char *word, size_t len)
{
	if (wrap->column > wrap->indent && wrap->column + 1 + len > wrap->width) {
		wrap_line(wrap);
	}
	if (wrap->column > wrap->indent) {
		(void)fputc(' ', wrap->out);
		wrap->column++;
	}
	text_put(wrap->out, word, len);
	wrap->column += len;
}

void wrap_text(struct wrap *wrap, const char *text)
{
	while (*text != '\0') {
		size_t len = strcspn(text, " \n");

		wrap_word(wrap, text, len);
		text += len;
		if (*text == '\n') {
			wrap_line(wrap);
		}
		text += *text != '\0';
	}
	(void)fputc('\n', wrap->out);
}
