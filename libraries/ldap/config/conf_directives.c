/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looking up directives, and those that define schema and global settings (config.md 3.1
 * and 4). A configuration that slapd refuses is refused here as well, so some arguments
 * that change nothing stored are checked.
 */
#include "config/conf_parser.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <ldap.h>

#include "base/ascii.h"
#include "base/error.h"

#define SERVER_ID_MAX 4095

typedef int (*define_fn)(struct dit_schema *schema, const char *text,
                         struct dit_schema_error *error);

/* The text begins with slapd's keyword; the report has the typed one in its place. */
static void report_schema(const struct dit_conf_parser *parser,
                          const struct dit_schema_error *error)
{
	const char *rest = strchr(error->text, ':');

	if (error->detail[0] != '\0') {
		(void)dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC, "%s",
		                    error->detail);
	}
	(void)dit_conf_say(parser, DIT_SAY_KEYWORD, "%s: %s", parser->scope.words[0],
	                   rest == NULL ? "" : rest + strlen(": "));
}

static int define(struct dit_conf_parser *parser, define_fn fn)
{
	struct dit_schema_error error = {0};
	const char *text = strchr(parser->scope.raw, '(');
	int r = 0;

	/* Without a parenthesis slapd has nothing to parse: the data has ended. */
	if (text == NULL) {
		return dit_conf_say(parser, DIT_SAY_KEYWORD,
		                    "%s: Unexpected end of data before ",
		                    parser->scope.words[0]);
	}
	r = fn(parser->settings->schema, text, &error);
	if (r == 0 || r == -ENOMEM) {
		return r;
	}
	report_schema(parser, &error);
	return DIT_E_CONFIG;
}

/* Formerly, all definitions but content rules had a format without parentheses. */
static int define_new_format(struct dit_conf_parser *parser, define_fn fn)
{
	if (parser->scope.words[1][0] != '(') {
		return DIT_CONF_REFUSE(parser, "old format not supported");
	}
	return define(parser, fn);
}

int dit_conf_run_attributetype(struct dit_conf_parser *parser)
{
	return define_new_format(parser, dit_schema_define_type);
}

int dit_conf_run_objectclass(struct dit_conf_parser *parser)
{
	return define_new_format(parser, dit_schema_define_class);
}

int dit_conf_run_ldapsyntax(struct dit_conf_parser *parser)
{
	return define_new_format(parser, dit_schema_define_syntax);
}

int dit_conf_run_ditcontentrule(struct dit_conf_parser *parser)
{
	return define(parser, dit_schema_define_content_rule);
}

int dit_conf_run_objectidentifier(struct dit_conf_parser *parser)
{
	struct dit_schema_error error = {0};
	int r = dit_schema_define_macro(parser->settings->schema, parser->scope.words[1],
	                                parser->scope.words[2], &error);

	if (r == 0 || r == -ENOMEM) {
		return r;
	}
	report_schema(parser, &error);
	return r > 0 ? 0 : DIT_E_CONFIG;
}

int dit_conf_run_attributeoptions(struct dit_conf_parser *parser)
{
	struct dit_schema *schema = parser->settings->schema;

	if (parser->scope.nwords == 1) {
		dit_schema_clear_options(schema);
		return 0;
	}
	for (size_t i = 1; i < parser->scope.nwords; i++) {
		struct dit_schema_error error = {0};
		int r = dit_schema_define_option(schema, parser->scope.words[i], &error);

		if (r == -ENOMEM) {
			return r;
		}
		if (r < 0) {
			(void)dit_conf_say(parser, DIT_SAY_LINE, "%s", error.text);
			return dit_conf_forget(parser);
		}
	}
	return 0;
}

int dit_conf_run_include(struct dit_conf_parser *parser)
{
	int r = dit_conf_read_file(parser, parser->scope.words[1]);

	/* The message that was told is of the other file. */
	return r == DIT_E_CONFIG ? dit_conf_forget(parser) : r;
}

/* 2.5 compares the two lengths when one is set; later releases take any. */
static int set_length_2_5(struct dit_conf_parser *parser, unsigned *length)
{
	const struct dit_index_params *params = &parser->settings->index;
	int r = dit_conf_uint(parser, parser->scope.words[1], length);

	if (r < 0 || (params->substr_if_maxlen > 0 &&
	              params->substr_if_minlen <= params->substr_if_maxlen)) {
		return r;
	}
	(void)DIT_CONF_REFUSE(parser, "invalid value (%d)", (int)*length);
	return DIT_CONF_KEEP(parser, "invalid value");
}

int dit_conf_run_index_substr_if_minlen_2_5(struct dit_conf_parser *parser)
{
	return set_length_2_5(parser, &parser->settings->index.substr_if_minlen);
}

