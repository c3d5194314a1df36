/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load estimated: a dry run over windows of the input, scaled. Sampled records pass the
 * stages of a load, on one thread, up to their keys, which are counted.
 *
 * The sample of plain files has the records that begin in 64 windows, at equal distances:
 *
 *     file     |aaaa|bb|cc|dddddddddddddddddddddd|ee|ff|gg|hh|ii|jj|kk|ll|mm|
 *     windows  [---]            [---]              [---]             [---]
 *     sample    aaaa                              ee ff gg            kk ll
 *
 * The length of a packed file or a pipe is known at its end only: each of its batches is
 * read, and some at equal distances are in the sample.
 */
#include "load/load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/version.h"
#include "indexing/estimate_sizes.h"
#include "job/job.h"
#include "load/loader.h"
#include "system/tmp_files.h"

#define SAMPLE_BYTES (8u << 20)
#define NWINDOWS     64
#define NBATCHES     256 /* in a sample, about */
#define PACKED_TIMES 8   /* text is so much longer than it is packed, about */
#define PIPE_STEP    8   /* of a pipe, one of so many batches is in the sample */
/* CPU time of a load, to parse and to make keys is 1: measured with 0 to 27 indexes. */
#define WORK 2.8
/* Meta pages, the main tree, ad2i, the roots of id2e and dn2i. */
#define FIXED_PAGES 6
/* Memory of the program itself: schema, chunks of pages; and of each thread. */
#define BASE_BYTES   (8u << 20)
#define THREAD_BYTES (4u << 20)
/* Bytes in arenas for each byte of a batch (load_size.c has what is set aside). */
#define BATCH_FACTOR 20
/* The names of an entry in the sort of dn2i. */
#define NAMES_BYTES 100
/* A node of id2e without its record. */
#define NODE_BYTES 16

struct estimating {
	struct loader loader;
	struct dit_load_opts opts; /* of the dry run */
	struct dit_estimate *ret;
	struct dit_load_stats stats;
	struct dit_arena arena;
	uint64_t sample_bytes; /* wanted */
	uint64_t text_bytes;   /* of the whole input, unpacked */
	uint64_t cpu_us;       /* of the sample */
};

/* ---- before the sample ---- */

static int prepare(struct estimating *estimating, const struct dit_load_opts *asked)
{
	struct loader *loader = &estimating->loader;
	struct dit_estimate *ret = estimating->ret;
	int r = dit_load_read_settings(loader);

	if (r < 0) {
		return r;
	}
	ret->threads = loader->job.nthreads;
	ret->memory_limit_bytes = dit_memory_share(asked->memory_bytes);
	ret->tmpdir = dit_tmp_dir(asked->tmpdir);
	loader->job.nthreads = 1;
	r = dit_load_prepare(loader);
	if (r != 0) {
		return r;
	}
	ret->databases = calloc(loader->ntargets, sizeof(*ret->databases));
	return ret->databases == NULL ? dit_job_fail(&loader->job, -ENOMEM,
	                                             "could not start the estimate")
	                              : 0;
}

/* ---- records ---- */

static unsigned page_bytes_of(const struct load_target *target)
{
	unsigned page_bytes = target->db->data.page_bytes;

	return page_bytes == 0 ? (unsigned)sysconf(_SC_PAGESIZE) : page_bytes;
}

/* Half a record of a leaf stays free, on average. A page takes two, or none of them. */
static double stored_bytes(double page, size_t len)
{
	double node = (double)len + NODE_BYTES;

	return node > page / 2 ? ceil(node / page) * page
	                       : node * page / (page - node / 2);
}

static double encoded_bytes(const struct dit_encoded *encoded, double page)
{
	double bytes = LOAD_NAME_BYTES + stored_bytes(page, encoded->len);

	for (uint32_t i = 0; i < encoded->splits.n; i++) {
		const struct dit_split *split = &encoded->splits.list[i];

		for (uint32_t k = 0; k < split->nrecords; k++) {
			bytes += stored_bytes(page, split->records[k].len);
		}
	}
	return bytes;
}

/* As the statistics have it. */
static struct dit_estimate_database *database_of(const struct estimating *estimating,
                                                 const struct load_target *target)
{
	return &estimating->ret->databases[target->stats - estimating->stats.databases];
}

