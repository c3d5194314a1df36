/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A data file of LMDB 1.0 with some bytes changed, read by cursors: all that comes lies
 * inside the file, and each walk ends. Without a change all records come.
 *
 * The input is the number of a file of slapadd 2.7.0 (tests/data/golden-2.7/raw), then a
 * list of changes, 4 bytes each: page, place in the page (2 bytes; with the highest bit
 * it is in the page's first 64 bytes, where most of the format is), byte.
 */
#include "fuzz/fuzz_target.h"
#include "page/tree_cursor.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <lmdb.h>
#include <zlib.h>

#include "base/error.h"
#include "reader/stored_order.h"
#include "test.h"

#define CHANGE_BYTES 4u
#define HEAD_BYTES   64u
#define FILE_BYTES   (8u << 20) /* at most */
#define RECORDS_MAX  3000u      /* of a table that was changed */

static const char *const names[] = {"people", "big-ps1024", "gen100"};

#define NFILES (sizeof(names) / sizeof(names[0]))

struct whole {
	char *bytes; /* kept until the end */
	size_t len;
	unsigned page_bytes;
};

struct reading {
	struct dit_page_source map;
	bool is_whole;
	uint64_t sum; /* so that each byte is read */
};

/* ---- files ---- */

static int file_of(const char *bytes, size_t len)
{
	int fd = memfd_create("cursor", MFD_CLOEXEC);

	CHECK(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
	return fd;
}

static void read_whole(struct whole *ret, const char *name)
{
	char path[4200];
	gzFile in = NULL;
	struct dit_page_source map;
	int fd = -1;
	int n = 0;

	(void)snprintf(path, sizeof(path), "%s/raw/%s.mdb.gz", test_data("golden-2.7"),
	               name);
	in = gzopen(path, "r");
	ret->bytes = malloc(FILE_BYTES);
	CHECK(in != NULL && ret->bytes != NULL);
	n = gzread(in, ret->bytes, FILE_BYTES);
	CHECK(n > 0 && n < (int)FILE_BYTES && gzclose(in) == Z_OK);
	ret->len = (size_t)n;
	fd = file_of(ret->bytes, ret->len);
	CHECK(dit_page_source_open(&map, fd, &dit_lmdb_10, NULL) == 0);
	ret->page_bytes = map.page_bytes;
	dit_page_source_close(&map);
	(void)close(fd);
}

static void change(const struct whole *whole, char *bytes, const uint8_t *change)
{
	unsigned place = change[1] | (unsigned)change[2] << 8;
	size_t page = change[0] % (whole->len / whole->page_bytes);

	place = (place & 0x8000) != 0 ? place % HEAD_BYTES : place % whole->page_bytes;
	bytes[page * whole->page_bytes + place] ^= (char)change[3];
}

/* ---- reading ---- */

static void look(struct reading *reading, struct dit_span span)
{
	const struct dit_page_source *map = &reading->map;

	CHECK(span.len == 0 ||
	      (span.data >= map->map && span.len <= map->npages * map->page_bytes &&
	       span.data + span.len <= map->map + map->npages * map->page_bytes));
	for (size_t i = 0; i < span.len; i++) {
		reading->sum += (unsigned char)span.data[i];
	}
}

static void read_lists(struct reading *reading, struct dit_tree_cursor *cursor)
{
	struct dit_span key;
	struct dit_span value;
	unsigned n = 0;
	int r = dit_tree_cursor_next_list(cursor, &key, &value);

	for (n = 0; r > 0 && n < RECORDS_MAX; n++) {
		int more = 1;

		for (unsigned k = 0; more > 0 && k < RECORDS_MAX; k++) {
			look(reading, value);
			more = dit_tree_cursor_more_items(cursor, &value);
		}
		CHECK(more >= 0 || more == DIT_E_CORRUPT);
		r = dit_tree_cursor_next_list(cursor, &key, &value);
	}
	CHECK(r >= 0 || r == DIT_E_CORRUPT);
}

static void seek(struct reading *reading, struct dit_tree_cursor *cursor,
                 struct dit_span wanted)
{
	struct dit_span key;
	struct dit_span value;
	int r = dit_tree_cursor_seek(cursor, wanted, &key, &value);

	CHECK(r >= 0 || r == DIT_E_CORRUPT);
	CHECK(!reading->is_whole || (r > 0 && dit_span_eq(key, wanted)));
	if (r > 0) {
		look(reading, key);
		look(reading, value);
		(void)dit_tree_cursor_next(cursor, &key, &value);
	}
}

static void read_table(struct reading *reading, struct dit_span name,
                       const struct dit_tree_record *tree)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_key_orders orders;
	struct dit_span key;
	struct dit_span value;
	struct dit_span kept = {NULL, 0};
	uint64_t n = 0;
	int r = 0;

	dit_key_default_orders(tree->flags, &orders);
	dit_stored_order(NULL, name, tree->flags, &orders);
	r = dit_tree_cursor_open(&cursor, &reading->map, tree, &orders.keys);
	if (r < 0) {
		CHECK(r == DIT_E_CORRUPT && !reading->is_whole);
		return;
	}
	r = dit_tree_cursor_first(cursor, &key, &value);
	while (r > 0 && (reading->is_whole || n < RECORDS_MAX)) {
		look(reading, key);
		look(reading, value);
		if (n % 16 == 0) {
			kept = key;
		}
		n++;
		r = dit_tree_cursor_next(cursor, &key, &value);
	}
	CHECK(r >= 0 || r == DIT_E_CORRUPT);
	CHECK(!reading->is_whole || (r == 0 && n == tree->nitems));
	if (kept.data != NULL) {
		seek(reading, cursor, kept);
	}
	if ((tree->flags & MDB_DUPFIXED) != 0) {
		read_lists(reading, cursor);
	}
	dit_tree_cursor_close(cursor);
}

static void read_file(struct reading *reading)
{
	const struct dit_key_order by_bytes = {.kind = DIT_ORDER_BYTES};
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span value;
	unsigned n = 0;
	int r = dit_tree_cursor_open(&cursor, &reading->map, &reading->map.meta.main_tree,
	                             &by_bytes);

	if (r < 0) {
		CHECK(!reading->is_whole);
		return;
	}
	r = dit_tree_cursor_first(cursor, &key, &value);
	for (n = 0; r > 0 && n < RECORDS_MAX; n++) {
		struct dit_tree_record tree;
		struct dit_span name = {key.data, strnlen(key.data, key.len)};

		look(reading, key);
		if (value.len == sizeof(tree)) {
			memcpy(&tree, value.data, sizeof(tree));
			read_table(reading, name, &tree);
		}
		r = dit_tree_cursor_next(cursor, &key, &value);
	}
	CHECK(!reading->is_whole || (r == 0 && n > 4));
	dit_tree_cursor_close(cursor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct whole wholes[NFILES];
	size_t number = size == 0 ? 0 : data[0] % NFILES;
	struct whole *whole = &wholes[number];
	struct reading reading = {.is_whole = size <= CHANGE_BYTES};
	struct dit_page_source map;
	char *bytes = NULL;
	int fd = -1;

	if (whole->bytes == NULL) {
		read_whole(whole, names[number]);
	}
	/* In memory of exactly this size: the sanitizer finds what is read after it. */
	bytes = malloc(whole->len);
	CHECK(bytes != NULL);
	memcpy(bytes, whole->bytes, whole->len);
	for (size_t i = 1; i + CHANGE_BYTES <= size; i += CHANGE_BYTES) {
		change(whole, bytes, data + i);
	}
	fd = file_of(bytes, whole->len);
	if (dit_page_source_open(&map, fd, &dit_lmdb_10, NULL) == 0) {
		reading.map = map;
		reading.map.map = bytes;
		CHECK(map.npages * map.page_bytes <= whole->len);
		read_file(&reading);
		dit_page_source_close(&map);
	} else {
		CHECK(!reading.is_whole);
	}
	(void)close(fd);
	free(bytes);
	return 0;
}
