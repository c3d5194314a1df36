/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cursors in files that slapadd 2.7.0 made (tests/data/golden-2.7), and in one of LMDB
 * 0.9; the answers are those of page_dump.h, which reads each file by itself:
 * - all records come, in order; keys are skipped; lists come page by page;
 * - each key is found, and so is what follows a key that is not there;
 * - a damaged file ends with an error or with other records, never outside of the file;
 * - a tree that leads back to itself ends;
 * - files that cannot be read are told.
 *
 * The maps of the first tests are memory of exactly the file's size: what is read after
 * the file is found by the sanitizers.
 */
#include <sys/mman.h>

#include <lmdb.h>

#include "base/error.h"
#include "base/grow.h"
#include "page/tree_cursor.h"
#include "reader/stored_order.h"
#include "test.h"

#include "page_dump.h"
#include "walk/walk_fixture.h"

#define NAME_MAX_BYTES 100
#define KEY_ROOM       600
#define NROUNDS        2000

struct record {
	struct dit_span key;
	struct dit_span value;
};

struct table {
	char name[NAME_MAX_BYTES];
	struct dit_tree_record tree;
	struct dit_key_orders orders;
	struct record *records; /* as page_dump.h has them */
	size_t n;
	size_t size;
};

struct fixture {
	struct page_dump dump;
	struct dit_page_source map;
	struct table tables[64];
	size_t ntables;
};

/* ---- files ---- */

static void add_record(void *ctx, struct dit_span key, struct dit_span value)
{
	struct table *table = ctx;

	assert_int_equal(DIT_GROW(table->records, table->size, table->n + 1), 0);
	table->records[table->n++] = (struct record){key, value};
}

static void add_table(void *ctx, struct dit_span key, struct dit_span value)
{
	struct fixture *f = ctx;
	struct table *table = &f->tables[f->ntables++];
	struct dit_span name = {key.data, strnlen(key.data, key.len)};

	assert_true(f->ntables < sizeof(f->tables) / sizeof(f->tables[0]));
	assert_true(name.len < sizeof(table->name));
	memcpy(table->name, name.data, name.len);
	memcpy(&table->tree, value.data, sizeof(table->tree));
	dit_key_default_orders(table->tree.flags, &table->orders);
	dit_stored_order(NULL, name, table->tree.flags, &table->orders);
	assert_null(page_dump_tree(&f->dump, &table->tree, add_record, table));
}

static void open_dump(struct fixture *f, FILE *in)
{
	memset(f, 0, sizeof(*f));
	assert_null(page_dump_read(&f->dump, in));
	f->dump.bytes = realloc(f->dump.bytes, f->dump.len); /* not a byte more */
	assert_non_null(f->dump.bytes);
	f->map = (struct dit_page_source){
		.format = f->dump.format,
		.page_bytes = f->dump.page_bytes,
		.npages = f->dump.len / f->dump.page_bytes,
		.meta = f->dump.meta,
		.map = f->dump.bytes,
	};
	assert_null(page_dump_tree(&f->dump, &f->dump.meta.main_tree, add_table, f));
	assert_true(f->ntables > 0);
}

static const char *const goldens[] = {"people", "big-ps1024", "gen100"};
#define NFILES 4 /* the last one is of LMDB 0.9 */

static void open_file(struct fixture *f, unsigned number)
{
	struct image image = {.len = 0};
	char command[5000];
	FILE *in = NULL;

	if (number < 3) {
		(void)snprintf(command, sizeof(command), "gzip -dc '%s/raw/%s.mdb.gz'",
		               test_data("golden-2.7"), goldens[number]);
		in = popen(command, "r");
		assert_non_null(in);
		open_dump(f, in);
		assert_int_equal(pclose(in), 0);
		return;
	}
	image = image_new(IMAGE_LIBLMDB);
	in = fmemopen(image.bytes, image.len, "r");
	assert_non_null(in);
	open_dump(f, in);
	assert_int_equal(fclose(in), 0);
	image_free(&image);
}

