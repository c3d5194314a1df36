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
 * The load stores what slapadd would store. A new database is built in a directory of its
 * own inside the database directory. At the end it is synced to disk, and one rename puts
 * it in place. A database that already holds entries gets the new ones in one
 * commit. If the load fails, or the process is killed, the database is as it was.
 *
 * Threads: dit_load() blocks. It starts and joins its own threads, and it calls the
 * callbacks from the calling thread only. One process may run several loads at the same
 * time if they write different databases.
 */
#ifndef DITKIT_LOAD_H
#define DITKIT_LOAD_H

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

/**
 * The phases of dit_progress. With several databases, names and indexes come again for
 * each of them; the counts go on. With several threads the index databases are begun
 * while the tree is written.
 */
enum dit_load_phase {
	DIT_LOAD_ENTRIES, /* reading and storing entries; bytes of the input */
	DIT_LOAD_NAMES,   /* writing the tree; records of it */
	DIT_LOAD_INDEXES, /* writing the index databases; postings */
	DIT_LOAD_PUBLISH, /* syncing and putting in place; bytes of the data files */
	DIT_LOAD_NPHASES,
};

/** The maker of a new database's pages. */
enum dit_load_writer {
	DIT_LOAD_WRITER_DEFAULT, /* pages; append if liblmdb's format is not known */
	DIT_LOAD_WRITER_PAGES,   /* the load itself, on all threads */
	DIT_LOAD_WRITER_APPEND,  /* liblmdb, all of them, on one thread */
};

struct dit_load_opts {
	size_t size; /* of this struct: DIT_LOAD_OPTS_INIT sets it */
	/*
	 * -f, a slapd.conf, and -F, a cn=config tree; NULL: not given. If neither is
	 * given, the load reads the built-in tree if it exists, else the built-in file.
	 */
	const char *conf;
	const char *conf_dir;
	const char *suffix; /* -b; NULL: not given */
	int database;       /* -n; -1: not given */
	const char *input;  /* LDIF file, packed or not; NULL: standard input */
	/*
	 * With ninputs > 0: these files, one after the other, in place of input. NULL
	 * among them: standard input. Lines are counted on from file to file.
	 */
	const char *const *inputs;
	size_t ninputs;
	/* The XXH128 of each file, or of input, as xxh128sum(1) prints it, or NULL: not
	 * known. Other bytes end the load when all inputs were read: DIT_E_INVALID.
	 * NULL: none is. */
	const char *const *digests;
	bool no_urls;      /* "attr:< file:..." and "include:" are refused */
	bool special_urls; /* URLs may name pipes and devices, which may have no end */
	/* --openldap: the release whose schema, directives and messages hold, and whose
	 * slapd reads a new database. FOUND: the release of the installed slapd, or 2.6
	 * without a slapd */
	enum dit_openldap_version openldap;

	bool no_glue;         /* -g: write no subordinate database */
	bool is_quick;        /* -q: keep attribute lines in the order of the input */
	bool keep_going;      /* -c: leave refused records out and go on */
	bool no_schema_check; /* -s */
	bool check_values; /* -o value-check=yes; is_quick turns it off, with a report */
	bool is_dry_run;   /* -u: no database is changed */
	/* A database that holds entries is left alone: see is_unneeded in the results */
	bool only_if_empty;
	/* A new database is not put in place: it waits for dit_prepared_publish()
	 * (prepared.h). One that holds entries is refused, if not replaces. Not with
	 * is_dry_run */
	bool is_prepared;
	bool is_verbose; /* report every entry stored */
	bool explain;    /* a DIT_REPORT_EXPLANATION after the reports of each refusal */
	bool byte_keys;  /* index databases with slapd's own flags: no MDB_INTEGERKEY */
	bool is_strict;  /* LDIF as slapadd reads it: no "version:", no "changetype:" */
	/* Count ranges and lengths of lists (struct dit_index_cost). */
	bool counts_lists;
	bool keep_digests;           /* of the inputs: see struct dit_load_input */
	bool may_grow;               /* the result may be larger than maxsize */
	enum dit_load_writer writer; /* of a new database */
	uint64_t first_line;  /* -j: leave out records that begin before this line */
	uint64_t max_rejects; /* with keep_going: one more refused record ends the load */
	unsigned sid;         /* -S: 0..4095 */
	bool write_context_csn; /* -w */
	/*
	 * -o remove-sids: "1,2,17". An entryCSN of these servers gives way to a new one,
	 * stored values of contextCSN are removed, and write_context_csn is implied.
	 * NULL: none. -EINVAL with a report: no such list, or it names sid.
	 */
	const char *remove_sids;

