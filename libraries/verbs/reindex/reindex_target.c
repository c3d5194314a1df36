/* SPDX-License-Identifier: BSD-2-Clause */
/* One database of a reindexing, from its configuration to finished index databases. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "indexing/index_setup.h"
#include "indexing/index_writer.h"
#include "locks/claim.h"
#include "output/claimed_output.h"
#include "reader/stored_order.h"
#include "reindex/reindexer.h"

#define WAIT_MS      10000  /* while LMDB's table of readers is full */
#define LOCK_WAIT_MS 600000 /* for its write lock, which slapd may hold for minutes */
#define WIDE_SHARE   8      /* of the memory: keys that share a sorter get an eighth */

/* ---- failures ---- */

int dit_reindex_target_fail(const struct reindex_target *target, int r)
{
	const struct dit_database *db = target->db;
	uint64_t bytes = target->stats->bytes;

	if (r != DIT_E_FULL || target->fault.text[0] != '\0') {
		return dit_job_fail_with(&target->reindexer->job, r, db->data.directory,
		                         &target->fault);
	}
	if (bytes == 0) {
		return dit_job_say(
			&target->reindexer->job, r,
			"the database in %s has no room for the old indexes and "
			"the new ones, maxsize is %lu: configure more",
			db->data.directory, db->data.maxsize_bytes);
	}
	return dit_job_say(&target->reindexer->job, r,
	                   "the database in %s needs %lu bytes, with the old indexes and "
	                   "the new ones, but maxsize is %lu: configure \"maxsize %lu\"",
	                   db->data.directory, bytes, db->data.maxsize_bytes,
	                   ((bytes + (16u << 20)) >> 20 << 20));
}

/* ---- which index databases are built ---- */

/*
 * An attribute that is named stands for the index database of its type, with all
 * definitions that share it: to build a database from some of its definitions would take
 * away the keys of the others.
 */
static bool is_asked_for(const struct reindexer *reindexer,
                         const struct dit_attr_type *type)
{
	for (size_t i = 0; i < reindexer->nattrs; i++) {
		if (reindexer->attrs[i]->type == type) {
			return true;
		}
	}
	return reindexer->nattrs == 0;
}

static int refuse_attr(const struct reindexer *reindexer, const struct dit_ad *ad)
{
	const char *name = ad->name.data;
	const struct dit_rule *rule = ad->type->equality;
	const char *kind =
		rule == NULL || rule->indexer == DIT_INDEXER_NONE ? "pres" : "eq";

	dit_job_report(&reindexer->job, DIT_REPORT_DIAGNOSTIC,
	               "mdb_tool_entry_reindex: no index configured for %s", name);
	if (!dit_conf_can_index(ad)) {
		return dit_job_say(&reindexer->job, DIT_E_CONFIG,
		                   "slapd takes no index of %s", name);
	}
	return dit_job_say(&reindexer->job, DIT_E_CONFIG,
	                   "no index of %s is configured: add \"index %s %s\" to "
	                   "slapd.conf, or \"olcDbIndex: %s %s\" to the entry of the "
	                   "database",
	                   name, name, kind, name, kind);
}

static int check_attrs(const struct reindex_target *target)
{
	const struct reindexer *reindexer = target->reindexer;
	const struct dit_database *db = target->db;

	for (size_t i = 0; i < reindexer->nattrs; i++) {
		size_t k = 0;

		while (k < db->nindexes && db->indexes[k].ad != reindexer->attrs[i]) {
			k++;
		}
		if (k == db->nindexes) {
			return refuse_attr(reindexer, reindexer->attrs[i]);
		}
	}
	return 0;
}

int dit_reindex_make_set(struct reindex_target *target)
{
	const struct reindexer *reindexer = target->reindexer;
	const struct dit_database *db = target->db;
	struct dit_index_spec *specs = NULL;
	size_t nspecs = 0;
	int r = check_attrs(target);

	if (r < 0) {
		return r;
	}
	specs = calloc(db->nindexes + 1, sizeof(*specs));
	if (specs == NULL) {
		return dit_job_fail(&reindexer->job, -ENOMEM, "could not start");
	}
	for (size_t i = 0; i < db->nindexes; i++) {
		if (is_asked_for(reindexer, db->indexes[i].ad->type)) {
			specs[nspecs++] = db->indexes[i];
		}
	}
	r = dit_indexes_make(&reindexer->job, specs, nspecs, reindexer->opts->byte_keys,
	                     &target->indexes);
	free(specs);
	return r;
}

