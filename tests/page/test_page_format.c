/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formats as values: sizes and limits, which were measured with both liblmdbs
 * (storage.md 1, storage-2.7.md 1.6); and pages that are read as they are written.
 */
#include <fcntl.h>

#include "page/meta_pages.h"
#include "page/page_nodes.h"
#include "page/page_view.h"
#include "test.h"

#define PAGE 4096u

TEST(limits_of_lmdb_09)
{
	assert_int_equal(dit_node_max(&dit_lmdb_09, 4096), 2038);
	assert_int_equal(dit_node_max(&dit_lmdb_09, 512), 246);
	assert_int_equal(dit_key_max(&dit_lmdb_09, 4096), 511);
	assert_int_equal(dit_key_max(&dit_lmdb_09, 32768), 511);
	/* Two keys fit each page. */
	assert_int_equal(dit_key_max(&dit_lmdb_09, 1024), 446);
	assert_int_equal(dit_key_max(&dit_lmdb_09, 256), 62);
	assert_int_equal(dit_node_bytes(&dit_lmdb_09, 3, 5), 16);
	assert_int_equal(dit_overflow_pages(&dit_lmdb_09, 4080, PAGE), 1);
	assert_int_equal(dit_overflow_pages(&dit_lmdb_09, 4081, PAGE), 2);
}

TEST(limits_of_lmdb_10)
{
	static const struct {
		unsigned page_bytes;
		unsigned node_max;
		unsigned key_max;
	} limits[] = {
		{256, 114, 58},      {512, 242, 186},       {1024, 498, 442},
		{2048, 1010, 954},   {4096, 2034, 1978},    {8192, 4082, 4026},
		{16384, 8178, 8122}, {32768, 16370, 16314}, {65536, 32754, 32698},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		unsigned bytes = limits[i].page_bytes;

		assert_int_equal(dit_node_max(&dit_lmdb_10, bytes), limits[i].node_max);
		assert_int_equal(dit_key_max(&dit_lmdb_10, bytes), limits[i].key_max);
	}
	assert_int_equal(dit_node_bytes(&dit_lmdb_10, 3, 5), 17);
	assert_int_equal(dit_overflow_pages(&dit_lmdb_10, 4072, PAGE), 1);
	assert_int_equal(dit_overflow_pages(&dit_lmdb_10, 4073, PAGE), 2);
}

/* An empty page: what its header says, and what a view of it says. */
static void check_empty(const struct dit_page_format *format, unsigned page_bytes,
                        unsigned lower, unsigned upper)
{
	static char page[65536];
	struct dit_page_view view = {.bytes = page, .len = page_bytes, .format = format};

	dit_page_begin(format, page, page_bytes, DIT_PAGE_LEAF);
	assert_int_equal(dit_page_words(format, page)->lower, lower);
	assert_int_equal(dit_page_words(format, page)->upper, upper);
	assert_int_equal(dit_page_count(format, page), 0);
	assert_int_equal(dit_page_room(format, page), page_bytes - format->header_bytes);
	assert_true(dit_view_has_bounds(view));
	assert_int_equal(dit_view_count(view), 0);
	assert_int_equal(dit_view_lower(view), format->header_bytes);
	assert_int_equal(dit_view_upper(view), page_bytes);
}

TEST(an_empty_page_has_the_bounds_of_its_format)
{
	check_empty(&dit_lmdb_09, 4096, 16, 4096);
	check_empty(&dit_lmdb_09, 32768, 16, 32768);
	check_empty(&dit_lmdb_10, 4096, 0, 4072);
	check_empty(&dit_lmdb_10, 65536, 0, 65512);
}

/* Nodes of odd lengths, in memory that held other bytes. */
static void check_copy(const struct dit_page_format *format, int filler)
{
	static char page[PAGE];
	static char zeros[PAGE];
	static char copy[PAGE];
	static char zeros_copy[PAGE];
	char *value = NULL;

	memset(page, filler, sizeof(page));
	memset(copy, filler, sizeof(copy));
	memset(zeros, 0, sizeof(zeros));
	dit_page_begin(format, page, PAGE, DIT_PAGE_LEAF);
	dit_page_begin(format, zeros, PAGE, DIT_PAGE_LEAF);
	for (size_t i = 0; i < 60; i++) {
		struct dit_span key = {"abcdef", i % 7};

		(void)dit_page_add_node(format, page, key, i % 5, &value);
		memset(value, 'v', i % 5);
		(void)dit_page_add_node(format, zeros, key, i % 5, &value);
		memset(value, 'v', i % 5);
	}
	dit_page_copy(format, copy, page, PAGE);
	dit_page_copy(format, zeros_copy, zeros, PAGE);
	assert_memory_equal(copy, zeros_copy, PAGE);
	assert_memory_equal(zeros_copy, zeros, PAGE);
}

