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
 * The length of a packed file or a pipe is known at its end only. All of its batches are
 * in the sample at first, then every second one, which stands for two, then every fourth,
 * and so on: twice the input makes the sample longer by half of its first part.
 */
#include "build/estimate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/tmp_dir.h"
#include "build/estimate_sizes.h"
#include "job/job.h"
#include "load/loader.h"

#define SAMPLE_BYTES (8u << 20)
#define NWINDOWS     64
#define NBATCHES     256 /* in a sample, about */
#define BRIEF_STEP   4   /* the last one of a brief look at a packed file */
/* In memory for an entry: the DN table. */
#define TABLE_BYTES 32
/* Meta pages, the main tree, ad2i, the roots of id2e and dn2i. */
#define FIXED_PAGES 6
/* Memory of the program itself: schema, chunks of pages; and of each thread. */
#define BASE_BYTES   (8u << 20)
#define THREAD_BYTES (4u << 20)
/* Bytes in arenas for each byte of a batch (load_size.c has what is set aside). */
#define BATCH_FACTOR 20
/* A node of id2e without its record. */
#define NODE_BYTES 16
/* The two nodes of dn2i of an entry, without its names: headers, keys, IDs. */
#define NAME_NODES_BYTES 60
/* Its two records in the sort, likewise; and what they take in memory besides. */
#define NAME_RECORDS_BYTES 40
#define NAME_MEMORY_BYTES  80

/** The sample's figures about one database. */
struct target_sample {
	struct dit_estimate_database *database;
	uint64_t weight;     /* the present entry stands for so many */
	double record_bytes; /* of the pages of id2e, id2v and dn2i */
	double name_bytes;   /* of the records of dn2i in temporary files */
};

struct estimating {
	struct loader loader;
	const struct dit_load_opts *asked;
	struct dit_load_opts opts; /* of the dry run */
	const struct dit_estimate_opts *how;
	struct dit_estimate *ret;
	struct load_budget budget;
	unsigned page_bytes;
	struct dit_arena arena;
	struct target_sample *targets;
	uint64_t sample_bytes; /* wanted */
	uint64_t step;         /* 2: every second batch is in the sample, and so on */
	double weighed_bytes;  /* of the input, for which the sample stands so far */
	double scale;          /* of that to the whole input */
};

/* ---- before the sample ---- */

static int prepare(struct estimating *estimating)
{
	struct loader *loader = &estimating->loader;
	struct dit_estimate *ret = estimating->ret;
	int r = dit_load_read_settings(loader);

	if (r < 0) {
		return r;
	}
	ret->threads = loader->job.nthreads;
	ret->memory_limit_bytes = estimating->asked->memory_bytes == 0
	                                  ? dit_default_memory(ret->threads)
	                                  : estimating->asked->memory_bytes;
	ret->tmpdir = dit_tmp_dir(estimating->asked->tmpdir);
	loader->job.nthreads = 1;
	r = dit_load_prepare(loader);
	if (r != 0) {
		return r;
	}
	estimating->page_bytes = loader->job.chosen.db->data.page_bytes;
	if (estimating->page_bytes == 0) {
		estimating->page_bytes = (unsigned)sysconf(_SC_PAGESIZE);
	}
	r = dit_load_budget_make(estimating->asked, ret->threads, loader->ntargets,
	                         &estimating->budget);
	estimating->targets = calloc(loader->ntargets, sizeof(*estimating->targets));
	ret->databases = calloc(loader->ntargets, sizeof(*ret->databases));
	if (estimating->targets == NULL || ret->databases == NULL) {
		r = -ENOMEM;
	}
	for (unsigned i = 0; i < loader->ntargets && r == 0; i++) {
		const struct load_target *target = &loader->targets[i];

		if (!target->is_foreign) {
			estimating->targets[i].database =
				dit_estimate_add(ret, target->db, target->indexes);
			r = estimating->targets[i].database == NULL ? -ENOMEM : 0;
		}
	}
	return r < 0 ? dit_job_fail(&loader->job, r, "could not start the estimate") : 0;
}

/* ---- records ---- */

/* Half a record of a leaf stays free, on average. A page takes two, or none of them. */
static double stored_bytes(const struct estimating *estimating, size_t len)
{
	double page = estimating->page_bytes;
	double node = (double)len + NODE_BYTES;

	return node > page / 2 ? ceil(node / page) * page
	                       : node * page / (page - node / 2);
}

static struct dit_span first_rdn(struct dit_span dn, const uint32_t *at, unsigned nrdns)
{
	return nrdns <= 1 ? dn : (struct dit_span){dn.data, at[1] - 1};
}

static double split_bytes(const struct estimating *estimating,
                          const struct dit_splits *splits)
{
	double bytes = 0;

	for (uint32_t i = 0; i < splits->n; i++) {
		for (uint32_t k = 0; k < splits->list[i].nrecords; k++) {
			bytes += stored_bytes(estimating, splits->list[i].records[k].len);
		}
	}
	return bytes;
}

