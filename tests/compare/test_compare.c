/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The comparison finds every difference that counts, says what it is, and passes over
 * those that do not count.
 */

#include "base/error.h"
#include "compare/compare.h"
#include "output/store_fixture.h"

/* ---- running it ---- */

struct lines {
	char text[20000]; /* each followed by a newline */
	size_t len;
};

static void collect(void *ctx, const struct dit_report *report)
{
	struct lines *lines = ctx;

	assert_int_equal(report->kind, DIT_REPORT_DIAGNOSTIC);
	lines->len +=
		(size_t)snprintf(lines->text + lines->len,
	                         sizeof(lines->text) - lines->len, "%s\n", report->text);
	assert_true(lines->len < sizeof(lines->text));
}

/* The content of an environment: a tree; an entry cn=x, of raw words; or another one. */
struct content {
	struct fixture_variant tree;
	size_t nwords;
	uint32_t words[14];
	void (*fill)(struct dit_record_output *staging);
};

static void put_words(struct dit_record_output *staging, const struct content *content)
{
	assert_int_equal(dit_output_put_ad(staging, 1, DIT_SPAN("cn")), 0);
	fixture_put_self(1, "cn=x", 0);
	fixture_put_entry(staging, 1, content->words, content->nwords * sizeof(uint32_t));
}

static char *make(const struct content *content)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);

	if (content->tree.sn != NULL) {
		fixture_put_tree(staging, content->tree);
	} else if (content->nwords > 0) {
		put_words(staging, content);
	} else if (content->fill != NULL) {
		content->fill(staging);
	}
	(void)fixture_publish(staging);
	return dir;
}

/* Both ways round; the second time only the number. */
static uint64_t compare(struct dit_compare_opts opts, const struct content *first,
                        const struct content *second, struct lines *lines)
{
	char *a = make(first);
	char *b = make(second);
	uint64_t n = 99;
	uint64_t again = 99;

	opts.size = sizeof(opts);
	opts.first = a;
	opts.second = b;
	lines->len = 0;
	lines->text[0] = '\0';
	assert_int_equal(dit_compare(&opts, collect, lines, &n), 0);
	opts.first = b;
	opts.second = a;
	assert_int_equal(dit_compare(&opts, NULL, NULL, &again), 0);
	assert_int_equal(n, again);
	test_scratch_remove(a);
	test_scratch_remove(b);
	return n;
}

/* ---- contents ---- */

static const uint64_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static const struct content nothing[] = {{.nwords = 0}};
static const struct content tree[] = {{.tree = {.sn = "Roe"}}};
static const struct content tree_padded[] = {{.tree = {.sn = "Roe", .padding = 'x'}}};
static const struct content tree_other_sn[] = {{.tree = {.sn = "R\"o\xc3"}}};
static const struct content tree_with_hole[] = {{.tree = {.sn = "Roe", .is_hole = true}}};

/* An entry, made of raw words. */
#define WORDS(n, ...)                                                                    \
 {                                                                                       \
  {                                                                                      \
   .nwords = (n), .words = { __VA_ARGS__ }                                               \
  }                                                                                      \
 }

static const struct content entry_flags_a[] = WORDS(8, 1, 2, 0x100, 3, 1, 1, 1, 'v');
static const struct content entry_flags_b[] = WORDS(8, 1, 2, 0x10100, 3, 1, 1, 1, 'v');
static const struct content entry_slots[] = WORDS(8, 1, 3, 0x100, 3, 1, 1, 1, 'v');
static const struct content entry_sorted[] =
	WORDS(8, 1, 2, 0x100, 3, 1u | 1u << 31, 1, 1, 'v');
static const struct content entry_split[] = WORDS(6, 1, 2, 0x100, 2, 1u | 1u << 30, 1);
static const struct content entry_normal[] =
	WORDS(10, 1, 4, 0x100, 4, 1, 1u | 1u << 31, 1, 1, 'v' | 'v' << 16, 0);
static const struct content entry_normal_w[] =
	WORDS(10, 1, 4, 0x100, 4, 1, 1u | 1u << 31, 1, 1, 'v' | 'w' << 16, 0);
static const struct content entry_ab[] =
	WORDS(10, 1, 3, 0x100, 4, 1, 2, 1, 1, 'a' | 'b' << 16, 0);
