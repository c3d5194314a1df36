/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Databases that a load has prepared (is_prepared in load.h): told, put in place,
 * removed.
 *
 *     struct dit_prepared_opts opts = DIT_PREPARED_OPTS_INIT;
 *     struct dit_prepared_stats stats;
 *
 *     opts.conf = "/etc/ldap/slapd.conf";
 *     opts.report = print_line;
 *     r = dit_prepared_publish(&opts, &stats);
 *     dit_prepared_stats_deinit(&stats);
 *
 * A prepared database lies in DIR/ditkit-prepared, with a manifest; a copy of that
 * directory from another host will do as well. Nobody has it open or claimed, and slapd
 * may run on what is in DIR. All databases that one load has prepared are put in place
 * together, or none is. Each function may be called again after a failure, a kill or a
 * loss of power, and after a success.
 *
 * Threads: as dit_load(). Calls for one database wait for each other.
 */
#ifndef DITKIT_PREPARED_H
#define DITKIT_PREPARED_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ditkit/before_open.h>
#include <ditkit/error.h>
#include <ditkit/openldap.h>
#include <ditkit/prepared_state.h>
#include <ditkit/progress.h>
#include <ditkit/report.h>

/** The databases are chosen as for a load (load.h), and so are callbacks called. */
struct dit_prepared_opts {
	size_t size; /* of this struct: DIT_PREPARED_OPTS_INIT sets it */
	const char *conf;
	const char *conf_dir;
	const char *suffix;
	int database;
	bool no_glue;
	enum dit_openldap_version openldap;
	unsigned threads; /* nothing here needs more than one */
	bool may_grow;    /* publish: the file may be larger than maxsize */
	dit_report_fn report;
	void *report_ctx;
	dit_before_open_fn before_open;
	void *before_open_ctx;
	/* publish: the phase is 0; bytes of the data files, read and synced */
	dit_progress_fn progress;
	void *progress_ctx;
	const volatile sig_atomic_t *stop;
	bool replaces; /* publish: in the place of databases that hold entries, too */
};

/** Options to begin with: all defaults. Not for static objects. */
#define DIT_PREPARED_OPTS_INIT dit_prepared_opts_init()
DIT_OPTS(dit_prepared_opts, opts.database = -1)

/** One database, as it was found before the call changed anything. Texts are owned. */
struct dit_prepared_database {
	char *directory;
	enum dit_prepared_state state;
	char *damage;   /* what is wrong with a damaged one; else NULL */
	char *manifest; /* JSON (doc/stats.md); NULL: none that can be read */
	/* From the manifest of one that is ready or published; else 0, and empty: */
	uint64_t nentries;
	uint64_t bytes;       /* of data.mdb */
	char content[33];     /* digest of the content, in hexadecimal digits */
	char time[21];        /* when it was prepared: 2026-01-31T23:59:59Z */
	char published[21];   /* when it was published, if it was */
	uint64_t reserved[8]; /* room for later releases; 0 */
};

struct dit_prepared_stats {
	struct dit_prepared_database *databases; /* the chosen one first */
	size_t ndatabases;
	uint64_t reserved[8]; /* room for later releases; 0 */
};

/**
 * Say what is prepared. Changes nothing.
 *
 * @param ret  of this and the next functions: filled also on failure; the caller passes
 *             it to dit_prepared_stats_deinit() in every case
 *
 * @return 0; reported: DIT_E_CONFIG; -EINVAL: an option is out of range; other -errno
 */
DIT_PUBLIC int dit_prepared_status(const struct dit_prepared_opts *opts,
                                   struct dit_prepared_stats *ret);

/**
 * Put what is prepared in place, all or nothing. Manifests are compared with the
 * configuration, and files with their manifests, first. A database that is published
 * stays as it is.
 *
 * @return 0: all are in place; reported: DIT_E_INVALID: there is something that cannot be
 *         published, or it is of another site or another load; DIT_E_CORRUPT: a file is
 *         not that of its manifest; DIT_E_NOTEMPTY: a database has entries; DIT_E_BUSY,
 *         DIT_E_FULL, DIT_E_STOPPED; others as dit_load()
 */
DIT_PUBLIC int dit_prepared_publish(const struct dit_prepared_opts *opts,
                                    struct dit_prepared_stats *ret);

/**
 * Remove what is prepared, and what is left of an unfinished load. A published database
 * loses its manifest alone.
 *
 * @return 0; reported: DIT_E_BUSY: a load or another tool of ditkit is at work; others as
 *         above
 */
DIT_PUBLIC int dit_prepared_abandon(const struct dit_prepared_opts *opts,
                                    struct dit_prepared_stats *ret);

DIT_PUBLIC void dit_prepared_stats_deinit(struct dit_prepared_stats *stats);

#endif
