/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LDIF changes (RFC 2849) into a database of back-mdb, as a slapd would make them that
 * gets them from ldapmodify.
 *
 *     struct dit_modify_opts opts = DIT_MODIFY_OPTS_INIT;
 *     struct dit_modify_stats stats;
 *
 *     opts.conf = "/etc/ldap/slapd.conf";
 *     opts.input = "changes.ldif";
 *     r = dit_modify(&opts, &stats);
 *     if (r == 0) {
 *             printf("%lu changes\n", stats.nrecords);
 *     }
 *     dit_modify_stats_deinit(&stats);
 *
 * All changes become visible in one step, or none does. No other process may have the
 * database open. The changes are those of slapd's rootdn. They may be of the operational
 * attributes that the relax control allows; the structural class of an entry stays.
 *
 *   changetype     slapd's operation
 *   add            add: the parent must be there
 *   delete         delete: no entry may be below
 *   modify, none   modify: add, delete, replace, increment
 *   modrdn, moddn, modify DN: newsuperior too; all entries below it move
 *   rename
 *
 * Memory: each entry that a change touches is kept until the end, with all its values if
 * the changes are of values: 2 KiB for an entry of 1 KiB.
 *
 * Threads: callbacks are called from the calling thread alone.
 */
#ifndef DITKIT_MODIFY_H
#define DITKIT_MODIFY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ditkit/before_open.h>
#include <ditkit/error.h>
#include <ditkit/openldap.h>
#include <ditkit/progress.h>
#include <ditkit/report.h>

/** The phases of dit_progress. */
enum dit_modify_phase {
	DIT_MODIFY_CHANGES, /* records of the input */
	DIT_MODIFY_INDEXES, /* entries whose index keys change */
	DIT_MODIFY_PUBLISH, /* syncing; bytes of the data file */
	DIT_MODIFY_NPHASES,
};

struct dit_modify_opts {
	size_t size; /* of this struct: DIT_MODIFY_OPTS_INIT sets it */
	/* As of dit_load(): the configuration, and which of its databases. */
	const char *conf;
	const char *conf_dir;
	const char *suffix;
	int database;
	bool no_glue; /* -g */
	enum dit_openldap_version openldap;

	/* As of dit_load(): LDIF, packed or not. */
	const char *input;
	const char *const *inputs;
	size_t ninputs;
	bool no_urls;        /* "attr:< file:..." and "include:" are refused */
	bool special_urls;   /* URLs may name pipes and devices, which may have no end */
	uint64_t first_line; /* -j: leave out records that begin before this line */
	uint64_t record_max_bytes;

	bool keep_going;      /* -c: leave refused records out and go on */
	uint64_t max_rejects; /* with keep_going: one more refused record is an error */
	bool no_schema_check; /* -s */
	bool is_dry_run;      /* -u: the database is not changed */
	bool is_verbose;      /* report every change */
	bool may_grow;        /* the result may be larger than maxsize */
	unsigned sid;         /* -S: 0..4095 */
	/* -w. Where the overlay syncprov is configured, a stored contextCSN is kept up
	 * without it, but for exact changes */
	bool write_context_csn;

	unsigned threads; /* 0: tool-threads of the configuration, else one per CPU */
	uint64_t memory_bytes; /* 0: as dit_load() */

	dit_report_fn report; /* may be NULL */
	void *report_ctx;
	dit_reject_fn reject; /* may be NULL */
	void *reject_ctx;
	/* May be NULL. Called before the database is changed; not with is_dry_run. 0;
	 * -errno ends the work, and nothing is changed; a positive number is -EINVAL. It
	 * reports its failure itself. */
	int (*before_publish)(void *ctx);
	void *before_publish_ctx;
	/* May be NULL: a program that runs as root can become another user there. */
	dit_before_open_fn before_open;
	void *before_open_ctx;
	dit_progress_fn progress; /* may be NULL */
	void *progress_ctx;
	const volatile sig_atomic_t *stop; /* not 0: stop soon; NULL: never */
	/* A database directory in place of the configured one; it implies no_glue. NULL:
	 * the configured one */
	const char *directory;

	/* The changes are those of dit_diff() with exact: they can be of all attributes,
	 * and nothing is added, such as modifyTimestamp. */
	bool is_exact;
	/* Such changes tell the digest of the state that they are for. Make them even if
	 * that is not the database's. */
	bool may_mismatch;
	/* Make no changes from an input, which is not read, but those that the overlay
	 * memberof of the database would have made: memberOf of all entries becomes what
	 * the members of groups say. DIT_E_CONFIG: there is no such overlay */
	bool mends_memberof;
};

/** Options to begin with: all defaults. Not for static objects. */
#define DIT_MODIFY_OPTS_INIT dit_modify_opts_init()
DIT_OPTS(dit_modify_opts, opts.database = -1, opts.max_rejects = UINT64_MAX)

struct dit_modify_stats {
	uint64_t nrecords; /* of changes, read */
	uint64_t nadded;
	uint64_t ndeleted;
	uint64_t nmodified;
	uint64_t nrenamed; /* records; entries below are not counted */
	uint64_t nrefused; /* records that were left out */
	uint64_t nentries; /* that differ from what they were */
	uint64_t bytes_read;
	uint64_t npostings; /* of indexes, that were added or removed */
	unsigned threads;
	enum dit_openldap_version openldap; /* release used; FOUND: not known yet */
	bool is_openldap_found;             /* the release is the installed slapd's */
	char *directory;                    /* of the database; NULL: not known; owned */
	uint64_t bytes;                     /* of data.mdb at the end */
	uint64_t phase_us[DIT_MODIFY_NPHASES];     /* wall clock */
	uint64_t phase_cpu_us[DIT_MODIFY_NPHASES]; /* of all threads of the process */
	uint64_t nmemberships_added;               /* with mends_memberof */
	uint64_t nmemberships_removed;
	uint64_t reserved[6]; /* room for later releases; 0 */
};

/**
 * Run the changes.
 *
 * @param ret  filled also on failure, as far as the work came; the caller passes it to
 *             dit_modify_stats_deinit() in every case
 *
 * @return 0: the changes are in place; nrefused may not be 0. On any other result the
 *         database is unchanged, and a report has told the failure:
 *         DIT_E_REFUSED: a record was refused and keep_going is off, or more than
 *         max_rejects records were refused;
 *         DIT_E_INVALID: an input is no LDIF, or is damaged;
 *         DIT_E_CONFIG: the configuration is wrong;
 *         DIT_E_UNSUPPORTED: reject is given, and the database is encrypted;
 *         DIT_E_BUSY: another process has the database open;
 *         DIT_E_FULL: the result does not fit maxsize;
 *         DIT_E_UNKNOWN: the database has no entries;
 *         DIT_E_TOOLONG: a record takes more than record_max_bytes; no entry ID, or no
 *         number of an attribute description, is left;
 *         DIT_E_CORRUPT: the database is damaged;
 *         DIT_E_STOPPED: the caller set *stop;
 *         -EINVAL: an option is out of range;
 *         -EPERM: root runs it, and another user can exchange names in the directory;
 *         -ENOSPC and other -errno, LMDB's codes
 */
DIT_PUBLIC int dit_modify(const struct dit_modify_opts *opts,
                          struct dit_modify_stats *ret);

/** Free the memory that dit_modify() put into @p stats. */
DIT_PUBLIC void dit_modify_stats_deinit(struct dit_modify_stats *stats);

#endif
