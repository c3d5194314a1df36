/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of slapd's modules: which bring schema, which nothing that data uses, and
 * which are types of databases (config.md 7).
 */
#include "config/conf_parser.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

/* Types that slapd may have built in; others exist once their module is loaded. */
static const char *const types[] = {
	"asyncmeta", "config", "dnssrv", "ldap",  "ldif", "mdb", "meta", "monitor",
	"null",      "passwd", "perl",   "relay", "sock", "sql", "wt",
};

/* The schema of these is hard-coded (builtin-schema.tsv, source "module:NAME"). */
static const char *const schema_modules[] = {
	"accesslog", "dds",    "dynlist", "lastbind", "memberof",
	"otp",       "pcache", "ppolicy", "retcode",
};

/* These add no schema, or only that of their own configuration. */
static const char *const plain_modules[] = {
	"allop",    "argon2",      "auditlog", "autogroup", "collect",   "constraint",
	"deref",    "dyngroup",    "homedir",  "pw-argon2", "pw-pbkdf2", "pw-sha2",
	"refint",   "remoteauth",  "rwm",      "seqmod",    "smbk5pwd",  "sssvlv",
	"syncprov", "translucent", "unique",   "valsort",
};

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
		if (strcasecmp(types[i], name) == 0) {
			return types[i];
		}
	}
	for (const struct dit_loaded_type *t = parser->loaded_types; t != NULL;
	     t = t->next) {
		if (strcasecmp(t->name, name) == 0) {
			return t->name;
		}
	}
	return NULL;
}

bool dit_conf_is_one_suffix_type(const char *type)
{
	return strcmp(type, "mdb") == 0 || strcmp(type, "ldif") == 0;
}

static int add_type(struct dit_conf_parser *parser, const char *name)
{
	struct dit_loaded_type *type = NULL;

	if (dit_conf_find_type(parser, name) != NULL) {
		return 0;
	}
	type = dit_arena_alloc(&parser->memory->arena, sizeof(*type));
	if (type == NULL) {
		return -ENOMEM;
	}
	type->name = name;
	type->next = parser->loaded_types;
	parser->loaded_types = type;
	return 0;
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
	return dit_arena_copy(&parser->memory->arena, name).data;
}

/* Schema of a module or of the overlay that it holds. 0, 1: unknown, or negative. */
static int load_schema(struct dit_conf_parser *parser, const char *name)
{
	int r = 0;

	/* nestgroup of 2.6 brings the same attribute as memberof. */
	if (strcmp(name, "nestgroup") == 0) {
		name = "memberof";
	}
	if (!is_in(schema_modules, sizeof(schema_modules) / sizeof(schema_modules[0]),
	           name)) {
		return 1;
	}
	r = dit_schema_load_module(parser->settings->schema, name);
	if (r == 0 || r == -ENOMEM) {
		return r;
	}
	return dit_conf_say(parser,
	                    "<%s> schema of module %s collides with definitions before",
	                    parser->words[0], name);
}

int dit_conf_run_moduleload(struct dit_conf_parser *parser)
{
	const char *name = module_name(parser, parser->words[1]);
	int r = 0;

	if (name == NULL) {
		return -ENOMEM;
	}
	if (strncmp(name, "back_", strlen("back_")) == 0) {
		return add_type(parser, name + strlen("back_"));
	}
	r = load_schema(parser, name);
	if (r == 1 && !is_in(plain_modules,
	                     sizeof(plain_modules) / sizeof(plain_modules[0]), name)) {
		(void)dit_conf_tell(
			parser, DIT_REPORT_WARNING,
			"%s: line %lu: module \"%s\" is not known; schema that "
			"it may add is missing",
			parser->file, parser->line, name);
	}
	return r < 0 ? r : 0;
}

int dit_conf_run_overlay(struct dit_conf_parser *parser)
{
	int r = load_schema(parser, parser->words[1]);

	parser->has_overlay = true;
	if (parser->scope == DIT_CONF_DATABASE && strcmp(parser->words[1], "dds") == 0) {
		dit_conf_database(parser)->has_dds = true;
	}
	return r < 0 ? r : 0;
}
