/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output that is the index databases of a stored database (claimed_output.h): they are
 * there once it is published, all else stays; abandoned or taken back it leaves what was
 * there; what cannot be is refused. For both formats.
 */
#include "output/claimed_output.h"

#include "base/error.h"
#include "compare/compare.h"
#include "files/fault.h"
#include "output/new_output_impl.h"
#include "output/online.h"
#include "output/publication.h"
#include "store_fixture.h"

#define NENTRIES 500

static struct dit_output *open_with(const char *dir, struct dit_snapshot **ret_snapshot)
{
	const struct dit_index_output_opts opts = {
		.file = {.directory = dir,
	                 .mode = 0600,
	                 .maxsize_bytes = FIXTURE_MAXSIZE,
	                 .shared.nthreads = 3}};
	struct dit_output *output = NULL;

	assert_int_equal(dit_index_output_open(&output, ret_snapshot, &opts), 0);
	assert_true(output->is_parallel);
	return output;
}

static struct dit_output *open_output(const char *dir)
{
	struct dit_snapshot *snapshot = NULL;

	return open_with(dir, &snapshot);
}

/* Entries, and the indexes cn and sn. */
static char *make_database(void)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	const uint64_t ids[] = {1, 2};

	fixture_put_entry(staging, 1, "one", 3);
	fixture_put_entry(staging, 2, "two", 3);
	fixture_begin_index(staging, "cn", false);
	fixture_put_key("aaaa", 4, ids, 2);
	fixture_begin_index(staging, "sn", false);
	fixture_put_key("bbbb", 4, ids, 1);
	(void)fixture_publish(staging);
	return dir;
}

/* A key that begins with 7 is an integer. */
static int write_index(struct dit_output *output, const char *name, size_t number,
                       const char *key)
{
	const struct dit_output_index index = {.name = name,
	                                       .is_integerkey = key[0] == 7};
	const uint64_t ids[] = {1, 2, 3};
	const struct dit_posting_list list = {.key = {key, 4}, .ids = ids, .nids = 3};
	struct dit_output_table *table = NULL;
	int r = dit_output_add_index(output, &index);

	r = r ?: dit_output_open_part(output, number, 0, &table);
	if (r == 0) {
		assert_int_equal(dit_output_put_lists(table, &list, 1), 0);
		r = dit_output_finish(table, NULL);
	}
	return r;
}

/* Entries, some of them long; values apart; lists of one ID, of some and of many. */
static char *make_full_database(void)
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

/* "cn aaaa 2, sn bbbb 1": the first key of each index, and how many items it has */
static void assert_indexes(const char *dir, const char *want)
{
	struct dit_snapshot *snapshot = NULL;
	char text[200] = "";
	size_t len = 0;

	assert_int_equal(fixture_open_snapshot(&snapshot, dir), 0);
	for (size_t i = 0; i < snapshot->ndbs; i++) {
		const struct dit_stored_db *db = &snapshot->dbs[i];
		struct dit_tree_cursor *cursor = NULL;
		struct dit_span key = {NULL, 0};
		struct dit_span value = {NULL, 0};

		if ((db->flags & DIT_DB_DUPFIXED) == 0) {
			continue;
		}
		assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, db->name),
		                 0);
		assert_int_equal(dit_tree_cursor_next(cursor, &key, &value), 1);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %.*s %u",
		                        len == 0 ? "" : ", ", db->name, (int)key.len,
		                        key.data, (unsigned)db->nrecords);
		dit_tree_cursor_close(cursor);
	}
	dit_snapshot_close(snapshot);
	assert_string_equal(text, want);
}

TEST(new_indexes_are_published)
{
	char *dir = make_database();
	struct dit_snapshot *snapshot = NULL;
	struct dit_output *output = open_with(dir, &snapshot);
	uint64_t bytes = 0;

	assert_int_equal(snapshot->nreaders, 3);
	assert_int_equal(snapshot->ndbs, 6);
	assert_int_equal(write_index(output, "cn", 0, "cccc"), 0);
	assert_int_equal(write_index(output, "uid", 1, "dddd"), 0);
	assert_int_equal(write_index(output, "cn", 2, "cccc"), DIT_E_DUPLICATE);
	assert_int_equal(dit_index_output_drop(output, "sn"), 0);
	assert_int_equal(dit_index_output_drop(output, "mail"), DIT_E_UNKNOWN);
	assert_true(dit_output_used_bytes(output, &bytes));
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_PREPARE), 0);
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_COMMIT), 0);
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_RENAME), 0);
	assert_true(output->bytes >= bytes);
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_END), 0);
	assert_indexes(dir, "cn cccc 3, uid dddd 3");
}

