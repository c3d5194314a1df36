/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The old file is read under the new one's claim. Tables are copied record by record, so
 * the new file has no free pages, and none that are half empty.
 */
#include "output/rebuilt_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "output/data_check.h"
#include "output/output_impl.h"
#include "place/fault.h"
#include "place/files.h"
#include "place/format_check.h"
#include "reader/snapshot_impl.h"
#include "reader/stored_flags.h"
#include "reader/stored_order.h"

#define NDBS_MAX 1024

struct names {
	char **list; /* owned */
	size_t n;
	size_t size;
};

struct rebuilt {
	struct dit_output base;
	struct dit_record_output *inner; /* the new file; NULL: ended */
	int data_fd;                     /* the old one */
	struct dit_snapshot *old;        /* its state */
	struct dit_fault *fault;         /* borrowed; may be NULL */
	struct names built;
	struct names dropped;
};

static struct rebuilt *of(struct dit_output *output)
{
	return (struct rebuilt *)output;
}

/* ---- names ---- */

static bool has_name(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (strcmp(names->list[i], name) == 0) {
			return true;
		}
	}
	return false;
}

static int add_name(struct names *names, const char *name)
{
	char **list = dit_grow(names->list, &names->size, names->n + 1, sizeof(*list));

	if (list == NULL) {
		return -ENOMEM;
	}
	names->list = list;
	list[names->n] = strdup(name);
	return list[names->n] == NULL ? -ENOMEM : (names->n++, 0);
}

static void forget_names(struct names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		free(names->list[i]);
	}
	free(names->list);
}

/* ---- copies ---- */

/* The next record of a scan whose keys have this length. 1; 0: end; error */
static int next_record(struct dit_scan *scan, void *ret_key, size_t key_len,
                       struct dit_span *ret_value)
{
	struct dit_span key;
	int r = dit_scan_next(scan, &key, ret_value);

	if (r > 0 && key.len != key_len) {
		return DIT_E_CORRUPT;
	}
	if (r > 0) {
		memcpy(ret_key, key.data, key_len);
	}
	return r;
}

static int copy_ads(struct rebuilt *rebuilt, struct dit_scan *scan)
{
	struct dit_record_output *inner = rebuilt->inner;
	struct dit_span name;
	uint32_t number = 0;
	int r = 0;

	while (r == 0 && (r = next_record(scan, &number, sizeof(number), &name)) > 0) {
		r = dit_output_put_ad(inner, number, name);
	}
	return r;
}

static int copy_entries(struct rebuilt *rebuilt, struct dit_scan *scan)
{
	struct dit_record_output *inner = rebuilt->inner;
	struct dit_span record;
	uint64_t id = 0;
	int r = 0;

	while (r == 0 && (r = next_record(scan, &id, sizeof(id), &record)) > 0) {
		void *space = NULL;

		r = dit_output_reserve_entry(inner, id, record.len, &space);
		if (r == 0 && record.len > 0) {
			memcpy(space, record.data, record.len);
		}
	}
	return r;
}

static int copy_names(struct rebuilt *rebuilt, struct dit_scan *scan)
{
	struct dit_output_table *table = NULL;
	struct dit_span record;
	uint64_t id = 0;
	int r = dit_output_open_names(rebuilt->inner, &table);

	if (r < 0) {
		return r;
	}
	while (r == 0 && (r = next_record(scan, &id, sizeof(id), &record)) > 0) {
		r = dit_output_put_record(table, id, record);
	}
	if (r < 0) {
		dit_output_drop(table);
		return r;
	}
	return dit_output_finish(table);
}

