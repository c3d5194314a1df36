/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directives that change nothing that is stored, but whose arguments slapd checks. A
 * configuration that slapd refuses is refused here as well.
 */
#include "config/conf_parser.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <ldap.h>

#include "values/dn.h"

#define SERVER_ID_MAX     4095
#define SEARCHSTACK_MIN   8
#define DDS_INTERVAL_GOOD 60 /* seconds */

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
	(void)dit_conf_say(parser->reporter, "<%s> %s %s", parser->scope.words[0], why,
	                   word);
	return dit_conf_repeat(parser->reporter, "<%s> %s", parser->scope.words[0], why);
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

/* Up to 2.6 "multiprovider off" makes a database a copy of one provider's by itself. */
static const struct dit_openldap_range off_makes_shadow = {.last = DIT_OPENLDAP_2_6};
static const struct dit_openldap_range needs_server_id = {.first = DIT_OPENLDAP_2_7};

static void note_shadow(struct dit_conf_parser *parser)
{
	struct dit_database *database = dit_conf_database(parser);

	database->is_shadow = true;
	database->is_single_shadow = !database->is_multi_provider;
}

/* From 2.7 on, a server that takes changes next to others needs its ID first. */
int dit_conf_run_multiprovider(struct dit_conf_parser *parser)
{
	bool value = false;
	int r = dit_conf_bool(parser, parser->scope.words[1], &value);

	if (r == 0 && value && !parser->has_server_id &&
	    dit_openldap_is_in(parser->openldap, needs_server_id)) {
		return dit_conf_say(parser->reporter,
		                    "<%s> serverID is not configured, do that first",
		                    parser->scope.words[0]);
	}
	if (r == 0 && parser->scope.section == DIT_CONF_DATABASE) {
		struct dit_database *database = dit_conf_database(parser);

		database->is_multi_provider = value;
		database->is_single_shadow =
			!value &&
			(database->is_shadow ||
		         dit_openldap_is_in(parser->openldap, off_makes_shadow));
	}
	return r;
}

int dit_conf_run_updatedn(struct dit_conf_parser *parser)
{
	if (parser->scope.section == DIT_CONF_DATABASE) {
		note_shadow(parser);
	}
	return 0;
}

int dit_conf_run_checkpoint(struct dit_conf_parser *parser)
{
	static const char *const names[] = {"kbyte", "minutes"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *word = parser->scope.words[1 + i];

		if (!is_number(word, UINT_MAX)) {
			(void)dit_conf_say(parser->reporter,
			                   "invalid %s \"%s\" in \"checkpoint\".",
			                   names[i], word);
			return dit_conf_forget(parser->reporter);
		}
	}
	return 0;
}

int dit_conf_run_searchstack(struct dit_conf_parser *parser)
{
	int value = 0;
	int r = dit_conf_int(parser, parser->scope.words[1], &value);

	if (r == 0 && value < SEARCHSTACK_MIN) {
		(void)dit_conf_say(parser->reporter, "depth %d too small, using %d",
		                   value, SEARCHSTACK_MIN);
	}
	return r;
}

/* ---- remarks of slapd on directives that are skipped ---- */

/* "dn=X", "dn.exact=X", "dn.base=X" -> X; NULL: another kind of subject */
static const char *exact_dn(const char *who)
{
	static const char *const forms[] = {
		"dn=", "dn.exact=", "dn.base=", "dn.baseObject="};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t len = strlen(forms[i]);

		if (strncasecmp(who, forms[i], len) == 0) {
			return who + len;
		}
	}
	return NULL;
}

static int match_rootdn(struct dit_conf_parser *parser, const char *text, bool *ret)
{
	struct dit_span rootdn = dit_conf_database(parser)->rootdn_norm;
	struct dit_dn dn = {0};
	int r = dit_dn_parse(parser->settings->schema, dit_span_of(text),
	                     dit_conf_arena(parser), NULL, &dn);

	*ret = r == 0 && rootdn.len > 0 && dit_span_eq(dn.norm, rootdn);
	return r == -ENOMEM ? r : 0;
}

int dit_conf_run_access(struct dit_conf_parser *parser)
{
	int r = 0;

	if (parser->scope.section != DIT_CONF_DATABASE) {
		return 0;
	}
	for (size_t i = 1; r == 0 && i + 1 < parser->scope.nwords; i++) {
		const char *dn = NULL;
		bool is_root = false;

		if (strcasecmp(parser->scope.words[i], "by") == 0) {
			dn = exact_dn(parser->scope.words[i + 1]);
		}
		if (dn != NULL) {
			r = match_rootdn(parser, dn, &is_root);
		}
		if (is_root) {
			(void)dit_conf_say_line(
				parser->reporter,
				"rootdn is always granted unlimited privileges.");
		}
	}
	return r;
}

/* The value of "NAME=VALUE" among the arguments; NULL: there is none. */
static const char *find_argument(const struct dit_conf_parser *parser, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 1; i < parser->scope.nwords; i++) {
		if (strncasecmp(parser->scope.words[i], name, len) == 0) {
			return parser->scope.words[i] + len;
		}
	}
	return NULL;
}

int dit_conf_run_syncrepl(struct dit_conf_parser *parser)
{
	const char *rid = find_argument(parser, "rid=");

	if (parser->scope.section == DIT_CONF_DATABASE) {
		note_shadow(parser);
	}
	if (parser->scope.section != DIT_CONF_DATABASE || rid == NULL ||
	    find_argument(parser, "provider=") == NULL ||
	    find_argument(parser, "searchbase=") == NULL ||
	    find_argument(parser, "retry=") != NULL) {
		return 0;
	}
	(void)dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
	                    "syncrepl rid=%03ld searchbase=\"%.*s\": no retry defined, "
	                    "using default",
	                    strtol(rid, NULL, 10),
	                    DIT_SPAN_ARGS(dit_conf_database(parser)->suffix_norm));
	return 0;
}

int dit_conf_run_dds_interval(struct dit_conf_parser *parser)
{
	char *end = NULL;
	unsigned long seconds = strtoul(parser->scope.words[1], &end, 10);

	if (end != parser->scope.words[1] && *end == '\0' &&
	    seconds < DDS_INTERVAL_GOOD) {
		(void)dit_conf_say(parser->reporter, "dds-interval=%lu may be too small.",
		                   seconds);
	}
	return 0;
}
