/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outputs (output.h), of both formats. For a new database, whoever makes its pages, and
 * for one that holds records alike:
 * - entries, numbers, names, lists and split values that are put are there once the
 *   output is published, and nothing is there before;
 * - an output that is abandoned, or taken back, leaves what was there;
 * - records that other threads fill later are those that are filled at once;
 * - what cannot be is refused.
 * And what one of them does alone: stored records are found, lists are continued.
 */
#include "test.h"

#include <pthread.h>

#include "base/error.h"
#include "output/output.h"
#include "store_fixture.h"
#include "tree/table_writer.h"

#define LIST_MAX 4

/* The writer of the new databases in this run of the tests. */
static enum dit_output_writer writer;
static bool is_lmdb_10;

static struct dit_record_output *open_output(const char *dir)
{
	struct dit_output_opts opts = {.directory = dir,
	                               .mode = 0600,
	                               .ndbs = 16,
	                               .maxsize_bytes = FIXTURE_MAXSIZE,
	                               .list_max = LIST_MAX,
	                               .writer = writer,
	                               .is_lmdb_10 = is_lmdb_10,
	                               .shared.sealed = fixture_sealed};
	struct dit_record_output *output = NULL;

	assert_int_equal(dit_output_open(&output, &opts), 0);
	return output;
}

static void publish(struct dit_record_output *output)
{
	assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_PREPARE), 0);
	assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_COMMIT), 0);
	assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_RENAME), 0);
	assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_END), 0);
}

static void add_index(struct dit_record_output *output, const char *name,
                      bool is_integerkey)
{
	struct dit_output_index index = {.name = name, .is_integerkey = is_integerkey};

	assert_int_equal(dit_output_add_index(&output->base, &index), 0);
}

static int put_list(struct dit_output_table *table, const char *key, const uint64_t *ids,
                    size_t nids)
{
	struct dit_posting_list list = {.key = {key, 4}, .ids = ids, .nids = nids};

	return dit_output_put_lists(table, &list, 1);
}

static void put_entry(struct dit_record_output *output, uint64_t id, const char *text)
{
	void *space = NULL;

	assert_int_equal(dit_output_reserve_entry(output, id, strlen(text), &space), 0);
	memcpy(space, text, strlen(text));
}

/* Records of dn2i are opaque to outputs, but for those of stored nodes. */
static void put_names(struct dit_record_output *output, uint64_t id, const char *rdn)
{
	char record[DIT_NAME_RECORD_MAX];
	int len = 0;

	len = encode_child(record, dit_span_of(rdn), dit_span_of(rdn), id, 1);
	assert_int_equal(dit_output_put_name(output, id - 1,
	                                     (struct dit_span){record, (size_t)len}),
	                 0);
	len = encode_self(record, dit_span_of(rdn), dit_span_of(rdn), id - 1);
	assert_int_equal(
		dit_output_put_name(output, id, (struct dit_span){record, (size_t)len}),
		0);
}

static void put_index(struct dit_record_output *output, size_t number, const char *key,
                      const uint64_t *ids, size_t nids)
{
	struct dit_output_table *table = NULL;

	assert_int_equal(dit_output_open_part(&output->base, number, 0, &table), 0);
	assert_int_equal(put_list(table, key, ids, nids), 0);
	assert_int_equal(dit_output_finish(table, NULL), 0);
}

static void put_indexes(struct dit_record_output *output, uint64_t id)
{
	const uint64_t ids[] = {id, id + 1};

	put_index(output, 0, id == 1 ? "aaaa" : "bbbb", ids, 2);
	put_index(output, 1, id == 1 ? "aaaa" : "bbbb", ids, 1);
}

/* Everything that an output takes, with entries from an ID on. */
static void fill(struct dit_record_output *output, uint64_t id)
{
	put_entry(output, id, "first entry");
	put_entry(output, id + 1, "");
	assert_int_equal(
		dit_output_put_ad(output, (uint32_t)(id + 1) / 2, DIT_SPAN("cn")), 0);
	add_index(output, "cn", true);
	add_index(output, "sn", false);
	assert_int_equal(dit_output_expect_postings(&output->base, 3), 0);
	put_names(output, id, id == 1 ? "dc=one" : "dc=three");
	put_indexes(output, id);
	assert_int_equal(dit_output_begin_changes(output), 0);
	assert_int_equal(dit_output_replace_entry(output, id + 1, DIT_SPAN("late entry")),
	                 0);
	assert_int_equal(dit_output_put_split(output, id, 1, 0, DIT_SPAN("split")), 0);
	assert_int_equal(dit_output_put_split(output, id, 1, 1, DIT_SPAN("splits")), 0);
}

