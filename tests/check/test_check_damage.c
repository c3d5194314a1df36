/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every way to damage the content of a database that we could think of: each is done by
 * liblmdb to a copy of one database, is found, and has the right name and place. What
 * else is found with it does not matter here. One thread and three find the same, and
 * two find it next to a damaged index. Loops, CSNs and long lists have their own tests.
 *
 * The database:
 *
 *   1  dc=x                 contextCSN
 *   2    ou=a       4, 5, 6  cn=p1, cn=p2, cn=p3
 *   3    ou=b       7        cn=p4
 *   8    ou=hole    9        cn=p5
 */
#include "test.h"

#include "check/check.h"
#include "check/content_records.h"
#include "load/load_fixture.h"

/* ---- the damages ---- */

#define DAMAGE(kind, words, name, ...)                                                   \
 static void damage_##name(MDB_txn *txn)                                                 \
 {                                                                                       \
  __VA_ARGS__                                                                            \
 }
#include "content_damages.h"
#undef DAMAGE

static const struct damage {
	const char *kind;
	const char *words;
	const char *name;
	void (*damage)(MDB_txn *txn);
} damages[] = {
#define DAMAGE(kind, words, name, ...) {kind, words, #name, damage_##name},
#include "content_damages.h"
#undef DAMAGE
};
#define NDAMAGES (sizeof(damages) / sizeof(damages[0]))

/* ---- the database ---- */

static const char ldif[] = "dn: dc=x\nobjectClass: domain\ndc: x\n"
			   "entryCSN: 20260101000000.000001Z#000000#000#000000\n"
			   "contextCSN: 20260101000000.000005Z#000000#000#000000\n\n"
			   "dn: ou=a,dc=x\nobjectClass: organizationalUnit\nou: a\n"
			   "entryCSN: 20260101000000.000002Z#000000#000#000000\n\n"
			   "dn: ou=b,dc=x\nobjectClass: organizationalUnit\nou: b\n"
			   "entryCSN: 20260101000000.000002Z#000000#000#000000\n\n";

static void write_people(struct load_fixture *fixture)
{
	FILE *file = fopen(fixture->input, "w");

	assert_non_null(file);
	(void)fputs(ldif, file);
	for (int i = 1; i <= 5; i++) {
		(void)fprintf(
			file,
			"dn: cn=p%d,ou=%s,dc=x\nobjectClass: person\ncn: p%d\n"
			"sn: Common %d\nuidNumber: %d\ntelephoneNumber: +1 666-0%d\n"
			"telephoneNumber: +1 555-0%d\ndescription: one\n"
			"description: two\ndescription: three\nseeAlso: cn=P1, dc=x\n"
			"entryCSN: 20260101000000.00000%dZ#000000#000#000000\n\n",
			i,
			i < 4    ? "a"
			: i == 4 ? "b"
				 : "hole",
			i, i, i, i, i, i == 3 ? 5 : 1);
	}
	assert_int_equal(fclose(file), 0);
}

/* "sortvals" stands after the schema, before the database. */
static void add_global(const char *path, const char *line)
{
	char *command = test_text("sed -i 's/^database mdb/%s\\n&/' '%s'", line, path);

	assert_int_equal(system(command), 0);
}

static struct load_fixture *load(void)
{
	struct load_fixture *fixture = load_fixture_new("multival description 2,1\n");
	struct dit_load_opts opts = load_fixture_opts(fixture);
	struct dit_load_stats stats;

	add_global(fixture->conf, "sortvals telephoneNumber");
	write_people(fixture);
	opts.byte_keys = true;
	opts.keep_going = true;
	(void)dit_load(&opts, &stats);
	if (stats.nmissing != 1) {
		fail_msg("%s", fixture->reports);
	}
	dit_load_stats_deinit(&stats);
	return fixture;
}

/* ---- checks ---- */

struct told {
	char text[1u << 20];
	size_t len;
	bool has_left_out; /* the index that is damaged */
	bool is_strict;
};

