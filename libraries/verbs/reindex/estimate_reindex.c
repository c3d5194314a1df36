/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reindexing estimated: entries of some leaves of id2e, at equal distances, pass the
 * stages of a reindexing up to their keys.
 *
 * The size of the file. The new index databases go into pages that are free, and after
 * the end; the pages of the old ones are free afterwards. A database of LMDB 1.0 becomes
 * a new file, without the old indexes.
 */
#include "build/estimate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/tmp_dir.h"
#include "build/estimate_keys.h"
#include "reader/entry_reader.h"
#include "reindex/reindexer.h"

#define SAMPLE_BYTES (8u << 20)
#define WAIT_MS      10000
#define WIDE_SHARE   8 /* as reindex_target.c */
/* Apart from postings: the program, threads, chunks of pages. */
#define BASE_BYTES (4u << 20)

/** The sample of one database. */
struct sampling {
	struct reindex_target *target;
	struct dit_estimate *ret;
	struct dit_ad_names names;
	struct dit_stored_keys *stored;
	struct dit_entry_reader *reader;
	struct dit_estimate_keys keys;
	uint64_t *firsts; /* IDs of leaves */
	size_t nleaves;
	uint64_t nrecords; /* of id2e */
	uint64_t nsampled; /* records */
	uint64_t bytes;    /* of these */
	uint64_t cpu_us;   /* for them */
	uint64_t budget_bytes;
};

/* ---- opening ---- */

static int open_snapshot(struct reindex_target *target)
{
	struct dit_fault *fault = &target->fault;
	const struct dit_snapshot_opts opts = {.nreaders = 1,
	                                       .no_lock = true,
	                                       .no_lock_file = true,
	                                       .wait_ms = WAIT_MS,
	                                       .fault = fault};
	int r = dit_snapshot_open_readers(&target->snapshot, target->db->data.directory,
	                                  &opts);

	if (r < 0 && fault->text[0] != '\0') {
		dit_job_report(&target->reindexer->job, DIT_REPORT_ERROR, "%s: %s",
		               target->db->data.directory, fault->text);
		return r;
	}
	return r < 0 ? dit_job_fail(&target->reindexer->job, r,
	                            target->db->data.directory)
	             : 0;
}

/* The kind of keys that is stored stays. */
static int adopt_indexes(struct sampling *sampling)
{
	struct dit_index_set *set = sampling->target->indexes;
	const struct dit_stored_db *dbs = NULL;
	size_t n = dit_snapshot_dbs(sampling->target->snapshot, &dbs);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(dbs[i].name, "id2e") == 0) {
			sampling->nrecords = dbs[i].nrecords;
		}
		for (size_t k = 0; k < dit_index_set_ndbs(set); k++) {
			int r = 0;

			if (strcmp(dbs[i].name, dit_index_set_db(set, k)->name) != 0) {
				continue;
			}
			r = dit_index_set_stored(
				set, k, (dbs[i].flags & DIT_DB_INTEGERKEY) != 0, 0);
			if (r < 0 && r != DIT_E_INVALID) {
				return r;
			}
		}
	}
	return 0;
}

static int open_sampling(struct sampling *sampling)
{
	struct reindex_target *target = sampling->target;
	struct dit_entry_reader_opts reader = {.snapshot = target->snapshot,
	                                       .names = &sampling->names,
	                                       .without_dn = true};
	int r = adopt_indexes(sampling);

	if (r == 0) {
		r = dit_estimate_keys_init(&sampling->keys, target->indexes);
	}
	if (r == 0) {
		r = dit_stored_keys_new(&sampling->stored, target->indexes);
	}
	if (r == 0) {
		r = dit_ad_names_read(&sampling->names, target->snapshot,
		                      target->reindexer->job.chosen.settings->schema);
	}
	if (r == 0) {
		r = dit_ad_names_choose(&sampling->names, dit_stored_keys_want,
		                        sampling->stored);
	}
	if (r == 0) {
		r = dit_entry_reader_new(&sampling->reader, &reader);
	}
	if (r == 0) {
		r = dit_snapshot_id_ranges(target->snapshot, 1, &sampling->firsts,
		                           &sampling->nleaves);
	}
	return r;
}

static void close_sampling(struct sampling *sampling)
{
	dit_entry_reader_free(sampling->reader);
	dit_ad_names_deinit(&sampling->names);
	dit_stored_keys_free(sampling->stored);
	dit_estimate_keys_deinit(&sampling->keys);
	free(sampling->firsts);
}

/* ---- entries ---- */