/* All records of a database, "key=value " each; IDs as digits, others as text. */
static char *dump(const char *dir, const char *db)
{
	struct dit_snapshot *snapshot = NULL;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key = {0};
	struct dit_span value = {0};
	char *text = calloc(1, 4096);
	size_t n = 0;

	assert_non_null(text);
	assert_int_equal(fixture_open_snapshot(&snapshot, dir), 0);
	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, db), 0);
	while (dit_tree_cursor_next(cursor, &key, &value) > 0) {
		bool is_text = key.len == 4 && key.data[0] >= 'a';

		n += is_text ? (size_t)snprintf(text + n, 4096 - n, "%.4s=", key.data)
		             : (size_t)snprintf(text + n, 4096 - n, "%d=", key.data[0]);
		if (is_text) {
			uint64_t id = 0;

			memcpy(&id, value.data, sizeof(id));
			n += (size_t)snprintf(text + n, 4096 - n, "%d ", (int)id);
		} else {
			n += (size_t)snprintf(text + n, 4096 - n, "%.*s ",
			                      DIT_SPAN_ARGS(value));
		}
	}
	dit_tree_cursor_close(cursor);
	dit_snapshot_close(snapshot);
	return text;
}

#define assert_dump(dir, db, want)                                                       \
 do {                                                                                    \
  char *text_ = dump(dir, db);                                                           \
  assert_string_equal(text_, want);                                                      \
  free(text_);                                                                           \
 } while (0)

TEST(what_is_put_is_there)
{
	char *dir = test_scratch();
	struct dit_record_output *output = open_output(dir);

	assert_false(output->is_merged);
	assert_int_equal(output->base.is_parallel, writer != DIT_WRITER_APPEND);
	assert_int_equal(output->is_append, writer == DIT_WRITER_APPEND);
	assert_false(output->is_unknown_format);
	assert_true(output->stored.last_id == 0 && !output->stored.has_names);
	fill(output, 1);
	publish(output);
	assert_dump(dir, "id2e", "1=first entry 2=late entry ");
	assert_dump(dir, "id2v", "1=split 1=splits ");
	assert_dump(dir, "ad2i", "1=cn ");
	assert_dump(dir, "cn", "aaaa=1 aaaa=2 ");
	assert_dump(dir, "sn", "aaaa=1 ");

	output = open_output(dir);
	assert_true(output->is_merged && output->base.is_parallel);
	assert_true(output->stored.last_id == 2 && output->stored.has_names);
	assert_false(output->stored.has_root_entry);
	fill(output, 3);
	assert_int_equal(output->base.bytes, 0);
	publish(output);
	assert_dump(dir, "id2e",
	            "1=first entry 2=late entry 3=first entry 4=late entry ");
	assert_dump(dir, "id2v", "1=split 1=splits 3=split 3=splits ");
	assert_dump(dir, "ad2i", "1=cn 2=cn ");
	assert_dump(dir, "cn", "aaaa=1 aaaa=2 bbbb=3 bbbb=4 ");
	assert_dump(dir, "sn", "aaaa=1 bbbb=3 ");
	assert_directory_holds(dir, "data.mdb lock.mdb ");
}

TEST(an_output_that_is_given_up_leaves_what_was_there)
{
	char *dir = test_scratch();
	struct dit_record_output *output = NULL;

	/*
	 * Before anything is put, before it is prepared, before and after it is placed.
	 */
	for (unsigned stop = 0; stop < 4; stop++) {
		output = open_output(dir);
		if (stop > 0) {
			fill(output, 1);
		}
		if (stop > 1) {
			assert_int_equal(
				dit_output_do(&output->base, DIT_PUBLISH_PREPARE), 0);
			assert_true(output->base.bytes > 0);
		}
		if (stop > 2) {
			assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_COMMIT),
			                 0);
			assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_RENAME),
			                 0);
			assert_directory_holds(dir, "data.mdb ditkit-staging lock.mdb ");
		}
		assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_TAKE_BACK), 0);
		dit_output_abandon(&output->base);
		assert_directory_holds(dir, "");
	}
	output = open_output(dir);
	fill(output, 1);
	publish(output);
	for (unsigned stop = 0; stop < 4; stop++) {
		output = open_output(dir);
		if (stop > 0) {
			fill(output, 3);
		}
		if (stop > 1) {
			assert_int_equal(
				dit_output_do(&output->base, DIT_PUBLISH_PREPARE), 0);
		}
		if (stop > 2) {
			assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_COMMIT),
			                 0);
			assert_true(output->base.bytes > 0);
			assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_RENAME),
			                 0);
		}
		assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_TAKE_BACK), 0);
		dit_output_abandon(&output->base);
		assert_dump(dir, "id2e", "1=first entry 2=late entry ");
		assert_dump(dir, "cn", "aaaa=1 aaaa=2 ");
	}
	dit_output_abandon(NULL);
}

