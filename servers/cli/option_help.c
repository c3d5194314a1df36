/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of --help, out of the table of options. */
#include "common_options.h"

#include <string.h>

#include <ditkit/version.h>

#define WIDTH       79
#define HELP_COLUMN 20

/* Where the next word goes, and where lines begin that are not the first. */
struct wrap {
	size_t column;
	size_t indent;
};

static void begin_line(struct wrap *wrap)
{
	(void)printf("\n%*s", (int)wrap->indent, "");
	wrap->column = wrap->indent;
}

/* A word, with a blank before it unless it begins its line. */
static void put_word(struct wrap *wrap, const char *word, size_t len)
{
	if (wrap->column > wrap->indent && wrap->column + 1 + len > WIDTH) {
		begin_line(wrap);
	}
	if (wrap->column > wrap->indent) {
		(void)putchar(' ');
		wrap->column++;
	}
	(void)printf("%.*s", (int)len, word);
	wrap->column += len;
}

static void put_text(struct wrap *wrap, const char *text)
{
	while (*text != '\0') {
		size_t len = strcspn(text, " \n");

		put_word(wrap, text, len);
		text += len;
		if (*text == '\n') {
			begin_line(wrap);
		}
		text += *text != '\0';
	}
	(void)putchar('\n');
}

/* An argument has a blank before it, or a sign. */
static const char *blank_before(const struct option_row *row)
{
	return row->argument == NULL || row->argument[0] == '[' ? "" : " ";
}

static const char *argument_of(const struct option_row *row)
{
	return row->argument == NULL ? "" : row->argument;
}

static void put_usage(const struct program *program)
{
	struct wrap wrap = {.indent = strlen("usage: ") + strlen(program->name) + 1};
	char text[128] = "[-";
	size_t len = 2;

	(void)printf("usage: %s ", program->name);
	wrap.column = wrap.indent;
	for (const struct option_row *row = option_next(program, NULL); row != NULL;
	     row = option_next(program, row)) {
		if (row->id < OPT_LONG && row->argument == NULL) {
			text[len++] = (char)row->id;
		}
	}
	text[len++] = ']';
	put_word(&wrap, text, len);
	for (const struct option_row *row = option_next(program, NULL); row != NULL;
	     row = option_next(program, row)) {
		const char letter[] = {(char)row->id, '\0'};
		bool has_letter = row->id < OPT_LONG;

		if (has_letter && row->argument == NULL) {
			continue;
		}
		len = (size_t)snprintf(text, sizeof(text), "[%s%s%s%s]",
		                       has_letter ? "-" : "--",
		                       has_letter ? letter : row->name, blank_before(row),
		                       argument_of(row));
		put_word(&wrap, text, len);
	}
	if (program->operands != NULL) {
		put_word(&wrap, program->operands, strlen(program->operands));
	}
	(void)putchar('\n');
}

static void put_row(const struct option_row *row)
{
	struct wrap wrap = {.indent = HELP_COLUMN};
	int len = printf("  ");

	if (row->id < OPT_LONG) {
		len += printf("-%c%s", row->id, row->name != NULL ? ", " : "");
	}
	if (row->name != NULL) {
		len += printf("--%s", row->name);
	}
	len += printf("%s%s", blank_before(row), argument_of(row));
	if (len < HELP_COLUMN) {
		(void)printf("%*s", HELP_COLUMN - len, "");
		wrap.column = HELP_COLUMN;
	} else {
		begin_line(&wrap);
	}
	put_text(&wrap, row->help);
}

static void put_help(const struct program *program)
{
	struct wrap wrap = {.column = 0};
	bool had_letter = true;

	put_usage(program);
	(void)putchar('\n');
	put_text(&wrap, program->does);
	(void)putchar('\n');
	for (const struct option_row *row = option_next(program, NULL); row != NULL;
	     row = option_next(program, row)) {
		bool has_letter = row->id < OPT_LONG;

		if (had_letter && !has_letter) {
			(void)putchar('\n');
		}
		had_letter = has_letter;
		put_row(row);
	}
}

bool common_print_help(const struct common_options *options)
{
	if (common_is_given(options, OPT_HELP)) {
		put_help(option_program(options->program));
		return true;
	}
	if (common_is_given(options, 'V')) {
		(void)printf("%s (%s)\n", options->program, dit_version());
		return true;
	}
	return false;
}
