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

static void print_part(FILE *out, const char *name, const char *text)
{
	(void)fprintf(out, "    %-5s", name);
	print_wrapped(out, 9, text);
}

/* From the first column on, so that it can be copied. */
static void print_configuration(FILE *out, const json_t *one)
{
	const json_t *lines = json_object_get(one, "lines");

	(void)fputs("\nAll of it, in slapd.conf (in cn=config: values of olcDbIndex, "
	            "without the\nword index; olcDbMaxSize), for ",
	            out);
	print_word(out, fact_text(one, "file"), strlen(fact_text(one, "file")));
	(void)fputs(":\n\n", out);
	for (size_t i = 0; i < json_array_size(lines); i++) {
		const char *line = json_string_value(json_array_get(lines, i));

		print_word(out, line, strlen(line));
		(void)fputc('\n', out);
	}
	(void)fputs("\nand then: ", out);
	print_word(out, fact_text(one, "command"), strlen(fact_text(one, "command")));
	(void)fputc('\n', out);
}

void advice_print(FILE *out, const json_t *advised)
{
	const json_t *advice = json_object_get(advised, "advice");
	const json_t *configurations = json_object_get(advised, "advised");

	for (size_t i = 0; i < json_array_size(advice); i++) {
		const json_t *piece = json_array_get(advice, i);
		const json_t *steps = json_object_get(piece, "steps");

		(void)fprintf(out, "\n%s%2zu. %s\n", i == 0 ? "Advice\n\n" : "", i + 1,
		              fact_text(piece, "title"));
		print_part(out, "seen", fact_text(piece, "seen"));
		print_part(out, "why", fact_text(piece, "why"));
		for (size_t k = 0; k < json_array_size(steps); k++) {
			const char *step = json_string_value(json_array_get(steps, k));

			/* In one line, so that a command can be copied. */
			(void)fprintf(out, "    %-5s", k == 0 ? "do" : "");
			print_word(out, step, strlen(step));
			(void)fputc('\n', out);
		}
	}
	for (size_t i = 0; i < json_array_size(configurations); i++) {
		print_configuration(out, json_array_get(configurations, i));
	}
	(void)fputs(json_array_size(advice) == 0
	                    ? ""
	                    : "\nStop slapd for ditindex, or see its option --online.\n",
	            out);
}