static const struct content entry_ba[] =
	WORDS(10, 1, 3, 0x100, 4, 1, 2, 1, 1, 'b' | 'a' << 16, 0);
/* An attribute twice, the second time with a normal form. */
static const struct content entry_blocks[] = WORDS(
	14, 2, 6, 0x100, 7, 1, 1, 1, 1, 1u | 1u << 31, 1, 1, 'a' | 'b' << 16, 'b', 0);
static const struct content entry_damaged[] = WORDS(8, 1000, 2, 0x100, 3, 1, 1, 1, 'v');

static void put_names_a(struct dit_record_output *staging)
{
	(void)staging;
	fixture_put_self(1, "cn=p", 0);
	fixture_put_child(1, "cn=a", 2, 1);
	fixture_put_child(1, "cn=b", 3, 1);
}
static const struct content names_a[] = {{.fill = put_names_a}};

static void put_names_b(struct dit_record_output *staging)
{
	(void)staging;
	fixture_put_self(1, "cn=p", 0);
	fixture_put_child(1, "cn=a", 2, 2);
	fixture_put_self(2, "cn=a", 1);
}
static const struct content names_b[] = {{.fill = put_names_b}};

static void put_ads_a(struct dit_record_output *staging)
{
	assert_int_equal(dit_output_put_ad(staging, 1, DIT_SPAN("cn")), 0);
}
static const struct content ads_a[] = {{.fill = put_ads_a}};

static void put_ads_b(struct dit_record_output *staging)
{
	assert_int_equal(dit_output_put_ad(staging, 1, DIT_SPAN("sn")), 0);
	assert_int_equal(dit_output_put_ad(staging, 2, DIT_SPAN("cn")), 0);
}
static const struct content ads_b[] = {{.fill = put_ads_b}};

static void put_index_a(struct dit_record_output *staging)
{
	static const uint64_t range[] = {0, 5, 900};

	fixture_begin_index(staging, "cn", false);
	fixture_put_key("aaaa", 4, ids, 2);
	fixture_put_key("bbbb", 4, ids, 12);
	fixture_put_key("cccc", 4, range, 3);
	fixture_begin_index(staging, "only", false);
}
static const struct content index_a[] = {{.fill = put_index_a}};

static void put_index_b(struct dit_record_output *staging)
{
	static const uint64_t range[] = {0, 5, 901};

	fixture_begin_index(staging, "cn", false);
	fixture_put_key("aaab", 4, ids, 1);
	fixture_put_key("bbbb", 4, ids, 3);
	fixture_put_key("cccc", 4, range, 3);
}
static const struct content index_b[] = {{.fill = put_index_b}};

static void put_index_integer(struct dit_record_output *staging)
{
	fixture_begin_index(staging, "cn", true);
	fixture_put_key("b\0\0a", 4, ids, 12);
	fixture_put_key("a\0\0b", 4, ids, 1);
	fixture_put_key("c\0\0c", 4, ids, 2);
}
static const struct content index_integer[] = {{.fill = put_index_integer}};

static void put_index_bytes(struct dit_record_output *staging)
{
	fixture_begin_index(staging, "cn", false);
	fixture_put_key("a\0\0b", 4, ids, 1);
	fixture_put_key("b\0\0a", 4, ids, 12);
	fixture_put_key("c\0\0c", 4, ids, 2);
}
static const struct content index_bytes[] = {{.fill = put_index_bytes}};

static void put_index_bytes_others(struct dit_record_output *staging)
{
	fixture_begin_index(staging, "cn", false);
	fixture_put_key("a\0\0b", 4, ids + 1, 1);
	fixture_put_key("b\0\0a", 4, ids, 12);
	fixture_put_key("d\0\0d", 4, ids, 2);
	fixture_put_key("long key", 8, ids, 2);
}
static const struct content index_bytes_others[] = {{.fill = put_index_bytes_others}};

static void put_index_empty(struct dit_record_output *staging)
{
	fixture_begin_index(staging, "cn", true);
}
static const struct content index_empty[] = {{.fill = put_index_empty}};