	unsigned threads; /* 0: tool-threads of the configuration, else one per CPU */
	/*
	 * At least DIT_LOAD_MEMORY_MIN. 0: a quarter of what the process can have, which
	 * is the machine's memory or what limits and control groups leave of it, from 64
	 * MiB to 1 GiB. Index keys that do not fit go to temporary files.
	 */
	uint64_t memory_bytes;
	/*
	 * An LDIF record may take so much memory: its bytes, and 200 for each line. A
	 * longer one ends the load: DIT_E_TOOLONG. Likewise bytes of all files that a
	 * record names; with more the record is refused. 0: as memory_bytes, but 4 GiB
	 * at most.
	 */
	uint64_t record_max_bytes;
	const char *tmpdir;   /* for sorted runs; NULL or empty: $TMPDIR, else /tmp */
	size_t batch_bytes;   /* bytes of LDIF in a batch; 0: chosen from memory_bytes */
	size_t batch_records; /* records in a batch, at most; 0: by the threads */

	dit_report_fn report; /* may be NULL */
	void *report_ctx;
	dit_reject_fn reject; /* may be NULL */
	void *reject_ctx;
	/*
	 * May be NULL. Called once, when the new databases are complete and synced, and
	 * before any database is changed; not with is_dry_run. 0; -errno ends the load,
	 * and nothing is changed; a positive number is -EINVAL. The callback reports its
	 * failure itself.
	 */
	int (*before_publish)(void *ctx);
	void *before_publish_ctx;
	/* May be NULL: a program that runs as root can become another user there. */
	dit_before_open_fn before_open;
	void *before_open_ctx;
	dit_progress_fn progress; /* may be NULL */
	void *progress_ctx;
	/*
	 * May be NULL. A signal handler, or any thread, gives it a value other than 0 to
	 * end the load; all threads of the load look at it several times a second, also
	 * while they wait for a pipe.
	 */
	const volatile sig_atomic_t *stop;
	/*
	 * A new database replaces the one that is there, with all entries, in one step;
	 * also a damaged one. Not with only_if_empty. DIT_E_INVALID: a pipe is empty, or
	 * all records were refused
	 */
	bool replaces;
	/*
	 * The entries go to a new directory below tmpdir, without indexes; the configured
	 * database is left alone. The results name the directory, which
	 * dit_load_scratch_remove() removes. The next such load removes what a killed
	 * process has left. Not with subordinate databases: set no_glue. The entries may
	 * be those of the configuration (database 0)
	 */
	bool is_scratch;
	/* A database directory in place of the configured one; it implies no_glue. NULL:
	 * the configured one. Not with is_prepared */
	const char *directory;
	/* No operational attributes are added to entries that lack them; with
	 * no_schema_check no structural class either. */
	bool is_exact;
	/* Make of a new database what slapd with the overlay memberof, or unique, makes
	 * of entries that come by ldapadd in this order. The input is read twice, so it
	 * is no pipe. DIT_E_CONFIG: the database has no such overlay; DIT_E_UNSUPPORTED:
	 * a pipe, or several databases; DIT_E_NOTEMPTY: it holds entries */
	bool with_memberof;
	bool with_unique;
	/* With is_scratch: entries whose content another database has are stored without
	 * it. dit_diff_opts.make gets this. NULL: all are stored */
	const struct dit_known_source *known;
};

#define DIT_LOAD_MEMORY_MIN (8u << 20)

/** Options to begin with: all defaults. Not for static objects. */
#define DIT_LOAD_OPTS_INIT dit_load_opts_init()
DIT_OPTS(dit_load_opts, opts.database = -1, opts.max_rejects = UINT64_MAX)

/** The records that were left out for one kind of reason. */
struct dit_load_refusal {
	const char *kind; /* as in doc/messages.md; "other" has no place there. Static */
	uint64_t nrecords;
	/* The first of them: line number as in the messages; DN as in struct dit_reject;
	 * the last report about it, and the text of its DIT_REPORT_EXPLANATION, or NULL.
	 * Owned */
	uint64_t first_line;
	char *first_dn;
	char *first_reason;
	char *first_explanation;
	uint64_t reserved[8]; /* room for later releases; 0 */
};

/** An input, as it was read. */
struct dit_load_input {
	char *path;      /* NULL: standard input; owned */
	uint64_t nbytes; /* packed ones, if it is packed */
	char digest[33]; /* XXH128 of these bytes, in the digits of xxh128sum */
};

