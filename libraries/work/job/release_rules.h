/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules that a release and a configuration make: the points in which releases of slapadd
 * treat an entry differently (storage-2.7.md 2.5), how many indexes there can be, which
 * values are sorted (sortvals), and which are stored apart from their entries (multival).
 *
 * Threads: constant once they are made, any thread.
 */
#ifndef DITKIT_RELEASE_RULES_H
#define DITKIT_RELEASE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/openldap.h"
#include "codec/split_codec.h"
#include "config/settings.h"
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

/**
 * The types that sortvals names.
 *
 * @param ret  a bit for each ordinal of a type; NULL: sortvals is not configured. free()
 *
 * @return 0 or -ENOMEM
 */
int dit_sorted_types_make(const struct dit_settings *settings, uint64_t **ret);

/**
 * The limits of multival in a database.
 *
 * @param ret  NULL: multival is not configured. One piece: free(). Its record_max is that
 *             of LMDB 0.9
 *
 * @return 0 or -ENOMEM
 */
int dit_split_rules_make(const struct dit_database *db, struct dit_split_rules **ret);

#endif