/* Every kind of difference that "generated" is about, and one that it is not. */
static void generated(struct dit_record_output *staging, const char *uuid,
                      const char *stamp, const char *modifier)
{
	static const char *const ads[] = {"entryUUID", "createTimestamp",
	                                  "modifiersName"};
	const struct fixture_attr attrs[] = {
		{1, uuid, uuid},
		{2, stamp, NULL},
		{3, modifier, modifier},
	};
	char record[500];

	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(dit_output_put_ad(staging, i + 1, dit_span_of(ads[i])),
		                 0);
	}
	fixture_put_entry(staging, 1, record, fixture_entry(record, attrs, 3, 0x100, 0));
	fixture_begin_index(staging, "entryUUID", false);
	fixture_put_key(uuid, 4, ids, 1);
	fixture_begin_index(staging, "modifiersName", false);
	fixture_put_key(modifier, 4, ids, 1);
}

static void put_generated_a(struct dit_record_output *staging)
{
	generated(staging, "11111111", "20200101000000Z", "cn=root");
}
static const struct content generated_a[] = {{.fill = put_generated_a}};

static void put_generated_b(struct dit_record_output *staging)
{
	generated(staging, "22222222", "20210101000000Z", "cn=root");
}
static const struct content generated_b[] = {{.fill = put_generated_b}};

static void put_generated_c(struct dit_record_output *staging)
{
	generated(staging, "11111111", "20200101000000Z", "xx=user");
}
static const struct content generated_c[] = {{.fill = put_generated_c}};

static void put_generated_d(struct dit_record_output *staging)
{
	generated(staging, "22222222", "20200101000000.5Z", "cn=root");
}
static const struct content generated_d[] = {{.fill = put_generated_d}};

static void put_index_odd(struct dit_record_output *staging)
{
	fixture_begin_index(staging, "\xff\x1b[31m", false);
	fixture_put_key("aaaa", 4, ids, 2);
	fixture_put_key("bbbb", 4, ids, 2);
}
static const struct content index_odd[] = {{.fill = put_index_odd}};

static void put_index_odd_less(struct dit_record_output *staging)
{
	fixture_begin_index(staging, "\xff\x1b[31m", false);
}
static const struct content index_odd_less[] = {{.fill = put_index_odd_less}};

static void put_many_a(struct dit_record_output *staging)
{
	for (uint64_t id = 1; id <= 30; id++) {
		fixture_put_entry(staging, id, NULL, 0);
	}
}
static const struct content many_a[] = {{.fill = put_many_a}};

/* ---- tests ---- */