static int take_entry(struct sampling *sampling, const struct dit_entry_view *view,
                      double weight, unsigned window)
{
	struct dit_index_refusal refusal;
	int r = 0;

	sampling->nsampled++;
	sampling->bytes += view->record.len;
	if (view->is_hole || view->record_error != 0) {
		return 0;
	}
	r = dit_stored_keys_check(sampling->stored, view, &refusal);
	if (r == DIT_E_INVALID) {
		return 0;
	}
	dit_estimate_keys_begin(&sampling->keys, weight, window);
	return r < 0 ? r
	             : dit_stored_keys_make(sampling->stored, view,
	                                    dit_estimate_keys_push,
	                                    dit_estimate_keys_push_wide, &sampling->keys);
}

/* So that pages that lie on the disk are not counted as work. */
static int touch_leaf(struct sampling *sampling, size_t leaf, uint64_t end)
{
	struct dit_entry_view view;
	int r = dit_entry_reader_seek(sampling->reader, sampling->firsts[leaf], &view);

	while (r > 0 && (end == 0 || view.id < end)) {
		r = dit_stop_is_set(&sampling->target->reindexer->job.stop)
		            ? DIT_E_STOPPED
		            : dit_entry_reader_next(sampling->reader, &view);
	}
	return r < 0 ? r : 0;
}

/* All entries of a leaf. */
static int take_leaf(struct sampling *sampling, size_t leaf, double weight)
{
	uint64_t end = leaf + 1 < sampling->nleaves ? sampling->firsts[leaf + 1] : 0;
	struct dit_entry_view view;
	uint64_t start_us = 0;
	int r = touch_leaf(sampling, leaf, end);

	if (r < 0) {
		return r;
	}
	start_us = dit_clock_us(CLOCK_THREAD_CPUTIME_ID);
	r = dit_entry_reader_seek(sampling->reader, sampling->firsts[leaf], &view);

	while (r > 0 && (end == 0 || view.id < end)) {
		r = dit_stop_is_set(&sampling->target->reindexer->job.stop)
		            ? DIT_E_STOPPED
		            : take_entry(sampling, &view, weight, (unsigned)leaf);
		if (r == 0) {
			r = dit_entry_reader_next(sampling->reader, &view);
		}
	}
	sampling->cpu_us += dit_clock_us(CLOCK_THREAD_CPUTIME_ID) - start_us;
	return r < 0 ? r : 0;
}

/*
 * The weight is not known before the budget is used up: so many leaves are taken as the
 * mean record lets expect, which the file's pages tell.
 */
static int take_leaves(struct sampling *sampling)
{
	struct reindex_target *target = sampling->target;
	uint64_t bytes = dit_snapshot_npages(target->snapshot) *
	                 dit_snapshot_page_bytes(target->snapshot);
	const struct dit_stored_db *dbs = NULL;
	size_t n = dit_snapshot_dbs(target->snapshot, &dbs);
	double step = 1;
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(dbs[i].name, "id2e") == 0) {
			bytes = dbs[i].npages * dit_snapshot_page_bytes(target->snapshot);
		}
	}
	if (bytes > sampling->budget_bytes) {
		step = (double)bytes / (double)sampling->budget_bytes;
	}
	for (double at = 0; at < (double)sampling->nleaves && r == 0; at += step) {
		r = take_leaf(sampling, (size_t)at, step);
	}
	return r;
}

/* ---- the end ---- */

/* Pages of the databases that are not rebuilt; LMDB 1.0 counts those of lists. */
static double kept_pages(const struct sampling *sampling)
{
	const struct dit_index_set *set = sampling->target->indexes;
	const struct dit_stored_db *dbs = NULL;
	size_t n = dit_snapshot_dbs(sampling->target->snapshot, &dbs);
	double pages = 4;

	for (size_t i = 0; i < n; i++) {
		bool is_built = false;

		for (size_t k = 0; k < dit_index_set_ndbs(set); k++) {
			is_built |=
				strcmp(dbs[i].name, dit_index_set_db(set, k)->name) == 0;
		}
		pages += is_built ? 0 : (double)dbs[i].npages;
	}
	return pages;
}

static void end_file(struct sampling *sampling, double npages,
                     struct dit_estimate_database *database)
{
	struct dit_snapshot *snapshot = sampling->target->snapshot;
	uint64_t page_bytes = dit_snapshot_page_bytes(snapshot);
	uint64_t nfree = 0;
	double more = 0;

	database->bytes_before = dit_snapshot_npages(snapshot) * page_bytes;
	if (dit_snapshot_nfree(snapshot, &nfree) < 0) {
		database->bytes = (uint64_t)(kept_pages(sampling) + npages) * page_bytes;
		database->disk_bytes = database->bytes;
		return;
	}
	more = npages > (double)nfree ? npages - (double)nfree : 0;
	database->bytes = database->bytes_before + (uint64_t)more * page_bytes;
	database->disk_bytes = (uint64_t)more * page_bytes;
}

