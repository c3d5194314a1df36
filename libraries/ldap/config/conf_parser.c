/* SPDX-License-Identifier: BSD-2-Clause */
/* From a text to the directive that runs, and what is reported (config.md 2). */
#include "config/conf_parser.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/notes.h"
#include "values/dn.h"

/* ---- reports, with the places that they name ---- */

int dit_conf_tell(const struct dit_conf_reporter *reporter, enum dit_report_kind kind,
                  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	dit_tell(reporter->report, reporter->ctx, kind, format, args);
	va_end(args);
	return DIT_E_CONFIG;
}

/* @param between  what separates the text from its place */
static void tell_place(const struct dit_conf_reporter *reporter, bool names_value,
                       const char *between, const char *text)
{
	const struct dit_conf_place *place = &reporter->place;

	if (names_value && place->value != NULL) {
		(void)dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC, "%s%s%s",
		                    place->value, between, text);
	} else {
		(void)dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC, "%s: line %lu%s%s",
		                    place->file, place->line, between, text);
	}
}

int dit_conf_forget(const struct dit_conf_parser *parser)
{
	parser->reporter->message[0] = '\0';
	return DIT_E_CONFIG;
}

int dit_conf_say(const struct dit_conf_parser *parser, enum dit_conf_say say,
                 const char *format, ...)
{
	struct dit_conf_reporter *reporter = parser->reporter;
	bool is_whole = say == DIT_SAY_WHOLE || say == DIT_SAY_KEYWORD;
	char *text = NULL;
	va_list args;

	va_start(args, format);
	(void)vsnprintf(reporter->message, sizeof(reporter->message), format, args);
	va_end(args);
	va_start(args, format);
	/* Without memory the text is cut, too. */
	if (!is_whole || vasprintf(&text, format, args) < 0) {
		text = NULL;
	}
	va_end(args);
	if (say != DIT_SAY_LATER) {
		tell_place(reporter, say == DIT_SAY_VALUE || say == DIT_SAY_KEYWORD,
		           say == DIT_SAY_KEYWORD ? " " : ": ",
		           text == NULL ? reporter->message : text);
	}
	free(text);
	return DIT_E_CONFIG;
}

/* ---- typed arguments (config.md 1, last paragraph) ---- */

int dit_conf_bool(const struct dit_conf_parser *parser, const char *word, bool *ret)
{
	static const char *const words[] = {"on",    "true", "yes", "off",
	                                    "false", "no",   NULL};
	const char *const *found = dit_ascii_find(dit_span_of(word), words);

	if (found != NULL) {
		*ret = found < words + 3; /* those of true */
		return 0;
	}
	return DIT_CONF_REFUSE(parser, "invalid value");
}

/* A number with C's base rules and nothing after it. @param type  for the message */
static int to_number(const struct dit_conf_parser *parser, const char *word,
                     unsigned long max, const char *type, unsigned long *ret)
{
	const char *digits = word + strspn(word, " \t");
	char *end = NULL;
	unsigned long value = 0;

	errno = 0;
	/* strtoul() would take "-1" for the largest number. */
	if ((*digits >= '0' && *digits <= '9') || *digits == '+') {
		value = strtoul(word, &end, 0);
	}
	if (errno != 0 || end == NULL || end == word || *end != '\0' || value > max) {
		return DIT_CONF_REFUSE(parser, "unable to parse \"%s\" as unsigned %s",
		                       word, type);
	}
	*ret = value;
	return 0;
}

int dit_conf_ulong(const struct dit_conf_parser *parser, const char *word,
                   unsigned long *ret)
{
	return to_number(parser, word, ULONG_MAX, "long", ret);
}

int dit_conf_uint(const struct dit_conf_parser *parser, const char *word, unsigned *ret)
{
	unsigned long value = 0;
	int r = to_number(parser, word, UINT_MAX, "int", &value);

	if (r == 0) {
		*ret = (unsigned)value;
	}
	return r;
}

/* A number that may be negative. */
static int to_count(const struct dit_conf_parser *parser, const char *word, unsigned *ret)
{
	char *end = NULL;
	long value = 0;

	errno = 0;
	value = strtol(word, &end, 0);
	if (errno != 0 || end == word || *end != '\0' || value < INT_MIN ||
	    value > INT_MAX) {
		return DIT_CONF_REFUSE(parser, "unable to parse \"%s\" as int", word);
	}
	*ret = value > 0 ? (unsigned)value : 0;
	return 0;
}

int dit_conf_dn(struct dit_conf_parser *parser, const char *word, struct dit_span *ret,
                struct dit_span *ret_norm)
{
	struct dit_dn dn = {0};
	int r = dit_dn_parse(parser->settings->schema, dit_span_of(word),
	                     &parser->settings->arena, NULL, &dn);