TEST(each_difference_is_found_and_named)
{
	/* clang-format off */
	static const struct {
		const char *name;
		const struct content *first;
		const struct content *second;
		struct dit_compare_opts opts;
		uint64_t n;
		const char *text;
	} cases[] = {
		{"odd name", index_odd, nothing, {0}, 1,
		 "\\ff\\1b[31m: this database is only in the first\n"},
		{"odd name, many", index_odd, index_odd_less,
		 {.nreports_max = 1, .is_exact = true}, 2,
		 "\\ff\\1b[31m: key 61616161, only in the first: 2 IDs: 1 2\n"
		 "\\ff\\1b[31m: 1 more differences\n"},
		{"same", tree, tree, {0}, 0, ""},
		{"same, exact", tree, tree, {.is_exact = true}, 0, ""},
		{"both empty", nothing, nothing, {0}, 0, ""},
		{"padding", tree, tree_padded, {0}, 0, ""},
		{"padding, exact", tree, tree_padded, {.is_exact = true}, 0, ""},
		{"value", tree, tree_other_sn, {0}, 1,
		 "id2e: \"cn=b,dc=example,dc=com\", sn: \"Roe\" | \"R\\22o\\c3\"\n"},
		{"value, exact", tree, tree_other_sn, {.is_exact = true}, 1,
		 "id2e: \"cn=b,dc=example,dc=com\", sn: \"Roe\" | \"R\\22o\\c3\"\n"},
		{"hole", tree, tree_with_hole, {0}, 1,
		 "id2e: \"cn=a,dc=example,dc=com\", only in the first\n"},
		{"hole, exact", tree, tree_with_hole, {.is_exact = true}, 1,
		 "id2e: \"cn=a,dc=example,dc=com\", only in the first\n"},
		{"holes", many_a, nothing, {0}, 0, ""},
		{"names", names_a, names_b, {.is_exact = true}, 4,
		 "dn2i: key 0100000000000000, only in the first: child 2, \"cn=a\", "
		 "pretty \"cn=a\", subtree 1\n"
		 "dn2i: key 0100000000000000, only in the second: child 2, \"cn=a\", "
		 "pretty \"cn=a\", subtree 2\n"
		 "dn2i: key 0100000000000000, only in the first: child 3, \"cn=b\", "
		 "pretty \"cn=b\", subtree 1\n"
		 "dn2i: key 0200000000000000, only in the second: self, parent 1, "
		 "\"cn=a\", pretty \"cn=a\"\n"},
		{"attribute numbers", ads_a, ads_b, {0}, 0, ""},
		{"attribute numbers, exact", ads_a, ads_b, {.is_exact = true}, 2,
		 "ad2i: key 01000000: \"cn\" | \"sn\"\n"
		 "ad2i: key 02000000, only in the second: \"cn\"\n"},
		{"index", index_a, index_b, {.is_exact = true}, 5,
		 "cn: key 61616161, only in the first: 2 IDs: 1 2\n"
		 "cn: key 61616162, only in the second: 1 IDs: 1\n"
		 "cn: key 62626262: 12 IDs: ... 4 5 6 7 8 9 10 11 ... | 3 IDs: ...\n"
		 "cn: key 63636363: range 5..900 | range 5..901\n"
		 "only: this database is only in the first\n"},
		{"index of no entries", index_a, index_b, {0}, 3,
		 "cn: 11 IDs without an entry, as 12, only in the first\n"
		 "cn: 1 IDs without an entry, as 1, only in the second\n"
		 "only: this database is only in the first\n"},
		{"the same index of no entries", index_a, index_a, {0}, 0, ""},
		{"integer keys, same content", index_integer, index_bytes, {0}, 0, ""},
		{"integer keys, same content, exact", index_integer, index_bytes,
		 {.ignore_integerkey = true, .is_exact = true}, 0, ""},
		{"integer keys on both sides", index_integer, index_integer, {0}, 0, ""},
		{"integer keys not ignored", index_integer, index_bytes,
		 {.is_exact = true}, 1,
		 "cn: flags 0x3c | 0x34\n"},
		{"integer keys, other content", index_integer, index_bytes_others,
		 {.ignore_integerkey = true, .is_exact = true}, 4,
		 "cn: key 61000062: 1 IDs: 1 | 1 IDs: 2\n"
		 "cn: key 63000063, only in the first: 2 IDs: 1 2\n"
		 "cn: key 64000064, only in the second: 2 IDs: 1 2\n"
		 "cn: key 6c6f6e67206b6579, only in the second: 2 IDs: 1 2\n"},
		{"integer keys, nothing there", index_empty, index_bytes,
		 {.ignore_integerkey = true, .is_exact = true}, 3,
		 "cn: key 61000062, only in the second: 1 IDs: 1\n"
		 "cn: key 62000061, only in the second: 12 IDs: 1 2 3 4 5 6 7 8 ...\n"
		 "cn: key 63000063, only in the second: 2 IDs: 1 2\n"},
		{"generated values", generated_a, generated_b, {0}, 2,
		 "id2e: ID 1, entryUUID: \"11111111\" | \"22222222\"\n"
		 "id2e: ID 1, createTimestamp: \"20200101000000Z\" | "
		 "\"20210101000000Z\"\n"},
		{"generated values ignored", generated_a, generated_b,
		 {.ignore_generated = true}, 0, ""},
		{"generated values ignored, exact", generated_a, generated_b,
		 {.ignore_generated = true, .is_exact = true}, 0, ""},
		{"generated values of another length", generated_a, generated_d,
		 {.ignore_generated = true}, 1,
		 "id2e: ID 1, createTimestamp: \"20200101000000Z\" | "
		 "\"20200101000000.5Z\"\n"},
		{"others are not ignored with them", generated_a, generated_c,
		 {.ignore_generated = true, .is_exact = true}, 3,
		 "id2e: ID 1, modifiersName: \"cn=root\" | \"xx=user\"\n"
		 "modifiersName: key 636e3d72, only in the first: 1 IDs: 1\n"
		 "modifiersName: key 78783d75, only in the second: 1 IDs: 1\n"},
		{"few lines", many_a, nothing, {.nreports_max = 1, .is_exact = true}, 30,
		 "id2e: key 0100000000000000, only in the first: a hole\n"
		 "id2e: 29 more differences\n"},
		{"object class flags", entry_flags_a, entry_flags_b, {0}, 1,
		 "id2e: \"cn=x\", the flags of object classes differ\n"},
		{"slots", entry_flags_a, entry_slots, {0}, 1,
		 "id2e: \"cn=x\", the second is damaged\n"},
		{"sorted", entry_flags_a, entry_sorted, {0}, 0, ""},
		{"sorted, exact", entry_flags_a, entry_sorted, {.is_exact = true}, 1,
		 "id2e: \"cn=x\", stored in another order or form\n"},
		{"a normal form like the value", entry_flags_a, entry_normal, {0}, 0, ""},
		{"a normal form like the value, exact", entry_flags_a, entry_normal,
		 {.is_exact = true}, 1,
		 "id2e: \"cn=x\", stored in another order or form\n"},
		{"another normal form", entry_normal, entry_normal_w, {0}, 1,
		 "id2e: \"cn=x\", cn: \"v\", normal \"v\" | \"v\", normal \"w\"\n"},
		{"other order", entry_ab, entry_ba, {0}, 0,
		 "id2e: 1 entry differs in the order of values alone\n"},
		{"other order, exact", entry_ab, entry_ba, {.is_exact = true}, 1,
		 "id2e: \"cn=x\", stored in another order or form\n"},
		{"blocks", entry_blocks, entry_ba, {0}, 0,
		 "id2e: 1 entry differs in the order of values alone\n"},
		{"blocks on both sides", entry_blocks, entry_blocks, {0}, 0, ""},
		{"blocks, exact", entry_ab, entry_blocks, {.is_exact = true}, 1,
		 "id2e: \"cn=x\", stored in another order or form\n"},
		{"blocks, other values", entry_blocks, entry_flags_a, {0}, 1,
		 "id2e: \"cn=x\", cn: \"a\" \"b\" | \"v\"\n"},
		{"split", entry_flags_a, entry_split, {0}, 1,
		 "id2e: \"cn=x\", cn, only in the first: \"v\"\n"},
		{"damage", entry_flags_a, entry_damaged, {0}, 1,
		 "id2e: \"cn=x\", the second is damaged\n"},
		{"the same damage", entry_damaged, entry_damaged, {0}, 0, ""},
		{"attributes", generated_a, tree, {.ignore_generated = true}, 6, NULL},
	};
	/* clang-format on */
	struct lines *lines = test_alloc(sizeof(*lines));

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t n =
			compare(cases[i].opts, cases[i].first, cases[i].second, lines);

		if (n != cases[i].n ||
		    (cases[i].text != NULL && strcmp(lines->text, cases[i].text) != 0)) {
			print_error("%s: %llu\n%s", cases[i].name, (unsigned long long)n,
			            lines->text);
			fail();
		}
	}
}

