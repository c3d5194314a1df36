/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --online: the keys of entries that slapd has changed since the snapshot, round by round
 * (online.h). In the last round all other writers wait, so this does no more than that.
 */
#include "indexing/key_changes.h"
#include "reader/ad_names.h"
#include "reader/entry_reader.h"
#include "reindex/reindexer.h"

/* All that a call needs. */
struct catching_up {
	struct reindex_target *target;
	const struct dit_online_changed *changed;
	struct dit_key_changes changes;
};

/* ---- one version of an entry ---- */

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

/* One version, as it can be indexed. The older one may have been left out of it. */
static int read_version(struct catching_up *work, struct dit_entry_reader *reader,
                        uint64_t id, bool is_newer, struct dit_entry_view *ret)
{
	int r = dit_stored_keys_read(work->changes.keys, reader, id, ret);

	if (r == DIT_E_INVALID) {
		r = is_newer ? refuse(work->target, ret) : 0;
	}
	return r;
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
		r = r ?: dit_key_changes_take(&work->changes, &views[0], &views[1]);
	}
	return r;
}

static int sort_changes(const struct catching_up *work)
{
	const struct dit_index_set *indexes = work->target->indexes;

	int r = 0;

	for (size_t i = 0; i < dit_index_set_ndbs(indexes) && r == 0; i++) {
		r = dit_key_changes_sort(&work->changes.tables[i],
		                         dit_index_set_db(indexes, i)->is_integerkey);
	}
	return r;
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
	struct catching_up work = {.target = target,
	                           .changed = changed,
	                           .changes = {.tables = ret, .bytes = changed->keys}};
	int r = is_stopped ? DIT_E_STOPPED
	                   : dit_stored_keys_new(&work.changes.keys, target->indexes);

	/* slapd may have met new attributes. */
	for (unsigned i = 0; i < 2 && r == 0; i++) {
		r = dit_ad_names_read(&names[i], target->snapshot, numbers[i], schema);
		r = r
		            ?: dit_ad_names_choose(&names[i], dit_stored_keys_want,
		                                   work.changes.keys);
	}
	r = r ?: read_versions(&work, names);
	r = r ?: sort_changes(&work);
	dit_ad_names_deinit(&names[0]);
	dit_ad_names_deinit(&names[1]);
	dit_stored_keys_free(work.changes.keys);
	return r;
}
