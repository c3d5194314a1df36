/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reindexing estimated: entries of 64 windows at equal distances pass the stages of a
 * reindexing up to their sorted keys. A window begins with a leaf of id2e.
 *
 * The size of the file. The new index databases go into pages that are free, and after
 * the end; the pages of the old ones are free afterwards.
 */
#include "build/estimate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/tmp_dir.h"
#include "build/estimate_sizes.h"
#include "reader/entry_reader.h"
#include "reindex/reindexer.h"

#define SAMPLE_BYTES (8u << 20)
#define NWINDOWS     64
#define WAIT_MS      10000
#define WIDE_SHARE   8 /* as reindex_target.c */
/* Apart from postings: the program, threads, chunks of pages. */
#define BASE_BYTES (4u << 20)

/** The sample of one database. */
struct sampling {
	struct reindex_target *target;
	struct dit_estimate *ret;
	struct dit_estimate_database *database;
	struct dit_ad_names names;
	struct dit_entry_reader *reader;
	uint64_t *firsts; /* IDs of leaves */
	size_t nleaves;
	uint64_t nsampled; /* records */
	uint64_t bytes;    /* of these */
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

static int open_sampling(struct sampling *sampling)
{
	struct reindex_target *target = sampling->target;
	struct dit_entry_reader_opts reader = {.snapshot = target->snapshot,
	                                       .names = &sampling->names,
	                                       .without_dn = true};
	int r = dit_reindex_target_begin(target);

	if (r < 0) {
		return r; /* reported */
	}
	sampling->database = dit_estimate_add(sampling->ret, target->db, target->indexes);
	r = sampling->database == NULL ? -ENOMEM : 0;
	if (r == 0) {
		r = dit_ad_names_read(&sampling->names, target->snapshot,
		                      target->reindexer->job.chosen.settings->schema);
	}
	if (r == 0) {
		r = dit_ad_names_choose(&sampling->names, dit_stored_keys_want,
		                        target->members[0].keys);
	}
	if (r == 0) {
		r = dit_entry_reader_new(&sampling->reader, &reader);
	}
	if (r == 0) {
		r = dit_snapshot_id_ranges(target->snapshot, 1, &sampling->firsts,
		                           &sampling->nleaves);
	}
	return r < 0 ? dit_reindex_target_fail(target, r) : 0;
}

static void close_sampling(struct sampling *sampling)
{
	dit_entry_reader_free(sampling->reader);
	dit_ad_names_deinit(&sampling->names);
	free(sampling->firsts);
	dit_snapshot_close(sampling->target->snapshot);
}

/* ---- entries ---- */

static int take_entry(struct sampling *sampling, const struct dit_entry_view *view)
{
	struct dit_builders *builders = sampling->target->builders;
	struct dit_stored_keys *keys = sampling->target->members[0].keys;
	struct dit_index_refusal refusal;
	int r = 0;

	sampling->nsampled++;
	sampling->bytes += view->record.len;
	if (view->is_hole || view->record_error != 0 || view->id > DIT_BUILDERS_ID_MAX) {
		return 0;
	}
	r = dit_stored_keys_check(keys, view, &refusal);
	if (r == DIT_E_INVALID) {
		return 0;
	}
	sampling->database->nentries++;
	return r < 0 ? r : dit_stored_keys_push(keys, view, builders, 0, NULL);
}

/* Entries from one leaf on, up to the leaf of the next window. @param end  0: all */
static int take_window(struct sampling *sampling, uint64_t first, uint64_t end,
                       uint64_t window_bytes)
{
	uint64_t enough = sampling->bytes + window_bytes;
	struct dit_entry_view view;
	int r = dit_entry_reader_seek(sampling->reader, first, &view);

	while (r > 0 && (end == 0 || view.id < end) && sampling->bytes < enough) {
		r = dit_stop_is_set(&sampling->target->reindexer->job.stop)
		            ? DIT_E_STOPPED
		            : take_entry(sampling, &view);
		if (r == 0) {
			r = dit_entry_reader_next(sampling->reader, &view);
		}
	}
	return r < 0 ? r : 0;
}

static int take_windows(struct sampling *sampling, uint64_t sample_bytes)
{
	const uint64_t *firsts = sampling->firsts;
	size_t nleaves = sampling->nleaves;
	size_t n = nleaves < NWINDOWS ? nleaves : NWINDOWS;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		uint64_t end = i + 1 < n ? firsts[nleaves * (i + 1) / n] : 0;

		r = take_window(sampling, firsts[nleaves * i / n], end, sample_bytes / n);
	}
	return r;
}

/* Sorted and counted; lists go nowhere. */
static int take_keys(struct sampling *sampling)
{
	struct dit_builders *builders = sampling->target->builders;
	int r = dit_builders_seal(builders);

	for (size_t i = 0; i < sampling->database->nindexes && r == 0; i++) {
		struct dit_index_cursor *cursor = NULL;
		const struct dit_output_list *lists = NULL;
		ptrdiff_t n = 1;

		r = dit_index_cursor_open(&cursor, builders, i);
		while (r == 0 && n > 0) {
			n = dit_index_cursor_next(cursor, &lists);
			r = n < 0 ? (int)n : 0;
		}
		dit_index_cursor_close(cursor);
		sampling->database->indexes[i].npostings =
			dit_builders_npushed(builders, i);
	}
	return r;
}

