/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings: what is read, and which database is meant (config.md 5 and 6.1). */
#include "config/settings.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/object.h"
#include "config/conf_parser.h"
#include "default_paths.h"
#include "system/secret.h"
#include "values/dn.h"

#define ARENA_BLOCK    4096
#define IDLEXP_DEFAULT 16

int dit_settings_new(struct dit_settings **ret, enum dit_openldap_version openldap)
{
	struct dit_settings *settings = calloc(1, sizeof(*settings));
	int r = settings == NULL ? -ENOMEM : dit_schema_new(&settings->schema, openldap);

	if (r < 0) {
		free(settings);
		return r;
	}
	dit_arena_init(&settings->arena, ARENA_BLOCK);
	settings->read_us = dit_clock_us(CLOCK_REALTIME);
	settings->idlexp = IDLEXP_DEFAULT;
	settings->index = (struct dit_index_params){
		.substr_if_minlen = 2,
		.substr_if_maxlen = 4,
		.substr_any_len = 4,
		.intlen = 4,
		.hash64 = openldap >= DIT_OPENLDAP_2_7,
	};
	*ret = settings;
	return 0;
}

void dit_settings_free(struct dit_settings *settings)
{
	if (settings == NULL) {
		return;
	}
	for (size_t i = 0; i < settings->ndatabases; i++) {
		free(settings->databases[i].indexes);
		free(settings->databases[i].multival.specs);
		dit_secret_text_free(settings->databases[i].data.passphrase);
	}
	free(settings->databases);
	free(settings->sortvals);
	dit_schema_free(settings->schema);
	dit_arena_deinit(&settings->arena);
	free(settings);
}

struct dit_overlay *dit_settings_overlay(struct dit_overlay *list, const char *name)
{
	while (list != NULL && (list->name == NULL || strcmp(list->name, name) != 0)) {
		list = (struct dit_overlay *)list->next;
	}
	return list;
}

/* slapd would write the file as a tree into the folder, which has to be empty. */
static int check_empty(const struct dit_conf_reporter *reporter, const char *dir)
{
	DIR *stream = opendir(dir);
	const struct dirent *item = NULL;

	if (stream == NULL) {
		return 0;
	}
	do {
		item = readdir(stream);
	} while (item != NULL && item->d_name[0] == '.');
	(void)closedir(stream);
	if (item != NULL) {
		return dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC,
		                     "config_setup_ldif: expected directory %s to be "
		                     "empty!",
		                     dir);
	}
	return 0;
}

static int check_dir(const struct dit_conf_reporter *reporter, const char *dir)
{
	struct stat st;

	if (stat(dir, &st) < 0) {
		return dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC,
		                     "invalid config directory %s, error %d", dir, errno);
	}
	return 0;
}

/* The default tree, if it has a first entry, and else the default file. */
static int read_default(struct dit_conf_parser *parser,
                        const struct dit_settings_source *source)
{
	const char *dir = source->default_dir;
	const char *file = source->default_file;
	int r = dit_conf_read_tree(parser, dir == NULL ? DIT_DEFAULT_CONF_DIR : dir);

	if (r != -ENOENT) {
		return r;
	}
	return dit_conf_read_file(parser, file == NULL ? DIT_DEFAULT_CONF : file);
}

static int read_source(struct dit_conf_parser *parser,
                       const struct dit_settings_source *source)
{
	int r = source->dir == NULL ? 0 : check_dir(parser->reporter, source->dir);

	if (r == 0 && source->dir != NULL && source->file != NULL) {
		r = check_empty(parser->reporter, source->dir);
	}
	if (r < 0 || source->file != NULL) {
		return r < 0 ? r : dit_conf_read_file(parser, source->file);
	}
	if (source->dir == NULL) {
		return read_default(parser, source);
	}
	r = dit_conf_read_tree(parser, source->dir);
	/* A tree that is named may lack its first entry: an empty configuration. */
	return r == -ENOENT ? 0 : r;
}

static int read_and_freeze(struct dit_conf_parser *parser,
                           const struct dit_settings_source *source)
{
	int r = dit_conf_load_built_in(parser, source->built_in);

	r = r ?: read_source(parser, source);
	r = r ?: dit_conf_complete_indexes(parser);
	if (r == 0 && source->all_modules) {
		r = dit_conf_load_all(parser);
	}
	if (r == 0) {
		dit_schema_freeze(parser->settings->schema);
	}
	return r;
}

int dit_settings_read(struct dit_settings **ret, const struct dit_settings_source *source,
                      dit_report_fn report, void *ctx)
{
	struct dit_conf_reporter reporter = {.report = report, .ctx = ctx};
	struct dit_conf_parser parser;
	int r = dit_conf_parser_init(&parser, &reporter, source->openldap);

	if (r < 0) {
		return r;
	}
	r = read_and_freeze(&parser, source);
	if (r == DIT_E_CONFIG) {
		(void)dit_conf_tell(&reporter, DIT_REPORT_ERROR, "bad configuration %s!",
		                    source->dir == NULL ? "file" : "directory");
	}
	return DIT_HAND_OVER(r, ret, parser.settings, dit_settings_free);
}

/* Is one of the database's suffixes the DN or above it? */
static bool serves(const struct dit_database *d, struct dit_span norm_dn)
{
	const struct dit_word *more = d->more_suffixes;

	if (d->has_suffix && dit_dn_is_below(norm_dn, d->suffix_norm)) {
		return true;
	}
	while (more != NULL && !dit_dn_is_below(norm_dn, more->text)) {
		more = more->next;
	}
	return more != NULL;
}

