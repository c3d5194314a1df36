/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the check of an index: lists that were made next to those that are stored,
 * with lists of LIST_MAX IDs at most, in all formats of keys.
 */
#include "test.h"

#include <errno.h>

#include "check/check_content.h"
#include "indexing/builders_fixture.h"
#include "output/store_fixture.h"

struct told {
	char text[4000];
	size_t len;
};

static void note(void *ctx, const struct dit_check_finding *finding)
{
	struct told *told = ctx;

	told->len +=
		(size_t)snprintf(told->text + told->len, sizeof(told->text) - told->len,
	                         "%s %s %llu %s: %s\n", finding->database, finding->kind,
	                         (unsigned long long)finding->id,
	                         finding->dn == NULL ? "-" : finding->dn, finding->text);
}

static const uint64_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const uint64_t range[] = {0, 1, 9};

/* Stored keys: three of cn, one of sn that is too long, one of tINT. */
static char *make_database(void)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);

	fixture_put_tree(staging, FIXTURE_VARIANT);
	fixture_begin_index(staging, "cn", true);
	fixture_put_key("\x01\0\0\0", 4, ids, 3);
	fixture_put_key("\x02\0\0\0", 4, ids, 4);
	fixture_put_key("\x00\x01\0\0", 4, range, 3);
	fixture_begin_index(staging, "sn", false);
	fixture_put_key("aaaa", 4, ids, 6);
	fixture_put_key("bbbb", 4, ids, 3);
	fixture_begin_index(staging, "tINT", false);
	fixture_put_key("a key that is long", 18, ids, 2);
	(void)fixture_publish(staging);
	return dir;
}

static void push_all(struct dit_builders *builders, unsigned db, uint64_t ordinal,
                     uint64_t first, uint64_t last)
{
	for (uint64_t id = first; id <= last; id++) {
		push(builders, 0, db, id, ordinal);
	}
}

static void check_all(const char *dir, struct dit_index_set *set,
                      struct dit_builders *builders, struct told *told)
{
	uint64_t unread[] = {4, 6};
	struct dit_check_content content = {.indexes = set,
	                                    .builders = builders,
	                                    .list_max = LIST_MAX,
	                                    .unread = unread,
	                                    .nunread = 2};
	struct dit_check_member member = {.content = &content};

	assert_int_equal(dit_builders_finish(builders), 0);
	assert_int_equal(dit_snapshot_open(&content.snapshot, dir), 0);
	assert_int_equal(dit_check_findings_new(&content.findings, 0, false), 0);
	assert_int_equal(dit_dn_reader_new(&member.dns, content.snapshot, 0), 0);
	for (size_t db = 0; db < NDBS; db++) {
		assert_int_equal(dit_check_index(&member, db), 0);
	}
	*told = (struct told){.len = 0};
	assert_int_equal(
		dit_check_findings_tell(content.findings, "data.mdb", note, told), 0);
	dit_dn_reader_free(member.dns);
	dit_check_findings_free(content.findings);
	dit_snapshot_close(content.snapshot);
}

static void lists_and_ranges_are_compared(void **state)
{
	struct fixture *f = *state;
	struct dit_index_set *set = five_databases(f);
	char *dir = make_database();
	struct dit_builders *builders = new_builders(set, dir, 1);
	struct told told;

	/* cn: one too few; one too many, but it could not be read; within the range. */
	push_all(builders, INT32, 1, 1, 4);
	push_all(builders, INT32, 2, 1, 3);
	push_all(builders, INT32, 256, 1, 9);
	/* sn: a list where a range belongs, too long and too short. */
	push_all(builders, BYTES32, 0x61616161, 1, 6);
	push_all(builders, BYTES32, 0x62626262, 1, 6);
	/* A database that is missing, with keys and without; one key too few. */
	push(builders, 0, SHORT, 1,
	     dit_index_key_ordinal(dit_index_set_db(set, SHORT), DIT_SPAN("time!")));
	push_key(builders, 0, WIDE, 1, "a key that is long");
	push_key(builders, 0, WIDE, 2, "a key that is long");
	push_key(builders, 0, WIDE, 3, "another key");
	check_all(dir, set, builders, &told);
	assert_string_equal(
		told.text,
		"cn posting-missing 4 -: the entry has the key 01000000, and is not in "
		"its list\n"
		"sn index-length 0 -: the list of the key 61616161 has 6 IDs; by idlexp "
		"one of more than 4 is a range\n"
		"sn posting-missing 1 dc=example,dc=com: more than 4 entries, this one among "
		"them, have the key 62626262, and its list has 3\n"
		"tGT index-missing 0 -: the index is configured, and its database is "
		"missing\n"
		"tINT posting-missing 3 cn=b,dc=example,dc=com: the entry has the key "
		"616e6f74686572206b6579, and is not in its list\n");
	dit_builders_free(builders);
	dit_index_set_free(set);
	test_scratch_remove(dir);
}

