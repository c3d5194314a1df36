/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The append writer (--writer=append):
 * - makes the records that our own pages hold, lists of every length among them;
 * - refuses what is out of order, too long, or of another length than the keys before;
 * - is the default where liblmdb's file format is not the one we know, and then leaves
 *   the file to liblmdb. The linker takes the format's description away from us for that
 *   (--wrap=dit_metas_read).
 */
#include "test.h"

#include "files/fault.h"
#include "page/meta_pages.h"
#include "store_fixture.h"

static bool is_unknown;

int __real_dit_metas_read(int fd, const struct dit_page_format *format,
                          struct dit_metas *ret);
int __wrap_dit_metas_read(int fd, const struct dit_page_format *format,
                          struct dit_metas *ret);

int __wrap_dit_metas_read(int fd, const struct dit_page_format *format,
                          struct dit_metas *ret)
{
	return is_unknown ? MDB_VERSION_MISMATCH : __real_dit_metas_read(fd, format, ret);
}

static struct dit_record_output *open_append(const char *dir)
{
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *staging = NULL;

	opts.writer = DIT_WRITER_APPEND;
	assert_int_equal(dit_output_new_open(&staging, &opts), 0);
	assert_true(staging->is_append);
	return staging;
}

static struct dit_output_table *begin_index(struct dit_record_output *staging,
                                            bool is_integerkey)
{
	struct dit_output_table *table = NULL;

	assert_int_equal(fixture_add_index(staging, "cn", is_integerkey), 0);
	assert_int_equal(dit_output_open_part(&staging->base, 0, 0, &table), 0);
	return table;
}

static int put(struct dit_output_table *table, uint32_t key, size_t len,
               const uint64_t *ids, size_t nids)
{
	const char *bytes = (const char *)&key;

	return fixture_put_list(table, (struct dit_span){bytes, len}, ids, nids);
}

/* Records of a named database. */
static uint64_t count(const char *dir, const char *name)
{
	struct dit_snapshot *snapshot = NULL;
	uint64_t n = 0;

	assert_int_equal(fixture_open_snapshot(&snapshot, dir), 0);
	for (size_t i = 0; i < snapshot->ndbs; i++) {
		const struct dit_stored_db *db = &snapshot->dbs[i];

		n += strcmp(db->name, name) == 0 ? db->nrecords : 0;
	}
	dit_snapshot_close(snapshot);
	return n;
}

TEST(lists_of_every_length_are_stored)
{
	static const size_t sizes[] = {1,     2,     3,      500, 511, 512,
	                               65536, 65537, 200000, 0,   1};
	uint64_t *ids = test_alloc(200000 * sizeof(*ids));
	uint64_t want = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < 200000; i++) {
		ids[i] = 2 * i + 1;
	}
	for (int is_integerkey = 0; is_integerkey < 2; is_integerkey++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = open_append(dir);
		struct dit_output_table *table = begin_index(staging, is_integerkey != 0);

		want = 0;
		for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			/* Below 256: the same order as integers and as bytes. */
			assert_int_equal(put(table, i + 1, 4, ids, sizes[i]), 0);
			want += sizes[i];
		}
		assert_true(fixture_used_bytes(staging) > 1 << 20);
		assert_int_equal(fixture_end(staging, &bytes), 0);
		assert_int_equal(count(dir, "cn"), want);
		test_scratch_remove(dir);
	}
}

TEST(what_is_out_of_order_is_refused)
{
	static const uint64_t ids[] = {3, 4, 4, 2};
	static const char key[600] = "x";
	static const struct {
		uint32_t keys[2];
		size_t lens[2];
		size_t first; /* of the second list's IDs */
		size_t nids;
		bool is_integerkey;
		int want;
	} cases[] = {
		{{5, 6}, {4, 4}, 0, 2, true, 0},
		{{6, 5}, {4, 4}, 0, 2, true, MDB_KEYEXIST},
		{{5, 5}, {4, 4}, 0, 2, true, MDB_KEYEXIST},
		{{5, 6}, {4, 4}, 1, 2, true, MDB_KEYEXIST},
		{{5, 6}, {4, 4}, 2, 2, true, MDB_KEYEXIST},
		{{5, 6}, {4, 3}, 0, 1, true, -EINVAL},
		{{5, 6}, {4, 0}, 0, 1, false, MDB_BAD_VALSIZE},
		{{5, 6}, {4, 3}, 0, 1, false, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = open_append(dir);
		struct dit_output_table *table =
			begin_index(staging, cases[i].is_integerkey);
		int r = 0;

		assert_int_equal(put(table, cases[i].keys[0], cases[i].lens[0], ids, 1),
		                 0);
		r = put(table, cases[i].keys[1], cases[i].lens[1], ids + cases[i].first,
		        cases[i].nids);
		if (r != cases[i].want) {
			fail_msg("case %zu: %d", i, r);
		}
		fixture_abandon(staging);
		test_scratch_remove(dir);
	}
	{
		char *dir = test_scratch();
		struct dit_record_output *staging = open_append(dir);
		struct dit_output_table *table = begin_index(staging, false);
		struct dit_output_table *other = NULL;

		assert_int_equal(dit_output_open_part(&staging->base, 0, 0, &other),
		                 -EINVAL);
		assert_int_equal(dit_output_open_part(&staging->base, 1, 0, &other),
		                 -EINVAL);
		assert_int_equal(fixture_put_list(table,
		                                  (struct dit_span){key, sizeof(key)},
		                                  ids, 1),
		                 MDB_BAD_VALSIZE);
		fixture_abandon(staging);
		staging = open_append(dir);
		assert_int_equal(dit_output_put_ad(staging, 1, DIT_SPAN("cn")), 0);
		assert_int_equal(dit_output_put_ad(staging, 1, DIT_SPAN("sn")),
		                 MDB_KEYEXIST);
		fixture_abandon(staging);
		test_scratch_remove(dir);
	}
}

TEST(an_unknown_format_is_left_to_liblmdb)
{
	char *dir = test_scratch();
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_fault fault = {""};
	struct dit_record_output *staging = NULL;
	uint64_t bytes = 0;
	void *space = NULL;

	is_unknown = true;
	opts.fault = &fault;
	opts.writer = DIT_WRITER_PAGES;
	assert_int_equal(dit_output_new_open(&staging, &opts), MDB_VERSION_MISMATCH);
	assert_non_null(strstr(fault.text, "another file format"));
	assert_directory_holds(dir, "");

	opts.writer = DIT_WRITER_DEFAULT;
	assert_int_equal(dit_output_new_open(&staging, &opts), 0);
	assert_true(staging->is_append);
	assert_true(staging->is_unknown_format);
	assert_int_equal(dit_output_finish(begin_index(staging, true), NULL), 0);
	assert_int_equal(dit_output_reserve_entry(staging, 1, 1, &space), 0);
	*(char *)space = 'x';
	assert_int_equal(dit_output_put_name(staging, 1, DIT_SPAN("name")), 0);
	assert_int_equal(dit_output_begin_changes(staging), 0);
	assert_int_equal(dit_output_replace_entry(staging, 1, DIT_SPAN("yy")), 0);
	assert_int_equal(fixture_end(staging, &bytes), 0);
	is_unknown = false;
	assert_int_equal(count(dir, "id2e"), 1);
	assert_int_equal(count(dir, "dn2i"), 1);

	test_scratch_remove(dir);
	dir = test_scratch();
	opts.directory = dir;
	assert_int_equal(dit_output_new_open(&staging, &opts), 0);
	assert_false(staging->is_append);
	assert_false(staging->is_unknown_format);
	fixture_abandon(staging);
}
