/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of options, and what --help makes of it. */
#include "common_options.h"

#include <ctype.h>
#include <errno.h>

#include "test.h"

static const char *const programs[] = {"ditadd",   "ditcat",    "ditcheck", "ditdiff",
                                       "ditindex", "ditmodify", "ditsplit"};

#define NPROGRAMS (sizeof(programs) / sizeof(programs[0]))

TEST(an_option_has_one_row_in_a_program)
{
	for (size_t i = 0; i < NPROGRAMS; i++) {
		const struct option_row *row = NULL;

		program_invocation_short_name = (char *)programs[i];
		while ((row = option_next(row)) != NULL) {
			const struct option_row *other = row;

			assert_ptr_equal(option_find(row->id), row);
			while ((other = option_next(other)) != NULL) {
				assert_true(row->name == NULL || other->name == NULL ||
				            strcmp(row->name, other->name) != 0);
			}
		}
	}
}

/* Letters without regard to case, then names. */
TEST(options_are_in_order)
{
	for (size_t i = 0; i < NPROGRAMS; i++) {
		const struct option_row *row = NULL;
		const struct option_row *next = NULL;

		program_invocation_short_name = (char *)programs[i];
		row = option_next(NULL);
		for (; (next = option_next(row)) != NULL; row = next) {
			if (next->id < OPT_LONG) {
				assert_true(tolower(row->id) <= tolower(next->id));
			} else if (row->id >= OPT_LONG) {
				assert_true(strcmp(row->name, next->name) < 0);
			}
		}
	}
}

/* Returns owned what --help prints. */
static char *help_of(const char *program)
{
	char *argv[] = {(char *)program, "--help", NULL};
	struct common_options options = {.argc = 0};
	FILE *out = tmpfile();
	int terminal = dup(STDOUT_FILENO);
	char *text = calloc(1, 16384);

	assert_non_null(out);
	assert_non_null(text);
	optind = 0;
	program_invocation_short_name = argv[0];
	assert_int_equal(common_read_options(&options, 2, argv, NULL, NULL), 0);
	(void)fflush(stdout);
	(void)dup2(fileno(out), STDOUT_FILENO);
	assert_true(common_print_help(&options));
	(void)fflush(stdout);
	(void)dup2(terminal, STDOUT_FILENO);
	(void)close(terminal);
	rewind(out);
	assert_in_range(fread(text, 1, 16383, out), 1, 16382);
	(void)fclose(out);
	return text;
}

TEST(lines_of_the_help_fit_80_columns)
{
	for (size_t i = 0; i < NPROGRAMS; i++) {
		char *text = help_of(programs[i]);
		char *rest = NULL;

		for (char *line = strtok_r(text, "\n", &rest); line != NULL;
		     line = strtok_r(NULL, "\n", &rest)) {
			assert_in_range(strlen(line), 1, 79);
			assert_int_not_equal(line[strlen(line) - 1], ' ');
		}
		free(text);
	}
}

TEST(a_row_of_the_help_has_names_argument_and_text)
{
	static const char *const wanted[] = {
		"usage: ditadd [-cgqsuvVw] [-b suffix]",
		"[-T n]",
		"[--memory size]",
		"[--stats[=file]]",
		"[file]...\n\nLoad LDIF ",
		"  -u, --dry-run     dry run: ",
		"  -V, --version     print the version\n",
		"  -o opt[=value]    schema-check=yes|no, value-check=yes|no,\n"
		"                    remove-sids=n,n,... (new",
		"  --index-keys integer|bytes\n                    new index",
	};
	char *text = help_of("ditadd");

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (strstr(text, wanted[i]) == NULL) {
			fail_msg("\"%s\" is not in the help", wanted[i]);
		}
	}
	free(text);
}
