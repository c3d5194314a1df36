/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index databases of a database of LMDB 1.0 are rebuilt in a new file, which holds all
 * that was not built; until it is in place the old file is as it was, and what cannot be
 * done is told.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>

#include "base/error.h"
#include "compare/compare.h"
#include "output/publication.h"
#include "output/rebuilt_output.h"
#include "place/claim.h"
#include "place/fault.h"
#include "place/files.h"
#include "store_fixture.h"

#define NENTRIES 500

int __real_fstatvfs(int fd, struct statvfs *ret);
int __wrap_fstatvfs(int fd, struct statvfs *ret);

static bool has_no_room;

int __wrap_fstatvfs(int fd, struct statvfs *ret)
{
	int r = __real_fstatvfs(fd, ret);

	if (has_no_room) {
		ret->f_bavail = 1;
	}
	return r;
}

/* Entries, some of them long; values apart; lists of one ID, of some and of many. */
static char *make(void)
{
	static uint64_t ids[NENTRIES];
	static char bytes[9000];
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);

	assert_int_equal(dit_output_put_ad(staging, 1, DIT_SPAN("cn")), 0);
	assert_int_equal(dit_output_put_ad(staging, 2, DIT_SPAN("sn")), 0);
	fixture_put_name(0, "\0\0\0\0\0\0\0\0\0\0\0", 12);
	fixture_put_child(0, "dc=x", 1, NENTRIES);
	for (uint64_t id = 1; id <= NENTRIES; id++) {
		ids[id - 1] = id;
		memset(bytes, (int)id, sizeof(bytes));
		fixture_put_entry(staging, id, bytes, id % 50 == 0 ? 9000 : id % 7 * 40);
	}
	for (uint64_t id = 1; id <= NENTRIES; id++) {
		fixture_put_self(id, "dc=x", id - 1);
	}
	for (int i = 0; i < 3; i++) {
		const char *const names[] = {"cn", "sn", "uid"};

		fixture_begin_index(staging, names[i], i == 1);
		fixture_put_key("\x01\0\0\0", 4, ids, 1);
		fixture_put_key("\x02\0\0\0", 4, ids, 5);
		fixture_put_key("\x03\0\0\0", 4, ids, NENTRIES);
	}
	fixture_write_tables(staging);
	assert_int_equal(dit_output_begin_changes(staging), 0);
	for (uint64_t id = 1; id <= NENTRIES; id += 100) {
		assert_int_equal(fixture_put_split(staging, id, 1, DIT_SPAN("b\0")), 0);
		assert_int_equal(fixture_put_split(staging, id, 1, DIT_SPAN("a\0")), 0);
		assert_int_equal(fixture_put_split(staging, id, 2, DIT_SPAN("c\0")), 0);
	}
	assert_int_equal(fixture_end(staging, &(uint64_t){0}), 0);
	return dir;
}

static struct dit_index_output_opts opts_of(const char *dir, struct dit_fault *fault)
{
	*fault = (struct dit_fault){""};
	return (struct dit_index_output_opts){.directory = dir,
	                                      .mode = 0600,
	                                      .maxsize_bytes = 1u << 30,
	                                      .nthreads = 2,
	                                      .fault = fault};
}

static struct dit_output *open_output(const char *dir, struct dit_fault *fault)
{
	const struct dit_index_output_opts opts = opts_of(dir, fault);
	struct dit_snapshot *snapshot = NULL;
	struct dit_output *output = NULL;

	assert_int_equal(dit_index_output_open(&output, &snapshot, &opts), 0);
	assert_int_equal(dit_snapshot_nreaders(snapshot), 2);
	return output;
}

/* The whole file. */
struct content {
	char *bytes;
	size_t len;
};

static struct content read_file(const char *dir)
{
	struct content content = {.len = 0};
	FILE *in = fopen(fixture_path(dir, "data.mdb"), "r");

	assert_non_null(in);
	assert_int_equal(fseek(in, 0, SEEK_END), 0);
	content.len = (size_t)ftell(in);
	rewind(in);
	content.bytes = malloc(content.len);
	assert_non_null(content.bytes);
	assert_int_equal(fread(content.bytes, 1, content.len, in), content.len);
	assert_int_equal(fclose(in), 0);
	return content;
}

static void assert_unchanged(const char *dir, struct content before)
{
	struct content after = read_file(dir);

	assert_int_equal(after.len, before.len);
	assert_memory_equal(after.bytes, before.bytes, before.len);
	free(after.bytes);
	free(before.bytes);
}

