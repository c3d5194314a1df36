/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of slapd.conf: from a path to directives that run (config.md 1 and 2). */
#include "config/conf_parser.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "config/conf_lines.h"
#include "schema/dn.h"

/* slapd composes most messages behind "FILE: line N: " in a buffer of this size. */
#define MESSAGE_BYTES 256
/* A file that includes itself ends here; slapd goes on until it has no more files. */
#define DEPTH_MAX 64

/* Without memory the text is lost; the code still tells the failure. */
int dit_conf_tell(const struct dit_conf_parser *parser, enum dit_report_kind kind,
                  const char *format, ...)
{
	struct dit_report report = {.kind = kind};
	char *text = NULL;
	va_list args;

	if (parser->report == NULL) {
		return DIT_E_CONFIG;
	}
	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		report.text = text;
		parser->report(parser->ctx, &report);
		free(text);
	}
	va_end(args);
	return DIT_E_CONFIG;
}

int dit_conf_say(const struct dit_conf_parser *parser, const char *format, ...)
{
	char text[MESSAGE_BYTES];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC, "%s: line %lu: %s",
	                     parser->file, parser->line, text);
}

int dit_conf_unsupported(struct dit_conf_parser *parser)
{
	return dit_conf_say(parser, "<%s> not supported by this release",
	                    parser->words[0]);
}

int dit_conf_bool(const struct dit_conf_parser *parser, const char *word, bool *ret)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {
		{"on", true},   {"true", true},   {"yes", true},
		{"off", false}, {"false", false}, {"no", false},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(word, words[i].word) == 0) {
			*ret = words[i].value;
			return 0;
		}
	}
	return dit_conf_say(parser, "<%s> invalid value", parser->words[0]);
}

/* A number with C's base rules and nothing behind it. */
static bool to_ulong(const char *word, unsigned long max, unsigned long *ret)
{
	const char *digits = word + strspn(word, " \t");
	char *end = NULL;

	/* strtoul() would take "-1" for the largest number. */
	if (!((*digits >= '0' && *digits <= '9') || *digits == '+')) {
		return false;
	}
	errno = 0;
	*ret = strtoul(word, &end, 0);
	return errno == 0 && end != word && *end == '\0' && *ret <= max;
}

int dit_conf_ulong(const struct dit_conf_parser *parser, const char *word,
                   unsigned long *ret)
{
	unsigned long value = 0;

	if (!to_ulong(word, ULONG_MAX, &value)) {
		return dit_conf_say(parser,
		                    "<%s> unable to parse \"%s\" as unsigned long",
		                    parser->words[0], word);
	}
	*ret = value;
	return 0;
}

int dit_conf_uint(const struct dit_conf_parser *parser, const char *word, unsigned *ret)
{
	unsigned long value = 0;

	if (!to_ulong(word, UINT_MAX, &value)) {
		return dit_conf_say(parser, "<%s> unable to parse \"%s\" as unsigned int",
		                    parser->words[0], word);
	}
	*ret = (unsigned)value;
	return 0;
}

int dit_conf_int(const struct dit_conf_parser *parser, const char *word, int *ret)
{
	char *end = NULL;
	long value = 0;

	errno = 0;
	value = strtol(word, &end, 0);
	if (errno != 0 || end == word || *end != '\0' || value < INT_MIN ||
	    value > INT_MAX) {
		return dit_conf_say(parser, "<%s> unable to parse \"%s\" as int",
		                    parser->words[0], word);
	}
	*ret = (int)value;
	return 0;
}

int dit_conf_dn(struct dit_conf_parser *parser, const char *word, struct dit_span *ret,
                struct dit_span *ret_norm)
{
	struct dit_dn dn = {0};
	int r = dit_dn_parse(parser->settings->schema, dit_span_of(word),
	                     &parser->memory->arena, NULL, &dn);

	if (r == -ENOMEM) {
		return r;
	}
	if (r == DIT_E_UNSUPPORTED) {
		return dit_conf_say(parser, "<%s> DN not supported by this release",
		                    parser->words[0]);
	}
	if (r < 0) {
		return dit_conf_say(parser, "<%s> invalid DN 21 (Invalid syntax)",
		                    parser->words[0]);
	}
	/* An empty DN is not the same as none: its data is not NULL. */
	*ret = dn.pretty.len == 0 ? DIT_SPAN("") : dn.pretty;
	*ret_norm = dn.norm.len == 0 ? DIT_SPAN("") : dn.norm;
	return 0;
}

/* Keywords that nobody knows: an error, or another server's business (config.md 10). */
static int unknown_keyword(struct dit_conf_parser *parser)
{
	const char *where = "outside backend info and database definitions";

	if (parser->has_overlay) {
		return 0;
	}
	if (parser->scope == DIT_CONF_BACKEND) {
		if (!parser->is_mdb_backend) {
			return 0;
		}
		where = "inside backend info definition";
	}
	if (parser->scope == DIT_CONF_DATABASE) {
		const char *type = dit_conf_database(parser)->type;

		if (strcmp(type, "mdb") != 0 && strcmp(type, "config") != 0) {
			return 0;
		}
		where = "inside backend database definition";
	}
	/* slapd does not cut this message. */
	return dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC,
	                     "%s: line %lu: unknown directive <%s> %s.", parser->file,
	                     parser->line, parser->words[0], where);
}

