/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/job.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/notes.h"
#include "default_paths.h"
#include "files/files.h"
#include "locks/claim.h"
#include "page/lmdb_format.h"
#include "system/file_io.h"
#include "system/tmp_files.h"

#define THREADS_MAX 1024u /* each takes memory before it does anything */

#define SHARE_MIN  ((uint64_t)64 << 20)
#define SHARE_MAX  ((uint64_t)1 << 30) /* memory that is touched costs as much as a run */
#define RECORD_MAX ((uint64_t)4 << 30) /* no entry is longer (storage.md 4) */

#define ERRNO_MAX 4096

#define READER_WAIT_MS 10000 /* while LMDB's table of readers is full */

/* ---- beginning and end ---- */

static void find_memory(void *ctx)
{
	struct dit_job *job = ctx;

	job->memory_bytes = dit_memory_in_use();
}

static void tell_again(void *ctx)
{
	struct dit_job *job = ctx;

	dit_job_tell(job, job->phase);
}

void dit_job_init(struct dit_job *job, const struct dit_job_opts *opts)
{
	uint64_t now_us = dit_clock_us(CLOCK_MONOTONIC);

	*job = (struct dit_job){.opts = *opts,
	                        .start_us = now_us,
	                        .ended_us = now_us,
	                        .ended_cpu_us = dit_clock_us(CLOCK_PROCESS_CPUTIME_ID),
	                        .interrupted = "interrupted",
	                        .stop = {.flag = opts->stop},
	                        .ticker = {tell_again, job, 0, 0},
	                        .memory_clock = {find_memory, job, 0, 0}};
}

void dit_job_deinit(struct dit_job *job)
{
	free(job->glue.databases);
	job->glue = (struct dit_glue){.settings = NULL};
	dit_settings_free(job->chosen.settings);
	job->chosen = (struct dit_chosen){.settings = NULL};
}

/* ---- are the options possible? ---- */

static int check_range(const struct dit_job *job, const struct dit_job_range *range)
{
	if (range->value >= range->least && range->value <= range->most) {
		return 0;
	}
	return dit_job_say(job, -EINVAL, "the option %s can be %lu to %lu, not %lu",
	                   range->name, range->least, range->most, range->value);
}

int dit_job_check(const struct dit_job *job, const struct dit_job_range *own, size_t n)
{
	const struct dit_job_opts *opts = &job->opts;
	const struct dit_job_range all[] = {
		{"openldap", opts->openldap, 0, DIT_OPENLDAP_NEWEST},
		{"threads", opts->threads, 0, THREADS_MAX}};
	int r = 0;

	if (opts->database < -1) {
		return dit_job_say(job, -EINVAL,
		                   "the option database can be -1 or more, not %d",
		                   opts->database);
	}
	if (opts->directory != NULL && opts->directory[0] == '\0') {
		return dit_job_say(job, -EINVAL, "the option directory is empty");
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && r == 0; i++) {
		r = check_range(job, &all[i]);
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		r = check_range(job, &own[i]);
	}
	return r;
}

/* ---- which databases ---- */

/*
 * The release that is asked for, or that of the slapd that is here. A slapd of another
 * release than the one asked for is as none.
 */