static void build(struct dit_output *output, const char *name, bool is_integerkey,
                  uint64_t id)
{
	const struct dit_output_index index = {.name = name,
	                                       .is_integerkey = is_integerkey};
	const struct dit_output_list list = {
		.key = {"\x07\0\0\0", 4}, .ids = &id, .nids = 1};
	struct dit_output_table *table = NULL;

	assert_int_equal(dit_output_add_index(output, &index), 0);
	assert_int_equal(dit_output_open_index(output, 0, &table), 0);
	assert_int_equal(dit_output_put_lists(table, &list, 1), 0);
	assert_int_equal(dit_output_finish(table), 0);
}

static void publish(struct dit_output *output)
{
	const struct dit_publish_opts opts = {.failed = NULL};
	struct dit_published item = {.output = output};

	assert_int_equal(dit_publish(&item, 1, &opts), 0);
	assert_true(item.bytes > 0);
}

struct lines {
	char text[4000];
};

static void collect(void *ctx, const struct dit_report *report)
{
	struct lines *lines = ctx;
	size_t len = strlen(lines->text);

	(void)snprintf(lines->text + len, sizeof(lines->text) - len, "%s\n",
	               report->text);
}

static void the_rest_is_copied(void **state)
{
	char *whole = make();
	char *dir = make();
	struct dit_fault fault;
	struct dit_output *output = open_output(dir, &fault);
	const struct dit_compare_opts opts = {.first = whole, .second = dir};
	struct dit_output_stored_index stored;
	struct lines lines = {""};
	uint64_t n = 0;
	uint64_t bytes = 0;
	struct stat st;
	(void)state;

	assert_int_equal(dit_output_find_index(output, "sn", &stored), 1);
	assert_true(stored.is_integerkey);
	assert_int_equal(dit_output_find_index(output, "mail", &stored), 0);
	assert_int_equal(dit_output_find_index(output, "id2e", &stored), DIT_E_CORRUPT);
	assert_non_null(strstr(fault.text, "is no index"));
	assert_true(dit_output_used_bytes(output, &bytes));
	assert_int_equal(stat(fixture_path(dir, "data.mdb"), &st), 0);
	assert_int_equal(bytes, st.st_size);
	build(output, "sn", true, 77);
	assert_int_equal(dit_output_drop_index(output, "uid"), 0);
	assert_int_equal(dit_output_drop_index(output, "mail"), DIT_E_UNKNOWN);
	publish(output);

	assert_int_equal(dit_compare(&opts, collect, &lines, &n), 0);
	assert_string_equal(
		lines.text,
		"sn: key 01000000, only in the first: 1 IDs: 1\n"
		"sn: key 02000000, only in the first: 5 IDs: 1 2 3 4 5\n"
		"sn: key 03000000, only in the first: 500 IDs: 1 2 3 4 5 6 7 8 ...\n"
		"sn: key 07000000, only in the second: 1 IDs: 77\n"
		"uid: this database is only in the first\n");
	test_scratch_remove(whole);
	test_scratch_remove(dir);
}

static void a_new_index_comes_into_being(void **state)
{
	char *whole = make();
	char *dir = make();
	struct dit_fault fault;
	struct dit_output *output = open_output(dir, &fault);
	const struct dit_compare_opts opts = {.first = whole, .second = dir};
	struct lines lines = {""};
	uint64_t n = 0;
	(void)state;

	build(output, "mail", false, 3);
	publish(output);
	assert_int_equal(dit_compare(&opts, collect, &lines, &n), 0);
	assert_string_equal(lines.text, "mail: this database is only in the second\n");
	test_scratch_remove(whole);
	test_scratch_remove(dir);
}

static void what_is_given_up_leaves_nothing(void **state)
{
	char *dir = make();
	struct content before = read_file(dir);
	struct dit_fault fault;
	struct dit_output *output = open_output(dir, &fault);
	struct dit_claim claim;
	(void)state;

	build(output, "cn", false, 5);
	assert_int_equal(dit_output_prepare(output), 0);
	dit_output_abandon(output);
	assert_unchanged(dir, before);
	assert_int_not_equal(access(fixture_path(dir, "ditkit-staging"), F_OK), 0);
	assert_int_equal(
		dit_claim_take(&claim, dit_directory_open(dir, NULL), 0600, NULL), 0);
	dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
	test_scratch_remove(dir);
}