static int take_item(struct estimating *estimating, struct load_item *item)
{
	struct load_target *target = &estimating->loader.targets[item->target];
	struct dit_estimate_database *database = NULL;

	if (item->state == LOAD_BROKEN) {
		return item->error;
	}
	if (item->state != LOAD_GOOD || target->is_foreign) {
		estimating->ret->nrefused++;
		return 0;
	}
	dit_load_look_note(target, &item->entry.dn);
	database = database_of(estimating, target);
	database->disk_bytes +=
		(uint64_t)encoded_bytes(&item->encoded, page_bytes_of(target));
	item->id = (uint32_t)++database->nentries;
	return 0;
}

/* ---- the sample ---- */

/* Take all records of the slot into the sample. 0; negative, reported */
static int take_batch(struct estimating *estimating, uint64_t bytes)
{
	struct loader *loader = &estimating->loader;
	const struct load_slot *slot = &loader->input.slots[0];
	struct dit_pipeline_share share = {.arena = &estimating->arena};
	uint64_t start_us = dit_clock_us(CLOCK_THREAD_CPUTIME_ID);
	int r = dit_load_begin(loader, 0, &share.end);

	r = r ?: dit_load_parse(loader, &share);
	for (size_t i = 0; i < share.end && r == 0; i++) {
		r = take_item(estimating, &slot->items[i]);
	}
	r = r ?: dit_load_key(loader, &share);
	dit_arena_reset(&estimating->arena);
	/* Reading and unpacking are work of another thread. */
	estimating->cpu_us += dit_clock_us(CLOCK_THREAD_CPUTIME_ID) - start_us;
	estimating->ret->sampled_entries += share.end;
	estimating->ret->sampled_bytes += bytes;
	return dit_job_fail(&loader->job, r, "could not estimate the load");
}

/* Read the next batch. @param is_taken  it is in the sample. @return 1; 0: the input has
 * ended; negative, reported */
static int read_batch(struct estimating *estimating, bool is_taken)
{
	struct loader *loader = &estimating->loader;
	const struct dit_ldif_batch *batch = &loader->input.slots[0].batch;
	uint64_t bytes = 0;
	int r = dit_load_fill(loader, 0);

	if (r <= 0) {
		return r == 0 ? 0
		              : dit_job_input_fail(&loader->job, loader->input.reader, r,
		                                   "could not read the input");
	}
	for (size_t i = 0; i < batch->nrecords; i++) {
		bytes += batch->records[i].text.len;
	}
	estimating->text_bytes += bytes;
	estimating->ret->bytes_read = batch->bytes_read;
	r = is_taken ? take_batch(estimating, bytes) : 0;
	return r < 0 ? r : 1;
}

/* @param size  of all inputs */
static int take_windows(struct estimating *estimating, uint64_t size)
{
	uint64_t window_bytes = estimating->sample_bytes / NWINDOWS;
	uint64_t distance = (size - window_bytes) / (NWINDOWS - 1);
	const struct dit_estimate *ret = estimating->ret;
	int r = 1;

	for (unsigned i = 0; i < NWINDOWS && r >= 0; i++) {
		uint64_t enough = ret->sampled_bytes + window_bytes;

		dit_ldif_reader_skip(estimating->loader.input.reader, distance * i);
		r = 1;
		while (r > 0 && ret->sampled_bytes < enough) {
			r = read_batch(estimating, true);
		}
	}
	estimating->text_bytes = size;
	estimating->ret->bytes_read = size;
	return r < 0 ? r : 0;
}

static int take_batches(struct estimating *estimating, uint64_t step)
{
	int r = 1;

	for (uint64_t i = 0; r > 0; i++) {
		r = read_batch(estimating, i % step == 0);
	}
	estimating->ret->is_whole = step == 1;
	return r;
}

static int take_sample(struct estimating *estimating)
{
	struct dit_ldif_reader *reader = estimating->loader.input.reader;
	uint64_t size = dit_ldif_reader_size(reader);
	bool is_plain = dit_ldif_reader_can_skip(reader);
	uint64_t step = is_plain    ? 1
	                : size == 0 ? PIPE_STEP
	                            : 1 + PACKED_TIMES * size / estimating->sample_bytes;
	int r = 0;

	dit_arena_init(&estimating->arena, 64u << 10);
	r = is_plain && size > estimating->sample_bytes ? take_windows(estimating, size)
	                                                : take_batches(estimating, step);
	dit_arena_deinit(&estimating->arena);
	return r;
}

