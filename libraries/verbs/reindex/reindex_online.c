/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --online: the keys of entries that slapd has changed since the snapshot, round by round
 * (online.h). In the last round all other writers wait, so this does no more than that.
 *
 * The keys of each such entry are made twice: as it was before the round, and as it is
 * now. Attributes that have not changed are left out: most changes are of few attributes.
 * Keys that only the first has go out of the new index, keys that only the second has go
 * into it. So all keys are changes at first, and those of both versions are dropped once
 * the changes of a database are sorted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "page/lmdb_format.h"
#include "reader/ad_names.h"
#include "reader/entry_reader.h"
#include "reindex/reindexer.h"
#include "tree/tree_merge.h"

/* All that a call needs. */
struct catching_up {
	struct reindex_target *target;
	const struct dit_online_changed *changed;
	struct dit_table_changes *changes; /* one for each index database */
	struct dit_stored_keys *keys;
	uint64_t id;   /* of the entry whose keys come */
	bool is_newer; /* they are those of the newer version */
};

/* ---- keys of one version of an entry ---- */

static int add_change(void *ctx, unsigned db, struct dit_span key)
{
	const struct catching_up *work = ctx;
	struct dit_table_changes *changes = &work->changes[db];
	char *copy = dit_arena_alloc(work->changed->keys, key.len + 1);

	if (copy == NULL || DIT_GROW(changes->list, changes->size, changes->n + 1) < 0) {
		return -ENOMEM;
	}
	memcpy(copy, key.data, key.len);
	changes->list[changes->n++] = (struct dit_posting_change){
		.key = {copy, key.len}, .id = work->id, .is_added = work->is_newer};
	return 0;
}

static int refuse(const struct reindex_target *target, const struct dit_entry_view *view)
{
	if (target->reindexer->opts->keep_going) {
		target->stats->nbroken++;
		return 0;
	}
	dit_job_report(&target->reindexer->job, DIT_REPORT_ERROR,
	               "entry id=%08llx: it was changed during the run and cannot "
	               "be indexed: %s",
	               (unsigned long long)view->id,
	               view->reason == NULL || view->reason[0] == '\0'
	                       ? "a value without index key"
	                       : view->reason);
	return DIT_E_CORRUPT;
}

/* One version, as it can be indexed; an entry that is not there has no attributes. */
static int read_version(struct catching_up *work, struct dit_entry_reader *reader,
                        uint64_t id, bool is_newer, struct dit_entry_view *ret)
{
	struct dit_index_refusal refusal;
	int r = dit_entry_reader_seek(reader, id, ret);

	if (r <= 0 || ret->id != id || ret->is_hole) {
		*ret = (struct dit_entry_view){.id = id};
		return r < 0 ? r : 0;
	}
	r = ret->record_error != 0 ? DIT_E_INVALID
	                           : dit_stored_keys_check(work->keys, ret, &refusal);
	if (r == DIT_E_INVALID) {
		/* The older one was left out of the index. */
		r = is_newer ? refuse(work->target, ret) : 0;
		*ret = (struct dit_entry_view){.id = id};
	}
	return r;
}

static int make_keys(struct catching_up *work, const struct dit_entry_view *view,
                     bool is_newer)
{
	work->id = view->id;
	work->is_newer = is_newer;
	return dit_stored_keys_spell(work->keys, view, add_change, work);
}

/* ---- changes ---- */

static int take_entries(struct catching_up *work, struct dit_entry_reader *older,
                        struct dit_entry_reader *newer, const uint64_t *ids, size_t nids)
{
	int r = 0;

	for (size_t i = 0; i < nids && r == 0; i++) {
		struct dit_entry_view views[2];

		r = read_version(work, older, ids[i], false, &views[0]);
		r = r ?: read_version(work, newer, ids[i], true, &views[1]);
		r = r ?: dit_stored_keys_leave_same(work->keys, &views[0], &views[1]);
		r = r ?: make_keys(work, &views[0], false);
		r = r ?: make_keys(work, &views[1], true);
	}
	return r;
}

static int compare_numbers(const void *a, const void *b)
{
	return dit_posting_change_compare(DIT_DB_INTEGERKEY, a, b);
}

static int compare_bytes(const void *a, const void *b)
{
	return dit_posting_change_compare(0, a, b);
}

/* A version may have a key more than once. */
static void drop_unchanged(struct dit_table_changes *changes,
                           int (*compare)(const void *a, const void *b))
{
	struct dit_posting_change *list = changes->list;
	size_t n = 0;
	size_t end = 0;

	for (size_t i = 0; i < changes->n; i = end) {
		bool is_in_both = false;

		for (end = i + 1; end < changes->n && compare(&list[i], &list[end]) == 0;
		     end++) {
			is_in_both |= list[end].is_added != list[i].is_added;
		}
		if (!is_in_both) {
			list[n++] = list[i];
		}
	}
	changes->n = n;
}

static void sort_changes(const struct catching_up *work)
{
	size_t ndbs = dit_index_set_ndbs(work->target->indexes);

	for (size_t i = 0; i < ndbs; i++) {
		struct dit_table_changes *changes = &work->changes[i];
		int (*compare)(const void *a, const void *b) =
			dit_index_set_db(work->target->indexes, i)->is_integerkey
				? compare_numbers
				: compare_bytes;

		if (changes->n > 0) {
			qsort(changes->list, changes->n, sizeof(*changes->list), compare);
			drop_unchanged(changes, compare);
		}
	}
}

/* ---- a round ---- */

static int read_versions(struct catching_up *work, const struct dit_ad_names names[2])
{
	const struct dit_online_changed *changed = work->changed;
	const unsigned numbers[2] = {changed->older, changed->newer};
	struct dit_entry_reader *readers[2] = {NULL, NULL};
	int r = 0;

	for (unsigned i = 0; i < 2 && r == 0; i++) {
		const struct dit_entry_reader_opts opts = {.snapshot =
		                                                   work->target->snapshot,
		                                           .reader = numbers[i],
		                                           .names = &names[i],
		                                           .without_dn = true};

		r = dit_entry_reader_new(&readers[i], &opts);
	}
	r = r ?: take_entries(work, readers[0], readers[1], changed->ids, changed->nids);
	dit_entry_reader_free(readers[0]);
	dit_entry_reader_free(readers[1]);
	return r;
}

int dit_reindex_catch_up(void *ctx, const struct dit_online_changed *changed,
                         struct dit_table_changes *ret)
{
	struct reindex_target *target = ctx;
	struct dit_schema *schema = target->reindexer->job.chosen.settings->schema;
	bool is_stopped = dit_stop_is_set(&target->reindexer->job.stop);
	struct dit_ad_names names[2] = {{.n = 0}, {.n = 0}};
	const unsigned numbers[2] = {changed->older, changed->newer};
	struct catching_up work = {.target = target, .changed = changed, .changes = ret};
	int r = is_stopped ? DIT_E_STOPPED
	                   : dit_stored_keys_new(&work.keys, target->indexes);

	/* slapd may have met new attributes. */
	for (unsigned i = 0; i < 2 && r == 0; i++) {
		r = dit_ad_names_read_by(&names[i], target->snapshot, numbers[i], schema);
		r = r ?: dit_ad_names_choose(&names[i], dit_stored_keys_want, work.keys);
	}
	r = r ?: read_versions(&work, names);
	if (r == 0) {
		sort_changes(&work);
	}
	dit_ad_names_deinit(&names[0]);
	dit_ad_names_deinit(&names[1]);
	dit_stored_keys_free(work.keys);
	return r;
}
