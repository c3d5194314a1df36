/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of dit_diff(): what is written whatever the number of threads, what is
 * counted, and how it ends when something fails. That ldapmodify takes the changes is
 * shown by oracle/diff.sh.
 */
#include "test.h"

#include <signal.h>

#include "base/error.h"
#include "diff/diff.h"
#include "export/export.h"
#include "load/load_fixture.h"
#include "nomem.h"

struct pair {
	struct load_fixture a;
	struct load_fixture b;
	char reports[4000];
	char text[200000];
	size_t len;
	int result; /* of the callback that takes the changes */
	volatile sig_atomic_t stop;
	char ldif[2][4300];            /* the states, as files */
	struct dit_load_stats made[2]; /* databases of these */
	struct dit_diff_opts opts;
	struct dit_diff_stats stats; /* of the latest difference */
};

static void note_report(void *ctx, const struct dit_report *report)
{
	struct pair *pair = ctx;

	test_append(pair->reports, "%s\n", report->text);
}

static int note_text(void *ctx, const char *data, size_t len)
{
	struct pair *pair = ctx;

	assert_true(pair->len + len < sizeof(pair->text));
	memcpy(pair->text + pair->len, data, len);
	pair->len += len;
	pair->text[pair->len] = '\0';
	return pair->result;
}

static const char *const unit = "dn: %sdc=x\nobjectClass: %s\n%s\n\n";

/* "NAME=VALUE,": an organizational unit; "": the topmost entry. */
static void add(FILE *file, const char *rdns, const char *text)
{
	char line[200];

	if (rdns[0] == '\0') {
		(void)fprintf(file, unit, "", "domain", "dc: x");
		return;
	}
	(void)snprintf(line, sizeof(line), "ou: %.*s%s%s", (int)strcspn(rdns + 3, ","),
	               rdns + 3, text[0] == '\0' ? "" : "\n", text);
	(void)fprintf(file, unit, rdns, "organizationalUnit", line);
}

/* Lines "RDNS|attributes". */
static void load(struct load_fixture *f, const char *const *lines)
{
	char *ldif = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&ldif, &len);
	struct dit_load_opts opts = load_fixture_opts(f);

	assert_non_null(file);
	for (; *lines != NULL; lines++) {
		char rdns[100];
		size_t n = strcspn(*lines, "|");

		(void)snprintf(rdns, sizeof(rdns), "%.*s", (int)n, *lines);
		add(file, rdns, (*lines)[n] == '\0' ? "" : *lines + n + 1);
	}
	assert_int_equal(fclose(file), 0);
	load_fixture_write(f, ldif);
	free(ldif);
	assert_int_equal(load_fixture_run(&opts), 0);
}

#define UUID(n) "entryUUID: 00000000-0000-4000-8000-00000000000" #n

static const char *const before[] = {
	"",
	"ou=a,|" UUID(1) "\ndescription: one\ndescription: two",
	"ou=b,|" UUID(2),
	"ou=below,ou=a,|" UUID(3),
	"ou=gone,|" UUID(4),
	NULL,
};
static const char *const after[] = {
	"",
	"ou=b,|" UUID(1) "\ndescription: two\ndescription: three",
	"ou=a,|" UUID(2),
	"ou=below,ou=b,|" UUID(3),
	"ou=new,|" UUID(5),
	NULL,
};

static void setup_pair(struct pair *pair)
{
	load_fixture_init(&pair->a, "");
	load_fixture_init(&pair->b, "");
	load(&pair->a, before);
	load(&pair->b, after);
}

static void teardown_pair(struct pair *pair)
{
	load_fixture_deinit(&pair->a);
	load_fixture_deinit(&pair->b);
}

static int setup(void **state)
{
	struct pair *pair = test_alloc(sizeof(*pair));

	setup_pair(pair);
	*state = pair;
	return 0;
}