static void add_db(const char *dir, const char *name, unsigned flags, size_t item)
{
	MDB_txn *txn = test_begin(dir, 0);
	MDB_dbi dbi = test_dbi(txn, name, MDB_CREATE | flags);

	if (item > 0) {
		test_put(txn, dbi, "key1", 4, "item that is long enough", item);
	}
	test_commit(txn);
}

TEST(ixck_on_one_side_does_not_count)
{
	char *a = make(tree);
	char *b = make(tree);
	struct dit_compare_opts opts = {.size = sizeof(opts), .first = a, .second = b};
	uint64_t n = 99;

	add_db(b, "ixck", MDB_INTEGERKEY, 0);
	assert_int_equal(dit_compare(&opts, NULL, NULL, &n), 0);
	assert_int_equal(n, 0);
	add_db(b, "other", 0, 0);
	assert_int_equal(dit_compare(&opts, NULL, NULL, &n), 0);
	assert_int_equal(n, 1);
}

TEST(index_items_that_are_no_ids_are_an_error)
{
	char *a = make(nothing);
	char *b = make(nothing);
	struct dit_compare_opts opts = {.size = sizeof(opts), .first = a, .second = b};
	uint64_t n = 99;

	add_db(a, "cn", MDB_DUPSORT | MDB_DUPFIXED, 5);
	add_db(b, "cn", MDB_DUPSORT | MDB_DUPFIXED, 5);
	assert_int_equal(dit_compare(&opts, NULL, NULL, &n), DIT_E_CORRUPT);
	assert_int_equal(n, 99);
}