static int run_directive(struct dit_conf_parser *parser,
                         const struct dit_directive *directive)
{
	const char *keyword = parser->words[0];
	size_t nargs = parser->nwords - 1;

	if ((directive->flags & DIT_DIRECTIVE_BEFORE_DB) != 0 && parser->has_database) {
		return dit_conf_say(parser,
		                    "keyword <%s> must occur before any database "
		                    "declaration",
		                    keyword);
	}
	if (directive->run == NULL) {
		return 0;
	}
	if (nargs < directive->min) {
		return dit_conf_say(parser, "keyword <%s> missing %s argument", keyword,
		                    directive->args);
	}
	if (directive->max != 0 && nargs > directive->max) {
		return dit_conf_say(parser, "<%s> extra cruft after %s.", keyword,
		                    directive->args);
	}
	return directive->run(parser);
}

/* Split @p text into parser->words. 0, or DIT_E_SYNTAX with the culprit. */
static int split_words(struct dit_conf_parser *parser, char *text, char **ret_culprit)
{
	char *at = text;
	char *word = NULL;
	int r = 0;

	parser->nwords = 0;
	while ((r = dit_conf_word(&at, &word)) != 0) {
		parser->words[parser->nwords++] = word;
		if (r < 0) {
			break;
		}
	}
	parser->words[parser->nwords] = NULL;
	*ret_culprit = word;
	return r;
}

static int run_words(struct dit_conf_parser *parser, char *text)
{
	const struct dit_directive *directive = NULL;
	char *culprit = NULL;
	int r = split_words(parser, text, &culprit);

	if (parser->nwords == 0) {
		return dit_conf_say(parser, "bad config line.");
	}
	directive = dit_conf_find_directive(parser, parser->words[0]);
	if (r < 0 && (directive == NULL || (directive->flags & DIT_DIRECTIVE_RAW) == 0)) {
		return dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC,
		                     "%s: line %lu: unterminated quoted string \"%s\"",
		                     parser->file, parser->line, culprit);
	}
	if (*parser->words[0] == '\0') {
		return 0; /* as slapd, which takes the empty keyword for a known one */
	}
	return directive == NULL ? unknown_keyword(parser)
	                         : run_directive(parser, directive);
}

static int run_line(struct dit_conf_parser *parser, char *text)
{
	size_t len = strlen(text);
	char *copy = NULL;
	int r = 0;

	if (*text == '#' || *text == '\0') {
		return 0;
	}
	copy = malloc(len + 1);
	/* Words are one character and a separator at least. */
	parser->words = malloc((len / 2 + 2) * sizeof(*parser->words));
	if (copy == NULL || parser->words == NULL) {
		r = -ENOMEM;
	} else {
		memcpy(copy, text, len + 1);
		parser->raw = text;
		r = run_words(parser, copy);
	}
	free(copy);
	free(parser->words);
	parser->words = NULL;
	parser->raw = NULL;
	return r;
}

static int read_lines(struct dit_conf_parser *parser, FILE *file)
{
	struct dit_conf_lines lines;
	char *text = NULL;
	int r = 0;

	dit_conf_lines_init(&lines, file);
	while ((r = dit_conf_lines_next(&lines, &text)) == 1) {
		parser->line = lines.line;
		r = run_line(parser, text);
		if (r < 0) {
			break;
		}
	}
	dit_conf_lines_deinit(&lines);
	return r;
}

static int open_file(const struct dit_conf_parser *parser, const char *path, FILE **ret)
{
	struct stat st;
	FILE *file = NULL;

	if (stat(path, &st) != 0) {
		return dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC,
		                     "could not stat config file \"%s\": %s (%d)", path,
		                     strerror(errno), errno);
	}
	if (!S_ISREG(st.st_mode)) {
		return dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC,
		                     "regular file expected, got \"%s\"", path);
	}
	file = fopen(path, "re");
	if (file == NULL) {
		return dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC,
		                     "could not open config file \"%s\": %s (%d)", path,
		                     strerror(errno), errno);
	}
	*ret = file;
	return 0;
}

int dit_conf_read_file(struct dit_conf_parser *parser, const char *path)
{
	/* The including line goes on where it was. */
	struct dit_conf_parser outer = *parser;
	struct dit_span kept = dit_arena_copy(&parser->memory->arena, dit_span_of(path));
	FILE *file = NULL;
	int r = 0;

	if (kept.data == NULL) {
		return -ENOMEM;
	}
	if (parser->depth == DEPTH_MAX) {
		return dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC,
		                     "could not open config file \"%s\": included too "
		                     "deeply",
		                     path);
	}
	r = open_file(parser, path, &file);
	if (r < 0) {
		return r;
	}
	parser->file = kept.data;
	parser->line = 0;
	parser->depth++;
	r = read_lines(parser, file);
	(void)fclose(file);

	parser->file = outer.file;
	parser->line = outer.line;
	parser->depth = outer.depth;
	parser->words = outer.words;
	parser->nwords = outer.nwords;
	parser->raw = outer.raw;
	return r;
}
