/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --online: the keys of entries that slapd has changed since the snapshot, round by round
 * (online.h). In the last round all other writers wait, so this does no more than that.
 *
 * The keys of each such entry are made twice: as it was before the round, and as it is
 * now. Attributes that have not changed are left out: most changes are of few attributes.
 * Keys that only the first has go out of the new index, keys that only the second has go
 * into it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/grow.h"
#include "page/lmdb_format.h"
#include "reader/ad_names.h"
#include "reader/entry_reader.h"
#include "reindex/reindexer.h"
#include "tree/tree_merge.h"

#define ARENA_BYTES (64u << 10)

/* A key of an entry. */
struct online_key {
	unsigned db;
	struct dit_span key; /* as it is stored; in the arena */
};

struct online_keys {
	struct online_key *list; /* owned */
	size_t n;
	size_t size;
};

struct online_changes {
	struct dit_posting_change *list; /* owned */
	size_t n;
	size_t size;
};

struct dit_reindex_online {
	struct dit_arena arena; /* keys */
	struct online_changes
		*changes; /* of the round; one for each index database; owned */
	size_t ndbs;
};

/* All that a call needs. */
struct catching_up {
	struct reindex_target *target;
	struct dit_reindex_online *online;
	struct dit_stored_keys *keys;
	struct online_keys older;
	struct online_keys newer;
	struct online_keys *now; /* the one that keys go into */
};

/* ---- keys of one version of an entry ---- */

static int add_key(struct catching_up *work, unsigned db, struct dit_span key)
{
	struct online_keys *keys = work->now;
	struct online_key *list =
		dit_grow(keys->list, &keys->size, keys->n + 1, sizeof(*list));
	char *copy = dit_arena_alloc(&work->online->arena, key.len + 1);

	if (list != NULL) {
		keys->list = list;
	}
	if (list == NULL || copy == NULL) {
		return -ENOMEM;
	}
	memcpy(copy, key.data, key.len);
	list[keys->n++] = (struct online_key){.db = db, .key = {copy, key.len}};
	return 0;
}

static int take_keys(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	struct catching_up *work = ctx;
	const struct dit_index_db *index = dit_index_set_db(work->target->indexes, db);
	char bytes[sizeof(uint64_t)];
	int r = 0;

	for (size_t i = 0; i < nkeys && r == 0; i++) {
		size_t len = dit_index_key_bytes(index, ordinals[i], bytes);

		r = add_key(work, db, (struct dit_span){bytes, len});
	}
	return r;
}

static int take_wide(void *ctx, unsigned db, struct dit_span key)
{
	return add_key(ctx, db, key);
}

static int compare_keys(const void *a, const void *b)
{
	const struct online_key *x = a;
	const struct online_key *y = b;

	if (x->db != y->db) {
		return x->db < y->db ? -1 : 1;
	}
	return dit_span_compare(x->key, y->key);
}

/* Each key once. */
static void sort_keys(struct online_keys *keys)
{
	size_t n = 0;

	if (keys->n == 0) {
		return;
	}
	qsort(keys->list, keys->n, sizeof(*keys->list), compare_keys);
	for (size_t i = 1; i < keys->n; i++) {
		if (compare_keys(&keys->list[n], &keys->list[i]) != 0) {
			keys->list[++n] = keys->list[i];
		}
	}
	keys->n = n + 1;
}