	if (r == -ENOMEM) {
		return r;
	}
	if (r == DIT_E_UNSUPPORTED) {
		return DIT_CONF_REFUSE(parser, "DN not supported by this release");
	}
	if (r < 0) {
		return DIT_CONF_REFUSE(parser, "invalid DN 21 (Invalid syntax)");
	}
	/* An empty DN is not the same as none: its data is not NULL. */
	*ret = dn.pretty.len == 0 ? DIT_SPAN("") : dn.pretty;
	*ret_norm = dn.norm.len == 0 ? DIT_SPAN("") : dn.norm;
	return 0;
}

/* ---- the parser ---- */

int dit_conf_parser_init(struct dit_conf_parser *parser,
                         struct dit_conf_reporter *reporter,
                         enum dit_openldap_version openldap)
{
	int r = 0;

	*parser = (struct dit_conf_parser){
		.reporter = reporter,
		.openldap =
			openldap == DIT_OPENLDAP_FOUND ? DIT_OPENLDAP_ASSUMED : openldap,
	};
	r = dit_settings_new(&parser->settings, parser->openldap);
	r = r ?: dit_conf_add_database(parser, "config");
	if (r < 0) {
		dit_settings_free(parser->settings);
		parser->settings = NULL;
	}
	return r;
}

const char *dit_conf_text(const struct dit_conf_parser *parser, const char *word)
{
	return dit_arena_copy(&parser->settings->arena, dit_span_of(word)).data;
}

int dit_conf_run_unsupported(struct dit_conf_parser *parser)
{
	return DIT_CONF_REFUSE(parser, "not supported by this release");
}

/* A keyword that no directive, overlay or type of databases knows is an error
 * (config.md 10). */
static int unknown_keyword(struct dit_conf_parser *parser)
{
	static const char *const where[] = {
		[DIT_CONF_GLOBAL] = "outside backend info and database definitions",
		[DIT_CONF_BACKEND] = "inside backend info definition",
		[DIT_CONF_DATABASE] = "inside backend database definition",
	};

	if (dit_conf_is_keyword_of_part(parser, parser->scope.words[0])) {
		return 0;
	}
	/* slapd does not cut this message. */
	return dit_conf_say(parser, DIT_SAY_WHOLE, "unknown directive <%s> %s.",
	                    parser->scope.words[0], where[parser->scope.section]);
}

/* These releases name the keyword when a failure has no message of its own. */
static const struct dit_openldap_range tells_wordless_failures = {
	.first = DIT_OPENLDAP_2_6};

static int set_value(struct dit_conf_parser *parser,
                     const struct dit_directive *directive)
{
	const struct dit_conf_target *target = &directive->target;
	const char *word = parser->scope.words[1];
	char *to = (char *)parser->settings;
	union {
		bool is_on;
		unsigned number;
		unsigned long size;
		const char *text;
	} value = {.is_on = true};
	size_t len = sizeof(value.is_on);
	int r = 0;

	switch (directive->value) {
	case DIT_CONF_UINT:
		len = sizeof(value.number);
		r = dit_conf_uint(parser, word, &value.number);
		break;
	case DIT_CONF_COUNT:
		len = sizeof(value.number);
		r = to_count(parser, word, &value.number);
		break;
	case DIT_CONF_ULONG:
		len = sizeof(value.size);
		r = dit_conf_ulong(parser, word, &value.size);
		break;
	case DIT_CONF_TEXT:
		len = sizeof(value.text);
		value.text = dit_conf_text(parser, word);
		r = value.text == NULL ? -ENOMEM : 0;
		break;
	default:
		r = word == NULL ? 0 : dit_conf_bool(parser, word, &value.is_on);
	}
	if (target->of == DIT_CONF_OF_DATABASE) {
		to = parser->scope.section == DIT_CONF_DATABASE
		             ? (char *)dit_conf_database(parser)
		             : NULL;
	}
	if (r == 0 && to != NULL && target->of != DIT_CONF_FORGOTTEN) {
		memcpy(to + target->at, &value, len);
	}
	return r;
}

static int run_function(struct dit_conf_parser *parser,
                        const struct dit_directive *directive)
{
	int r = 0;

	(void)dit_conf_forget(parser);
	r = directive->run != NULL               ? directive->run(parser)
	    : directive->value == DIT_CONF_WORDS ? dit_conf_keep_words(parser, directive)
	                                         : set_value(parser, directive);
	if (r == DIT_E_CONFIG && parser->reporter->message[0] == '\0' &&
	    dit_openldap_is_in(parser->openldap, tells_wordless_failures)) {
		(void)DIT_CONF_REFUSE(parser, "handler exited with 1!");
		return dit_conf_forget(parser);
	}
	return r;
}

