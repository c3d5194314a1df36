/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load from beginning to end: rounds, tree, indexes, publishing.
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

/* ---- rounds ---- */

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

/* @return 1 with a filled slot; 0: end of input; or the error of reading */
static int take_slot(struct loader *loader, struct load_slot **ret)
{
	struct load_slot *slot = NULL;
	unsigned number = 0;
	int r = dit_feed_take(loader->feed, &number);

	if (r <= 0) {
		return r;
	}
	slot = &loader->slots[number];
	slot->time_us = next_time(loader, slot->batch.nrecords);
	r = load_slot_prepare(slot);
	if (r < 0) {
		return r;
	}
	*ret = slot;
	return 1;
}

/* What slapadd says when it cannot read on; there is no -c for that. */
static int fail_input(struct loader *loader, int r)
{
	const char *text = dit_ldif_reader_error(loader->reader);

	load_report(loader, DIT_REPORT_PLAIN, "%s",
	            text == NULL || text[0] == '\0' ? dit_strerror(r) : text);
	return r;
}

/* The first error of a member so far. */
static int member_error(struct loader *loader)
{
	for (unsigned i = 0; i < loader->nthreads; i++) {
		int r = atomic_load_explicit(&loader->members[i].error,
		                             memory_order_relaxed);

		if (r < 0) {
			return load_fail(loader, r, "could not sort index keys");
		}
	}
	return 0;
}

/* Prepare the next round while the members may still be in the current one, and meet. */
static void begin_round(struct loader *loader, struct load_slot *parse,
                        struct load_slot *keys)
{
	struct load_round *round = NULL;

	loader->nrounds++;
	round = &loader->rounds[loader->nrounds & 1];
	round->parse = parse;
	round->keys = keys;
	round->index = NULL;
	atomic_store_explicit(&round->next_parse, 0, memory_order_relaxed);
	atomic_store_explicit(&round->next_key, 0, memory_order_relaxed);
	dit_team_meet(loader->team);
}

void load_begin_index_round(struct loader *loader, struct load_target *target)
{
	loader->nrounds++;
	loader->rounds[loader->nrounds & 1].index = target;
	dit_team_meet(loader->team);
}

bool load_is_stopped(const struct loader *loader)
{
	return loader->opts->stop != NULL && *loader->opts->stop != 0;
}

/*
 * Main's work in a round: the batch parsed in the previous one. A batch whose resolving
 * fails still goes nowhere, since the load ends.
 */
static int resolve_round(struct loader *loader, struct load_slot *slot)
{
	int r = load_resolve(loader, slot);

	loader->stats->bytes_read = slot->batch.bytes_read;
	if (r == 0) {
		r = load_estimate(loader, slot->batch.bytes_read);
	}
	if (r == 0) {
		load_tell_progress(loader, DIT_LOAD_ENTRIES);
	}
	if (r == 0 && load_is_stopped(loader)) {
		r = load_fail(loader, DIT_E_STOPPED, "load ended");
	}
	return r;
}

static int run_rounds(struct loader *loader)
{
	struct load_slot *parsed = NULL;   /* in the round that has just ended */
	struct load_slot *resolved = NULL; /* by main, meanwhile */
	struct load_slot *keyed = NULL;    /* in the round that has just ended */
	int input = 1; /* 0: at its end; negative: it cannot be read on */
	int r = 0;

	for (;;) {
		struct load_slot *fresh = NULL;

		/* Records before an unreadable place are still resolved: their messages
		 * come first. */
		if (input > 0) {
			input = take_slot(loader, &fresh);
		}
		if (fresh == NULL && parsed == NULL && resolved == NULL) {
			break;
		}
		begin_round(loader, fresh, resolved);

		/*
		 * With one thread the round is over already, which changes nothing here.
		 */
		if (keyed != NULL) {
			load_slot_clear(loader, keyed);
			dit_feed_return(loader->feed, (unsigned)(keyed - loader->slots));
		}
		keyed = resolved;
		resolved = parsed;
		parsed = fresh;
		r = member_error(loader);
		if (r == 0 && resolved != NULL) {
			r = resolve_round(loader, resolved);
		}
		if (r < 0) {
			return r;
		}
	}
	/* A round without work: when it begins, the last one with work is over. */
	begin_round(loader, NULL, NULL);
	r = member_error(loader);
	return r == 0 && input < 0 ? fail_input(loader, input) : r;
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
	if (r == 0 && load_is_stopped(loader)) {
		r = load_fail(loader, DIT_E_STOPPED, "load ended");
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
		r = run_rounds(loader);
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
	struct loader loader = {.opts = opts, .stats = ret};
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
