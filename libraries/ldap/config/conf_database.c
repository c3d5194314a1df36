/* SPDX-License-Identifier: BSD-2-Clause */
/* Directives of databases and back ends (config.md 3.2 - 3.4). */
#include "config/conf_parser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/errno_text.h"
#include "base/error.h"
#include "base/grow.h"
#include "default_paths.h"
#include "system/secret.h"

#define MAXSIZE_SLAPD 10485760
/* maxsize 0 leaves the choice to LMDB, which takes this. */
#define MAXSIZE_LMDB 1048576
#define MODE_DEFAULT 0600
#define IDLEXP_MIN   16
#define IDLEXP_MAX   30

struct dit_database *dit_conf_database(const struct dit_conf_parser *parser)
{
	return &parser->settings->databases[parser->scope.database];
}

/* slapd itself gives these two databases their suffixes. */
static void set_fixed_suffix(struct dit_database *database)
{
	if (strcmp(database->type, "config") == 0) {
		database->suffix = DIT_SPAN("cn=config");
		database->suffix_norm = database->suffix;
		database->has_suffix = true;
	}
	if (strcmp(database->type, "monitor") == 0) {
		database->suffix = DIT_SPAN("cn=Monitor");
		database->suffix_norm = DIT_SPAN("cn=monitor");
		database->has_suffix = true;
	}
}

/* A database is put in: those that it comes before have other places. */
static void make_place(struct dit_settings *settings, size_t at)
{
	for (size_t i = settings->ndatabases; i > at; i--) {
		settings->databases[i] = settings->databases[i - 1];
		settings->databases[i].number++;
	}
}

int dit_conf_add_database(struct dit_conf_parser *parser, const char *type)
{
	struct dit_settings *settings = parser->settings;
	size_t at = settings->ndatabases;

	if (DIT_GROW(settings->databases, settings->databases_size,
	             settings->ndatabases + 1) < 0) {
		return -ENOMEM;
	}
	if (parser->before > 0 && parser->before < at) {
		at = parser->before;
		make_place(settings, at);
	}
	settings->databases[at] = (struct dit_database){
		.number = (int)at,
		.type = type,
		.lastmod = true,
		.data.directory = DIT_DEFAULT_DIRECTORY,
		.data.maxsize_bytes = MAXSIZE_SLAPD,
		.data.mode = MODE_DEFAULT,
		.multival.hi = DIT_MULTIVAL_NONE,
		.multival.lo = DIT_MULTIVAL_NONE,
		.file = parser->reporter->place.file,
		.line = parser->reporter->place.line,
	};
	set_fixed_suffix(&settings->databases[at]);
	settings->ndatabases++;
	parser->scope.database = at;
	return 0;
}

/* Each of these databases may be defined once. */
static int check_once(struct dit_conf_parser *parser, const char *type)
{
	static const char *const once[] = {"frontend", "config", "monitor", NULL};
	const char *const *found = dit_ascii_find(dit_span_of(type), once);
	unsigned bit = found == NULL ? 0 : 1u << (found - once);

	if ((parser->defined & bit) == 0) {
		parser->defined |= bit;
		return 0;
	}
	if (strcmp(type, "monitor") == 0) {
		(void)dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
		                    "database init failed (monitor)");
		(void)dit_conf_say(parser, DIT_SAY_VALUE,
		                   "only one monitor database allowed (monitor)");
		return dit_conf_say(parser, DIT_SAY_LATER,
		                    "only one monitor database allowed");
	}
	/* slapd tells this in a tree alone. */
	return dit_conf_say(parser, DIT_SAY_LATER, "%s DB already defined", type);
}

/* "index default" begins again. */
static void begin_section(struct dit_conf_scope *scope, enum dit_conf_section section)
{
	scope->section = section;
	scope->default_kinds = 0;
}

static void begin_database(struct dit_conf_scope *scope, size_t database)
{
	begin_section(scope, DIT_CONF_DATABASE);
	scope->database = database;
}

static int unknown_type(struct dit_conf_parser *parser, const char *name)
{
	(void)dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
	                    "Unrecognized database type (%s)", name);
	(void)DIT_CONF_REFUSE(parser, "failed init (%s)", name);
	return DIT_CONF_KEEP(parser, "failed init");
}