int dit_conf_run_index_substr_if_maxlen_2_5(struct dit_conf_parser *parser)
{
	return set_length_2_5(parser, &parser->settings->index.substr_if_maxlen);
}

/* ---- what slapd checks, and no tool needs ---- */

/* A number with C's base rules from 0 to @p max. */
static bool is_number(const char *word, long max)
{
	char *end = NULL;
	long value = 0;

	errno = 0;
	value = strtol(word, &end, 0);
	return errno == 0 && end != word && *end == '\0' && value >= 0 && value <= max;
}

static bool is_url(const char *word)
{
	LDAPURLDesc *url = NULL;
	bool is_good = ldap_url_parse(word, &url) == LDAP_URL_SUCCESS;

	ldap_free_urldesc(url);
	return is_good;
}

static int bad_server_id(struct dit_conf_parser *parser, const char *why,
                         const char *word)
{
	(void)DIT_CONF_REFUSE(parser, "%s %s", why, word);
	return DIT_CONF_KEEP(parser, "%s", why);
}

/* One number, or several of them, each with the URL of its server. */
int dit_conf_run_server_id(struct dit_conf_parser *parser)
{
	const char *number = parser->scope.words[1];

	if (!is_number(number, SERVER_ID_MAX)) {
		return bad_server_id(parser, "illegal server ID", number);
	}
	if (parser->scope.nwords == 2 && parser->has_server_id) {
		return bad_server_id(parser, "unqualified server ID not allowed now",
		                     number);
	}
	if (parser->has_plain_server_id) {
		return bad_server_id(parser, "only one server ID allowed now", number);
	}
	if (parser->scope.nwords > 2 && !is_url(parser->scope.words[2])) {
		return bad_server_id(parser, "invalid URL", parser->scope.words[2]);
	}
	parser->has_server_id = true;
	parser->has_plain_server_id = parser->scope.nwords == 2;
	return 0;
}

int dit_conf_run_checkpoint(struct dit_conf_parser *parser)
{
	static const char *const names[] = {"kbyte", "minutes"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *word = parser->scope.words[1 + i];

		if (!is_number(word, UINT_MAX)) {
			(void)dit_conf_say(parser, DIT_SAY_VALUE,
			                   "invalid %s \"%s\" in \"checkpoint\".",
			                   names[i], word);
			return dit_conf_forget(parser);
		}
	}
	return 0;
}

/* ---- looked up ---- */

static bool matches(const struct dit_conf_parser *parser,
                    const struct dit_directive *directive, enum dit_conf_form form,
                    const char *name)
{
	if (!dit_openldap_is_in(parser->openldap, directive->releases)) {
		return false;
	}
	if (form == DIT_CONF_ATTRIBUTE) {
		return directive->attribute != NULL &&
		       strcmp(name, directive->attribute) == 0;
	}
	if ((directive->flags & DIT_DIRECTIVE_PREFIX) != 0) {
		return dit_ascii_strncasecmp(name, directive->name,
		                             strlen(directive->name)) == 0;
	}
	return dit_ascii_strcasecmp(name, directive->name) == 0;
}

/* May a directive of that section stand at the present place? */
static bool is_here(const struct dit_conf_parser *parser,
                    const struct dit_directive *directive)
{
	const struct dit_conf_scope *scope = &parser->scope;
	bool is_database = scope->section == DIT_CONF_DATABASE;

	switch (directive->section) {
	case DIT_DIRECTIVE_OF_ANY:
		break;
	case DIT_DIRECTIVE_OF_MDB:
		return is_database && strcmp(dit_conf_database(parser)->type, "mdb") == 0;
	case DIT_DIRECTIVE_OF_BACK_MDB:
		return scope->section == DIT_CONF_BACKEND &&
		       strcmp(scope->backend, "mdb") == 0;
	case DIT_DIRECTIVE_OF_OVERLAY:
		return dit_conf_overlay(parser, directive->overlay) != NULL;
	}
	return true;
}

/* A back end's own directives come before the general ones, as in slapd. */
const struct dit_directive *dit_conf_find_directive(const struct dit_conf_parser *parser,
                                                    enum dit_conf_form form,
                                                    const char *name)
{
	const struct dit_directive *at = dit_directives;

	while (at->name != NULL &&
	       !(is_here(parser, at) && matches(parser, at, form, name))) {
		at++;
	}
	return at->name == NULL ? NULL : at;
}

bool dit_conf_is_refused_attribute(struct dit_span name)
{
	const struct dit_directive *at = dit_directives;

	while (at->name != NULL &&
	       !(at->run == dit_conf_run_unsupported &&
	         dit_span_eq_nocase(name, dit_span_of(at->attribute)))) {
		at++;
	}
	return at->name != NULL;
}
