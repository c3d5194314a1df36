/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values apart from their entries are read back in the order in which they were written,
 * whatever that is, key by key in the order of IDs and numbers.
 */
#include "base/error.h"
#include "store_fixture.h"

#define MANY 3000

static int put(struct dit_staging *staging, uint64_t id, uint16_t ad, const char *a,
               const char *b)
{
	struct dit_span records[2] = {dit_span_of(a), {NULL, 0}};

	if (b != NULL) {
		records[1] = dit_span_of(b);
	}
	return dit_staging_put_split(staging, id, ad, records, b == NULL ? 1 : 2);
}

/* "ID/number:value" of each record, separated by spaces. */
static char *text_of(const char *directory)
{
	struct dit_snapshot *snapshot = NULL;
	struct dit_scan *scan = NULL;
	struct dit_span key;
	struct dit_span value;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(dit_snapshot_open(&snapshot, directory), 0);
	assert_int_equal(dit_scan_open(&scan, snapshot, "id2v"), 0);
	while (dit_scan_next(scan, &key, &value) == 1) {
		uint64_t id = 0;
		uint16_t ad = 0;

		assert_int_equal(key.len, 10);
		memcpy(&id, key.data, sizeof(id));
		memcpy(&ad, key.data + sizeof(id), sizeof(ad));
		(void)fprintf(out, "%llu/%u:%.*s ", (unsigned long long)id, ad,
		              DIT_SPAN_ARGS(value));
	}
	dit_scan_close(scan);
	dit_snapshot_close(snapshot);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void keys_are_numbers_and_values_keep_their_order(void **state)
{
	char *dir = test_scratch();
	struct dit_staging *staging = fixture_open(dir);
	char *text = NULL;
	(void)state;

	assert_int_equal(put(staging, 2, 3, "zz", "aaa"), 0);
	assert_int_equal(put(staging, 2, 256, "b", NULL), 0);
	assert_int_equal(put(staging, 2, 257, "b", "a"), 0);
	assert_int_equal(put(staging, 256, 1, "c", NULL), 0);
	(void)fixture_publish(staging);
	text = text_of(dir);
	assert_string_equal(text, "2/3:zz 2/3:aaa 2/256:b 2/257:b 2/257:a 256/1:c ");
	free(text);
	test_scratch_remove(dir);
}

static void an_earlier_entry_finds_its_place(void **state)
{
	char *dir = test_scratch();
	struct dit_staging *staging = fixture_open(dir);
	char *text = NULL;
	(void)state;

	assert_int_equal(put(staging, 1, 9, "x", "y"), 0);
	assert_int_equal(put(staging, 300, 2, "p", "o"), 0);
	assert_int_equal(put(staging, 5, 8, "d", "c"), 0);
	assert_int_equal(put(staging, 5, 9, "b", "a"), 0);
	assert_int_equal(put(staging, 301, 1, "z", NULL), 0);
	(void)fixture_publish(staging);
	text = text_of(dir);
	assert_string_equal(text, "1/9:x 1/9:y 5/8:d 5/8:c 5/9:b 5/9:a 300/2:p 300/2:o "
	                          "301/1:z ");
	free(text);
	test_scratch_remove(dir);
}

static void a_key_is_written_once(void **state)
{
	char *dir = test_scratch();
	struct dit_staging *staging = fixture_open(dir);
	(void)state;

	assert_int_equal(put(staging, 7, 1, "a", NULL), 0);
	assert_int_equal(put(staging, 8, 1, "a", NULL), 0);
	assert_int_equal(put(staging, 7, 1, "b", NULL), MDB_KEYEXIST);
	/* The first error sticks. */
	assert_int_equal(put(staging, 9, 1, "a", NULL), MDB_KEYEXIST);
	dit_staging_abandon(staging);
	test_scratch_remove(dir);
}

static void a_record_that_lmdb_cannot_hold_is_an_error(void **state)
{
	char *dir = test_scratch();
	struct dit_staging *staging = fixture_open(dir);
	char value[513];
	(void)state;

	memset(value, 'v', sizeof(value));
	value[512] = '\0';
	assert_int_equal(put(staging, 7, 1, value + 1, NULL), 0);
	assert_int_equal(put(staging, 8, 1, value, NULL), MDB_BAD_VALSIZE);
	dit_staging_abandon(staging);
	test_scratch_remove(dir);
}

/* Lists far larger than a page, behind and in front of others, in descending order. */
static void long_lists_come_back_whole(void **state)
{
	static const uint64_t ids[] = {10, 30, 20};
	static char text[MANY][300];
	static struct dit_span records[MANY];
	char *dir = test_scratch();
	struct dit_staging *staging = fixture_open(dir);
	struct dit_snapshot *snapshot = NULL;
	struct dit_scan *scan = NULL;
	struct dit_span key;
	struct dit_span value;
	size_t n = 0;
	(void)state;

	for (size_t i = 0; i < MANY; i++) {
		int len = snprintf(text[i], sizeof(text[i]), "%06zu%*s", MANY - i,
		                   (int)(i % 250), "");

		records[i] = (struct dit_span){text[i], (size_t)len};
	}
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(dit_staging_put_split(staging, ids[i], 5, records, MANY),
		                 0);
	}
	(void)fixture_publish(staging);
	assert_int_equal(dit_snapshot_open(&snapshot, dir), 0);
	assert_int_equal(dit_scan_open(&scan, snapshot, "id2v"), 0);
	while (dit_scan_next(scan, &key, &value) == 1) {
		uint64_t id = 0;

		memcpy(&id, key.data, sizeof(id));
		assert_int_equal(id, 10 + n / MANY * 10);
		assert_true(dit_span_eq(value, records[n % MANY]));
		n++;
	}
	assert_int_equal(n, (size_t)3 * MANY);
	dit_scan_close(scan);
	dit_snapshot_close(snapshot);
	test_scratch_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_numbers_and_values_keep_their_order),
		cmocka_unit_test(an_earlier_entry_finds_its_place),
		cmocka_unit_test(a_key_is_written_once),
		cmocka_unit_test(a_record_that_lmdb_cannot_hold_is_an_error),
		cmocka_unit_test(long_lists_come_back_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
