/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load estimated: a dry run over windows of the input, scaled. Sampled records pass the
 * stages of a load, on one thread, up to their keys.
 *
 * The sample of plain files has the records that begin in 64 windows, at equal distances:
 *
 *     file     |aaaa|bb|cc|dddddddddddddddddddddd|ee|ff|gg|hh|ii|jj|kk|ll|mm|
 *     windows  [---]            [---]              [---]             [---]
 *     sample    aaaa                              ee ff gg            kk ll
 *
 * The length of a packed file or a pipe is known at its end only. All batches of it are
 * read; when the sample has its bytes, every second batch of it is dropped, and from then
 * on only every second one is taken, then every fourth, and so on.
 */
#include "build/estimate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/tmp_dir.h"
#include "build/estimate_indexes.h"
#include "job/job.h"
#include "load/load_look.h"
#include "load/load_parse.h"
#include "load/load_report.h"
#include "load/load_setup.h"
#include "load/load_size.h"
#include "load/load_stages.h"
#include "page/page_format.h"

#define SAMPLE_BYTES (8u << 20)
#define NWINDOWS     64
#define NBATCHES     256 /* in a sample, about */
#define BRIEF_STEP   4   /* samples that a brief look reads of a packed file */
/* In memory for an entry: the DN table. */
#define TABLE_BYTES 32
/* Meta pages, the main tree, ad2i, the roots of id2e and dn2i. */
#define FIXED_PAGES 6
/* Memory of the program itself: schema, chunks of pages; and of each thread. */
#define BASE_BYTES   (8u << 20)
#define THREAD_BYTES (4u << 20)
/* Bytes in arenas for each byte of a batch (load_size.c has what is set aside). */
#define BATCH_FACTOR 20
/* The two nodes of dn2i of an entry, without its names: headers, keys, IDs. */
#define NAME_NODES_BYTES 60
/* Its two records in the sort, likewise; and what they take in memory besides. */
#define NAME_RECORDS_BYTES 40
#define NAME_MEMORY_BYTES  80

/** The sample's figures about one database. */
struct target_sample {
	uint32_t nentries;
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
	const struct dit_page_format *format;
	unsigned page_bytes;
	struct dit_arena arena;
	struct target_sample *targets;
	uint64_t sample_bytes; /* wanted */
	uint64_t nrefused;
	uint64_t record_max; /* memory of the largest record, bytes */
	double scale;        /* of the sample to the whole input */
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
	estimating->format =
		loader->reading.rules.has_lmdb_10 ? &dit_lmdb_10 : &dit_lmdb_09;
	estimating->page_bytes = loader->job.chosen.db->data.page_bytes;
	if (estimating->page_bytes == 0) {
		estimating->page_bytes = (unsigned)sysconf(_SC_PAGESIZE);
	}
	r = dit_load_budget_make(estimating->asked, ret->threads, loader->ntargets,
	                         &estimating->budget);
	estimating->targets = calloc(loader->ntargets, sizeof(*estimating->targets));
	if (estimating->targets == NULL) {
		r = -ENOMEM;
	}
	return r < 0 ? dit_job_fail(&loader->job, r, "could not start the estimate") : 0;
}

/* ---- records ---- */

/* Half a node of a leaf stays free, on average. */
static double node_bytes(const struct estimating *estimating, size_t value_len)
{
	const struct dit_page_format *format = estimating->format;
	double page = estimating->page_bytes;
	double node = (double)dit_node_bytes(format, sizeof(uint64_t), value_len) + 2;

	if (node > dit_node_max(format, estimating->page_bytes)) {
		return page * (double)dit_overflow_pages(format, value_len,
		                                         estimating->page_bytes);
	}
	return node * page / (page - node / 2);
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
			bytes += node_bytes(estimating, splits->list[i].records[k].len);
		}
	}
	return bytes;
}

static int take_item(struct estimating *estimating, const struct load_item *item)
{
	struct loader *loader = &estimating->loader;
	struct load_target *into = &loader->targets[item->target];
	struct target_sample *target = &estimating->targets[item->target];
	const struct dit_dn *dn = &item->entry.dn;
	double names = 0;

	if (item->state == LOAD_BROKEN) {
		return item->error;
	}
	if (item->state != LOAD_GOOD || into->is_foreign) {
		estimating->nrefused++;
		return 0;
	}
	dit_load_look_note(into, dn);
	names = 2.0 * (double)(first_rdn(dn->norm, dn->norm_at, dn->nrdns).len +
	                       first_rdn(dn->pretty, dn->pretty_at, dn->nrdns).len);
	target->nentries++;
	target->name_bytes += NAME_RECORDS_BYTES + names;
	target->record_bytes += NAME_NODES_BYTES + names +
	                        node_bytes(estimating, item->encoded.len) +
	                        split_bytes(estimating, &item->encoded.splits);
	return dit_load_key_entry(&loader->members[0], item->target, &item->entry,
	                          target->nentries);
}

