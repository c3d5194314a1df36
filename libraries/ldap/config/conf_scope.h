/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scope of the line, or of the tree's value, that is being read: its words, and the
 * part of the configuration that it belongs to.
 *
 *     include a.conf     dit_conf_scope_enter(): place and depth of a.conf
 *       database mdb     the section is the new database
 *       suffix dc=x
 *                        dit_conf_scope_leave(): place, depth and words of "include"
 *     index cn eq        the section is still the database
 *
 * As in slapd, a section that an included file begins goes on after the include. The end
 * of the file, also one that an error brings, restores the rest.
 *
 * Lifetime: one reading of a configuration. Raw text and words belong to the function
 * that runs the line; the scope points to them until it ends.
 *
 * Threads: one.
 */
#ifndef DITKIT_CONF_SCOPE_H
#define DITKIT_CONF_SCOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/conf_reporter.h"

/** A part of the configuration: says which directives are known and what they set. */
enum dit_conf_section {
	DIT_CONF_GLOBAL, /* the front end as well */
	DIT_CONF_BACKEND,
	DIT_CONF_DATABASE,
};

struct dit_conf_scope {
	/* stay after an include */
	enum dit_conf_section section;
	bool is_mdb_backend;    /* section BACKEND: of mdb */
	bool has_overlay;       /* unknown keywords may be the overlay's */
	size_t database;        /* section DATABASE: place in settings->databases */
	unsigned default_kinds; /* "index default" */
	unsigned nnested;       /* files that included files have included */

	/* restored after an include */
	unsigned depth;  /* files that are open; 1: the first one */
	const char *raw; /* text of the line, unsplit */
	char **words;    /* keyword first, NULL after the last */
	size_t nwords;
};

/** The state that the end of an included file restores. */
struct dit_conf_outer {
	struct dit_conf_place place;
	const char *raw;
	char **words;
	size_t nwords;
};

/**
 * Begin the lines of a file.
 *
 * @param file  as in struct dit_conf_place
 *
 * @return 0, and dit_conf_scope_leave() has to follow; DIT_E_CONFIG after a report: too
 *         many files are open, or were included by included ones
 */
int dit_conf_scope_enter(struct dit_conf_scope *scope, struct dit_conf_reporter *reporter,
                         const char *file, struct dit_conf_outer *ret_outer);

/** Return to the line that includes the file. */
void dit_conf_scope_leave(struct dit_conf_scope *scope,
                          struct dit_conf_reporter *reporter,
                          const struct dit_conf_outer *outer);

/** Begin the front end. Its directives are global ones. */
void dit_conf_scope_set_frontend(struct dit_conf_scope *scope);

void dit_conf_scope_set_backend(struct dit_conf_scope *scope, bool is_mdb);

/** @param database  place in settings->databases */
void dit_conf_scope_set_database(struct dit_conf_scope *scope, size_t database);

#endif
