/* SPDX-License-Identifier: BSD-2-Clause */
/* Advice as lines for a terminal. */
#include "advice.h"

#include <stdbool.h>
#include <string.h>

#include <jansson.h>

#include "run_facts.h"

#define COLUMNS 78

/* Names may come from a damaged file. */
static void print_word(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool is_control = (unsigned char)text[i] < ' ' || text[i] == 0x7f;

		(void)fputc(is_control ? '?' : text[i], out);
	}
}

/* Words, from the column of the indent on. */
static void print_wrapped(FILE *out, size_t indent, const char *text)
{
	size_t column = indent;

	while (*text != '\0') {
		size_t len = strcspn(text, " ");

		if (column > indent && column + 1 + len > COLUMNS) {
			(void)fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			(void)fputc(' ', out);
			column++;
		}
		print_word(out, text, len);
		column += len;
		text += len + strspn(text + len, " ");
	}
	(void)fputc('\n', out);
}

/* "cn, sn, mail" */
static void print_names(FILE *out, const json_t *names)
{
	size_t n = json_array_size(names);

	for (size_t i = 0; i < n && n > 1; i++) {
		const char *name = json_string_value(json_array_get(names, i));

		(void)fputs(i == 0 ? "         " : ", ", out);
		print_word(out, name, strlen(name));
	}
	(void)fputs(n > 1 ? "\n" : "", out);
}

static void print_part(FILE *out, const char *name, const char *text)
{
	(void)fprintf(out, "    %-5s", name);
	print_wrapped(out, 9, text);
}

void advice_print(FILE *out, const json_t *advice)
{
	for (size_t i = 0; i < json_array_size(advice); i++) {
		const json_t *piece = json_array_get(advice, i);
		const json_t *steps = json_object_get(piece, "steps");

		(void)fprintf(out, "\n%s%2zu. %s\n", i == 0 ? "Advice\n\n" : "", i + 1,
		              fact_text(piece, "title"));
		print_names(out, json_object_get(piece, "indexes"));
		print_part(out, "seen", fact_text(piece, "seen"));
		/* Once, for pieces of one kind. */
		if (i == 0 ||
		    strcmp(fact_text(piece, "kind"),
		           fact_text(json_array_get(advice, i - 1), "kind")) != 0) {
			print_part(out, "why", fact_text(piece, "why"));
		}
		for (size_t k = 0; k < json_array_size(steps); k++) {
			print_part(out, k == 0 ? "do" : "",
			           json_string_value(json_array_get(steps, k)));
		}
	}
	(void)fputs(json_array_size(advice) == 0
	                    ? ""
	                    : "\nStop slapd for ditindex, or see its option --online.\n",
	            out);
}