static int end_sampling(struct sampling *sampling)
{
	const struct reindex_target *target = sampling->target;
	const struct reindexer *reindexer = target->reindexer;
	struct dit_estimate *ret = sampling->ret;
	struct dit_estimate_database *database = &ret->databases[ret->ndatabases];
	/* Leaves are not equally full, the number of records is known. */
	double scale = (double)sampling->nrecords / sampling->keys.nentries *
	               ((double)sampling->keys.nsampled_entries /
	                (double)(sampling->nsampled > 0 ? sampling->nsampled : 1));
	bool is_lmdb_10 = dit_snapshot_is_lmdb_10(target->snapshot);
	struct dit_estimate_keys_end end = {
		.pages = {.format = is_lmdb_10 ? &dit_lmdb_10 : &dit_lmdb_09,
	                  .page_bytes = dit_snapshot_page_bytes(target->snapshot),
	                  .list_max = ((uint64_t)1
	                               << reindexer->job.chosen.settings->idlexp) -
	                              1},
		.postings_bytes =
			reindexer->memory_bytes - reindexer->memory_bytes / WIDE_SHARE,
		.nproducers = reindexer->job.nthreads};
	struct dit_estimate_keys_sizes sizes;
	int r = 0;

	ret->ndatabases++;
	database->directory = strdup(target->db->data.directory);
	database->maxsize_bytes = target->db->data.maxsize_bytes;
	if (database->directory == NULL) {
		return -ENOMEM;
	}
	r = dit_estimate_keys_end(&sampling->keys, &end, database, &sizes);
	if (r < 0) {
		return r;
	}
	scale = sampling->keys.nentries > 0 ? scale : 0;
	end_file(sampling, sizes.npages, database);
	database->nentries = (uint64_t)(sampling->keys.nentries * scale + 0.5);
	ret->nentries += database->nentries;
	ret->nrefused += sampling->nrecords - database->nentries;
	ret->sampled_entries += sampling->keys.nsampled_entries;
	ret->sampled_bytes += sampling->bytes;
	ret->sampled_postings += sampling->keys.nsampled;
	ret->bytes_read += sampling->nsampled == 0
	                           ? 0
	                           : (uint64_t)((double)sampling->bytes *
	                                        (double)sampling->nrecords /
	                                        (double)sampling->nsampled);
	ret->text_bytes = ret->bytes_read;
	ret->npostings += (uint64_t)(sampling->keys.npostings * scale);
	ret->run_bytes += (uint64_t)(sizes.sort.run_bytes * scale);
	if (sizes.sort.memory_bytes > (double)ret->memory_bytes) {
		ret->memory_bytes = (uint64_t)sizes.sort.memory_bytes;
	}
	return 0;
}

static int estimate_target(struct reindex_target *target, struct dit_estimate *ret,
                           uint64_t budget_bytes)
{
	struct sampling sampling = {
		.target = target, .ret = ret, .budget_bytes = budget_bytes};
	int r = open_snapshot(target);

	if (r == 0) {
		r = dit_reindex_make_set(target);
	}
	if (r < 0) {
		return r; /* reported */
	}
	r = open_sampling(&sampling);
	if (r == 0) {
		r = take_leaves(&sampling);
	}
	ret->sample_cpu_us += sampling.cpu_us;
	if (r == 0) {
		r = end_sampling(&sampling);
	}
	close_sampling(&sampling);
	return r < 0 ? dit_reindex_target_fail(target, r) : 0;
}

static int run(struct reindexer *reindexer, uint64_t budget_bytes,
               struct dit_estimate *ret)
{
	int r = dit_reindex_prepare(reindexer);

	if (r < 0) {
		return r;
	}
	ret->threads = reindexer->job.nthreads;
	ret->memory_limit_bytes = reindexer->memory_bytes;
	ret->tmpdir = dit_tmp_dir(reindexer->opts->tmpdir);
	ret->databases = calloc(reindexer->ntargets + 1, sizeof(*ret->databases));
	if (ret->databases == NULL) {
		return dit_job_fail(&reindexer->job, -ENOMEM, "could not start");
	}
	for (unsigned i = 0; i < reindexer->ntargets && r == 0; i++) {
		r = estimate_target(&reindexer->targets[i], ret, budget_bytes);
	}
	ret->memory_bytes += BASE_BYTES;
	return r;
}

int dit_estimate_reindex(const struct dit_reindex_opts *opts,
                         const struct dit_estimate_opts *how, struct dit_estimate *ret)
{
	struct dit_reindex_stats stats = {.threads = 0};
	struct dit_reindex_opts silent = *opts;
	struct reindexer reindexer;
	uint64_t budget = how->sample_bytes == 0 ? SAMPLE_BYTES : how->sample_bytes;
	int r = 0;

	*ret = (struct dit_estimate){.threads = 0};
	silent.progress = NULL;
	dit_reindexer_init(&reindexer, &silent, &stats);
	r = run(&reindexer, budget, ret);
	dit_reindex_release(&reindexer);
	dit_reindex_stats_deinit(&stats);
	return r;
}
