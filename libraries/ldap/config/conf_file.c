/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of slapd.conf and their logical lines.
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/errno_text.h"
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
	if (r == 0 &&
	    dit_ascii_strncasecmp(lines->text, "include", strlen("include")) == 0) {
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

/* ---- files: from a path to lines that run (config.md 1 and 2) ---- */

/* A file that includes itself ends here; slapd goes on until it has no more files. */
#define DEPTH_MAX 64
/* Files that each include the next one twice are 2^64 at that depth. */
#define NESTED_MAX        100000
#define FILE_BUFFER_BYTES 4096

/* @param verb  what could not be done */
static int tell_file(const struct dit_conf_reporter *reporter, const char *verb,
                     const char *path, int error)
{
	return dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC,
	                     "could not %s config file \"%s\": %s (%d)", verb, path,
	                     dit_errno_text(error), error);
}

/* slapd takes an error of reading for the end of the file. */
static int read_lines(struct dit_conf_parser *parser, FILE *file, const char *path)
{
	struct dit_conf_lines lines = {.file = file};
	char *text = NULL;
	int found = 0;
	int r = 0;

	while (r >= 0 && (found = dit_conf_lines_next(&lines, &text)) == 1) {
		parser->reporter->place.line = lines.line;
		r = *text == '#' || *text == '\0' ? 0 : dit_conf_run_text(parser, text);
		explicit_bzero(lines.text, lines.len); /* it may be a passphrase */
	}
	dit_conf_lines_deinit(&lines);
	if (found == -ENOMEM) {
		return found;
	}
	return found < 0 ? tell_file(parser->reporter, "read", path, -found) : r;
}

/* A passphrase may be in the buffer of the file. Takes the file. */
static int read_and_forget(struct dit_conf_parser *parser, FILE *file, const char *path)
{
	char *buffer = malloc(FILE_BUFFER_BYTES);
	int r = -ENOMEM;

	if (buffer != NULL) {
		(void)setvbuf(file, buffer, _IOFBF, FILE_BUFFER_BYTES);
		r = read_lines(parser, file, path);
	}
	(void)fclose(file);
	if (buffer != NULL) {
		explicit_bzero(buffer, FILE_BUFFER_BYTES);
		free(buffer);
	}
	return r;
}

static int open_file(const struct dit_conf_reporter *reporter, const char *path,
                     FILE **ret)
{
	struct stat st;
	FILE *file = NULL;

	if (stat(path, &st) != 0) {
		return tell_file(reporter, "stat", path, errno);
	}
	if (!S_ISREG(st.st_mode)) {
		return dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC,
		                     "regular file expected, got \"%s\"", path);
	}
	file = fopen(path, "re");
	if (file == NULL) {
		return tell_file(reporter, "open", path, errno);
	}
	*ret = file;
	return 0;
}

static int check_depth(struct dit_conf_parser *parser, const char *path)
{
	struct dit_conf_scope *scope = &parser->scope;

	if (scope->depth == DEPTH_MAX) {
		return dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
		                     "could not open config file \"%s\": included too "
		                     "deeply",
		                     path);
	}
	if (scope->depth > 1 && ++scope->nnested > NESTED_MAX) {
		return dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
		                     "could not open config file \"%s\": included files "
		                     "have included %d files already",
		                     path, NESTED_MAX);
	}
	return 0;
}

/* The time of the inode: no tool sets it back. */
void dit_conf_note_change(const struct dit_conf_parser *parser, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0) {
		uint64_t us = (uint64_t)st.st_ctim.tv_sec * 1000000 +
		              (uint64_t)st.st_ctim.tv_nsec / 1000;

		if (us > parser->settings->changed_us) {
			parser->settings->changed_us = us;
		}
	}
}

int dit_conf_read_file(struct dit_conf_parser *parser, const char *path)
{
	struct dit_conf_place *place = &parser->reporter->place;
	struct dit_span kept =
		dit_arena_copy(&parser->settings->arena, dit_span_of(path));
	const struct dit_conf_place outer_place = *place;
	struct dit_conf_scope outer;
	FILE *file = NULL;
	int r = kept.data == NULL ? -ENOMEM : check_depth(parser, path);

	if (r < 0) {
		return r;
	}
	outer = parser->scope;
	place->file = kept.data;
	place->line = 0;
	parser->scope.depth++;
	r = open_file(parser->reporter, path, &file);
	dit_conf_note_change(parser, path);
	r = r ?: read_and_forget(parser, file, path);
	*place = outer_place;
	parser->scope.depth = outer.depth;
	parser->scope.raw = outer.raw;
	parser->scope.words = outer.words;
	parser->scope.nwords = outer.nwords;
	return r;
}
