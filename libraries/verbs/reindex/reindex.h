/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rebuild the index databases of back-mdb databases from their entries.
 *
 *     struct dit_reindex_opts opts = DIT_REINDEX_OPTS_INIT;
 *     struct dit_reindex_stats stats;
 *
 *     opts.conf = "/etc/ldap/slapd.conf";
 *     opts.report = print_line;
 *     r = dit_reindex(&opts, &stats);
 *     dit_reindex_stats_deinit(&stats);
 *
 * The result holds the records that "slapindex -t" stores, whatever the index databases
 * held before. Nothing is copied: the new index databases are written into free pages of
 * the data file and after its end. One commit puts all of them in the place of the old
 * ones. If the work fails, or the process is killed, the old ones are all there.
 *
 * Without the option online no other process may have the database open.
 *
 * Threads: dit_reindex() blocks. It starts and joins its own threads, and it calls the
 * callbacks from the calling thread only. One process may work on several databases at
 * the same time.
 */
#ifndef DITKIT_REINDEX_H
#define DITKIT_REINDEX_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ditkit/before_open.h>
#include <ditkit/error.h>
#include <ditkit/index_cost.h>
#include <ditkit/openldap.h>
#include <ditkit/progress.h>
#include <ditkit/report.h>

/** The phases of dit_progress. The first two come again for each database. */
enum dit_reindex_phase {
	DIT_REINDEX_ENTRIES, /* entries are read, keys are made; entries and holes */
	DIT_REINDEX_INDEXES, /* keys are sorted, index databases are written; postings */
	DIT_REINDEX_PUBLISH, /* synced and put in place; nothing is counted */
	DIT_REINDEX_NPHASES,
};

#define DIT_REINDEX_MEMORY_MIN (8u << 20) /* bytes */

struct dit_reindex_opts {
	size_t size; /* of this struct: DIT_REINDEX_OPTS_INIT sets it */
	/* As of dit_load(): which database of which configuration. */
	const char *conf;
	const char *conf_dir;
	const char *suffix;
	int database;
	enum dit_openldap_version openldap;
	bool no_glue; /* -g: leave subordinate databases alone */

	/* The attributes whose index databases are built; each must be configured. None:
	 * all index databases that are configured. */
	const char *const *attrs;
	size_t nattrs;

	bool keep_going; /* -c: leave out entries that cannot be read, and go on */
	bool is_verbose; /* report every entry */
	bool byte_keys;  /* new index databases with slapd's own flags */
	/* Count ranges and lengths of lists (struct dit_index_cost). */
	bool counts_lists;
	/* Other processes may use and change the database: see ditindex(8). Several
	 * databases then get their new indexes one after the other. */
	bool online;
	bool drop_unconfigured; /* remove index databases that are not configured */

	unsigned threads; /* 0: tool-threads of the configuration, else one per CPU */
	uint64_t memory_bytes; /* at least DIT_REINDEX_MEMORY_MIN; 0: as of dit_load() */
	const char *tmpdir;    /* for sorted runs; NULL or empty: $TMPDIR, else /tmp */

	dit_report_fn report; /* may be NULL */
	void *report_ctx;
	/* May be NULL: a program that runs as root can become another user there. */
	dit_before_open_fn before_open;
	void *before_open_ctx;
	dit_progress_fn progress; /* may be NULL */
	void *progress_ctx;
	/* May be NULL; a value other than 0 ends the work. */
	const volatile sig_atomic_t *stop;
};

/** Options to begin with: all defaults. Not for static objects. */
#define DIT_REINDEX_OPTS_INIT dit_reindex_opts_init()
DIT_OPTS(dit_reindex_opts, opts.database = -1)

/** Most rounds in which new index databases catch up with others. */
#define DIT_REINDEX_ROUNDS_MAX 9

/** Entries that others changed since the round before, and their keys. */
struct dit_reindex_round {
	uint64_t nentries; /* one of an earlier round may come again */
	uint64_t us;       /* wall clock */
};

/** One database. */
struct dit_reindex_database_stats {
	char *directory;
	uint64_t nentries;     /* entries read */
	uint64_t nbroken;      /* entries left out (keep_going) */
	uint64_t bytes_before; /* of data.mdb's pages, in use or free; 0: online */
	uint64_t bytes;        /* the same at the end */
	uint64_t nchanged;     /* online: entries that others changed */
	uint64_t locked_us;    /* online: how long LMDB's write lock was held, in all */
	uint64_t longest_us;   /* online: the longest time without a break */
	/* Online: the rounds; the last one while LMDB's write lock was held. */
	struct dit_reindex_round rounds[DIT_REINDEX_ROUNDS_MAX];
	size_t nrounds;
	struct dit_index_stats *indexes;
	size_t nindexes;
	uint64_t reserved[8]; /* room for later releases; 0 */
};

struct dit_reindex_stats {
	unsigned threads;
	uint64_t run_bytes;                         /* written to temporary files */
	uint64_t phase_us[DIT_REINDEX_NPHASES];     /* wall clock */
	uint64_t phase_cpu_us[DIT_REINDEX_NPHASES]; /* of all threads of the process */
	struct dit_reindex_database_stats *databases;
	size_t ndatabases;
	uint64_t reserved[8]; /* room for later releases; 0 */
};

/**
 * @param ret  filled also on failure, as far as the work came; the caller passes it to
 *             dit_reindex_stats_deinit() in every case
 *
 * @return 0: the new index databases are in place. slapindex's exit status is 1 all the
 *         same if entries were left out. On any other result the databases are
 *         unchanged, and a report has told the failure: DIT_E_CONFIG, DIT_E_BUSY,
 *         DIT_E_FULL (the result does not fit maxsize), DIT_E_FORMAT (of LMDB 1.0, and
 *         online), DIT_E_CORRUPT, DIT_E_STOPPED, -EINVAL: an option is out of range,
 *         or online and drop_unconfigured are given; -ENOSPC and other -errno,
 *         LMDB's codes
 */
DIT_PUBLIC int dit_reindex(const struct dit_reindex_opts *opts,
                           struct dit_reindex_stats *ret);

/** Free the memory that dit_reindex() put into @p stats. */
DIT_PUBLIC void dit_reindex_stats_deinit(struct dit_reindex_stats *stats);

/**
 * Estimate dit_reindex(), by some of the stored entries: as dit_estimate_load(). The
 * callbacks report and before_open of @p opts are called, the others are not.
 *
 * @param sample_bytes  of the entries, about; 0: 8 MiB
 * @param ret           filled also on failure; the caller passes it to
 *                      dit_estimate_deinit() in every case
 */
DIT_PUBLIC int dit_estimate_reindex(const struct dit_reindex_opts *opts,
                                    uint64_t sample_bytes, struct dit_estimate *ret);

#endif
