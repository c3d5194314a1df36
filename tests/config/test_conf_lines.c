/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lexical rules of slapd.conf (config.md 1).
 *
 *   White space at the beginning continues the line before, and so does a backslash at
 *   its end.
 *   Comments and empty lines are lines like any other; include lines are never continued.
 *   A physical line of more than 2047 bytes is several.
 *   Words end at spaces and tabs; quotes and backslashes protect them.
 */
#include "config/conf_parser.h"

#include "base/error.h"
#include "test.h"

struct expected_line {
	unsigned long line;
	const char *text;
};

static void check_lines(const char *input, size_t len,
                        const struct expected_line *expected)
{
	FILE *file = fmemopen((void *)(uintptr_t)input, len, "r");
	struct dit_conf_lines lines = {.file = NULL};
	char *text = NULL;

	assert_non_null(file);
	lines.file = file;
	for (; expected->text != NULL; expected++) {
		assert_int_equal(dit_conf_lines_next(&lines, &text), 1);
		assert_string_equal(text, expected->text);
		assert_int_equal(lines.line, expected->line);
	}
	assert_int_equal(dit_conf_lines_next(&lines, &text), 0);
	assert_int_equal(dit_conf_lines_next(&lines, &text), 0);
	dit_conf_lines_deinit(&lines);
	(void)fclose(file);
}

TEST(lines_continue_as_in_slapd)
{
	static const struct {
		const char *input;
		struct expected_line lines[5];
	} cases[] = {
		{"a\nb", {{1, "a"}, {2, "b"}}},
		{"a\r\n\r\nb\r\n", {{1, "a"}, {2, ""}, {3, "b"}}},
		{"a\n b\n\tc\n\vd\n\fe\nf\n", {{5, "a b c d e"}, {6, "f"}}},
		{"a\\\nb\nc\n", {{2, "ab"}, {3, "c"}}},
		{"a\\\n#b\n", {{2, "a#b"}}},
		{"a\\\\\nb\n", {{1, "a\\\\"}, {2, "b"}}},
		{"a\\\n b\n", {{2, "a b"}}},
		{"\\\nb\n", {{2, "b"}}},
		{"a\\", {{1, "a\\"}}},
		{"# c\n d\na\n", {{2, "# c d"}, {3, "a"}}},
		{"a\n# c\n b\n", {{1, "a"}, {3, "# c b"}}},
		{"a\n\n b\n", {{1, "a"}, {3, " b"}}},
		{" a\n b\n", {{2, " a b"}}},
		{"include x\n b\n c\nd\n", {{1, "include x"}, {3, " b c"}, {4, "d"}}},
		{"INCLUDE x\\\nb\n", {{1, "INCLUDE x\\"}, {2, "b"}}},
		{"inclu\\\nde x\n y\n", {{3, "include x y"}}},
		{"\xef\xbb\xbf"
	         "a\n",
	         {{1, "\xef\xbb\xbf"
	              "a"}}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check_lines(cases[i].input, strlen(cases[i].input), cases[i].lines);
	}
}

TEST(nul_hides_the_rest_of_its_line)
{
	static const char input[] = "a\0b\nc\n";
	static const struct expected_line expected[] = {{1, "a"}, {2, "c"}, {0, NULL}};

	check_lines(input, sizeof(input) - 1, expected);
}

TEST(long_lines_are_cut_into_pieces)
{
	FILE *file = NULL;
	struct dit_conf_lines lines = {.file = NULL};
	char input[5000];
	char *text = NULL;

	/* Pieces of 2047 bytes; one that begins with a space continues. */
	memset(input, 'x', sizeof(input));
	input[2047] = ' ';
	memcpy(input + 2 * 2047, "rest\nnext\n", 11);
	file = fmemopen(input, strlen(input), "r");
	assert_non_null(file);
	lines.file = file;

	assert_int_equal(dit_conf_lines_next(&lines, &text), 1);
	assert_int_equal(strlen(text), 2 * 2047);
	assert_int_equal(lines.line, 2);
	assert_int_equal(dit_conf_lines_next(&lines, &text), 1);
	assert_string_equal(text, "rest");
	assert_int_equal(lines.line, 3);
	assert_int_equal(dit_conf_lines_next(&lines, &text), 1);
	assert_string_equal(text, "next");
	assert_int_equal(lines.line, 4);
	dit_conf_lines_deinit(&lines);
	(void)fclose(file);
}

TEST(read_errors_are_told)
{
	FILE *file = fopen("/", "r");
	struct dit_conf_lines lines = {.file = NULL};
	char *text = NULL;

	assert_non_null(file);
	lines.file = file;
	assert_int_equal(dit_conf_lines_next(&lines, &text), -EISDIR);
	dit_conf_lines_deinit(&lines);
	(void)fclose(file);
}

TEST(words_are_unquoted)
{
	static const struct {
		const char *input;
		const char *words[5];
		int end; /* what the call after the last word returns */
	} cases[] = {
		{"", {NULL}, 0},
		{" \t ", {NULL}, 0},
		{"a b\tc ", {"a", "b", "c"}, 0},
		{"\"a b\" c", {"a b", "c"}, 0},
		{"a\"b c\"d", {"ab cd"}, 0},
		{"\"\" x", {"", "x"}, 0},
		{"a\\ b c\\\\d", {"a b", "c\\d"}, 0},
		{"\\\"a \"b\\\"c\"", {"\"a", "b\"c"}, 0},
		{"a'b c'", {"a'b", "c'"}, 0},
		{"a\\", {"a\\"}, 0},
		{"a\vb", {"a\vb"}, 0},
		{"a b\"c d", {"a", "bc d"}, DIT_E_SYNTAX},
		{"\"", {""}, DIT_E_SYNTAX},
		{"\"a\\\"", {"a\""}, DIT_E_SYNTAX},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = strdup(cases[i].input);
		char *at = text;
		char *word = NULL;
		size_t n = 0;
		int r = 0;

		while ((r = dit_conf_word(&at, &word)) != 0) {
			assert_non_null(cases[i].words[n]);
			assert_string_equal(word, cases[i].words[n]);
			n++;
			if (r < 0) {
				break;
			}
		}
		assert_null(cases[i].words[n]);
		assert_int_equal(r, cases[i].end);
		free(text);
	}
}