/* On a new output and on an existing one. */
static void assert_refused(struct dit_record_output *output, uint64_t id)
{
	struct dit_output_index again = {.name = "cn"};
	struct dit_output_table *table = NULL;

	add_index(output, "cn", true);
	assert_int_equal(dit_output_open_part(&output->base, 1, 0, &table), -EINVAL);
	assert_int_equal(dit_output_open_part(&output->base, SIZE_MAX, 0, &table),
	                 -EINVAL);
	put_entry(output, id, "x");
	assert_int_equal(dit_output_add_index(&output->base, &again), DIT_E_DUPLICATE);
	dit_output_abandon(&output->base);
}

TEST(what_cannot_be_is_refused)
{
	char *dir = test_scratch();
	struct dit_record_output *output = open_output(dir);
	struct dit_output_table *table = NULL;
	struct dit_output_table *other = NULL;
	const uint64_t ids[] = {1};
	void *space = NULL;

	assert_refused(output, 1);
	output = open_output(dir);
	fill(output, 1);
	/* Each table once, and none after the changes. */
	assert_int_equal(dit_output_open_part(&output->base, 0, 0, &table), -EINVAL);
	assert_int_equal(dit_output_put_name(output, 1, DIT_SPAN("late")), -EINVAL);
	publish(output);

	assert_refused(open_output(dir), 3);
	output = open_output(dir);
	add_index(output, "cn", true);
	assert_int_equal(dit_output_open_part(&output->base, 0, 0, &table), 0);
	assert_int_equal(dit_output_open_part(&output->base, 0, 0, &other), -EINVAL);
	assert_int_equal(put_list(table, "cccc", ids, 1), 0);
	/* Before the changes, and after them. */
	assert_int_equal(dit_output_put_split(output, 3, 1, 0, DIT_SPAN("early")),
	                 -EINVAL);
	assert_int_equal(dit_output_replace_entry(output, 2, DIT_SPAN("early")), -EINVAL);
	assert_int_equal(dit_output_begin_changes(output), 0);
	assert_int_equal(dit_output_begin_changes(output), -EINVAL);
	assert_int_equal(dit_output_reserve_entry(output, 3, 1, &space), -EINVAL);
	assert_int_equal(dit_output_put_split(output, 1, 1, 0, DIT_SPAN("again")),
	                 MDB_KEYEXIST);
	dit_output_abandon(&output->base);

	/* A table that is open when the output is published. */
	output = open_output(dir);
	add_index(output, "cn", true);
	assert_int_equal(dit_output_open_part(&output->base, 0, 0, &table), 0);
	assert_int_equal(dit_output_begin_changes(output), 0);
	assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_PREPARE), -EINVAL);
	dit_output_abandon(&output->base);
	assert_dump(dir, "cn", "aaaa=1 aaaa=2 ");
}

TEST(a_new_output_finds_nothing)
{
	char *dir = test_scratch();
	struct dit_record_output *output = open_output(dir);
	struct dit_output_stored_index index = {0};
	struct dit_name name = {.id = 0};
	struct dit_span text = {0};
	uint64_t used = 0;

	assert_int_equal(dit_output_find_ad(output, 1, &text), 0);
	assert_int_equal(dit_output_find_child(output, 0, DIT_SPAN("dc=one"), &name), 0);
	assert_int_equal(dit_output_find_name(output, 1, &name), 0);
	assert_int_equal(dit_output_find_index(&output->base, "cn", &index), 0);
	fill(output, 1);
	assert_true(dit_output_used_bytes(&output->base, &used) && used > 4096);
	assert_int_equal(dit_output_find_entry(output, 1, &text), 1);
	assert_true(dit_span_eq(text, DIT_SPAN("first entry")));
	dit_output_abandon(&output->base);
}