static void close_file(struct fixture *f)
{
	for (size_t i = 0; i < f->ntables; i++) {
		free(f->tables[i].records);
	}
	page_dump_free(&f->dump);
}

static struct dit_tree_cursor *open_cursor(const struct fixture *f,
                                           const struct table *table)
{
	struct dit_tree_cursor *cursor = NULL;

	assert_int_equal(
		dit_tree_cursor_open(&cursor, &f->map, &table->tree, &table->orders.keys),
		0);
	return cursor;
}

static void for_each_table(void (*fn)(const struct fixture *f, const struct table *table,
                                      struct dit_tree_cursor *cursor))
{
	for (unsigned i = 0; i < NFILES; i++) {
		struct fixture f;

		open_file(&f, i);
		for (size_t k = 0; k < f.ntables; k++) {
			struct dit_tree_cursor *cursor = open_cursor(&f, &f.tables[k]);

			fn(&f, &f.tables[k], cursor);
			dit_tree_cursor_close(cursor);
		}
		close_file(&f);
	}
}

static void assert_same(struct dit_span got, struct dit_span want)
{
	assert_int_equal(got.len, want.len);
	assert_true(got.len == 0 || memcmp(got.data, want.data, got.len) == 0);
}

/* ---- records in order ---- */

static void read_all(const struct fixture *f, const struct table *table,
                     struct dit_tree_cursor *cursor)
{
	struct dit_span key;
	struct dit_span value;
	int r = dit_tree_cursor_next(cursor, &key, &value);

	(void)f;
	for (size_t i = 0; i < table->n; i++) {
		assert_int_equal(r, 1);
		assert_same(key, table->records[i].key);
		assert_same(value, table->records[i].value);
		r = dit_tree_cursor_next(cursor, &key, &value);
	}
	assert_int_equal(r, 0);
	assert_int_equal(dit_tree_cursor_next(cursor, &key, &value), 0);
	assert_int_equal(dit_tree_cursor_first(cursor, &key, &value), table->n > 0);
}

TEST(all_records_come_in_order)
{
	for_each_table(read_all);
}

static bool is_first_of_key(const struct table *table, size_t i)
{
	return i == 0 || !dit_span_eq(table->records[i].key, table->records[i - 1].key);
}

static void read_keys(const struct fixture *f, const struct table *table,
                      struct dit_tree_cursor *cursor)
{
	struct dit_span key;
	struct dit_span value;
	int r = dit_tree_cursor_first(cursor, &key, &value);

	(void)f;
	for (size_t i = 0; i < table->n; i++) {
		if (!is_first_of_key(table, i)) {
			continue;
		}
		assert_int_equal(r, 1);
		assert_same(key, table->records[i].key);
		assert_same(value, table->records[i].value);
		r = dit_tree_cursor_next_key(cursor, &key, &value);
	}
	assert_int_equal(r, 0);
}

TEST(keys_are_skipped_with_their_lists)
{
	for_each_table(read_keys);
}

/* ---- lists page by page ---- */

static size_t check_items(const struct table *table, size_t at, struct dit_span items)
{
	assert_int_equal(items.len % 8, 0);
	assert_true(items.len > 0);
	for (size_t i = 0; i < items.len; i += 8) {
		assert_true(at < table->n);
		assert_same((struct dit_span){items.data + i, 8},
		            table->records[at++].value);
	}
	return at;
}

static unsigned nlong; /* lists of more than a page */

static void read_lists(const struct fixture *f, const struct table *table,
                       struct dit_tree_cursor *cursor)
{
	struct dit_span key;
	struct dit_span items;
	size_t at = 0;
	int r = 0;

	(void)f;
	if ((table->tree.flags & MDB_DUPFIXED) == 0) {
		return;
	}
	assert_int_equal(dit_tree_cursor_more_items(cursor, &items), 0);
	while ((r = dit_tree_cursor_next_list(cursor, &key, &items)) > 0) {
		at = check_items(table, at, items);
		while ((r = dit_tree_cursor_more_items(cursor, &items)) > 0) {
			at = check_items(table, at, items);
			nlong++;
		}
		assert_int_equal(r, 0);
	}
	assert_int_equal(r, 0);
	assert_int_equal(at, table->n);
}

