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

void html_element(FILE *out, const char *tag, const char *text)
{
	(void)fprintf(out, "<%s>", tag);
	html_text(out, text);
	(void)fprintf(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

struct figure html_figure(struct figure figure)
{
	struct figure joined = {""};
	size_t at = 0;

	for (const char *c = figure.text; *c != '\0' && at + 2 < sizeof(joined.text);
	     c++) {
		const char *shown = *c == ' ' ? "\xc2\xa0" : (const char[]){*c, '\0'};

		memcpy(joined.text + at, shown, strlen(shown));
		at += strlen(shown);
	}
	return joined;
}
