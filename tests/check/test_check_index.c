/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the check of an index: postings that entries make next to lists that are
 * stored, with lists of LIST_MAX IDs at most, in all formats of keys; in one pass, and in
 * passes of few postings each.
 */
#include "test.h"

#include "nomem.h"

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

/* A posting that an entry makes. */
struct posting {
	unsigned db;
	uint64_t id;
	uint64_t ordinal;
	const char *key; /* NULL: it has an ordinal */
};

static struct posting postings[100];
static size_t npostings;

static void push_all(unsigned db, uint64_t ordinal, uint64_t first, uint64_t last)
{
	for (uint64_t id = first; id <= last; id++) {
		postings[npostings++] = (struct posting){db, id, ordinal, NULL};
	}
}

static void push_wide(uint64_t id, const char *key)
{
	postings[npostings++] = (struct posting){WIDE, id, 0, key};
}

/* As a walk tells them: these lists are short. */
static void note_stored(struct dit_check_content *content)
{
	for (size_t db = 0; db < NDBS; db++) {
		struct dit_walk_list list = {
			.database = db,
			.name = dit_index_set_db(content->indexes, db)->name};
		struct dit_tree_cursor *cursor = NULL;

		if (dit_snapshot_cursor_open(&cursor, content->snapshot, 0, list.name) <
		    0) {
			continue;
		}
		while (dit_tree_cursor_next_list(cursor, &list.key, &list.items) > 0) {
			list.nitems = list.items.len / sizeof(uint64_t);
			dit_check_sums_note(content->sums, 0, &list);
		}
		dit_tree_cursor_close(cursor);
	}
	assert_int_equal(dit_check_sums_end_walk(content->sums), 0);
}

static void sum_up(const struct dit_check_content *content)
{
	for (size_t i = 0; i < npostings; i++) {
		const struct posting *p = &postings[i];

		dit_check_sums_begin(content->sums, 0, p->id);
		assert_int_equal(
			p->key == NULL ? dit_check_sums_push(content->sums, 0, p->db,
		                                             &p->ordinal, 1)
				       : dit_check_sums_push_key(content->sums, 0, p->db,
		                                                 dit_span_of(p->key)),
			0);
	}
	dit_check_sums_end(content->sums);
}

static int collect_once(struct dit_check_content *content)
{
	int r = 0;

	for (size_t i = 0; i < npostings && r == 0; i++) {
		const struct posting *p = &postings[i];
		char bytes[8];
		struct dit_span key = {p->key, 0};

		if (p->key != NULL) {
			key.len = strlen(p->key);
		} else {
			key.data = bytes;
			key.len = dit_index_key_bytes(
				dit_index_set_db(content->indexes, p->db), p->ordinal,
				bytes);
		}
		r = dit_check_index_push(content, p->db, p->id, key);
	}
	return r;
}

static void collect(struct dit_check_content *content)
{
	int r = 0;

	while ((r = collect_once(content)) == DIT_E_FULL) {
		dit_check_pieces_narrow(&content->postings);
	}
	assert_int_equal(r, 0);
	dit_check_pieces_sort(&content->postings);
}

/* @return the number of passes */
static unsigned check_indexes(struct dit_check_content *content)
{
	unsigned npasses = 0;

	assert_int_equal(dit_dn_reader_new(&content->dns, content->snapshot, 0), 0);
	do {
		collect(content);
		for (size_t db = 0; db < NDBS; db++) {
			const char *name = dit_index_set_db(content->indexes, db)->name;

			if (dit_snapshot_db(content->snapshot, name) != NULL) {
				assert_int_equal(dit_check_index(content, db), 0);
			}
		}
		assert_int_equal(dit_check_index_rest(content), 0);
		npasses++;
	} while (dit_check_pieces_next(&content->postings));
	dit_dn_reader_free(content->dns);
	return npasses;
}

static unsigned check_all(const char *dir, struct dit_index_set *set,
                          uint64_t memory_bytes, struct told *told)
{
	uint64_t unread[] = {4, 6};
	struct dit_check_content content = {
		.indexes = set, .list_max = LIST_MAX, .unread = unread, .nunread = 2};
	const struct dit_check_sums_opts sums = {
		.indexes = set, .nmembers = 1, .list_max = LIST_MAX};
	unsigned npasses = 0;

	assert_int_equal(fixture_open_snapshot(&content.snapshot, dir), 0);
	assert_int_equal(dit_check_findings_new(&content.findings, 0,
	                                        DIT_CHECK_MEMBERSHIP_MISSING),
	                 0);
	assert_int_equal(dit_check_sums_new(&content.sums, &sums), 0);
	note_stored(&content);
	sum_up(&content);
	dit_check_pieces_init(&content.postings, memory_bytes, LIST_MAX);
	npasses = check_indexes(&content);
	*told = (struct told){.len = 0};
	assert_int_equal(
		dit_check_findings_tell(content.findings, "data.mdb", note, told), 0);
	dit_check_pieces_deinit(&content.postings);
	dit_check_sums_free(content.sums);
	dit_check_findings_free(content.findings);
	dit_snapshot_close(content.snapshot);
	return npasses;
}

static void assert_told(struct fixture *f, const char *expected)
{
	struct dit_index_set *set = five_databases(f);
	char *dir = make_database();
	struct told told;

	assert_int_equal(check_all(dir, set, 1 << 20, &told), 1);
	assert_string_equal(told.text, expected);
	/* Two postings, then one. */
	assert_int_equal(check_all(dir, set, 400, &told) > 1, npostings > 0);
	assert_string_equal(told.text, expected);
	assert_int_equal(check_all(dir, set, 0, &told) > 1, npostings > 0);
	assert_string_equal(told.text, expected);
	dit_index_set_free(set);
	test_scratch_remove(dir);
}