TEST(lists_come_page_by_page)
{
	for_each_table(read_lists);
	assert_true(nlong > 0);
}

/* Records of dn2i have no common length. */
TEST(items_of_many_lengths_are_no_pages)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span value;
	unsigned nrefused = 0;
	struct fixture f;
	int r = 0;

	open_file(&f, 1);
	for (size_t i = 0; i < f.ntables; i++) {
		if (strcmp(f.tables[i].name, "dn2i") != 0) {
			continue;
		}
		cursor = open_cursor(&f, &f.tables[i]);
		r = 1;
		while (r > 0) {
			r = dit_tree_cursor_next_list(cursor, &key, &value);
			nrefused += r == DIT_E_CORRUPT;
		}
		dit_tree_cursor_close(cursor);
	}
	assert_true(nrefused > 0);
	close_file(&f);
}

/* ---- seeking ---- */

/* The first record whose key is not below; all of them: none. */
static size_t find(const struct table *table, struct dit_span wanted)
{
	const struct dit_span none = {NULL, 0};
	size_t i = 0;

	while (i < table->n && dit_key_compare(&table->orders.keys, none,
	                                       table->records[i].key, wanted) < 0) {
		i++;
	}
	return i;
}

static void seek(const struct table *table, struct dit_tree_cursor *cursor,
                 struct dit_span wanted)
{
	size_t i = find(table, wanted);
	struct dit_span key;
	struct dit_span value;
	int r = dit_tree_cursor_find(cursor, wanted, &key, &value);

	assert_int_equal(r, i < table->n && dit_span_eq(table->records[i].key, wanted));
	r = dit_tree_cursor_seek(cursor, wanted, &key, &value);
	assert_int_equal(r, i < table->n);
	for (size_t end = i + 3; r > 0 && i < end; i++) {
		assert_same(key, table->records[i].key);
		assert_same(value, table->records[i].value);
		r = dit_tree_cursor_next(cursor, &key, &value);
		assert_int_equal(r, i + 1 < table->n);
	}
}

/* Each key, and one above and one below it. */
static void seek_all(const struct fixture *f, const struct table *table,
                     struct dit_tree_cursor *cursor)
{
	size_t step = table->n / 300 + 1;
	char bytes[KEY_ROOM];

	(void)f;
	for (size_t i = 0; i < table->n; i += step) {
		struct dit_span key = table->records[i].key;
		unsigned char last = (unsigned char)key.data[key.len - 1];

		seek(table, cursor, key);
		assert_true(key.len < sizeof(bytes));
		memcpy(bytes, key.data, key.len);
		bytes[key.len - 1] = (char)(last + 1);
		seek(table, cursor, (struct dit_span){bytes, key.len});
		bytes[key.len - 1] = (char)(last - 1);
		seek(table, cursor, (struct dit_span){bytes, key.len});
		memcpy(bytes, key.data, key.len);
		bytes[0]++;
		seek(table, cursor, (struct dit_span){bytes, key.len});
	}
}

TEST(keys_are_found_or_what_follows)
{
	for_each_table(seek_all);
}

static bool is_same_key(const struct table *table, size_t i, size_t k)
{
	return dit_span_eq(table->records[i].key, table->records[k].key);
}

static void seek_last(const struct fixture *f, const struct table *table,
                      struct dit_tree_cursor *cursor)
{
	size_t i = table->n - 1;
	struct dit_span key;
	struct dit_span value;

	(void)f;
	assert_int_equal(dit_tree_cursor_last(cursor, &key, &value), table->n > 0);
	if (table->n == 0) {
		return;
	}
	while (i > 0 && is_same_key(table, i, i - 1)) {
		i--;
	}
	assert_same(key, table->records[i].key);
	assert_same(value, table->records[i].value);
	assert_int_equal(dit_tree_cursor_next_key(cursor, &key, &value), 0);
}

TEST(the_last_key_is_found)
{
	for_each_table(seek_last);
}

