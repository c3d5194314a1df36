/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slapd's modules: those that bring schema, those that bring nothing that data uses, and
 * those that are types of databases (config.md 7).
 */
#include "config/conf_parser.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Where Debian's slapd looks without "modulepath". */
#define DEFAULT_MODULE_PATH "/usr/lib/ldap"

/* Types that slapd may have built in; others exist once their module is loaded. */
static const struct {
	const char *name;
	struct dit_openldap_range releases;
} types[] = {
	{"asyncmeta", {0}},
	{"config", {0}},
	{"dnssrv", {0}},
	{"ldap", {0}},
	{"ldif", {0}},
	{"mdb", {0}},
	{"meta", {0}},
	{"monitor", {0}},
	{"null", {0}},
	{"passwd", {0}},
	{"relay", {0}},
	{"sock", {0}},
	{"wt", {0}},
	{"perl", {.last = DIT_OPENLDAP_2_6}},
	{"sql", {.last = DIT_OPENLDAP_2_6}},
};

/* The schema that they add is hard-coded (builtin-schema.tsv, source "module:NAME"). */
static const char *const modules[] = {
	"accesslog", "allop",      "argon2",      "auditlog",    "autoca",    "autogroup",
	"collect",   "constraint", "dds",         "deref",       "dyngroup",  "dynlist",
	"homedir",   "lastbind",   "memberof",    "nestgroup",   "otp",       "pcache",
	"ppolicy",   "pw-apr1",    "pw-argon2",   "pw-netscape", "pw-pbkdf2", "pw-sha2",
	"refint",    "remoteauth", "retcode",     "rwm",         "seqmod",    "smbk5pwd",
	"sssvlv",    "syncprov",   "translucent", "unique",      "valsort",
};

/* Overlays that are not named as their modules are. */
static const char *const more_overlays[] = {"chain", "distproc", "glue", "pbind", "sock"};

static bool is_in(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0) {
			return true;
		}
	}
	return false;
}

const char *dit_conf_find_type(const struct dit_conf_parser *parser, const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcasecmp(types[i].name, name) == 0 &&
		    dit_openldap_is_in(parser->openldap, types[i].releases)) {
			return types[i].name;
		}
	}
	for (const struct dit_conf_name *t = parser->loaded_types; t != NULL;
	     t = t->next) {
		if (strcasecmp(t->name, name) == 0) {
			return t->name;
		}
	}
	return NULL;
}

/* The schema of a module by its name; a module that brings none is fine. */
static int load_module(struct dit_conf_parser *parser, const char *name)
{
	int r = dit_schema_load_module(parser->settings->schema, name);

	if (r == 0 || r == -ENOMEM) {
		return r;
	}
	return dit_conf_say(parser->reporter,
	                    "<%s> schema of module %s collides with definitions before",
	                    parser->scope.words[0], name);
}

int dit_conf_load_type_schema(struct dit_conf_parser *parser, const char *type)
{
	char module[64];

	(void)snprintf(module, sizeof(module), "back_%s", type);
	return load_module(parser, module);
}

bool dit_conf_is_one_suffix_type(const char *type)
{
	return strcmp(type, "mdb") == 0 || strcmp(type, "ldif") == 0;
}

/*
 * "/usr/lib/ldap/memberof.la", "memberof-2.5.so.0" -> "memberof"; in the settings' arena.
 */
static const char *module_name(struct dit_conf_parser *parser, const char *file)
{
	const char *slash = strrchr(file, '/');
	struct dit_span name = dit_span_of(slash == NULL ? file : slash + 1);
	size_t len = strcspn(name.data, ".");
	size_t end = len;

	if (len > 3 && strncmp(name.data, "lib", 3) == 0) {
		name.data += 3;
		len -= 3;
		end -= 3;
	}
	while (end > 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9') {
		end--;
	}
	if (end > 1 && end < len && name.data[end - 1] == '-') {
		len = end - 1;
	}
	name.len = len;
	return dit_arena_copy(dit_conf_arena(parser), name).data;
}

static bool is_module(const char *name)
{
	return is_in(modules, sizeof(modules) / sizeof(modules[0]), name);
}

/* Schema of a module or of the overlay that it holds. 0, 1: unknown, or negative. */
static int load_schema(struct dit_conf_parser *parser, const char *name)
{
	return is_module(name) ? load_module(parser, name) : 1;
}

int dit_conf_run_modulepath(struct dit_conf_parser *parser)
{
	parser->module_path = dit_arena_copy(dit_conf_arena(parser),
	                                     dit_span_of(parser->scope.words[1]))
	                              .data;
	return parser->module_path == NULL ? -ENOMEM : 0;
}