static void what_was_placed_is_taken_back(void **state)
{
	char *dir = make();
	struct content before = read_file(dir);
	struct dit_fault fault;
	struct dit_output *output = open_output(dir, &fault);
	(void)state;

	build(output, "cn", false, 5);
	assert_int_equal(dit_output_prepare(output), 0);
	assert_int_equal(dit_output_commit(output), 0);
	assert_int_equal(dit_output_place(output), 0);
	assert_int_equal(dit_output_take_back(output), 0);
	dit_output_abandon(output);
	assert_unchanged(dir, before);
	test_scratch_remove(dir);
}

static void room_is_needed_for_a_copy(void **state)
{
	char *dir = make();
	struct content before = read_file(dir);
	struct dit_fault fault;
	const struct dit_index_output_opts opts = opts_of(dir, &fault);
	struct dit_snapshot *snapshot = NULL;
	struct dit_output *output = NULL;
	(void)state;

	has_no_room = true;
	assert_int_equal(dit_index_output_open(&output, &snapshot, &opts), -ENOSPC);
	has_no_room = false;
	assert_non_null(strstr(fault.text, "the new data.mdb needs about"));
	assert_unchanged(dir, before);
	test_scratch_remove(dir);
}

static void a_database_that_is_open_is_an_error(void **state)
{
	char *dir = make();
	struct dit_fault fault;
	const struct dit_index_output_opts opts = opts_of(dir, &fault);
	struct dit_snapshot *snapshot = NULL;
	struct dit_output *output = NULL;
	struct dit_claim claim;
	(void)state;

	assert_int_equal(
		dit_claim_take(&claim, dit_directory_open(dir, NULL), 0600, NULL), 0);
	assert_int_equal(dit_index_output_open(&output, &snapshot, &opts), DIT_E_BUSY);
	dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
	test_scratch_remove(dir);
}

static void other_formats_and_no_files_are_told(void **state)
{
	char *dir = test_scratch();
	struct dit_fault fault;
	const struct dit_index_output_opts opts = opts_of(dir, &fault);
	struct dit_snapshot *snapshot = NULL;
	struct dit_output *output = NULL;
	(void)state;

	assert_int_equal(dit_rebuilt_open(&output, &snapshot, &opts), -ENOENT);
	fixture_is_lmdb_10 = false;
	(void)fixture_publish(fixture_open(dir));
	fixture_is_lmdb_10 = true;
	assert_int_equal(dit_rebuilt_open(&output, &snapshot, &opts), DIT_E_FORMAT);
	test_scratch_remove(dir);
}

/* Else what came after the older state would be lost. */
static void a_file_that_is_not_in_its_last_state_is_refused(void **state)
{
	char *dir = make();
	struct dit_output_opts staging_opts = fixture_opts(dir);
	struct dit_record_output *staging = NULL;
	struct dit_snapshot *snapshot = NULL;
	struct dit_output *output = NULL;
	struct dit_fault fault;
	const struct dit_index_output_opts opts = opts_of(dir, &fault);
	struct content before;
	(void)state;

	fixture_bring_back_old_state(fixture_path(dir, "data.mdb"));
	before = read_file(dir);
	assert_int_equal(dit_index_output_open(&output, &snapshot, &opts), DIT_E_CORRUPT);
	assert_non_null(strstr(fault.text, "meta-transaction"));
	assert_non_null(strstr(fault.text, "transactions 4 and 1"));
	/* The older state has no records. */
	fault = (struct dit_fault){""};
	staging_opts.fault = &fault;
	assert_int_equal(dit_output_new_open(&staging, &staging_opts), DIT_E_CORRUPT);
	assert_non_null(strstr(fault.text, "meta-transaction"));
	assert_unchanged(dir, before);
	test_scratch_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_is_not_in_its_last_state_is_refused),
		cmocka_unit_test(the_rest_is_copied),
		cmocka_unit_test(a_new_index_comes_into_being),
		cmocka_unit_test(what_is_given_up_leaves_nothing),
		cmocka_unit_test(what_was_placed_is_taken_back),
		cmocka_unit_test(room_is_needed_for_a_copy),
		cmocka_unit_test(a_database_that_is_open_is_an_error),
		cmocka_unit_test(other_formats_and_no_files_are_told),
	};

	return cmocka_run_group_tests(tests, fixture_use_lmdb_10, NULL);
}
