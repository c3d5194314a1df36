/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prepared databases: found, judged, put in place, removed. The steps of all three
 * functions begin with begin(), which chooses databases and looks into each directory.
 */
#include "load/prepared.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/version.h"
#include "files/files.h"
#include "job/job.h"
#include "job/release_rules.h"
#include "load/loader.h"
#include "locks/claim.h"
#include "output/manifest.h"
#include "output/record_output.h"
#include "system/file_io.h"

struct work;

struct item {
	const struct work *work; /* it is one of this */
	const struct dit_database *db;
	int dir_fd; /* -1: not opened, or another's now */
	struct dit_prepared found;
	struct dit_data_seal *seal;
};

struct work {
	struct dit_job job;
	struct dit_prepared_opts opts;
	struct dit_prepared_stats *stats;
	struct item *items;
	size_t n;
	struct dit_published *published; /* one for each item; empty before publication */
};

/* ---- the beginning and the end of each function ---- */

static void fill_progress(void *ctx, struct dit_progress *ret)
{
	const struct work *work = ctx;

	ret->unit = DIT_PROGRESS_BYTES;
	ret->threads = 1;
	for (size_t i = 0; i < work->n; i++) {
		const struct dit_output *output = work->published[i].output;

		if (output != NULL) {
			ret->done += output->digested_bytes + output->synced_bytes;
			ret->total += 2 * output->bytes;
		}
	}
}

static int make_items(struct work *work)
{
	const struct dit_glue *glue = &work->job.glue;

	work->items = calloc(glue->ndatabases, sizeof(*work->items));
	work->published = calloc(glue->ndatabases, sizeof(*work->published));
	work->stats->databases =
		calloc(glue->ndatabases, sizeof(*work->stats->databases));
	if (work->items == NULL || work->published == NULL ||
	    work->stats->databases == NULL) {
		return dit_job_fail(&work->job, -ENOMEM, "could not start");
	}
	for (size_t i = 0; i < glue->ndatabases; i++) {
		if (strcmp(glue->databases[i]->type, "mdb") == 0) {
			work->items[work->n++] = (struct item){.work = work,
			                                       .db = glue->databases[i],
			                                       .dir_fd = -1,
			                                       .found.fd = -1};
		}
	}
	return 0;
}

static char *copy(const char *text)
{
	return text[0] == '\0' ? NULL : strdup(text);
}

/* 0 or -ENOMEM */
static int note(struct work *work, const struct item *item)
{
	const struct dit_prepared *found = &item->found;
	const struct dit_manifest *manifest = &found->manifest;
	struct dit_prepared_database *ret =
		&work->stats->databases[work->stats->ndatabases++];

	ret->state = found->state;
	ret->directory = strdup(item->db->data.directory);
	ret->damage = copy(found->fault.text);
	ret->manifest = json_dumps(manifest->json, JSON_COMPACT);
	if (ret->directory == NULL ||
	    (ret->damage == NULL && found->fault.text[0] != '\0') ||
	    (ret->manifest == NULL && manifest->json != NULL)) {
		return -ENOMEM;
	}
	if (found->state != DIT_PREPARED_READY &&
	    found->state != DIT_PREPARED_PUBLISHED) {
		return 0;
	}
	ret->nentries = manifest->nentries;
	ret->bytes = manifest->bytes;
	(void)stpncpy(ret->content, manifest->content, sizeof(ret->content) - 1);
	(void)stpncpy(ret->time, manifest->time, sizeof(ret->time) - 1);
	if (found->state == DIT_PREPARED_PUBLISHED) {
		(void)stpncpy(ret->published, manifest->published,
		              sizeof(ret->published) - 1);
	}
	return 0;
}

static void tell_wait(void *ctx, const char *holder)
{
	const struct item *item = ctx;

	dit_job_report(&item->work->job, DIT_REPORT_WARNING,
	               "waiting for %s, which has locked %s/" DIT_PREPARED_NAME, holder,
	               item->db->data.directory);
}