TEST(bad_directories_are_refused)
{
	char *a = make(nothing);
	struct dit_compare_opts opts = {.size = sizeof(opts), .first = a, .second = a};
	uint64_t n = 99;

	assert_int_equal(dit_compare(&opts, NULL, NULL, &n), -EINVAL);
	opts.second = "/nonexistent";
	assert_int_equal(dit_compare(&opts, NULL, NULL, &n), -ENOENT);
	opts.first = "/nonexistent";
	opts.second = a;
	assert_int_equal(dit_compare(&opts, NULL, NULL, &n), -ENOENT);
	opts.first = NULL;
	assert_int_equal(dit_compare(&opts, NULL, NULL, &n), -EINVAL);
	opts.first = a;
	opts.second = NULL;
	assert_int_equal(dit_compare(&opts, NULL, NULL, &n), -EINVAL);
}

TEST(a_comparison_can_be_stopped)
{
	static const volatile sig_atomic_t stop = 1;
	char *a = make(tree);
	char *b = make(tree);
	struct dit_compare_opts opts = {
		.size = sizeof(opts), .first = a, .second = b, .stop = &stop};
	uint64_t n = 99;

	assert_int_equal(dit_compare(&opts, NULL, NULL, &n), DIT_E_STOPPED);
	assert_int_equal(n, 99);
}

static void note_progress(void *ctx, const struct dit_progress *progress)
{
	struct dit_progress *last = ctx;

	assert_true(progress->phase == last->phase || progress->phase == last->phase + 1);
	assert_int_equal(progress->unit, progress->phase == DIT_COMPARE_RECORDS
	                                         ? DIT_PROGRESS_RECORDS
	                                         : DIT_PROGRESS_PAGES);
	assert_true(progress->done <= progress->total);
	assert_true(progress->done >= last->done || progress->phase > last->phase);
	assert_true(progress->bytes_read >= last->bytes_read);
	assert_true(progress->bytes_read <= progress->bytes_total);
	*last = *progress;
}

TEST(progress_is_told)
{
	struct dit_progress last = {.total = 0};
	char *a = make(tree);
	char *b = make(tree);
	struct dit_compare_opts opts = {.size = sizeof(opts),
	                                .first = a,
	                                .second = b,
	                                .threads = 3,
	                                .progress = note_progress,
	                                .progress_ctx = &last};
	uint64_t n = 99;

	assert_int_equal(dit_compare(&opts, NULL, NULL, &n), 0);
	assert_int_equal(n, 0);
	/* At the beginning at least. */
	assert_int_equal(last.phase, DIT_COMPARE_RECORDS);
	assert_true(last.total > 0);
	assert_true(last.bytes_read > 0);
	assert_int_equal(last.threads, 3);
}

/* Another process makes databases in three transactions. */
static void commit_thrice(const char *dir)
{
	static const char *const names[] = {"one", "two", "three"};
	pid_t pid = test_fork();

	if (pid == 0) {
		for (unsigned i = 0; i < 3; i++) {
			add_db(dir, names[i], 0, 0);
		}
		_exit(0);
	}
	assert_int_equal(test_wait(pid), 0);
}

static void commit_to_both(void *ctx, const struct dit_progress *progress)
{
	const struct dit_compare_opts **opts = ctx;

	if (*opts != NULL && progress->phase == DIT_COMPARE_FIRST) {
		commit_thrice((*opts)->first);
		commit_thrice((*opts)->second);
		*opts = NULL;
	}
}

/* Afterwards no meta page has the states that are compared. */
TEST(commits_during_a_comparison_do_not_matter)
{
	char *a = make(tree);
	char *b = make(tree);
	const struct dit_compare_opts *wants = NULL;
	struct dit_compare_opts opts = {.size = sizeof(opts),
	                                .first = a,
	                                .second = b,
	                                .progress = commit_to_both,
	                                .progress_ctx = &wants};
	uint64_t n = 99;

	wants = &opts;
	assert_int_equal(dit_compare(&opts, NULL, NULL, &n), 0);
	assert_int_equal(n, 0);
	assert_null(wants);
}