/* A sound directory may show these (doc/sound.md). */
static bool is_of_sound(const char *kind)
{
	static const char *const kinds[] = {
		"context-csn", "hole",      "index-pending", "index-unused",
		"name-absent", "split-few", "value-unsorted"};
	bool is_found = false;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		is_found |= strcmp(kind, kinds[i]) == 0;
	}
	return is_found;
}

static void note_finding(void *ctx, const struct dit_check_finding *finding)
{
	struct told *told = ctx;

	assert_true(finding->is_note == (!told->is_strict && is_of_sound(finding->kind)));
	told->len += (size_t)snprintf(
		told->text + told->len, sizeof(told->text) - told->len, "%s",
		finding->database == NULL ? "-" : finding->database);
	if (finding->id != 0) {
		told->len += (size_t)snprintf(told->text + told->len,
		                              sizeof(told->text) - told->len, ", ID %llu",
		                              (unsigned long long)finding->id);
	}
	told->len +=
		(size_t)snprintf(told->text + told->len, sizeof(told->text) - told->len,
	                         "%s%s%s%s: %s [%s]\n", finding->dn == NULL ? "" : ", ",
	                         finding->dn == NULL ? "" : finding->dn,
	                         finding->attribute == NULL ? "" : ", ",
	                         finding->attribute == NULL ? "" : finding->attribute,
	                         finding->text, finding->kind);
	assert_true(told->len < sizeof(told->text));
}

static void note_report(void *ctx, const struct dit_report *report)
{
	struct told *told = ctx;

	if (strstr(report->text, "\"ditindex telephoneNumber\" mends it") == NULL) {
		fail_msg("%s", report->text);
	}
	told->has_left_out = true;
}

static uint64_t check(const struct load_fixture *fixture, const char *directory,
                      unsigned nthreads, struct told *told)
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
	struct dit_check_stats stats;
	uint64_t nfindings = 0;

	told->len = 0;
	told->text[0] = '\0';
	told->has_left_out = false;
	opts.conf = fixture->conf;
	opts.path = directory;
	opts.threads = nthreads;
	opts.is_strict = told->is_strict;
	opts.found = note_finding;
	opts.found_ctx = told;
	opts.report = note_report;
	opts.report_ctx = told;
	assert_int_equal(dit_check(&opts, &stats), 0);
	nfindings = stats.nfindings;
	dit_check_stats_deinit(&stats);
	return nfindings;
}

static void copy_database(const char *from, const char *to)
{
	char *command = test_text("rm -f '%s'/*; cp '%s'/data.mdb '%s'/", to, from, to);

	assert_int_equal(system(command), 0);
}

static void damage_database(const char *directory, void (*damage)(MDB_txn *txn))
{
	MDB_txn *txn = test_begin(directory, MDB_NOSYNC);

	damage(txn);
	test_commit(txn);
}

/* A line with the words and the kind. */
static bool has_line(const char *text, const char *words, const char *kind)
{
	char *wanted = test_text("[%s]", kind);

	for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
		const char *end = strchr(line, '\n');
		const char *found = strstr(line, words);
		const char *named = strstr(line, wanted);

		if (found != NULL && found < end && named != NULL && named < end) {
			return true;
		}
	}
	return false;
}

static bool try_damage(const struct load_fixture *fixture, const struct damage *damage)
{
	static struct told told;
	static struct told again;
	uint64_t n = 0;

	copy_database(fixture->database, fixture->subordinate);
	damage_database(fixture->subordinate, damage->damage);
	n = check(fixture, fixture->subordinate, 1, &told);
	if (!has_line(told.text, damage->words, damage->kind)) {
		print_error("%s: no %s with \"%s\", but\n%s", damage->name, damage->kind,
		            damage->words, told.text);
		return false;
	}
	assert_int_equal(check(fixture, fixture->subordinate, 3, &again), n);
	assert_string_equal(again.text, told.text);

	load_fixture_damage_tree(fixture->subordinate, "telephoneNumber");
	(void)check(fixture, fixture->subordinate, 2, &again);
	if (!has_line(again.text, damage->words, damage->kind) || !again.has_left_out) {
		print_error("%s, an index damaged: %s", damage->name, again.text);
		return false;
	}
	return true;
}