/* The next database, of a type that is known. */
static int run_type(struct dit_conf_parser *parser, const char *type)
{
	int r = 0;

	parser->has_database = true;
	/* The config database is there from the start, whether named or not. */
	if (strcmp(type, "config") == 0) {
		begin_database(&parser->scope, 0);
		return 0;
	}
	r = dit_conf_load_monitor_schema(parser, type);
	r = r ?: dit_conf_add_database(parser, type);
	if (r == 0) {
		begin_database(&parser->scope, parser->scope.database);
	}
	return r;
}

int dit_conf_run_database(struct dit_conf_parser *parser)
{
	const char *name = parser->scope.words[1];
	const char *type = dit_conf_find_type(parser, name);
	bool is_frontend = dit_ascii_strcasecmp(name, "frontend") == 0;
	int r = type == NULL ? 0 : dit_conf_load_type_schema(parser, type);

	if (r < 0) {
		return r;
	}
	type = dit_conf_find_type(parser, name);
	if (type == NULL && !is_frontend) {
		return unknown_type(parser, name);
	}
	r = check_once(parser, is_frontend ? "frontend" : type);
	if (r < 0) {
		return r;
	}
	if (is_frontend) {
		begin_section(&parser->scope, DIT_CONF_GLOBAL);
		return 0;
	}
	return run_type(parser, type);
}

int dit_conf_run_backend(struct dit_conf_parser *parser)
{
	const char *type = dit_conf_find_type(parser, parser->scope.words[1]);

	if (type == NULL) {
		(void)DIT_CONF_REFUSE(parser, "failed init (%s)!",
		                      parser->scope.words[1]);
		return DIT_CONF_KEEP(parser, "failed init");
	}
	parser->scope.section = DIT_CONF_BACKEND;
	parser->scope.backend = type;
	return 0;
}

/*
 * Keep a suffix. An mdb database has one. Databases of other types may have more, and
 * entries below each of them belong to no later database.
 */
static int keep_suffix(struct dit_conf_parser *parser, struct dit_span suffix,
                       struct dit_span norm)
{
	struct dit_database *database = dit_conf_database(parser);

	if (database->has_suffix) {
		return dit_words_add(&database->more_suffixes, norm,
		                     &parser->settings->arena);
	}
	database->suffix = suffix;
	database->suffix_norm = norm;
	database->has_suffix = true;
	return 0;
}

/* The type, if it has a fixed suffix (frontend, config, monitor); else NULL. */
static const char *fixed_database(const struct dit_conf_parser *parser)
{
	const char *type = NULL;

	if (parser->scope.section != DIT_CONF_DATABASE) {
		return "frontend";
	}
	type = dit_conf_database(parser)->type;
	return strcmp(type, "config") == 0 || strcmp(type, "monitor") == 0 ? type : NULL;
}

static int already_served(struct dit_conf_parser *parser, struct dit_span suffix,
                          const struct dit_database *by)
{
	static const char served[] = "already served by a preceding";

	(void)DIT_CONF_REFUSE(parser,
	                      "namingContext \"%.*s\" %s %s database serving "
	                      "namingContext \"%.*s\"",
	                      DIT_SPAN_ARGS(suffix), served, by->type,
	                      DIT_SPAN_ARGS(by->suffix));
	return DIT_CONF_KEEP(parser, "namingContext \"%.*s\" %s %s database",
	                     DIT_SPAN_ARGS(suffix), served, by->type);
}

static bool is_one_suffix_type(const char *type)
{
	return strcmp(type, "mdb") == 0 || strcmp(type, "ldif") == 0;
}

int dit_conf_run_suffix(struct dit_conf_parser *parser)
{
	const char *fixed = fixed_database(parser);
	const struct dit_database *database = NULL;
	const struct dit_database *other = NULL;
	struct dit_span suffix = {0};
	struct dit_span norm = {0};
	int r = dit_conf_dn(parser, parser->scope.words[1], &suffix, &norm);

	if (r < 0) {
		return r;
	}
	if (fixed != NULL) {
		(void)dit_conf_say(parser, DIT_SAY_VALUE,
		                   "suffix <%.*s> not allowed in %s database.",
		                   DIT_SPAN_ARGS(suffix), fixed);
		return dit_conf_forget(parser); /* slapd does not keep it */
	}
	if (dit_span_eq(norm, DIT_SPAN("cn=monitor"))) {
		return DIT_CONF_REFUSE(
			parser, "DN is reserved for monitoring slapd (cn=Monitor)");
	}
	database = dit_conf_database(parser);
	if (database->has_suffix && is_one_suffix_type(database->type)) {
		return DIT_CONF_REFUSE(parser,
		                       "Only one suffix is allowed on this %s backend",
		                       database->type);
	}
	other = database->is_hidden ? NULL
	                            : dit_settings_select(parser->settings, norm, false);
	if (other != NULL && other < database) {
		return already_served(parser, suffix, other);
	}
	return keep_suffix(parser, suffix, norm);
}

