/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The points in which releases of slapadd treat an entry differently
 * (storage-2.7.md 2.5).
 *
 * Threads: constant data, any thread.
 */
#ifndef DITKIT_RELEASE_RULES_H
#define DITKIT_RELEASE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/openldap.h"
#include "entry/entry.h"

struct dit_release_rules {
	struct dit_entry_context entries; /* all that no release decides is zero */
	bool has_ixck;                    /* a new database has ixck, which is empty */
	bool has_lmdb_10;                 /* its files are of LMDB 1.0 */
};

/**
 * @param version  not DIT_OPENLDAP_FOUND
 * @param patch    level of that release; 0 if it is not known: as the first one
 */
struct dit_release_rules dit_release_rules(enum dit_openldap_version version,
                                           unsigned patch);

struct dit_database; /* settings.h */
struct dit_settings;

/** The context of a database's entries: what the release and the configuration decide.
 * The settings outlive it. */
struct dit_entry_context dit_database_context(const struct dit_release_rules *rules,
                                              const struct dit_settings *settings,
                                              const struct dit_database *db);

/**
 * How many indexes a database can have: slapd opens no more named databases of LMDB than
 * it was built for, and does not start with more. 0 for @p patch gives the lowest limit.
 */
size_t dit_index_limit(enum dit_openldap_version version, unsigned patch);

#endif