/* No page is lost, and none has two owners. */
static void assert_sound(const char *dir)
{
	struct dit_fault fault = {""};
	int fd = open(fixture_path(dir, "data.mdb"), O_RDONLY);

	assert_true(fd >= 0);
	if (dit_data_check_whole(fd, NULL, NULL, &fault) != 0) {
		fail_msg("%s", fault.text);
	}
	(void)close(fd);
}

struct lines {
	char text[4000];
};

static void collect(void *ctx, const struct dit_report *report)
{
	struct lines *lines = ctx;

	test_append(lines->text, "%s\n", report->text);
}

TEST(the_rest_stays)
{
	char *whole = make_full_database();
	char *dir = make_full_database();
	struct dit_output *output = open_output(dir);
	const struct dit_publish_opts publish_opts = {.failed = NULL};
	struct dit_published item = {.output = output};
	const struct dit_compare_opts opts = {
		.size = sizeof(opts), .first = whole, .second = dir, .is_exact = true};
	struct dit_output_stored_index stored;
	struct lines lines = {""};
	uint64_t n = 0;
	uint64_t bytes = 0;
	struct stat st;

	assert_int_equal(dit_output_find_index(output, "sn", &stored), 1);
	assert_true(stored.is_integerkey);
	assert_true(dit_output_used_bytes(output, &bytes));
	assert_int_equal(stat(fixture_path(dir, "data.mdb"), &st), 0);
	assert_int_equal(bytes, st.st_size);
	assert_int_equal(write_index(output, "sn", 0, "\x07\0\0\0"), 0);
	assert_int_equal(write_index(output, "mail", 1, "\x07\0\0\0"), 0);
	assert_int_equal(dit_index_output_drop(output, "uid"), 0);
	assert_int_equal(dit_publish(&item, 1, &publish_opts), 0);
	assert_true(item.bytes > 0);

	assert_int_equal(dit_compare(&opts, collect, &lines, &n), 0);
	assert_string_equal(
		lines.text,
		"sn: key 01000000, only in the first: 1 IDs: 1\n"
		"sn: key 02000000, only in the first: 5 IDs: 1 2 3 4 5\n"
		"sn: key 03000000, only in the first: 500 IDs: 1 2 3 4 5 6 7 8 ...\n"
		"sn: key 07000000, only in the second: 3 IDs: 1 2 3\n"
		"uid: this database is only in the first\n"
		"mail: this database is only in the second\n");
	assert_sound(dir);
}

static struct dit_output *open_beside_others(const char *dir)
{
	const struct dit_online_opts opts = {.directory = dir,
	                                     .shared.nthreads = 1,
	                                     .conf = {.map_bytes = FIXTURE_MAXSIZE},
	                                     .list_max = 1000};
	struct dit_snapshot *snapshot = NULL;
	struct dit_output *output = NULL;

	assert_int_equal(dit_online_open(&output, &snapshot, &opts), 0);
	return output;
}

static void note_failure(void *ctx, size_t number, enum dit_publish_step step, int error)
{
	(void)number;
	*(enum dit_publish_step *)ctx = step;
	assert_int_equal(error, -ESTALE);
}

TEST(a_file_that_was_moved_is_told)
{
	static struct dit_output *(*const opens[])(const char *) = {open_output,
	                                                            open_beside_others};

	for (size_t i = 0; i < 2; i++) {
		char *dir = make_database();
		enum dit_publish_step step = DIT_PUBLISH_END;
		const struct dit_publish_opts opts = {.failed = note_failure,
		                                      .ctx = &step};
		struct dit_published item = {.output = opens[i](dir)};
		char from[4200];
		char to[4200];

		assert_int_equal(write_index(item.output, "cn", 0, "cccc"), 0);
		(void)snprintf(from, sizeof(from), "%s/data.mdb", dir);
		(void)snprintf(to, sizeof(to), "%s/moved", dir);
		assert_int_equal(rename(from, to), 0);
		assert_int_equal(dit_publish(&item, 1, &opts), -ESTALE);
		assert_int_equal(step, DIT_PUBLISH_FIND);
		assert_non_null(strstr(item.fault.text, "/moved now: nothing"));
		assert_int_equal(rename(to, from), 0);
		assert_indexes(dir, "cn aaaa 2, sn bbbb 1");
		test_scratch_remove(dir);
	}
}