TEST(a_copied_page_has_zeros_where_nothing_is)
{
	struct dit_page_format with_tail = dit_lmdb_10;

	with_tail.tail_bytes = 40;
	for (int filler = 0; filler < 256; filler += 0x55) {
		check_copy(&dit_lmdb_09, filler);
		check_copy(&dit_lmdb_10, filler);
		check_copy(&with_tail, filler);
	}
}

static void check_nodes(const struct dit_page_format *format, unsigned page_bytes)
{
	static const char *const keys[] = {"a", "bb", "ccc", "dddd"};
	static char page[65536];
	static uint64_t starts[513];
	struct dit_page_view view = {.bytes = page, .len = page_bytes, .format = format};
	unsigned count = 0;

	dit_page_begin(format, page, page_bytes, DIT_PAGE_LEAF);
	while (dit_page_has_room(format, page, 1 + count % 4, count % 7)) {
		struct dit_span key = {keys[count % 4], 1 + count % 4};
		char *value = NULL;

		(void)dit_page_add_node(format, page, key, count % 7, &value);
		memset(value, 'v', count % 7);
		count++;
	}
	assert_true(dit_page_room(format, page) < 2 + 8 + 4 + 7);
	assert_true(dit_view_has_bounds(view));
	assert_int_equal(dit_view_count(view), count);
	assert_true(dit_view_is_tiled(view, starts));
	for (unsigned i = 0; i < count; i++) {
		struct dit_node_view node = {0};

		assert_int_equal(dit_view_node(view, i, &node), DIT_NODE_FITS);
		assert_int_equal(node.key.len, 1 + i % 4);
		assert_memory_equal(node.key.data, keys[i % 4], node.key.len);
		assert_int_equal(node.value.len, i % 7);
		assert_memory_equal(node.value.data, "vvvvvvv", node.value.len);
		assert_int_equal((size_t)(node.value.data - node.key.data),
		                 (node.key.len + format->fill_mask) & ~format->fill_mask);
		assert_ptr_equal((const char *)dit_page_node(format, page, i) + 8,
		                 node.key.data);
	}
}

TEST(nodes_are_read_as_written)
{
	check_nodes(&dit_lmdb_09, 4096);
	check_nodes(&dit_lmdb_09, 32768);
	check_nodes(&dit_lmdb_10, 512);
	check_nodes(&dit_lmdb_10, 65536);
}

TEST(meta_pages_of_one_file_are_neighbours)
{
	static const struct {
		uint64_t older;
		uint64_t newer;
		uint64_t root; /* of the older one */
		bool are;
	} cases[] = {
		{5, 5, 9, true},  {5, 6, 9, true},
		{5, 7, 9, false}, {1, 7, DIT_PAGE_NONE, true},
		{1, 7, 9, false}, {2, 7, DIT_PAGE_NONE, false},
	};
	char *dir = test_scratch();
	struct dit_metas metas;
	char path[4200];
	int fd = -1;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		metas = (struct dit_metas){.newest = 1};
		metas.list[0].transaction = cases[i].older;
		metas.list[0].main_tree.root = cases[i].root;
		metas.list[1].transaction = cases[i].newer;
		assert_int_equal(dit_metas_are_neighbours(&metas), cases[i].are);
	}
	/* LMDB takes the first of equal ones. */
	(void)snprintf(path, sizeof(path), "%s/data.mdb", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_int_equal(dit_metas_begin(fd, &dit_lmdb_10, PAGE), 0);
	assert_int_equal(dit_metas_read(fd, &dit_lmdb_10, &metas), 0);
	assert_int_equal(metas.newest, 0);
	(void)close(fd);
}
