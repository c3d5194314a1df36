/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of sizes: what the members of a walk note is summed up for each database;
 * ranges are counted, the longest lists are known, longest first, of equal ones the lower
 * key. No memory is an error.
 */
#include "test.h"

#include "check/check_sizes.h"
#include "nomem.h"

#define INDEX (DIT_DB_DUPSORT | DIT_DB_DUPFIXED | DIT_DB_INTEGERDUP)

struct told {
	char text[4000];
	size_t len;
};

static void note(void *ctx, const struct dit_check_database *database)
{
	struct told *told = ctx;

	assert_string_equal(database->file, "data.mdb");
	assert_int_equal(database->page_bytes, 4096);
	told->len += (size_t)snprintf(
		told->text + told->len, sizeof(told->text) - told->len,
		"%s%s: %llu keys, %llu records, %llu bytes, %llu used, %llu entries, "
		"%llu ranges;",
		database->name, database->is_index ? " (index)" : "",
		(unsigned long long)database->nkeys,
		(unsigned long long)database->nrecords,
		(unsigned long long)database->bytes,
		(unsigned long long)database->used_bytes,
		(unsigned long long)database->nentries,
		(unsigned long long)database->nranges);
	if (database->has_presence) {
		told->len += (size_t)snprintf(
			told->text + told->len, sizeof(told->text) - told->len,
			" present %llu%s;", (unsigned long long)database->npresent,
			database->is_presence_range ? ", a range" : "");
	}
	for (size_t i = 0; i < database->nlongest; i++) {
		told->len += (size_t)snprintf(
			told->text + told->len, sizeof(told->text) - told->len,
			" %.*s%s%s %llu", DIT_SPAN_ARGS(database->longest[i].key),
			database->longest[i].value == NULL ? "" : "=",
			database->longest[i].value == NULL ? ""
							   : database->longest[i].value,
			(unsigned long long)database->longest[i].nids);
	}
	told->len += (size_t)snprintf(told->text + told->len,
	                              sizeof(told->text) - told->len, "\n");
	assert_true(told->len < sizeof(told->text));
}

static void list(struct dit_check_sizes *sizes, unsigned member, size_t database,
                 const char *key, uint64_t nitems, uint64_t first)
{
	const uint64_t ids[] = {first, 2, 3};
	struct dit_walk_list seen = {
		.database = database,
		.key = dit_span_of(key),
		.nitems = nitems,
		.items = {(const char *)ids, nitems == 3 ? sizeof(ids) : 0}};

	dit_check_sizes_note(sizes, member, &seen);
}

static void take(struct dit_check_sizes *sizes, const char *name, unsigned flags,
                 uint64_t nkeys)
{
	char text[20];
	struct dit_walk_size size = {.name = text,
	                             .flags = flags,
	                             .depth = 2,
	                             .nkeys = nkeys,
	                             .nitems = 2 * nkeys,
	                             .nbranches = 1,
	                             .nleaves = 2,
	                             .noverflows = 3,
	                             .used_bytes = 5000};

	(void)snprintf(text, sizeof(text), "%s", name); /* it is copied */
	dit_check_sizes_take(sizes, &size);
}

/* Database 0 is an index, 1 is dn2i, 2 is id2e. */
static int tell(struct told *told)
{
	struct dit_check_sizes *sizes = NULL;
	int r = dit_check_sizes_new(&sizes, 3);

	told->len = 0;
	if (r < 0) {
		return r;
	}
	list(sizes, 0, 0, "a", 7, 1);
	list(sizes, 2, 0, "b", 3, 0); /* a range */
	list(sizes, 1, 0, "d", 9, 1);
	list(sizes, 1, 0, "c", 9, 1);
	list(sizes, 1, 0, "e", 1, 1);
	list(sizes, 1, 0, "f", 3, 2); /* no range: its first ID is 2 */
	list(sizes, 2, 0, "g", 4, 0); /* nor this */
	list(sizes, 2, 0, "h", 2, 1);
	list(sizes, 2, 1, "i", 3, 0);
	take(sizes, "cn", INDEX, 8);
	take(sizes, "dn2i", DIT_DB_DUPSORT, 5);
	take(sizes, "id2e", 0, 4);
	struct dit_check_list *c = dit_check_sizes_list(sizes, "cn", dit_span_of("c"));

	r = -ENOMEM;
	if (c != NULL && (c->value = strdup("first")) != NULL) {
		r = dit_check_sizes_tell(sizes, "data.mdb", 4096, note, told);
	}
	if (r == 0) {
		/* Those that have a value, and that are none of the longest. */
		assert_null(dit_check_sizes_list(sizes, "cn", dit_span_of("c")));
		assert_null(dit_check_sizes_list(sizes, "cn", dit_span_of("z")));
		assert_null(dit_check_sizes_list(sizes, "sn", dit_span_of("d")));
		assert_non_null(dit_check_sizes_list(sizes, "cn", dit_span_of("d")));
	}
	dit_check_sizes_free(sizes);
	return r;
}