/* ---- the end ---- */

static int end_file(struct sampling *sampling, uint64_t indexes)
{
	struct dit_estimate_database *database = sampling->database;
	const struct dit_snapshot *snapshot = sampling->target->snapshot;
	uint64_t page_bytes = dit_snapshot_page_bytes(snapshot);
	uint64_t nfree = 0;
	int r = dit_snapshot_nfree(snapshot, &nfree);

	database->bytes_before = dit_snapshot_npages(snapshot) * page_bytes;
	database->disk_bytes =
		indexes > nfree * page_bytes ? indexes - nfree * page_bytes : 0;
	database->bytes = database->bytes_before + database->disk_bytes;
	return r;
}

static int end_sampling(struct sampling *sampling)
{
	const struct dit_snapshot *snapshot = sampling->target->snapshot;
	struct dit_estimate *ret = sampling->ret;
	const struct dit_stored_db *id2e = dit_snapshot_db(snapshot, "id2e");
	uint64_t nrecords = id2e == NULL ? 0 : id2e->nrecords;
	double scale = sampling->nsampled == 0
	                       ? 0
	                       : (double)nrecords / (double)sampling->nsampled;
	uint64_t bytes_read = (uint64_t)((double)sampling->bytes * scale);

	ret->sampled_entries += sampling->database->nentries;
	ret->sampled_bytes += sampling->bytes;
	ret->bytes_read += bytes_read;
	ret->text_bytes += bytes_read;
	ret->nrefused += nrecords - sampling->database->nentries;
	return end_file(sampling,
	                dit_estimate_scale(ret, sampling->database, scale,
	                                   dit_snapshot_page_bytes(snapshot),
	                                   ret->memory_limit_bytes -
	                                           ret->memory_limit_bytes / WIDE_SHARE));
}

static int estimate_target(struct reindex_target *target, struct dit_estimate *ret,
                           uint64_t sample_bytes)
{
	struct sampling sampling = {.target = target, .ret = ret};
	uint64_t start_us = 0;
	int r = open_snapshot(target);

	if (r == 0) {
		r = dit_reindex_make_set(target);
	}
	if (r == 0) {
		r = open_sampling(&sampling);
	}
	if (r == 0) {
		start_us = dit_clock_us(CLOCK_THREAD_CPUTIME_ID);
		r = take_windows(&sampling, sample_bytes);
		if (r == 0) {
			r = take_keys(&sampling);
		}
		if (r == 0) {
			r = end_sampling(&sampling);
		}
		ret->sample_cpu_us += dit_clock_us(CLOCK_THREAD_CPUTIME_ID) - start_us;
		r = r < 0 ? dit_reindex_target_fail(target, r) : 0;
	}
	close_sampling(&sampling);
	return r;
}

static int run(struct reindexer *reindexer, uint64_t sample_bytes,
               struct dit_estimate *ret)
{
	int r = dit_reindex_prepare(reindexer);

	if (r < 0) {
		return r;
	}
	ret->threads = reindexer->job.nthreads;
	ret->memory_limit_bytes = reindexer->memory_bytes;
	reindexer->memory_bytes = dit_default_memory(1); /* for the sample */
	ret->tmpdir = dit_tmp_dir(reindexer->opts->tmpdir);
	ret->databases = calloc(reindexer->ntargets + 1, sizeof(*ret->databases));
	if (ret->databases == NULL) {
		return dit_job_fail(&reindexer->job, -ENOMEM, "could not start");
	}
	for (unsigned i = 0; i < reindexer->ntargets && r == 0; i++) {
		r = estimate_target(&reindexer->targets[i], ret, sample_bytes);
	}
	/* One database is built after the other. */
	ret->memory_bytes = BASE_BYTES + (uint64_t)fmin((double)ret->memory_bytes,
	                                                (double)ret->memory_limit_bytes);
	return r;
}

int dit_estimate_reindex(const struct dit_reindex_opts *opts,
                         const struct dit_estimate_opts *how, struct dit_estimate *ret)
{
	struct dit_reindex_stats stats = {.threads = 0};
	struct dit_reindex_opts silent = *opts;
	struct reindexer reindexer;
	uint64_t sample_bytes = how->sample_bytes == 0 ? SAMPLE_BYTES : how->sample_bytes;
	int r = 0;

	*ret = (struct dit_estimate){.threads = 0};
	silent.progress = NULL;
	dit_reindexer_init(&reindexer, &silent, &stats);
	r = run(&reindexer, sample_bytes, ret);
	dit_reindex_release(&reindexer);
	dit_reindex_stats_deinit(&stats);
	return r;
}
