/* SPDX-License-Identifier: BSD-2-Clause */
#include "html.h"

#include <string.h>

#include "figures.h"

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		break;
	}
	if ((unsigned char)c < 0x20 && c != '\n' && c != '\t') {
		return "\xef\xbf\xbd"; /* XML has no place for them */
	}
	return NULL;
}

void html_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		const char *escaped = entity(*text);

		if (escaped != NULL) {
			(void)fputs(escaped, out);
		} else {
			(void)fputc(*text, out);
		}
	}
}

void html_figure(FILE *out, const char *figure)
{
	for (; *figure != '\0'; figure++) {
		if (*figure == ' ') {
			(void)fputs("\xc2\xa0", out);
		} else {
			(void)fputc(*figure, out);
		}
	}
}

void html_element(FILE *out, const char *tag, const char *text)
{
	(void)fprintf(out, "<%s>", tag);
	html_text(out, text);
	(void)fprintf(out, "</%s>", tag);
}

static void print_cell(FILE *out, const char *label, const char *value, const char *shown)
{
	(void)fprintf(out, "<td data-label=\"%s\"><data value=\"%s\">%s</data></td>",
	              label, value, shown);
}

static struct figure digits(uint64_t n)
{
	struct figure figure;

	(void)snprintf(figure.text, sizeof(figure.text), "%llu", (unsigned long long)n);
	return figure;
}

void html_count(FILE *out, const char *label, uint64_t n)
{
	print_cell(out, label, digits(n).text, figure_count(n).text);
}

void html_bytes(FILE *out, const char *label, uint64_t n)
{
	if (n == 0) {
		(void)fprintf(out, "<td data-label=\"%s\">-</td>", label);
		return;
	}
	print_cell(out, label, digits(n).text, figure_bytes(n).text);
}

void html_seconds(FILE *out, const char *label, double seconds)
{
	char value[40];

	(void)snprintf(value, sizeof(value), "%.6f", seconds);
	print_cell(out, label, value, figure_seconds(seconds).text);
}

void html_share(FILE *out, const char *label, double part, double of)
{
	(void)fprintf(out, "<td data-label=\"%s\">%s</td>", label,
	              figure_share(part, of).text);
}
