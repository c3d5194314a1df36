/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reindexing estimated: ranges of entries at equal distances pass the stages of a
 * reindexing up to their sorted keys, scaled.
 *
 * The size of the file. The new index databases go into pages that are free, and after
 * the end; the pages of the old ones are free afterwards.
 */
#include "reindex/reindex.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/version.h"
#include "indexing/estimate_sizes.h"
#include "reindex/reindexer.h"
#include "system/tmp_files.h"

#define SAMPLE_BYTES (8u << 20)
/* CPU time of a reindexing, where that of its sample is 1: lists are written, too. */
#define WORK 1.2
/* Apart from postings: the program, threads, chunks of pages. */
#define BASE_BYTES (4u << 20)

/* slapd may run, and write. */
static int open_snapshot(struct reindex_target *target)
{
	const struct dit_job *job = &target->reindexer->job;
	struct dit_snapshot_opts opts =
		dit_job_snapshot_opts(job, job->nthreads, target->seal, &target->fault);
	int r = 0;

	opts.lmdb.no_lock_file = true;
	r = dit_snapshot_open_readers(&target->snapshot, target->db->data.directory,
	                              &opts);
	return dit_reindex_target_fail(target, r);
}

/* The keys are sorted; lists go nowhere. */
static int sort_keys(struct reindex_target *target)
{
	int r = dit_builders_finish(target->builders);

	for (size_t i = 0; i < dit_index_set_ndbs(target->indexes) && r == 0; i++) {
		struct dit_index_cursor *cursor = NULL;
		const struct dit_posting_list *lists = NULL;
		ptrdiff_t n = 1;

		r = dit_index_cursor_open(&cursor, target->builders, i, 0);
		while (r == 0 && n > 0) {
			n = dit_index_cursor_next(cursor, &lists);
			r = n < 0 ? (int)n : 0;
		}
		dit_index_cursor_close(cursor);
	}
	return dit_reindex_target_fail(target, r);
}

/* @param cpu_us  of the sample */
static int end_target(struct reindex_target *target, uint64_t cpu_us,
                      struct dit_estimate *ret)
{
	struct dit_estimate_database *database = &ret->databases[ret->ndatabases];
	const struct dit_snapshot *snapshot = target->snapshot;
	const struct dit_stored_db *id2e = dit_snapshot_db(snapshot, "id2e");
	uint64_t page_bytes = snapshot->map.page_bytes;
	uint64_t read_bytes = id2e == NULL ? 0 : id2e->npages * page_bytes;
	double scale =
		target->nread == 0 ? 1 : (double)target->nrecords / (double)target->nread;
	uint64_t nentries = (uint64_t)((double)target->stats->nentries * scale + 0.5);
	uint64_t bytes = dit_estimate_indexes(ret, target->builders,
	                                      dit_index_set_ndbs(target->indexes), scale,
	                                      (unsigned)page_bytes);
	uint64_t nfree = 0;
	int r = dit_snapshot_nfree(snapshot, &nfree);

	*database = (struct dit_estimate_database){
		.directory = target->stats->directory, /* changes its owner */
		.nentries = nentries,
		.bytes_before = snapshot->map.npages * page_bytes,
		.disk_bytes = bytes > nfree * page_bytes ? bytes - nfree * page_bytes : 0,
		.maxsize_bytes = target->db->data.maxsize_bytes};
	database->bytes = database->bytes_before + database->disk_bytes;
	target->stats->directory = NULL;
	ret->ndatabases++;
	ret->nentries += nentries;
	ret->nrefused += target->nrecords - nentries;
	ret->cpu_us += (uint64_t)((double)cpu_us * scale * WORK);
	ret->sampled_entries += target->stats->nentries;
	ret->sampled_bytes += (uint64_t)((double)read_bytes / scale);
	ret->bytes_read += read_bytes;
	return r;
}

static int estimate_target(struct reindex_target *target, struct dit_estimate *ret)
{
	uint64_t start_us = 0;
	int r = open_snapshot(target);

	r = r ?: dit_reindex_make_set(target);
	r = r ?: dit_reindex_target_begin(target);
	if (r == 0) {
		start_us = dit_clock_us(CLOCK_THREAD_CPUTIME_ID);
		r = dit_reindex_scan(target);
	}
	r = r ?: sort_keys(target);
	if (r == 0) {
		r = end_target(target, dit_clock_us(CLOCK_THREAD_CPUTIME_ID) - start_us,
		               ret);
		r = r < 0 ? dit_reindex_target_fail(target, r) : 0;
	}
	dit_snapshot_close(target->snapshot);
	return r;
}

static int run(struct reindexer *reindexer, struct dit_estimate *ret)
{
	int r = dit_reindex_prepare(reindexer);

	if (r < 0) {
		return r;
	}
	ret->threads = reindexer->job.nthreads;
	reindexer->job.nthreads = 1;
	ret->memory_limit_bytes = reindexer->memory_bytes;
	reindexer->memory_bytes = dit_memory_share(0); /* for the sample */
	ret->tmpdir = dit_tmp_dir(reindexer->opts->tmpdir);
	ret->databases = calloc(reindexer->ntargets + 1, sizeof(*ret->databases));
	if (ret->databases == NULL) {
		return dit_job_fail(&reindexer->job, -ENOMEM, "could not start");
	}
	for (unsigned i = 0; i < reindexer->ntargets && r == 0; i++) {
		r = estimate_target(&reindexer->targets[i], ret);
	}
	dit_estimate_end(ret, reindexer->job.chosen.settings->index.hash64, BASE_BYTES,
	                 ret->memory_limit_bytes, 0, 0);
	return r;
}

int dit_estimate_reindex(const struct dit_reindex_opts *opts, uint64_t sample_bytes,
                         struct dit_estimate *ret)
{
	struct dit_reindex_stats stats = {.threads = 0};
	struct dit_reindex_opts asked;
	struct reindexer reindexer;
	int r = dit_opts_take(&asked, sizeof(asked), opts);

	*ret = (struct dit_estimate){.threads = 0};
	if (r < 0) {
		return r;
	}
	asked.progress = NULL;
	asked.keep_going = true;
	asked.is_verbose = false;
	dit_reindexer_init(&reindexer, &asked, &stats);
	asked.report = NULL; /* entries that are left out are counted alone */
	reindexer.sample_bytes = sample_bytes == 0 ? SAMPLE_BYTES : sample_bytes;
	r = run(&reindexer, ret);
	dit_reindex_release(&reindexer);
	dit_reindex_stats_deinit(&stats);
	return r;
}