/* In the front end it is accepted and changes no database. */
int dit_conf_run_rootdn(struct dit_conf_parser *parser)
{
	struct dit_span dn = {0};
	struct dit_span norm = {0};
	int r = dit_conf_dn(parser, parser->scope.words[1], &dn, &norm);

	if (r == 0 && parser->scope.section == DIT_CONF_DATABASE) {
		dit_conf_database(parser)->rootdn = dn;
		dit_conf_database(parser)->rootdn_norm = norm;
	}
	return r;
}

static int bad_subordinate(struct dit_conf_parser *parser, const char *words)
{
	struct dit_span suffix = DIT_SPAN("");

	if (parser->scope.section == DIT_CONF_DATABASE &&
	    dit_conf_database(parser)->has_suffix) {
		suffix = dit_conf_database(parser)->suffix;
	}
	(void)dit_conf_say(parser, DIT_SAY_VALUE,
	                   "suffix \"%.*s\": subordinate must be %s.",
	                   DIT_SPAN_ARGS(suffix), words);
	return dit_conf_say(parser, DIT_SAY_LATER, "subordinate must be %s", words);
}

static const struct dit_openldap_range subordinate_takes_false = {
	.first = DIT_OPENLDAP_2_6};

int dit_conf_run_subordinate(struct dit_conf_parser *parser)
{
	bool takes_false = dit_openldap_is_in(parser->openldap, subordinate_takes_false);
	const char *word = parser->scope.nwords > 1 ? parser->scope.words[1] : "TRUE";
	bool is_false = takes_false && dit_ascii_strcasecmp(word, "FALSE") == 0;

	if (parser->scope.section == DIT_CONF_DATABASE &&
	    !dit_conf_database(parser)->has_suffix) {
		(void)dit_conf_say(parser, DIT_SAY_VALUE,
		                   "subordinate configuration needs a suffix.");
		return dit_conf_say(parser, DIT_SAY_LATER,
		                    "subordinate configuration needs a suffix");
	}
	if (!is_false && dit_ascii_strcasecmp(word, "TRUE") != 0 &&
	    dit_ascii_strcasecmp(word, "advertise") != 0) {
		return bad_subordinate(
			parser, takes_false ? "\"TRUE\", \"FALSE\" or \"advertise\""
					    : "\"TRUE\" or \"advertise\"");
	}
	/* The superior database is looked for when all databases are known. */
	if (parser->scope.section == DIT_CONF_GLOBAL) {
		parser->settings->is_frontend_subordinate = !is_false;
	}
	if (parser->scope.section == DIT_CONF_DATABASE) {
		dit_conf_database(parser)->is_subordinate = !is_false;
	}
	return 0;
}

/* The message that slapd repeats begins with the place. */
static int bad_path(struct dit_conf_parser *parser, const char *why)
{
	(void)dit_conf_say(parser, DIT_SAY_VALUE, "invalid path: %s", why);
	return parser->reporter->place.value == NULL
	               ? DIT_E_CONFIG
	               : dit_conf_say(parser, DIT_SAY_LATER, "%s: invalid path: %s",
	                              parser->reporter->place.value, why);
}

int dit_conf_run_directory(struct dit_conf_parser *parser)
{
	struct dit_arena *arena = &parser->settings->arena;
	struct dit_span path = dit_arena_copy(arena, dit_span_of(parser->scope.words[1]));
	size_t size = strlen(parser->scope.words[1]) + sizeof("/.");
	char *inside = dit_arena_bytes(arena, size);

	if (path.data == NULL || inside == NULL) {
		return -ENOMEM;
	}
	/* slapd creates a file in the folder; asking for the permission is enough. */
	memcpy(inside, path.data, path.len);
	memcpy(inside + path.len, "/.", sizeof("/."));
	if (access(inside, W_OK | X_OK) != 0) {
		int error = errno;

		/* A line of ours above slapd's, which names neither. */
		if (error == EACCES) {
			(void)dit_conf_say(parser, DIT_SAY_VALUE,
			                   "user %u may not write to the directory %s",
			                   (unsigned)getuid(), path.data);
		} else {
			(void)dit_conf_say(parser, DIT_SAY_VALUE,
			                   "directory %s cannot be used", path.data);
		}
		return bad_path(parser, dit_errno_text(error));
	}
	dit_conf_database(parser)->data.directory = path.data;
	return 0;
}

