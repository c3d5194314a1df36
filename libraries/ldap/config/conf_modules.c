/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slapd's modules, and the overlays and types of databases that they bring (config.md 7).
 * The schema that they add is hard-coded (builtin-schema.tsv, source "module:NAME").
 */
#include "config/conf_parser.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "default_paths.h"

static bool is_in_list(const struct dit_word *list, struct dit_span name)
{
	return dit_words_have(list, name, dit_span_eq_nocase);
}

/* ---- the table ---- */

/*
 * The next row after @p at, NULL for the first, of a part of that name. Overlays are
 * found by their exact names, types of databases in any case.
 */
static const struct dit_conf_part *next_part(const struct dit_conf_parser *parser,
                                             const struct dit_conf_part *at, int kind,
                                             const char *name)
{
	for (at = at == NULL ? dit_conf_parts : at + 1; at->kind != DIT_CONF_END; at++) {
		if ((int)at->kind == kind &&
		    dit_openldap_is_in(parser->openldap, at->releases) &&
		    (kind == DIT_CONF_OVERLAY ? strcmp : dit_ascii_strcasecmp)(
			    at->name, name) == 0) {
			return at;
		}
	}
	return NULL;
}

/*
 * Is the part in slapd, or its module loaded? Where it is not known what is built into
 * slapd, a part without its moduleload is taken for one that is. The type mdb always is.
 */
static bool is_there(const struct dit_conf_parser *parser,
                     const struct dit_conf_part *part)
{
	return part->module == NULL || !parser->knows_built_in ||
	       parser->has_unknown_module || strcmp(part->module, "back_mdb") == 0 ||
	       dit_schema_has_module(parser->settings->schema, part->module);
}

static const struct dit_conf_part *find_part(const struct dit_conf_parser *parser,
                                             int kind, const char *name)
{
	const struct dit_conf_part *part = next_part(parser, NULL, kind, name);

	return part != NULL && is_there(parser, part) ? part : NULL;
}

static bool is_module(const char *name)
{
	const struct dit_conf_part *at = dit_conf_parts;

	while (at->kind != DIT_CONF_END &&
	       (at->module == NULL || strcmp(at->module, name) != 0)) {
		at++;
	}
	return at->kind != DIT_CONF_END;
}

/* Is the keyword in a list of keywords? "rewrite*" stands for all that begin so. */
static bool lists_keyword(const char *list, const char *keyword)
{
	while (list != NULL && *list != '\0') {
		size_t len = strcspn(list, " ");
		bool is_prefix = len > 0 && list[len - 1] == '*';
		size_t ncompared = len - is_prefix;

		if (dit_ascii_strncasecmp(list, keyword, ncompared) == 0 &&
		    (is_prefix || keyword[ncompared] == '\0')) {
			return true;
		}
		list += len + (list[len] == ' ');
	}
	return false;
}

/* A part that is not in the table may know any keyword. */
static bool knows_keyword(const struct dit_conf_parser *parser, int kind,
                          const char *name, const char *keyword)
{
	const struct dit_conf_part *part =
		name == NULL ? NULL : next_part(parser, NULL, kind, name);
	bool is_known = part == NULL;

	while (part != NULL && !is_known) {
		is_known = lists_keyword(part->keywords, keyword);
		part = next_part(parser, part, kind, name);
	}
	return is_known;
}

/* The list that overlays of the present place belong to. */
static struct dit_overlay **overlays_of(const struct dit_conf_parser *parser)
{
	return parser->scope.section == DIT_CONF_DATABASE
	               ? &dit_conf_database(parser)->overlays
	               : &parser->settings->frontend_overlays;
}

struct dit_overlay *dit_conf_overlay(const struct dit_conf_parser *parser,
                                     const char *name)
{
	return parser->scope.section == DIT_CONF_DATABASE
	               ? dit_settings_overlay(*overlays_of(parser), name)
	               : NULL;
}

bool dit_conf_is_keyword_of_part(const struct dit_conf_parser *parser,
                                 const char *keyword)
{
	const struct dit_conf_scope *scope = &parser->scope;
	const struct dit_overlay *overlay = *overlays_of(parser);

	if (scope->section == DIT_CONF_BACKEND) {
		return knows_keyword(parser, DIT_CONF_DATABASE_TYPE, scope->backend,
		                     keyword);
	}
	while (overlay != NULL &&
	       !knows_keyword(parser, DIT_CONF_OVERLAY, overlay->name, keyword)) {
		overlay = overlay->next;
	}
	return overlay != NULL ||
	       (scope->section == DIT_CONF_DATABASE &&
	        knows_keyword(parser, DIT_CONF_DATABASE_TYPE,
	                      dit_conf_database(parser)->type, keyword));
}

