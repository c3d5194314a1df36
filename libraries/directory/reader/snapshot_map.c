/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader/snapshot_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "page/lmdb_format.h"
#include "page/tree_cursor.h"
#include "reader/stored_order.h"

/* slapd uses 256 at most (storage.md 1.1). */
#define DBS_MAX 1024

int dit_map_scan_open(struct dit_scan **ret, const struct dit_page_map *map,
                      const char *name, const struct dit_tree_record *tree)
{
	struct dit_scan *scan = calloc(1, sizeof(*scan));
	struct dit_key_orders orders;
	int r = 0;

	if (scan == NULL) {
		return -ENOMEM;
	}
	dit_key_default_orders(tree->flags, &orders);
	dit_stored_order(NULL, dit_span_of(name), tree->flags, &orders);
	r = dit_tree_cursor_open(&scan->cursor, map, tree, &orders.keys);
	if (r < 0) {
		free(scan);
		return r;
	}
	*ret = scan;
	return 0;
}

/* ---- the named databases ---- */

static bool take_name(const struct dit_page_map *map, struct dit_span *name)
{
	if (map->format->names_have_nul) {
		if (name->len == 0 || name->data[name->len - 1] != '\0') {
			return false;
		}
		name->len--;
	}
	return memchr(name->data, '\0', name->len) == NULL;
}

static int open_main_tree(struct dit_tree_cursor **ret, const struct dit_page_map *map)
{
	const struct dit_key_order by_bytes = {.kind = DIT_ORDER_BYTES};

	return dit_tree_cursor_open(ret, map, &map->meta.main_tree, &by_bytes);
}

int dit_map_read_dbs(struct dit_snapshot *base, const struct dit_page_map *map)
{
	const struct dit_tree_record *tree = &map->meta.main_tree;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span name;
	struct dit_span record;
	int r = 0;

	if (tree->nitems > DBS_MAX) {
		return DIT_LMDB_DBS_FULL;
	}
	base->page_bytes = map->page_bytes;
	base->npages = map->npages;
	r = dit_snapshot_expect_dbs(base, tree->nitems);
	if (r == 0) {
		r = open_main_tree(&cursor, map);
	}
	if (r < 0) {
		return r;
	}
	r = dit_tree_cursor_first(cursor, &name, &record);
	while (r > 0) {
		r = base->ndbs == tree->nitems || !take_name(map, &name)
		            ? DIT_E_CORRUPT
		            : dit_snapshot_add_db(base, name, record);
		if (r == 0) {
			r = dit_tree_cursor_next(cursor, &name, &record);
		}
	}
	dit_tree_cursor_close(cursor);
	return r;
}

int dit_map_find_tree(const struct dit_page_map *map, const char *name,
                      struct dit_tree_record *ret)
{
	struct dit_span wanted = {name,
	                          strlen(name) + (map->format->names_have_nul ? 1 : 0)};
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span found = {NULL, 0};
	struct dit_span record = {NULL, 0};
	int r = open_main_tree(&cursor, map);

	if (r == 0) {
		r = dit_tree_cursor_seek(cursor, wanted, &found, &record);
	}
	if (r > 0 && !dit_span_eq(found, wanted)) {
		r = 0;
	}
	if (r > 0 && record.len != sizeof(*ret)) {
		r = DIT_E_CORRUPT;
	}
	if (r > 0) {
		memcpy(ret, record.data, sizeof(*ret));
	}
	dit_tree_cursor_close(cursor);
	return r;
}

/* ---- free pages ---- */

/* A record of the free list begins with the number of its pages. */
int dit_map_count_free(const struct dit_page_map *map, uint64_t *ret)
{
	const struct dit_key_order by_number = {.kind = DIT_ORDER_NUMBERS};
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span value;
	uint64_t n = 0;
	int r = dit_tree_cursor_open(&cursor, map, &map->meta.free_tree, &by_number);

	if (r < 0) {
		return r;
	}
	for (r = dit_tree_cursor_first(cursor, &key, &value); r > 0;
	     r = dit_tree_cursor_next(cursor, &key, &value)) {
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
