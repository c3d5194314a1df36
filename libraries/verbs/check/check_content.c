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
#include "job/release_rules.h"

/* A member of scans. [own: its thread; main's when members are at rest] */
struct dit_check_scanner {
	struct dit_check_content *content;
	unsigned number;
	struct dit_check_entry *entry;
	struct dit_check_csn csn;
	struct dit_stored_keys *keys;
	uint64_t id; /* of the entry whose keys are collected */
};

size_t dit_check_index_number(const struct dit_check_content *content, const char *name)
{
	size_t n = dit_index_set_ndbs(content->indexes);
	size_t i = 0;

	while (i < n && strcmp(dit_index_set_db(content->indexes, i)->name, name) != 0) {
		i++;
	}
	return i;
}

void dit_check_tell(struct dit_check_content *content, enum dit_check_phase phase,
                    uint64_t done, uint64_t total)
{
	content->done = done;
	content->total = total;
	dit_job_tell(content->job, phase);
}

bool dit_check_is_unread(const struct dit_check_content *content, uint64_t id)
{
	return content->nunread > 0 && bsearch(&id, content->unread, content->nunread,
	                                       sizeof(id), dit_compare_ids) != NULL;
}

struct dit_check_finding dit_check_entry_place(struct dit_check_content *content,
                                               const char *database, uint64_t id)
{
	struct dit_check_finding place = DIT_CHECK_PLACE(database);
	struct dit_dn_text dn;

	place.id = id;
	if (id != 0 && dit_dn_reader_get(content->dns, id, &dn) == 0) {
		(void)snprintf(content->dn, sizeof(content->dn), "%.*s",
		               DIT_SPAN_ARGS(dn.pretty));
		place.dn = content->dn;
	}
	return place;
}

/* ---- what is stored under which name ---- */

/* The keys are made in the format of those that are stored. */
static int fit_format(struct dit_check_content *content, size_t db)
{
	size_t key_len = 0;
	int r = dit_stored_keys_fit(content->indexes, db, content->snapshot, &key_len);

	if (r == DIT_E_INVALID) {
		content->states[db] = DIT_CHECK_INDEX_DONE;
		DIT_CHECK_REPORT_AT(
			content, DIT_CHECK_INDEX_KEYS,
			dit_index_set_db(content->indexes, db)->name, 0,
			"the keys have %zu bytes; this configuration makes others",
			key_len);
		return 0;
	}
	return r < 0 ? r : 0;
}

/* Indexes that slapd no longer uses, and one that it still makes. */
static void note_databases(struct dit_check_content *content)
{
	for (size_t i = 0; i < content->snapshot->ndbs; i++) {
		const struct dit_stored_db *db = &content->snapshot->dbs[i];

		if ((db->flags & DIT_DB_DUPFIXED) != 0 &&
		    dit_check_index_number(content, db->name) ==
		            dit_index_set_ndbs(content->indexes)) {
			DIT_CHECK_REPORT_AT(
				content, DIT_CHECK_INDEX_UNUSED, db->name, 0,
				"the index is not configured: %lu posting%s that "
				"slapd does not use",
				db->nrecords, db->nrecords == 1 ? "" : "s");
		} else if (strcmp(db->name, "ixck") == 0 && db->nrecords > 0) {
			DIT_CHECK_REPORT_AT(content, DIT_CHECK_INDEX_PENDING, db->name, 0,
			                    "slapd has not yet built all indexes");
		}
	}
}

/* ---- before the scan ---- */

static int fit_indexes(struct dit_check_content *content)
{
	size_t n = dit_index_set_ndbs(content->indexes);
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		if (content->states[i] == DIT_CHECK_INDEX_WHOLE) {
			r = fit_format(content, i);
		}
	}
	return r < 0 ? r : dit_check_sums_end_walk(content->sums);
}

static int make_scanner(struct dit_check_content *content, unsigned number)
{
	struct dit_check_scanner *scanner = &content->scanners[number];
	int r = 0;

	scanner->content = content;
	scanner->number = number;
	r = dit_check_entry_new(&scanner->entry, content);
	r = r < 0 ? r : dit_check_csn_init(&scanner->csn, content);
	return r < 0 ? r : dit_stored_keys_new(&scanner->keys, content->indexes);
}

static int prepare(struct dit_check_content *content)
{
	struct dit_scan_snapshot_opts scan = {.snapshot = content->snapshot,
	                                      .schema = content->settings->schema,
	                                      .stop = content->stop};
	unsigned n = content->snapshot->nreaders;
	int r = fit_indexes(content);

	r = r < 0 ? r : dit_sorted_types_make(content->settings, &content->sorted);
	r = r < 0 ? r : dit_dn_reader_new(&content->dns, content->snapshot, 0);
	r = r < 0 ? r : dit_entry_scan_new(&content->scan, &scan);
	r = r < 0 ? r : dit_check_overlays_begin(content);
	if (r < 0) {
		return r;
	}
	content->scanners = calloc(n, sizeof(*content->scanners));
	if (content->scanners == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < n && r == 0; i++) {
		r = make_scanner(content, i);
	}
	return r;
}

