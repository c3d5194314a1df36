/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A snapshot: its named databases, cursors on them, its free pages.
 *
 * Its state is registered next to other processes, so that writers leave its pages alone
 * (locks/lmdb_reader.h). A file that the caller has claimed needs nothing.
 */
#include "reader/snapshot.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"
#include "files/data_seal.h"
#include "locks/claim.h"
#include "page/meta_pages.h"
#include "reader/stored_order.h"

/* slapd uses 256 at most (storage.md 1.1). */
#define DBS_MAX 1024

/* ---- the named databases ---- */

static void forget_dbs(struct dit_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->ndbs; i++) {
		free((char *)snapshot->dbs[i].name);
	}
	free(snapshot->dbs);
}

static int add_db(struct dit_snapshot *snapshot, struct dit_span name,
                  struct dit_span record)
{
	struct dit_stored_db *db = &snapshot->dbs[snapshot->ndbs];
	struct dit_tree_record *tree = &db->tree;

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
	db->npages = tree->nbranch_pages + tree->nleaf_pages + tree->noverflow_pages;
	if (db->npages > snapshot->map.npages) {
		db->npages = snapshot->map.npages; /* it says more than the file has */
	}
	return 0;
}

static bool take_name(const struct dit_page_source *map, struct dit_span *name)
{
	return dit_name_take_nul(map->format, name) &&
	       memchr(name->data, '\0', name->len) == NULL;
}

static int open_main_tree(struct dit_tree_cursor **ret, const struct dit_page_source *map)
{
	const struct dit_key_order by_bytes = {.kind = DIT_ORDER_BYTES};

	return dit_tree_cursor_open(ret, map, &map->meta.main_tree, &by_bytes);
}

/* 0; DIT_E_CORRUPT; -ENOMEM; MDB_DBS_FULL: more databases than slapd can have */
static int read_dbs(struct dit_snapshot *snapshot)
{
	const struct dit_page_source *map = &snapshot->map;
	uint64_t max = map->meta.main_tree.nitems;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span name;
	struct dit_span record;
	int r = 0;

	if (max > DBS_MAX) {
		return DIT_LMDB_DBS_FULL;
	}
	snapshot->dbs = calloc(max + 1, sizeof(*snapshot->dbs));
	r = snapshot->dbs == NULL ? -ENOMEM : open_main_tree(&cursor, map);
	if (r < 0) {
		return r;
	}
	while (r == 0 && (r = dit_tree_cursor_next(cursor, &name, &record)) > 0) {
		r = snapshot->ndbs == max || !take_name(map, &name)
		            ? DIT_E_CORRUPT
		            : add_db(snapshot, name, record);
	}
	dit_tree_cursor_close(cursor);
	return r;
}

const struct dit_stored_db *dit_snapshot_db(const struct dit_snapshot *snapshot,
                                            const char *name)
{
	for (size_t i = 0; i < snapshot->ndbs; i++) {
		if (strcmp(snapshot->dbs[i].name, name) == 0) {
			return &snapshot->dbs[i];
		}
	}
	return NULL;
}

/* ---- opening ---- */

static int map_registered(struct dit_snapshot *snapshot, const char *directory,
                          const struct dit_page_format *format,
                          const struct dit_snapshot_opts *opts)
{
	struct dit_lmdb_reader_opts lmdb = opts->lmdb;
	int r = -ENOMEM;

	snapshot->spare_maps = calloc(lmdb.nspare + 1, sizeof(*snapshot->spare_maps));
	if (snapshot->spare_maps == NULL) {
		return r;
	}
	lmdb.format = format;
	r = dit_lmdb_reader_open(&snapshot->reader, directory, &lmdb);
	if (r < 0) {
		return r;
	}
	snapshot->is_held = snapshot->reader->lock_fd >= 0;
	return dit_page_source_open(&snapshot->map, snapshot->reader->data_fd, format,
	                            &snapshot->reader->metas);
}

