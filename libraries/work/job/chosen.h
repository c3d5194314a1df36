/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The database that a tool works on. The configuration is read by the rules of one
 * release of OpenLDAP, and one of its databases is chosen.
 *
 *   dit_chosen_read();  use;  dit_chosen_deinit()
 *
 * or, if the caller needs the schema to choose:
 *
 *   dit_chosen_read_settings();  dit_chosen_choose();  use;  dit_chosen_deinit()
 *
 * Threads: one thread reads. Afterwards all is constant, except the schema (schema.h).
 */
#ifndef DITKIT_CHOSEN_H
#define DITKIT_CHOSEN_H

#include "config/settings.h"

struct dit_chosen_opts {
	const char *conf;                   /* -f; NULL: not given */
	const char *conf_dir;               /* -F; NULL: not given */
	const char *suffix;                 /* -b; NULL: not given */
	int database;                       /* -n; -1: not given */
	const char *tool;                   /* in messages: "slapcat"; NULL: slapadd */
	enum dit_openldap_version openldap; /* FOUND: that of the installed slapd */
	bool is_verbose;                    /* report the release */
	dit_report_fn report;               /* may be NULL */
	void *report_ctx;
};

/** Zero: not read yet. */
struct dit_chosen {
	struct dit_settings *settings;      /* owned; the caller may take it (NULL) */
	const struct dit_database *db;      /* points into the settings */
	enum dit_openldap_version openldap; /* filled first, also on failure */
	bool is_openldap_found;
};

/** @return 0; after a report: DIT_E_CONFIG, -ENOMEM */
int dit_chosen_read(struct dit_chosen *ret, const struct dit_chosen_opts *opts);
/** The first half: db stays NULL. The same results. */
int dit_chosen_read_settings(struct dit_chosen *ret, const struct dit_chosen_opts *opts);
/** The second half. The same results; after a failure @p chosen is deinitialised. */
int dit_chosen_choose(struct dit_chosen *chosen, const struct dit_chosen_opts *opts);
void dit_chosen_deinit(struct dit_chosen *chosen);

/**
 * How many tool threads to start.
 *
 * @param asked     0: tool-threads of the configuration, else one per CPU; of more than
 *                  1024 these are taken
 * @param settings  NULL: there is no configuration
 */
unsigned dit_thread_count(unsigned asked, const struct dit_settings *settings);

/**
 * How long an LDIF record may be by default, in bytes. Its text and its values are held
 * in memory, two to four times its length in all. So: a quarter of the machine's memory,
 * and 4 GiB at most, since no database has a longer entry (storage.md 4).
 */
uint64_t dit_default_record_max(void);

/** How much memory to use by default, in bytes. */
uint64_t dit_default_memory(unsigned nthreads);

#endif
