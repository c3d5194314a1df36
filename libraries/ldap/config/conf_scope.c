/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections and included files (config.md 1 and 2). */
#include "config/conf_scope.h"

/* A file that includes itself ends here; slapd goes on until it has no more files. */
#define DEPTH_MAX 64
/* Files that each include the next one twice are 2^64 at that depth. */
#define NESTED_MAX 100000

int dit_conf_scope_enter(struct dit_conf_scope *scope, struct dit_conf_reporter *reporter,
                         const char *file, struct dit_conf_outer *ret_outer)
{
	if (scope->depth == DEPTH_MAX) {
		return dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC,
		                     "could not open config file \"%s\": included too "
		                     "deeply",
		                     file);
	}
	if (scope->depth > 1 && ++scope->nnested > NESTED_MAX) {
		return dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC,
		                     "could not open config file \"%s\": included files "
		                     "have included %d files already",
		                     file, NESTED_MAX);
	}
	*ret_outer = (struct dit_conf_outer){
		.place = reporter->place,
		.raw = scope->raw,
		.words = scope->words,
		.nwords = scope->nwords,
	};
	reporter->place.file = file;
	reporter->place.line = 0;
	scope->depth++;
	return 0;
}

void dit_conf_scope_leave(struct dit_conf_scope *scope,
                          struct dit_conf_reporter *reporter,
                          const struct dit_conf_outer *outer)
{
	reporter->place = outer->place;
	scope->depth--;
	scope->raw = outer->raw;
	scope->words = outer->words;
	scope->nwords = outer->nwords;
}

/* Another section has no overlay yet, and "index default" begins again. */
static void begin(struct dit_conf_scope *scope, enum dit_conf_section section)
{
	scope->section = section;
	scope->has_overlay = false;
	scope->default_kinds = 0;
}

void dit_conf_scope_set_frontend(struct dit_conf_scope *scope)
{
	begin(scope, DIT_CONF_GLOBAL);
}

/* The overlays of the front end still allow unknown keywords. */
void dit_conf_scope_set_backend(struct dit_conf_scope *scope, bool is_mdb)
{
	scope->section = DIT_CONF_BACKEND;
	scope->is_mdb_backend = is_mdb;
}

void dit_conf_scope_set_database(struct dit_conf_scope *scope, size_t database)
{
	begin(scope, DIT_CONF_DATABASE);
	scope->database = database;
}