static unsigned nsought; /* records of lists */

static void seek_items(const struct fixture *f, const struct table *table,
                       struct dit_tree_cursor *cursor)
{
	const struct dit_key_order *order = &table->orders.items;
	struct dit_span key;
	struct dit_span value;

	(void)f;
	if ((table->tree.flags & MDB_DUPSORT) == 0) {
		return;
	}
	assert_int_equal(dit_tree_cursor_seek_item(cursor, order, DIT_SPAN(""), &value),
	                 0);
	for (size_t i = 0; i < table->n; i += table->n / 300 + 1) {
		bool is_alone = (i == 0 || !is_same_key(table, i, i - 1)) &&
		                (i + 1 == table->n || !is_same_key(table, i, i + 1));
		int r = dit_tree_cursor_seek(cursor, table->records[i].key, &key, &value);

		assert_int_equal(r, 1);
		r = dit_tree_cursor_seek_item(cursor, order, table->records[i].value,
		                              &value);
		if ((table->tree.flags & MDB_DUPFIXED) != 0 && !is_alone) {
			assert_int_equal(r, DIT_E_CORRUPT);
			continue;
		}
		assert_int_equal(r, 1);
		assert_same(value, table->records[i].value);
		nsought += !is_alone;
		r = dit_tree_cursor_next(cursor, &key, &value);
		assert_int_equal(r, i + 1 < table->n);
		if (r > 0) {
			assert_same(key, table->records[i + 1].key);
			assert_same(value, table->records[i + 1].value);
		}
	}
}

TEST(records_of_a_list_are_sought)
{
	for_each_table(seek_items);
	assert_true(nsought > 10);
}

TEST(a_key_of_another_length_is_not_found)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span value;
	struct dit_span key;
	struct fixture f;

	open_file(&f, 0);
	for (size_t i = 0; i < f.ntables; i++) {
		if (strcmp(f.tables[i].name, "id2e") == 0) {
			cursor = open_cursor(&f, &f.tables[i]);
			assert_int_equal(dit_tree_cursor_seek(cursor, DIT_SPAN("abc"),
			                                      &key, &value),
			                 0);
		}
	}
	assert_non_null(cursor);
	dit_tree_cursor_close(cursor);
	close_file(&f);
}

TEST(an_empty_tree_has_no_records)
{
	const struct table table = {.tree = {.root = DIT_PAGE_NONE}};
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span value;
	struct dit_span key;
	struct fixture f;

	open_file(&f, 0);
	cursor = open_cursor(&f, &table);
	assert_int_equal(dit_tree_cursor_first(cursor, &key, &value), 0);
	assert_int_equal(dit_tree_cursor_seek(cursor, DIT_SPAN("a"), &key, &value), 0);
	assert_int_equal(dit_tree_cursor_next(cursor, &key, &value), 0);
	dit_tree_cursor_close(cursor);
	close_file(&f);
}

/* ---- damage ---- */

static uint32_t state_of_numbers = 1;

static uint32_t number(uint32_t below)
{
	state_of_numbers = state_of_numbers * 1664525 + 1013904223;
	return (state_of_numbers >> 8) % below;
}

/* Most changes where most of the format is. */
static void damage(struct fixture *f)
{
	unsigned nchanges = 1 + number(4);

	for (unsigned i = 0; i < nchanges; i++) {
		size_t page = 2 + number((uint32_t)f->map.npages - 2);
		size_t at = number(2) == 0 ? number(64) : number(f->map.page_bytes);

		f->dump.bytes[page * f->map.page_bytes + at] ^= (char)(1 + number(255));
	}
}

static unsigned sum; /* bytes are read, so that the sanitizers see it */

static void touch(struct dit_span span)
{
	for (size_t i = 0; i < span.len; i++) {
		sum += (unsigned char)span.data[i];
	}
}