static int look(struct work *work, struct item *item, bool locks)
{
	const char *directory = item->db->data.directory;
	struct dit_fault *fault = &item->found.fault;
	int r = dit_directory_open(directory, fault);

	if (r >= 0) {
		item->dir_fd = r;
		r = locks ? dit_prepared_lock(item->dir_fd, &work->job.stop, tell_wait,
		                              item, &item->found)
		          : dit_prepared_look(item->dir_fd, &item->found);
	}
	r = dit_job_open_fail(&work->job, r, directory, fault);
	return r ?: dit_job_fail(&work->job, note(work, item), directory);
}

/* @param locks  no other process shall change what is prepared */
static int begin(struct work *work, bool locks)
{
	struct dit_job *job = &work->job;
	int r = dit_job_check(job, NULL, 0);

	r = r < 0 ? r : dit_job_read(job);
	r = r < 0 ? r : dit_job_choose(job);
	r = r < 0 ? r : dit_job_glue(job);
	r = r < 0 ? r : make_items(work);
	r = r < 0 ? r
	          : dit_job_before_open(job, job->glue.databases, job->glue.ndatabases);
	for (size_t i = 0; i < work->n && r == 0; i++) {
		r = look(work, &work->items[i], locks);
	}
	return r;
}

static void end(struct work *work)
{
	for (size_t i = 0; i < work->n; i++) {
		struct item *item = &work->items[i];

		dit_output_abandon(work->published[i].output);
		dit_prepared_deinit(&item->found);
		dit_data_seal_close(item->seal);
		dit_close(item->dir_fd);
	}
	free(work->published);
	free(work->items);
	dit_job_deinit(&work->job);
}

/* @param change  after the look; NULL: nothing is changed */
static int run(const struct dit_prepared_opts *opts, struct dit_prepared_stats *ret,
               int (*change)(struct work *work))
{
	struct work work = {.stats = ret};
	int r = dit_opts_take(&work.opts, sizeof(work.opts), opts);
	const struct dit_job_opts job = {DIT_JOB_OPTS(&work.opts), .fill = fill_progress,
	                                 .ctx = &work};

	*ret = (struct dit_prepared_stats){0};
	if (r < 0) {
		return r;
	}
	dit_job_init(&work.job, &job);
	work.job.interrupted = "ended: Interrupted; every database is what it was before";
	r = begin(&work, change != NULL);
	if (r == 0 && change != NULL) {
		r = change(&work);
	}
	end(&work);
	return r;
}

int dit_prepared_status(const struct dit_prepared_opts *opts,
                        struct dit_prepared_stats *ret)
{
	return run(opts, ret, NULL);
}

/* ---- removed ---- */

static int abandon(const struct work *work, struct item *item)
{
	const char *directory = item->db->data.directory;
	struct dit_fault fault = {""};
	struct dit_claim claim;
	int r = dit_claim_take_directory(&claim, item->dir_fd);

	item->dir_fd = -1;
	if (r == 0) {
		r = dit_prepared_remove(claim.dir_fd, &fault);
		dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
	}
	return dit_job_open_fail(&work->job, r, directory, &fault);
}

/* As in a publication the chosen database comes last. */
static int abandon_all(struct work *work)
{
	int r = 0;

	for (size_t i = work->n; i > 0 && r == 0; i--) {
		r = abandon(work, &work->items[i - 1]);
	}
	return r;
}

int dit_prepared_abandon(const struct dit_prepared_opts *opts,
                         struct dit_prepared_stats *ret)
{
	return run(opts, ret, abandon_all);
}

/* ---- may it be published? ---- */

/* All of these checks: DIT_E_INVALID, with a fault. */