static void note_cost(struct estimating *estimating, struct dit_span text)
{
	uint64_t nlines = 0;
	uint64_t cost = 0;

	for (size_t i = 0; i < text.len; i++) {
		nlines += text.data[i] == '\n';
	}
	cost = dit_ldif_record_cost(text.len, nlines);
	if (cost > estimating->record_max) {
		estimating->record_max = cost;
	}
}

/* ---- the sample ---- */

static struct load_slot *slot_of(struct estimating *estimating)
{
	return &estimating->loader.input.slots[0];
}

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
	const struct load_slot *slot = slot_of(estimating);
	struct dit_pipeline_share share = {.arena = &estimating->arena};
	uint64_t start_us = dit_clock_us(CLOCK_THREAD_CPUTIME_ID);
	int r = dit_load_begin(loader, 0, &share.end);

	if (r == 0) {
		r = dit_load_parse(loader, &share);
	}
	for (size_t i = 0; i < share.end && r == 0; i++) {
		note_cost(estimating, slot->batch.records[i].text);
		r = take_item(estimating, &slot->items[i]);
	}
	dit_arena_reset(&estimating->arena);
	/* Reading and unpacking are work of another thread. */
	ret->sample_cpu_us += dit_clock_us(CLOCK_THREAD_CPUTIME_ID) - start_us;
	ret->sampled_entries += share.end;
	ret->sampled_bytes += bytes_of(&slot->batch);
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

static void swap(struct dit_ldif_batch *a, struct dit_ldif_batch *b)
{
	struct dit_ldif_batch batch = *a;

	*a = *b;
	*b = batch;
}

/** Every batch of an input, or every second, fourth... */
struct kept {
	struct dit_ldif_batch batches[NBATCHES];
	size_t n;
	uint64_t bytes;
	uint64_t step;
};

static void drop_half(struct kept *kept)
{
	kept->bytes = 0;
	for (size_t i = 0; 2 * i < kept->n; i++) {
		swap(&kept->batches[i], &kept->batches[2 * i]);
		kept->bytes += bytes_of(&kept->batches[i]);
	}
	kept->n = (kept->n + 1) / 2;
	kept->step *= 2;
}

/* The unpacker is some 100 KiB ahead: a brief look reads a multiple of that. */
static int keep_batches(struct estimating *estimating, struct kept *kept)
{
	struct dit_ldif_batch *batch = &slot_of(estimating)->batch;
	struct dit_estimate *ret = estimating->ret;
	int r = 0;

	for (uint64_t i = 0; (r = read_batch(estimating)) > 0; i++) {
		ret->text_bytes += bytes_of(batch);
		ret->bytes_read = batch->bytes_read;
		if (i % kept->step != 0) {
			continue;
		}
		kept->bytes += bytes_of(batch);
		swap(batch, &kept->batches[kept->n++]);
		if (kept->n < NBATCHES && kept->bytes < estimating->sample_bytes) {
			continue;
		}
		drop_half(kept);
		if (estimating->how->is_brief && kept->step > BRIEF_STEP) {
			return 0;
		}
	}
	ret->is_whole = kept->step == 1;
	return r;
}

