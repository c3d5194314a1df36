/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load from beginning to end: pipeline, tree, indexes, publishing.
 *
 * run() is the list of steps; each leaves what it made in the loader.
 */
#include "bulk/load_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- reports ---- */

void load_report(struct loader *loader, enum dit_report_kind kind, const char *format,
                 ...)
{
	struct dit_report report = {.kind = kind};
	char *text = NULL;
	va_list args;
	int len = 0;

	if (loader->opts->report == NULL) {
		return;
	}
	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	report.text = len < 0 ? "out of memory" : text;
	loader->opts->report(loader->opts->report_ctx, &report);
	if (len >= 0) {
		free(text);
	}
}

int load_fail(struct loader *loader, int r, const char *what)
{
	/* Each spilled run is an open file: more memory makes fewer of them. */
	/* Whatever else went wrong then, such as work that was cut short, is not the cause. */
	if (load_is_stopped(loader)) {
		load_report(loader, DIT_REPORT_ERROR,
		            "load ended: Interrupted; %s is what it was before",
		            loader->ntargets > 1 ? "every database" : "the database");
		return DIT_E_STOPPED;
	}
	load_report(loader, DIT_REPORT_ERROR, "%s: %s%s", what, dit_strerror(r),
	            r == -EMFILE ? ": give more memory, or raise the limit of open files "
	                           "(ulimit -n)"
	                         : "");
	return r;
}

void load_tell_progress(struct loader *loader, enum dit_load_phase phase)
{
	struct dit_progress progress = {.phase = phase,
	                                .nentries = loader->stats->nentries,
	                                .bytes_read = loader->stats->bytes_read,
	                                .bytes_total = 0};

	if (loader->opts->progress == NULL) {
		return;
	}
	progress.bytes_total =
		loader->reader == NULL ? 0 : dit_ldif_reader_size(loader->reader);
	loader->opts->progress(loader->opts->progress_ctx, &progress);
}