/* ---- opening ---- */

/* slapd's tools do not start without entries; in their words. */
static int say_missing(const struct reindex_target *target)
{
	const struct reindexer *reindexer = target->reindexer;
	const struct dit_database *db = target->db;

	dit_job_report(&reindexer->job, DIT_REPORT_DIAGNOSTIC,
	               "mdb_db_open: database \"%.*s\": mdb_dbi_open(%s/id2e) failed: "
	               "%s (%d).",
	               DIT_SPAN_ARGS(db->suffix), db->data.directory,
	               dit_strerror(DIT_LMDB_NOTFOUND), DIT_LMDB_NOTFOUND);
	dit_job_say_not_opened(&reindexer->job, db, DIT_LMDB_NOTFOUND,
	                       target == &reindexer->targets[0]);
	return DIT_E_UNKNOWN;
}

/* Its keys come from the entries, so the old index database is not missed. */
static void tell_damaged(void *ctx, const char *name, const char *text, bool is_lost)
{
	const struct reindex_target *target = ctx;

	dit_job_report(
		&target->reindexer->job, DIT_REPORT_WARNING,
		"index database \"%s\" in %s was damaged (%s)%s", name,
		target->db->data.directory, text,
		is_lost ? "; another database is damaged as well, so the pages of this "
			  "one are lost to the file: see what \"ditcheck\" says"
			: "");
}

static int open_claimed(struct reindex_target *target, struct dit_fault *fault)
{
	const struct dit_database *db = target->db;
	const struct dit_index_output_opts opts = {
		.file = {.directory = db->data.directory,
	                 .mode = db->data.mode,
	                 .maxsize_bytes = db->data.maxsize_bytes,
	                 .shared = dit_job_shared(&target->reindexer->job, target->seal),
	                 .fault = fault},
		.damaged = tell_damaged,
		.ctx = target,
	};
	int r = dit_index_output_open(&target->output, &target->snapshot, &opts);

	if (r == 0) {
		(void)dit_output_used_bytes(target->output, &target->stats->bytes_before);
	}
	return r;
}

static int open_online(struct reindex_target *target, struct dit_fault *fault)
{
	const struct reindexer *reindexer = target->reindexer;
	const struct dit_database *db = target->db;
	const struct dit_settings *settings = reindexer->job.chosen.settings;
	const struct dit_online_opts opts = {
		.directory = db->data.directory,
		.shared = dit_job_shared(&target->reindexer->job, target->seal),
		.wait_ms = WAIT_MS,
		.lock_wait_ms = LOCK_WAIT_MS,
		.conf = {.path = db->file,
	                 .changed_us = settings->changed_us,
	                 .read_us = settings->read_us,
	                 .map_bytes = db->data.maxsize_bytes},
		.keeper = &reindexer->keeper,
		.is_unsynced = db->data.is_unsynced,
		.list_max = dit_settings_list_max(settings),
		.times = &target->times,
		.fault = fault,
		.changed = dit_reindex_catch_up,
		.ctx = target,
	};

	return dit_online_open(&target->output, &target->snapshot, &opts);
}

/* Older releases have other hashes. */
static int check_release(const struct reindex_target *target)
{
	enum dit_openldap_version release = target->reindexer->job.chosen.openldap;

	if (!dit_snapshot_is_lmdb_10(target->snapshot) || release >= DIT_OPENLDAP_2_7) {
		return 0;
	}
	return dit_job_say(&target->reindexer->job, DIT_E_CONFIG,
	                   "%s: the database is of OpenLDAP 2.7, the configuration is "
	                   "read as OpenLDAP %s reads it: see --openldap",
	                   target->db->data.directory, dit_openldap_name(release));
}

static int open_output(struct reindex_target *target)
{
	const struct reindexer *reindexer = target->reindexer;
	const struct dit_database *db = target->db;
	struct dit_fault *fault = &target->fault;
	int r = reindexer->opts->online ? open_online(target, fault)
	                                : open_claimed(target, fault);

	if (r == DIT_E_BUSY && !reindexer->opts->online &&
	    strncmp(fault->text, "slapd,", 6) == 0) {
		return dit_job_say(&reindexer->job, r,
		                   "the database in %s is in use by %s; --online builds "
		                   "indexes while slapd runs",
		                   db->data.directory, fault->text);
	}
	if (r == DIT_E_BUSY) {
		return dit_job_open_fail(&reindexer->job, r, db->data.directory, fault);
	}
	if (r == -ENOENT && fault->text[0] == '\0') {
		return say_missing(target);
	}
	return r < 0 ? dit_reindex_target_fail(target, r) : check_release(target);
}

