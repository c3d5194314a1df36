/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directives that may stand anywhere: the table, and those that define schema and
 * global settings (config.md 3.1 and 4).
 *
 * Only what can change stored data has a function. The others are known by name, so that
 * a misspelt directive is still an error, and their arguments are not looked at.
 */
#include "config/conf_parser.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

#define INTLEN_MIN 4
#define INTLEN_MAX 255

typedef int (*define_fn)(struct dit_schema *schema, const char *text,
                         struct dit_schema_error *error);

/* The text begins with a keyword; the one that was typed takes its place. */
static void report_schema(const struct dit_conf_parser *parser,
                          const struct dit_schema_error *error)
{
	const char *rest = strchr(error->text, ':');

	if (error->detail[0] != '\0') {
		(void)dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC, "%s", error->detail);
	}
	(void)dit_conf_say_about(parser, "%s", rest == NULL ? "" : rest + strlen(": "));
}

static int define(struct dit_conf_parser *parser, define_fn fn)
{
	struct dit_schema_error error = {0};
	const char *text = strchr(parser->raw, '(');
	int r = 0;

	/* Without a parenthesis libldap is asked nothing and the data has ended. */
	if (text == NULL) {
		return dit_conf_say_about(parser, "Unexpected end of data before ");
	}
	r = fn(parser->settings->schema, text, &error);
	if (r == 0 || r == -ENOMEM) {
		return r;
	}
	report_schema(parser, &error);
	return DIT_E_CONFIG;
}

/* All but content rules had a format without parentheses, once. */
static int define_new_format(struct dit_conf_parser *parser, define_fn fn)
{
	if (parser->words[1][0] != '(') {
		return dit_conf_say(parser, "<%s> old format not supported",
		                    parser->words[0]);
	}
	return define(parser, fn);
}

static int run_attributetype(struct dit_conf_parser *parser)
{
	return define_new_format(parser, dit_schema_define_type);
}

static int run_objectclass(struct dit_conf_parser *parser)
{
	return define_new_format(parser, dit_schema_define_class);
}

static int run_ldapsyntax(struct dit_conf_parser *parser)
{
	return define_new_format(parser, dit_schema_define_syntax);
}

static int run_ditcontentrule(struct dit_conf_parser *parser)
{
	return define(parser, dit_schema_define_content_rule);
}

static int run_objectidentifier(struct dit_conf_parser *parser)
{
	struct dit_schema_error error = {0};
	int r = dit_schema_define_macro(parser->settings->schema, parser->words[1],
	                                parser->words[2], &error);

	if (r == 0 || r == -ENOMEM) {
		return r;
	}
	report_schema(parser, &error);
	return r > 0 ? 0 : DIT_E_CONFIG;
}

static int run_attributeoptions(struct dit_conf_parser *parser)
{
	struct dit_schema *schema = parser->settings->schema;

	if (parser->nwords == 1) {
		dit_schema_clear_options(schema);
		return 0;
	}
	for (size_t i = 1; i < parser->nwords; i++) {
		struct dit_schema_error error = {0};
		int r = dit_schema_define_option(schema, parser->words[i], &error);

		if (r == -ENOMEM) {
			return r;
		}
		if (r < 0) {
			(void)dit_conf_say_line(parser, "%s", error.text);
			return dit_conf_repeat(parser, "%s", "");
		}
	}
	return 0;
}

static int run_include(struct dit_conf_parser *parser)
{
	return dit_conf_read_file(parser, parser->words[1]);
}

static int bad_length(struct dit_conf_parser *parser, unsigned value)
{
	(void)dit_conf_say(parser, "<%s> invalid value (%d)", parser->words[0],
	                   (int)value);
	return dit_conf_repeat(parser, "<%s> invalid value", parser->words[0]);
}

static int run_index_substr_if_minlen(struct dit_conf_parser *parser)
{
	struct dit_index_params *params = &parser->settings->index;
	unsigned value = 0;
	int r = dit_conf_uint(parser, parser->words[1], &value);

	if (r < 0) {
		return r;
	}
	if (value > params->substr_if_maxlen) {
		return bad_length(parser, value);
	}
	params->substr_if_minlen = value;
	return 0;
}