int dit_conf_run_maxsize(struct dit_conf_parser *parser)
{
	unsigned long value = 0;
	int r = dit_conf_ulong(parser, parser->scope.words[1], &value);

	if (r == 0) {
		dit_conf_database(parser)->data.maxsize_bytes =
			value == 0 ? MAXSIZE_LMDB : value;
	}
	return r;
}

/* "-rw-r-----", each letter in its place or '-' */
static bool parse_rwx(const char *word, mode_t *ret)
{
	static const char letters[] = "-rwxrwxrwx";
	mode_t mode = 0;

	if (strlen(word) != strlen(letters)) {
		return false;
	}
	for (size_t i = 0; i < strlen(letters); i++) {
		if (word[i] != '-' && word[i] != letters[i]) {
			return false;
		}
		if (i > 0) {
			mode = (mode_t)(mode << 1) | (word[i] != '-');
		}
	}
	*ret = mode;
	return true;
}

/* A number with C's base rules, so "0640" is octal and "640" is not. */
int dit_conf_run_mode(struct dit_conf_parser *parser)
{
	const char *word = parser->scope.words[1];
	char *end = NULL;
	mode_t mode = 0;

	if (*word >= '0' && *word <= '9') {
		mode = (mode_t)strtol(word, &end, 0);
		if (*end != '\0') {
			(void)dit_conf_say(parser, DIT_SAY_VALUE,
			                   "unable to parse mode=\"%s\".", word);
			return dit_conf_forget(parser);
		}
	} else if (!parse_rwx(word, &mode)) {
		return DIT_E_CONFIG; /* slapd gives no reason either */
	}
	dit_conf_database(parser)->data.mode = mode;
	return 0;
}

int dit_conf_run_passphrase(struct dit_conf_parser *parser)
{
	struct dit_data_settings *data = &dit_conf_database(parser)->data;

	dit_secret_text_free(data->passphrase);
	data->passphrase = dit_secret_text(parser->scope.words[1]);
	return data->passphrase == NULL ? -ENOMEM : 0;
}

/* No flag has an influence on content. */
int dit_conf_run_envflags(struct dit_conf_parser *parser)
{
	static const char *const flags[] = {"nosync",   "nometasync", "writemap",
	                                    "mapasync", "nordahead",  NULL};

	for (size_t i = 1; i < parser->scope.nwords; i++) {
		const char *word = parser->scope.words[i];
		const char *const *flag = dit_ascii_find(dit_span_of(word), flags);

		if (flag == NULL) {
			return dit_conf_say(parser, DIT_SAY_KEYWORD,
			                    "%s: unknown keyword \"%s\"",
			                    parser->scope.words[0], word);
		}
		dit_conf_database(parser)->data.is_unsynced |= flag == flags;
	}
	return 0;
}

int dit_conf_run_idlexp(struct dit_conf_parser *parser)
{
	unsigned value = 0;
	int r = dit_conf_uint(parser, parser->scope.words[1], &value);

	if (r < 0) {
		return r;
	}
	if (value < IDLEXP_MIN || value > IDLEXP_MAX) {
		return DIT_E_CONFIG; /* slapd gives no reason either */
	}
	parser->settings->idlexp = value;
	return 0;
}

/* Up to 2.6 "multiprovider off" makes a database a copy of one provider's by itself. */
static const struct dit_openldap_range off_makes_shadow = {.last = DIT_OPENLDAP_2_6};
static const struct dit_openldap_range needs_server_id = {.first = DIT_OPENLDAP_2_7};

/* syncrepl, updatedn: a copy of another server's database. */
int dit_conf_run_shadow(struct dit_conf_parser *parser)
{
	if (parser->scope.section == DIT_CONF_DATABASE) {
		struct dit_database *database = dit_conf_database(parser);

		database->is_shadow = true;
		database->is_single_shadow = !database->is_multi_provider;
	}
	return 0;
}

/* From 2.7 on, a server that takes changes next to others needs its ID first. */
int dit_conf_run_multiprovider(struct dit_conf_parser *parser)
{
	bool value = false;
	int r = dit_conf_bool(parser, parser->scope.words[1], &value);

	if (r == 0 && value && !parser->has_server_id &&
	    dit_openldap_is_in(parser->openldap, needs_server_id)) {
		return DIT_CONF_REFUSE(parser,
		                       "serverID is not configured, do that first");
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
