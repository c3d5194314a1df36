/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A snapshot of LMDB 1.0, read without liblmdb: the mapped file, one cursor of the room
 * pages for each scan.
 *
 * lock.mdb of 1.0 has a table of readers that is private to its release, so no reader is
 * registered beside slapd. A claim (claim.h) keeps writers away instead; a process that
 * has the database open is an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lmdb.h>

#include "base/error.h"
#include "pages/tree_cursor.h"
#include "store/claim.h"
#include "store/files.h"
#include "store/format_check.h"
#include "store/lock_file.h"
#include "store/snapshot_impl.h"
#include "store/stored_order.h"

/* slapd uses 256 at most (storage.md 1.1). */
#define DBS_MAX 1024

struct pages_snapshot {
	struct dit_snapshot base;
	struct dit_claim claim; /* dir_fd -1: somebody else's */
	bool owns_fd;
	struct dit_page_map map;
};

struct pages_scan {
	struct dit_scan base;
	struct dit_tree_cursor *cursor;
};

static struct pages_snapshot *of(struct dit_snapshot *snapshot)
{
	return (struct pages_snapshot *)snapshot;
}

static struct dit_tree_cursor *cursor_of(struct dit_scan *scan)
{
	return ((struct pages_scan *)scan)->cursor;
}

/* ---- scans ---- */

static int step(struct dit_scan *scan, enum dit_scan_step step, struct dit_span *ret_key,
                struct dit_span *ret_value)
{
	switch (step) {
	case DIT_SCAN_FIRST:
		return dit_tree_cursor_first(cursor_of(scan), ret_key, ret_value);
	case DIT_SCAN_NEXT:
		return dit_tree_cursor_next(cursor_of(scan), ret_key, ret_value);
	case DIT_SCAN_NEXT_KEY:
		return dit_tree_cursor_next_key(cursor_of(scan), ret_key, ret_value);
	}
	return -EINVAL;
}

static int seek(struct dit_scan *scan, struct dit_span wanted, bool is_exact,
                struct dit_span *ret_key, struct dit_span *ret_value)
{
	int r = dit_tree_cursor_seek(cursor_of(scan), wanted, ret_key, ret_value);

	return r > 0 && is_exact && !dit_span_eq(*ret_key, wanted) ? 0 : r;
}

static int items(struct dit_scan *scan, struct dit_span first, struct dit_span *ret)
{
	(void)first;
	return dit_tree_cursor_items(cursor_of(scan), ret);
}

static int more_items(struct dit_scan *scan, struct dit_span *ret)
{
	return dit_tree_cursor_more_items(cursor_of(scan), ret);
}

static void scan_close(struct dit_scan *scan)
{
	dit_tree_cursor_close(cursor_of(scan));
	free(scan);
}

static const struct dit_scan_ops scan_ops = {
	.step = step,
	.seek = seek,
	.items = items,
	.more_items = more_items,
	.close = scan_close,
};

static int open_scan(struct dit_scan **ret, struct dit_snapshot *snapshot,
                     unsigned reader, size_t db)
{
	const struct dit_stored_db *stored = &snapshot->dbs[db];
	struct pages_scan *scan = calloc(1, sizeof(*scan));
	struct dit_walk_orders orders;
	int r = 0;

	(void)reader;
	if (scan == NULL) {
		return -ENOMEM;
	}
	scan->base.ops = &scan_ops;
	dit_walk_default_orders(stored->flags, &orders);
	dit_stored_order(NULL, dit_span_of(stored->name), stored->flags, &orders);
	r = dit_tree_cursor_open(&scan->cursor, &of(snapshot)->map, &snapshot->trees[db],
	                         &orders.keys);
	if (r < 0) {
		free(scan);
		return r;
	}
	*ret = &scan->base;
	return 0;
}

/* ---- the named databases ---- */

/* Names in the main tree end with a NUL. */
static int add_db(struct pages_snapshot *pages, struct dit_span key,
                  struct dit_span record)
{
	if (key.len == 0 || memchr(key.data, '\0', key.len) != key.data + key.len - 1) {
		return DIT_E_CORRUPT;
	}
	key.len--;
	return dit_snapshot_add_db(&pages->base, key, record);
}

static int read_dbs(struct pages_snapshot *pages)
{
	const struct dit_walk_order by_bytes = {.kind = DIT_ORDER_BYTES};
	const struct dit_tree_record *tree = &pages->map.meta.main_tree;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span record;
	int r = 0;

	if (tree->nitems > DBS_MAX) {
		return MDB_DBS_FULL;
	}
	r = dit_snapshot_expect_dbs(&pages->base, tree->nitems);
	if (r == 0) {
		r = dit_tree_cursor_open(&cursor, &pages->map, tree, &by_bytes);
	}
	if (r < 0) {
		return r;
	}
	r = dit_tree_cursor_first(cursor, &key, &record);
	while (r > 0) {
		r = pages->base.ndbs == tree->nitems ? DIT_E_CORRUPT
		                                     : add_db(pages, key, record);
		if (r == 0) {
			r = dit_tree_cursor_next(cursor, &key, &record);
		}
	}
	dit_tree_cursor_close(cursor);
	return r;
}