TEST(what_members_noted_is_summed_up)
{
	struct told told;

	assert_int_equal(tell(&told), 0);
	assert_string_equal(
		told.text,
		"cn (index): 8 keys, 16 records, 24576 bytes, 5000 used, 4 entries, 1 "
		"ranges; c=first 9 d 9 a 7 g 4 f 3\n"
		"dn2i: 5 keys, 10 records, 24576 bytes, 5000 used, 4 entries, 0 ranges;\n"
		"id2e: 4 keys, 8 records, 24576 bytes, 5000 used, 4 entries, 0 ranges;\n");
}

TEST(the_key_of_presence_is_known)
{
	static const struct {
		size_t key_len;
		uint64_t nitems;
		uint64_t first;
		const char *expected;
	} cases[] = {{4, 9, 1, "present 9;"},
	             {8, 9, 1, "present 9;"},
	             {4, 3, 0, "present 0, a range;"},
	             {5, 9, 1, NULL}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t ids[9] = {cases[i].first};
		struct dit_walk_list seen = {
			.key = {"\0\0\0\0\0\0\0\0", cases[i].key_len},
			.nitems = cases[i].nitems,
			.items = {(const char *)ids, cases[i].nitems * sizeof(*ids)}};
		struct dit_check_sizes *sizes = NULL;
		struct told told = {.len = 0};

		assert_int_equal(dit_check_sizes_new(&sizes, 2), 0);
		dit_check_sizes_note(sizes, 1, &seen);
		seen.is_more = true;
		dit_check_sizes_note(sizes, 1, &seen);
		list(sizes, 0, 0, "abcd", 1, 1);
		take(sizes, "cn", INDEX, 8);
		assert_int_equal(
			dit_check_sizes_tell(sizes, "data.mdb", 4096, note, &told), 0);
		dit_check_sizes_free(sizes);
		assert_true((strstr(told.text, "present") != NULL) ==
		            (cases[i].expected != NULL));
		if (cases[i].expected != NULL) {
			assert_non_null(strstr(told.text, cases[i].expected));
		}
	}
}

TEST(no_memory_is_an_error)
{
	struct told told;

	assert_in_range(calls_until_memory(tell(&told)), 9, 30);
}

/* More than are kept, the lower keys last. */
TEST(of_equal_lists_the_lower_ones_are_kept)
{
	struct dit_check_sizes *sizes = NULL;
	struct told told = {.len = 0};
	char key[10];

	assert_int_equal(dit_check_sizes_new(&sizes, 1), 0);
	for (int i = DIT_CHECK_LONGEST; i >= 0; i--) {
		(void)snprintf(key, sizeof(key), "k%02d", i);
		list(sizes, 0, 0, key, 5, 1);
	}
	take(sizes, "cn", INDEX, 8);
	assert_int_equal(dit_check_sizes_tell(sizes, "data.mdb", 4096, note, &told), 0);
	assert_non_null(strstr(told.text, " k00 5"));
	(void)snprintf(key, sizeof(key), " k%02d 5", (int)DIT_CHECK_LONGEST);
	assert_null(strstr(told.text, key));
	dit_check_sizes_free(sizes);
}