static int check_state(const struct item *item, struct dit_fault *fault)
{
	static const char *const texts[] = {
		[DIT_PREPARED_NOTHING] = "nothing is prepared",
		[DIT_PREPARED_UNFINISHED] =
			"the prepared database is unfinished: wait for the load or the copy, or begin it again",
		[DIT_PREPARED_DAMAGED] = NULL};
	enum dit_prepared_state state = item->found.state;

	if (state == DIT_PREPARED_DAMAGED) {
		return dit_fault_say(fault, DIT_E_INVALID,
		                     "what is prepared is damaged: %s: prepare or copy "
		                     "it again",
		                     item->found.fault.text);
	}
	return texts[state] == NULL
	               ? 0
	               : dit_fault_say(fault, DIT_E_INVALID, "%s", texts[state]);
}

static bool is_same(const json_t *there, const json_t *here, const char *field)
{
	return json_equal(json_object_get(there, field), json_object_get(here, field));
}

static const char *check_databases(const json_t *there, const json_t *here, size_t number)
{
	size_t n = json_array_size(here);
	bool are_same = json_array_size(there) == n;

	for (size_t i = 0; i < n && are_same; i++) {
		are_same = is_same(json_array_get(there, i), json_array_get(here, i),
		                   "suffix");
	}
	/* Shards by hash differ in nothing but the directory. */
	return !are_same ? "it was prepared together with other databases than are "
	                   "chosen here: choose them as for --prepare (-b, -n, -g)"
	       : !is_same(json_array_get(there, number), json_array_get(here, number),
	                  "directory")
	               ? "it was prepared for another directory, perhaps of another "
	                 "shard (--status --json says which): prepare or copy the right "
	                 "one"
	               : NULL;
}

static int check_configuration(const json_t *there, const json_t *here,
                               struct dit_fault *fault)
{
	const json_t *configuration = json_object_get(there, "configuration");
	const char *part = NULL;
	json_t *value = NULL;

	if (!is_same(there, here, "release")) {
		return dit_fault_say(
			fault, DIT_E_INVALID,
			"it was prepared for OpenLDAP %s, which is not the release here: "
			"see --openldap",
			json_string_value(json_object_get(there, "release")));
	}
	json_object_foreach(json_object_get(here, "configuration"), part, value)
	{
		if (!json_equal(json_object_get(configuration, part), value)) {
			return dit_fault_say(
				fault, DIT_E_INVALID,
				"it was prepared with another configuration than that "
				"here: %s",
				part);
		}
	}
	return 0;
}

/* The manifest is of this site (load_prepared.c), and of the same set as the others. */
static int check_site(const struct work *work, size_t number, const json_t *here,
                      struct dit_fault *fault)
{
	const struct item *item = &work->items[number];
	const json_t *there = item->found.manifest.json;
	const char *why = NULL;

	if (!is_same(there, here, "suffix")) {
		return dit_fault_say(fault, DIT_E_INVALID,
		                     "what is prepared is of another suffix than "
		                     "\"%.*s\", of another site perhaps",
		                     DIT_SPAN_ARGS(item->db->suffix));
	}
	why = check_databases(json_object_get(there, "databases"),
	                      json_object_get(here, "databases"), number);
	if (why != NULL) {
		return dit_fault_say(fault, DIT_E_INVALID, "%s", why);
	}
	if (strcmp(item->found.manifest.set, work->items[0].found.manifest.set) != 0) {
		return dit_fault_say(fault, DIT_E_INVALID,
		                     "it was not prepared together with that in %s: "
		                     "prepare or copy both again",
		                     work->items[0].db->data.directory);
	}
	return item->found.state == DIT_PREPARED_READY
	               ? check_configuration(there, here, fault)
	               : 0;
}

static int fail(const struct work *work, size_t number, int r,
                const struct dit_fault *fault)
{
	return dit_job_open_fail(&work->job, r, work->items[number].db->data.directory,
	                         fault);
}

/* @return 1: all of them are published already; reported */
static int check(const struct work *work)
{
	struct dit_fault fault = {""};
	size_t npublished = 0;
	int r = 0;

	for (size_t i = 0; i < work->n; i++) {
		r = check_state(&work->items[i], &fault);
		npublished += work->items[i].found.state == DIT_PREPARED_PUBLISHED;
		if (r < 0) {
			return fail(work, i, r, &fault);
		}
	}
	for (size_t i = 0; i < work->n; i++) {
		json_t *here = dit_load_site_json(&work->job, work->items[i].db);

		r = here == NULL ? -ENOMEM : check_site(work, i, here, &fault);
		json_decref(here);
		if (r < 0) {
			return fail(work, i, r, &fault);
		}
	}
	return npublished == work->n;
}

