/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks: which files, and what was found in all of them. */
#include "check/check.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/version.h"
#include "check/check_content.h"
#include "job/job.h"

struct check {
	const struct dit_check_opts *opts;
	struct dit_job job; /* its chosen is empty if no configuration was read */
	const struct dit_database **databases; /* those that are checked; owned */
	size_t ndatabases;
	struct dit_check_use **uses;        /* of these; owned; NULL: not wanted */
	uint64_t by_kind[DIT_CHECK_NKINDS]; /* of all files */
};

/*
 * A directory means the data file in it.
 *
 * @param number  of the database; without any: the structure alone is checked
 */
static int check_path(struct check *check, const char *path, size_t number)
{
	struct dit_check_one_opts one = {
		.opts = check->opts,
		.job = &check->job,
		.database = check->opts->is_quick ? NULL : check->databases[number],
		.owner = check->opts->path != NULL && check->opts->is_quick
	                         ? NULL
	                         : check->databases[number],
		.use = check->uses == NULL ? NULL : check->uses[number],
	};
	struct stat status;
	char *file = NULL;
	bool is_directory = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
	int r = asprintf(&file, "%s%s", path, is_directory ? "/data.mdb" : "");

	if (r < 0) {
		return -ENOMEM;
	}
	one.path = file;
	r = dit_check_one(&one, check->by_kind);
	free(file);
	return r;
}

/* ---- which files ---- */

/* A path is that of the chosen database. */
static bool belongs(const struct check *check, const struct dit_database *database)
{
	const struct dit_database *chosen = check->job.chosen.db;

	return database == chosen ||
	       (check->opts->path == NULL && !check->opts->no_glue &&
	        check->opts->database < 0 && database->is_subordinate &&
	        strcmp(database->type, "mdb") == 0 &&
	        dit_settings_superior(check->job.chosen.settings, database) == chosen);
}

static int find_databases(struct check *check)
{
	const struct dit_settings *settings = check->job.chosen.settings;

	check->databases = calloc(settings->ndatabases + 1, sizeof(*check->databases));
	if (check->databases == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < settings->ndatabases; i++) {
		if (belongs(check, &settings->databases[i])) {
			check->databases[check->ndatabases++] = &settings->databases[i];
		}
	}
	return 0;
}

/* Those that will be opened. */
static int tell_directories(const struct check *check)
{
	const struct dit_check_opts *opts = check->opts;

	if (opts->before_open != NULL && opts->path != NULL) {
		return dit_job_answer(
			opts->before_open(opts->before_open_ctx, &opts->path, 1));
	}
	return dit_job_before_open(&check->job, check->databases, check->ndatabases);
}

/* ---- how indexes are used ---- */

static int make_uses(struct check *check)
{
	int r = 0;

	check->uses = calloc(check->ndatabases + 1, sizeof(struct dit_check_use *));
	if (check->uses == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < check->ndatabases && r == 0; i++) {
		r = dit_check_use_new(&check->uses[i], check->job.chosen.settings,
		                      check->databases[i]);
	}
	return r;
}

static void free_uses(struct check *check)
{
	for (size_t i = 0; check->uses != NULL && i < check->ndatabases; i++) {
		dit_check_use_free(check->uses[i]);
	}
	free(check->uses);
}

/* ---- the whole ---- */

static int check_databases(struct check *check)
{
	const struct dit_check_opts *opts = check->opts;
	int r = dit_job_read(&check->job);

	r = r ?: dit_job_choose(&check->job);
	r = r ?: find_databases(check);
	if (r < 0) {
		return r;
	}
	if (opts->config != NULL && opts->sizes != NULL) {
		r = make_uses(check);
	}
	if (r == 0 && check->uses != NULL && opts->searches != NULL) {
		r = dit_check_searches_read(opts, check->job.chosen.settings, check->uses,
		                            check->ndatabases);
	}
	r = r ?: tell_directories(check);
	if (r < 0) {
		return r;
	}
	for (size_t i = 0; i < check->ndatabases && r == 0; i++) {
		assert(opts->path != NULL || check->databases[i] != NULL);
		r = check_path(check,
		               opts->path != NULL ? opts->path
		                                  : check->databases[i]->data.directory,
		               i);
	}
	return r;
}

static int compare_kinds(const void *a, const void *b)
{
	return strcmp(((const struct dit_check_kind_stats *)a)->kind,
	              ((const struct dit_check_kind_stats *)b)->kind);
}

static int fill_stats(const struct check *check, struct dit_check_stats *ret)
{
	ret->kinds = calloc(DIT_CHECK_NKINDS, sizeof(*ret->kinds));
	if (ret->kinds == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < DIT_CHECK_NKINDS; i++) {
		if (check->by_kind[i] > 0) {
			ret->kinds[ret->nkinds++] = (struct dit_check_kind_stats){
				.kind = dit_check_kind_name(i),
				.nfindings = check->by_kind[i]};
			ret->nfindings += check->by_kind[i];
		}
	}
	qsort(ret->kinds, ret->nkinds, sizeof(*ret->kinds), compare_kinds);
	return 0;
}

static int run(struct check *check)
{
	const struct dit_check_opts *opts = check->opts;
	const struct dit_job_range memory = {"memory_bytes",
	                                     dit_memory_share(opts->memory_bytes),
	                                     DIT_CHECK_MEMORY_MIN, UINT64_MAX};
	int r = dit_job_check(&check->job, &memory, 1);

	if (r < 0) {
		return r;
	}
	if (opts->path == NULL || !opts->is_quick ||
	    dit_job_names_conf(&check->job.opts)) {
		return check_databases(check);
	}
	check->job.nthreads = dit_thread_count(opts->threads, NULL);
	r = tell_directories(check);
	return r ?: check_path(check, opts->path, 0);
}

int dit_check(const struct dit_check_opts *opts, struct dit_check_stats *ret)
{
	struct dit_check_opts own;
	struct check check = {.opts = &own};
	struct dit_job_opts job;
	int r = dit_opts_take(&own, sizeof(own), opts);
	int filled = 0;

	memset(ret, 0, sizeof(*ret));
	if (r < 0) {
		return r;
	}
	job = (struct dit_job_opts){DIT_JOB_OPTS(&own), .tool = "slapcat"};
	dit_job_init(&check.job, &job);
	r = run(&check);
	filled = fill_stats(&check, ret);
	free_uses(&check);
	free(check.databases);
	dit_job_deinit(&check.job);
	return r < 0 ? r : filled;
}

void dit_check_stats_deinit(struct dit_check_stats *stats)
{
	free(stats->kinds);
	*stats = (struct dit_check_stats){.nfindings = 0};
}
