/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load estimated: sampled records pass the stages of a load, on one thread, up to their
 * keys.
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
#include "build/estimate_keys.h"
#include "job/chosen.h"
#include "ldif/ldif_sample.h"
#include "load/load_look.h"
#include "load/load_parse.h"
#include "load/load_report.h"
#include "load/load_setup.h"
#include "load/load_size.h"

#define SAMPLE_BYTES (8u << 20)
/* A small sample looks at many places. */
#define WINDOWS_OF_BRIEF 32
/* Meta pages, the main tree, ad2i. */
#define FIXED_PAGES 4
/* In memory for a node of the tree: dn_table.h. */
#define NODE_BYTES 28
/* Without batches and postings: schema, chunks of pages, liblmdb; and each thread. */
#define BASE_BYTES   (8u << 20)
#define THREAD_BYTES (4u << 20)
/* Bytes in arenas for each byte of a batch (load_size.c has what is set aside). */
#define BATCH_FACTOR 20
/* tree_record.h, without the names */
#define NAME_HEAD_BYTES 18

/** The sample's figures about one database. */
struct target_sample {
	struct dit_estimate_keys keys;
	struct dit_node_sum records; /* of id2e */
	double name_bytes;           /* normal and pretty RDNs */
	double self_bytes;
	double child_bytes;
};

struct estimating {
	struct loader loader;
	struct dit_load_opts opts;
	const struct dit_estimate_opts *how;
	struct dit_estimate *ret;
	struct load_budget budget;
	struct dit_page_model pages;
	struct dit_arena arena;
	struct target_sample *targets;
	double nrefused;
	uint64_t record_max; /* memory of the largest record, bytes */
	struct dit_ldif_sample sample;
};

/* ---- before the sample ---- */

static int make_targets(struct estimating *estimating)
{
	struct loader *loader = &estimating->loader;
	int r = 0;

	estimating->targets = calloc(loader->ntargets, sizeof(*estimating->targets));
	if (estimating->targets == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < loader->ntargets && r == 0; i++) {
		struct load_target *target = &loader->targets[i];

		if (!target->is_foreign) {
			r = dit_estimate_keys_init(&estimating->targets[i].keys,
			                           target->indexes);
		}
	}
	return r;
}

static struct dit_page_model page_model(const struct loader *loader)
{
	unsigned page_bytes = loader->job.chosen.db->data.page_bytes;

	return (struct dit_page_model){
		.format = loader->reading.rules.has_lmdb_10 ? &dit_lmdb_10 : &dit_lmdb_09,
		.page_bytes =
			page_bytes == 0 ? (unsigned)sysconf(_SC_PAGESIZE) : page_bytes,
		.list_max = ((uint64_t)1 << loader->job.chosen.settings->idlexp) - 1};
}

static int prepare(struct estimating *estimating)
{
	struct loader *loader = &estimating->loader;
	int r = dit_load_read_settings(loader);

	if (r == 0) {
		r = dit_load_budget_make(&estimating->opts, loader->job.nthreads,
		                         loader->ntargets, &estimating->budget);
	}
	if (r < 0) {
		return r;
	}
	estimating->ret->threads = loader->job.nthreads;
	estimating->ret->memory_limit_bytes =
		estimating->opts.memory_bytes == 0
			? dit_default_memory(loader->job.nthreads)
			: estimating->opts.memory_bytes;
	estimating->ret->tmpdir = dit_tmp_dir(estimating->opts.tmpdir);
	loader->job.nthreads = 1;
	r = dit_load_prepare_sample(loader, &estimating->budget);
	if (r != 0) {
		return r;
	}
	estimating->pages = page_model(loader);
	r = make_targets(estimating);
	return r < 0 ? dit_job_fail(&loader->job, r, "could not start the estimate") : 0;
}

/* ---- records ---- */

static struct dit_span first_rdn(struct dit_span dn, const uint32_t *at, unsigned nrdns,
                                 unsigned suffix_nrdns)
{
	/* The suffix is one name, however long it is. */
	return nrdns <= 1 || nrdns <= suffix_nrdns
	               ? dn
	               : (struct dit_span){dn.data, at[1] - 1};
}

