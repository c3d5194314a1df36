/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All verbs begin with a job: the databases that the options choose, threads, reports,
 * the caller's callbacks.
 *
 *   dit_job_init();
 *   dit_job_check();                       the options are possible
 *   dit_job_read();  dit_job_choose();     settings, database, threads
 *   dit_job_glue();                        its subordinate databases
 *   dit_job_before_open();                 nothing is opened in a directory before this
 *   ...
 *   dit_job_deinit()
 *
 * Functions that return an error have reported it, if nothing else is said.
 *
 * Threads: main; what others may read has a tag.
 */
#ifndef DITKIT_JOB_H
#define DITKIT_JOB_H

#include <errno.h>
#include <signal.h>

#include "base/before_open.h"
#include "base/progress.h"
#include "base/shared.h"
#include "base/stop.h"
#include "base/ticker.h"
#include "config/settings.h"
#include "files/data_seal.h"
#include "ldif/ldif_reader.h"
#include "output/publication.h"
#include "reader/snapshot.h"
#include "values/dn.h"

struct dit_notes; /* notes.h */

/** The options of all verbs have these, by the same names; borrowed. */
struct dit_job_opts {
	const char *conf;
	const char *conf_dir;
	const char *suffix;
	int database;
	bool no_glue;
	enum dit_openldap_version openldap;
	unsigned threads;
	dit_report_fn report;
	void *report_ctx;
	dit_before_open_fn before_open;
	void *before_open_ctx;
	dit_progress_fn progress;
	void *progress_ctx;
	const volatile sig_atomic_t *stop;

	/* In the options of some verbs: a directory in place of the chosen database's; it
	 * implies no_glue. NULL: the configured one */
	const char *directory;

	/* Not among the options: facts about the verb. */
	const char *tool;   /* in messages: "slapcat"; NULL: slapadd */
	const char *tmpdir; /* NULL or empty: $TMPDIR, else /tmp */
	bool is_verbose;    /* report the release */
	bool takes_config;  /* the configuration itself can be chosen */
	/* The times of the phases; NULL: no phase ends. */
	uint64_t *phase_us;
	uint64_t *phase_cpu_us;
	/* Fills in how far the work is; phase and memory_bytes are there already. ctx is
	 * the verb's object. */
	void (*fill)(void *ctx, struct dit_progress *ret);
	void *ctx;
};

/** An initialiser with the options that all verbs have, from a pointer to those of a
 * verb. */
#define DIT_JOB_CONF(verb)                                                               \
 .conf = (verb)->conf, .conf_dir = (verb)->conf_dir, .suffix = (verb)->suffix,           \
 .database = (verb)->database, .openldap = (verb)->openldap, .threads = (verb)->threads, \
 .report = (verb)->report, .report_ctx = (verb)->report_ctx, .stop = (verb)->stop

/** The same of one that has all of them. */
#define DIT_JOB_OPTS(verb)                                                               \
 DIT_JOB_CONF(verb), .no_glue = (verb)->no_glue, .before_open = (verb)->before_open,     \
		     .before_open_ctx = (verb)->before_open_ctx,                         \
		     .progress = (verb)->progress, .progress_ctx = (verb)->progress_ctx

/* ---- glue.c ---- */

/*
 * Glued databases (config.md 5): which databases a load writes, and which of them holds
 * an entry.
 *
 *   chosen by        chosen is      entries below a subordinate's suffix go to
 *   -b, default      superior       the subordinate
 *   default, -g      superior       the chosen database
 *   -b, -g           superior       nowhere: refused
 *   -n               superior       nowhere: refused; the subordinate's files are made
 *   -b, -n           subordinate    nowhere: refused
 *
 * A subordinate of a subordinate is glued to the same superior. Hidden and disabled
 * subordinates get their entries, too.
 */

/** Zero is one that was not made. */
struct dit_glue {
	const struct dit_settings *settings;
	/* Those that are written: the chosen one, then its subordinates as defined. */
	const struct dit_database **databases;
	size_t ndatabases;
	bool is_glued; /* subordinate databases are not selected: their entries are the
	                * chosen database's business */
};

/** The database that slapadd would select for a DN; NULL: none. */
const struct dit_database *dit_glue_select(const struct dit_glue *glue,
                                           const struct dit_dn *dn);

/** Refuse a DN that no database of the work gets, in slapadd's words. @return
 * DIT_E_INVALID; -ENOMEM */
int dit_glue_refuse(const struct dit_glue *glue, const struct dit_database *db,
                    const struct dit_dn *dn, uint64_t line, struct dit_notes *notes);

