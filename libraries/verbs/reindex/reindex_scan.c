/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of all entries. Members write down what is to be told of an entry; main tells it
 * in the order of IDs.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/notes.h"
#include "reader/dn_reader.h"
#include "reindex/reindexer.h"

/* The result of a range of entries. */
struct range_result {
	struct dit_notes notes;
	uint64_t nentries;
	uint64_t nbroken;
};

/* ---- members ---- */

static int begin_range(void *ctx, struct dit_scan_range *range)
{
	struct range_result *result = dit_scan_range_alloc(range, sizeof(*result));

	(void)ctx;
	if (result == NULL) {
		return -ENOMEM;
	}
	dit_notes_init(&result->notes, dit_scan_range_arena(range));
	range->result = result;
	return 0;
}

/*
 * An entry that cannot be indexed ends the work, or is left out. Its name is wanted only
 * now: reading the names of all entries would take longer than to make their keys.
 */
__attribute__((format(printf, 4, 5))) static int refuse(
	const struct reindex_target *target, struct dit_scan_range *range,
	const struct dit_entry_view *view, const char *format, ...)
{
	struct range_result *result = range->result;
	char reason[300];
	va_list args;
	struct dit_dn_reader *dns = NULL;
	struct dit_dn_text dn = {.parent = 0};
	int r = dit_dn_reader_new(&dns, target->snapshot, range->member);

	va_start(args, format);
	(void)vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	r = r ?: dit_dn_reader_get(dns, view->id, &dn);
	dit_notes_add(&result->notes, DIT_REPORT_ERROR, "entry id=%08lx%s%.*s%s: %s",
	              view->id, r < 0 ? "" : " dn=\"", (int)dn.pretty.len,
	              r < 0 ? "" : dn.pretty.data, r < 0 ? "" : "\"", reason);
	dit_dn_reader_free(dns);
	result->nbroken++;
	return target->reindexer->opts->keep_going ? 0 : DIT_E_CORRUPT;
}

static int take_entry(void *ctx, struct dit_scan_range *range,
                      const struct dit_entry_view *view)
{
	const struct reindex_target *target = ctx;
	struct dit_stored_keys *keys = target->keys[range->member];
	struct range_result *result = range->result;
	struct dit_index_refusal refusal;
	int r = 0;

	if (view->is_hole) {
		return 0;
	}
	if (view->record_error != 0) {
		return refuse(target, range, view, "%s",
		              view->reason[0] == '\0' ? dit_strerror(view->record_error)
		                                      : view->reason);
	}
	if (view->id > DIT_BUILDERS_ID_MAX) {
		return refuse(target, range, view,
		              "the ID is above %u: export the database and load it again",
		              DIT_BUILDERS_ID_MAX);
	}
	r = dit_stored_keys_push(keys, view, target->builders, range->member, &refusal);
	if (r == DIT_E_INVALID) {
		return refuse(target, range, view, "%.*s: value #%u: %s",
		              DIT_SPAN_ARGS(refusal.ad->name), refusal.value,
		              refusal.reason);
	}
	if (r < 0) {
		return r;
	}
	result->nentries++;
	if (target->reindexer->opts->is_verbose) {
		dit_notes_add(&result->notes, DIT_REPORT_ADDED, "indexing id=%08lx",
		              view->id);
	}
	return 0;
}

/* ---- main ---- */

static int take_range(void *ctx, struct dit_scan_range *range)
{
	struct reindex_target *target = ctx;
	const struct dit_reindex_opts *opts = target->reindexer->opts;
	struct range_result *result = range->result;

	dit_notes_tell(&result->notes, opts->report, opts->report_ctx);
	target->stats->nentries += result->nentries;
	target->stats->nbroken += result->nbroken;
	target->nread += range->nread;
	target->npostings = dit_builders_npostings(target->builders);
	dit_job_tell(&target->reindexer->job, DIT_REINDEX_ENTRIES);
	return 0;
}

static void drop_range(void *ctx, struct dit_scan_range *range)
{
	struct reindex_target *target = ctx;
	const struct dit_reindex_opts *opts = target->reindexer->opts;
	struct range_result *result = range->result;

	/* The first of several failures is the cause. */
	if (result != NULL && result->nbroken > 0 && target->stats->nbroken == 0) {
		dit_notes_tell(&result->notes, opts->report, opts->report_ctx);
		target->stats->nbroken = result->nbroken;
	}
}

int dit_reindex_scan(struct reindex_target *target)
{
	static const struct dit_entry_scan_ops ops = {.begin = begin_range,
	                                              .entry = take_entry,
	                                              .in_order = take_range,
	                                              .drop = drop_range};
	struct reindexer *reindexer = target->reindexer;
	const struct dit_scan_snapshot_opts opts = {
		.snapshot = target->snapshot,
		.schema = reindexer->job.chosen.settings->schema,
		.without_dn = true,
		.wanted = dit_stored_keys_want,
		.wanted_ctx = target->keys[0],
		.sample_bytes = reindexer->sample_bytes,
		.stop = &reindexer->job.stop};
	struct dit_entry_scan *scan = NULL;
	int r = dit_entry_scan_new(&scan, &opts);

	if (r < 0) {
		return dit_reindex_target_fail(target, r);
	}
	target->nrecords = dit_entry_scan_nrecords(scan);
	r = dit_entry_scan_run(scan, &ops, target);
	dit_entry_scan_close(scan);
	if (r == DIT_E_CORRUPT && target->stats->nbroken > 0 &&
	    !reindexer->opts->keep_going) {
		return r; /* told */
	}
	return dit_reindex_target_fail(target, r);
}
