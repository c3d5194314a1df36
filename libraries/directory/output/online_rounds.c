/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The new tables get what others changed since the snapshot.
 *
 *   tables show   S ──── round ───▶ N1 ──── round ───▶ N2 ──── last round ───▶ now
 *                    most changes       fewer               few; with the lock
 *
 * A round takes a newer state, finds the entries that differ, puts the changes of their
 * keys into the tables, and follows the old tables to that state. While a round goes on
 * others change less than before it, so the last one, for which everybody waits, is
 * short.
 *
 * Why each state stays as it is: the snapshot is read until the end, so pages that were
 * given back since are not used again, and a page that two states have is the same page.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/errno_text.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "output/online_impl.h"
#include "page/page_source.h"
#include "system/file_io.h"
#include "tree/tree_diff.h"

/* A round with so few entries is the last one without the lock: about as many change
 * during any round. */
#define FEW_ENTRIES 16u
/* So is a round that still has more than 9/10 of the entries of the previous round. */
#define LESS_OF      10u
#define LESS_AT_MOST 9u

/* A newer state, and how its pages are read. */
struct state {
	unsigned reader;
	struct dit_page_source *source;
	struct dit_page_commit *commit; /* that changes it; NULL: without the lock */
};

struct dit_id_node {
	uint64_t id;           /* the first: dit_compare_ids() */
	struct dit_span value; /* or the place of a long value's pages */
	uint32_t value_len;
};

/* ---- the trees of others ---- */

static const char *name_of(const struct dit_online *online, size_t i)
{
	size_t n = online->tables.n;

	return i < n ? online->tables.list[i].name : i == n ? "id2e" : "id2v";
}

/* As dit_page_commit_find(). */
static int find_tree(const struct dit_online *online, const struct state *state,
                     const char *name, struct dit_tree_record *ret)
{
	return state->commit != NULL
	               ? dit_page_commit_find(state->commit, dit_span_of(name), ret)
	               : dit_snapshot_tree_by(online->tables.snapshot, state->reader,
	                                      name, ret);
}

/* The tree is that of the newer state from now on. DIT_E_UNKNOWN: it is gone */
static int follow(struct dit_online *online, size_t i, const struct state *newer,
                  const struct dit_tree_follower *follower)
{
	struct dit_tree_record *stored = &online->stored[i];
	struct dit_tree_record tree = {.root = DIT_PAGE_NONE};
	int r = find_tree(online, newer, name_of(online, i), &tree);

	if (r == 0 && stored->root != DIT_PAGE_NONE) {
		return DIT_E_UNKNOWN;
	}
	r = r < 0 ? r : dit_tree_follow(newer->source, stored, &tree, follower);
	*stored = tree;
	return r;
}

static int say_damaged(const struct dit_online *online, const char *name)
{
	return dit_fault_say(online->opts.fault, DIT_E_CORRUPT,
	                     "index database \"%s\" is damaged, and its pages are not "
	                     "known while slapd changes the file: stop slapd and "
	                     "run ditindex without --online",
	                     name);
}

static int follow_tables(struct dit_online *online, const struct state *newer)
{
	const struct dit_tree_follower follower = {.pages = &online->old_pages,
	                                           .is_whole = true};
	int r = 0;

	for (size_t i = 0; i < online->tables.n && r == 0; i++) {
		const char *name = name_of(online, i);

		r = follow(online, i, newer, &follower);
		if (r == DIT_E_CORRUPT) {
			r = say_damaged(online, name);
		} else if (r == DIT_E_UNKNOWN) {
			r = dit_fault_say(
				online->opts.fault, DIT_E_CORRUPT,
				"index database \"%s\" was removed during the run", name);
		}
	}
	return r;
}

/* ---- changed entries ---- */

static int add_changed(struct dit_online_changes *changes, uint64_t id)
{
	return DIT_APPEND(changes->ids, changes->ids_size, changes->nids, id);
}