static int take_batches(struct estimating *estimating)
{
	struct kept *kept = calloc(1, sizeof(*kept));
	int r = 0;

	if (kept == NULL) {
		return dit_job_fail(&estimating->loader.job, -ENOMEM,
		                    "could not estimate the load");
	}
	kept->step = 1;
	r = keep_batches(estimating, kept);
	for (size_t i = 0; i < kept->n && r == 0; i++) {
		swap(&slot_of(estimating)->batch, &kept->batches[i]);
		r = take_batch(estimating);
	}
	for (size_t i = 0; i < NBATCHES; i++) {
		dit_ldif_batch_deinit(&kept->batches[i]);
	}
	free(kept);
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
	estimating->scale = 1;
	if (!ret->is_whole && ret->sampled_bytes > 0) {
		estimating->scale = (double)ret->text_bytes / (double)ret->sampled_bytes;
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

static uint64_t file_bytes(const char *directory)
{
	char path[4096];
	struct stat st;
	int n = snprintf(path, sizeof(path), "%s/data.mdb", directory);

	if (n < 0 || (size_t)n >= sizeof(path) || stat(path, &st) < 0) {
		return 0;
	}
	return (uint64_t)st.st_blocks * 512 < (uint64_t)st.st_size
	               ? (uint64_t)st.st_blocks * 512
	               : (uint64_t)st.st_size;
}

/*
 * Index pages of old entries that get new keys are written again: at most one for each
 * posting, and at most all. There are as many of them as the new entries' share of index
 * pages lets expect.
 *
 * @param indexes, records  bytes for the new entries
 */
static double touched_bytes(double before, double indexes, double records,
                            unsigned page_bytes)
{
	return fmin(before * indexes / (indexes + records),
	            indexes / sizeof(uint64_t) * page_bytes);
}

/* @return bytes, or negative */
static int64_t end_indexes(struct estimating *estimating, unsigned number,
                           struct dit_estimate_database *database)
{
	const struct load_target *target = &estimating->loader.targets[number];
	const struct dit_estimate_indexes_opts opts = {
		.builders = target->builders,
		.indexes = target->indexes,
		.scale = estimating->scale,
		.list_max =
			((uint64_t)1 << estimating->loader.job.chosen.settings->idlexp) -
			1,
		.page_bytes = estimating->page_bytes,
		.memory_bytes = estimating->budget.postings_bytes};
	uint64_t start_us = dit_clock_us(CLOCK_THREAD_CPUTIME_ID);
	int64_t bytes = dit_builders_seal(target->builders);

	if (bytes == 0) {
		bytes = dit_estimate_indexes(&opts, estimating->ret, database);
	}
	estimating->ret->sample_cpu_us +=
		dit_clock_us(CLOCK_THREAD_CPUTIME_ID) - start_us;
	return bytes;
}

static int end_target(struct estimating *estimating, unsigned number)
{
	struct dit_estimate *ret = estimating->ret;
	const struct dit_database *db = estimating->loader.targets[number].db;
	const struct target_sample *sample = &estimating->targets[number];
	struct dit_estimate_database *database = &ret->databases[ret->ndatabases];
	double scale = estimating->scale;
	double records =
		FIXED_PAGES * estimating->page_bytes + sample->record_bytes * scale;
	double names = sample->name_bytes * scale;
	double sorting = names + NAME_MEMORY_BYTES * scale * sample->nentries;
	double tree_bytes = (double)estimating->budget.tree_bytes;
	int64_t indexes = 0;

	ret->ndatabases++;
	database->directory = strdup(db->data.directory);
	database->maxsize_bytes = db->data.maxsize_bytes;
	database->bytes_before = file_bytes(db->data.directory);
	if (database->directory == NULL) {
		return -ENOMEM;
	}
	indexes = end_indexes(estimating, number, database);
	if (indexes < 0) {
		return (int)indexes;
	}
	database->nentries = (uint64_t)(sample->nentries * scale + 0.5);
	database->disk_bytes =
		(uint64_t)(records + (double)indexes +
	                   touched_bytes((double)database->bytes_before, (double)indexes,
	                                 records, estimating->page_bytes));
	database->bytes = database->bytes_before + database->disk_bytes;
	ret->nentries += database->nentries;
	ret->run_bytes += (uint64_t)(dit_estimate_spilled(sorting, tree_bytes) * names);
	ret->memory_bytes +=
		(uint64_t)fmin(sorting, tree_bytes) + database->nentries * TABLE_BYTES;
	return 0;
}

static int end(struct estimating *estimating)
{
	struct dit_estimate *ret = estimating->ret;
	struct loader *loader = &estimating->loader;
	int r = 0;

	ret->nrefused =
		(uint64_t)((double)estimating->nrefused * estimating->scale + 0.5);
	ret->databases = calloc(loader->ntargets + 1, sizeof(*ret->databases));
	if (ret->databases == NULL) {
		r = -ENOMEM;
	}
	for (unsigned i = 0; i < loader->ntargets && r == 0; i++) {
		if (!loader->targets[i].is_foreign) {
			r = end_target(estimating, i);
		}
	}
	ret->memory_bytes += BASE_BYTES + BATCH_FACTOR * estimating->budget.batch_bytes +
	                     ret->threads * (THREAD_BYTES + estimating->record_max);
	return r < 0 ? dit_job_fail(&loader->job, r, "could not estimate the load") : 0;
}

int dit_estimate_load(const struct dit_load_opts *opts,
                      const struct dit_estimate_opts *how, struct dit_estimate *ret)
{
	struct dit_load_stats stats = {0};
	struct estimating estimating = {
		.asked = opts, .opts = *opts, .how = how, .ret = ret};
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
		r = end(&estimating);
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

void dit_estimate_deinit(struct dit_estimate *estimate)
{
	for (size_t i = 0; i < estimate->ndatabases; i++) {
		struct dit_estimate_database *database = &estimate->databases[i];

		for (size_t k = 0; k < database->nindexes; k++) {
			free(database->indexes[k].name);
		}
		free(database->indexes);
		free(database->directory);
	}
	free(estimate->databases);
	*estimate = (struct dit_estimate){.threads = 0};
}