static int teardown(void **state)
{
	struct pair *pair = *state;

	dit_diff_stats_deinit(&pair->stats);
	teardown_pair(pair);
	return 0;
}

static struct pair *begin(struct pair *pair)
{
	pair->len = 0;
	pair->text[0] = '\0';
	pair->reports[0] = '\0';
	pair->opts = DIT_DIFF_OPTS_INIT;
	pair->opts.conf = pair->a.conf;
	pair->opts.second = pair->b.database; /* the first one is the configured one */
	pair->opts.threads = 1;
	pair->opts.report = note_report;
	pair->opts.report_ctx = pair;
	pair->opts.stop = &pair->stop;
	return pair;
}

static int diff_to(struct pair *pair, dit_diff_write_fn write)
{
	dit_diff_stats_deinit(&pair->stats);
	return dit_diff(&pair->opts, write, pair, &pair->stats);
}

static int diff(struct pair *pair)
{
	return diff_to(pair, note_text);
}

static void reload(struct pair *pair, const char *const *a, const char *const *b)
{
	load_fixture_reset(&pair->a);
	load_fixture_reset(&pair->b);
	load(&pair->a, a);
	load(&pair->b, b);
}

/* ---- what is written ---- */

TEST(exchanged_names_need_one_entry_for_a_while)
{
	struct pair *pair = begin(*state);

	assert_int_equal(diff(pair), 0);
	assert_int_equal(pair->stats.nentries[0], 5);
	assert_int_equal(pair->stats.nentries[1], 5);
	assert_int_equal(pair->stats.nadded, 1);
	assert_int_equal(pair->stats.ndeleted, 1);
	assert_int_equal(pair->stats.nrenamed, 2); /* ou=below goes along */
	assert_int_equal(pair->stats.nmodified, 1);
	assert_int_equal(pair->stats.ntemporary, 1);
	assert_int_equal(pair->stats.nattrs, 1);
	assert_string_equal(pair->stats.attrs[0].name, "description");
	assert_int_equal(pair->stats.nbranches, 1);
	assert_string_equal(pair->stats.branches[0].name, "dc=x");
	assert_int_equal(pair->stats.branches[0].n, 5);
	assert_int_equal(dit_diff_nchanges(&pair->stats), 5);
	assert_null(strstr(pair->text, "below"));
	assert_non_null(strstr(pair->text, "delete: description\ndescription: one\n-\n"
	                                   "add: description\ndescription: three\n-\n"));
}

TEST(any_number_of_threads_writes_the_same)
{
	struct pair *pair = begin(*state);
	char *first = NULL;

	assert_int_equal(diff(pair), 0);
	first = strdup(pair->text);
	(void)begin(pair);
	pair->opts.threads = 4;
	assert_int_equal(diff(pair), 0);
	assert_string_equal(pair->text, first);
	free(first);
}

TEST(a_state_equals_itself_loaded_again)
{
	static const char *const other_ids[] = {
		"",
		"ou=gone,|" UUID(4),
		"ou=b,|" UUID(2),
		"ou=a,|" UUID(1) "\ndescription: two\ndescription: one",
		"ou=below,ou=a,|" UUID(3),
		NULL,
	};
	struct pair *pair = begin(*state);

	reload(pair, before, other_ids);
	assert_int_equal(diff(pair), 0);
	assert_int_equal(dit_diff_nchanges(&pair->stats), 0);
	assert_int_equal(pair->len, 0);
}

TEST(entries_without_a_common_uuid_are_found_by_dn)
{
	static const char *const others[] = {
		"",
		"ou=a,|" UUID(6) "\ndescription: one\ndescription: two",
		"ou=b,|" UUID(7),
		"ou=below,ou=a,|" UUID(8),
		"ou=gone,|" UUID(9),
		NULL,
	};
	struct pair *pair = begin(*state);

	reload(pair, before, others);
	assert_int_equal(diff(pair), 0);
	assert_int_equal(dit_diff_nchanges(&pair->stats), 0);
}