static int run_index_substr_if_maxlen(struct dit_conf_parser *parser)
{
	struct dit_index_params *params = &parser->settings->index;
	unsigned value = 0;
	int r = dit_conf_uint(parser, parser->words[1], &value);

	if (r < 0) {
		return r;
	}
	if (value == 0 || value < params->substr_if_minlen) {
		return bad_length(parser, value);
	}
	params->substr_if_maxlen = value;
	return 0;
}

static int run_index_substr_any_len(struct dit_conf_parser *parser)
{
	return dit_conf_uint(parser, parser->words[1],
	                     &parser->settings->index.substr_any_len);
}

static int run_index_intlen(struct dit_conf_parser *parser)
{
	unsigned value = 0;
	int r = dit_conf_uint(parser, parser->words[1], &value);

	if (r < 0) {
		return r;
	}
	if (value < INTLEN_MIN) {
		value = INTLEN_MIN;
	}
	if (value > INTLEN_MAX) {
		value = INTLEN_MAX;
	}
	parser->settings->index.intlen = value;
	return 0;
}

static int run_index_hash64(struct dit_conf_parser *parser)
{
	return dit_conf_bool(parser, parser->words[1], &parser->settings->index.hash64);
}

static int run_tool_threads(struct dit_conf_parser *parser)
{
	int value = 0;
	int r = dit_conf_int(parser, parser->words[1], &value);

	if (r == 0) {
		parser->settings->tool_threads = value > 0 ? (unsigned)value : 0;
	}
	return r;
}

/* clang-format off */
static const struct dit_directive directives[] = {
	{"attributeoptions", 0, 0, "", 0, run_attributeoptions},
	{"attribute", 1, 0, "<attribute>", DIT_DIRECTIVE_PREFIX | DIT_DIRECTIVE_RAW,
	 run_attributetype},
	{"backend", 1, 1, "<type>", DIT_DIRECTIVE_BEFORE_DB, dit_conf_run_backend},
	{"database", 1, 1, "<type>", 0, dit_conf_run_database},
	{"disabled", 1, 1, "<on|off>", 0, dit_conf_run_disabled},
	{"ditcontentrule", 0, 0, "", DIT_DIRECTIVE_RAW, run_ditcontentrule},
	{"hidden", 1, 1, "<on|off>", 0, dit_conf_run_hidden},
	{"include", 1, 1, "<file>", 0, run_include},
	{"index_hash64", 1, 1, "<on|off>", 0, run_index_hash64},
	{"index_intlen", 1, 1, "<len>", 0, run_index_intlen},
	{"index_substr_any_len", 1, 1, "<len>", 0, run_index_substr_any_len},
	{"index_substr_any_step", 1, 1, "<step>", 0, dit_conf_run_index_substr_any_step},
	{"index_substr_if_maxlen", 1, 1, "<max>", 0, run_index_substr_if_maxlen},
	{"index_substr_if_minlen", 1, 1, "<min>", 0, run_index_substr_if_minlen},
	{"lastmod", 1, 1, "<on|off>", 0, dit_conf_run_lastmod},
	{"ldapsyntax", 1, 0, "<syntax>", DIT_DIRECTIVE_RAW, run_ldapsyntax},
	{"moduleload", 1, 0, "<file>", 0, dit_conf_run_moduleload},
	{"modulepath", 1, 1, "<path>", 0, dit_conf_run_modulepath},
	{"objectclass", 1, 0, "<objectclass>", DIT_DIRECTIVE_RAW, run_objectclass},
	{"objectidentifier", 2, 2, "<name> <oid>", 0, run_objectidentifier},
	{"overlay", 1, 1, "<overlay>", 0, dit_conf_run_overlay},
	{"rootdn", 0, 1, "<dn>", 0, dit_conf_run_rootdn},
	{"serverID", 1, 2, "<number> <[URI]>", 0, dit_conf_run_server_id},
	{"sortvals", 1, 0, "<attr>", 0, dit_conf_run_sortvals},
	{"subordinate", 0, 1, "<[advertise]>", 0, dit_conf_run_subordinate},
	{"suffix", 0, 1, "<suffix>", 0, dit_conf_run_suffix},
	{"sync_use_subentry", 0, 0, "", 0, dit_conf_run_sync_use_subentry},
	{"tool-threads", 1, 1, "<count>", 0, run_tool_threads},
};
/* clang-format on */