static int take_entry(struct estimating *estimating, const struct load_item *item,
                      const struct dit_ldif_sample_record *record)
{
	struct target_sample *target = &estimating->targets[item->target];
	const struct dit_dn *dn = &item->entry.dn;
	struct dit_span norm = first_rdn(dn->norm, dn->norm_at, dn->nrdns, 0);
	struct dit_span pretty = first_rdn(dn->pretty, dn->pretty_at, dn->nrdns, 0);
	double names = (double)(norm.len + pretty.len);
	struct load_keys *keys = &estimating->loader.members[0].keys[item->target];

	dit_estimate_keys_begin(&target->keys, record->weight, record->window);
	target->name_bytes += record->weight * names;
	target->self_bytes += record->weight * (12 + 18 + names);
	target->child_bytes += record->weight * (20 + 10 + names);
	dit_node_sum_add(&target->records, &estimating->pages, item->encoded.len,
	                 record->weight);
	return dit_index_entry(keys->work, &item->entry, dit_estimate_keys_push,
	                       dit_estimate_keys_push_wide, &target->keys);
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

static int take_record(void *ctx, const struct dit_ldif_sample_record *record)
{
	struct estimating *estimating = ctx;
	struct loader *loader = &estimating->loader;
	struct load_slot *slot = &loader->input.slots[0];
	struct dit_pipeline_share share = {.end = 1, .arena = &estimating->arena};
	const struct load_item *item = slot->items;
	uint64_t start_us = dit_clock_us(CLOCK_THREAD_CPUTIME_ID);
	int r = 0;

	if (dit_load_is_stopped(loader)) {
		return DIT_E_STOPPED;
	}
	note_cost(estimating, record->text);
	slot->batch.records[0] = (struct dit_ldif_record){
		.text = record->text, .line = 1, .file = "", .file_line = 1};
	r = dit_load_parse(loader, &share);
	if (r == 0 && item->state == LOAD_BROKEN) {
		r = item->error;
	} else if (r == 0 && (item->state != LOAD_GOOD ||
	                      loader->targets[item->target].is_foreign)) {
		estimating->nrefused += record->weight;
	} else if (r == 0) {
		dit_load_look_note(&loader->targets[item->target], &item->entry.dn);
		r = take_entry(estimating, item, record);
	}
	dit_arena_reset(&estimating->arena);
	/* Reading and unpacking are work of another thread. */
	estimating->ret->sample_cpu_us +=
		dit_clock_us(CLOCK_THREAD_CPUTIME_ID) - start_us;
	return r;
}

static const char *const *paths_of(const struct dit_load_opts *opts, size_t *ret_n)
{
	*ret_n = opts->ninputs > 0 ? opts->ninputs : 1;
	return opts->ninputs > 0 ? opts->inputs : &opts->input;
}

static uint64_t opts_budget(const struct dit_estimate_opts *how)
{
	return how->sample_bytes == 0 ? SAMPLE_BYTES : how->sample_bytes;
}

static int take_sample(struct estimating *estimating)
{
	const struct dit_estimate_opts *how = estimating->how;
	struct dit_ldif_sample_opts opts = {
		.budget_bytes = opts_budget(how),
		.window_bytes = how->is_brief ? opts_budget(how) / WINDOWS_OF_BRIEF : 0,
		.beginning_only = how->is_brief,
		.record_max = estimating->loader.files.value_max,
		.stop = &estimating->loader.job.stop};
	const char *failed = NULL;
	int r = 0;

	opts.paths = paths_of(&estimating->opts, &opts.npaths);
	dit_arena_init(&estimating->arena, 64u << 10);
	r = dit_ldif_sample(&opts, take_record, estimating, &estimating->sample, &failed);
	dit_arena_deinit(&estimating->arena);
	if (r == DIT_E_STOPPED) {
		return dit_job_fail(&estimating->loader.job, r, "estimate ended");
	}
	if (r < 0 && r != DIT_E_UNSUPPORTED) {
		dit_job_report(&estimating->loader.job, DIT_REPORT_PLAIN, "%s: %s",
		               failed == NULL ? "stdin" : failed,
		               r == DIT_E_INVALID   ? "no LDIF"
		               : r == DIT_E_TOOLONG ? "a record takes more memory than "
		                                      "--max-record allows"
		                                    : dit_strerror(r));
	}
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
 * A file that holds entries already grows by the new pages, and by the index pages of the
 * old entries that get new keys, which LMDB writes again. There are as many of
 * those as the new entries' share of index pages lets expect; a posting touches one of
 * them or another.
 */
static double touched_pages(double before, double pages, double index_pages,
                            double npostings)
{
	double old = pages > 0 ? index_pages * before / pages : 0;

	return old > 0 ? -expm1(-npostings / old) * old : 0;
}

static int end_target(struct estimating *estimating, unsigned number)
{
	struct dit_estimate *ret = estimating->ret;
	const struct load_target *target = &estimating->loader.targets[number];
	struct target_sample *sample = &estimating->targets[number];
	struct dit_estimate_database *database = &ret->databases[ret->ndatabases];
	double scale = estimating->sample.scale;
	double n = sample->keys.nentries > 0 ? sample->keys.nentries : 1;
	struct dit_estimate_keys_end end = {.pages = estimating->pages,
	                                    .postings_bytes =
	                                            estimating->budget.postings_bytes,
	                                    .nproducers = ret->threads};
	/* Two records of dn2i for each entry: under its ID, under its parent's. */
	const struct dit_node_sum tree = {
		.nnodes = 2 * n, .bytes = sample->self_bytes + sample->child_bytes};
	struct dit_estimate_keys_sizes sizes;
	double page_bytes = estimating->pages.page_bytes;
	double own_pages = 0; /* without indexes */
	double pages = 0;
	struct dit_sort_sizes names;
	int r = 0;

	ret->ndatabases++;
	database->directory = strdup(target->db->data.directory);
	database->maxsize_bytes = target->db->data.maxsize_bytes;
	database->bytes_before = file_bytes(target->db->data.directory);
	if (database->directory == NULL) {
		return -ENOMEM;
	}
	r = dit_estimate_keys_end(&sample->keys, &end, database, &sizes);
	if (r < 0) {
		return r;
	}
	own_pages = FIXED_PAGES + dit_node_sum_pages(&tree, &estimating->pages) +
	            dit_node_sum_pages(&sample->records, &estimating->pages);
	pages = own_pages + sizes.npages;
	names = dit_estimate_names(2 * sample->keys.nentries * scale,
	                           NAME_HEAD_BYTES + sample->name_bytes / n,
	                           estimating->budget.tree_bytes);
	database->nentries = (uint64_t)(sample->keys.nentries * scale + 0.5);
	pages *= scale;
	if (database->bytes_before > 0) {
		/* liblmdb keeps the pages of a transaction that is not committed. */
		ret->memory_bytes += (uint64_t)(own_pages * scale * page_bytes);
		pages += touched_pages((double)database->bytes_before / page_bytes, pages,
		                       sizes.npages * scale,
		                       sample->keys.npostings * scale);
	}
	database->disk_bytes = (uint64_t)pages * (uint64_t)page_bytes;
	database->bytes = database->bytes_before + database->disk_bytes;
	ret->nentries += database->nentries;
	ret->npostings += (uint64_t)(sample->keys.npostings * scale);
	ret->sampled_postings += sample->keys.nsampled;
	ret->run_bytes += (uint64_t)(sizes.sort.run_bytes * scale);
	ret->memory_bytes += (uint64_t)(sizes.sort.memory_bytes +
	                                sample->keys.nentries * scale * NODE_BYTES);
	ret->memory_bytes += (uint64_t)names.memory_bytes;
	ret->run_bytes += (uint64_t)names.run_bytes;
	return 0;
}

static int end(struct estimating *estimating)
{
	struct dit_estimate *ret = estimating->ret;
	const struct dit_ldif_sample *sample = &estimating->sample;
	struct loader *loader = &estimating->loader;
	double batches = (double)BATCH_FACTOR * (double)estimating->budget.batch_bytes;
	int r = 0;

	ret->bytes_read = sample->bytes;
	ret->text_bytes = (uint64_t)((double)sample->text_bytes * sample->scale + 0.5);
	ret->sampled_bytes = sample->sampled_bytes;
	ret->sampled_entries = sample->nsampled;
	ret->is_whole = sample->is_whole;
	ret->is_beginning = sample->is_beginning;
	ret->nrefused = (uint64_t)(estimating->nrefused * sample->scale + 0.5);
	ret->databases = calloc(loader->ntargets + 1, sizeof(*ret->databases));
	if (ret->databases == NULL) {
		r = -ENOMEM;
	}
	for (unsigned i = 0; i < loader->ntargets && r == 0; i++) {
		if (!loader->targets[i].is_foreign) {
			r = end_target(estimating, i);
		}
	}
	ret->memory_bytes += ret->threads * estimating->record_max;
	ret->memory_bytes += (uint64_t)(BASE_BYTES + ret->threads * (double)THREAD_BYTES +
	                                fmin(batches, 12.0 * (double)sample->text_bytes));
	return r < 0 ? dit_job_fail(&loader->job, r, "could not estimate the load") : 0;
}

static void release(struct estimating *estimating)
{
	for (unsigned i = 0;
	     estimating->targets != NULL && i < estimating->loader.ntargets; i++) {
		dit_estimate_keys_deinit(&estimating->targets[i].keys);
	}
	free(estimating->targets);
	dit_load_release(&estimating->loader);
}

int dit_estimate_load(const struct dit_load_opts *opts,
                      const struct dit_estimate_opts *how, struct dit_estimate *ret)
{
	struct dit_load_stats stats = {0};
	struct estimating estimating = {.opts = *opts, .how = how, .ret = ret};
	int r = 0;

	*ret = (struct dit_estimate){.threads = 0};
	estimating.opts.is_dry_run = true;
	estimating.opts.progress = NULL;
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
	release(&estimating);
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