/* Their place among the values of the attribute is told as well. */
static int copy_splits(struct rebuilt *rebuilt, struct dit_scan *scan)
{
	struct dit_record_output *inner = rebuilt->inner;
	char key[sizeof(uint64_t) + sizeof(uint16_t)];
	char last[sizeof(key)] = {0};
	struct dit_span record;
	uint32_t place = 0;
	uint64_t id = 0;
	uint16_t ad = 0;
	int r = dit_output_begin_changes(inner);

	while (r == 0 && (r = next_record(scan, key, sizeof(key), &record)) > 0) {
		place = memcmp(key, last, sizeof(key)) == 0 ? place + 1 : 0;
		memcpy(last, key, sizeof(key));
		memcpy(&id, key, sizeof(id));
		memcpy(&ad, key + sizeof(id), sizeof(ad));
		r = dit_output_put_split(inner, id, ad, place, record);
	}
	return r;
}

struct list {
	uint64_t *ids; /* owned */
	size_t n;
	size_t size;
};

static int add_ids(struct list *list, struct dit_span ids)
{
	size_t n = ids.len / sizeof(uint64_t);
	uint64_t *all = dit_grow(list->ids, &list->size, list->n + n, sizeof(*all));

	if (all == NULL) {
		return -ENOMEM;
	}
	list->ids = all;
	memcpy(all + list->n, ids.data, n * sizeof(*all));
	list->n += n;
	return 0;
}

/* 1; 0: end; error */
static int next_list(struct dit_scan *scan, struct dit_span *ret_key, struct list *list)
{
	struct dit_span ids;
	int r = dit_scan_next_list(scan, ret_key, &ids);
	bool is_there = r > 0;

	list->n = 0;
	while (r > 0) {
		r = ids.len % sizeof(uint64_t) == 0 ? add_ids(list, ids) : DIT_E_CORRUPT;
		if (r == 0) {
			r = dit_scan_more_ids(scan, &ids);
		}
	}
	return r < 0 ? r : is_there;
}

static int put_all_lists(struct dit_output_table *table, struct dit_scan *scan)
{
	struct list list = {.ids = NULL};
	struct dit_span key;
	int r = 0;

	while (r == 0 && (r = next_list(scan, &key, &list)) > 0) {
		const struct dit_output_list one = {
			.key = key, .ids = list.ids, .nids = list.n};

		r = dit_output_put_lists(table, &one, 1);
	}
	free(list.ids);
	return r;
}

/* @param number  of the index in the new file */
static int copy_index(struct rebuilt *rebuilt, const struct dit_stored_db *db,
                      size_t number)
{
	struct dit_record_output *inner = rebuilt->inner;
	const struct dit_output_index index = {
		.name = db->name, .is_integerkey = (db->flags & DIT_DB_INTEGERKEY) != 0};
	struct dit_output_table *table = NULL;
	struct dit_scan *scan = NULL;
	int r = dit_output_add_index(&inner->base, &index);

	if (r == 0) {
		r = dit_scan_open(&scan, rebuilt->old, db->name);
	}
	if (r == 0) {
		r = dit_output_open_index(&inner->base, number, &table);
	}
	if (r == 0) {
		r = put_all_lists(table, scan);
		if (r < 0) {
			dit_output_drop(table);
		} else {
			r = dit_output_finish(table);
		}
	}
	dit_scan_close(scan);
	return r;
}

static int copy_indexes(struct rebuilt *rebuilt)
{
	const struct dit_stored_db *dbs = NULL;
	size_t n = dit_snapshot_dbs(rebuilt->old, &dbs);
	size_t number = rebuilt->built.n;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		const char *name = dbs[i].name;

		if (dit_stored_is_fixed(dit_span_of(name)) ||
		    has_name(&rebuilt->built, name) ||
		    has_name(&rebuilt->dropped, name)) {
			continue;
		}
		r = (dbs[i].flags & ~DIT_DB_INTEGERKEY) == DIT_INDEX_FLAGS
		            ? copy_index(rebuilt, &dbs[i], number++)
		            : DIT_E_CORRUPT;
	}
	return r;
}

static int copy_table(struct rebuilt *rebuilt, const char *name,
                      int (*copy)(struct rebuilt *rebuilt, struct dit_scan *scan))
{
	struct dit_scan *scan = NULL;
	int r = dit_scan_open(&scan, rebuilt->old, name);

	if (r == 0) {
		r = copy(rebuilt, scan);
	}
	dit_scan_close(scan);
	return r == DIT_E_UNKNOWN ? DIT_E_CORRUPT : r;
}

