/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The database that a tool works on: the configuration is read as the release of OpenLDAP
 * in question reads it, and one of its databases is chosen.
 *
 *   dit_chosen_read();  use;  dit_chosen_deinit()
 *
 * or, if the schema is needed to know which one:
 *
 *   dit_chosen_read_settings();  dit_chosen_choose();  use;  dit_chosen_deinit()
 *
 * Threads: one thread reads; afterwards constant but for the schema, see schema.h.
 */
#ifndef DITKIT_CHOSEN_H
#define DITKIT_CHOSEN_H

#include "config/settings.h"

struct dit_chosen_opts {
	const char *conf;                   /* -f; NULL: not given */
	const char *conf_dir;               /* -F; NULL: not given */
	const char *suffix;                 /* -b; NULL: not given */
	int database;                       /* -n; -1: not given */
	const char *tool;                   /* whose words: "slapcat"; NULL: slapadd */
	enum dit_openldap_version openldap; /* FOUND: that of the installed slapd */
	bool is_verbose;                    /* report which release that is */
	dit_report_fn report;               /* may be NULL */
	void *report_ctx;
};

/** Zero is one that was not read. */
struct dit_chosen {
	struct dit_settings *settings;      /* owned; the caller may take it (NULL) */
	const struct dit_database *db;      /* points into the settings */
	enum dit_openldap_version openldap; /* filled first, also on failure */
	bool is_openldap_found;
};

/** @return 0; after a report: DIT_E_CONFIG, -ENOMEM */
int dit_chosen_read(struct dit_chosen *ret, const struct dit_chosen_opts *opts);
/** The first half: db is NULL. Likewise. */
int dit_chosen_read_settings(struct dit_chosen *ret, const struct dit_chosen_opts *opts);
/** The second half. Likewise; on failure nothing is left to deinitialise. */
int dit_chosen_choose(struct dit_chosen *chosen, const struct dit_chosen_opts *opts);
void dit_chosen_deinit(struct dit_chosen *chosen);

/**
 * How many tool threads to start.
 *
 * @param asked     0: tool-threads of the configuration, else one per CPU
 * @param settings  NULL: there is no configuration
 */
unsigned dit_thread_count(unsigned asked, const struct dit_settings *settings);

/** How much memory to use, in bytes, when nobody says how much. */
uint64_t dit_default_memory(unsigned nthreads);

#endif
