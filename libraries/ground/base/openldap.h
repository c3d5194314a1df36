/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Releases of OpenLDAP, as far as they read configurations or store data differently.
 *
 * Differences between releases are data: rows of builtin-schema.tsv and of the tables of
 * directives carry the range of releases that have them. A new release is one value here,
 * one row in openldap.c, and rows in those tables.
 *
 * Threads: constant data, any thread.
 */
#ifndef DITKIT_OPENLDAP_H
#define DITKIT_OPENLDAP_H

#include <stdbool.h>

#include <ditkit/error.h>

/** In order of release. */
enum dit_openldap_version {
	DIT_OPENLDAP_FOUND, /* an option: the release of the slapd on this machine */
	DIT_OPENLDAP_2_5,
	DIT_OPENLDAP_2_6,
	DIT_OPENLDAP_2_7, /* with LMDB 1.0, whose files are of another format */
};

/** The newest known release; also for a slapd that is newer. */
#define DIT_OPENLDAP_NEWEST DIT_OPENLDAP_2_7
/** Where no slapd is found. */
#define DIT_OPENLDAP_ASSUMED DIT_OPENLDAP_2_6

/** Releases from the first to the last; 0: no bound. */
struct dit_openldap_range {
	enum dit_openldap_version first;
	enum dit_openldap_version last;
};

static inline bool dit_openldap_is_in(enum dit_openldap_version version,
                                      struct dit_openldap_range range)
{
	return version >= range.first &&
	       (range.last == DIT_OPENLDAP_FOUND || version <= range.last);
}

/** "2.6". Static; NULL for DIT_OPENLDAP_FOUND, and for what is no release. */
DIT_PUBLIC const char *dit_openldap_name(enum dit_openldap_version version);

/**
 * The release that a name means.
 *
 * @param name  "2.5", "2.6" or "2.7"
 *
 * @return 0; DIT_E_UNKNOWN
 */
DIT_PUBLIC int dit_openldap_parse(const char *name, enum dit_openldap_version *ret);

#endif