/* A record of id2e. */
static int note_entry(void *ctx, bool is_newer, const struct dit_node_view *node)
{
	struct dit_online_changes *changes = ctx;
	struct dit_id_node noted = {.value =
	                                    dit_arena_copy(&changes->values, node->value),
	                            .value_len = node->value_len};

	(void)is_newer;
	if (node->key.len != sizeof(noted.id)) {
		return DIT_E_CORRUPT;
	}
	memcpy(&noted.id, node->key.data, sizeof(noted.id));
	return noted.value.data == NULL ? -ENOMEM
	                                : DIT_APPEND(changes->nodes, changes->nodes_size,
	                                             changes->nnodes, noted);
}

/* A record of id2v: some values of an entry. */
static int note_split(void *ctx, bool is_newer, const struct dit_node_view *node)
{
	uint64_t id = 0;

	(void)is_newer;
	if (node->key.len < sizeof(id)) {
		return DIT_E_CORRUPT;
	}
	memcpy(&id, node->key.data, sizeof(id));
	return add_changed(ctx, id);
}

/* An entry that lies in leaves of both states, with the same value, is the same. */
static int compare_entries(struct dit_online_changes *changes)
{
	int r = 0;

	dit_sort_items(changes->nodes, changes->nnodes, sizeof(*changes->nodes),
	               dit_compare_ids);
	for (size_t i = 0; i < changes->nnodes && r == 0; i++) {
		const struct dit_id_node *one = &changes->nodes[i];
		const struct dit_id_node *other = one + 1;

		if (i + 1 < changes->nnodes && other->id == one->id) {
			i++;
			if (one->value_len == other->value_len &&
			    dit_span_eq(one->value, other->value)) {
				continue;
			}
		}
		r = add_changed(changes, one->id);
	}
	return r;
}

/* From @p first on: ascending, distinct. */
static void unite(struct dit_online_changes *changes, size_t first)
{
	size_t n = first;

	dit_sort_items(changes->ids + first, changes->nids - first, sizeof(*changes->ids),
	               dit_compare_ids);
	for (size_t i = first; i < changes->nids; i++) {
		if (n == first || changes->ids[n - 1] != changes->ids[i]) {
			changes->ids[n++] = changes->ids[i];
		}
	}
	changes->nids = n;
}

/* Both states are walked together, so the cost is that of the changes. */
static int find_entries(struct dit_online *online, const struct state *newer)
{
	struct dit_online_changes *changes = &online->changes;
	struct dit_tree_follower follower = {
		.pages = &online->entry_pages, .node = note_entry, .ctx = changes};
	int r = 0;

	changes->first = changes->nids;
	changes->nnodes = 0;
	dit_arena_reset(&changes->values);
	r = follow(online, online->tables.n, newer, &follower);
	r = r ?: compare_entries(changes);
	follower.node = note_split;
	r = r ?: follow(online, online->tables.n + 1, newer, &follower);
	unite(changes, changes->first);
	return r == DIT_E_UNKNOWN ? DIT_E_CORRUPT : r;
}

/* ---- changes of the tables ---- */

static int edit_tables(struct dit_online *online, struct dit_page_source *source,
                       struct dit_page_space *space)
{
	struct dit_index_tables *tables = &online->tables;
	int r = 0;

	tables->merge.source = source;
	tables->merge.space = space;
	tables->merge.list_max = online->opts.list_max;
	for (size_t i = 0; i < tables->n && r == 0; i++) {
		r = dit_output_change_index(&online->base, i, &online->lists[i]);
		online->lists[i].next = NULL;
		dit_tick(online->is_locked ? NULL : online->opts.shared.ticker);
	}
	return r;
}

static unsigned next_reader(const struct dit_online *online)
{
	unsigned first = online->tables.snapshot->nreaders;

	return online->reader == first ? first + 1 : first;
}

/* The entries that a newer state has changed, and their keys. */
static int find_changes(struct dit_online *online, const struct state *newer)
{
	const struct dit_online_changes *changes = &online->changes;
	struct dit_online_changed changed = {.older = online->reader,
	                                     .newer = newer->reader};
	int r = find_entries(online, newer);

	changed.nids = changes->nids - changes->first;
	if (r < 0 || changed.nids == 0) {
		return r;
	}
	if (online->is_locked) {
		r = dit_snapshot_renew(online->tables.snapshot, newer->reader);
	}
	changed.ids = changes->ids + changes->first;
	return r < 0 ? r
	             : online->opts.changed(online->opts.ctx, &changed, online->lists);
}

