/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The differences of two back-mdb databases as LDIF changes (RFC 2849), which ldapmodify
 * takes in the order in which they are written.
 *
 *     struct dit_diff_opts opts = DIT_DIFF_OPTS_INIT;
 *     struct dit_diff_stats stats;
 *
 *     opts.conf = "/etc/ldap/slapd.conf";
 *     opts.first = "/backup/yesterday";
 *     r = dit_diff(&opts, write_to_file, file, &stats);
 *     if (r == 0) {
 *             printf("%lu changes\n", dit_diff_nchanges(&stats));
 *             dit_diff_stats_deinit(&stats);
 *     }
 *
 * An entry of the second database is the same as the one of the first that has its
 * entryUUID; if there is none, as the one that has its DN. Values are compared by the
 * equality rule of their attribute and then by their bytes. The order of values counts
 * where the schema says X-ORDERED.
 *
 * Order of the changes:
 *
 *   delete   entries that are gone with all below them, children first
 *   add,     parents first. If a name is taken, its owner is renamed first,
 *   modrdn   or waits below an entry that is added for that
 *   delete   the other entries that are gone, and the entry that was added
 *   modify   what else differs, one value at a time
 *
 * Memory: up to memory_bytes for sorting; the rest goes to temporary files. An entry that
 * is modified where it is takes 16 bytes more; one that is added or deleted 300, one that
 * is renamed 500, names included.
 *
 * Threads: callbacks are called from the calling thread alone.
 */
#ifndef DITKIT_DIFF_H
#define DITKIT_DIFF_H

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

struct dit_known_source; /* the library's own */

/** The phases of dit_progress. */
enum dit_diff_phase {
	DIT_DIFF_FIRST,   /* entries of the first database */
	DIT_DIFF_SECOND,  /* of the second one */
	DIT_DIFF_CHANGES, /* changes that were written */
	DIT_DIFF_NPHASES,
};

struct dit_diff_opts {
	size_t size; /* of this struct: DIT_DIFF_OPTS_INIT sets it */
	/* As of dit_load(): which database of which configuration. Its schema says which
	 * attributes are operational and how values are compared. */
	const char *conf;
	const char *conf_dir;
	const char *suffix;
	int database;
	enum dit_openldap_version openldap;

	/* Directories of the two databases; NULL: the configured one, not both. */
	const char *first;
	const char *second;

	const char *base;   /* a DN: the entry and all below it; NULL: all */
	const char *filter; /* RFC 4515: entries that match it alone; NULL: all */
	/* Attributes, with their subtypes, that are compared in entries which both
	 * databases have. None: all. */
	const char *const *attrs;
	size_t nattrs;
	/* Operational attributes count, too, but for entryCSN, contextCSN and
	 * structuralObjectClass. Such changes need the relax control. Without this,
	 * ref, subtreeSpecification and administrativeRole alone count. */
	bool operational;
	unsigned wrap; /* columns of a line; 0: 78; UINT_MAX: lines are not folded */

	unsigned threads; /* 0: tool-threads of the configuration, else one per CPU */
	uint64_t memory_bytes; /* for sorting; 0: as dit_load() */
	const char *tmpdir;    /* NULL or empty: $TMPDIR, else /tmp */

	dit_report_fn report; /* may be NULL */
	void *report_ctx;
	/* May be NULL: a program that runs as root can become another user there. */
	dit_before_open_fn before_open;
	void *before_open_ctx;
	dit_progress_fn progress; /* may be NULL */
	void *progress_ctx;
	const volatile sig_atomic_t *stop; /* not 0: stop soon; NULL: never */

	/* In place of changes, write gets a digest of the first database: JSON, 3 MB at
	 * most (ditdiff(8), "DIGESTS"). */
	bool digest;
	/* Files with such digests, in place of databases; NULL: none. In place of
	 * changes, write gets a line for each difference that is found. */
	const char *digests[2];

	/* All attributes count, entryCSN, contextCSN and structuralObjectClass as well:
	 * the changes are for dit_modify() with is_exact. They begin with comment lines
	 * that have the digests of both states, and the CSNs of the second one. */
	bool exact;

	/*
	 * A state that is no database as yet, as LDIF: is_made says so of each, and first
	 * or second is not looked at. This function makes the database, by dit_load().
	 *
	 * @param known          for dit_load_opts.known; NULL: nothing is known
	 * @param ret_directory  of the database; borrowed until dit_diff() returns
	 *
	 * @return 0; an error that ends the work, and that was reported
	 *
	 * If both states are made, they may be those of the configuration (database 0).
	 */
	int (*make)(void *ctx, unsigned number, const struct dit_known_source *known,
	            const char **ret_directory);
	void *make_ctx;
	bool is_made[2];
};

/** Options to begin with: all defaults. Not for static objects. */
#define DIT_DIFF_OPTS_INIT dit_diff_opts_init()
DIT_OPTS(dit_diff_opts, opts.database = -1)

struct dit_diff_count {
	char *name; /* owned */
	uint64_t n;
};

struct dit_diff_stats {
	uint64_t nentries[2]; /* of each database, those that were compared */
	uint64_t nadded;
	uint64_t ndeleted;
	uint64_t nrenamed; /* of a subtree that moved, the topmost entry */
	uint64_t nmodified;
	uint64_t ntemporary; /* entries that free names for a while */
	/* The attributes of nmodified entries; by name; owned. */
	struct dit_diff_count *attrs;
	size_t nattrs;
	/* The entries right below the suffix, each with the changes below it, and the
	 * suffix with all others; by number, the largest first; owned. */
	struct dit_diff_count *branches;
	size_t nbranches;
	/* With digests. */
	bool differs;
	uint64_t nsubtrees;   /* that differ */
	uint64_t nnamed;      /* entries of a database that differ, or may */
	uint64_t nmissing;    /* entries that it lacks, at least */
	uint64_t reserved[2]; /* room for later releases; 0 */
};

/** All changes; 0: the databases are equal. Not with digests. */
static inline uint64_t dit_diff_nchanges(const struct dit_diff_stats *stats)
{
	return stats->nadded + stats->ndeleted + stats->nrenamed + stats->nmodified;
}

/** Takes LDIF. 0; a negative result ends the work. */
typedef int (*dit_diff_write_fn)(void *ctx, const char *data, size_t len);

/**
 * @param write  gets the changes; NULL: they are counted
 * @param ret    owned: dit_diff_stats_deinit(). Set on success alone
 *
 * @return 0; what write returned. On any other result but DIT_E_STOPPED a report has told
 *         the failure: DIT_E_CONFIG; -EINVAL: an option is out of range, or both are one
 *         database, or neither has the base, or their topmost entries differ, or one
 *         lacks an entry that has others below it; DIT_E_CORRUPT: an entry cannot be
 *         read; DIT_E_INVALID: a file is no digest; what dit_entry_scan_open() returns;
 *         -ENOMEM; -errno of temporary files
 */
DIT_PUBLIC int dit_diff(const struct dit_diff_opts *opts, dit_diff_write_fn write,
                        void *ctx, struct dit_diff_stats *ret);
DIT_PUBLIC void dit_diff_stats_deinit(struct dit_diff_stats *stats);

#endif