static uint64_t clock_us(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* ---- stages of the pipeline ---- */

/*
 * Generated values need a time that no other batch has: a microsecond for the CSN's
 * counter, and 100 ns for each entry's UUID.
 */
static uint64_t next_time(struct loader *loader, size_t nrecords)
{
	uint64_t now = clock_us(CLOCK_REALTIME);

	if (now <= loader->last_time_us) {
		now = loader->last_time_us + 1;
	}
	loader->last_time_us = now + nrecords / 10;
	return now;
}

static int grow_items(struct load_slot *slot)
{
	size_t n = slot->batch.nrecords;

	if (n > slot->items_size) {
		free(slot->items);
		slot->items_size = 0;
		slot->items = calloc(n, sizeof(*slot->items));
		if (slot->items == NULL) {
			return -ENOMEM;
		}
		slot->items_size = n;
	}
	return 0;
}

int load_fill(void *ctx, unsigned slot)
{
	struct loader *loader = ctx;

	return dit_ldif_reader_next(loader->reader, &loader->slots[slot].batch);
}

int load_begin(void *ctx, unsigned number, size_t *ret_nitems)
{
	struct loader *loader = ctx;
	struct load_slot *slot = &loader->slots[number];

	slot->time_us = next_time(loader, slot->batch.nrecords);
	*ret_nitems = slot->batch.nrecords;
	return grow_items(slot);
}

/* A batch whose resolving fails still goes nowhere, since the load ends. */
int load_in_order(void *ctx, unsigned number)
{
	struct loader *loader = ctx;
	struct load_slot *slot = &loader->slots[number];
	int r = load_resolve(loader, slot);

	loader->stats->bytes_read = slot->batch.bytes_read;
	if (r == 0) {
		r = load_estimate(loader, slot->batch.bytes_read);
	}
	if (r == 0) {
		load_tell_progress(loader, DIT_LOAD_ENTRIES);
	}
	return r;
}

bool load_is_stopped(const struct loader *loader)
{
	return dit_stop_is_set(&loader->stop);
}

/* What slapadd says when it cannot read on; there is no -c for that. */
static int fail_input(struct loader *loader, int r)
{
	const char *text = dit_ldif_reader_error(loader->reader);

	if (r == DIT_E_STOPPED) {
		return load_fail(loader, r, "load ended");
	}
	load_report(loader, DIT_REPORT_PLAIN, "%s",
	            text == NULL || text[0] == '\0' ? dit_strerror(r) : text);
	return r;
}

/* All records, from the input to the run builders. */
static int run_pipeline(struct loader *loader)
{
	enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;
	int r = dit_pipeline_run(loader->pipeline, &stage);

	switch (stage) {
	case DIT_PIPELINE_FILL:
		return fail_input(loader, r);
	case DIT_PIPELINE_AFTER_ORDER:
		return load_fail(loader, r, "could not sort index keys");
	case DIT_PIPELINE_STOPPED:
		return load_fail(loader, r, "load ended");
	case DIT_PIPELINE_NONE:
	case DIT_PIPELINE_BEFORE_ORDER: /* has no errors of its own */
	case DIT_PIPELINE_IN_ORDER:     /* reported */
		break;
	}
	return r;
}

static void run_index_work(void *ctx, unsigned member)
{
	(void)member;
	dit_index_writer_work(ctx);
}

void load_begin_index_work(struct loader *loader, struct load_target *target)
{
	dit_pipeline_begin_work(loader->pipeline, run_index_work, target->index_writer);
}

/* ---- the end ---- */

static void end_phase(struct loader *loader, enum dit_load_phase phase, uint64_t *since)
{
	uint64_t now = clock_us(CLOCK_MONOTONIC);

	loader->stats->phase_us[phase] += now - *since;
	*since = now;
}

/* Everything but entries, one target after the other: all threads work for each. */
static int finish_target(struct load_target *target, uint64_t *since)
{
	struct loader *loader = target->loader;
	/* The chosen database is the first. */
	int r = target->number == 0 ? load_csn_write(target) : 0;

	if (r == 0) {
		r = load_target_seal(target);
	}
	if (r < 0) {
		return r;
	}
	load_tell_progress(loader, DIT_LOAD_NAMES);
	r = load_target_write_tree(target);
	if (r < 0) {
		return r;
	}
	end_phase(loader, DIT_LOAD_NAMES, since);
	load_tell_progress(loader, DIT_LOAD_INDEXES);
	r = load_target_write_indexes(target);
	if (r == 0) {
		r = load_target_write_late(target);
	}
	end_phase(loader, DIT_LOAD_INDEXES, since);
	return r;
}

static int finish(struct loader *loader, uint64_t since)
{
	int r = 0;

	for (unsigned i = 0; i < loader->ntargets && r == 0; i++) {
		if (!loader->targets[i].is_foreign) {
			r = finish_target(&loader->targets[i], &since);
		}
	}
	if (r < 0) {
		return r;
	}
	load_tell_progress(loader, DIT_LOAD_PUBLISH);
	r = load_publish(loader);
	end_phase(loader, DIT_LOAD_PUBLISH, &since);
	return r;
}

static int run(struct loader *loader)
{
	uint64_t since = clock_us(CLOCK_MONOTONIC);
	int r = load_read_settings(loader);

	if (r == 0) {
		r = load_prepare(loader);
	}
	if (r == 0) {
		r = run_pipeline(loader);
	}
	end_phase(loader, DIT_LOAD_ENTRIES, &since);
	if (r == 0 && !loader->opts->is_dry_run) {
		r = finish(loader, since);
	}
	if (r == 0) {
		load_report_missing(loader);
	}
	return r;
}

int dit_load(const struct dit_load_opts *opts, struct dit_load_stats *ret)
{
	struct loader loader = {.opts = opts, .stats = ret, .stop = {.flag = opts->stop}};
	int r = 0;

	*ret = (struct dit_load_stats){0};
	r = run(&loader);
	load_release(&loader);
	return r;
}

static void database_stats_deinit(struct dit_load_database_stats *stats)
{
	for (size_t i = 0; i < stats->nindexes; i++) {
		free(stats->indexes[i].name);
	}
	free(stats->indexes);
	free(stats->directory);
}

void dit_load_stats_deinit(struct dit_load_stats *stats)
{
	for (size_t i = 0; i < stats->ndatabases; i++) {
		database_stats_deinit(&stats->databases[i]);
	}
	free(stats->databases);
	*stats = (struct dit_load_stats){0};
}