/*
 * A stored database keeps its kind of keys, if this configuration can be served with it;
 * an integer one that cannot becomes one of bytes (storage.md 1.5). One that slapd has
 * open must keep its flags.
 */
static int adopt_index(struct reindex_target *target, size_t number)
{
	const struct dit_job *job = &target->reindexer->job;
	const struct dit_index_db *db = dit_index_set_db(target->indexes, number);
	const char *directory = target->db->data.directory;
	struct dit_output_stored_index stored = {.key_len = 0};
	struct dit_output_index index = {.name = db->name};
	int found = dit_output_find_index(target->output, db->name, &stored);
	int r = found <= 0 ? found
	                   : dit_index_set_stored(target->indexes, number,
	                                          stored.is_integerkey, 0);

	if (target->reindexer->opts->online && (found == 0 || r == DIT_E_INVALID)) {
		return dit_job_say(
			job, DIT_E_CONFIG,
			found == 0
				? "index database \"%s\" in %s does not exist: start "
				  "slapd again with this configuration first"
				: "index database \"%s\" in %s has integer keys, which do "
				  "not suit its index: stop slapd",
			db->name, directory);
	}
	if (r == DIT_E_INVALID) {
		dit_job_report(job, DIT_REPORT_WARNING,
		               "index database \"%s\" in %s has integer keys, which "
		               "do not suit its index: it gets keys of bytes",
		               db->name, directory);
		r = 0;
	}
	index.is_integerkey = db->is_integerkey;
	r = r ?: dit_output_add_index(target->output, &index);
	return dit_job_fail(job, r, db->name);
}

