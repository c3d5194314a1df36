/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small database, changes to it, and what it holds afterwards.
 *
 *   f = modify_fixture_new("lastmod off\n");       loaded with modify_fixture_entries
 *   r = modify_fixture_run(f, NULL, "dn: ...");
 *   text = modify_fixture_show(f, NULL);
 */
#ifndef DITKIT_MODIFY_FIXTURE_H
#define DITKIT_MODIFY_FIXTURE_H

#include "load/load_fixture.h"
#include "modify/modify.h"

struct modify_fixture {
	struct load_fixture load;      /* its input holds the changes; reports, rejects */
	struct dit_modify_stats stats; /* of the latest run */
	bool is_sealed;                /* so no rejects are collected */
};

/** 1 dc=x, 2 ou=a,dc=x, 3 ou=b,dc=x, 4 cn=one,ou=a,dc=x. */
extern const char modify_fixture_entries[];

/** For 2.6. The fixture goes when the test has ended. @param extra  lines for the
 * database section */
struct modify_fixture *modify_fixture_new(const char *extra);
struct modify_fixture *modify_fixture_new_for(enum dit_openldap_version openldap,
                                              const char *extra);
/** Load an LDIF into the database, which is emptied before. */
void modify_fixture_load(struct modify_fixture *f, const char *ldif);

/** One thread; reports and rejects are collected. */
struct dit_modify_opts modify_opts_of(struct load_fixture *f);
/** The same, without rejects if the database is sealed. */
struct dit_modify_opts modify_fixture_opts(struct modify_fixture *f);
/** Forget reports and rejects, and make changes. @param opts  NULL: the above */
int modify_fixture_run(struct modify_fixture *f, const struct dit_modify_opts *opts,
                       const char *changes);

/** Make changes, of which no report is made, and check the database. */
void run_well(struct modify_fixture *f, const char *changes);

/** A check of the database finds nothing. */
void modify_fixture_check(struct modify_fixture *f);
/** LDIF of all entries, or of that at the base. Owned. @param is_verbose  with IDs */
char *modify_fixture_export(const struct modify_fixture *f, const char *base,
                            bool is_verbose);
/** "ID DN" of each entry, in the order of IDs. Owned */
char *modify_fixture_list(struct modify_fixture *f);
void assert_listed(struct modify_fixture *f, const char *want);
/** The values of an entry that are not of its class and name: "a: 1, b: 2". Owned
 * @param dn  NULL: cn=one */
char *modify_fixture_show(struct modify_fixture *f, const char *dn);
void assert_shown(struct modify_fixture *f, const char *dn, const char *want);

#endif
