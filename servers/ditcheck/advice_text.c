/* SPDX-License-Identifier: BSD-2-Clause */
/* Advice as lines for a terminal. */
#include "advice.h"

#include <string.h>

#include <jansson.h>

#include "arguments.h"
#include "run_facts.h"

#define COLUMNS 78
#define INDENT  9

/* Names may come from a damaged file. */
static void print_line(FILE *out, const char *text)
{
	text_put(out, text, strlen(text));
	(void)fputc('\n', out);
}

static void print_part(FILE *out, const char *name, const char *text)
{
	struct wrap wrap = {
		.out = out, .width = COLUMNS, .indent = INDENT, .column = INDENT};

	(void)fprintf(out, "    %-5s", name);
	wrap_text(&wrap, text);
}

/* From the first column on, so that it can be copied. */
static void print_configuration(FILE *out, const json_t *one)
{
	const json_t *lines = json_object_get(one, "lines");

	(void)fputs("\nAll of it, in slapd.conf (in cn=config: values of olcDbIndex, "
	            "without the\nword index; olcDbMaxSize), for ",
	            out);
	text_put(out, fact_text(one, "file"), strlen(fact_text(one, "file")));
	(void)fputs(":\n\n", out);
	for (size_t i = 0; i < json_array_size(lines); i++) {
		print_line(out, json_string_value(json_array_get(lines, i)));
	}
	(void)fputs("\nand then: ", out);
	print_line(out, fact_text(one, "command"));
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
			/* In one line, so that a command can be copied. */
			(void)fprintf(out, "    %-5s", k == 0 ? "do" : "");
			print_line(out, json_string_value(json_array_get(steps, k)));
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