static void note_round(struct dit_online *online, uint64_t since_us)
{
	struct dit_online_times *times = &online->times;

	times->rounds[times->nrounds++] = (struct dit_online_round){
		.nchanged = online->changes.nids - online->changes.first,
		.us = dit_clock_us(CLOCK_MONOTONIC) - since_us};
}

/* ---- rounds without the lock ---- */

static int sync_pages(const struct dit_online *online)
{
	struct stat st;
	int r = 0;

	if (fstat(online->data_fd, &st) != 0) {
		return -errno;
	}
	r = dit_sync_pieces(online->data_fd, (uint64_t)st.st_size, NULL,
	                    online->opts.shared.ticker);
	return r < 0 || fdatasync(online->data_fd) == 0 ? r : -errno;
}

/* The tables get what the newer state has changed. */
static int catch_up(struct dit_online *online, const struct state *newer,
                    struct dit_page_space *space)
{
	int r = find_changes(online, newer);

	r = r ?: follow_tables(online, newer);
	return r ?: edit_tables(online, newer->source, space);
}

/* The pages of the newer state, and those that are reserved. */
static uint64_t count_pages(const struct dit_online *online, unsigned reader)
{
	uint64_t npages = dit_snapshot_spare_map(online->tables.snapshot, reader)->npages;

	uint64_t end = online->reserve.pool.taken.npages;

	return end > npages ? end : npages;
}

/* To read pages of the file with. */
static void open_source(const struct dit_online *online, uint64_t npages,
                        struct dit_page_source *ret)
{
	dit_page_source_init(ret, online->data_fd, online->tables.snapshot->map.format,
	                     online->page_bytes, npages);
}

static int run_round(struct dit_online *online)
{
	uint64_t since_us = dit_clock_us(CLOCK_MONOTONIC);
	struct dit_page_source pages;
	struct state newer = {.reader = next_reader(online), .source = &pages};
	int r = dit_snapshot_renew(online->tables.snapshot, newer.reader);

	if (r < 0) {
		return r;
	}
	open_source(online, count_pages(online, newer.reader), &pages);
	r = catch_up(online, &newer, &online->reserve.space);
	r = r ?: dit_page_file_drain(&online->reserve.space.file);
	/* Or the commit is synced afterwards. */
	r = r < 0 || online->opts.is_unsynced ? r : sync_pages(online);
	if (r == 0) {
		online->reader = newer.reader;
		note_round(online, since_us);
	}
	return r;
}

/* Is it time for the lock? */
static bool is_enough(const struct dit_online_times *times)
{
	unsigned n = times->nrounds;
	uint64_t last = n == 0 ? UINT64_MAX : times->rounds[n - 1].nchanged;

	return n == DIT_ONLINE_ROUNDS || last <= FEW_ENTRIES ||
	       (n > 1 && last > times->rounds[n - 2].nchanged / LESS_OF * LESS_AT_MOST);
}

/* Through the page cache: the next round reads what this one writes. */
static int run_rounds(struct dit_online *online)
{
	struct dit_page_file *file = &online->reserve.space.file;
	int r = 0;

	dit_page_file_close(file);
	dit_page_file_open(file, online->data_fd, NULL, false);
	while (r == 0 && !is_enough(&online->times)) {
		r = run_round(online);
	}
	return r;
}

/* ---- the last step ---- */

static int put_tables(const struct dit_online *online, struct dit_page_commit *commit)
{
	int r = 0;

	for (size_t i = 0; i < online->tables.n && r == 0; i++) {
		const struct dit_index_table *table = &online->tables.list[i];

		r = dit_page_commit_put(commit, dit_span_of(table->name), &table->tree);
	}
	r = r ?: dit_page_commit_give(commit, &online->old_pages);
	return r < 0 ? r : dit_page_commit_use(commit, &online->reserve.pool.taken);
}