/* In the order of output.h: values apart from their entries come last. */
static int copy_rest(struct rebuilt *rebuilt)
{
	int r = copy_indexes(rebuilt);

	if (r == 0) {
		r = copy_table(rebuilt, "ad2i", copy_ads);
	}
	if (r == 0) {
		r = copy_table(rebuilt, "id2e", copy_entries);
	}
	if (r == 0) {
		r = copy_table(rebuilt, "dn2i", copy_names);
	}
	return r < 0 ? r : copy_table(rebuilt, "id2v", copy_splits);
}

/* ---- the output ---- */

static int find_index(struct dit_output *output, const char *name,
                      struct dit_output_stored_index *ret)
{
	struct rebuilt *rebuilt = of(output);
	struct dit_tree_record tree;

	return dit_snapshot_tree(rebuilt->old, name, &tree) == 0
	               ? 0
	               : dit_output_found_index(name, &tree, false, rebuilt->fault, ret);
}

static int add_index(struct dit_output *output, const struct dit_output_index *index)
{
	struct rebuilt *rebuilt = of(output);
	int r = dit_output_add_index(&rebuilt->inner->base, index);

	return r < 0 ? r : add_name(&rebuilt->built, index->name);
}

static int open_index(struct dit_output *output, size_t number,
                      struct dit_output_table **ret)
{
	return dit_output_open_index(&of(output)->inner->base, number, ret);
}

static int drop_index(struct dit_output *output, const char *name)
{
	struct rebuilt *rebuilt = of(output);
	struct dit_tree_record tree;

	return dit_snapshot_tree(rebuilt->old, name, &tree) > 0
	               ? add_name(&rebuilt->dropped, name)
	               : DIT_E_UNKNOWN;
}

static uint64_t old_bytes(const struct rebuilt *rebuilt)
{
	return dit_snapshot_npages(rebuilt->old) * dit_snapshot_page_bytes(rebuilt->old);
}

/* Those of the old file until something is built. */
static bool used_bytes(const struct dit_output *output, uint64_t *ret)
{
	const struct rebuilt *rebuilt = (const struct rebuilt *)output;

	if (rebuilt->built.n > 0) {
		return dit_output_used_bytes(&rebuilt->inner->base, ret);
	}
	*ret = old_bytes(rebuilt);
	return true;
}

static int prepare(struct dit_output *output)
{
	struct rebuilt *rebuilt = of(output);
	int r = copy_rest(rebuilt);

	if (r == 0) {
		r = dit_output_prepare(&rebuilt->inner->base);
	}
	output->place = rebuilt->inner->base.place;
	output->bytes = rebuilt->inner->base.bytes;
	return r;
}

static int place(struct dit_output *output)
{
	return dit_output_place(&of(output)->inner->base);
}

static void settle(struct dit_output *output)
{
	dit_output_settle(&of(output)->inner->base);
}

static int take_back(struct dit_output *output)
{
	return dit_output_take_back(&of(output)->inner->base);
}

static void rebuilt_free(struct rebuilt *rebuilt)
{
	dit_snapshot_close(rebuilt->old);
	if (rebuilt->data_fd >= 0) {
		(void)close(rebuilt->data_fd);
	}
	if (rebuilt->inner != NULL) {
		dit_output_abandon(&rebuilt->inner->base);
	}
	forget_names(&rebuilt->built);
	forget_names(&rebuilt->dropped);
	free(rebuilt);
}

static int end(struct dit_output *output)
{
	struct rebuilt *rebuilt = of(output);
	int r = dit_output_end(&rebuilt->inner->base);

	rebuilt->inner = NULL;
	rebuilt_free(rebuilt);
	return r;
}

static void abandon(struct dit_output *output)
{
	rebuilt_free(of(output));
}