/* ---- types of databases ---- */

const char *dit_conf_find_type(const struct dit_conf_parser *parser, const char *name)
{
	const struct dit_conf_part *part =
		find_part(parser, DIT_CONF_DATABASE_TYPE, name);
	const struct dit_word *type = parser->loaded_types;

	if (is_in_list(parser->lost_types, dit_span_of(name))) {
		return NULL;
	}
	if (part != NULL) {
		return part->name;
	}
	while (type != NULL && !dit_span_eq_nocase(type->text, dit_span_of(name))) {
		type = type->next;
	}
	return type == NULL ? NULL : type->text.data;
}

/* The schema of a module by its name; a module that brings none is fine. @return 1: it
 * collides with definitions before, told in slapd's words; 0; -ENOMEM */
static int load_schema(struct dit_conf_parser *parser, const char *module)
{
	struct dit_schema_error error = {0};
	int r = dit_schema_load_module(parser->settings->schema, module, &error);

	if (r == 0 || r == -ENOMEM) {
		return r;
	}
	(void)dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC, "%s", error.text);
	return 1;
}

int dit_conf_load_all(struct dit_conf_parser *parser)
{
	int r = 0;

	for (const struct dit_conf_part *part = dit_conf_parts;
	     part->kind != DIT_CONF_END && r != -ENOMEM; part++) {
		r = part->module == NULL ||
		                    !dit_openldap_is_in(parser->openldap, part->releases)
		            ? 0
		            : dit_schema_load_module(parser->settings->schema,
		                                     part->module, NULL);
	}
	return r == -ENOMEM ? r : 0; /* one of two that collide is enough */
}

static int say_collision(const struct dit_conf_parser *parser, const char *module)
{
	return DIT_CONF_REFUSE(parser,
	                       "schema of module %s collides with definitions before; "
	                       "remove those, the module has its own",
	                       module);
}

static int load_module(struct dit_conf_parser *parser, const char *name)
{
	int r = load_schema(parser, name);

	return r > 0 ? say_collision(parser, name) : r;
}

/* The attributes of a part that takes any keyword are not known either. */
static void note_schema(struct dit_conf_parser *parser, const struct dit_conf_part *part)
{
	if (part != NULL && part->keywords != NULL && strcmp(part->keywords, "*") == 0) {
		parser->has_unknown_schema = true;
	}
}

int dit_conf_load_type_schema(struct dit_conf_parser *parser, const char *type)
{
	char module[64];
	int r = 0;

	note_schema(parser, next_part(parser, NULL, DIT_CONF_DATABASE_TYPE, type));
	(void)snprintf(module, sizeof(module), "back_%s", type);
	r = load_schema(parser, module);
	if (r <= 0) {
		return r;
	}
	(void)dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
	                    "backend_add:  initialization for type \"%s\" failed", type);
	(void)say_collision(parser, module);
	return dit_words_add(&parser->lost_types, dit_span_of(type),
	                     &parser->settings->arena);
}

int dit_conf_load_monitor_schema(struct dit_conf_parser *parser, const char *type)
{
	char module[64];
	int r = 0;

	(void)snprintf(module, sizeof(module), "monitor_%s", type);
	r = load_schema(parser, module);
	return r < 0 ? r : 0;
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
	return dit_arena_copy(&parser->settings->arena, name).data;
}

int dit_conf_run_modulepath(struct dit_conf_parser *parser)
{
	parser->module_path = dit_conf_text(parser, parser->scope.words[1]);
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
	const char *at = parser->module_path == NULL ? DIT_DEFAULT_MODULEPATH
	                                             : parser->module_path;

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

int dit_conf_load_built_in(struct dit_conf_parser *parser, const char *names)
{
	int r = 0;

	parser->knows_built_in = names != NULL;
	while (r == 0 && names != NULL && *names != '\0') {
		struct dit_span name = {names, strcspn(names, " ")};

		names += name.len + (names[name.len] == ' ');
		if (name.len > 0) {
			r = dit_words_add(&parser->built_in, name,
			                  &parser->settings->arena);
			r = r
			            ?: dit_schema_load_module(parser->settings->schema,
			                                      parser->built_in->text.data,
			                                      NULL);
		}
	}
	return r;
}

/* A missing file is an error, as in slapd. A file that exists may bring any schema.
 *
 * @param type  of databases; NULL: it is no back end */
static int load_unknown(struct dit_conf_parser *parser, const char *name,
                        const char *type)
{
	const struct dit_conf_place *place = &parser->reporter->place;

	if (!is_module_file(parser, parser->scope.words[1])) {
		return dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
		                     "lt_dlopenext failed: (%s) file not found",
		                     parser->scope.words[1]);
	}
	parser->has_unknown_schema = true;
	if (type != NULL) {
		return dit_words_add(&parser->loaded_types, dit_span_of(type),
		                     &parser->settings->arena);
	}
	parser->has_unknown_module = true;
	(void)dit_conf_tell(parser->reporter, DIT_REPORT_WARNING,
	                    "%s: line %lu: module \"%s\" is not known; schema that it "
	                    "may add is missing",
	                    place->file, place->line, name);
	return 0;
}

