/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load an LDIF into back-mdb databases, all or nothing.
 *
 *     struct dit_load_opts opts = DIT_LOAD_OPTS_INIT;
 *     struct dit_load_stats stats;
 *
 *     opts.conf = "/etc/ldap/slapd.conf";
 *     opts.input = "people.ldif";
 *     opts.report = print_line;
 *     r = dit_load(&opts, &stats);
 *     dit_load_stats_deinit(&stats);
 *
 * What slapadd would store is built beside the database's place and becomes visible by
 * one rename at the end, synced to disk; a database that holds entries already gets more
 * in one transaction. On failure, and when the process is killed at any moment, it is what
 * it was before.
 *
 * Threads: dit_load() blocks; it starts and joins its own threads and calls the callbacks
 * from the calling thread only. Several loads, of different databases, may run in one
 * process.
 */
#ifndef DITKIT_LOAD_H
#define DITKIT_LOAD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ditkit/error.h>
#include <ditkit/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A record that was not stored. All pointers are valid during the call only. */
struct dit_reject {
	const char *record; /* its lines as they came, not NUL-terminated */
	size_t record_len;
	uint64_t line;      /* as in the messages */
	const char *dn;     /* pretty; as typed if unreadable; "" if there is none */
	const char *reason; /* last report about it, without the program's name */
};

/** @return 0, or -errno to end the load */
typedef int (*dit_reject_fn)(void *ctx, const struct dit_reject *reject);

enum dit_load_phase {
	DIT_LOAD_ENTRIES, /* reading and storing entries */
	DIT_LOAD_NAMES,   /* writing the tree */
	DIT_LOAD_INDEXES, /* writing the index databases */
	DIT_LOAD_PUBLISH, /* syncing and putting in place */
	DIT_LOAD_NPHASES,
};

struct dit_progress {
	enum dit_load_phase phase;
	uint64_t nentries;    /* stored so far */
	uint64_t bytes_read;  /* of the input */
	uint64_t bytes_total; /* 0: unknown, a pipe */
};

typedef void (*dit_progress_fn)(void *ctx, const struct dit_progress *progress);

struct dit_load_opts {
	/*
	 * -f, a slapd.conf, and -F, a cn=config tree; NULL: not given. Without both, the
	 * tree and then the file that were built in.
	 */
	const char *conf;
	const char *conf_dir;
	const char *suffix; /* -b; NULL: not given */
	int database;       /* -n; -1: not given */
	const char *input;  /* LDIF file; NULL: standard input */

	bool no_glue;         /* -g: subordinate databases are left alone */
	bool is_quick;        /* -q: attribute lines are taken in the order they come */
	bool keep_going;      /* -c: leave refused records out */
	bool no_schema_check; /* -s */
	bool check_values;    /* -o value-check=yes; not with is_quick, which is told */
	bool is_dry_run;      /* -u: no database is opened */
	bool is_verbose;      /* report every entry stored */
	bool byte_keys; /* index databases with slapd's own flags: no MDB_INTEGERKEY */
	bool may_grow;  /* the result may be larger than maxsize */
	bool use_page_cache; /* for the database; else it is written past it if possible */
	uint64_t first_line;    /* -j: leave out records that begin before it */
	uint64_t max_rejects;   /* with keep_going: more refused records end the load */
	unsigned sid;           /* -S: 0..4095 */
	bool write_context_csn; /* -w */

	unsigned threads; /* 0: tool-threads of the configuration, else one per CPU */
	/* 0: 128 MiB a thread, from 256 MiB to 1 GiB, a quarter of the machine's at most;
	 * DIT_LOAD_MEMORY_MIN at least */
	uint64_t memory_bytes;
	const char *tmpdir;   /* for sorted runs; NULL: $TMPDIR, else /tmp */
	size_t batch_bytes;   /* of LDIF in a batch; 0: chosen from memory_bytes */
	size_t batch_records; /* in a batch at most; 0: 512 */

	dit_report_fn report; /* may be NULL */
	void *report_ctx;
	dit_reject_fn reject; /* may be NULL */
	void *reject_ctx;
	dit_progress_fn progress; /* may be NULL; once per batch and phase */
	void *progress_ctx;
	const volatile sig_atomic_t *stop; /* may be NULL; nonzero ends the load */
};

#define DIT_LOAD_MEMORY_MIN (8u << 20)

#define DIT_LOAD_OPTS_INIT                                                               \
 {                                                                                       \
  .database = -1, .max_rejects = UINT64_MAX                                              \
 }

struct dit_load_index_stats {
	char *name;
	bool is_integerkey;
	uint64_t npostings; /* made; repeats counted */
	uint64_t nkeys;     /* written */
};

/** One database that was written. */
struct dit_load_database_stats {
	char *directory;
	uint64_t nentries; /* stored */
	uint64_t bytes;    /* size of data.mdb */
	struct dit_load_index_stats *indexes;
	size_t nindexes;
};

struct dit_load_stats {
	uint64_t nrecords; /* read; without those that -j leaves out */
	uint64_t nentries; /* stored */
	uint64_t nrefused; /* by parse and checks */
	uint64_t nfailed;  /* while storing: duplicates, sizes */
	uint64_t nmissing; /* entries that others need as parents, but that never came */
	uint64_t bytes_read;
	uint64_t run_bytes;                        /* of temporary files */
	unsigned threads;                          /* used */
	uint64_t phase_us[DIT_LOAD_NPHASES];       /* wall clock */
	struct dit_load_database_stats *databases; /* the chosen one first */
	size_t ndatabases; /* 0 before the configuration was read */
};

/**
 * Run one load.
 *
 * @param ret  always filled as far as the load came; dit_load_stats_deinit() it
 *
 * @return 0: the database is in place (slapadd's exit status would still be 1 if nfailed
 *         or nmissing is not 0). Otherwise nothing was changed: DIT_E_REFUSED: a record
 *         was refused, without keep_going, or more than max_rejects were; DIT_E_CONFIG,
 *         DIT_E_BUSY,
 *         DIT_E_FULL, DIT_E_STOPPED, -EINVAL (options out of range), -ENOSPC and other
 *         -errno, LMDB's codes. Every failure has been reported.
 */
DIT_PUBLIC int dit_load(const struct dit_load_opts *opts, struct dit_load_stats *ret);

/** Free what dit_load() put into @p stats. */
DIT_PUBLIC void dit_load_stats_deinit(struct dit_load_stats *stats);

/** "ditkit 0.1.0". Static. */
DIT_PUBLIC const char *dit_version(void);

#ifdef __cplusplus
}
#endif

#endif
