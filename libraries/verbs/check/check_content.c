/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ranges of entries on all threads; then main compares id2v, wrong buckets of indexes,
 * and the tree, if its sums do not agree.
 */
#include "check/check_content.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "base/monitor.h"
#include "indexing/stored_keys.h"
#include "job/job.h"
#include "job/value_rules.h"

/* [own: the member's thread; main's when members are at rest] */
struct member {
	struct dit_check_member base;
	struct dit_check_entry *entry;
	struct dit_check_csn csn;
	struct dit_stored_keys *keys;
	struct run *run;
	uint64_t id; /* of the entry whose keys are collected */
};

struct run {
	/* [const] while members run */
	struct dit_check_content *content;
	unsigned nmembers;
	/* By index database: it is damaged or missing, or its keys cannot be compared;
	 * later also: nothing is wrong. */
	bool *is_skipped;
	struct member *members;

	struct dit_monitor monitor;
	size_t unread_size; /* [lock: monitor] and while entries come content->unread */
};

bool dit_check_is_unread(const struct dit_check_content *content, uint64_t id)
{
	return content->nunread > 0 && bsearch(&id, content->unread, content->nunread,
	                                       sizeof(id), dit_compare_ids) != NULL;
}

struct dit_check_finding dit_check_entry_place(struct dit_check_member *member,
                                               const char *database, uint64_t id)
{
	struct dit_check_finding place = DIT_CHECK_PLACE(database);
	struct dit_dn_text dn;

	place.id = id;
	if (id != 0 && dit_dn_reader_get(member->dns, id, &dn) == 0) {
		(void)snprintf(member->dn, sizeof(member->dn), "%.*s",
		               DIT_SPAN_ARGS(dn.pretty));
		place.dn = member->dn;
	}
	return place;
}

/* ---- what is stored under which name ---- */

/* The keys are made in the format of those that are stored. */
static int fit_format(struct run *run, size_t db)
{
	struct dit_check_content *content = run->content;
	struct dit_check_finding place =
		DIT_CHECK_PLACE(dit_index_set_db(content->indexes, db)->name);
	size_t key_len = 0;
	int r = dit_stored_keys_fit(content->indexes, db, content->snapshot, &key_len);

	if (r == DIT_E_INVALID) {
		run->is_skipped[db] = true;
		dit_check_find(content->findings, DIT_CHECK_INDEX_KEYS, &place,
		               "the keys have %zu bytes; this configuration makes others",
		               key_len);
		return 0;
	}
	return r < 0 ? r : 0;
}