static int load(struct dit_conf_parser *parser, const char *name)
{
	static const char back_end[] = "back_";
	const char *type = strncmp(name, back_end, strlen(back_end)) == 0
	                           ? name + strlen(back_end)
	                           : NULL;
	const struct dit_conf_part *part =
		type == NULL ? NULL
			     : next_part(parser, NULL, DIT_CONF_DATABASE_TYPE, type);

	if (part != NULL) {
		return dit_conf_load_type_schema(parser, part->name);
	}
	return type == NULL && is_module(name) ? load_module(parser, name)
	                                       : load_unknown(parser, name, type);
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
	r = dit_words_add(&parser->modules, file, &parser->settings->arena);
	return r < 0 ? r : load(parser, name);
}

/* slapd refuses some overlays in the front end, and some twice in a database. */
static int check_overlay(struct dit_conf_parser *parser, const char *name)
{
	const struct dit_conf_part *part =
		next_part(parser, NULL, DIT_CONF_OVERLAY, name);

	if (part != NULL && part->is_single &&
	    dit_settings_overlay(*overlays_of(parser), name) != NULL) {
		static const char twice[] =
			"overlay_config(): overlay \"%s\" already in list";

		(void)dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC, twice, name);
		return dit_conf_say(parser, DIT_SAY_LATER, twice, name);
	}
	while (part != NULL && parser->scope.section != DIT_CONF_DATABASE) {
		if (part->global != NULL) {
			return dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
			                     "%s", part->global);
		}
		part = next_part(parser, part, DIT_CONF_OVERLAY, name);
	}
	return 0;
}

static int add_overlay(struct dit_conf_parser *parser, const char *name)
{
	struct dit_overlay **list = overlays_of(parser);
	struct dit_overlay *overlay =
		dit_arena_alloc(&parser->settings->arena, sizeof(*overlay));

	if (overlay == NULL) {
		return -ENOMEM;
	}
	*overlay = (struct dit_overlay){.next = *list, .name = name};
	*list = overlay;
	return 0;
}

int dit_conf_keep_words(struct dit_conf_parser *parser,
                        const struct dit_directive *directive)
{
	struct dit_overlay *overlay = dit_conf_overlay(parser, directive->overlay);
	size_t n = parser->scope.nwords;
	struct dit_overlay_line *line = dit_arena_alloc(
		&parser->settings->arena, sizeof(*line) + n * sizeof(*line->args));

	if (line == NULL) {
		return -ENOMEM;
	}
	line->next = overlay->lines;
	line->keyword = directive->name;
	line->is_attribute =
		dit_ascii_strcasecmp(parser->scope.words[0], directive->name) != 0;
	for (size_t i = 0; i + 1 < n; i++) {
		line->args[i] = dit_conf_text(parser, parser->scope.words[i + 1]);
		if (line->args[i] == NULL) {
			return -ENOMEM;
		}
	}
	line->args[n - 1] = NULL;
	overlay->lines = line;
	return 0;
}

int dit_conf_run_overlay(struct dit_conf_parser *parser)
{
	const char *name = parser->scope.words[1];
	const struct dit_conf_part *part = find_part(parser, DIT_CONF_OVERLAY, name);
	int r = 0;

	if (part == NULL && !parser->has_unknown_module) {
		return dit_conf_tell(parser->reporter, DIT_REPORT_DIAGNOSTIC,
		                     "overlay \"%s\" not found", name);
	}
	note_schema(parser, part);
	if (part != NULL && part->module != NULL) {
		r = load_module(parser, part->module);
	}
	r = r ?: check_overlay(parser, name);
	return r < 0 ? r : add_overlay(parser, part == NULL ? NULL : part->name);
}
