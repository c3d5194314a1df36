/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshots and scans, whoever reads the file. The implementations are tried one after
 * the other; each knows its own format.
 */
#include "reader/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "reader/snapshot_impl.h"

/* ---- the named databases ---- */

static void forget_dbs(struct dit_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->ndbs; i++) {
		free((char *)snapshot->dbs[i].name);
	}
	free(snapshot->dbs);
	free(snapshot->trees);
	snapshot->dbs = NULL;
	snapshot->trees = NULL;
	snapshot->ndbs = 0;
}

int dit_snapshot_expect_dbs(struct dit_snapshot *snapshot, size_t max)
{
	forget_dbs(snapshot);
	snapshot->dbs = calloc(max + 1, sizeof(*snapshot->dbs));
	snapshot->trees = calloc(max + 1, sizeof(*snapshot->trees));
	return snapshot->dbs == NULL || snapshot->trees == NULL ? -ENOMEM : 0;
}

int dit_snapshot_add_db(struct dit_snapshot *snapshot, struct dit_span name,
                        struct dit_span record)
{
	struct dit_tree_record *tree = &snapshot->trees[snapshot->ndbs];
	struct dit_stored_db *db = &snapshot->dbs[snapshot->ndbs];

	db->name = strndup(name.data, name.len);
	if (db->name == NULL) {
		return -ENOMEM;
	}
	snapshot->ndbs++;
	if (record.len != sizeof(*tree)) {
		return DIT_E_CORRUPT;
	}
	memcpy(tree, record.data, sizeof(*tree));
	db->flags = tree->flags;
	db->nrecords = tree->nitems;
	db->npages =
		dit_snapshot_db_pages(snapshot, tree->nbranch_pages + tree->nleaf_pages +
	                                                tree->noverflow_pages);
	return 0;
}

/* Their number: none of that name. */
static size_t find_db(const struct dit_snapshot *snapshot, const char *name)
{
	size_t i = 0;

	while (i < snapshot->ndbs && strcmp(snapshot->dbs[i].name, name) != 0) {
		i++;
	}
	return i;
}

/* ---- snapshots ---- */

int dit_snapshot_open_readers(struct dit_snapshot **ret, const char *directory,
                              const struct dit_snapshot_opts *opts)
{
	int r = 0;

	if (opts->nreaders == 0) {
		return -EINVAL;
	}
	if (opts->is_claimed) {
		return dit_snapshot_pages_open(ret, directory, opts);
	}
	r = dit_snapshot_lmdb_open(ret, directory, opts);
	return r == DIT_E_FORMAT ? dit_snapshot_pages_open(ret, directory, opts) : r;
}

int dit_snapshot_open(struct dit_snapshot **ret, const char *directory)
{
	const struct dit_snapshot_opts opts = {.nreaders = 1, .no_lock = true};

	return dit_snapshot_open_readers(ret, directory, &opts);
}

void dit_snapshot_close(struct dit_snapshot *snapshot)
{
	if (snapshot == NULL) {
		return;
	}
	snapshot->ops->close(snapshot);
	forget_dbs(snapshot);
	free(snapshot);
}

unsigned dit_snapshot_nreaders(const struct dit_snapshot *snapshot)
{
	return snapshot->nreaders;
}

bool dit_snapshot_is_held(const struct dit_snapshot *snapshot)
{
	return snapshot->is_held;
}

static bool is_reader(const struct dit_snapshot *snapshot, unsigned reader)
{
	return reader < snapshot->nreaders ||
	       reader - snapshot->nreaders < snapshot->nspare;
}

int dit_snapshot_renew(struct dit_snapshot *snapshot, unsigned reader)
{
	return reader < snapshot->nreaders || !is_reader(snapshot, reader)
	               ? -EINVAL
	               : snapshot->ops->renew(snapshot, reader);
}

int dit_snapshot_tree_by(struct dit_snapshot *snapshot, unsigned reader, const char *name,
                         struct dit_tree_record *ret)
{
	if (!is_reader(snapshot, reader)) {
		return -EINVAL;
	}
	return snapshot->ops->tree_by == NULL
	               ? -ENOTSUP
	               : snapshot->ops->tree_by(snapshot, reader, name, ret);
}

uint64_t dit_snapshot_npages(const struct dit_snapshot *snapshot)
{
	return snapshot->npages;
}

int dit_snapshot_nfree(struct dit_snapshot *snapshot, uint64_t *ret)
{
	return snapshot->ops->nfree == NULL ? -ENOTSUP
	                                    : snapshot->ops->nfree(snapshot, ret);
}

int dit_snapshot_tree(const struct dit_snapshot *snapshot, const char *name,
                      struct dit_tree_record *ret)
{
	size_t i = find_db(snapshot, name);

	if (i == snapshot->ndbs) {
		return 0;
	}
	*ret = snapshot->trees[i];
	return 1;
}

unsigned dit_snapshot_page_bytes(const struct dit_snapshot *snapshot)
{
	return snapshot->page_bytes;
}

uint64_t dit_snapshot_txn_id(const struct dit_snapshot *snapshot)
{
	return snapshot->txn_id;
}

bool dit_snapshot_is_lmdb_10(const struct dit_snapshot *snapshot)
{
	return snapshot->format->version == dit_lmdb_10.version;
}

const struct dit_stored_db *dit_snapshot_db(const struct dit_snapshot *snapshot,
                                            const char *name)
{
	size_t i = find_db(snapshot, name);

	return i < snapshot->ndbs ? &snapshot->dbs[i] : NULL;
}