static int refuse(const struct reindex_target *target, const struct dit_entry_view *view)
{
	if (target->reindexer->opts->keep_going) {
		target->stats->nbroken++;
		return 0;
	}
	dit_job_report(&target->reindexer->job, DIT_REPORT_ERROR,
	               "entry id=%08llx: it was changed meanwhile and cannot be "
	               "indexed: %s",
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
                     struct online_keys *ret)
{
	int r = 0;

	work->now = ret;
	ret->n = 0;
	r = dit_stored_keys_make(work->keys, view, take_keys, take_wide, work);
	sort_keys(ret);
	return r;
}

/* ---- changes ---- */

static int add_change(struct catching_up *work, const struct online_key *key, uint64_t id,
                      bool is_added)
{
	struct online_changes *changes = &work->online->changes[key->db];
	struct dit_posting_change *list =
		dit_grow(changes->list, &changes->size, changes->n + 1, sizeof(*list));

	if (list == NULL) {
		return -ENOMEM;
	}
	changes->list = list;
	list[changes->n++] = (struct dit_posting_change){
		.key = key->key, .id = id, .is_added = is_added};
	return 0;
}

/* Both lists side by side. */
static int compare_versions(struct catching_up *work, uint64_t id)
{
	const struct online_keys *older = &work->older;
	const struct online_keys *newer = &work->newer;
	size_t o = 0;
	size_t n = 0;
	int r = 0;

	while (r == 0 && (o < older->n || n < newer->n)) {
		int order = o == older->n ? 1
		            : n == newer->n
		                    ? -1
		                    : compare_keys(&older->list[o], &newer->list[n]);

		if (order < 0) {
			r = add_change(work, &older->list[o], id, false);
		} else if (order > 0) {
			r = add_change(work, &newer->list[n], id, true);
		}
		o += order <= 0;
		n += order >= 0;
	}
	return r;
}

static int take_entries(struct catching_up *work, struct dit_entry_reader *older,
                        struct dit_entry_reader *newer, const uint64_t *ids, size_t nids)
{
	int r = 0;

	for (size_t i = 0; i < nids && r == 0; i++) {
		struct dit_entry_view views[2];

		r = read_version(work, older, ids[i], false, &views[0]);
		if (r == 0) {
			r = read_version(work, newer, ids[i], true, &views[1]);
		}
		if (r == 0) {
			r = dit_stored_keys_leave_same(work->keys, &views[0], &views[1]);
		}
		if (r == 0) {
			r = make_keys(work, &views[0], &work->older);
		}
		if (r == 0) {
			r = make_keys(work, &views[1], &work->newer);
		}
		if (r == 0) {
			r = compare_versions(work, ids[i]);
		}
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

static void hand_over(const struct catching_up *work, struct dit_table_changes *ret)
{
	for (size_t i = 0; i < work->online->ndbs; i++) {
		const struct online_changes *changes = &work->online->changes[i];
		const struct dit_index_db *db =
			dit_index_set_db(work->target->indexes, i);

		if (changes->n > 0) {
			qsort(changes->list, changes->n, sizeof(*changes->list),
			      db->is_integerkey ? compare_numbers : compare_bytes);
		}
		ret[i] = (struct dit_table_changes){changes->list, changes->n};
	}
}

/* ---- a round ---- */

static int make_online(struct reindex_target *target)
{
	struct dit_reindex_online *online = calloc(1, sizeof(*online));

	dit_reindex_online_free(target->online); /* of the round before */
	target->online = NULL;
	if (online == NULL) {
		return -ENOMEM;
	}
	target->online = online;
	dit_arena_init(&online->arena, ARENA_BYTES);
	online->ndbs = dit_index_set_ndbs(target->indexes);
	online->changes = calloc(online->ndbs + 1, sizeof(*online->changes));
	return online->changes == NULL ? -ENOMEM : 0;
}

void dit_reindex_online_free(struct dit_reindex_online *online)
{
	if (online == NULL) {
		return;
	}
	for (size_t i = 0; online->changes != NULL && i < online->ndbs; i++) {
		free(online->changes[i].list);
	}
	free(online->changes);
	dit_arena_deinit(&online->arena);
	free(online);
}

static int read_versions(struct catching_up *work,
                         const struct dit_online_changed *changed,
                         const struct dit_ad_names names[2])
{
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
	if (r == 0) {
		r = take_entries(work, readers[0], readers[1], changed->ids,
		                 changed->nids);
	}
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
	struct catching_up work = {.target = target};
	int r = is_stopped ? DIT_E_STOPPED : make_online(target);

	work.online = target->online;
	if (r == 0) {
		r = dit_stored_keys_new(&work.keys, target->indexes);
	}
	/* slapd may have met new attributes. */
	for (unsigned i = 0; i < 2 && r == 0; i++) {
		r = dit_ad_names_read_by(&names[i], target->snapshot, numbers[i], schema);
		if (r == 0) {
			r = dit_ad_names_choose(&names[i], dit_stored_keys_want,
			                        work.keys);
		}
	}
	if (r == 0) {
		r = read_versions(&work, changed, names);
	}
	if (r == 0) {
		hand_over(&work, ret);
	}
	dit_ad_names_deinit(&names[0]);
	dit_ad_names_deinit(&names[1]);
	dit_stored_keys_free(work.keys);
	free(work.older.list);
	free(work.newer.list);
	return r;
}
