/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of ditdiff begin with a comment line; another one tells that they are whole.
 * Those of ditdiff --exact also say from which state they lead to which. They are made if
 * the database is in the first state. The next changes of the same run have to lead on
 * from the second one.
 */
#include <errno.h>
#include <string.h>

#include "base/cut.h"
#include "base/error.h"
#include "modify/modify_impl.h"
#include "scan/scan_snapshot.h"

/* ---- the digest of what is stored: the sum of those of all entries ---- */

static int begin(void *ctx, struct dit_scan_range *range)
{
	(void)ctx;
	range->result = dit_scan_range_alloc(range, sizeof(struct dit_sum128));
	return range->result == NULL ? -ENOMEM : 0;
}

static int add_entry(void *ctx, struct dit_scan_range *range,
                     const struct dit_entry_view *entry)
{
	struct dit_sum128 digest;

	(void)ctx;
	if (entry->name_error < 0 || entry->record_error < 0) {
		return DIT_E_CORRUPT;
	}
	if (!entry->is_hole) {
		digest = dit_entry_view_digest(entry);
		dit_sum128_add(range->result, &digest);
	}
	return 0;
}

static int add_range(void *ctx, struct dit_scan_range *range)
{
	dit_sum128_add(ctx, range->result);
	return 0;
}

/* 0; error, reported */
static int read_digest(struct modifier *modifier)
{
	static const struct dit_entry_scan_ops ops = {
		.begin = begin, .entry = add_entry, .in_order = add_range};
	const struct dit_scan_snapshot_opts opts = {
		.snapshot = modifier->snapshot,
		.nthreads = modifier->job.nthreads,
		.schema = modifier->job.chosen.settings->schema,
		.stop = &modifier->job.stop};
	struct dit_entry_scan *scan = NULL;
	struct dit_sum128 sum = {0, 0};
	int r = dit_entry_scan_new(&scan, &opts);

	r = r ?: dit_entry_scan_run(scan, &ops, &sum);
	dit_entry_scan_close(scan);
	dit_sum128_text(&sum, modifier->digest);
	return r < 0 ? dit_modify_fail(modifier, r, modifier->db->data.directory) : 0;
}

/* ---- the states that changes are for ---- */

static int refuse(const struct modifier *modifier, const struct dit_ldif_record *record,
                  struct dit_span before)
{
	bool is_known = modifier->digest[0] != '\0';

	return dit_job_say(
		&modifier->job, DIT_E_REFUSED,
		"%s:%lu: these changes are for a state whose digest is %.*s; %s%s; "
		"--force makes them nevertheless",
		record->file, record->file_line, DIT_SPAN_ARGS(before),
		is_known ? "that of the database is "
			 : "changes without a digest, or that were refused, come "
			   "before them",
		modifier->digest);
}

static int check_before(struct modifier *modifier, const struct dit_ldif_record *record,
                        struct dit_span before)
{
	const struct dit_modify_stats *stats = modifier->stats;
	int r = 0;

	if (modifier->opts->may_mismatch) {
		return 0;
	}
	if (stats->nrefused > 0) {
		modifier->digest[0] = '\0';
	} else if (stats->nrecords == 0 && modifier->digest[0] == '\0') {
		r = read_digest(modifier);
	}
	return r < 0 || dit_span_eq(before, dit_span_of(modifier->digest))
	               ? r
	               : refuse(modifier, record, before);
}

/* The end of changes is the last line of the last one. */
void dit_modify_note_end(struct modifier *modifier, const struct dit_ldif_record *record)
{
	static const char end[] = "\n" DIT_CHANGES_END;
	struct dit_span text = record->text;

	while (text.len > 0 && strchr("\r\n", text.data[text.len - 1]) != NULL) {
		text.len--;
	}
	if (text.len >= sizeof(end) - 1 &&
	    memcmp(text.data + text.len - (sizeof(end) - 1), end, sizeof(end) - 1) == 0) {
		modifier->unended.file = NULL;
	}
}

int dit_modify_check_end(const struct modifier *modifier)
{
	return modifier->unended.file == NULL || modifier->opts->may_mismatch
	               ? 0
	               : dit_job_say(&modifier->job, DIT_E_REFUSED,
	                             "%s:%lu: the changes that begin here are cut off: "
	                             "their last line is not \"" DIT_CHANGES_END
	                             "\"; --force makes them nevertheless",
	                             modifier->unended.file, modifier->unended.line);
}

static void take_after(struct modifier *modifier, struct dit_span after)
{
	size_t len = after.len < DIT_DIGEST_TEXT_BYTES ? after.len : 0;

	memcpy(modifier->digest, after.data, len);
	modifier->digest[len] = '\0';
}

/* Comment lines, what they go on with, and empty lines. */
static bool is_comment(char first)
{
	return first == '#' || first == ' ' || first == '\n' || first == '\r';
}

/* Several headers follow each other where a state had no changes. */
int dit_modify_check_state(struct modifier *modifier,
                           const struct dit_ldif_record *record)
{
	struct dit_span text = record->text;
	struct dit_span after = DIT_SPAN("");
	bool is_header = false;
	int r = 0;

	while (r == 0 && text.len > 0 && is_comment(text.data[0])) {
		struct dit_span line;

		(void)dit_cut_until(&text, '\n', &line);
		line.len -= line.len > 0 && line.data[line.len - 1] == '\r';
		if (dit_span_eq(line, DIT_SPAN(DIT_CHANGES_LINE))) {
			is_header = true;
			after = DIT_SPAN("");
			r = dit_modify_check_end(modifier);
			modifier->unended.file = record->file;
			modifier->unended.line = record->file_line;
		} else if (dit_span_eq(line, DIT_SPAN(DIT_CHANGES_END))) {
			modifier->unended.file = NULL;
		} else if (is_header &&
		           dit_cut_prefix(&line, DIT_SPAN(DIT_CHANGES_FROM))) {
			r = check_before(modifier, record, line);
		} else if (is_header && dit_cut_prefix(&line, DIT_SPAN(DIT_CHANGES_TO))) {
			after = line;
		}
	}
	if (r == 0 && is_header) {
		take_after(modifier, after);
	}
	return r;
}
