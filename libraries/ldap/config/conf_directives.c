/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of the directives that may stand anywhere, and the directives that define
 * schema and global settings (config.md 3.1 and 4).
 *
 * Only directives that can change stored data, or whose arguments slapd refuses, have a
 * function. The others are known by name, so that a misspelt directive is still an error;
 * their arguments are not looked at.
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

/* The text begins with slapd's keyword; the report has the typed one in its place. */
static void report_schema(const struct dit_conf_parser *parser,
                          const struct dit_schema_error *error)
{
	const char *rest = strchr(error->text, ':');

	if (error->detail[0] != '\0') {
		(void)dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC, "%s",
		                    error->detail);
	}
	(void)dit_conf_say_about(parser->reporter, parser->scope.words[0], "%s",
	                         rest == NULL ? "" : rest + strlen(": "));
}

static int define(struct dit_conf_parser *parser, define_fn fn)
{
	struct dit_schema_error error = {0};
	const char *text = strchr(parser->scope.raw, '(');
	int r = 0;

	/* Without a parenthesis slapd has nothing to parse: the data has ended. */
	if (text == NULL) {
		return dit_conf_say_about(parser->reporter, parser->scope.words[0],
		                          "Unexpected end of data before ");
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
		return dit_conf_say(parser->reporter, "<%s> old format not supported",
		                    parser->scope.words[0]);
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
	int r = dit_schema_define_macro(parser->settings->schema, parser->scope.words[1],
	                                parser->scope.words[2], &error);

	if (r == 0 || r == -ENOMEM) {
		return r;
	}
	report_schema(parser, &error);
	return r > 0 ? 0 : DIT_E_CONFIG;
}

static int run_attributeoptions(struct dit_conf_parser *parser)
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
			(void)dit_conf_say_line(parser->reporter, "%s", error.text);
			return dit_conf_forget(parser->reporter);
		}
	}
	return 0;
}

static int run_include(struct dit_conf_parser *parser)
{
	int r = dit_conf_read_file(parser, parser->scope.words[1]);

	/* The message that was told is of the other file. */
	return r == DIT_E_CONFIG ? dit_conf_forget(parser->reporter) : r;
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
	(void)dit_conf_say(parser->reporter, "<%s> invalid value (%d)",
	                   parser->scope.words[0], (int)*length);
	return dit_conf_repeat(parser->reporter, "<%s> invalid value",
	                       parser->scope.words[0]);
}

static int run_index_substr_if_minlen_2_5(struct dit_conf_parser *parser)
{
	return set_length_2_5(parser, &parser->settings->index.substr_if_minlen);
}

static int run_index_substr_if_maxlen_2_5(struct dit_conf_parser *parser)
{
	return set_length_2_5(parser, &parser->settings->index.substr_if_maxlen);
}