static bool is_damaged(const struct dit_check_content *content, const char *name)
{
	for (size_t i = 0; i < content->ndamaged; i++) {
		if (strcmp(content->damaged[i], name) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_configured(const struct dit_check_content *content, const char *name)
{
	for (size_t i = 0; i < dit_index_set_ndbs(content->indexes); i++) {
		if (strcmp(dit_index_set_db(content->indexes, i)->name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Indexes that slapd no longer uses, and one that it still makes. */
static void note_databases(const struct run *run)
{
	const struct dit_check_content *content = run->content;
	const struct dit_stored_db *dbs = NULL;
	size_t n = dit_snapshot_dbs(content->snapshot, &dbs);

	for (size_t i = 0; i < n; i++) {
		struct dit_check_finding place = DIT_CHECK_PLACE(dbs[i].name);

		if ((dbs[i].flags & DIT_DB_DUPFIXED) != 0 &&
		    !is_configured(content, dbs[i].name)) {
			dit_check_find(content->findings, DIT_CHECK_INDEX_UNUSED, &place,
			               "the index is not configured: %llu postings that "
			               "slapd does not use",
			               (unsigned long long)dbs[i].nrecords);
		} else if (strcmp(dbs[i].name, "ixck") == 0 && dbs[i].nrecords > 0) {
			dit_check_find(content->findings, DIT_CHECK_INDEX_PENDING, &place,
			               "slapd has not yet built all indexes");
		}
	}
}

/* ---- before the scan ---- */

static int fit_indexes(struct run *run)
{
	const struct dit_check_content *content = run->content;
	size_t n = dit_index_set_ndbs(content->indexes);
	int r = 0;

	run->is_skipped = calloc(n + 1, sizeof(*run->is_skipped));
	if (run->is_skipped == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		run->is_skipped[i] =
			is_damaged(content, dit_index_set_db(content->indexes, i)->name);
		if (!run->is_skipped[i]) {
			r = fit_format(run, i);
		}
	}
	return r < 0 ? r : dit_check_sums_end_walk(content->sums);
}

static int make_member(struct run *run, unsigned number)
{
	const struct dit_check_content *content = run->content;
	struct member *member = &run->members[number];
	int r = 0;

	member->base = (struct dit_check_member){.content = content, .reader = number};
	member->run = run;
	r = dit_dn_reader_new(&member->base.dns, content->snapshot, number);
	if (r == 0) {
		r = dit_check_entry_new(&member->entry, content);
	}
	if (r == 0) {
		r = dit_check_csn_init(&member->csn, content->settings->schema);
	}
	return r < 0 ? r : dit_stored_keys_new(&member->keys, content->indexes);
}

static int prepare(struct run *run)
{
	struct dit_check_content *content = run->content;
	struct dit_scan_snapshot_opts scan = {.snapshot = content->snapshot,
	                                      .schema = content->settings->schema,
	                                      .stop = content->stop};
	int r = fit_indexes(run);

	if (r == 0) {
		r = dit_sorted_types_make(content->settings, &content->sorted);
	}
	if (r == 0) {
		r = dit_entry_scan_new(&content->scan, &scan);
	}
	if (r < 0) {
		return r;
	}
	run->members = calloc(run->nmembers, sizeof(*run->members));
	if (run->members == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < run->nmembers && r == 0; i++) {
		r = make_member(run, i);
	}
	return r;
}

/* ---- entries ---- */

/* An entry that cannot be read, or whose ID is too high: there are few. */
static int note_unread(struct run *run, uint64_t id)
{
	struct dit_check_content *content = run->content;
	int r = 0;

	dit_monitor_enter(&run->monitor);
	r = DIT_GROW(content->unread, run->unread_size, content->nunread + 1);
	if (r == 0) {
		content->unread[content->nunread++] = id;
	}
	dit_monitor_leave(&run->monitor);
	return r;
}

static int sum_keys(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	const struct dit_check_member *member = ctx;

	return dit_check_sums_push(member->content->sums, member->reader, db, ordinals,
	                           nkeys);
}

static int sum_wide(void *ctx, unsigned db, struct dit_span key)
{
	const struct dit_check_member *member = ctx;

	return dit_check_sums_push_key(member->content->sums, member->reader, db, key);
}

static int take_entry(void *ctx, struct dit_scan_range *range,
                      const struct dit_entry_view *entry)
{
	struct run *run = ctx;
	struct member *member = &run->members[range->member];
	int r = dit_check_entry(member->entry, entry);

	dit_check_tree_sums_take(dit_check_sums_tree(run->content->sums), range->member,
	                         entry);
	if (r == 0 && entry->record_error != 0) {
		return note_unread(run, entry->id);
	}
	if (r == 0) {
		r = dit_check_csn_note(&member->csn, entry);
	}
	if (r == 0 && entry->id > DIT_CHECK_ID_MAX) {
		return note_unread(run, entry->id);
	}
	if (r < 0) {
		return r;
	}
	dit_check_sums_begin(run->content->sums, range->member, entry->id);
	return dit_stored_keys_make(member->keys, entry, sum_keys, sum_wide,
	                            &member->base);
}

static int finish_csn(struct run *run)
{
	struct dit_check_csn *all = &run->members[0].csn;
	int r = 0;

	for (unsigned i = 1; i < run->nmembers && r == 0; i++) {
		r = dit_check_csn_merge(all, &run->members[i].csn);
	}
	if (r == 0) {
		dit_check_csn_end(all, run->content->findings);
	}
	return r;
}

static void tell(const struct dit_check_content *content, enum dit_check_phase phase,
                 uint64_t done, uint64_t total)
{
	if (content->tell != NULL) {
		content->tell(content->tell_ctx, phase, done, total);
	}
}

/* Ranges have as many entries as their neighbours, nearly. */
static int pass_range(void *ctx, struct dit_scan_range *range)
{
	const struct run *run = ctx;
	uint64_t nrecords = dit_entry_scan_nrecords(run->content->scan);
	uint64_t nranges = dit_entry_scan_nranges(run->content->scan);

	tell(run->content, DIT_CHECK_ENTRIES,
	     (uint64_t)((double)nrecords * (double)(range->number + 1) / (double)nranges),
	     nrecords);
	return 0;
}

static int scan_entries(struct run *run)
{
	static const struct dit_entry_scan_ops ops = {.entry = take_entry,
	                                              .in_order = pass_range};
	int r = dit_entry_scan_run(run->content->scan, &ops, run);

	if (run->content->nunread > 1) {
		qsort(run->content->unread, run->content->nunread, sizeof(uint64_t),
		      dit_compare_ids);
	}
	return r < 0 ? r : finish_csn(run);
}

/* ---- wrong indexes ---- */

/* slapd makes a database that is missing, and does not fill it. */
static bool find_missing(const struct run *run, size_t db)
{
	const struct dit_check_content *content = run->content;
	const char *name = dit_index_set_db(content->indexes, db)->name;
	const struct dit_check_finding place = DIT_CHECK_PLACE(name);
	bool is_missing = dit_snapshot_db(content->snapshot, name) == NULL;

	if (is_missing) {
		dit_check_find(content->findings, DIT_CHECK_INDEX_MISSING, &place,
		               "the index is configured, and its database is missing");
	}
	return is_missing;
}

/* Is there one? */
static bool choose_indexes(struct run *run)
{
	const struct dit_check_content *content = run->content;
	size_t n = dit_index_set_ndbs(content->indexes);
	bool has_wrong = false;

	dit_check_sums_end(content->sums);
	for (size_t i = 0; i < n; i++) {
		run->is_skipped[i] = run->is_skipped[i] ||
		                     !dit_check_sums_is_wrong(content->sums, i) ||
		                     find_missing(run, i);
		has_wrong = has_wrong || !run->is_skipped[i];
	}
	return has_wrong;
}

/* ---- entries again, for the indexes that are compared ---- */

static int collect_key(void *ctx, unsigned db, struct dit_span key)
{
	const struct member *member = ctx;
	struct run *run = member->run;
	int r = 0;

	if (!run->is_skipped[db]) {
		dit_monitor_enter(&run->monitor);
		r = dit_check_index_push(run->content, db, member->id, key);
		dit_monitor_leave(&run->monitor);
	}
	return r;
}

static int collect_entry(void *ctx, struct dit_scan_range *range,
                         const struct dit_entry_view *entry)
{
	const struct run *run = ctx;
	struct member *member = &run->members[range->member];

	if (dit_check_is_unread(run->content, entry->id)) {
		return 0;
	}
	member->id = entry->id;
	return dit_stored_keys_spell(member->keys, entry, collect_key, member);
}

static int collect(struct run *run)
{
	static const struct dit_entry_scan_ops ops = {.entry = collect_entry,
	                                              .in_order = pass_range};
	struct dit_check_content *content = run->content;
	struct dit_scan_snapshot_opts opts = {.snapshot = content->snapshot,
	                                      .schema = content->settings->schema,
	                                      .without_dn = true,
	                                      .wanted = dit_stored_keys_want,
	                                      .wanted_ctx = run->members[0].keys,
	                                      .stop = content->stop};
	struct dit_entry_scan *scan = NULL;
	int r = dit_entry_scan_new(&scan, &opts);

	r = r < 0 ? r : dit_entry_scan_run(scan, &ops, run);
	while (r == DIT_E_FULL) {
		dit_check_pieces_narrow(&content->postings);
		r = dit_entry_scan_run(scan, &ops, run);
	}
	dit_entry_scan_close(scan);
	if (r == 0) {
		dit_check_pieces_sort(&content->postings);
	}
	return r;
}

/* ---- compared with what is stored ---- */

/* In a damaged tree names must not depend on what was read before. */
static struct dit_check_member *start(struct run *run)
{
	struct dit_check_member *member = &run->members[0].base;

	dit_dn_reader_restart(member->dns);
	return member;
}

/* Of all indexes that are compared, or of those before @p end. */
static uint64_t count_stored(const struct run *run, size_t end)
{
	const struct dit_check_content *content = run->content;
	uint64_t n = 0;

	for (size_t i = 0; i < end; i++) {
		const char *name = dit_index_set_db(content->indexes, i)->name;

		if (!run->is_skipped[i]) {
			n += dit_snapshot_db(content->snapshot, name)->nrecords;
		}
	}
	return n;
}

static int compare_indexes(struct run *run)
{
	const struct dit_check_content *content = run->content;
	size_t n = dit_index_set_ndbs(content->indexes);
	int r = collect(run);

	for (size_t i = 0; i < n && r == 0; i++) {
		if (!run->is_skipped[i]) {
			tell(content, DIT_CHECK_INDEXES, count_stored(run, i),
			     count_stored(run, n));
			r = dit_check_index(start(run), i);
		}
	}
	return r < 0 ? r : dit_check_index_rest(start(run));
}

static int compare(struct run *run)
{
	struct dit_check_content *content = run->content;
	int r = 0;

	tell(content, DIT_CHECK_INDEXES, 0, 0);
	if (!dit_check_tree_sums_end(dit_check_sums_tree(content->sums))) {
		r = dit_check_tree(start(run));
	}
	r = r < 0 ? r : dit_check_split(start(run));
	if (r < 0 || !choose_indexes(run)) {
		return r;
	}
	do {
		r = compare_indexes(run);
	} while (r == 0 && dit_check_pieces_next(&content->postings));
	return r;
}

/* ---- the whole ---- */

static void release(struct run *run)
{
	struct dit_check_content *content = run->content;

	for (unsigned i = 0; run->members != NULL && i < run->nmembers; i++) {
		struct member *member = &run->members[i];

		dit_dn_reader_free(member->base.dns);
		dit_check_entry_free(member->entry);
		dit_check_csn_deinit(&member->csn);
		dit_stored_keys_free(member->keys);
	}
	free(run->members);
	dit_entry_scan_close(content->scan);
	dit_check_pieces_deinit(&content->postings);
	free(run->is_skipped);
	free(content->sorted);
	free(content->unread);
	dit_monitor_deinit(&run->monitor);
}

int dit_check_content(struct dit_check_content *content)
{
	struct run run = {.content = content,
	                  .nmembers = dit_snapshot_nreaders(content->snapshot)};
	int r = 0;

	dit_monitor_init(&run.monitor);
	dit_check_pieces_init(&content->postings, content->memory_bytes / 4 * 3,
	                      content->list_max);
	r = prepare(&run);
	if (r == 0) {
		note_databases(&run);
		r = dit_check_numbers(content);
	}
	if (r == 0) {
		r = scan_entries(&run);
	}
	if (r == 0) {
		r = compare(&run);
	}
	release(&run);
	return r;
}