static const struct dit_output_ops ops = {
	.find_index = find_index,
	.add_index = add_index,
	.open_index = open_index,
	.drop_index = drop_index,
	.used_bytes = used_bytes,
	.prepare = prepare,
	.place = place,
	.settle = settle,
	.take_back = take_back,
	.end = end,
	.abandon = abandon,
};

/* ---- opening ---- */

/* The copy takes as much as the old file at most, and the new indexes. */
static int check_room(const struct rebuilt *rebuilt)
{
	uint64_t needed = old_bytes(rebuilt);
	struct statvfs fs;
	uint64_t room = 0;

	if (fstatvfs(rebuilt->data_fd, &fs) != 0) {
		return 0;
	}
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	return room >= needed
	               ? 0
	               : dit_fault_say(rebuilt->fault, -ENOSPC,
	                               "the new data.mdb needs about %llu bytes in "
	                               "addition to the old one; the file system has "
	                               "%llu left",
	                               (unsigned long long)needed,
	                               (unsigned long long)room);
}

static int open_old(struct rebuilt *rebuilt, const struct dit_index_output_opts *opts)
{
	struct dit_snapshot_opts snapshot = {
		.nreaders = opts->nthreads, .is_claimed = true, .fault = opts->fault};
	int dir_fd = dit_directory_open(opts->directory, opts->fault);
	int r = 0;

	if (dir_fd < 0) {
		return dir_fd;
	}
	rebuilt->data_fd = dit_data_open_10(dir_fd, O_RDONLY, opts->fault);
	(void)close(dir_fd);
	if (rebuilt->data_fd < 0) {
		return rebuilt->data_fd;
	}
	r = dit_data_check_metas(rebuilt->data_fd, opts->fault);
	if (r < 0) {
		return r;
	}
	snapshot.claimed_fd = rebuilt->data_fd;
	return dit_snapshot_open_readers(&rebuilt->old, NULL, &snapshot);
}

/* Before the claim for the page size and ixck; then again, if the file is another one. */
static int open_both(struct rebuilt *rebuilt, const struct dit_index_output_opts *opts)
{
	struct dit_output_opts inner = {.directory = opts->directory,
	                                .mode = opts->mode,
	                                .ndbs = NDBS_MAX,
	                                .maxsize_bytes = opts->maxsize_bytes,
	                                .is_lmdb_10 = true,
	                                .replaces_records = true,
	                                .page_writer = opts->page_writer,
	                                .ticker = opts->ticker,
	                                .fault = opts->fault};
	struct dit_tree_record tree;
	int r = open_old(rebuilt, opts);

	if (r < 0) {
		return r;
	}
	inner.page_bytes = dit_snapshot_page_bytes(rebuilt->old);
	inner.has_ixck = dit_snapshot_tree(rebuilt->old, "ixck", &tree) > 0;
	r = dit_output_new_open(&rebuilt->inner, &inner);
	if (r < 0) {
		return r;
	}
	dit_snapshot_close(rebuilt->old);
	rebuilt->old = NULL;
	(void)close(rebuilt->data_fd);
	r = open_old(rebuilt, opts);
	if (r == 0 && dit_snapshot_page_bytes(rebuilt->old) != inner.page_bytes) {
		r = -ESTALE;
	}
	return r < 0 ? r : check_room(rebuilt);
}

int dit_rebuilt_open(struct dit_output **ret, struct dit_snapshot **ret_snapshot,
                     const struct dit_index_output_opts *opts)
{
	struct rebuilt *rebuilt = calloc(1, sizeof(*rebuilt));
	int r = 0;

	if (rebuilt == NULL) {
		return -ENOMEM;
	}
	rebuilt->data_fd = -1;
	rebuilt->fault = opts->fault;
	r = open_both(rebuilt, opts);
	if (r < 0) {
		rebuilt_free(rebuilt);
		return r;
	}
	rebuilt->base = (struct dit_output){.ops = &ops,
	                                    .is_parallel = true,
	                                    .key_max = rebuilt->inner->base.key_max};
	*ret = &rebuilt->base;
	*ret_snapshot = rebuilt->old;
	return 0;
}