/* ---- put in place ---- */

static int open_output(struct work *work, size_t number)
{
	struct item *item = &work->items[number];
	struct dit_published *ret = &work->published[number];
	const struct dit_database *db = item->db;
	struct dit_release_rules rules = dit_release_rules(work->job.chosen.openldap, 0);
	struct dit_fault fault = {""};
	struct dit_output_opts opts = {.directory = db->data.directory,
	                               .mode = db->data.mode,
	                               .maxsize_bytes = db->data.maxsize_bytes,
	                               .is_lmdb_10 = rules.has_lmdb_10,
	                               .may_grow = work->opts.may_grow,
	                               .replaces = work->opts.replaces,
	                               .fault = &fault};
	int r = dit_job_open_seal(&work->job, db, &item->seal);

	if (r < 0) {
		return r;
	}
	opts.shared = dit_job_shared(&work->job, item->seal);
	ret->directory = db->data.directory;
	r = dit_output_open_prepared(&ret->output, &opts, &item->found);
	return r < 0 ? fail(work, number, r, &fault) : 0;
}

static int check_file(struct work *work, size_t number)
{
	static const struct dit_fault other = {
		DIT_PREPARED_NAME "/" DIT_DATA_NAME
				  " is not the file of its manifest, by its digest: "
				  "prepare or copy it again"};
	int r = dit_output_check_prepared(work->published[number].output,
	                                  work->items[number].found.manifest.digest,
	                                  &work->job.stop);

	return r == 0 ? 0
	       : r == DIT_E_CORRUPT
	               ? fail(work, number, r, &other)
	               : dit_job_fail(&work->job, r,
	                              work->items[number].db->data.directory);
}

static void tell_failure(void *ctx, size_t number, enum dit_publish_step step, int error)
{
	struct work *work = ctx;
	const struct dit_published *item = &work->published[number];
	static const struct dit_publish_words words = {
		.undone = "the database is as it was, but a crash of the system may put "
			  "the prepared one in its place",
		.kept = "the prepared database is in place and could not be taken back",
		.end = "; it is whole"};
	static const struct dit_fault full = {
		"the prepared database is larger than maxsize: configure more, or give "
		"--grow"};

	if (dit_job_tell_publish(&work->job, item, step, error, &words)) {
		return;
	}
	if (error == DIT_E_FULL) {
		(void)fail(work, number, error, &full);
	} else {
		(void)dit_job_fail(&work->job, error, item->directory);
	}
}

static int publish(struct work *work)
{
	const struct dit_publish_opts opts = {
		.failed = tell_failure, .ctx = work, .stop = &work->job.stop};
	int r = check(work);

	if (r != 0) {
		return r > 0 ? 0 : r;
	}
	for (size_t i = 0; i < work->n && r == 0; i++) {
		if (work->items[i].found.state == DIT_PREPARED_READY) {
			r = open_output(work, i);
		}
	}
	dit_job_tell(&work->job, 0);
	for (size_t i = 0; i < work->n && r == 0; i++) {
		if (work->published[i].output != NULL) {
			r = check_file(work, i);
		}
	}
	return r == 0 ? dit_publish(work->published, work->n, &opts) : r;
}

int dit_prepared_publish(const struct dit_prepared_opts *opts,
                         struct dit_prepared_stats *ret)
{
	return run(opts, ret, publish);
}

void dit_prepared_stats_deinit(struct dit_prepared_stats *stats)
{
	for (size_t i = 0; i < stats->ndatabases; i++) {
		free(stats->databases[i].directory);
		free(stats->databases[i].damage);
		free(stats->databases[i].manifest);
	}
	free(stats->databases);
	*stats = (struct dit_prepared_stats){0};
}
