/* SPDX-License-Identifier: BSD-2-Clause */
/* From a text to the directive that runs (config.md 2), and what is told of it. */
#include "config/conf_parser.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "config/conf_lines.h"

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

/* Longer texts are cut, as in slapd. */
static void compose(const struct dit_conf_parser *parser, const char *format,
                    va_list args)
{
	(void)vsnprintf(parser->message, DIT_CONF_MESSAGE_BYTES, format, args);
}

static int tell_line(const struct dit_conf_parser *parser, const char *between,
                     const char *text)
{
	return dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC, "%s: line %lu%s%s",
	                     parser->file, parser->line, between, text);
}

static int tell_place(const struct dit_conf_parser *parser, const char *between,
                      const char *text)
{
	if (parser->value == NULL) {
		return tell_line(parser, between, text);
	}
	return dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC, "%s%s%s", parser->value,
	                     between, text);
}

int dit_conf_say(const struct dit_conf_parser *parser, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	compose(parser, format, args);
	va_end(args);
	return tell_place(parser, ": ", parser->message);
}

int dit_conf_say_line(const struct dit_conf_parser *parser, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	compose(parser, format, args);
	va_end(args);
	return tell_line(parser, ": ", parser->message);
}

int dit_conf_say_about(const struct dit_conf_parser *parser, const char *format, ...)
{
	const char *keyword = parser->words[0];
	char *text = NULL;
	va_list args;
	int r = DIT_E_CONFIG;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		(void)dit_conf_repeat(parser, "%s: %s", keyword, text);
		r = parser->value == NULL
		            ? dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC,
		                            "%s: line %lu %s: %s", parser->file,
		                            parser->line, keyword, text)
		            : dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC, "%s %s: %s",
		                            parser->value, keyword, text);
		free(text);
	}
	va_end(args);
	return r;
}

int dit_conf_repeat(const struct dit_conf_parser *parser, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	compose(parser, format, args);
	va_end(args);
	return DIT_E_CONFIG;
}

int dit_conf_unsupported(struct dit_conf_parser *parser)
{
	return dit_conf_say(parser, "<%s> not supported by this release",
	                    parser->words[0]);
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

		/* These are built into slapd, or ours; others have their own words. */
		if (strcmp(type, "mdb") != 0 && strcmp(type, "config") != 0 &&
		    strcmp(type, "monitor") != 0) {
			return 0;
		}
		where = "inside backend database definition";
	}
	/* slapd does not cut this message. */
	return dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC,
	                     "%s: line %lu: unknown directive <%s> %s.", parser->file,
	                     parser->line, parser->words[0], where);
}

/* Of a failure that has no words of its own these tell the keyword. */
static const struct dit_openldap_range tells_wordless_failures = {
	.first = DIT_OPENLDAP_2_6};

static int run_function(struct dit_conf_parser *parser,
                        const struct dit_directive *directive)
{
	int r = 0;

	parser->message[0] = '\0';
	r = directive->run(parser);
	if (r == DIT_E_CONFIG && parser->message[0] == '\0' &&
	    dit_openldap_is_in(parser->openldap, tells_wordless_failures)) {
		(void)dit_conf_say(parser, "<%s> handler exited with 1!",
		                   parser->words[0]);
		return dit_conf_repeat(parser, "%s", "");
	}
	return r;
}

int dit_conf_run_directive(struct dit_conf_parser *parser,
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
		(void)dit_conf_say(parser, "keyword <%s> missing %s argument", keyword,
		                   directive->args);
		return dit_conf_repeat(parser, "<%s> missing %s argument", keyword,
		                       directive->args);
	}
	if (directive->max != 0 && nargs > directive->max) {
		(void)dit_conf_say(parser, "<%s> extra cruft after %s.", keyword,
		                   directive->args);
		return dit_conf_repeat(parser, "<%s> extra cruft after %s", keyword,
		                       directive->args);
	}
	return run_function(parser, directive);
}

int dit_conf_split(struct dit_conf_parser *parser, char *text, char **ret_culprit)
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
	int r = dit_conf_split(parser, text, &culprit);

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
	                         : dit_conf_run_directive(parser, directive);
}

int dit_conf_reserve_words(struct dit_conf_parser *parser, const char *text)
{
	/* Words are one character and a separator at least; a keyword, NULL. */
	parser->nwords = 0;
	parser->words = malloc((strlen(text) / 2 + 3) * sizeof(*parser->words));
	return parser->words == NULL ? -ENOMEM : 0;
}

int dit_conf_run_text(struct dit_conf_parser *parser, char *text, const char *raw)
{
	int r = dit_conf_reserve_words(parser, raw);

	if (r < 0) {
		return r;
	}
	parser->raw = raw;
	r = run_words(parser, text);
	free(parser->words);
	parser->words = NULL;
	parser->raw = NULL;
	return r;
}