/* 0: to the end; DIT_E_CORRUPT. */
static int read_damaged(const struct fixture *f, const struct table *table)
{
	struct dit_tree_cursor *cursor = open_cursor(f, table);
	struct dit_span items;
	struct dit_span value;
	struct dit_span key;
	int r = dit_tree_cursor_first(cursor, &key, &value);
	int result = 0;

	while (r > 0) {
		touch(key);
		touch(value);
		r = dit_tree_cursor_next(cursor, &key, &value);
	}
	result = r;
	assert_true(r == 0 || r == DIT_E_CORRUPT);
	assert_int_equal(dit_tree_cursor_next(cursor, &key, &value), 0);
	for (size_t i = 0; i < table->n; i += table->n / 20 + 1) {
		r = dit_tree_cursor_seek(cursor, table->records[i].key, &key, &value);
		assert_true(r == 1 || r == 0 || r == DIT_E_CORRUPT);
		if (r > 0 && dit_tree_cursor_next_list(cursor, &key, &items) > 0) {
			touch(items);
			(void)dit_tree_cursor_more_items(cursor, &items);
		}
		result = r < 0 ? r : result;
	}
	dit_tree_cursor_close(cursor);
	return result;
}

TEST(damage_is_an_error_or_other_records)
{
	unsigned ncorrupt = 0;
	unsigned nread = 0;
	struct fixture f;
	char *whole = NULL;

	for (unsigned file = 0; file < NFILES; file++) {
		open_file(&f, file);
		whole = malloc(f.dump.len);
		assert_non_null(whole);
		memcpy(whole, f.dump.bytes, f.dump.len);
		for (unsigned round = 0; round < NROUNDS / (file == 2 ? 20 : 1);
		     round++) {
			size_t table = number((uint32_t)f.ntables);

			damage(&f);
			if (read_damaged(&f, &f.tables[table]) < 0) {
				ncorrupt++;
			} else {
				nread++;
			}
			if (round % 4 == 3) {
				memcpy(f.dump.bytes, whole, f.dump.len);
			}
		}
		free(whole);
		close_file(&f);
	}
	assert_true(ncorrupt > 100);
	assert_true(nread > 100);
	assert_true(sum > 0);
}

static void set_children(const struct fixture *f, uint64_t page, uint64_t child)
{
	struct dit_page_view view = page_dump_view(&f->dump, page);

	for (unsigned i = 0; i < dit_view_count(view); i++) {
		struct dit_node_header *header =
			(void *)(f->dump.bytes + page * f->map.page_bytes +
		                 dit_view_node_offset(view, i));

		header->low = (uint16_t)child;
		header->high = (uint16_t)(child >> 16);
		header->flags = 0;
	}
}

static uint64_t first_child(const struct fixture *f, uint64_t page)
{
	struct dit_node_view node = {.at = 0};

	assert_int_equal(dit_view_node(page_dump_view(&f->dump, page), 0, &node),
	                 DIT_NODE_FITS);
	return node.child;
}

static unsigned nchildren(const struct fixture *f, const struct table *table)
{
	return table->tree.depth < 2
	               ? 0
	               : dit_view_count(page_dump_view(&f->dump, table->tree.root));
}

/* The table whose root has most children; @p other  not this one */
static const struct table *widest(const struct fixture *f, const struct table *other)
{
	const struct table *best = NULL;

	for (size_t i = 0; i < f->ntables; i++) {
		const struct table *table = &f->tables[i];

		if (table != other &&
		    (best == NULL || nchildren(f, table) > nchildren(f, best))) {
			best = table;
		}
	}
	assert_true(nchildren(f, best) > 1);
	return best;
}

/* A tree of three levels, with more ways to its one leaf than the file has pages. */
TEST(a_tree_that_shares_its_leaf_is_an_error)
{
	const struct table *top = NULL;
	const struct table *middle = NULL;
	struct table table;
	struct fixture f;

	open_file(&f, 2);
	top = widest(&f, NULL);
	middle = widest(&f, top);
	assert_true((uint64_t)nchildren(&f, top) * nchildren(&f, middle) > f.map.npages);
	set_children(&f, middle->tree.root, first_child(&f, middle->tree.root));
	set_children(&f, top->tree.root, middle->tree.root);
	table = *top;
	table.tree.depth = 3;
	assert_int_equal(read_damaged(&f, &table), DIT_E_CORRUPT);
	close_file(&f);
}