static void ranges_must_cover(void **state)
{
	struct fixture *f = *state;
	struct dit_index_set *set = five_databases(f);
	char *dir = make_database();
	struct dit_builders *builders = new_builders(set, dir, 1);
	struct told told;

	/* The range 1 to 9 leaves out 10, of a range and of a list; 3 alone it has. */
	push_all(builders, INT32, 1, 1, 3);
	push_all(builders, INT32, 2, 1, 4);
	push_all(builders, INT32, 256, 2, 10);
	push_all(builders, BYTES32, 0x61616161, 1, 6);
	push_all(builders, BYTES32, 0x62626262, 1, 3);
	push_key(builders, 0, WIDE, 1, "a key that is long");
	push_key(builders, 0, WIDE, 2, "a key that is long");
	check_all(dir, set, builders, &told);
	assert_string_equal(
		told.text,
		"cn index-range 10 -: the entry has the key 00010000, whose range 1 to 9 "
		"leaves it out\n"
		"sn index-length 0 -: the list of the key 61616161 has 6 IDs; by idlexp "
		"one of more than 4 is a range\n");
	dit_builders_free(builders);
	dit_index_set_free(set);
	test_scratch_remove(dir);
}

static void keys_of_no_entry_are_surplus(void **state)
{
	struct fixture *f = *state;
	struct dit_index_set *set = five_databases(f);
	char *dir = make_database();
	struct dit_builders *builders = new_builders(set, dir, 1);
	struct told told;

	check_all(dir, set, builders, &told);
	assert_string_equal(
		told.text,
		"cn posting-surplus 1 dc=example,dc=com: the entry and 2 others are in the list "
		"of the key 01000000, and do not have the key\n"
		"cn posting-surplus 1 dc=example,dc=com: the entry and 2 others are in the list "
		"of the key 02000000, and do not have the key\n"
		"sn posting-surplus 1 dc=example,dc=com: the entry and 2 others are in the list "
		"of the key 62626262, and do not have the key\n"
		"sn posting-surplus 1 dc=example,dc=com: the entry and 3 others are in the list "
		"of the key 61616161, and do not have the key\n"
		"tINT posting-surplus 1 dc=example,dc=com: the entry and 1 others are in the "
		"list of the key 61206b65792074686174206973206c6f6e67, and do not have "
		"the key\n");
	dit_builders_free(builders);
	dit_index_set_free(set);
	test_scratch_remove(dir);
}

static void a_check_can_be_stopped(void **state)
{
	static const volatile sig_atomic_t flag = 1;
	const struct dit_stop stop = {.flag = &flag};
	struct fixture *f = *state;
	struct dit_index_set *set = five_databases(f);
	char *dir = make_database();
	struct dit_builders *builders = new_builders(set, dir, 1);
	struct dit_check_content content = {
		.indexes = set, .builders = builders, .stop = &stop};
	struct dit_check_member member = {.content = &content};

	assert_int_equal(dit_builders_finish(builders), 0);
	assert_int_equal(dit_snapshot_open(&content.snapshot, dir), 0);
	assert_int_equal(dit_check_index(&member, INT32), DIT_E_STOPPED);
	dit_snapshot_close(content.snapshot);
	dit_builders_free(builders);
	dit_index_set_free(set);
	test_scratch_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_ranges_are_compared),
		cmocka_unit_test(ranges_must_cover),
		cmocka_unit_test(keys_of_no_entry_are_surplus),
		cmocka_unit_test(a_check_can_be_stopped),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