static int open_as(struct dit_snapshot **ret, const char *directory,
                   const struct dit_page_format *format,
                   const struct dit_snapshot_opts *opts)
{
	struct dit_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	int r = -ENOMEM;

	if (snapshot == NULL) {
		return r;
	}
	snapshot->nreaders = opts->nreaders;
	snapshot->nspare = opts->is_claimed ? 0 : opts->lmdb.nspare;
	r = opts->is_claimed
	            ? dit_page_source_open(&snapshot->map, opts->claimed_fd, format, NULL)
	            : map_registered(snapshot, directory, format, opts);
	r = r ?: read_dbs(snapshot);
	return DIT_HAND_OVER(r, ret, snapshot, dit_snapshot_close);
}

int dit_snapshot_register(struct dit_snapshot **ret, const char *directory,
                          const struct dit_snapshot_opts *opts)
{
	int r = open_as(ret, directory, &dit_lmdb_09, opts);

	return r == DIT_E_FORMAT
	               ? open_as(ret, directory, dit_data_format_10(opts->sealed), opts)
	               : r;
}

int dit_snapshot_open_readers(struct dit_snapshot **ret, const char *directory,
                              const struct dit_snapshot_opts *opts)
{
	struct dit_fault holder = {""};
	int r = 0;

	assert(opts->nreaders > 0);
	if (opts->is_claimed) {
		return open_as(ret, NULL,
		               dit_meta_version(opts->claimed_fd) == dit_lmdb_10.version
		                       ? dit_data_format_10(opts->sealed)
		                       : &dit_lmdb_09,
		               opts);
	}
	r = dit_snapshot_register(ret, directory, opts);
	if (r != DIT_E_BUSY || opts->lmdb.fault == NULL) {
		return r;
	}
	holder = *opts->lmdb.fault;
	return dit_fault_say(opts->lmdb.fault, r, "%s has locked the database for itself",
	                     dit_claim_holder(&holder));
}

void dit_snapshot_close(struct dit_snapshot *snapshot)
{
	if (snapshot == NULL) {
		return;
	}
	dit_page_source_close(&snapshot->map);
	for (unsigned i = 0; snapshot->spare_maps != NULL && i < snapshot->nspare; i++) {
		dit_page_source_close(&snapshot->spare_maps[i]);
	}
	free(snapshot->spare_maps);
	dit_lmdb_reader_close(snapshot->reader);
	forget_dbs(snapshot);
	free(snapshot);
}

/* ---- states ---- */

static int find_tree(const struct dit_page_source *map, const char *name,
                     struct dit_tree_record *ret)
{
	struct dit_span wanted = {name,
	                          strlen(name) + (map->format->names_have_nul ? 1 : 0)};
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span found = {NULL, 0};
	struct dit_span record = {NULL, 0};
	int r = open_main_tree(&cursor, map);

	r = r ?: dit_tree_cursor_find(cursor, wanted, &found, &record);
	if (r > 0 && record.len != sizeof(*ret)) {
		r = DIT_E_CORRUPT;
	}
	if (r > 0) {
		memcpy(ret, record.data, sizeof(*ret));
	}
	dit_tree_cursor_close(cursor);
	return r;
}

static const struct dit_page_source *map_of(struct dit_snapshot *snapshot,
                                            unsigned reader)
{
	assert(reader < snapshot->nreaders + snapshot->nspare);
	return reader < snapshot->nreaders || snapshot->spare_maps == NULL ||
	                       dit_snapshot_spare_map(snapshot, reader)->npages == 0
	               ? &snapshot->map
	               : dit_snapshot_spare_map(snapshot, reader);
}

int dit_snapshot_tree_by(struct dit_snapshot *snapshot, unsigned reader, const char *name,
                         struct dit_tree_record *ret)
{
	assert(snapshot->reader != NULL);
	return find_tree(map_of(snapshot, reader), name, ret);
}