/* ---- entries ---- */

/* An entry that cannot be read, or whose ID is too high: there are few. */
static int note_unread(struct dit_check_content *content, uint64_t id)
{
	int r = 0;

	dit_monitor_enter(&content->monitor);
	r = DIT_GROW(content->unread, content->unread_size, content->nunread + 1);
	if (r == 0) {
		content->unread[content->nunread++] = id;
	}
	dit_monitor_leave(&content->monitor);
	return r;
}

static int sum_keys(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	const struct dit_check_scanner *scanner = ctx;

	return dit_check_sums_push(scanner->content->sums, scanner->number, db, ordinals,
	                           nkeys);
}

static int sum_wide(void *ctx, unsigned db, struct dit_span key)
{
	const struct dit_check_scanner *scanner = ctx;

	return dit_check_sums_push_key(scanner->content->sums, scanner->number, db, key);
}

static int take_entry(void *ctx, struct dit_scan_range *range,
                      const struct dit_entry_view *entry)
{
	struct dit_check_content *content = ctx;
	struct dit_check_scanner *scanner = &content->scanners[range->member];
	int r = dit_check_entry(scanner->entry, entry);

	dit_check_tree_sums_take(dit_check_sums_tree(content->sums), range->member,
	                         entry);
	if (r == 0 && entry->record_error != 0) {
		return note_unread(content, entry->id);
	}
	r = r < 0 ? r : dit_check_csn_note(&scanner->csn, entry);
	r = r < 0 || content->overlays == NULL
	            ? r
	            : dit_overlays_take(content->overlays, range->member, entry);
	if (r == 0 && entry->id > DIT_CHECK_ID_MAX) {
		return note_unread(content, entry->id);
	}
	if (r < 0) {
		return r;
	}
	dit_check_sums_begin(content->sums, range->member, entry->id);
	return dit_stored_keys_make(scanner->keys, entry, sum_keys, sum_wide, scanner);
}

static int finish_csn(struct dit_check_content *content)
{
	struct dit_check_csn *all = &content->scanners[0].csn;
	unsigned n = content->snapshot->nreaders;
	int r = 0;

	for (unsigned i = 1; i < n && r == 0; i++) {
		r = dit_check_csn_merge(all, &content->scanners[i].csn);
	}
	if (r == 0) {
		dit_check_csn_end(all);
	}
	return r;
}

/* Ranges have as many entries as their neighbours, nearly. */
int dit_check_pass_range(void *ctx, struct dit_scan_range *range)
{
	struct dit_check_content *content = ctx;
	uint64_t nrecords = dit_entry_scan_nrecords(content->scan);
	uint64_t nranges = dit_entry_scan_nranges(content->scan);

	dit_check_tell(content, DIT_CHECK_ENTRIES,
	               (uint64_t)((double)nrecords * (double)(range->number + 1) /
	                          (double)nranges),
	               nrecords);
	return 0;
}

static int scan_entries(struct dit_check_content *content)
{
	static const struct dit_entry_scan_ops ops = {.entry = take_entry,
	                                              .in_order = dit_check_pass_range};
	int r = dit_entry_scan_run(content->scan, &ops, content);

	dit_sort_items(content->unread, content->nunread, sizeof(uint64_t),
	               dit_compare_ids);
	r = r < 0 ? r : finish_csn(content);
	return r < 0 ? r : dit_check_overlays(content);
}

/* ---- wrong indexes ---- */

/* slapd makes a database that is missing, and does not fill it. */
static bool find_missing(const struct dit_check_content *content, size_t db)
{
	const char *name = dit_index_set_db(content->indexes, db)->name;
	const struct dit_check_finding place = DIT_CHECK_PLACE(name);
	bool is_missing = dit_snapshot_db(content->snapshot, name) == NULL;

	if (is_missing) {
		dit_check_report(content->findings, DIT_CHECK_INDEX_MISSING, &place,
		                 "the index is configured, and its database is missing");
	}
	return is_missing;
}

/* Is there one? */
static bool choose_indexes(const struct dit_check_content *content)
{
	size_t n = dit_index_set_ndbs(content->indexes);
	bool has_wrong = false;

	dit_check_sums_end(content->sums);
	for (size_t i = 0; i < n; i++) {
		enum dit_check_index_state *state = &content->states[i];

		if (*state == DIT_CHECK_INDEX_WHOLE &&
		    (!dit_check_sums_is_wrong(content->sums, i) ||
		     find_missing(content, i))) {
			*state = DIT_CHECK_INDEX_DONE;
		}
		has_wrong |= *state == DIT_CHECK_INDEX_WHOLE;
	}
	return has_wrong;
}

/* ---- entries again, for the indexes that are compared ---- */

