/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directives that do not change what is stored, but are not everybody's either: slapd
 * looks at their arguments, and a configuration that it refuses is not loaded from.
 */
#include "config/conf_parser.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <ldap.h>

#include "base/error.h"

#define SERVER_ID_MAX   4095
#define SEARCHSTACK_MIN 8

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
	(void)dit_conf_say(parser, "<%s> %s %s", parser->words[0], why, word);
	return dit_conf_repeat(parser, "<%s> %s", parser->words[0], why);
}

/* One number, or any number of them each with the URL of its server. */
int dit_conf_run_server_id(struct dit_conf_parser *parser)
{
	const char *number = parser->words[1];

	if (!is_number(number, SERVER_ID_MAX)) {
		return bad_server_id(parser, "illegal server ID", number);
	}
	if (parser->has_plain_server_id) {
		return bad_server_id(parser,
		                     parser->nwords > 2
		                             ? "only one server ID allowed now"
		                             : "unqualified server ID not allowed now",
		                     number);
	}
	if (parser->nwords == 2 && parser->has_server_id) {
		return bad_server_id(parser, "unqualified server ID not allowed now",
		                     number);
	}
	if (parser->nwords > 2 && !is_url(parser->words[2])) {
		return bad_server_id(parser, "invalid URL", parser->words[2]);
	}
	parser->has_server_id = true;
	parser->has_plain_server_id = parser->nwords == 2;
	return 0;
}

int dit_conf_run_checkpoint(struct dit_conf_parser *parser)
{
	static const char *const names[] = {"kbyte", "minutes"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *word = parser->words[1 + i];

		if (!is_number(word, UINT_MAX)) {
			(void)dit_conf_say(parser, "invalid %s \"%s\" in \"checkpoint\".",
			                   names[i], word);
			return dit_conf_repeat(parser, "%s", "");
		}
	}
	return 0;
}

int dit_conf_run_dbnosync(struct dit_conf_parser *parser)
{
	bool value = false;

	return parser->nwords > 1 ? dit_conf_bool(parser, parser->words[1], &value) : 0;
}

int dit_conf_run_rtxnsize(struct dit_conf_parser *parser)
{
	unsigned value = 0;

	return dit_conf_uint(parser, parser->words[1], &value);
}

int dit_conf_run_searchstack(struct dit_conf_parser *parser)
{
	int value = 0;
	int r = dit_conf_int(parser, parser->words[1], &value);

	if (r == 0 && value < SEARCHSTACK_MIN) {
		(void)dit_conf_say(parser, "depth %d too small, using %d", value,
		                   SEARCHSTACK_MIN);
	}
	return r;
}

int dit_conf_run_index_substr_any_step(struct dit_conf_parser *parser)
{
	unsigned value = 0;

	return dit_conf_uint(parser, parser->words[1], &value);
}