/* ---- opening and closing ---- */

static int renew(struct dit_snapshot *snapshot, unsigned reader)
{
	(void)snapshot, (void)reader;
	return -ENOTSUP;
}

/* Nothing was changed. Who waits goes on with lock.mdb, and needs one with content. */
static enum dit_claim_end end_of(const struct pages_snapshot *pages)
{
	return pages->claim.lock_fd >= 0 && pages->owns_fd &&
	                       dit_lock_file_fill(&pages->claim, pages->base.data_fd)
	               ? DIT_CLAIM_PUBLISHED
	               : DIT_CLAIM_UNUSED;
}

static void close_pages(struct dit_snapshot *snapshot)
{
	struct pages_snapshot *pages = of(snapshot);

	dit_page_map_close(&pages->map);
	if (pages->claim.dir_fd >= 0) {
		dit_claim_drop(&pages->claim, end_of(pages));
	}
	if (pages->owns_fd) {
		(void)close(snapshot->data_fd);
	}
}

static const struct dit_snapshot_ops ops = {
	.open_scan = open_scan,
	.renew = renew,
	.close = close_pages,
};

/* The claim's fault is the name of a process. */
static int say_busy(struct dit_fault *fault)
{
	struct dit_fault who = {""};

	if (fault == NULL) {
		return DIT_E_BUSY;
	}
	who = *fault;
	return dit_fault_say(fault, DIT_E_BUSY,
	                     "a database of OpenLDAP 2.7 can be read only while nobody "
	                     "else has it open; it is in use by %s",
	                     dit_claim_holder(&who));
}

/* Before a claim, which may make a lock.mdb: is this a file that can be read here? */
static int look(int dir_fd, struct dit_fault *fault)
{
	int fd = dit_data_open_10(dir_fd, O_RDONLY, fault);

	if (fd >= 0) {
		(void)close(fd);
	}
	return fd < 0 ? fd : 0;
}

static int claim(struct pages_snapshot *pages, const char *directory,
                 const struct dit_snapshot_opts *opts)
{
	int dir_fd = dit_directory_open(directory, opts->fault);
	int r = dir_fd < 0 ? dir_fd : look(dir_fd, opts->fault);

	if (r < 0) {
		if (dir_fd >= 0) {
			(void)close(dir_fd);
		}
		return r;
	}
	r = dit_claim_take_reading(&pages->claim, dir_fd, !opts->no_lock_file,
	                           opts->fault);
	if (r < 0) {
		pages->claim.dir_fd = -1;
		return r == DIT_E_BUSY ? say_busy(opts->fault) : r;
	}
	pages->base.is_held = pages->claim.lock_fd >= 0;
	r = dit_data_open_10(pages->claim.dir_fd, O_RDONLY, opts->fault);
	if (r < 0) {
		return r;
	}
	pages->base.data_fd = r;
	pages->owns_fd = true;
	return 0;
}

static int open_file(struct pages_snapshot *pages, const char *directory,
                     const struct dit_snapshot_opts *opts)
{
	struct dit_snapshot *base = &pages->base;
	int r = 0;

	if (opts->is_claimed) {
		base->data_fd = opts->claimed_fd;
	} else {
		r = claim(pages, directory, opts);
	}
	if (r == 0) {
		r = dit_page_map_open(&pages->map, base->data_fd, base->format);
	}
	if (r == DIT_E_UNSUPPORTED) {
		return dit_fault_say(opts->fault, r,
		                     "the pages are encrypted or have sums, and cannot "
		                     "be read");
	}
	if (r < 0) {
		return r;
	}
	base->page_bytes = pages->map.page_bytes;
	base->npages = pages->map.npages;
	base->txn_id = pages->map.meta.transaction;
	return read_dbs(pages);
}

int dit_snapshot_pages_open(struct dit_snapshot **ret, const char *directory,
                            const struct dit_snapshot_opts *opts)
{
	struct pages_snapshot *pages = calloc(1, sizeof(*pages));
	int r = 0;

	if (pages == NULL) {
		return -ENOMEM;
	}
	pages->base.ops = &ops;
	pages->base.format = &dit_lmdb_10;
	pages->base.nreaders = opts->nreaders;
	pages->base.nspare = opts->nspare;
	pages->claim.dir_fd = -1;
	r = open_file(pages, directory, opts);
	if (r < 0) {
		dit_snapshot_close(&pages->base);
		return r;
	}
	*ret = &pages->base;
	return 0;
}