TEST(stored_records_are_found)
{
	char *dir = test_scratch();
	struct dit_record_output *output = open_output(dir);
	struct dit_output_stored_index index = {0};
	struct dit_name name = {.id = 0};
	struct dit_span text = {0};
	uint64_t used = 0;

	fill(output, 1);
	publish(output);
	output = open_output(dir);
	assert_int_equal(dit_output_find_ad(output, 1, &text), 1);
	assert_true(dit_span_eq(text, DIT_SPAN("cn")));
	assert_int_equal(dit_output_find_ad(output, 2, &text), 0);
	assert_int_equal(dit_output_find_child(output, 0, DIT_SPAN("dc=one"), &name), 1);
	assert_true(name.is_child && name.id == 1 && name.nsubs == 1);
	assert_int_equal(dit_output_find_child(output, 1, DIT_SPAN("dc=one"), &name), 0);
	assert_int_equal(dit_output_find_name(output, 1, &name), 1);
	assert_true(!name.is_child && name.id == 0);
	assert_true(dit_span_eq(name.norm, DIT_SPAN("dc=one")));
	assert_int_equal(dit_output_find_name(output, 2, &name), 0);
	assert_int_equal(dit_output_find_entry(output, 2, &text), 1);
	assert_true(dit_span_eq(text, DIT_SPAN("late entry")));
	assert_int_equal(dit_output_find_entry(output, 3, &text), 0);
	assert_int_equal(dit_output_find_index(&output->base, "cn", &index), 1);
	assert_true(index.is_integerkey && index.key_len == 4);
	assert_int_equal(dit_output_find_index(&output->base, "sn", &index), 1);
	assert_false(index.is_integerkey);
	assert_int_equal(dit_output_find_index(&output->base, "dn2i", &index),
	                 DIT_E_CORRUPT);
	assert_int_equal(dit_output_find_index(&output->base, "uid", &index), 0);
	assert_true(dit_output_used_bytes(&output->base, &used) && used > 4096);
	dit_output_abandon(&output->base);
}