/** The number in `databases` of the one that gets a DN; -1: the load has none for it. */
int dit_glue_find(const struct dit_glue *glue, const struct dit_dn *dn);

/* ---- job.c ---- */

/** The database that a tool works on. Zero: not read yet. */
struct dit_chosen {
	struct dit_settings *settings;      /* owned; the caller may take it (NULL) */
	const struct dit_database *db;      /* points into the settings */
	enum dit_openldap_version openldap; /* filled first, also on failure */
	unsigned patch; /* of the slapd here, if it is of that release; 0 */
	bool is_openldap_found;
};

struct dit_job {
	/* [const] once dit_job_glue() has returned */
	struct dit_job_opts opts;
	struct dit_chosen chosen;
	struct dit_glue glue;
	unsigned nthreads;
	const char *interrupted; /* what dit_job_fail() says of an interrupt */
	struct dit_page_writer *page_writer; /* the verb's, which frees it; NULL: none */

	uint64_t start_us; /* [const] CLOCK_MONOTONIC, as of dit_job_init() */

	struct dit_stop stop; /* the caller's flag, and failures; any thread */

	/* Progress. [own: main] */
	unsigned phase;                 /* the present one */
	struct dit_ticker ticker;       /* tells the callback */
	struct dit_ticker memory_clock; /* when memory_bytes is found out again */
	uint64_t memory_bytes;

	/* When the latest phase ended. [own: main] */
	uint64_t ended_us;
	uint64_t ended_cpu_us;
};

/** @p job stays where it is. Nothing is read yet, and nothing can fail. */
void dit_job_init(struct dit_job *job, const struct dit_job_opts *opts);
void dit_job_deinit(struct dit_job *job);

/** A number of a verb's own options. */
struct dit_job_range {
	const char *name; /* of its field */
	uint64_t value;
	uint64_t least;
	uint64_t most;
};

/** Are the options possible, those of the job and these of the verb? 0; -EINVAL */
int dit_job_check(const struct dit_job *job, const struct dit_job_range *own, size_t n);

/** The configuration: chosen.settings. 0; DIT_E_CONFIG; -ENOMEM */
int dit_job_read(struct dit_job *job);
/** The database: chosen.db; and nthreads. The same results. */
int dit_job_choose(struct dit_job *job);
/** The databases that are worked on together. A subordinate database without a superior
 * is refused: slapd does not start with one, whichever database is chosen. The same
 * results. */
int dit_job_glue(struct dit_job *job);

/** The answer of a function of the caller that returns 0 or -errno: a positive one is no
 * leave to go on, either. */
static inline int dit_job_answer(int r)
{
	return r > 0 ? -EINVAL : r;
}

/**
 * Tell the caller which directories will be opened: those of the databases of type mdb.
 *
 * @return 0; the callback's, which reports its failure itself; -ENOMEM
 */
int dit_job_before_open(const struct dit_job *job,
                        const struct dit_database *const *databases, size_t n);

/** Do the options say which configuration, or which of its databases? Where a directory
 * is given, none is read otherwise. */
static inline bool dit_job_names_conf(const struct dit_job_opts *opts)
{
	return opts->conf != NULL || opts->conf_dir != NULL || opts->suffix != NULL ||
	       opts->database > 0;
}

/**
 * How the pages of a database are sealed. After dit_job_before_open(). 0; what
 * dit_data_seal_open() returns
 */
int dit_job_open_seal(const struct dit_job *job, const struct dit_database *db,
                      struct dit_data_seal **ret);
/**
 * The same for a file that the configuration need not name. Its pages are sealed as those
 * of the chosen database, if the options choose one; else as those of the database whose
 * file it is; else as those of the chosen database, with a warning.
 *
 * @param path  as of dit_data_open_path()
 * @param ret   NULL: the file is not sealed, or cannot be read, or no configuration was
 *              read
 */
int dit_job_open_seal_of(const struct dit_job *job, const char *path,
                         struct dit_data_seal **ret);

/** To read a database with, next to slapd: a loader is waited for, with a remark.
 * @param fault  borrowed, as the job and the seal, which may be NULL */
struct dit_snapshot_opts dit_job_snapshot_opts(const struct dit_job *job,
                                               unsigned nreaders,
                                               const struct dit_data_seal *seal,
                                               struct dit_fault *fault);

/** Nobody gets refused records of an encrypted database, to write them in clear text.
 * @param reject  may be NULL. 0; DIT_E_UNSUPPORTED */