TEST(an_abandoned_output_leaves_the_file_as_it_was)
{
	char *dir = make_database();

	for (int step = 0; step < 4; step++) {
		struct dit_output *output = open_output(dir);

		assert_int_equal(write_index(output, "cn", 0, "cccc"), 0);
		if (step > 0) {
			assert_int_equal(dit_output_do(output, DIT_PUBLISH_PREPARE), 0);
		}
		if (step > 1) {
			assert_int_equal(dit_output_do(output, DIT_PUBLISH_COMMIT), 0);
		}
		if (step > 0) {
			assert_int_equal(dit_output_do(output, DIT_PUBLISH_TAKE_BACK), 0);
		}
		dit_output_abandon(output);
		assert_indexes(dir, "cn aaaa 2, sn bbbb 1");
		assert_sound(dir);
	}
}

/* Without indexes nothing is committed. */
TEST(wrong_calls_and_directories_are_refused)
{
	char *dir = make_database();
	struct dit_fault fault = {""};
	struct dit_index_output_opts opts = {
		.file = {.directory = dir, .shared.nthreads = 1, .fault = &fault}};
	struct dit_snapshot *snapshot = NULL;
	struct dit_output *output = NULL;
	struct dit_output *second = NULL;
	struct dit_output_stored_index stored;
	struct dit_output_table *table = NULL;

	assert_int_equal(dit_index_output_open(&output, &snapshot, &opts), 0);
	assert_int_equal(dit_index_output_open(&second, &snapshot, &opts), DIT_E_BUSY);
	assert_int_equal(dit_output_find_index(output, "cn", &stored), 1);
	assert_false(stored.is_integerkey);
	assert_int_equal(dit_output_find_index(output, "uid", &stored), 0);
	assert_int_equal(dit_output_find_index(output, "id2e", &stored), DIT_E_CORRUPT);
	assert_non_null(strstr(fault.text, "\"id2e\""));
	assert_int_equal(dit_output_open_part(output, 0, 0, &table), -EINVAL);
	assert_int_equal(write_index(output, "cn", 0, "cccc"), 0);
	assert_int_equal(dit_output_open_part(output, 0, 0, &table), -EINVAL);
	assert_int_equal(
		dit_output_add_index(output, &(struct dit_output_index){.name = "uid"}),
		0);
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_PREPARE),
	                 -EINVAL); /* uid is not written */
	dit_output_abandon(output);
	assert_indexes(dir, "cn aaaa 2, sn bbbb 1");
	test_scratch_remove(dir);

	dir = test_scratch();
	opts.file.directory = dir;
	assert_int_equal(dit_index_output_open(&output, &snapshot, &opts), -ENOENT);
	assert_int_not_equal(access(fixture_path(dir, "lock.mdb"), F_OK), 0);
}

/* Else what came after the older state would be lost. */
TEST(a_file_that_is_not_in_its_last_state_is_refused)
{
	char *dir = make_database();
	struct dit_fault fault = {""};
	struct dit_index_output_opts opts = {.file = {.directory = dir,
	                                              .mode = 0600,
	                                              .maxsize_bytes = FIXTURE_MAXSIZE,
	                                              .fault = &fault}};
	struct dit_output_opts staging_opts = fixture_opts(dir);
	struct dit_record_output *staging = NULL;
	struct dit_snapshot *snapshot = NULL;
	struct dit_output *output = NULL;

	fixture_bring_back_old_state(fixture_path(dir, "data.mdb"));
	assert_int_equal(dit_index_output_open(&output, &snapshot, &opts), DIT_E_CORRUPT);
	assert_non_null(strstr(fault.text, "meta-transaction"));
	/* The older state has no records. */
	fault = (struct dit_fault){""};
	staging_opts.fault = &fault;
	assert_int_equal(dit_output_new_open(&staging, &staging_opts), DIT_E_CORRUPT);
	assert_non_null(strstr(fault.text, "meta-transaction"));
}

MAIN_OF_BOTH_LMDB