static int choose_openldap(struct dit_job *job, struct dit_slapd *slapd)
{
	struct dit_chosen *chosen = &job->chosen;
	enum dit_openldap_version asked = job->opts.openldap;
	const char *path = DIT_DEFAULT_SLAPD;
	const char *name = NULL;
	int r = dit_slapd_look(path, slapd);

	if (r < 0 && asked == DIT_OPENLDAP_FOUND) {
		return dit_job_say(job, r, "%s was not asked for its release: %s", path,
		                   dit_strerror(r));
	}
	chosen->openldap = asked;
	if (asked == DIT_OPENLDAP_FOUND) {
		chosen->openldap = slapd->version;
		chosen->is_openldap_found = slapd->is_found;
	} else if (asked != slapd->version) {
		*slapd = (struct dit_slapd){.version = asked};
	}
	chosen->patch = slapd->patch;
	name = dit_openldap_name(chosen->openldap);
	if (!job->opts.is_verbose) {
		return 0;
	}
	if (chosen->is_openldap_found) {
		dit_job_report(job, DIT_REPORT_PLAIN, "OpenLDAP %s, as %s", name, path);
	} else if (asked == DIT_OPENLDAP_FOUND) {
		dit_job_report(job, DIT_REPORT_PLAIN, "OpenLDAP %s, since %s tells none",
		               name, path);
	} else {
		dit_job_report(job, DIT_REPORT_PLAIN, "OpenLDAP %s, as chosen", name);
	}
	if (slapd->built_in[0] != '\0') {
		dit_job_report(job, DIT_REPORT_PLAIN, "Built into %s:%s", path,
		               slapd->built_in);
	}
	return 0;
}

/* Each failure that is no errno has been reported where it came up. */
static int told(const struct dit_job *job, int r)
{
	if (r < 0 && r > -ERRNO_MAX) {
		dit_job_report(job, DIT_REPORT_ERROR,
		               "could not read the configuration: %s", dit_strerror(r));
	}
	return r;
}

int dit_job_read(struct dit_job *job)
{
	const struct dit_job_opts *opts = &job->opts;
	struct dit_slapd slapd;
	struct dit_settings_source source = {.file = opts->conf, .dir = opts->conf_dir};
	int r = choose_openldap(job, &slapd);

	if (r < 0) {
		return r;
	}
	source.openldap = job->chosen.openldap;
	source.all_modules = opts->takes_config && opts->database == 0;
	source.built_in = slapd.is_found ? slapd.built_in : NULL;
	return told(job, dit_settings_read(&job->chosen.settings, &source, opts->report,
	                                   opts->report_ctx));
}

static void replace_directory(struct dit_job *job)
{
	struct dit_settings *settings = job->chosen.settings;

	settings->databases[job->chosen.db - settings->databases].data.directory =
		job->opts.directory;
	job->opts.no_glue = true;
}

int dit_job_choose(struct dit_job *job)
{
	const struct dit_job_opts *opts = &job->opts;
	struct dit_settings_choice choice = {.number = opts->database,
	                                     .suffix = opts->suffix,
	                                     .tool = opts->tool,
	                                     .takes_config = opts->takes_config};
	int r = dit_settings_choose(job->chosen.settings, &choice, opts->report,
	                            opts->report_ctx, &job->chosen.db);

	if (r == 0 && opts->directory != NULL) {
		replace_directory(job);
	}
	if (r == 0) {
		job->nthreads = dit_thread_count(opts->threads, job->chosen.settings);
	}
	return told(job, r);
}

int dit_job_before_open(const struct dit_job *job,
                        const struct dit_database *const *databases, size_t n)
{
	const char **directories = NULL;
	size_t ndirectories = 0;
	int r = 0;

	if (job->opts.before_open == NULL) {
		return 0;
	}
	directories = calloc(n + 1, sizeof(*directories));
	if (directories == NULL) {
		return dit_job_fail(job, -ENOMEM, "could not start");
	}
	for (size_t i = 0; i < n; i++) {
		if (strcmp(databases[i]->type, "mdb") == 0) {
			directories[ndirectories++] = databases[i]->data.directory;
		}
	}
	r = job->opts.before_open(job->opts.before_open_ctx, directories, ndirectories);
	free(directories);
	return dit_job_answer(r);
}

int dit_job_open_seal(const struct dit_job *job, const struct dit_database *db,
                      struct dit_data_seal **ret)
{
	struct dit_fault fault = {""};
	int r = dit_data_seal_open(ret, &db->data, &fault);

	if (r < 0) {
		dit_job_report(job, DIT_REPORT_ERROR, "database \"%.*s\": %s",
		               DIT_SPAN_ARGS(db->suffix),
		               fault.text[0] != '\0' ? fault.text : dit_strerror(r));
	}
	return r;
}