/* uid=under stays under its DN, but the entry above it is another one. */
TEST(an_equal_entry_moves_to_another_parent)
{
	static const char *const a[] = {"", "ou=a,|" UUID(1), "ou=b,|" UUID(2),
	                                "ou=c,ou=a,|" UUID(3), NULL};
	static const char *const b[] = {"", "ou=b,|" UUID(1), "ou=a,|" UUID(2),
	                                "ou=c,ou=a,|" UUID(3), NULL};
	struct pair *pair = begin(*state);

	reload(pair, a, b);
	assert_int_equal(diff(pair), 0);
	assert_int_equal(pair->stats.nrenamed, 3);
	assert_int_equal(pair->stats.nmodified, 0);
}

/* ou=w is added early, as ou=n waits for it; ou=h, two above it, has its name by then. */
TEST(an_entry_is_added_when_all_above_it_have_their_names)
{
	static const char *const a[] = {"", "ou=n,|" UUID(1), "ou=g,|" UUID(2),
	                                "ou=q,ou=g,|" UUID(3), NULL};
	static const char *const b[] = {"",
	                                "ou=n,|" UUID(4),
	                                "ou=h,|" UUID(2),
	                                "ou=q,ou=h,|" UUID(3),
	                                "ou=w,ou=q,ou=h,|" UUID(5),
	                                "ou=x,ou=w,ou=q,ou=h,|" UUID(1),
	                                NULL};
	struct pair *pair = begin(*state);
	const char *renamed = NULL;
	const char *added = NULL;

	reload(pair, a, b);
	assert_int_equal(diff(pair), 0);
	renamed = strstr(pair->text, "newrdn: ou=h");
	added = strstr(pair->text, "dn: ou=w,ou=q,ou=h,");
	assert_non_null(renamed);
	assert_non_null(added);
	assert_true(renamed < added);
}

TEST(a_stored_name_is_not_that_of_a_temporary_entry)
{
	static const char *const a[] = {"", "ou=ditdiff-1,|" UUID(3), "ou=a,|" UUID(1),
	                                "ou=b,|" UUID(2), NULL};
	static const char *const b[] = {"", "ou=ditdiff-1,|" UUID(3), "ou=b,|" UUID(1),
	                                "ou=a,|" UUID(2), NULL};
	struct pair *pair = begin(*state);

	reload(pair, a, b);
	assert_int_equal(diff(pair), 0);
	assert_int_equal(pair->stats.ntemporary, 1);
	assert_null(strstr(pair->text, "dn: ou=ditdiff-1,"));
	assert_non_null(strstr(pair->text, "dn: ou=ditdiff-"));
}

TEST(nothing_to_everything_and_back)
{
	struct pair *pair = begin(*state);

	reload(pair, before, after);
	pair->opts.filter = "(description=none)"; /* no entry of the first matches */
	assert_int_equal(diff_to(pair, NULL), 0);
	assert_int_equal(dit_diff_nchanges(&pair->stats), 0);
	pair->opts.filter = "(ou=gone)";
	assert_int_equal(diff_to(pair, NULL), 0);
	assert_int_equal(pair->stats.ndeleted, 1);
	assert_int_equal(pair->stats.nadded, 0);
	assert_int_equal(pair->stats.nentries[0], 1);
	assert_int_equal(pair->stats.nentries[1], 0);
}

/* ---- LDIF ---- */

static void write_ldif(struct pair *pair)
{
	const struct load_fixture *sides[2] = {&pair->a, &pair->b};

	for (unsigned i = 0; i < 2; i++) {
		struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
		struct dit_export_stats stats;

		(void)snprintf(pair->ldif[i], sizeof(pair->ldif[i]), "%s/state.ldif",
		               sides[i]->dir);
		opts.conf = sides[i]->conf;
		opts.output = pair->ldif[i];
		assert_int_equal(dit_export(&opts, &stats), 0);
	}
}

