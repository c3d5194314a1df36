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

void html_count(FILE *out, uint64_t n)
{
	(void)fprintf(out, "<td><data value=\"%llu\">%s</data></td>",
	              (unsigned long long)n, figure_count(n).text);
}

void html_bytes(FILE *out, uint64_t n)
{
	if (n == 0) {
		(void)fputs("<td>-</td>", out);
		return;
	}
	(void)fprintf(out, "<td><data value=\"%llu\">%s</data></td>",
	              (unsigned long long)n, figure_bytes(n).text);
}

void html_seconds(FILE *out, double seconds)
{
	(void)fprintf(out, "<td><data value=\"%.6f\">%s</data></td>", seconds,
	              figure_seconds(seconds).text);
}

void html_share(FILE *out, double part, double of)
{
	html_element(out, "td", figure_share(part, of).text);
}