const struct dit_database *dit_settings_select(const struct dit_settings *settings,
                                               struct dit_span norm_dn, bool is_glued)
{
	for (size_t i = 0; i < settings->ndatabases; i++) {
		const struct dit_database *d = &settings->databases[i];

		if (!d->is_hidden && !d->is_disabled &&
		    !(is_glued && d->is_subordinate) && serves(d, norm_dn)) {
			return d;
		}
	}
	return NULL;
}

const struct dit_database *dit_settings_superior(const struct dit_settings *settings,
                                                 const struct dit_database *subordinate)
{
	const struct dit_database *end = settings->databases + settings->ndatabases;

	for (const struct dit_database *d = subordinate + 1; d < end; d++) {
		if (!d->is_subordinate && serves(d, subordinate->suffix_norm)) {
			return d;
		}
	}
	return NULL;
}

static int choose_by_number(const struct dit_settings *settings, int number,
                            const struct dit_conf_reporter *reporter,
                            const struct dit_database **ret)
{
	if (number < 0 || (size_t)number >= settings->ndatabases) {
		(void)dit_conf_tell(reporter, DIT_REPORT_PLAIN,
		                    "Database number selected via -n is out of range");
		return dit_conf_tell(reporter, DIT_REPORT_PLAIN,
		                     "Must be in the range 0 to %zu (the number of "
		                     "configured databases)",
		                     settings->ndatabases - 1);
	}
	*ret = &settings->databases[number];
	return 0;
}

static int choose_by_suffix(const struct dit_settings *settings, const char *suffix,
                            const struct dit_conf_reporter *reporter,
                            const struct dit_database **ret)
{
	const struct dit_database *found = NULL;
	struct dit_arena arena;
	struct dit_dn dn = {0};
	int r = 0;

	dit_arena_init(&arena, ARENA_BLOCK);
	r = dit_dn_parse(settings->schema, dit_span_of(suffix), &arena, NULL, &dn);
	if (r == 0) {
		found = dit_settings_select(settings, dn.norm, false);
	}
	dit_arena_deinit(&arena);
	if (r == -ENOMEM) {
		return r;
	}
	if (r < 0) {
		return dit_conf_tell(reporter, DIT_REPORT_ERROR,
		                     "slap_init invalid suffix (\"%s\")", suffix);
	}
	if (found == NULL) {
		return dit_conf_tell(reporter, DIT_REPORT_ERROR,
		                     "slap_init no backend for \"%s\"", suffix);
	}
	*ret = found;
	return 0;
}

/* The first database that can hold entries of its own. */
static int choose_first(const struct dit_settings *settings, const char *tool,
                        const struct dit_conf_reporter *reporter,
                        const struct dit_database **ret)
{
	bool has_subordinate = false;

	for (size_t i = 1; i < settings->ndatabases; i++) {
		const struct dit_database *d = &settings->databases[i];

		has_subordinate |= d->is_subordinate;
		if (strcmp(d->type, "monitor") == 0 || d->is_subordinate) {
			continue;
		}
		/* slapadd says nothing when it passes over a subordinate database. */
		if (i > 1 && !has_subordinate) {
			(void)dit_conf_tell(reporter, DIT_REPORT_PLAIN,
			                    "The first database does not allow %s; "
			                    "using the first available one (%zu)",
			                    tool, i);
		}
		*ret = d;
		return 0;
	}
	(void)dit_conf_tell(reporter, DIT_REPORT_PLAIN,
	                    "Available database(s) do not allow %s", tool);
	return DIT_E_CONFIG;
}

/* Can entries be loaded into it at all? */
static int check_chosen(const struct dit_database *d, bool takes_config,
                        const struct dit_conf_reporter *reporter)
{
	if (strcmp(d->type, "config") == 0) {
		return takes_config ? 0
		                    : dit_conf_tell(reporter, DIT_REPORT_ERROR,
		                                    "could not open database.");
	}
	if (strcmp(d->type, "mdb") != 0) {
		return dit_conf_tell(reporter, DIT_REPORT_ERROR,
		                     "database doesn't support necessary operations.");
	}
	if (!d->has_suffix) {
		(void)dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC,
		                    "mdb_db_open: need suffix.");
		(void)dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC,
		                    "backend_startup_one (type=mdb, suffix=\"(null)\"): "
		                    "bi_db_open failed! (-1)");
		return dit_conf_tell(reporter, DIT_REPORT_PLAIN, "slap_startup failed");
	}
	return 0;
}

int dit_settings_choose(const struct dit_settings *settings,
                        const struct dit_settings_choice *choice, dit_report_fn report,
                        void *ctx, const struct dit_database **ret)
{
	const struct dit_conf_reporter reporter = {.report = report, .ctx = ctx};
	const struct dit_database *d = NULL;
	int r = 0;

	if (choice->suffix != NULL) {
		r = choose_by_suffix(settings, choice->suffix, &reporter, &d);
	} else if (choice->number >= 0) {
		r = choose_by_number(settings, choice->number, &reporter, &d);
	} else {
		r = choose_first(settings,
		                 choice->tool == NULL ? "slapadd" : choice->tool,
		                 &reporter, &d);
	}
	if (r < 0) {
		return r;
	}
	assert(d != NULL);
	r = check_chosen(d, choice->takes_config, &reporter);
	if (r < 0) {
		return r;
	}
	*ret = d;
	return 0;
}
