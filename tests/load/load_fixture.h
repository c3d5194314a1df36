/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A directory for load tests: a small schema and slapd.conf of its own, an LDIF writer,
 * and a digest of all that a database holds.
 */
#ifndef DITKIT_LOAD_FIXTURE_H
#define DITKIT_LOAD_FIXTURE_H

#include "lmdb_test.h"
#include "load/load.h"
#include "reader/snapshot.h"

struct load_fixture {
	char *dir;
	char conf[4200];
	char input[4200];
	char database[4200]; /* directory */
	char subordinate[4200];
	char tmpdir[4200];
	enum dit_openldap_version openldap; /* of loads; FOUND unless a test sets it */
	char *reports; /* all report lines, errors with "error: " in front */
	char *rejects;
};

/** @param extra lines for the database section, e.g. "maxsize 100000\n" */
void load_fixture_init(struct load_fixture *fixture, const char *extra);
/** The same with a subordinate database that holds ou=Dept 3, a fourth of the people. */
void load_fixture_init_glued(struct load_fixture *fixture, const char *extra);
void load_fixture_deinit(struct load_fixture *fixture);

/** The same; what they return goes when the test has ended. */
struct load_fixture *load_fixture_new(const char *extra);
struct load_fixture *load_fixture_new_glued(const char *extra);
/** The same with @p nentries people, who are loaded. */
struct load_fixture *load_fixture_new_people(unsigned nentries);

/**
 * Write the input: @p nentries people in four departments with all operational
 * attributes.
 */
void load_fixture_write_people(struct load_fixture *fixture, unsigned nentries);
void load_fixture_write(struct load_fixture *fixture, const char *ldif);
void load_fixture_write_bytes(struct load_fixture *fixture, const void *bytes,
                              size_t len);

/** Cut the input file after record @p n; @p second is the name of the rest. */
void load_fixture_split(const struct load_fixture *fixture, unsigned n,
                        const char *second);
/** Write such an input, and load it. */
void load_fixture_load_people(struct load_fixture *fixture, unsigned nentries);

/** The present state of a database, whatever others do with it; NULL: there is none. */
struct dit_snapshot *load_fixture_snapshot(const char *directory);

/** The topmost page of a named database is no page any more. */
void load_fixture_damage_tree(const char *directory, const char *name);
/** Its first two keys have the wrong order. */
void load_fixture_swap_keys(const char *directory, const char *name);

/** Options that load the input into the database and collect reports and rejects. */
struct dit_load_opts load_fixture_opts(struct load_fixture *fixture);

/** dit_load() for tests that do not look at its figures. */
int load_fixture_run(const struct dit_load_opts *opts);

/** Forget reports and rejects. */
void load_fixture_forget(struct load_fixture *fixture);

/** The same, and empty the database directories. */
void load_fixture_reset(struct load_fixture *fixture);

/** Does a check find nothing? It says what it finds. @param is_quick  structure alone */
bool load_fixture_is_sound(const struct load_fixture *fixture, bool is_quick);

/** Over names, flags, keys and values of all named databases; 0: there is no database. */
uint64_t load_fixture_digest(const struct load_fixture *fixture);
/** The same of any database directory. */
uint64_t load_fixture_digest_of(const char *directory);

/** True if the database directories hold nothing at all. */
int load_fixture_is_empty(const struct load_fixture *fixture);

#endif