int dit_snapshot_renew(struct dit_snapshot *snapshot, unsigned reader)
{
	struct dit_page_source *map = dit_snapshot_spare_map(snapshot, reader);
	unsigned number = reader - snapshot->nreaders;
	struct dit_metas metas;
	int r = 0;

	assert(number < snapshot->nspare && snapshot->reader != NULL);
	dit_page_source_close(map);
	r = dit_lmdb_reader_renew(snapshot->reader, number, &metas);
	return r < 0 ? r
	             : dit_page_source_open(map, snapshot->map.fd, snapshot->map.format,
	                                    &metas);
}

/* A record of the free list begins with the number of its pages. */
int dit_snapshot_nfree(const struct dit_snapshot *snapshot, uint64_t *ret)
{
	const struct dit_page_source *map = &snapshot->map;
	const struct dit_key_order by_number = {.kind = DIT_ORDER_NUMBERS};
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span value;
	uint64_t n = 0;
	int r = dit_tree_cursor_open(&cursor, map, &map->meta.free_tree, &by_number);

	if (r < 0) {
		return r;
	}
	while ((r = dit_tree_cursor_next(cursor, &key, &value)) > 0) {
		uint64_t npages = 0;

		if (value.len >= sizeof(npages)) {
			memcpy(&npages, value.data, sizeof(npages));
			n += npages;
		}
	}
	dit_tree_cursor_close(cursor);
	*ret = n;
	return r;
}

bool dit_snapshot_is_lmdb_10(const struct dit_snapshot *snapshot)
{
	return snapshot->map.format->version == dit_lmdb_10.version;
}

/* ---- ranges of IDs ---- */

struct ranges {
	uint64_t *firsts;
	size_t n;
	size_t size;
};

/* IDs that do not ascend would make two ranges hold one entry. */
static int add_range(struct ranges *ranges, uint64_t first)
{
	return ranges->n > 0 && first <= ranges->firsts[ranges->n - 1]
	               ? DIT_E_CORRUPT
	               : DIT_APPEND(ranges->firsts, ranges->size, ranges->n, first);
}

int dit_snapshot_id_ranges(struct dit_snapshot *snapshot, unsigned nleaves,
                           uint64_t **ret_firsts, size_t *ret_n)
{
	struct ranges ranges = {.n = 0};
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span lowest;
	uint64_t first = 0;
	uint64_t nseen = 0; /* leaves */
	int r = dit_snapshot_cursor_open(&cursor, snapshot, 0, "id2e");

	r = r ?: add_range(&ranges, 0);
	while (r == 0 && (r = dit_tree_cursor_next_leaf(cursor, &lowest)) > 0) {
		/* The first leaf has no key. */
		r = nseen > 0 && lowest.len != sizeof(first) ? DIT_E_CORRUPT : 0;
		if (r == 0 && nseen > 0 && nseen % nleaves == 0) {
			memcpy(&first, lowest.data, sizeof(first));
			r = add_range(&ranges, first);
		}
		nseen++;
	}
	dit_tree_cursor_close(cursor);
	if (r < 0) {
		free(ranges.firsts);
		return r;
	}
	*ret_firsts = ranges.firsts;
	*ret_n = ranges.n;
	return 0;
}

/* ---- cursors ---- */

int dit_snapshot_cursor_open(struct dit_tree_cursor **ret, struct dit_snapshot *snapshot,
                             unsigned reader, const char *name)
{
	const struct dit_page_source *map = map_of(snapshot, reader);
	const struct dit_stored_db *db = dit_snapshot_db(snapshot, name);
	struct dit_tree_record tree;
	struct dit_key_orders orders;
	int r = 1;

	if (db == NULL) {
		return DIT_E_UNKNOWN;
	}
	tree = db->tree;
	if (map != &snapshot->map) {
		r = find_tree(map, name, &tree);
	}
	if (r <= 0) {
		return r == 0 ? DIT_E_UNKNOWN : r;
	}
	dit_stored_orders(name, tree.flags, &orders);
	return dit_tree_cursor_open(ret, map, &tree, &orders.keys);
}