static int count_keys(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	const struct target_sample *target = ctx;

	(void)ordinals;
	target->database->indexes[db].npostings += nkeys * target->weight;
	return 0;
}

static int count_key(void *ctx, unsigned db, struct dit_span key)
{
	(void)key;
	return count_keys(ctx, db, NULL, 1);
}

static int take_item(struct estimating *estimating, const struct load_item *item)
{
	struct loader *loader = &estimating->loader;
	struct load_target *into = &loader->targets[item->target];
	struct target_sample *target = &estimating->targets[item->target];
	const struct dit_dn *dn = &item->entry.dn;
	uint64_t weight = estimating->step;
	double names = 0;

	if (item->state == LOAD_BROKEN) {
		return item->error;
	}
	if (item->state != LOAD_GOOD || into->is_foreign) {
		estimating->ret->nrefused += weight;
		return 0;
	}
	dit_load_look_note(into, dn);
	names = 2.0 * (double)(first_rdn(dn->norm, dn->norm_at, dn->nrdns).len +
	                       first_rdn(dn->pretty, dn->pretty_at, dn->nrdns).len);
	target->weight = weight;
	target->database->nentries += weight;
	target->name_bytes += (double)weight * (NAME_RECORDS_BYTES + names);
	target->record_bytes +=
		(double)weight *
		(NAME_NODES_BYTES + names + stored_bytes(estimating, item->encoded.len) +
	         split_bytes(estimating, &item->encoded.splits));
	return dit_index_entry(loader->members[0].keys[item->target].work, &item->entry,
	                       count_keys, count_key, target);
}

/* ---- the sample ---- */

static uint64_t bytes_of(const struct dit_ldif_batch *batch)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < batch->nrecords; i++) {
		bytes += batch->records[i].text.len;
	}
	return bytes;
}

/* @return 1; 0: the input has ended; negative, reported */
static int read_batch(struct estimating *estimating)
{
	struct loader *loader = &estimating->loader;
	int r = dit_load_fill(loader, 0);

	return r < 0 ? dit_load_input_fail(loader, r) : r;
}

/* All records of the slot. 0; negative, reported */
static int take_batch(struct estimating *estimating)
{
	struct loader *loader = &estimating->loader;
	struct dit_estimate *ret = estimating->ret;
	const struct load_slot *slot = &loader->input.slots[0];
	struct dit_pipeline_share share = {.arena = &estimating->arena};
	uint64_t bytes = bytes_of(&slot->batch);
	uint64_t start_us = dit_clock_us(CLOCK_THREAD_CPUTIME_ID);
	int r = dit_load_begin(loader, 0, &share.end);

	if (r == 0) {
		r = dit_load_parse(loader, &share);
	}
	for (size_t i = 0; i < share.end && r == 0; i++) {
		r = take_item(estimating, &slot->items[i]);
	}
	dit_arena_reset(&estimating->arena);
	/* Reading and unpacking are work of another thread. */
	ret->sample_cpu_us += dit_clock_us(CLOCK_THREAD_CPUTIME_ID) - start_us;
	ret->sampled_entries += share.end;
	ret->sampled_bytes += bytes;
	estimating->weighed_bytes += (double)(bytes * estimating->step);
	return r < 0 ? dit_job_fail(&loader->job, r, "could not estimate the load") : 0;
}

/* @param size  of all inputs */
static int take_windows(struct estimating *estimating, uint64_t size)
{
	uint64_t window_bytes = estimating->sample_bytes / NWINDOWS;
	uint64_t distance = (size - window_bytes) / (NWINDOWS - 1);
	const struct dit_estimate *ret = estimating->ret;
	int r = 0;

	for (unsigned i = 0; i < NWINDOWS && r >= 0; i++) {
		uint64_t enough = ret->sampled_bytes + window_bytes;

		dit_ldif_reader_skip(estimating->loader.input.reader, distance * i);
		while (r >= 0 && ret->sampled_bytes < enough &&
		       (r = read_batch(estimating)) > 0) {
			r = take_batch(estimating);
		}
	}
	estimating->ret->bytes_read = size;
	estimating->ret->text_bytes = size;
	return r < 0 ? r : 0;
}

/* The unpacker is some 100 KiB ahead: a brief look reads a multiple of that. */
static int take_batches(struct estimating *estimating)
{
	const struct dit_ldif_batch *batch = &estimating->loader.input.slots[0].batch;
	struct dit_estimate *ret = estimating->ret;
	uint64_t enough = estimating->sample_bytes;
	int r = 0;

	for (uint64_t i = 0; (r = read_batch(estimating)) > 0; i++) {
		ret->text_bytes += bytes_of(batch);
		ret->bytes_read = batch->bytes_read;
		if (i % estimating->step != 0) {
			continue;
		}
		r = take_batch(estimating);
		if (r < 0) {
			return r;
		}
		if (ret->sampled_bytes < enough) {
			continue;
		}
		estimating->step *= 2;
		enough += estimating->sample_bytes / 2;
		if (estimating->how->is_brief && estimating->step > BRIEF_STEP) {
			return 0;
		}
	}
	ret->is_whole = estimating->step == 1;
	return r;
}

