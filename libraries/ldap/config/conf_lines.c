/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logical lines of slapd.conf.
 *
 *     index cn        first physical line
 *       eq            begins with white space: continues
 *     index sn \      ends with one backslash: the next line continues it,
 *     sub             whatever it begins with
 *
 * As in slapd, physical lines are read in pieces of at most 2047 bytes, and a longer line
 * is several physical lines.
 */
#include "config/conf_parser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/grow.h"

void dit_conf_lines_deinit(struct dit_conf_lines *lines)
{
	free(lines->text);
	explicit_bzero(lines, sizeof(*lines));
}

/* As isspace() in the C locale, in which slapd runs. */
static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* 1, 0 at the end, -errno. A NUL hides what follows it in its piece, as in slapd. */
static int read_piece(struct dit_conf_lines *lines)
{
	char *end = NULL;

	errno = 0;
	if (fgets(lines->piece, sizeof(lines->piece), lines->file) == NULL) {
		return !ferror(lines->file) ? 0 : errno == 0 ? -EIO : -errno;
	}
	end = strchr(lines->piece, '\n');
	if (end != NULL) {
		if (end > lines->piece && end[-1] == '\r') {
			end--;
		}
		*end = '\0';
	}
	return 1;
}

static int append_piece(struct dit_conf_lines *lines)
{
	size_t len = strlen(lines->piece);

	if (DIT_GROW(lines->text, lines->text_size, lines->len + len + 1) < 0) {
		return -ENOMEM;
	}
	memcpy(lines->text + lines->len, lines->piece, len + 1);
	lines->len += len;
	lines->line++;
	return 0;
}

/* Does the text end with a single backslash? Then remove it. */
static bool cut_backslash(struct dit_conf_lines *lines)
{
	const char *text = lines->text;
	size_t len = lines->len;

	if (len == 0 || text[len - 1] != '\\' || (len > 1 && text[len - 2] == '\\')) {
		return false;
	}
	lines->text[--lines->len] = '\0';
	return true;
}

int dit_conf_lines_next(struct dit_conf_lines *lines, char **ret)
{
	int r = lines->has_piece ? 1 : read_piece(lines);

	lines->has_piece = false;
	if (r <= 0) {
		return r;
	}
	lines->len = 0;
	r = append_piece(lines);
	/* An include line is never continued: its file comes in between. */
	if (r == 0 && strncasecmp(lines->text, "include", strlen("include")) == 0) {
		*ret = lines->text;
		return 1;
	}
	while (r == 0 && (r = read_piece(lines)) == 1) {
		if (!cut_backslash(lines)) {
			if (!is_space(lines->piece[0])) {
				lines->has_piece = true;
				break;
			}
			lines->piece[0] = ' ';
		}
		r = append_piece(lines);
	}
	if (r < 0) {
		return r;
	}
	*ret = lines->text;
	return 1;
}

static bool is_separator(char c)
{
	return c == ' ' || c == '\t';
}

int dit_conf_word(char **at, char **ret_word)
{
	bool is_quoted = false;
	char *in = *at;
	char *out = NULL;

	while (is_separator(*in)) {
		in++;
	}
	if (*in == '\0') {
		return 0;
	}
	*ret_word = in;
	for (out = in; *in != '\0' && (is_quoted || !is_separator(*in)); in++) {
		if (*in == '"') {
			is_quoted = !is_quoted;
			continue;
		}
		if (*in == '\\' && in[1] != '\0') {
			in++;
		}
		*out++ = *in;
	}
	*at = *in == '\0' ? in : in + 1;
	*out = '\0';
	return is_quoted ? DIT_E_SYNTAX : 1;
}

char *dit_conf_part(char **list)
{
	char *part = NULL;

	do {
		part = strsep(list, ",");
	} while (part != NULL && *part == '\0');
	return part;
}