/* ---- the end ---- */

/* Old lists that get new IDs are in half of the pages of a database, about. */
static void end_target(struct estimating *estimating, const struct load_target *target,
                       double scale)
{
	struct dit_estimate *ret = estimating->ret;
	struct dit_estimate_database *database = database_of(estimating, target);
	unsigned page_bytes = page_bytes_of(target);
	double keys = (double)ret->npostings;
	uint64_t bytes = dit_estimate_indexes(ret, target->builders,
	                                      dit_index_set_ndbs(target->indexes), scale,
	                                      page_bytes);

	database->bytes_before = dit_load_stored_bytes(target);
	database->maxsize_bytes = target->db->data.maxsize_bytes;
	database->nentries = (uint64_t)((double)database->nentries * scale + 0.5);
	database->disk_bytes =
		bytes + FIXED_PAGES * page_bytes +
		(uint64_t)((double)database->disk_bytes * scale +
	                   fmin(((double)ret->npostings - keys) * page_bytes,
	                        (double)database->bytes_before / 2));
	database->bytes = database->bytes_before + database->disk_bytes;
	ret->nentries += database->nentries;
	/* The name changes its owner. */
	database->directory = target->stats->directory;
	target->stats->directory = NULL;
	ret->ndatabases++;
}

static int end(struct estimating *estimating)
{
	struct loader *loader = &estimating->loader;
	struct dit_estimate *ret = estimating->ret;
	struct dit_load_opts opts = {.memory_bytes = ret->memory_limit_bytes};
	struct load_budget budget;
	double scale = ret->sampled_bytes == 0 ? 1
	                                       : (double)estimating->text_bytes /
	                                                 (double)ret->sampled_bytes;
	int r = dit_load_budget_make(&loader->job, &opts, ret->threads, loader->ntargets,
	                             &budget);

	if (r < 0) {
		return r;
	}
	for (unsigned i = 0; i < loader->ntargets; i++) {
		if (!loader->targets[i].is_foreign) {
			end_target(estimating, &loader->targets[i], scale);
		}
	}
	ret->nrefused = (uint64_t)((double)ret->nrefused * scale + 0.5);
	ret->cpu_us = (uint64_t)((double)estimating->cpu_us * scale * WORK);
	dit_estimate_end(ret, loader->job.chosen.settings->index.hash64,
	                 BASE_BYTES + BATCH_FACTOR * budget.batch_bytes +
	                         (uint64_t)ret->threads * THREAD_BYTES,
	                 budget.postings_bytes, LOAD_TABLE_BYTES, NAMES_BYTES);
	ret->is_filled = dit_load_look_tell(loader, DIT_REPORT_ERROR) > 0;
	return 0;
}

int dit_estimate_load(const struct dit_load_opts *opts, uint64_t sample_bytes,
                      struct dit_estimate *ret)
{
	struct estimating estimating = {.ret = ret,
	                                .sample_bytes = sample_bytes == 0 ? SAMPLE_BYTES
	                                                                  : sample_bytes};
	struct dit_load_opts asked;
	int r = dit_opts_take(&asked, sizeof(asked), opts);

	*ret = (struct dit_estimate){.threads = 0};
	if (r < 0) {
		return r;
	}
	estimating.opts = asked;
	estimating.opts.is_dry_run = true;
	estimating.opts.is_prepared = false; /* no dry run prepares anything */
	estimating.opts.progress = NULL;
	estimating.opts.first_line = 0;
	estimating.opts.memory_bytes = 0;
	estimating.opts.batch_bytes = estimating.sample_bytes / NBATCHES + 1;
	dit_loader_init(&estimating.loader, &estimating.opts, &estimating.stats);
	estimating.loader.is_estimate = true;
	r = prepare(&estimating, &asked);
	r = r ?: take_sample(&estimating);
	dit_load_scratch_remove(&estimating.stats);
	r = r ?: end(&estimating);
	dit_load_release(&estimating.loader);
	dit_load_stats_deinit(&estimating.stats);
	return r;
}