static int collect_key(void *ctx, unsigned db, struct dit_span key)
{
	const struct dit_check_scanner *scanner = ctx;
	struct dit_check_content *content = scanner->content;
	int r = 0;

	if (content->states[db] == DIT_CHECK_INDEX_WHOLE) {
		dit_monitor_enter(&content->monitor);
		r = dit_check_index_push(content, db, scanner->id, key);
		dit_monitor_leave(&content->monitor);
	}
	return r;
}

static int collect_entry(void *ctx, struct dit_scan_range *range,
                         const struct dit_entry_view *entry)
{
	const struct dit_check_content *content = ctx;
	struct dit_check_scanner *scanner = &content->scanners[range->member];

	if (dit_check_is_unread(content, entry->id)) {
		return 0;
	}
	scanner->id = entry->id;
	return dit_stored_keys_spell(scanner->keys, entry, collect_key, scanner);
}

static int collect(struct dit_check_content *content)
{
	static const struct dit_entry_scan_ops ops = {.entry = collect_entry,
	                                              .in_order = dit_check_pass_range};
	struct dit_scan_snapshot_opts opts = {.snapshot = content->snapshot,
	                                      .schema = content->settings->schema,
	                                      .without_dn = true,
	                                      .wanted = dit_stored_keys_want,
	                                      .wanted_ctx = content->scanners[0].keys,
	                                      .stop = content->stop};
	struct dit_entry_scan *scan = NULL;
	int r = dit_entry_scan_new(&scan, &opts);

	r = r < 0 ? r : dit_entry_scan_run(scan, &ops, content);
	while (r == DIT_E_FULL) {
		dit_check_pieces_narrow(&content->postings);
		r = dit_entry_scan_run(scan, &ops, content);
	}
	dit_entry_scan_close(scan);
	dit_check_pieces_sort(&content->postings);
	return r;
}

/* ---- compared with what is stored ---- */

/* The number of stored postings in the compared indexes before @p end. */
static uint64_t count_stored(const struct dit_check_content *content, size_t end)
{
	uint64_t n = 0;

	for (size_t i = 0; i < end; i++) {
		const char *name = dit_index_set_db(content->indexes, i)->name;

		if (content->states[i] == DIT_CHECK_INDEX_WHOLE) {
			n += dit_snapshot_db(content->snapshot, name)->nrecords;
		}
	}
	return n;
}

/* In a damaged tree names must not depend on what was read before: the reader of DNs
 * starts again. */
static int compare_indexes(struct dit_check_content *content)
{
	size_t n = dit_index_set_ndbs(content->indexes);
	int r = collect(content);

	for (size_t i = 0; i < n && r == 0; i++) {
		if (content->states[i] == DIT_CHECK_INDEX_WHOLE) {
			dit_check_tell(content, DIT_CHECK_INDEXES,
			               count_stored(content, i),
			               count_stored(content, n));
			dit_dn_reader_restart(content->dns);
			r = dit_check_index(content, i);
		}
	}
	dit_dn_reader_restart(content->dns);
	return r < 0 ? r : dit_check_index_rest(content);
}

static int compare(struct dit_check_content *content)
{
	int r = 0;

	dit_check_tell(content, DIT_CHECK_INDEXES, 0, 0);
	if (!dit_check_tree_sums_end(dit_check_sums_tree(content->sums))) {
		r = dit_check_tree(content);
	}
	dit_dn_reader_restart(content->dns);
	r = r < 0 ? r : dit_check_split(content);
	if (r < 0 || !choose_indexes(content)) {
		return r;
	}
	do {
		r = compare_indexes(content);
	} while (r == 0 && dit_check_pieces_next(&content->postings));
	return r;
}

/* ---- the whole ---- */

static void release(struct dit_check_content *content)
{
	unsigned n = content->snapshot->nreaders;

	for (unsigned i = 0; content->scanners != NULL && i < n; i++) {
		struct dit_check_scanner *scanner = &content->scanners[i];

		dit_check_entry_free(scanner->entry);
		dit_csn_list_deinit(&scanner->csn.entries);
		dit_stored_keys_free(scanner->keys);
	}
	free(content->scanners);
	dit_csn_list_deinit(&content->context.csns);
	free(content->context.dn);
	free(content->context.bad);
	dit_dn_reader_free(content->dns);
	dit_overlays_free(content->overlays);
	dit_overlay_rules_deinit(&content->rules);
	dit_entry_scan_close(content->scan);
	dit_check_pieces_deinit(&content->postings);
	dit_monitor_deinit(&content->monitor);
	free(content->sorted);
	free(content->unread);
}

int dit_check_content(struct dit_check_content *content)
{
	int r = 0;

	dit_monitor_init(&content->monitor);
	dit_check_pieces_init(&content->postings, content->memory_bytes / 4 * 3,
	                      content->list_max);
	r = prepare(content);
	if (r == 0) {
		note_databases(content);
		r = dit_check_numbers(content);
	}
	r = r < 0 ? r : scan_entries(content);
	r = r < 0 ? r : compare(content);
	release(content);
	return r;
}