static int run_index_intlen(struct dit_conf_parser *parser)
{
	unsigned value = 0;
	int r = dit_conf_uint(parser, parser->scope.words[1], &value);

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

static int run_tool_threads(struct dit_conf_parser *parser)
{
	int value = 0;
	int r = dit_conf_int(parser, parser->scope.words[1], &value);

	if (r == 0) {
		parser->settings->tool_threads = value > 0 ? (unsigned)value : 0;
	}
	return r;
}

/* clang-format off */
static const struct dit_directive directives[] = {
	{"access", NULL, 0, 0, "", 0, dit_conf_run_access, {0}},
	{"attributeoptions", "olcAttributeOptions", 0, 0, "", 0, run_attributeoptions, {0}},
	{"attribute", "olcAttributeTypes", 1, 0, "<attribute>", DIT_DIRECTIVE_PREFIX | DIT_DIRECTIVE_RAW,
	 run_attributetype, {0}},
	{"backend", "olcBackend", 1, 1, "<type>", DIT_DIRECTIVE_BEFORE_DB, dit_conf_run_backend, {0}},
	{"database", "olcDatabase", 1, 1, "<type>", 0, dit_conf_run_database, {0}},
	{"disabled", "olcDisabled", 1, 1, "<on|off>", 0, NULL,
	 {DIT_CONF_BOOL, DIT_CONF_IN_DATABASE(is_disabled), {0}}},
	{"ditcontentrule", "olcDitContentRules", 0, 0, "", DIT_DIRECTIVE_RAW, run_ditcontentrule, {0}},
	{"hidden", "olcHidden", 1, 1, "<on|off>", 0, NULL,
	 {DIT_CONF_BOOL, DIT_CONF_IN_DATABASE(is_hidden), {0}}},
	{"include", NULL, 1, 1, "<file>", 0, run_include, {0}},
	{"index_hash64", "olcIndexHash64", 1, 1, "<on|off>", 0, NULL,
	 {DIT_CONF_BOOL, DIT_CONF_IN_SETTINGS(index.hash64), {0}}},
	{"index_intlen", "olcIndexIntLen", 1, 1, "<len>", 0, run_index_intlen, {0}},
	{"index_substr_any_len", "olcIndexSubstrAnyLen", 1, 1, "<len>", 0, NULL,
	 {DIT_CONF_UINT, DIT_CONF_IN_SETTINGS(index.substr_any_len), {0}}},
	{"index_substr_any_step", "olcIndexSubstrAnyStep", 1, 1, "<step>", 0, NULL, {.value = DIT_CONF_UINT}},
	{"index_substr_if_maxlen", "olcIndexSubstrIfMaxLen", 1, 1, "<max>", 0, run_index_substr_if_maxlen_2_5,
	 {.releases.last = DIT_OPENLDAP_2_5}},
	{"index_substr_if_maxlen", "olcIndexSubstrIfMaxLen", 1, 1, "<max>", 0, NULL,
	 {DIT_CONF_UINT, DIT_CONF_IN_SETTINGS(index.substr_if_maxlen), {.first = DIT_OPENLDAP_2_6}}},
	{"index_substr_if_minlen", "olcIndexSubstrIfMinLen", 1, 1, "<min>", 0, run_index_substr_if_minlen_2_5,
	 {.releases.last = DIT_OPENLDAP_2_5}},
	{"index_substr_if_minlen", "olcIndexSubstrIfMinLen", 1, 1, "<min>", 0, NULL,
	 {DIT_CONF_UINT, DIT_CONF_IN_SETTINGS(index.substr_if_minlen), {.first = DIT_OPENLDAP_2_6}}},
	{"lastmod", "olcLastMod", 1, 1, "<on|off>", 0, NULL,
	 {DIT_CONF_BOOL, DIT_CONF_IN_DATABASE(lastmod), {0}}},
	{"ldapsyntax", "olcLdapSyntaxes", 1, 0, "<syntax>", DIT_DIRECTIVE_RAW, run_ldapsyntax, {0}},
	{"moduleload", "olcModuleLoad", 1, 0, "<file>", 0, dit_conf_run_moduleload, {0}},
	{"mirrormode", NULL, 1, 1, "<on|off>", 0, dit_conf_run_multiprovider, {0}},
	{"modulepath", "olcModulePath", 1, 1, "<path>", 0, dit_conf_run_modulepath, {0}},
	{"multiprovider", "olcMultiProvider", 1, 1, "<on|off>", 0, dit_conf_run_multiprovider, {0}},
	{"objectclass", "olcObjectClasses", 1, 0, "<objectclass>", DIT_DIRECTIVE_RAW, run_objectclass, {0}},
	{"objectidentifier", "olcObjectIdentifier", 2, 2, "<name> <oid>", 0, run_objectidentifier, {0}},
	{"overlay", "olcOverlay", 1, 1, "<overlay>", 0, dit_conf_run_overlay, {0}},
	{"rootdn", "olcRootDN", 0, 1, "<dn>", DIT_DIRECTIVE_ONE_WORD, dit_conf_run_rootdn, {0}},
	{"serverID", "olcServerID", 1, 2, "<number> <[URI]>", 0, dit_conf_run_server_id, {0}},
	{"sortvals", "olcSortVals", 1, 0, "<attr>", 0, dit_conf_run_sortvals, {0}},
	{"subordinate", "olcSubordinate", 0, 1, "<[advertise]>", 0, dit_conf_run_subordinate_2_5,
	 {.releases.last = DIT_OPENLDAP_2_5}},
	{"subordinate", "olcSubordinate", 0, 1, "<[advertise]>", 0, dit_conf_run_subordinate,
	 {.releases.first = DIT_OPENLDAP_2_6}},
	{"suffix", "olcSuffix", 0, 1, "<suffix>", DIT_DIRECTIVE_ONE_WORD, dit_conf_run_suffix, {0}},
	{"sync_use_subentry", "olcSyncUseSubentry", 0, 0, "", 0, NULL,
	 {DIT_CONF_BOOL, DIT_CONF_IN_DATABASE(sync_use_subentry), {0}}},
	{"syncrepl", "olcSyncrepl", 0, 0, "", 0, dit_conf_run_syncrepl, {0}},
	{"tool-threads", "olcToolThreads", 1, 1, "<count>", 0, run_tool_threads, {0}},
	{"updatedn", "olcUpdateDN", 0, 0, "", 0, dit_conf_run_updatedn, {0}},
	{NULL, NULL, 0, 0, NULL, 0, NULL, {0}},
};
/* clang-format on */

/* Directives without influence on stored data. */
static const struct {
	const char *name;
	struct dit_openldap_range releases;
} ignored[] = {
	{"add_content_acl", {0}},
	{"argsfile", {0}},
	{"authz-policy", {0}},
	{"authz-regexp", {0}},
	{"concurrency", {0}},
	{"conn_max_pending", {0}},
	{"conn_max_pending_auth", {0}},
	{"defaultSearchBase", {0}},
	{"extra_attrs", {0}},
	{"gentlehup", {0}},
	{"idletimeout", {0}},
	{"lastbind", {0}},
	{"lastbind-precision", {.first = DIT_OPENLDAP_2_6}},
	{"lastbind-send-assert", {.first = DIT_OPENLDAP_2_7}},
	{"limits", {0}},
	{"listener-threads", {0}},
	{"localSSF", {0}},
	{"logfile", {0}},
	{"logfile-format", {.first = DIT_OPENLDAP_2_6}},
	{"logfile-only", {.first = DIT_OPENLDAP_2_6}},
	{"logfile-rotate", {.first = DIT_OPENLDAP_2_6}},
	{"loglevel", {0}},
	{"maxDerefDepth", {0}},
	{"maxFilterDepth", {0}},
	{"monitoring", {0}},
	{"password-crypt-salt-format", {0}},
	{"password-hash", {0}},
	{"pidfile", {0}},
	{"plugin", {0}},
	{"pluginlog", {0}},
	{"readonly", {0}},
	{"referral", {0}},
	{"replica", {0}},
	{"replica-argsfile", {0}},
	{"replica-pidfile", {0}},
	{"replicationInterval", {0}},
	{"replogfile", {0}},
	{"restrict", {0}},
	{"restrictop", {.first = DIT_OPENLDAP_2_7}},
	{"reverse-lookup", {0}},
	{"rootDSE", {0}},
	{"rootpw", {0}},
	{"sasl-authz-policy", {0}},
	{"sasl-auxprops", {0}},
	{"sasl-auxprops-dontusecopy", {0}},
	{"sasl-auxprops-dontusecopy-ignore", {0}},
	{"sasl-cbinding", {0}},
	{"sasl-host", {0}},
	{"sasl-realm", {0}},
	{"sasl-regexp", {0}},
	{"sasl-secprops", {0}},
	{"saslRegexp", {0}},
	{"schemadn", {0}},
	{"security", {0}},
	{"sizelimit", {0}},
	{"sockbuf_max_incoming", {0}},
	{"sockbuf_max_incoming_auth", {0}},
	{"tcp-buffer", {0}},
	{"threadqueues", {0}},
	{"threads", {0}},
	{"timelimit", {0}},
	{"TLSCACertificate", {0}},
	{"TLSCACertificateFile", {0}},
	{"TLSCACertificatePath", {0}},
	{"TLSCertificate", {0}},
	{"TLSCertificateFile", {0}},
	{"TLSCertificateKey", {0}},
	{"TLSCertificateKeyFile", {0}},
	{"TLSCipherSuite", {0}},
	{"TLSCRLCheck", {0}},
	{"TLSCRLFile", {0}},
	{"TLSDHParamFile", {0}},
	{"TLSECName", {0}},
	{"TLSProtocolMin", {0}},
	{"TLSRandFile", {0}},
	{"TLSVerifyClient", {0}},
	{"ucdata-path", {0}},
	{"updateref", {0}},
	{"writetimeout", {0}},
};

/* The same for all words that begin like this. */
static const char *const ignored_prefixes[] = {
	"allow",
	"authid-rewrite",
	"disallow",
	"require",
};

static const struct dit_directive skip = {.name = "", .run = NULL};

static bool matches(const struct dit_conf_parser *parser,
                    const struct dit_directive *directive, enum dit_conf_form form,
                    const char *name)
{
	if (!dit_openldap_is_in(parser->openldap, directive->more.releases)) {
		return false;
	}
	if (form == DIT_CONF_ATTRIBUTE) {
		return directive->attribute != NULL &&
		       strcmp(name, directive->attribute) == 0;
	}
	if ((directive->flags & DIT_DIRECTIVE_PREFIX) != 0) {
		return strncasecmp(name, directive->name, strlen(directive->name)) == 0;
	}
	return strcasecmp(name, directive->name) == 0;
}

static bool is_ignored(const struct dit_conf_parser *parser, const char *keyword)
{
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
		if (strcasecmp(keyword, ignored[i].name) == 0 &&
		    dit_openldap_is_in(parser->openldap, ignored[i].releases)) {
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

static const struct dit_directive *find_in(const struct dit_conf_parser *parser,
                                           const struct dit_directive *table,
                                           enum dit_conf_form form, const char *name)
{
	while (table->name != NULL && !matches(parser, table, form, name)) {
		table++;
	}
	return table->name == NULL ? NULL : table;
}

/* A back end's own directives come before the general ones, as in slapd. */
const struct dit_directive *dit_conf_find_directive(const struct dit_conf_parser *parser,
                                                    enum dit_conf_form form,
                                                    const char *name)
{
	const struct dit_directive *found = NULL;

	if (parser->scope.section == DIT_CONF_DATABASE &&
	    strcmp(dit_conf_database(parser)->type, "mdb") == 0) {
		found = find_in(parser, dit_mdb_directives, form, name);
	} else if (parser->scope.section == DIT_CONF_BACKEND &&
	           parser->scope.is_mdb_backend) {
		found = find_in(parser, dit_mdb_backend_directives, form, name);
	}
	if (found == NULL && parser->scope.section == DIT_CONF_DATABASE &&
	    dit_conf_database(parser)->has_dds) {
		found = find_in(parser, dit_dds_directives, form, name);
	}
	if (found == NULL) {
		found = find_in(parser, directives, form, name);
	}
	return found == NULL && is_ignored(parser, name) ? &skip : found;
}

bool dit_conf_is_refused_attribute(struct dit_span name)
{
	const struct dit_directive *at = dit_mdb_directives;

	while (at->name != NULL &&
	       !(at->run == dit_conf_unsupported &&
	         dit_span_eq_nocase(name, dit_span_of(at->attribute)))) {
		at++;
	}
	return at->name != NULL;
}