static int make(void *ctx, unsigned number, const struct dit_known_source *known,
                const char **ret_directory)
{
	struct pair *pair = ctx;
	struct dit_load_opts opts = load_fixture_opts(&pair->a);
	int r = 0;

	opts.input = pair->ldif[number];
	opts.tmpdir = pair->a.tmpdir;
	opts.is_scratch = true;
	opts.no_glue = true;
	opts.known = known;
	opts.report = note_report;
	opts.report_ctx = pair;
	r = dit_load(&opts, &pair->made[number]);
	if (r == 0) {
		*ret_directory = pair->made[number].databases[0].directory;
	}
	return r;
}

static int diff_ldif(struct pair *pair, unsigned sides)
{
	int r = 0;

	pair->opts.make = make;
	pair->opts.make_ctx = pair;
	pair->opts.is_made[0] = (sides & 1) != 0;
	pair->opts.is_made[1] = (sides & 2) != 0;
	r = diff(pair);
	for (unsigned i = 0; i < 2; i++) {
		dit_load_scratch_remove(&pair->made[i]);
		dit_load_stats_deinit(&pair->made[i]);
	}
	return r;
}

/* Entries that both states have are read where they are stored: ou=c moves. */
TEST(ldif_differs_as_its_database_does)
{
	static const char *const moved[] = {"", "ou=b,|" UUID(1), "ou=a,|" UUID(2),
	                                    "ou=c,ou=a,|" UUID(3), NULL};
	static const char *const here[] = {"", "ou=a,|" UUID(1), "ou=b,|" UUID(2),
	                                   "ou=c,ou=a,|" UUID(3), NULL};
	static const char *const *const pairs[][2] = {
		{before, after}, {after, before}, {before, before}, {here, moved}};
	struct pair *pair = *state;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *wanted = NULL;

		(void)begin(pair);
		reload(pair, pairs[i][0], pairs[i][1]);
		write_ldif(pair);
		assert_int_equal(diff(pair), 0);
		wanted = strdup(pair->text);
		for (unsigned sides = 1; sides < 4; sides++) {
			(void)begin(pair);
			pair->opts.threads = sides;
			assert_int_equal(diff_ldif(pair, sides), 0);
			assert_string_equal(pair->text, wanted);
			assert_string_equal(pair->reports, "");
		}
		free(wanted);
	}
	reload(pair, before, after);
}

/* A database may hold what no load takes. */
TEST(an_entry_that_both_states_have_needs_no_check)
{
	struct pair *pair = begin(*state);
	struct dit_load_opts load_opts = load_fixture_opts(&pair->b);

	load_fixture_reset(&pair->b);
	load_fixture_write(&pair->b,
	                   "dn: dc=x\nobjectClass: domain\ndc: x\n\n"
	                   "dn: ou=a,dc=x\nobjectClass: organizationalUnit\nou: a\n"
	                   "dc: not allowed\n");
	load_opts.no_schema_check = true;
	assert_int_equal(load_fixture_run(&load_opts), 0);
	write_ldif(pair);
	/* Without operational attributes. */
	memcpy(pair->ldif[0], pair->b.input, sizeof(pair->b.input));
	assert_int_equal(diff_ldif(pair, 1), 0);
	assert_int_equal(pair->stats.nentries[0], 2);
	assert_int_equal(dit_diff_nchanges(&pair->stats), 0);
	(void)begin(pair);
	pair->opts.filter = "(ou=a)"; /* the rest of the database is not looked at */
	assert_int_equal(diff_ldif(pair, 1), DIT_E_REFUSED);
	assert_non_null(strstr(pair->reports, "attribute 'dc' not allowed"));
	reload(pair, before, after);
}

TEST(a_database_that_nobody_makes_is_told)
{
	struct pair *pair = begin(*state);

	pair->opts.is_made[1] = true;
	assert_int_equal(diff(pair), -EINVAL);
	assert_string_equal(pair->reports, "make: nothing makes the database\n");
}