/* Is there FOLDER/NAME, as it is or with an ending that slapd tries? */
static bool is_in_folder(struct dit_span folder, const char *name)
{
	static const char *const endings[] = {"", ".la", ".so"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		(void)snprintf(path, sizeof(path), "%.*s%s%s%s", DIT_SPAN_ARGS(folder),
		               folder.len == 0 ? "" : "/", name, endings[i]);
		if (access(path, F_OK) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_module_file(const struct dit_conf_parser *parser, const char *name)
{
	const char *at =
		parser->module_path == NULL ? DEFAULT_MODULE_PATH : parser->module_path;

	if (*name == '/') {
		return is_in_folder(DIT_SPAN(""), name);
	}
	for (;;) {
		struct dit_span folder = {at, strcspn(at, ":")};

		if (folder.len > 0 && is_in_folder(folder, name)) {
			return true;
		}
		if (at[folder.len] == '\0') {
			return false;
		}
		at += folder.len + 1;
	}
}

static bool is_in_list(const struct dit_conf_name *list, struct dit_span name)
{
	while (list != NULL && !dit_span_eq(dit_span_of(list->name), name)) {
		list = list->next;
	}
	return list != NULL;
}

static int add_name(struct dit_conf_parser *parser, struct dit_conf_name **list,
                    struct dit_span name)
{
	struct dit_arena *arena = dit_conf_arena(parser);
	struct dit_conf_name *added = dit_arena_alloc(arena, sizeof(*added));
	const char *kept = dit_arena_copy(arena, name).data;

	if (added == NULL || kept == NULL) {
		return -ENOMEM;
	}
	*added = (struct dit_conf_name){*list, kept};
	*list = added;
	return 0;
}

int dit_conf_load_built_in(struct dit_conf_parser *parser, const char *names)
{
	int r = 0;

	while (r == 0 && names != NULL && *names != '\0') {
		struct dit_span name = {names, strcspn(names, " ")};

		names += name.len + (names[name.len] == ' ');
		r = name.len == 0 ? 0 : add_name(parser, &parser->built_in, name);
		if (r == 0 && name.len > 0) {
			r = dit_schema_load_module(parser->settings->schema,
			                           parser->built_in->name);
		}
	}
	return r;
}

/* The file of a back end that is not known has to exist. */
static int load_type(struct dit_conf_parser *parser, const char *name)
{
	if (dit_conf_find_type(parser, name) != NULL) {
		return dit_conf_load_type_schema(parser, name);
	}
	if (!is_module_file(parser, parser->scope.words[1])) {
		return dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
		                     "lt_dlopenext failed: (%s) file not found",
		                     parser->scope.words[1]);
	}
	return add_name(parser, &parser->loaded_types, dit_span_of(name));
}

/* A missing file is an error, as in slapd. A file that exists may bring any schema. */
static int load_unknown(struct dit_conf_parser *parser, const char *name)
{
	if (!is_module_file(parser, parser->scope.words[1])) {
		return dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
		                     "lt_dlopenext failed: (%s) file not found",
		                     parser->scope.words[1]);
	}
	parser->has_unknown_module = true;
	(void)dit_conf_tell_line(parser->reporter, DIT_REPORT_WARNING,
	                         "module \"%s\" is not known; schema that it may add "
	                         "is missing",
	                         name);
	return 0;
}

/*
 * Nothing is loaded. The files of known modules need not be on this machine: slapd may
 * run elsewhere, or have the modules built in.
 */
int dit_conf_run_moduleload(struct dit_conf_parser *parser)
{
	struct dit_span file = dit_span_of(parser->scope.words[1]);
	const char *name = module_name(parser, file.data);
	int r = 0;

	if (name == NULL) {
		return -ENOMEM;
	}
	/* slapd leaves these alone, also the second time. */
	if (is_in_list(parser->built_in,
	               (struct dit_span){file.data, strcspn(file.data, ".")})) {
		return 0;
	}
	if (is_in_list(parser->modules, file)) {
		return dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
		                     "module_load: (%s) already loaded", file.data);
	}
	r = add_name(parser, &parser->modules, file);
	if (r < 0) {
		return r;
	}
	if (strncmp(name, "back_", strlen("back_")) == 0) {
		return load_type(parser, name + strlen("back_"));
	}
	r = load_schema(parser, name);
	return r <= 0 ? r : load_unknown(parser, name);
}

/* Overlays are found by their exact names. */
int dit_conf_run_overlay(struct dit_conf_parser *parser)
{
	const char *name = parser->scope.words[1];
	int r = load_schema(parser, name);

	if (r == 1 && !parser->has_unknown_module &&
	    !is_in(more_overlays, sizeof(more_overlays) / sizeof(more_overlays[0]),
	           name)) {
		return dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
		                     "overlay \"%s\" not found", name);
	}
	parser->scope.has_overlay = true;
	if (parser->scope.section == DIT_CONF_DATABASE && strcmp(name, "dds") == 0) {
		dit_conf_database(parser)->has_dds = true;
	}
	return r < 0 ? r : 0;
}