/* The rest of a packed file is taken to resemble its beginning. */
static void scale_up(struct estimating *estimating)
{
	struct dit_estimate *ret = estimating->ret;
	uint64_t size = dit_ldif_reader_size(estimating->loader.input.reader);

	if (size > ret->bytes_read && ret->bytes_read > 0) {
		ret->text_bytes = (uint64_t)((double)ret->text_bytes * (double)size /
		                             (double)ret->bytes_read);
		ret->bytes_read = size;
	}
	if (estimating->weighed_bytes > 0) {
		estimating->scale = (double)ret->text_bytes / estimating->weighed_bytes;
	}
}

static int take_sample(struct estimating *estimating)
{
	struct dit_ldif_reader *reader = estimating->loader.input.reader;
	uint64_t size = dit_ldif_reader_size(reader);
	int r = 0;

	dit_arena_init(&estimating->arena, 64u << 10);
	r = size > estimating->sample_bytes && dit_ldif_reader_can_skip(reader)
	            ? take_windows(estimating, size)
	            : take_batches(estimating);
	dit_arena_deinit(&estimating->arena);
	scale_up(estimating);
	return r;
}

/* ---- the end ---- */

/*
 * Index pages of old entries that get new keys are written again: one for each key at
 * most. Half of the pages of a database are index pages.
 */
static double rewritten_bytes(const struct dit_estimate_database *database,
                              uint64_t npostings, unsigned page_bytes)
{
	return fmin((double)npostings * page_bytes, (double)database->bytes_before / 2);
}

static void end_target(struct estimating *estimating, unsigned number)
{
	struct dit_estimate *ret = estimating->ret;
	const struct target_sample *sample = &estimating->targets[number];
	struct dit_estimate_database *database = sample->database;
	uint64_t before = ret->npostings;
	double scale = estimating->scale;
	double records =
		FIXED_PAGES * estimating->page_bytes + sample->record_bytes * scale;
	double names = sample->name_bytes * scale;
	uint64_t indexes =
		dit_estimate_scale(ret, database, scale, estimating->page_bytes,
	                           estimating->budget.postings_bytes);
	double sorting = names + NAME_MEMORY_BYTES * (double)database->nentries;

	database->bytes_before =
		dit_load_stored_bytes(&estimating->loader.targets[number]);
	database->disk_bytes =
		(uint64_t)(records + (double)indexes +
	                   rewritten_bytes(database, ret->npostings - before,
	                                   estimating->page_bytes));
	database->bytes = database->bytes_before + database->disk_bytes;
	ret->memory_bytes += database->nentries * TABLE_BYTES;
	if (sorting > 0) {
		dit_estimate_add_sort(ret, sorting, estimating->budget.tree_bytes,
		                      names / sorting);
	}
}

static void end(struct estimating *estimating)
{
	struct dit_estimate *ret = estimating->ret;

	ret->nrefused = (uint64_t)((double)ret->nrefused * estimating->scale + 0.5);
	for (unsigned i = 0; i < estimating->loader.ntargets; i++) {
		if (!estimating->loader.targets[i].is_foreign) {
			end_target(estimating, i);
		}
	}
	ret->memory_bytes += BASE_BYTES + BATCH_FACTOR * estimating->budget.batch_bytes +
	                     (uint64_t)ret->threads * THREAD_BYTES;
}

int dit_estimate_load(const struct dit_load_opts *opts,
                      const struct dit_estimate_opts *how, struct dit_estimate *ret)
{
	struct dit_load_stats stats = {0};
	struct estimating estimating = {
		.asked = opts, .opts = *opts, .how = how, .ret = ret, .step = 1};
	int r = 0;

	*ret = (struct dit_estimate){.threads = 0};
	estimating.sample_bytes =
		how->sample_bytes == 0 ? SAMPLE_BYTES : how->sample_bytes;
	estimating.opts.is_dry_run = true;
	estimating.opts.progress = NULL;
	estimating.opts.first_line = 0;
	estimating.opts.memory_bytes = 0;
	estimating.opts.batch_bytes = estimating.sample_bytes / NBATCHES + 1;
	dit_loader_init(&estimating.loader, &estimating.opts, &stats);
	estimating.loader.is_estimate = !how->is_brief;
	r = prepare(&estimating);
	if (r == 0) {
		r = take_sample(&estimating);
	}
	if (r == 0) {
		end(&estimating);
	}
	if (r == 0 && !opts->keep_going) {
		ret->nfilled = dit_load_look_tell(&estimating.loader, DIT_REPORT_ERROR);
	}
	ret->is_unneeded = r > 0;
	free(estimating.targets);
	dit_load_release(&estimating.loader);
	dit_load_stats_deinit(&stats);
	return r < 0 ? r : 0;
}
