/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparison of the content of two back-mdb environments.
 *
 * Entries are found by DN and their attributes by name; the values of an attribute are a
 * set. The IDs in an index count as the entries that have them. So a database equals one
 * that was loaded from its export, for another release of OpenLDAP as well, although IDs
 * and numbers of attributes differ.
 *
 * An exact comparison compares the names and flags of the named databases, and all
 * records in stored order. Entries are decoded, so that the padding after their last
 * value does not count.
 *
 * Page layout, map size and transaction numbers are not looked at; nor is an ixck that
 * only one of the two has (it belongs to slapd 2.6).
 *
 * Each difference is one line of text. The last line here is no difference, unless order
 * counts:
 *
 *   id2e: "cn=a,dc=x", sn: "Roe" | "Rue"
 *   id2e: "cn=b,dc=x", only in the second
 *   id2e: 812 more differences
 *   cn: "cn=c,dc=x", keys only in the first
 *   id2e: 3 entries differ in the order of values alone
 *
 * Lines about an index leave out entries that differ themselves. Exact comparisons also
 * tell keys:
 *
 *   cn: key 44984567: 2 IDs: 2 3 | 1 IDs: 2
 *
 * The structure of both files is walked first, on several threads: one that is damaged is
 * not compared. <ditkit/check.h> says what is damaged.
 *
 * Threads: callbacks are called from the calling thread only, in which the records are
 * compared.
 */
#ifndef DITKIT_COMPARE_H
#define DITKIT_COMPARE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ditkit/before_open.h>
#include <ditkit/error.h>
#include <ditkit/openldap.h>
#include <ditkit/progress.h>
#include <ditkit/report.h>

/** The phases of dit_progress. */
enum dit_compare_phase {
	DIT_COMPARE_FIRST,   /* pages of the first file */
	DIT_COMPARE_SECOND,  /* of the second one */
	DIT_COMPARE_RECORDS, /* of the named databases; records of the first */
	DIT_COMPARE_NPHASES,
};

struct dit_compare_opts {
	size_t size;       /* of this struct: DIT_COMPARE_OPTS_INIT sets it */
	const char *first; /* directories of the two environments */
	const char *second;

	/*
	 * As of dit_load(): which database of which configuration. It is read only if one
	 * of these names it: for sealed pages (ditcheck(8), "Encrypted databases").
	 */
	const char *conf;
	const char *conf_dir;
	const char *suffix;
	int database;
	enum dit_openldap_version openldap;

	unsigned threads; /* for the walks; 0: as dit_check() */

	/*
	 * Two loads of an LDIF without operational attributes: ignore the values (not
	 * their number and lengths) of entryUUID, entryCSN, createTimestamp,
	 * modifyTimestamp and contextCSN, and the index databases of these.
	 */
	bool ignore_generated;

	/*
	 * For an exact comparison: an index database may have integer keys on one side
	 * only. Its keys are then in another order and are looked up one by one. Other
	 * comparisons always allow that.
	 */
	bool ignore_integerkey;

	/*
	 * All that is stored counts: IDs and numbers of attributes; the order of values,
	 * and of attributes; an attribute that is stored twice in an entry, as slapadd
	 * 2.5 does where lines stand apart; a normal form that equals its value, which
	 * slapd stores of some values only (storage.md 4). Between LMDB 0.9 and 1.0,
	 * where IDs and numbers always differ, the order of values alone.
	 */
	bool is_exact;

	unsigned nreports_max; /* lines for each database, then a count; 0: 20 */

	dit_report_fn report; /* of all but differences; may be NULL */
	void *report_ctx;
	/* May be NULL: a program that runs as root can become another user there. */
	dit_before_open_fn before_open;
	void *before_open_ctx;
	const volatile sig_atomic_t *stop; /* not 0: stop soon; NULL: never */
	dit_progress_fn progress;          /* may be NULL */
	void *progress_ctx;
};

/** Options to begin with: all defaults. Not for static objects. */
#define DIT_COMPARE_OPTS_INIT dit_compare_opts_init()
DIT_OPTS(dit_compare_opts, opts.database = -1)

/**
 * @param differs           gets the differences (DIT_REPORT_DIAGNOSTIC), with @p ctx; may
 *                          be NULL
 * @param ret_ndifferences  found, told or not; 0: the same content
 *
 * @return 0. On any other result but DIT_E_STOPPED a report has told the failure:
 *         what the opening of a snapshot returns; DIT_E_CONFIG; -EINVAL: both are one and
 *         the same environment, one is missing, or an option is out of range; -ENOMEM;
 *         DIT_E_CORRUPT: a file is damaged
 */
DIT_PUBLIC int dit_compare(const struct dit_compare_opts *opts, dit_report_fn differs,
                           void *ctx, uint64_t *ret_ndifferences);

#endif