TEST(lists_and_ranges_are_compared)
{
	npostings = 0;
	/* cn: one too few; one too many, but it could not be read; within the range. */
	push_all(INT32, 1, 1, 4);
	push_all(INT32, 2, 1, 3);
	push_all(INT32, 256, 1, 9);
	/* sn: a list where a range belongs, too long and too short. */
	push_all(BYTES32, 0x61616161, 1, 6);
	push_all(BYTES32, 0x62626262, 1, 6);
	push_wide(1, "a key that is long");
	push_wide(2, "a key that is long");
	push_wide(3, "another key");
	push_wide(3, "another key"); /* an entry repeats a key */
	assert_told(*state,
	            "cn posting-missing 4 -: the entry has the key 01000000, and is "
	            "not in its list\n"
	            "sn index-length 0 -: the list of the key 61616161 has 6 IDs; by "
	            "idlexp one of more than 4 is a range\n"
	            "sn posting-missing 1 dc=example,dc=com: more than 4 entries, "
	            "this one among them, have the key 62626262, and its list has "
	            "3\n"
	            "tINT posting-missing 3 cn=b,dc=example,dc=com: the entry has "
	            "the key 616e6f74686572206b6579, and is not in its list\n");
}

TEST(ranges_must_cover)
{
	npostings = 0;
	/* The range 1 to 9 leaves out 10, of a range and of a list; 3 alone it has. */
	push_all(INT32, 1, 1, 3);
	push_all(INT32, 2, 1, 4);
	push_all(INT32, 256, 2, 10);
	push_all(BYTES32, 0x61616161, 1, 6);
	push_all(BYTES32, 0x62626262, 1, 3);
	push_wide(1, "a key that is long");
	push_wide(2, "a key that is long");
	assert_told(*state,
	            "cn index-range 10 -: the entry has the key 00010000, whose range "
	            "1 to 9 leaves it out\n"
	            "sn index-length 0 -: the list of the key 61616161 has 6 IDs; by "
	            "idlexp one of more than 4 is a range\n");
}

/* More IDs than a list may have, so the lowest and their least number are told. */
TEST(keys_that_are_not_stored_are_missing)
{
	npostings = 0;
	push_all(INT32, 1, 1, 3);
	push_all(INT32, 2, 1, 4);
	push_all(INT32, 7, 2, 5);
	push_all(INT32, 8, 2, 40);
	push_all(BYTES32, 0x61616161, 1, 6);
	push_all(BYTES32, 0x62626262, 1, 3);
	push_wide(1, "a key that is long");
	push_wide(2, "a key that is long");
	assert_told(
		*state,
		"cn posting-missing 2 cn=a,dc=example,dc=com: the entry and 3 others have "
		"the key 07000000, and are not in its list\n"
		"cn posting-missing 2 cn=a,dc=example,dc=com: the entry and 4 others have "
		"the key 08000000, and are not in its list\n"
		"sn index-length 0 -: the list of the key 61616161 has 6 IDs; by idlexp "
		"one of more than 4 is a range\n");
}

TEST(keys_of_no_entry_are_surplus)
{
	npostings = 0;
	assert_told(
		*state,
		"cn posting-surplus 1 dc=example,dc=com: the entry and 2 others are in the list "
		"of the key 01000000, and do not have the key\n"
		"cn posting-surplus 1 dc=example,dc=com: the entry and 2 others are in the list "
		"of the key 02000000, and do not have the key\n"
		"sn posting-surplus 1 dc=example,dc=com: the entry and 2 others are in the list "
		"of the key 62626262, and do not have the key\n"
		"sn posting-surplus 1 dc=example,dc=com: the entry and 3 others are in the list "
		"of the key 61616161, and do not have the key\n"
		"tINT posting-surplus 1 dc=example,dc=com: the entry and 1 other are in the "
		"list of the key 61206b65792074686174206973206c6f6e67, and do not have "
		"the key\n");
}

TEST(a_check_can_be_stopped)
{
	static const volatile sig_atomic_t flag = 1;
	const struct dit_stop stop = {.flag = &flag};
	struct dit_index_set *set = five_databases(*state);
	char *dir = make_database();
	struct dit_check_content content = {.indexes = set, .stop = &stop};

	assert_int_equal(fixture_open_snapshot(&content.snapshot, dir), 0);
	assert_int_equal(dit_check_index(&content, INT32), DIT_E_STOPPED);
	dit_snapshot_close(content.snapshot);
	dit_index_set_free(set);
}

static int work_without_memory(struct dit_check_content *content)
{
	int r = 0;

	dit_check_pieces_init(&content->postings, 1 << 20, LIST_MAX);
	for (uint64_t id = 1; id <= 3 && r == 0; id++) {
		r = dit_check_index_push(content, WIDE, id,
		                         DIT_SPAN("a key that is long"));
	}
	dit_check_pieces_deinit(&content->postings);
	return r;
}

TEST(no_memory_is_an_error)
{
	struct dit_check_content content = {.indexes = five_databases(*state)};
	const struct dit_check_sums_opts opts = {
		.indexes = content.indexes, .nmembers = 1, .list_max = LIST_MAX};

	assert_int_equal(dit_check_sums_new(&content.sums, &opts), 0);
	assert_int_equal(dit_check_sums_push_key(content.sums, 0, WIDE,
	                                         DIT_SPAN("a key that is long")),
	                 0);
	dit_check_sums_end(content.sums);
	assert_in_range(calls_until_memory(work_without_memory(&content)), 3, 10);
	dit_check_sums_free(content.sums);
	dit_index_set_free(content.indexes);
}

MAIN_WITH(setup, NULL)