size_t dit_snapshot_dbs(const struct dit_snapshot *snapshot,
                        const struct dit_stored_db **ret)
{
	*ret = snapshot->dbs;
	return snapshot->ndbs;
}

/* ---- ranges of IDs ---- */

struct ranges {
	uint64_t *firsts;
	size_t n;
	size_t size;
	unsigned nleaves; /* of each range */
	unsigned at;      /* leaves since the last one began */
};

static int add_leaf(struct ranges *ranges, struct dit_span lowest)
{
	uint64_t *firsts = NULL;

	if (lowest.len != sizeof(*firsts)) {
		return DIT_E_CORRUPT;
	}
	if (++ranges->at < ranges->nleaves) {
		return 0;
	}
	ranges->at = 0;
	firsts = dit_grow(ranges->firsts, &ranges->size, ranges->n + 1, sizeof(*firsts));
	if (firsts == NULL) {
		return -ENOMEM;
	}
	ranges->firsts = firsts;
	memcpy(&firsts[ranges->n], lowest.data, sizeof(*firsts));
	/* IDs that do not ascend would make two ranges hold one entry. */
	if (firsts[ranges->n] <= firsts[ranges->n - 1]) {
		return DIT_E_CORRUPT;
	}
	ranges->n++;
	return 0;
}

static int find_ranges(struct dit_tree_cursor *cursor, struct ranges *ranges)
{
	struct dit_span lowest;
	int r = 0;

	ranges->firsts = dit_grow(NULL, &ranges->size, 1, sizeof(*ranges->firsts));
	if (ranges->firsts == NULL) {
		return -ENOMEM;
	}
	ranges->firsts[ranges->n++] = 0;
	/* The first leaf begins with the first range. */
	r = dit_tree_cursor_next_leaf(cursor, &lowest);
	if (r > 0) {
		r = dit_tree_cursor_next_leaf(cursor, &lowest);
	}
	while (r > 0) {
		r = add_leaf(ranges, lowest);
		if (r == 0) {
			r = dit_tree_cursor_next_leaf(cursor, &lowest);
		}
	}
	return r;
}

int dit_snapshot_id_ranges(struct dit_snapshot *snapshot, unsigned nleaves,
                           uint64_t **ret_firsts, size_t *ret_n)
{
	struct ranges ranges = {.nleaves = nleaves};
	struct dit_scan *scan = NULL;
	int r = dit_scan_open(&scan, snapshot, "id2e");

	if (r == 0) {
		r = find_ranges(scan->cursor, &ranges);
	}
	dit_scan_close(scan);
	if (r < 0) {
		free(ranges.firsts);
		return r;
	}
	*ret_firsts = ranges.firsts;
	*ret_n = ranges.n;
	return 0;
}

/* ---- scans ---- */

int dit_scan_open(struct dit_scan **ret, struct dit_snapshot *snapshot, const char *name)
{
	return dit_scan_open_by(ret, snapshot, 0, name);
}

int dit_scan_open_by(struct dit_scan **ret, struct dit_snapshot *snapshot,
                     unsigned reader, const char *name)
{
	size_t i = find_db(snapshot, name);

	if (i == snapshot->ndbs) {
		return DIT_E_UNKNOWN;
	}
	if (!is_reader(snapshot, reader)) {
		return -EINVAL;
	}
	return snapshot->ops->open_scan(ret, snapshot, reader, i);
}

static int started(struct dit_scan *scan, int r)
{
	scan->is_started = scan->is_started || r > 0;
	return r;
}

int dit_scan_next(struct dit_scan *scan, struct dit_span *ret_key,
                  struct dit_span *ret_value)
{
	return started(scan,
	               scan->is_started
	                       ? dit_tree_cursor_next(scan->cursor, ret_key, ret_value)
	                       : dit_tree_cursor_first(scan->cursor, ret_key, ret_value));
}

int dit_scan_next_key(struct dit_scan *scan, struct dit_span *ret_key,
                      struct dit_span *ret_value)
{
	return started(
		scan, scan->is_started
			      ? dit_tree_cursor_next_key(scan->cursor, ret_key, ret_value)
			      : dit_tree_cursor_first(scan->cursor, ret_key, ret_value));
}

int dit_scan_seek_id(struct dit_scan *scan, uint64_t least, struct dit_span *ret_key,
                     struct dit_span *ret_value)
{
	struct dit_span wanted = {(const char *)&least, sizeof(least)};

	return started(scan,
	               dit_tree_cursor_seek(scan->cursor, wanted, ret_key, ret_value));
}

int dit_scan_seek(struct dit_scan *scan, struct dit_span wanted, struct dit_span *ret_key,
                  struct dit_span *ret_value)
{
	int r = dit_tree_cursor_seek(scan->cursor, wanted, ret_key, ret_value);

	return started(scan, r > 0 && !dit_span_eq(*ret_key, wanted) ? 0 : r);
}

int dit_scan_next_list(struct dit_scan *scan, struct dit_span *ret_key,
                       struct dit_span *ret_ids)
{
	struct dit_span first;
	int r = dit_scan_next_key(scan, ret_key, &first);

	return r <= 0 ? r : dit_tree_cursor_items(scan->cursor, ret_ids);
}

int dit_scan_more_ids(struct dit_scan *scan, struct dit_span *ret_ids)
{
	return dit_tree_cursor_more_items(scan->cursor, ret_ids);
}

void dit_scan_close(struct dit_scan *scan)
{
	if (scan != NULL) {
		dit_tree_cursor_close(scan->cursor);
		free(scan);
	}
}