TEST(a_failure_of_the_other_side_ends_the_load)
{
	struct pair *pair = begin(*state);

	write_ldif(pair);
	pair->opts.second = "/nonexistent";
	assert_true(diff_ldif(pair, 1) < 0);
	assert_string_equal(pair->reports, "/nonexistent: No such file or directory\n");
}

/* ---- digests ---- */

#define NUNITS 200

/* How a unit differs in the second state. */
enum fate {
	STAYS,
	CHANGES,
	GOES,
	COMES
};

/* Nothing but these differs: no UUIDs are made. */
static void load_units(struct load_fixture *f, const enum fate *fates, bool is_second)
{
	const char *lines[NUNITS + 2] = {""};
	char texts[NUNITS][40];
	size_t n = 1;

	load_fixture_deinit(f);
	load_fixture_init(f, "lastmod off\n");

	for (int i = 0; i < NUNITS; i++) {
		bool has_changed = is_second && fates[i] == CHANGES;

		(void)snprintf(texts[i], sizeof(texts[i]), "ou=%d,|description: %s", i,
		               has_changed ? "new" : "old");
		if (fates[i] != (is_second ? GOES : COMES)) {
			lines[n++] = texts[i];
		}
	}
	load(f, lines);
}

static void write_digest_file(struct pair *pair, const char *path)
{
	FILE *file = fopen(path, "w");

	(void)begin(pair);
	assert_non_null(file);
	pair->opts.digest = true;
	pair->opts.threads = 3;
	assert_int_equal(diff(pair), 0);
	assert_int_equal(fwrite(pair->text, 1, pair->len, file), pair->len);
	assert_int_equal(fclose(file), 0);
}

static bool is_told(const struct pair *pair, const char *how, int unit_number)
{
	char line[60];

	(void)snprintf(line, sizeof(line), "%s\tou=%d,dc=x\n", how, unit_number);
	return strstr(pair->text, line) != NULL;
}

static void check_findings(const struct pair *pair, const struct dit_diff_stats *stats,
                           const enum fate *fates)
{
	unsigned ngone = 0;
	bool differs = false;

	for (int i = 0; i < NUNITS; i++) {
		bool is_other = fates[i] == CHANGES || fates[i] == COMES;

		ngone += fates[i] == GOES;
		differs |= fates[i] != STAYS;
		if (is_told(pair, "entry", i)) {
			assert_true(is_other);
		} else if (is_other && stats->nmissing == 0) {
			/* Several differ in its bucket. */
			assert_true(is_told(pair, "perhaps", i));
		}
	}
	assert_int_equal(stats->differs, differs);
	assert_true(stats->nmissing <= ngone);
	assert_int_equal(strncmp(pair->text, "equal\t", 6) == 0, !differs);
}

TEST(a_digest_finds_the_entries_that_differ)
{
	struct pair *pair = *state;
	uint64_t random = 7;
	char path[4300];

	for (int round = 0; round < 30; round++) {
		enum fate fates[NUNITS] = {STAYS};

		for (int i = 0; i < round / 5; i++) {
			enum fate *fate = &fates[test_random(&random) % NUNITS];

			*fate = CHANGES + (enum fate)(test_random(&random) % 3);
		}
		load_units(&pair->a, fates, false);
		load_units(&pair->b, fates, true);
		(void)snprintf(path, sizeof(path), "%s/digest.json", pair->a.dir);
		write_digest_file(pair, path);
		(void)begin(pair);
		pair->opts.digests[0] = path;
		pair->opts.threads = 1 + (unsigned)round % 3;
		assert_int_equal(diff(pair), 0);
		check_findings(pair, &pair->stats, fates);
	}
	teardown_pair(pair);
	setup_pair(pair);
}

/* ---- how it ends ---- */

TEST(a_failed_write_ends_it)
{
	struct pair *pair = begin(*state);

	pair->result = -ENOSPC;
	assert_int_equal(diff(pair), -ENOSPC);
	pair->result = 0;
}

