/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The append writer (staging.h):
 * - makes the records that our own pages hold, lists of every length among them;
 * - refuses what is out of order, too long, or of another length than the keys before;
 * - is the default where liblmdb's file format is not the one we know, and then leaves
 *   the file to liblmdb. The linker takes the format's description away from us for that
 *   (--wrap=dit_metas_read).
 */
#include "test.h"

#include <errno.h>

#include <lmdb.h>

#include "base/error.h"
#include "page/meta_pages.h"
#include "place/fault.h"
#include "store_fixture.h"

static bool is_unknown;

int __real_dit_metas_read(int fd, const struct dit_page_format *format, size_t page_bytes,
                          struct dit_meta ret[2]);
int __wrap_dit_metas_read(int fd, const struct dit_page_format *format, size_t page_bytes,
                          struct dit_meta ret[2]);

int __wrap_dit_metas_read(int fd, const struct dit_page_format *format, size_t page_bytes,
                          struct dit_meta ret[2])
{
	return is_unknown ? MDB_VERSION_MISMATCH
	                  : __real_dit_metas_read(fd, format, page_bytes, ret);
}

static struct dit_staging *open_append(const char *dir)
{
	struct dit_staging_opts opts = fixture_opts(dir);
	struct dit_staging *staging = NULL;
	uint64_t nrecords = 0;

	opts.kind = DIT_WRITER_APPEND;
	assert_int_equal(dit_staging_open(&staging, &opts, &nrecords), 0);
	assert_true(dit_staging_is_append(staging));
	return staging;
}

static void begin_index(struct dit_staging *staging, bool is_integerkey)
{
	assert_int_equal(dit_staging_add_index(staging, "cn", is_integerkey), 0);
	assert_int_equal(dit_staging_append_index(staging, 0), 0);
}

static int put(struct dit_staging *staging, uint32_t key, size_t len, const uint64_t *ids,
               size_t nids)
{
	const char *bytes = (const char *)&key;

	return dit_staging_append_list(staging, (struct dit_span){bytes, len}, ids, nids);
}

/* Records of a named database. */
static uint64_t count(const char *dir, const char *name)
{
	struct dit_snapshot *snapshot = NULL;
	const struct dit_stored_db *dbs = NULL;
	uint64_t n = 0;
	size_t ndbs = 0;

	assert_int_equal(dit_snapshot_open(&snapshot, dir), 0);
	ndbs = dit_snapshot_dbs(snapshot, &dbs);
	for (size_t i = 0; i < ndbs; i++) {
		n += strcmp(dbs[i].name, name) == 0 ? dbs[i].nrecords : 0;
	}
	dit_snapshot_close(snapshot);
	return n;
}

static void lists_of_every_length_are_stored(void **state)
{
	static const size_t sizes[] = {1,     2,     3,      500, 511, 512,
	                               65536, 65537, 200000, 0,   1};
	uint64_t *ids = calloc(200000, sizeof(*ids));
	uint64_t want = 0;
	uint64_t bytes = 0;

	(void)state;
	assert_non_null(ids);
	for (size_t i = 0; i < 200000; i++) {
		ids[i] = 2 * i + 1;
	}
	for (int is_integerkey = 0; is_integerkey < 2; is_integerkey++) {
		char *dir = test_scratch();
		struct dit_staging *staging = open_append(dir);

		want = 0;
		begin_index(staging, is_integerkey != 0);
		for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			/* Below 256: the same order as integers and as bytes. */
			assert_int_equal(put(staging, i + 1, 4, ids, sizes[i]), 0);
			want += sizes[i];
		}
		dit_staging_append_end(staging);
		assert_true(dit_staging_used_bytes(staging) > 1 << 20);
		assert_int_equal(dit_staging_publish(staging, &bytes), 0);
		assert_int_equal(count(dir, "cn"), want);
		test_scratch_remove(dir);
	}
	free(ids);
}