static int change_locked(struct dit_online *online, struct dit_page_commit *commit)
{
	uint64_t since_us = dit_clock_us(CLOCK_MONOTONIC);
	struct dit_page_source pages;
	struct state newest = {
		.reader = next_reader(online), .source = &pages, .commit = commit};
	int r = 0;

	open_source(online, dit_page_commit_bytes(commit) / online->page_bytes, &pages);
	r = catch_up(online, &newest, dit_page_commit_space(commit));
	r = r ?: put_tables(online, commit);
	note_round(online, since_us);
	return r;
}

static int commit_locked(struct dit_online *online)
{
	struct dit_page_commit *commit = NULL;
	int r = dit_online_open_commit(online, &online->reserve.pool.left, &commit);

	if (r == 0) {
		r = change_locked(online, commit);
		r = r ?: dit_online_write_commit(online, commit);
		dit_page_commit_close(commit);
	}
	return r;
}

/* ---- before the first round ---- */

/* The old tables, and the entries, as they are in the snapshot. */
static int collect_old_pages(struct dit_online *online)
{
	size_t n = online->tables.n;
	struct dit_page_source source;
	int r = 0;

	open_source(online, online->tables.snapshot->map.npages, &source);
	online->stored = calloc(n + 2, sizeof(*online->stored));
	online->lists = calloc(n + 1, sizeof(*online->lists));
	if (online->stored == NULL || online->lists == NULL ||
	    dit_page_set_init(&online->old_pages, source.npages) < 0 ||
	    dit_page_set_init(&online->entry_pages, source.npages) < 0) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < n + 2 && r == 0; i++) {
		bool is_table = i < n;
		const char *name = name_of(online, i);
		const struct dit_stored_db *db =
			dit_snapshot_db(online->tables.snapshot, name);

		online->stored[i] =
			db == NULL ? (struct dit_tree_record){.root = DIT_PAGE_NONE}
				   : db->tree;
		r = dit_tree_pages(&source, &online->stored[i], is_table,
		                   is_table ? &online->old_pages : &online->entry_pages);
		if (r == DIT_E_CORRUPT && is_table) {
			return say_damaged(online, name);
		}
		dit_tick(online->opts.shared.ticker);
	}
	return r;
}

/*
 * Some of the new pages are read again in the rounds, and then there should be no wait
 * for the disk. slapd needs them in the page cache as well. No page is missing if it
 * cannot be read now.
 */
static void warm_up(const struct dit_online *online)
{
	const struct dit_page_set *used = &online->reserve.pool.taken;
	uint64_t page = dit_page_set_next(used, 0);
	off_t bytes = online->page_bytes;

	while (page < used->npages) {
		uint64_t end = page + 1;

		while (dit_page_set_has(used, end)) {
			end++;
		}
		(void)posix_fadvise(online->data_fd, (off_t)page * bytes,
		                    (off_t)(end - page) * bytes, POSIX_FADV_WILLNEED);
		dit_tick_often(online->opts.shared.ticker);
		page = dit_page_set_next(used, end);
	}
}

static int sync_commit(const struct dit_online *online)
{
	int r = sync_pages(online);

	return r == 0 ? 0
	              : dit_fault_say(
				online->opts.fault, r,
				"the new indexes are in place, but the disk may not "
				"have them: %s",
				dit_errno_text(-r));
}

int dit_online_catch_up(struct dit_online *online)
{
	int r = dit_page_file_drain(&online->reserve.space.file);

	/* Most of what is written goes to the disk before anybody has to wait. */
	r = r ?: sync_pages(online);
	r = r ?: collect_old_pages(online);
	if (r == 0) {
		warm_up(online);
		r = run_rounds(online);
	}
	r = r ?: dit_online_lock(online);
	if (r == 0) {
		r = commit_locked(online);
		dit_online_unlock(online);
	}
	unite(&online->changes, 0);
	online->times.nchanged = online->changes.nids;
	if (r == 0 && online->opts.is_unsynced) {
		r = sync_commit(online);
	}
	return r;
}