struct dit_shared dit_job_shared(struct dit_job *job, struct dit_data_seal *seal)
{
	return (struct dit_shared){.nthreads = job->nthreads,
	                           .stop = &job->stop,
	                           .ticker = dit_job_ticker(job),
	                           .tmpdir = dit_tmp_dir(job->opts.tmpdir),
	                           .cipher = dit_data_seal_runs(seal),
	                           .page_writer = job->page_writer,
	                           .sealed = dit_data_seal_format(seal)};
}

struct dit_snapshot_opts dit_job_snapshot_opts(const struct dit_job *job,
                                               unsigned nreaders,
                                               const struct dit_data_seal *seal,
                                               struct dit_fault *fault)
{
	return (struct dit_snapshot_opts){.nreaders = nreaders,
	                                  .lmdb = {.wait_ms = READER_WAIT_MS,
	                                           .stop = &job->stop,
	                                           .report = job->opts.report,
	                                           .report_ctx = job->opts.report_ctx,
	                                           .fault = fault},
	                                  .sealed = dit_data_seal_format(seal)};
}

int dit_job_check_rejects(const struct dit_job *job, const struct dit_database *db,
                          struct dit_data_seal *seal, dit_reject_fn reject)
{
	if (reject == NULL || dit_data_seal_runs(seal) == NULL) {
		return 0;
	}
	dit_job_report(job, DIT_REPORT_ERROR,
	               "database \"%.*s\" is encrypted, and --rejects would write its "
	               "records in clear text: leave --rejects out",
	               DIT_SPAN_ARGS(db->suffix));
	return DIT_E_UNSUPPORTED;
}

static bool is_file_of(const struct dit_database *db, const struct stat *file)
{
	struct stat st;
	char *path = NULL;
	bool is_same = false;

	if (strcmp(db->type, "mdb") == 0 &&
	    asprintf(&path, "%s/" DIT_DATA_NAME, db->data.directory) >= 0) {
		is_same = stat(path, &st) == 0 && st.st_dev == file->st_dev &&
		          st.st_ino == file->st_ino;
		free(path);
	}
	return is_same;
}

static const struct dit_database *find_owner(const struct dit_job *job, const char *path,
                                             int data_fd)
{
	const struct dit_settings *settings = job->chosen.settings;
	const struct dit_database *chosen = job->chosen.db;
	struct stat file;

	if (job->opts.suffix != NULL || job->opts.database > 0) {
		return chosen;
	}
	for (size_t i = 0; fstat(data_fd, &file) == 0 && i < settings->ndatabases; i++) {
		if (is_file_of(&settings->databases[i], &file)) {
			return &settings->databases[i];
		}
	}
	dit_job_report(job, DIT_REPORT_WARNING,
	               "%s belongs to no database of the configuration: \"crypto\" of "
	               "the database \"%.*s\" is used (-b or -n names another one)",
	               path, DIT_SPAN_ARGS(chosen->suffix));
	return chosen;
}

int dit_job_open_seal_of(const struct dit_job *job, const char *path,
                         struct dit_data_seal **ret)
{
	int fd = job->chosen.db == NULL ? -1 : dit_data_open_path(path, NULL);
	int r = 0;

	*ret = NULL;
	if (fd >= 0 && dit_data_is_sealed(fd)) {
		r = dit_job_open_seal(job, find_owner(job, path, fd), ret);
	}
	dit_close(fd);
	return r;
}

/* ---- resources ---- */

unsigned dit_processor_count(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0) {
		return 1;
	}
	return CPU_COUNT(&set) < 1 ? 1 : (unsigned)CPU_COUNT(&set);
}

unsigned dit_thread_count(unsigned asked, const struct dit_settings *settings)
{
	if (asked == 0 && settings != NULL) {
		asked = settings->tool_threads;
	}
	asked = asked ?: dit_processor_count();
	return asked > THREADS_MAX ? THREADS_MAX : asked;
}

static uint64_t quarter_of_memory(uint64_t most)
{
	uint64_t quarter = dit_memory_limit() / 4;

	quarter = quarter < SHARE_MIN ? SHARE_MIN : quarter;
	return quarter > most ? most : quarter;
}

