/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values apart from their entries are read back in the order in which they were written,
 * whatever that is, key by key in the order of IDs and numbers.
 */
#include "store_fixture.h"

#define MANY 3000

/* Each test runs with both writers. */
static enum dit_output_writer kind = DIT_WRITER_PAGES;

static int use_append_writer(void **state)
{
	(void)state;
	kind = DIT_WRITER_APPEND;
	return 0;
}

static int put(struct dit_record_output *staging, uint64_t id, uint16_t ad, const char *a,
               const char *b)
{
	int r = fixture_put_split(staging, id, ad, dit_span_of(a));

	return r < 0 || b == NULL ? r
	                          : fixture_put_split(staging, id, ad, dit_span_of(b));
}

/* "ID/number:value" of each record, separated by spaces. */
static char *text_of(const char *directory)
{
	struct dit_snapshot *snapshot = NULL;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span value;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(fixture_open_snapshot(&snapshot, directory), 0);
	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, "id2v"), 0);
	while (dit_tree_cursor_next(cursor, &key, &value) == 1) {
		uint64_t id = 0;
		uint16_t ad = 0;

		assert_int_equal(key.len, 10);
		memcpy(&id, key.data, sizeof(id));
		memcpy(&ad, key.data + sizeof(id), sizeof(ad));
		(void)fprintf(out, "%llu/%u:%.*s ", (unsigned long long)id, ad,
		              DIT_SPAN_ARGS(value));
	}
	dit_tree_cursor_close(cursor);
	dit_snapshot_close(snapshot);
	assert_int_equal(fclose(out), 0);
	return text;
}

TEST(keys_are_numbers_and_values_keep_their_order)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open_for_changes(dir, kind);
	char *text = NULL;
	uint64_t bytes = 0;

	assert_int_equal(put(staging, 2, 3, "zz", "aaa"), 0);
	assert_int_equal(put(staging, 2, 256, "b", NULL), 0);
	assert_int_equal(put(staging, 2, 257, "b", "a"), 0);
	assert_int_equal(put(staging, 256, 1, "c", NULL), 0);
	assert_int_equal(fixture_end(staging, &bytes), 0);
	text = text_of(dir);
	assert_string_equal(text, "2/3:zz 2/3:aaa 2/256:b 2/257:b 2/257:a 256/1:c ");
	free(text);
}

TEST(keys_out_of_order_are_refused)
{
	static const struct {
		uint64_t id;
		uint16_t ad;
	} below[] = {{7, 1}, {7, 9}, {8, 1}, {6, 3}};

	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = fixture_open_for_changes(dir, kind);

		assert_int_equal(put(staging, 7, 1, "a", "b"), 0);
		assert_int_equal(put(staging, 8, 2, "a", NULL), 0);
		assert_int_equal(put(staging, below[i].id, below[i].ad, "b", NULL),
		                 MDB_KEYEXIST);
		fixture_abandon(staging);
		test_scratch_remove(dir);
	}
}

TEST(a_record_that_lmdb_cannot_hold_is_an_error)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open_for_changes(dir, kind);
	char value[513];

	memset(value, 'v', sizeof(value));
	value[512] = '\0';
	assert_int_equal(put(staging, 7, 1, value + 1, NULL), 0);
	assert_int_equal(put(staging, 8, 1, value, NULL), MDB_BAD_VALSIZE);
	fixture_abandon(staging);
}

/* Lists far larger than a page, in descending order. */
TEST(long_lists_come_back_whole)
{
	static const uint64_t ids[] = {10, 20, 30};
	static char text[MANY][300];
	static struct dit_span records[MANY];
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open_for_changes(dir, kind);
	struct dit_snapshot *snapshot = NULL;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span value;
	size_t n = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < MANY; i++) {
		int len = snprintf(text[i], sizeof(text[i]), "%06zu%*s", MANY - i,
		                   (int)(i % 250), "");

		records[i] = (struct dit_span){text[i], (size_t)len};
	}
	for (size_t i = 0; i < (size_t)3 * MANY; i++) {
		assert_int_equal(
			fixture_put_split(staging, ids[i / MANY], 5, records[i % MANY]),
			0);
	}
	assert_int_equal(fixture_end(staging, &bytes), 0);
	snapshot = fixture_snapshot(dir);
	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, "id2v"), 0);
	while (dit_tree_cursor_next(cursor, &key, &value) == 1) {
		uint64_t id = 0;

		memcpy(&id, key.data, sizeof(id));
		assert_int_equal(id, 10 + n / MANY * 10);
		assert_true(dit_span_eq(value, records[n % MANY]));
		n++;
	}
	assert_int_equal(n, (size_t)3 * MANY);
	dit_tree_cursor_close(cursor);
}

int main(void)
{
	return test_run("pages", NULL, NULL) +
	       test_run("append", use_append_writer, NULL);
}