/* What has no influence on stored data. */
static const char *const ignored[] = {
	"access",
	"add_content_acl",
	"argsfile",
	"authz-policy",
	"authz-regexp",
	"concurrency",
	"conn_max_pending",
	"conn_max_pending_auth",
	"defaultSearchBase",
	"extra_attrs",
	"gentlehup",
	"idletimeout",
	"lastbind",
	"lastbind-precision",
	"lastbind-send-assert",
	"limits",
	"listener-threads",
	"localSSF",
	"logfile",
	"logfile-format",
	"logfile-only",
	"logfile-rotate",
	"loglevel",
	"maxDerefDepth",
	"maxFilterDepth",
	"mirrormode",
	"monitoring",
	"multiprovider",
	"password-crypt-salt-format",
	"password-hash",
	"pidfile",
	"plugin",
	"pluginlog",
	"readonly",
	"referral",
	"replica",
	"replica-argsfile",
	"replica-pidfile",
	"replicationInterval",
	"replogfile",
	"restrict",
	"restrictop",
	"reverse-lookup",
	"rootDSE",
	"rootpw",
	"sasl-authz-policy",
	"sasl-auxprops",
	"sasl-auxprops-dontusecopy",
	"sasl-auxprops-dontusecopy-ignore",
	"sasl-cbinding",
	"sasl-host",
	"sasl-realm",
	"sasl-regexp",
	"sasl-secprops",
	"saslRegexp",
	"schemadn",
	"security",
	"sizelimit",
	"sockbuf_max_incoming",
	"sockbuf_max_incoming_auth",
	"syncrepl",
	"tcp-buffer",
	"threadqueues",
	"threads",
	"timelimit",
	"TLSCACertificate",
	"TLSCACertificateFile",
	"TLSCACertificatePath",
	"TLSCertificate",
	"TLSCertificateFile",
	"TLSCertificateKey",
	"TLSCertificateKeyFile",
	"TLSCipherSuite",
	"TLSCRLCheck",
	"TLSCRLFile",
	"TLSDHParamFile",
	"TLSECName",
	"TLSProtocolMin",
	"TLSRandFile",
	"TLSVerifyClient",
	"ucdata-path",
	"updatedn",
	"updateref",
	"writetimeout",
};

/* The same for all words that begin like this. */
static const char *const ignored_prefixes[] = {
	"allow",
	"authid-rewrite",
	"disallow",
	"require",
};

static const struct dit_directive skip = {.name = "", .run = NULL};

static bool matches(const struct dit_directive *directive, const char *keyword)
{
	if ((directive->flags & DIT_DIRECTIVE_PREFIX) != 0) {
		return strncasecmp(keyword, directive->name, strlen(directive->name)) ==
		       0;
	}
	return strcasecmp(keyword, directive->name) == 0;
}

static bool is_ignored(const char *keyword)
{
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
		if (strcasecmp(keyword, ignored[i]) == 0) {
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(ignored_prefixes) / sizeof(ignored_prefixes[0]);
	     i++) {
		if (strncasecmp(keyword, ignored_prefixes[i],
		                strlen(ignored_prefixes[i])) == 0) {
			return true;
		}
	}
	return false;
}

static const struct dit_directive *find_in(const struct dit_directive *table,
                                           const char *keyword)
{
	while (table->name != NULL && !matches(table, keyword)) {
		table++;
	}
	return table->name == NULL ? NULL : table;
}

/* A back end's own directives come before the general ones, as in slapd. */
const struct dit_directive *dit_conf_find_directive(const struct dit_conf_parser *parser,
                                                    const char *keyword)
{
	const struct dit_directive *found = NULL;

	if (parser->scope == DIT_CONF_DATABASE &&
	    strcmp(dit_conf_database(parser)->type, "mdb") == 0) {
		found = find_in(dit_mdb_directives, keyword);
	} else if (parser->scope == DIT_CONF_BACKEND && parser->is_mdb_backend) {
		found = find_in(dit_mdb_backend_directives, keyword);
	}
	if (found != NULL) {
		return found;
	}
	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
		if (matches(&directives[i], keyword)) {
			return &directives[i];
		}
	}
	return is_ignored(keyword) ? &skip : NULL;
}