int dit_job_check_rejects(const struct dit_job *job, const struct dit_database *db,
                          struct dit_data_seal *seal, dit_reject_fn reject);
/** For parts that work on a database with this seal, which may be NULL. After
 * dit_job_choose(). */
struct dit_shared dit_job_shared(struct dit_job *job, struct dit_data_seal *seal);

/* ---- resources ---- */

/** Processors that this process may use: 1 or more. */
unsigned dit_processor_count(void);

/**
 * How many tool threads to start.
 *
 * @param asked     0: tool-threads of the configuration, else one per CPU; of more than
 *                  1024 these are taken
 * @param settings  NULL: there is no configuration
 */
unsigned dit_thread_count(unsigned asked, const struct dit_settings *settings);

/**
 * How much memory a call uses, in bytes.
 *
 * @param asked_bytes  what the caller of the library wants; 0: a quarter of
 *                     dit_memory_limit(), from 64 MiB to 1 GiB
 */
uint64_t dit_memory_share(uint64_t asked_bytes);

/** How much an LDIF record may take; 0: likewise, but 4 GiB at most. */
uint64_t dit_record_max(uint64_t asked_bytes);

/* ---- progress ---- */

/** A phase begins, or goes on: call the callback, if there is one. */
void dit_job_tell(struct dit_job *job, unsigned phase);
/** A phase is over: add its time, and its CPU time of all threads of the process. The
 * first one began with the job. */
void dit_job_end_phase(struct dit_job *job, unsigned phase);
/** The ticker for all calls in which main waits: it tells again. NULL: there is no
 * callback */
struct dit_ticker *dit_job_ticker(struct dit_job *job);

/* ---- reports ---- */

/** One line to the caller's report callback. */
void dit_job_report(const struct dit_job *job, enum dit_report_kind kind,
                    const char *format, ...) __attribute__((format(printf, 3, 4)));
/** An error: the same with DIT_REPORT_ERROR. @return @p r */
int dit_job_say(const struct dit_job *job, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * Report that slapd would not start with a database, in the words of slapd and its tools.
 *
 * @param code      errno's, or LMDB's
 * @param is_first  it is the first database of the job: slapd says a line less
 */
void dit_job_say_not_opened(const struct dit_job *job, const struct dit_database *db,
                            int code, bool is_first);

/**
 * Report a failure that no message has explained yet, as "WHAT: TEXT"; of a work that was
 * stopped, that it was. A result that is no failure is given back.
 *
 * @return @p r, or DIT_E_STOPPED
 */
int dit_job_fail(const struct dit_job *job, int r, const char *what);
/** The same, in the words of the fault if it has any. */
int dit_job_fail_with(const struct dit_job *job, int r, const char *what,
                      const struct dit_fault *fault);

/** Open LDIF to be read, and report why not, as slapadd's perror() does. 0; errors */
int dit_job_open_input(const struct dit_job *job, const struct dit_ldif_reader_opts *opts,
                       struct dit_ldif_reader **ret);
/** Report that LDIF cannot be read on, in the reader's words if it has any; else as
 * dit_job_fail(). @return @p r, or DIT_E_STOPPED */
int dit_job_input_fail(const struct dit_job *job, const struct dit_ldif_reader *reader,
                       int r, const char *what);

/** Report that a database could not be opened. @return @p r, or DIT_E_STOPPED */
int dit_job_open_fail(const struct dit_job *job, int r, const char *directory,
                      const struct dit_fault *fault);

/** Where records go that are left out; as in the options of a load. */
struct dit_job_rejects {
	dit_reject_fn reject; /* may be NULL */
	void *ctx;
	bool keep_going;
	uint64_t max_rejects;
};

/**
 * A record is left out, and a report has said why: the callback gets it.
 *
 * @param reject  its DN NULL: no memory
 * @param n       records that were left out so far, with this one
 *
 * @return 0: the work goes on; DIT_E_REFUSED; errors, reported
 */
int dit_job_leave_out(const struct dit_job *job, const struct dit_job_rejects *rejects,
                      const struct dit_reject *reject, uint64_t n);

/** Words of a job about a database when others could not be put in place. */
struct dit_publish_words {
	const char *undone; /* it is as it was, but a crash may change it */
	const char *kept;   /* its change stays; an error follows, and */
	const char *end;
};

/** Report a failure of a publication. False: an interrupt; or preparing, the commit or
 * the rename failed, in words of the verb's own */
bool dit_job_tell_publish(const struct dit_job *job, const struct dit_published *item,
                          enum dit_publish_step step, int error,
                          const struct dit_publish_words *words);

#endif