TEST(every_damage_is_found_and_named)
{
	struct load_fixture *fixture = load();
	unsigned nmissed = 0;

	for (size_t i = 0; i < NDAMAGES; i++) {
		nmissed += !try_damage(fixture, &damages[i]);
	}
	print_message("%zu kinds of damage\n", NDAMAGES);
	assert_int_equal(nmissed, 0);
}

/* Two circles, with nodes that lead to one of them. */
static void damage_circles(MDB_txn *txn)
{
	put_circle(txn, 1000, 3);
	put_circle(txn, 2000, 1);
	put_name(txn, 500, self("cn=first", 501));
	put_name(txn, 501, self("cn=second", 1001));
	put_name(txn, 3000, self("cn=last", 1002));
	put_name(txn, 3001, self("cn=nowhere", 9999));
}

TEST(each_circle_is_told_once)
{
	struct load_fixture *fixture = load();
	static struct told told;
	const char *first = NULL;
	const char *second = NULL;

	copy_database(fixture->database, fixture->subordinate);
	damage_database(fixture->subordinate, damage_circles);
	(void)check(fixture, fixture->subordinate, 2, &told);
	first = strstr(told.text, "[name-loop]");
	assert_non_null(first);
	second = strstr(first + 1, "[name-loop]");
	assert_non_null(second);
	assert_null(strstr(second + 1, "[name-loop]"));
	assert_true(has_line(told.text,
	                     "ID 1000: the parents form a circle: 1000, 1001, "
	                     "1002, 1000 ",
	                     "name-loop"));
	assert_true(has_line(told.text, "ID 2000: the parents form a circle: 2000, 2000 ",
	                     "name-loop"));
}

/* ---- what is no damage ---- */

/* The keys of such an entry are not known. */
TEST(postings_of_an_entry_that_cannot_be_read_are_no_findings)
{
	struct load_fixture *fixture = load();
	static struct told told;

	copy_database(fixture->database, fixture->subordinate);
	damage_database(fixture->subordinate, damage_entry_cut);
	(void)check(fixture, fixture->subordinate, 2, &told);
	assert_true(has_line(told.text, "ID 6, cn=p3,ou=a,dc=x: ", "entry-record"));
	assert_null(strstr(told.text, "posting-surplus"));
}

/* An entry with an ID is missing: the newest change may have been its removal. */
TEST(a_context_csn_may_be_that_of_a_removal)
{
	struct load_fixture *fixture = load();
	static struct told told;

	copy_database(fixture->database, fixture->subordinate);
	damage_database(fixture->subordinate, damage_context_newer);
	damage_database(fixture->subordinate, damage_entry_missing);
	(void)check(fixture, fixture->subordinate, 2, &told);
	assert_true(has_line(told.text, "ID 6, cn=p3,ou=a,dc=x: ", "name-entry"));
	assert_null(strstr(told.text, "context-csn"));
}

static void do_nothing(MDB_txn *txn)
{
	(void)txn;
}

/* A range that lost entries, as slapd leaves it. */
static void leave_ranges(MDB_txn *txn)
{
	make_range(txn, "cn", presence(), 1, 99);
	put_posting(txn, "cn", bytes("abcd", 4), 0);
	put_posting(txn, "cn", bytes("abcd", 4), 7);
	put_posting(txn, "cn", bytes("abcd", 4), 50);
}

TEST(what_slapd_leaves_is_clean)
{
	void (*const changes[])(MDB_txn * txn) = {do_nothing, leave_ranges};
	struct load_fixture *fixture = load();
	static struct told told;

	for (int i = 0; i < 2; i++) {
		copy_database(fixture->database, fixture->subordinate);
		damage_database(fixture->subordinate, changes[i]);
		assert_int_equal(check(fixture, fixture->subordinate, 2, &told), 0);
		assert_string_equal(told.text, "id2e, ID 8, ou=hole,dc=x: a node without "
		                               "an entry: it was never added [hole]\n");
	}
	told.is_strict = true;
	assert_int_equal(check(fixture, fixture->subordinate, 2, &told), 1);
}