uint64_t dit_memory_share(uint64_t asked_bytes)
{
	return asked_bytes > 0 ? asked_bytes : quarter_of_memory(SHARE_MAX);
}

uint64_t dit_record_max(uint64_t asked_bytes)
{
	return asked_bytes > 0 ? asked_bytes : quarter_of_memory(RECORD_MAX);
}

/* ---- progress ---- */

struct dit_ticker *dit_job_ticker(struct dit_job *job)
{
	return job->opts.progress == NULL ? NULL : &job->ticker;
}

void dit_job_tell(struct dit_job *job, unsigned phase)
{
	struct dit_progress progress = {.phase = phase};

	job->phase = phase;
	if (job->opts.progress == NULL) {
		return;
	}
	dit_tick(&job->memory_clock);
	progress.memory_bytes = job->memory_bytes;
	job->opts.fill(job->opts.ctx, &progress);
	job->opts.progress(job->opts.progress_ctx, &progress);
}

void dit_job_end_phase(struct dit_job *job, unsigned phase)
{
	uint64_t now_us = dit_clock_us(CLOCK_MONOTONIC);
	uint64_t now_cpu_us = dit_clock_us(CLOCK_PROCESS_CPUTIME_ID);

	job->opts.phase_us[phase] += now_us - job->ended_us;
	job->opts.phase_cpu_us[phase] += now_cpu_us - job->ended_cpu_us;
	job->ended_us = now_us;
	job->ended_cpu_us = now_cpu_us;
}

/* ---- reports ---- */

void dit_job_report(const struct dit_job *job, enum dit_report_kind kind,
                    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	dit_tell(job->opts.report, job->opts.report_ctx, kind, format, args);
	va_end(args);
}

int dit_job_say(const struct dit_job *job, int r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	dit_tell(job->opts.report, job->opts.report_ctx, DIT_REPORT_ERROR, format, args);
	va_end(args);
	return r;
}

void dit_job_say_not_opened(const struct dit_job *job, const struct dit_database *db,
                            int code, bool is_first)
{
	dit_job_report(
		job, DIT_REPORT_DIAGNOSTIC,
		"backend_startup_one (type=mdb, suffix=\"%.*s\"): bi_db_open failed! (%d)",
		DIT_SPAN_ARGS(db->suffix), code);
	if (!is_first) {
		dit_job_report(job, DIT_REPORT_DIAGNOSTIC,
		               "backend_startup: bi_open failed!");
	}
	dit_job_report(job, DIT_REPORT_PLAIN, "slap_startup failed");
}

/* A way to mend an error. */
static const char *hint(int error)
{
	switch (error) {
	case -EMFILE: /* each spilled run is an open file: more memory makes fewer */
		return ": give more memory, or raise the limit of open files (ulimit -n)";
	case DIT_E_CORRUPT:
	case DIT_LMDB_KEYEXIST: /* stored keys have another order, or another length */
	case DIT_LMDB_BAD_VALSIZE:
		return ": see what \"ditcheck --quick\" says";
	default:
		return "";
	}
}

/* Each locks the other one out. */
static bool is_shared(const struct dit_job *job, const char *directory)
{
	size_t n = 0;

	for (size_t i = 0; i < job->glue.ndatabases; i++) {
		const struct dit_database *db = job->glue.databases[i];

		n += strcmp(db->type, "mdb") == 0 &&
		     dit_directory_is_one(directory, db->data.directory);
	}
	return n > 1;
}

int dit_job_open_fail(const struct dit_job *job, int r, const char *directory,
                      const struct dit_fault *fault)
{
	if (r == DIT_E_BUSY && is_shared(job, directory)) {
		return dit_job_say(job, r, "two databases have the directory %s",
		                   directory);
	}
	if (r == DIT_E_BUSY) {
		dit_job_report(job, DIT_REPORT_ERROR,
		               "the database in %s is in use by %s; stop it first",
		               directory, dit_claim_holder(fault));
		return r;
	}
	return dit_job_fail_with(job, r, directory, fault);
}

