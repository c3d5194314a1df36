/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --online: the keys of entries that slapd has changed since the snapshot, round by round
 * (online.h). In the last round all other writers wait, so this does no more than that.
 */
#include <errno.h>
#include <stdlib.h>

#include "indexing/key_changes.h"
#include "reader/ad_names.h"
#include "reader/entry_reader.h"
#include "reindex/reindexer.h"
#include "system/tmp_files.h"

static int refuse(const struct reindex_target *target, uint64_t id, const char *reason)
{
	if (target->reindexer->opts->keep_going) {
		target->stats->nbroken++;
		return 0;
	}
	return dit_job_say(&target->reindexer->job, DIT_E_CORRUPT,
	                   "entry id=%08lx: it was changed during the run and cannot "
	                   "be indexed: %s",
	                   id,
	                   reason == NULL || reason[0] == '\0'
	                           ? "a value without index key"
	                           : reason);
}

/* ---- changes ---- */

/* The older version may have been left out of the indexes. */
static int take_entry(const struct reindex_target *target,
                      struct dit_entry_reader *const readers[2], uint64_t id)
{
	struct dit_key_changes *changes = target->changes;
	struct dit_stored_version older;
	struct dit_stored_version newer;
	int r = dit_stored_keys_read(changes->keys[0], readers[0], id, false, &older);

	if (r < 0 && r != DIT_E_INVALID) {
		return r;
	}
	r = dit_stored_keys_read(changes->keys[0], readers[1], id, true, &newer);
	if (r == DIT_E_INVALID) {
		r = refuse(target, id, newer.reason);
	}
	return r ?: dit_key_changes_take(changes, 0, id, &older.entry, &newer.entry);
}

static void close_lists(struct reindex_target *target)
{
	size_t n = target->lists == NULL ? 0 : dit_index_set_ndbs(target->indexes);

	for (size_t i = 0; i < n; i++) {
		dit_changed_lists_close(&target->lists[i]);
	}
}

static int open_lists(const struct reindex_target *target, struct dit_list_changes *ret)
{
	size_t n = dit_index_set_ndbs(target->indexes);
	int r = dit_key_changes_finish(target->changes);

	for (size_t i = 0; i < n && r == 0; i++) {
		r = dit_changed_lists_open(&target->lists[i], target->changes, i);
		ret[i] = (struct dit_list_changes){dit_changed_lists_next,
		                                   &target->lists[i]};
	}
	return r;
}

/* A round forgets the changes of the one before. */
static int begin_changes(struct reindex_target *target)
{
	const struct reindexer *reindexer = target->reindexer;
	const struct dit_builders_opts opts = {
		.indexes = target->indexes,
		/* Nothing ends it early: slapd waits. */
		.shared = {.nthreads = 1,
	                   .tmpdir = dit_tmp_dir(reindexer->job.opts.tmpdir),
	                   .cipher = dit_data_seal_runs(target->seal)},
		.memory_bytes = reindexer->memory_bytes};
	int r = 0;

	close_lists(target);
	if (target->changes == NULL) {
		target->lists = calloc(dit_index_set_ndbs(target->indexes) + 1,
		                       sizeof(*target->lists));
		r = target->lists == NULL ? -ENOMEM
		                          : dit_key_changes_new(&target->changes, &opts);
	}
	return r ?: dit_key_changes_begin(target->changes);
}

void dit_reindex_forget_changes(struct reindex_target *target)
{
	close_lists(target);
	free(target->lists);
	dit_key_changes_free(target->changes);
}

/* ---- a round ---- */

static int read_versions(const struct reindex_target *target,
                         const struct dit_online_changed *changed,
                         const struct dit_ad_names names[2])
{
	const unsigned numbers[2] = {changed->older, changed->newer};
	struct dit_entry_reader *readers[2] = {NULL, NULL};
	int r = 0;

	for (unsigned i = 0; i < 2 && r == 0; i++) {
		const struct dit_entry_reader_opts opts = {.snapshot = target->snapshot,
		                                           .reader = numbers[i],
		                                           .names = &names[i],
		                                           .without_dn = true};

		r = dit_entry_reader_new(&readers[i], &opts);
	}
	for (size_t i = 0; i < changed->nids && r == 0; i++) {
		r = take_entry(target, readers, changed->ids[i]);
	}
	dit_entry_reader_free(readers[0]);
	dit_entry_reader_free(readers[1]);
	return r;
}

int dit_reindex_catch_up(void *ctx, const struct dit_online_changed *changed,
                         struct dit_list_changes *ret)
{
	struct reindex_target *target = ctx;
	struct dit_schema *schema = target->reindexer->job.chosen.settings->schema;
	bool is_stopped = dit_stop_is_set(&target->reindexer->job.stop);
	struct dit_ad_names names[2] = {{.n = 0}, {.n = 0}};
	const unsigned numbers[2] = {changed->older, changed->newer};
	int r = is_stopped ? DIT_E_STOPPED : begin_changes(target);

	/* slapd may have met new attributes. */
	for (unsigned i = 0; i < 2 && r == 0; i++) {
		r = dit_ad_names_read(&names[i], target->snapshot, numbers[i], schema);
		r = r
		            ?: dit_ad_names_choose(&names[i], dit_stored_keys_want,
		                                   target->changes->keys[0]);
	}
	r = r ?: read_versions(target, changed, names);
	r = r ?: open_lists(target, ret);
	dit_ad_names_deinit(&names[0]);
	dit_ad_names_deinit(&names[1]);
	return r;
}