TEST(a_request_ends_it)
{
	struct pair *pair = begin(*state);

	pair->stop = 1;
	assert_int_equal(diff(pair), DIT_E_STOPPED);
	pair->stop = 0;
}

TEST(wrong_options_are_told)
{
	static const char *const unknown[] = {"nonsense"};
	static const struct {
		const char *base;
		const char *filter;
		size_t nattrs;
		const char *text;
	} cases[] = {
		{"nonsense", NULL, 0, "nonsense: this is no DN\n"},
		{NULL, "(ou=", 0, "(ou=: this is no filter\n"},
		{NULL, NULL, 1, "nonsense: no such attribute is configured\n"},
	};
	struct pair *pair = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)begin(pair);
		pair->opts.base = cases[i].base;
		pair->opts.filter = cases[i].filter;
		pair->opts.attrs = unknown;
		pair->opts.nattrs = cases[i].nattrs;
		assert_int_equal(diff(pair), DIT_E_CONFIG);
		assert_string_equal(pair->reports, cases[i].text);
	}
}

TEST(a_base_that_neither_has_is_told)
{
	struct pair *pair = begin(*state);

	pair->opts.base = "ou=mistyped,dc=x";
	assert_int_equal(diff(pair), -EINVAL);
	assert_string_equal(pair->reports, "ou=mistyped,dc=x: neither state has this "
	                                   "entry, or one below it\n");
	(void)begin(pair);
	pair->opts.base = "ou=gone,dc=x"; /* the first one has it */
	assert_int_equal(diff(pair), 0);
	assert_int_equal(pair->stats.ndeleted, 1);
}

TEST(one_database_twice_is_refused)
{
	struct pair *pair = begin(*state);

	pair->opts.second = NULL;
	assert_int_equal(diff(pair), -EINVAL);
	assert_non_null(strstr(pair->reports, "this is one database"));
}

TEST(an_entry_that_cannot_be_read_is_told)
{
	struct pair *pair = begin(*state);
	MDB_txn *txn = test_begin(pair->b.database, MDB_NOSYNC);
	uint64_t id = 3;
	MDB_dbi dbi = test_dbi(txn, "id2e", MDB_INTEGERKEY);

	test_put(txn, dbi, &id, sizeof(id), "wrong", 5);
	test_commit(txn);
	assert_int_equal(diff(pair), DIT_E_CORRUPT);
	assert_non_null(strstr(pair->reports, "entry 3 cannot be read"));
	reload(pair, before, after);
}

#ifndef __SANITIZE_THREAD__ /* one thread runs here: it has nothing to find */
/* @param sides  that are LDIF: each moment of a load is seen by load/test_load_nomem */
static void fail_at_any_moment(struct pair *pair, bool is_digest, const char *digest,
                               unsigned sides)
{
	bool has_failed = true;

	for (long n = 0; has_failed; n += sides == 0 ? 1 : 7) {
		int r = 0;

		(void)begin(pair);
		pair->opts.digest = is_digest;
		pair->opts.digests[0] = digest;
		countdown = n;
		r = diff_ldif(pair, sides);
		has_failed = countdown < 0;
		countdown = -1;
		if (r == 0) {
		}
		assert_true(has_failed || r == 0);
		assert_true(r == 0 || pair->reports[0] != '\0');
	}
}

TEST(memory_that_runs_out_is_an_error_at_any_moment)
{
	struct pair *pair = *state;
	char *path = test_text("%s/digest.json", pair->a.dir);

	fail_at_any_moment(pair, false, NULL, 0);
	fail_at_any_moment(pair, true, NULL, 0);
	write_digest_file(pair, path);
	fail_at_any_moment(pair, false, path, 0);
	write_ldif(pair);
	fail_at_any_moment(pair, false, NULL, 2);
}
#endif

MAIN_WITH(setup, teardown)