TEST(lists_are_continued)
{
	static const struct {
		bool is_repeated;
		uint64_t ids[4];
		size_t nids;
		const char *want;
	} cases[] = {
		{false, {5}, 1, "aaaa=1 aaaa=2 aaaa=5 "},
		{true, {5, 6}, 2, "aaaa=0 aaaa=1 aaaa=6 "},
		{false, {5}, 0, "aaaa=1 aaaa=2 "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *dir = test_scratch();
		struct dit_record_output *output = open_output(dir);
		struct dit_output_index index = {.name = "cn", .is_integerkey = true};
		struct dit_posting_list list = {.key = DIT_SPAN("aaaa"),
		                                .ids = cases[i].ids,
		                                .nids = cases[i].nids,
		                                .is_repeated = cases[i].is_repeated};
		struct dit_output_table *table = NULL;

		fill(output, 1);
		publish(output);
		output = open_output(dir);
		assert_int_equal(dit_output_add_index(&output->base, &index), 0);
		assert_int_equal(dit_output_expect_postings(&output->base, 2), 0);
		assert_int_equal(dit_output_open_part(&output->base, 0, 0, &table), 0);
		assert_int_equal(dit_output_put_lists(table, &list, 1), 0);
		assert_int_equal(dit_output_finish(table, NULL), 0);
		publish(output);
		assert_dump(dir, "cn", cases[i].want);
		assert_dump(dir, "sn", "aaaa=1 ");
		test_scratch_remove(dir);
	}
}

TEST(an_output_that_gets_nothing_changes_nothing)
{
	char *dir = test_scratch();
	struct dit_record_output *output = open_output(dir);
	struct stat before;
	struct stat after;

	fill(output, 1);
	publish(output);
	assert_int_equal(stat(fixture_path(dir, "data.mdb"), &before), 0);
	output = open_output(dir);
	add_index(output, "cn", true);
	put_index(output, 0, "aaaa", NULL, 0);
	assert_int_equal(dit_output_begin_changes(output), 0);
	publish(output);
	assert_int_equal(stat(fixture_path(dir, "data.mdb"), &after), 0);
	assert_true(before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
	            before.st_mtim.tv_nsec == after.st_mtim.tv_nsec &&
	            before.st_ino == after.st_ino);
}

/* ---- records that are filled later ---- */

#define NBATCHES  24
#define PER_BATCH 50

struct room {
	char *space; /* NULL: nothing is left to do */
	size_t len;
	uint64_t id;
};

struct batch {
	struct room rooms[PER_BATCH];
	size_t n;
	size_t mark;
};

/* Holes, short records, some at both sides of what fits a leaf, long ones. */
static size_t len_of(uint64_t id)
{
	static const size_t lens[] = {8, 0, 96, 400, 700, 1200, 8, 1800, 250, 16, 900};

	if (id % 97 == 0) {
		return 3000 + id % 5000;
	}
	if (id == 400 || id == 401) {
		return 600000; /* more than a chunk */
	}
	return id % 31 < 3 ? 2008 + 8 * (id % 31)
	                   : lens[id % (sizeof(lens) / sizeof(lens[0]))];
}

static void fill_room(const struct room *room)
{
	for (size_t i = 0; i < room->len && room->space != NULL; i++) {
		room->space[i] = (char)(room->id * 7 + i);
	}
}

/* A member's work, backwards. */
static void *fill_batch(void *arg)
{
	struct batch *batch = arg;

	for (size_t i = batch->n; i > 0; i--) {
		fill_room(&batch->rooms[i - 1]);
	}
	return NULL;
}

static struct dit_table_writer *writer_of(struct dit_record_output *output)
{
	struct dit_table_writer *pages = NULL;

	assert_int_equal(dit_output_entry_writer(output, &pages), 0);
	assert_int_equal(pages == NULL, output->is_append);
	return pages;
}

/* @param is_later  the thread of the batch before fills meanwhile */
static void put_batch(struct dit_record_output *output, struct batch *batch,
                      uint64_t first, size_t lasting_max, bool is_later)
{
	batch->n = 0;
	for (uint64_t id = first; id < first + PER_BATCH; id++) {
		size_t len = len_of(id);
		struct room room = {.len = len, .id = id};
		void *space = NULL;

		assert_int_equal(dit_output_reserve_entry(output, id, len, &space), 0);
		room.space = space;
		if (!is_later || len > lasting_max) {
			fill_room(&room);
			room.space = NULL;
		}
		batch->rooms[batch->n++] = room;
	}
	if (is_later) {
		struct dit_table_writer *pages = writer_of(output);

		batch->mark = pages == NULL ? 0 : dit_table_writer_mark(pages);
	}
}

static void put_batches(struct dit_record_output *output, uint64_t first, bool is_later)
{
	struct batch *batches = calloc(NBATCHES, sizeof(*batches));
	struct dit_table_writer *pages = is_later ? writer_of(output) : NULL;
	size_t lasting_max = 0;
	pthread_t thread;

	assert_non_null(batches);
	if (pages != NULL) {
		lasting_max = dit_table_writer_hold(pages, sizeof(uint64_t));
		assert_true(lasting_max >= 2000);
	}
	for (size_t i = 0; i < NBATCHES; i++) {
		if (i > 0) {
			assert_int_equal(pthread_create(&thread, NULL, fill_batch,
			                                &batches[i - 1]),
			                 0);
		}
		put_batch(output, &batches[i], first + i * PER_BATCH, lasting_max,
		          is_later);
		if (i > 1 && pages != NULL) {
			assert_int_equal(
				dit_table_writer_release(pages, batches[i - 2].mark), 0);
		}
		if (i > 0) {
			assert_int_equal(pthread_join(thread, NULL), 0);
		}
	}
	fill_batch(&batches[NBATCHES - 1]);
	free(batches);
}

static void put_database(const char *dir, uint64_t first, bool is_later)
{
	struct dit_record_output *output = open_output(dir);

	put_batches(output, first, is_later);
	publish(output);
}

static void assert_same_files(const char *a, const char *b)
{
	size_t lens[2] = {0, 0};
	char *bytes[2];

	bytes[0] = test_read_file(fixture_path(a, "data.mdb"), &lens[0]);
	bytes[1] = test_read_file(fixture_path(b, "data.mdb"), &lens[1]);
	assert_int_equal(lens[0], lens[1]);
	assert_memory_equal(bytes[0], bytes[1], lens[0]);
	free(bytes[0]);
	free(bytes[1]);
}

static void assert_later_is_the_same(void)
{
	char *once = test_scratch();
	char *later = test_scratch();

	for (unsigned i = 0; i < 2; i++) {
		uint64_t first = 1 + (uint64_t)i * NBATCHES * PER_BATCH;

		put_database(once, first, false);
		put_database(later, first, true);
		assert_same_files(once, later);
	}
	assert_int_equal(fixture_count(once), 2 * NBATCHES * PER_BATCH);
	test_scratch_remove(once);
	test_scratch_remove(later);
}

TEST(records_may_be_filled_later)
{
	assert_later_is_the_same();
	if (is_lmdb_10) {
		assert_int_equal(fixture_use_sealed(state), 0);
		assert_later_is_the_same();
		fixture_sealed = NULL;
	}
}

int main(void)
{
	static const struct {
		enum dit_output_writer writer;
		bool is_lmdb_10;
	} runs[] = {
		{DIT_WRITER_DEFAULT, false},
		{DIT_WRITER_APPEND, false},
		{DIT_WRITER_PAGES, true},
	};
	int nfailed = 0;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		writer = runs[i].writer;
		is_lmdb_10 = runs[i].is_lmdb_10;
		nfailed += test_run("tests", NULL, NULL);
	}
	return nfailed;
}