TEST(a_branch_that_is_its_own_child_is_an_error)
{
	const struct table *table = NULL;
	struct fixture f;

	open_file(&f, 1);
	table = widest(&f, NULL);
	set_children(&f, table->tree.root, table->tree.root);
	assert_int_equal(read_damaged(&f, table), DIT_E_CORRUPT);
	close_file(&f);
}

TEST(a_wrong_depth_is_an_error)
{
	struct dit_tree_cursor *cursor = NULL;
	struct table table;
	struct fixture f;

	open_file(&f, 1);
	table = *widest(&f, NULL);
	for (int i = -1; i <= 1; i += 2) {
		table.tree.depth = (uint16_t)(table.tree.depth + i);
		assert_int_equal(read_damaged(&f, &table), DIT_E_CORRUPT);
		table.tree.depth = (uint16_t)(table.tree.depth - i);
	}
	table.tree.depth = 0;
	assert_int_equal(
		dit_tree_cursor_open(&cursor, &f.map, &table.tree, &table.orders.keys),
		DIT_E_CORRUPT);
	table.tree.depth = 33;
	assert_int_equal(
		dit_tree_cursor_open(&cursor, &f.map, &table.tree, &table.orders.keys),
		DIT_E_CORRUPT);
	close_file(&f);
}

/* ---- maps ---- */

static int write_memory(const char *bytes, size_t len)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	return fd;
}

static int try_map(const char *bytes, size_t len, const struct dit_page_format *format)
{
	struct dit_page_source map = {.map = NULL};
	int fd = write_memory(bytes, len);
	int r = dit_page_source_open(&map, fd, format, NULL);

	dit_page_source_close(&map);
	dit_page_source_close(&map);
	assert_int_equal(close(fd), 0);
	return r;
}

TEST(a_map_shows_the_newer_meta_page)
{
	struct dit_page_source map = {.map = NULL};
	struct fixture f;
	int fd = -1;

	for (unsigned i = 0; i < NFILES; i++) {
		open_file(&f, i);
		fd = write_memory(f.dump.bytes, f.dump.len);
		assert_int_equal(dit_page_source_open(&map, fd, f.dump.format, NULL), 0);
		assert_int_equal(close(fd), 0);
		assert_int_equal(map.page_bytes, f.dump.page_bytes);
		assert_int_equal(map.meta.transaction, f.dump.meta.transaction);
		assert_int_equal(map.npages, f.dump.meta.last_page + 1);
		assert_memory_equal(map.map, f.dump.bytes, map.npages * map.page_bytes);
		dit_page_source_close(&map);
		close_file(&f);
	}
}

static struct dit_meta *meta_of(const struct fixture *f, unsigned page)
{
	return (struct dit_meta *)(void *)(f->dump.bytes + page * f->map.page_bytes +
	                                   f->map.format->header_bytes);
}

TEST(files_that_cannot_be_read_are_told)
{
	struct fixture f;

	open_file(&f, 0);
	assert_int_equal(try_map(f.dump.bytes, f.dump.len, &dit_lmdb_10), 0);
	assert_int_equal(try_map(f.dump.bytes, f.dump.len, &dit_lmdb_09),
	                 MDB_VERSION_MISMATCH);
	assert_int_equal(try_map(f.dump.bytes, 100, &dit_lmdb_10), -ENODATA);
	assert_int_equal(try_map(f.dump.bytes, 5000, &dit_lmdb_10), DIT_E_CORRUPT);

	for (unsigned i = 0; i < 2; i++) {
		meta_of(&f, i)->last_page = 0;
	}
	assert_int_equal(try_map(f.dump.bytes, f.dump.len, &dit_lmdb_10), DIT_E_CORRUPT);
	meta_of(&f, 0)->free_tree.item_bytes = 5000;
	assert_int_equal(try_map(f.dump.bytes, f.dump.len, &dit_lmdb_10), MDB_INVALID);
	close_file(&f);
}