static void what_is_out_of_order_is_refused(void **state)
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

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *dir = test_scratch();
		struct dit_staging *staging = open_append(dir);
		int r = 0;

		begin_index(staging, cases[i].is_integerkey);
		assert_int_equal(put(staging, cases[i].keys[0], cases[i].lens[0], ids, 1),
		                 0);
		r = put(staging, cases[i].keys[1], cases[i].lens[1], ids + cases[i].first,
		        cases[i].nids);
		if (r != cases[i].want) {
			fail_msg("case %zu: %d", i, r);
		}
		/* The first error stays. */
		if (r < 0) {
			assert_int_equal(put(staging, 9, 4, ids, 1), r);
		}
		dit_staging_abandon(staging);
		test_scratch_remove(dir);
	}
	{
		char *dir = test_scratch();
		struct dit_staging *staging = open_append(dir);

		begin_index(staging, false);
		assert_int_equal(dit_staging_append_index(staging, 0), -EINVAL);
		assert_int_equal(dit_staging_append_names(staging), -EINVAL);
		assert_int_equal(dit_staging_append_index(staging, 1), -EINVAL);
		assert_int_equal(
			dit_staging_append_list(
				staging, (struct dit_span){key, sizeof(key)}, ids, 1),
			MDB_BAD_VALSIZE);
		dit_staging_abandon(staging);
		staging = open_append(dir);
		assert_int_equal(dit_staging_append_ad(staging, 2, DIT_SPAN("cn")),
		                 -EINVAL);
		dit_staging_abandon(staging);
		test_scratch_remove(dir);
	}
}

static void an_unknown_format_is_left_to_liblmdb(void **state)
{
	char *dir = test_scratch();
	struct dit_staging_opts opts = fixture_opts(dir);
	struct dit_fault fault = {""};
	struct dit_staging *staging = NULL;
	uint64_t nrecords = 0;
	uint64_t bytes = 0;
	uint64_t id = 1;
	void *space = NULL;

	(void)state;
	is_unknown = true;
	opts.fault = &fault;
	opts.kind = DIT_WRITER_PAGES;
	assert_int_equal(dit_staging_open(&staging, &opts, &nrecords),
	                 MDB_VERSION_MISMATCH);
	assert_non_null(strstr(fault.text, "another file format"));
	assert_directory_holds(dir, "");

	opts.kind = DIT_WRITER_DEFAULT;
	assert_int_equal(dit_staging_open(&staging, &opts, &nrecords), 0);
	assert_true(dit_staging_is_append(staging));
	assert_false(dit_staging_is_known_format(staging));
	begin_index(staging, true);
	dit_staging_append_end(staging);
	assert_int_equal(dit_staging_append_entry(staging, 1, 1, &space), 0);
	*(char *)space = 'x';
	assert_int_equal(dit_staging_begin_changes(staging), 0);
	assert_int_equal(dit_staging_replace_entry(staging, 1, DIT_SPAN("yy")), 0);
	assert_int_equal(dit_staging_append_names(staging), 0);
	assert_int_equal(dit_staging_append_name(staging, id, DIT_SPAN("name")), 0);
	assert_int_equal(dit_staging_publish(staging, &bytes), 0);
	is_unknown = false;
	assert_int_equal(count(dir, "id2e"), 1);
	assert_int_equal(count(dir, "dn2i"), 1);

	test_scratch_remove(dir);
	dir = test_scratch();
	opts.directory = dir;
	assert_int_equal(dit_staging_open(&staging, &opts, &nrecords), 0);
	assert_false(dit_staging_is_append(staging));
	assert_true(dit_staging_is_known_format(staging));
	dit_staging_abandon(staging);
	test_scratch_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_every_length_are_stored),
		cmocka_unit_test(what_is_out_of_order_is_refused),
		cmocka_unit_test(an_unknown_format_is_left_to_liblmdb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