static bool is_configured(const struct reindex_target *target, const char *name)
{
	for (size_t i = 0; i < target->db->nindexes; i++) {
		if (strcmp(target->db->indexes[i].ad->type->name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Find index databases that slapd does not maintain: their contents are stale. */
static int look_for_unconfigured(struct reindex_target *target)
{
	const struct reindexer *reindexer = target->reindexer;
	const struct dit_snapshot *snapshot = target->snapshot;
	int r = 0;

	for (size_t i = 0; i < snapshot->ndbs && r == 0; i++) {
		const struct dit_stored_db *db = &snapshot->dbs[i];
		uint64_t bytes = db->npages * snapshot->map.page_bytes;

		if (!dit_stored_flags_are_right(NULL, db->flags) ||
		    dit_stored_find(dit_span_of(db->name)) != NULL ||
		    is_configured(target, db->name)) {
			continue;
		}
		dit_job_report(
			&reindexer->job, DIT_REPORT_WARNING,
			"index database \"%s\" in %s is not configured: %lu bytes%s",
			db->name, target->db->data.directory, bytes,
			reindexer->opts->drop_unconfigured
				? ", removed"
				: " that --drop-unconfigured removes");
		if (reindexer->opts->drop_unconfigured) {
			r = dit_index_output_drop(target->output, db->name);
			target->is_changed = true;
		}
	}
	return dit_reindex_target_fail(target, r);
}

/* There will be about as many index rows as are stored. Next to slapd the pages for them
 * are best reserved now: the free list gets longer with each of its changes. */
static int expect_stored(const struct reindex_target *target)
{
	uint64_t ids_in_file = target->snapshot->map.npages *
	                       target->snapshot->map.page_bytes / sizeof(uint64_t);
	size_t n = dit_index_set_ndbs(target->indexes);
	uint64_t nrows = 0;

	for (size_t i = 0; i < n; i++) {
		const struct dit_stored_db *db = dit_snapshot_db(
			target->snapshot, dit_index_set_db(target->indexes, i)->name);

		/* A wrong count is one of a damaged file. */
		nrows += db != NULL && db->nrecords < ids_in_file ? db->nrecords : 0;
	}
	return nrows == 0 || nrows > ids_in_file
	               ? 0
	               : dit_output_expect_postings(target->output, nrows);
}

int dit_reindex_target_open(struct reindex_target *target)
{
	size_t n = 0;
	int r = dit_reindex_make_set(target);

	r = r ?: open_output(target);
	if (r == 0 && dit_snapshot_db(target->snapshot, "id2e") == NULL) {
		r = say_missing(target);
	}
	if (r < 0) {
		return r;
	}
	n = dit_index_set_ndbs(target->indexes);
	target->is_changed = n > 0;
	for (size_t i = 0; i < n && r == 0; i++) {
		r = adopt_index(target, i);
	}
	r = r ?: look_for_unconfigured(target);
	return r ?: dit_reindex_target_fail(target, expect_stored(target));
}

/* ---- building ---- */

int dit_reindex_target_begin(struct reindex_target *target)
{
	struct reindexer *reindexer = target->reindexer;
	uint64_t wide_bytes = reindexer->memory_bytes / WIDE_SHARE;
	const struct dit_builders_opts opts = {
		.indexes = target->indexes,
		.shared = dit_job_shared(&reindexer->job, target->seal),
		.memory_bytes = reindexer->memory_bytes - wide_bytes,
		.wide_memory_bytes = wide_bytes,
		.list_max = dit_settings_list_max(reindexer->job.chosen.settings),
	};
	int r = dit_builders_new(&target->builders, &opts);

	target->keys = calloc(reindexer->job.nthreads, sizeof(struct dit_stored_keys *));
	r = r == 0 && target->keys == NULL ? -ENOMEM : r;
	for (unsigned i = 0; i < reindexer->job.nthreads && r == 0; i++) {
		r = dit_stored_keys_new(&target->keys[i], target->indexes);
	}
	return dit_job_fail(&reindexer->job, r, opts.shared.tmpdir);
}

static void free_keys(struct reindex_target *target)
{
	for (unsigned i = 0; target->keys != NULL && i < target->reindexer->job.nthreads;
	     i++) {
		dit_stored_keys_free(target->keys[i]);
	}
	free(target->keys);
	target->keys = NULL;
}

static void work(void *ctx, unsigned member, uint64_t round)
{
	(void)round;
	dit_index_writer_work(ctx, member);
}

static int run_writer(struct reindex_target *target, struct dit_index_writer *writer)
{
	struct dit_team *team = NULL;
	int r = dit_team_new(&team, target->reindexer->job.nthreads, "tool", work,
	                     writer);

	if (r < 0) {
		return r;
	}
	dit_team_meet(team, NULL);
	dit_team_free(team, dit_job_ticker(&target->reindexer->job));
	return dit_index_writer_end(writer);
}

static int write_indexes(struct reindex_target *target)
{
	struct dit_index_writer_opts opts = {
		.builders = target->builders,
		.output = target->output,
		.ndbs = dit_index_set_ndbs(target->indexes),
		.shared = dit_job_shared(&target->reindexer->job, target->seal),
		.nprocessors = dit_processor_count(),
		.counts_lists = target->reindexer->opts->counts_lists,
		.since_us = target->reindexer->job.start_us,
	};
	struct dit_index_writer *writer = NULL;
	int r = dit_builders_finish(target->builders);

	if (r == 0) {
		target->npostings = dit_builders_npostings(target->builders);
		r = dit_output_expect_postings(target->output, target->npostings);
	}
	r = r ?: dit_index_writer_new(&writer, &opts);
	if (r == 0) {
		target->writer = writer;
		dit_job_tell(&target->reindexer->job, DIT_REINDEX_INDEXES);
		r = run_writer(target, writer);
		target->writer = NULL;
	}
	if (r == 0) {
		r = dit_index_writer_stats(writer, target->indexes,
		                           &target->stats->indexes,
		                           &target->stats->nindexes);
		target->reindexer->stats->run_bytes +=
			dit_builders_run_bytes(target->builders);
		target->npostings = dit_builders_npostings(target->builders);
	}
	dit_index_writer_free(writer);
	return dit_reindex_target_fail(target, r);
}

int dit_reindex_target_build(struct reindex_target *target)
{
	int r = 0;

	if (dit_index_set_ndbs(target->indexes) == 0) {
		return 0;
	}
	r = dit_reindex_target_begin(target);
	r = r ?: dit_reindex_scan(target);
	free_keys(target);
	dit_job_end_phase(&target->reindexer->job, DIT_REINDEX_ENTRIES);
	r = r ?: write_indexes(target);
	dit_job_end_phase(&target->reindexer->job, DIT_REINDEX_INDEXES);
	dit_builders_free(target->builders);
	target->builders = NULL;
	return r;
}

void dit_reindex_target_deinit(struct reindex_target *target)
{
	free_keys(target);
	dit_builders_free(target->builders);
	dit_output_abandon(target->output);
	dit_reindex_forget_changes(target);
	dit_data_seal_close(target->seal);
	dit_index_set_free(target->indexes);
}
