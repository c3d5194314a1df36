/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Glued databases (config.md 5): which databases a load writes, and which of them holds
 * an entry.
 *
 *   chosen by        chosen is      entries below a subordinate's suffix go to
 *   -b, default      superior       the subordinate
 *   default, -g      superior       the chosen database
 *   -b, -g           superior       nowhere: refused
 *   -n               superior       nowhere: refused; the subordinate's files are made
 *   -b, -n           subordinate    nowhere: refused
 *
 * A subordinate of a subordinate is glued to the same superior. Hidden and disabled
 * subordinates get their entries, too.
 *
 *   dit_glue_make();  dit_glue_select(), dit_glue_find() ...;  dit_glue_deinit()
 *
 * Threads: constant once it is made.
 */
#ifndef DITKIT_GLUE_H
#define DITKIT_GLUE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/settings.h"
#include "values/dn.h"

/** How the database was chosen. */
struct dit_glue_opts {
	const struct dit_settings
		*settings; /* borrowed, as is all that points into them */
	const struct dit_database *chosen;
	bool has_number; /* by -n */
	bool has_suffix; /* by -b */
	bool no_glue;    /* -g */
};

/** Zero is one that was not made. */
struct dit_glue {
	const struct dit_settings *settings;
	/* Those that are written: the chosen one, then its subordinates as defined. */
	const struct dit_database **databases;
	size_t ndatabases;
	bool is_glued; /* subordinate databases are not selected: their entries are the
	                * chosen database's business */
};

/**
 * @param ret_orphan  with DIT_E_CONFIG: a subordinate database without a superior. slapd
 *                    does not start with one, whichever database is chosen.
 *
 * @return 0; -ENOMEM; DIT_E_CONFIG
 */
int dit_glue_make(struct dit_glue *glue, const struct dit_glue_opts *opts,
                  const struct dit_database **ret_orphan);
void dit_glue_deinit(struct dit_glue *glue);

/** The database that slapadd would select for a DN; NULL: none. */
const struct dit_database *dit_glue_select(const struct dit_glue *glue,
                                           const struct dit_dn *dn);

/** The number in `databases` of the one that gets a DN; -1: the load has none for it. */
int dit_glue_find(const struct dit_glue *glue, const struct dit_dn *dn);

#endif