static int check_count(const struct dit_conf_parser *parser,
                       const struct dit_directive *directive)
{
	const char *keyword = parser->scope.words[0];
	size_t nargs = parser->scope.nwords - 1;

	if (nargs < directive->min) {
		(void)dit_conf_say(parser, DIT_SAY_VALUE,
		                   "keyword <%s> missing %s argument", keyword,
		                   directive->args);
		return DIT_CONF_KEEP(parser, "missing %s argument", directive->args);
	}
	if (directive->max != 0 && nargs > directive->max) {
		(void)DIT_CONF_REFUSE(parser, "extra cruft after %s.", directive->args);
		return DIT_CONF_KEEP(parser, "extra cruft after %s", directive->args);
	}
	return 0;
}

static int check_place(const struct dit_conf_parser *parser,
                       const struct dit_directive *directive)
{
	const char *where = NULL;

	if ((directive->flags & DIT_DIRECTIVE_DB) != 0 &&
	    parser->scope.section == DIT_CONF_BACKEND) {
		where = "only allowed within";
	}
	if ((directive->flags & DIT_DIRECTIVE_BEFORE_DB) != 0 && parser->has_database) {
		where = "must occur before any";
	}
	return where == NULL ? 0
	                     : dit_conf_say(parser, DIT_SAY_VALUE,
	                                    "keyword <%s> %s database declaration",
	                                    parser->scope.words[0], where);
}

int dit_conf_run_directive(struct dit_conf_parser *parser,
                           const struct dit_directive *directive)
{
	bool is_skipped = directive->run == NULL && directive->value == DIT_CONF_NO_VALUE;
	int r = check_count(parser, directive);

	r = r < 0 ? r : check_place(parser, directive);
	return r < 0 || is_skipped ? r : run_function(parser, directive);
}

int dit_conf_split(struct dit_conf_parser *parser, char *text, char **ret_culprit)
{
	char *at = text;
	char *word = NULL;
	int r = 0;

	parser->scope.nwords = 0;
	while ((r = dit_conf_word(&at, &word)) != 0) {
		parser->scope.words[parser->scope.nwords++] = word;
		if (r < 0) {
			break;
		}
	}
	parser->scope.words[parser->scope.nwords] = NULL;
	*ret_culprit = word;
	return r;
}

/* slapd compares the keyword with the directive's whole name here, so a longer keyword
 * ("attributetypes") has to end its quotes. */
static bool reads_raw_text(const struct dit_directive *directive, const char *keyword)
{
	if (directive == NULL || (directive->flags & DIT_DIRECTIVE_RAW) == 0) {
		return false;
	}
	return (directive->flags & DIT_DIRECTIVE_PREFIX) == 0 ||
	       dit_ascii_strcasecmp(keyword, "attributetype") == 0;
}

static int run_words(struct dit_conf_parser *parser, char *text)
{
	const struct dit_directive *directive = NULL;
	char *culprit = NULL;
	int r = dit_conf_split(parser, text, &culprit);

	if (parser->scope.nwords == 0) {
		return dit_conf_say(parser, DIT_SAY_VALUE, "bad config line.");
	}
	directive =
		dit_conf_find_directive(parser, DIT_CONF_KEYWORD, parser->scope.words[0]);
	if (r < 0 && directive != NULL &&
	    (directive->flags & DIT_DIRECTIVE_SECRET) != 0) {
		return dit_conf_say(parser, DIT_SAY_WHOLE, "unterminated quoted string");
	}
	if (r < 0 && !reads_raw_text(directive, parser->scope.words[0])) {
		return dit_conf_say(parser, DIT_SAY_WHOLE,
		                    "unterminated quoted string \"%s\"", culprit);
	}
	if (*parser->scope.words[0] == '\0') {
		return 0; /* as slapd, which takes the empty keyword for a known one */
	}
	return directive == NULL ? unknown_keyword(parser)
	                         : dit_conf_run_directive(parser, directive);
}

/* A word takes a character and a separator at least; then a keyword and NULL. */
static size_t words_max(const char *text)
{
	return strlen(text) / 2 + 3;
}

char *dit_conf_begin_line(struct dit_conf_parser *parser, const char *text)
{
	size_t nwords = words_max(text);
	size_t size = strlen(text) + 1;
	char **words = malloc(nwords * sizeof(*words) + size);

	if (words == NULL) {
		return NULL;
	}
	parser->scope.raw = text;
	parser->scope.words = words;
	parser->scope.nwords = 0;
	return memcpy(words + nwords, text, size);
}

void dit_conf_end_line(struct dit_conf_parser *parser)
{
	const char *raw = parser->scope.raw;

	explicit_bzero(parser->scope.words + words_max(raw), strlen(raw) + 1);
	free(parser->scope.words);
	parser->scope.words = NULL;
	parser->scope.raw = NULL;
}

int dit_conf_run_text(struct dit_conf_parser *parser, const char *text)
{
	char *copy = dit_conf_begin_line(parser, text);
	int r = copy == NULL ? -ENOMEM : run_words(parser, copy);

	if (copy != NULL) {
		dit_conf_end_line(parser);
	}
	return r;
}