/** One database that was written. */
struct dit_load_database_stats {
	char *directory;
	uint64_t nentries; /* entries stored */
	uint64_t bytes;    /* size of data.mdb */
	/* From its beginning, bytes most of which are what they were before; 0: a new
	 * database. */
	uint64_t kept_bytes;
	/* The maker of the pages; DEFAULT: the database held records already. */
	enum dit_load_writer writer;
	bool is_unknown_format; /* liblmdb's format is not known: it made the pages */
	struct dit_index_stats *indexes;
	size_t nindexes;
	uint64_t reserved[8]; /* room for later releases; 0 */
};

struct dit_load_stats {
	uint64_t nrecords; /* records read, without those that first_line leaves out */
	uint64_t nentries; /* entries stored */
	uint64_t nrefused; /* records refused by the parser or by a check */
	uint64_t nfailed;  /* entries that could not be stored: duplicate DN, too large */
	/* With only_if_empty: a database holds entries, so nothing was read or done, and
	 * the result is 0. */
	bool is_unneeded;
	uint64_t nmissing; /* parents of stored entries that are not in the input */
	uint64_t bytes_read;
	uint64_t run_bytes;                  /* written to temporary files */
	unsigned threads;                    /* tool threads used */
	enum dit_openldap_version openldap;  /* release used; FOUND: not known yet */
	bool is_openldap_found;              /* the release is the installed slapd's */
	uint64_t phase_us[DIT_LOAD_NPHASES]; /* wall clock */
	uint64_t phase_cpu_us[DIT_LOAD_NPHASES]; /* of all threads of the process */
	struct dit_load_refusal *refusals; /* in the order of the first of each kind */
	size_t nrefusals;
	/* With keep_digests, once all of them were read, in their order. */
	struct dit_load_input *inputs;
	size_t ninputs;
	struct dit_load_database_stats *databases; /* the chosen database first */
	size_t ndatabases; /* 0 if the configuration could not be read */
	uint64_t scratch;  /* the library's own use; 0: no is_scratch */
	/* With with_memberof: values that were added, and that were in the input and were
	 * left out. */
	uint64_t nmemberships_added;
	uint64_t nmemberships_removed;
	uint64_t reserved[5]; /* room for later releases; 0 */
};

/**
 * Run one load.
 *
 * @param ret  filled also on failure, as far as the load came; the caller passes it to
 *             dit_load_stats_deinit() in every case
 *
 * @return 0: the database is in place. slapadd's exit status is 1 all the same if nfailed
 *         or nmissing is not 0. On any other result the databases are unchanged, and a
 *         report has told the failure:
 *         DIT_E_REFUSED: a record was refused and keep_going is off, or more than
 *         max_rejects records were refused;
 *         DIT_E_INVALID: an input is no LDIF, is damaged, or has another digest;
 *         DIT_E_CONFIG: the configuration is wrong;
 *         DIT_E_BUSY: another process has the database open;
 *         DIT_E_FULL: the result does not fit maxsize;
 *         DIT_E_TOOLONG: a record takes more than record_max_bytes; no entry ID, or no
 *         number of an attribute description, is left;
 *         DIT_E_STOPPED: the caller set *stop;
 *         -EINVAL: an option is out of range, or is_prepared is given with is_dry_run or
 *         directory;
 *         -EPERM: root runs it, and another user can exchange names in the directory;
 *         -ENOSPC and other -errno, LMDB's codes
 */
DIT_PUBLIC int dit_load(const struct dit_load_opts *opts, struct dit_load_stats *ret);

/** Free the memory that dit_load() put into @p stats. */
DIT_PUBLIC void dit_load_stats_deinit(struct dit_load_stats *stats);

/**
 * Estimate dit_load(). The callbacks report and before_open of @p opts are called as by
 * the load, the others are not.
 *
 * @param sample_bytes  of the input, about; 0: 8 MiB
 * @param ret           filled also on failure, as far as the estimate came; the caller
 *                      passes it to dit_estimate_deinit() in every case
 *
 * @return 0; 1: with only_if_empty there is nothing to do, a report says so; negative: as
 *         dit_load(), a report has told the failure
 */
DIT_PUBLIC int dit_estimate_load(const struct dit_load_opts *opts, uint64_t sample_bytes,
                                 struct dit_estimate *ret);
/** Remove the directory of a load with is_scratch, when nothing in it is open; before
 * dit_load_stats_deinit(). It does nothing after other loads, and the second time. */
DIT_PUBLIC void dit_load_scratch_remove(struct dit_load_stats *stats);

#endif