int dit_job_leave_out(const struct dit_job *job, const struct dit_job_rejects *rejects,
                      const struct dit_reject *reject, uint64_t n)
{
	int r = reject->dn == NULL        ? -ENOMEM
	        : rejects->reject == NULL ? 0
	                                  : rejects->reject(rejects->ctx, reject);

	if (r < 0) {
		return dit_job_fail(job, r, "could not write the rejected record");
	}
	if (rejects->keep_going && n > rejects->max_rejects) {
		dit_job_report(job, DIT_REPORT_ERROR,
		               "more than %lu record%s cannot be stored: giving up",
		               rejects->max_rejects,
		               rejects->max_rejects == 1 ? "" : "s");
	}
	return rejects->keep_going && n <= rejects->max_rejects ? 0 : DIT_E_REFUSED;
}

int dit_job_fail(const struct dit_job *job, int r, const char *what)
{
	if (r >= 0) {
		return r;
	}
	/* Whatever else went wrong, such as work that was cut short, is not the cause. */
	if (dit_stop_is_set(&job->stop)) {
		dit_job_report(job, DIT_REPORT_ERROR, "%s", job->interrupted);
		return DIT_E_STOPPED;
	}
	dit_job_report(job, DIT_REPORT_ERROR, "%s: %s%s", what, dit_strerror(r), hint(r));
	return r;
}

int dit_job_fail_with(const struct dit_job *job, int r, const char *what,
                      const struct dit_fault *fault)
{
	if (r >= 0 || fault->text[0] == '\0') {
		return dit_job_fail(job, r, what);
	}
	dit_job_report(job, DIT_REPORT_ERROR, "%s: %s", what, fault->text);
	return r;
}

int dit_job_open_input(const struct dit_job *job, const struct dit_ldif_reader_opts *opts,
                       struct dit_ldif_reader **ret)
{
	const char *failed = opts->path;
	int r = dit_ldif_reader_open(ret, opts, &failed);

	if (r < 0) {
		dit_job_report(job, DIT_REPORT_PLAIN, "%s: %s",
		               failed == NULL ? "stdin" : failed, dit_strerror(r));
	}
	return r;
}

int dit_job_input_fail(const struct dit_job *job, const struct dit_ldif_reader *reader,
                       int r, const char *what)
{
	const char *text = dit_ldif_reader_error(reader);

	if (r == DIT_E_STOPPED || text[0] == '\0') {
		return dit_job_fail(job, r, what);
	}
	dit_job_report(job, DIT_REPORT_PLAIN, "%s", text);
	return r;
}

bool dit_job_tell_publish(const struct dit_job *job, const struct dit_published *item,
                          enum dit_publish_step step, int error,
                          const struct dit_publish_words *words)
{
	switch (step) {
	case DIT_PUBLISH_PREPARE:
	case DIT_PUBLISH_COMMIT:
	case DIT_PUBLISH_RENAME:
		return false;
	case DIT_PUBLISH_FIND:
	case DIT_PUBLISH_FIND_AGAIN:
		if (item->fault.text[0] == '\0') {
			return false; /* an interrupt */
		}
		dit_job_report(job, DIT_REPORT_ERROR, "%s: %s", item->directory,
		               item->fault.text);
		break;
	case DIT_PUBLISH_TAKE_BACK:
		if (error > 0) {
			dit_job_report(job, DIT_REPORT_WARNING, "%s: %s", item->directory,
			               words->undone);
		} else {
			dit_job_report(job, DIT_REPORT_ERROR, "%s: %s: %s%s",
			               item->directory, words->kept, dit_strerror(error),
			               words->end);
		}
		break;
	case DIT_PUBLISH_END:
		dit_job_report(job, DIT_REPORT_WARNING,
		               "%s: the database is in place, but a crash of the system "
		               "may bring the old one back: %s",
		               item->directory, dit_strerror(error));
		break;
	}
	return true;
}
