/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of dit_export(): the same bytes with any number of threads, what is chosen,
 * what is said about entries that cannot be read, what is left when it fails.
 */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "export/export.h"
#include "load/load_fixture.h"
#include "reader/ad_names.h"

#define NPEOPLE 1500u

/* An export of people, a fourth of them in a subordinate database. */
struct run {
	struct load_fixture *f;
	char reports[4000];
	volatile sig_atomic_t stop;
	struct dit_export_opts opts;
	struct dit_export_stats stats;
};

static void note_report(void *ctx, const struct dit_report *report)
{
	struct run *run = ctx;

	test_append(run->reports, "%s%s\n",
	            report->kind == DIT_REPORT_ERROR ? "error: " : "", report->text);
}

/* The file to write is in the directory for temporary ones. Static. */
static const char *output_of(const struct run *run)
{
	static char path[4300];

	(void)snprintf(path, sizeof(path), "%s/out.ldif", run->f->tmpdir);
	return path;
}

static struct run *begin(struct run *run)
{
	run->reports[0] = '\0';
	run->opts = DIT_EXPORT_OPTS_INIT;
	run->opts.conf = run->f->conf;
	run->opts.output = output_of(run);
	run->opts.threads = 2;
	run->opts.report = note_report;
	run->opts.report_ctx = run;
	run->opts.stop = &run->stop;
	return run;
}

static int setup(void **state)
{
	struct run *run = test_alloc(sizeof(*run));

	run->f = load_fixture_new_glued("");
	load_fixture_load_people(run->f, NPEOPLE);
	*state = begin(run);
	return 0;
}

static int export(struct run *run)
{
	return dit_export(&run->opts, &run->stats);
}

/* The result goes when the test has ended. */
static const char *read_output(const struct run *run)
{
	char *text = test_read_file(output_of(run), NULL);

	test_at_end(free, text);
	return text;
}

static const char *export_all(struct run *run, uint64_t nentries)
{
	const char *text = NULL;

	assert_int_equal(export(run), 0);
	text = read_output(run);
	assert_int_equal(run->stats.nentries, nentries);
	assert_int_equal(run->stats.nunreadable, 0);
	assert_int_equal(run->stats.nbytes, strlen(text));
	return text;
}

static size_t count(const char *text, const char *piece)
{
	size_t n = 0;

	for (const char *at = strstr(text, piece); at != NULL;
	     at = strstr(at + 1, piece)) {
		n++;
	}
	return n;
}

/* ---- what is written ---- */

SETUP_TEST(the_bytes_are_the_same_with_any_number_of_threads)
{
	struct run *run = *state;
	const char *first = NULL;

	run->opts.threads = 1;
	first = export_all(run, NPEOPLE + 5);
	assert_int_equal(count(first, "dn: "), NPEOPLE + 5);
	assert_non_null(strstr(first, "dn: uid=u1,ou=dept 1,dc=x\nobjectClass: person\n"
	                              "uid: u1\ncn: Person Number 1\n"
	                              "cn;lang-de: Nummer 1\nsn: Common\n"
	                              "description:: w7xiZXI=\nuidNumber: 1\n"));
	for (unsigned threads = 2; threads <= 9; threads += 7) {
		const char *text = NULL;

		run->opts.threads = threads;
		text = export_all(run, NPEOPLE + 5);
		assert_string_equal(text, first);
	}
	assert_string_equal(run->reports, "");
}

SETUP_TEST(subordinate_databases_come_last_or_not_at_all)
{
	struct run *run = *state;
	const char *text = export_all(run, NPEOPLE + 5);
	const char *superior = strstr(text, "dn: uid=u1500,");
	const char *subordinate = strstr(text, "dn: uid=u3,");

	assert_non_null(superior);
	assert_true(subordinate > superior);

	run->opts.no_glue = true;
	text = export_all(run, NPEOPLE - NPEOPLE / 4 + 4);
	run->opts.no_glue = false;
	run->opts.database = 1;
	text = export_all(run, NPEOPLE / 4 + 1);
}

SETUP_TEST(base_and_scope_choose_entries)
{
	static const struct {
		const char *base;
		enum dit_scope scope;
		unsigned n;
	} cases[] = {
		{"DC=X", DIT_SCOPE_SUBTREE, NPEOPLE + 5},
		{"DC=X", DIT_SCOPE_BASE, 1},
		{"DC=X", DIT_SCOPE_ONE, 4},
		{"DC=X", DIT_SCOPE_CHILDREN, NPEOPLE + 4},
		{"ou=dept 1,dc=x", DIT_SCOPE_SUBTREE, NPEOPLE / 4 + 1},
		{"ou=dept 3,dc=x", DIT_SCOPE_ONE, NPEOPLE / 4},
		{"uid=u8 , ou=Dept  0,dc=x", DIT_SCOPE_BASE, 1},
		{"uid=u8,ou=Dept 0,dc=x", DIT_SCOPE_CHILDREN, 0},
		{"ou=dept 9,dc=x", DIT_SCOPE_SUBTREE, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *run = begin(*state);

		print_message("%s %d\n", cases[i].base, cases[i].scope);
		run->opts.base = cases[i].base;
		run->opts.scope = cases[i].scope;
		(void)export_all(run, cases[i].n);
	}
}

/* ---- what goes wrong ---- */

static void change_key(const char *directory, const char *db, MDB_val key,
                       const char *value)
{
	MDB_txn *txn = test_begin(directory, MDB_NOSYNC);
	MDB_dbi dbi = test_dbi(txn, db, 0);

	if (value == NULL) {
		assert_int_equal(mdb_del(txn, dbi, &key, NULL), 0);
	} else {
		test_put(txn, dbi, key.mv_data, key.mv_size, value, strlen(value));
	}
	test_commit(txn);
}

static void change(const char *directory, const char *db, uint64_t id, const char *value)
{
	change_key(directory, db, (MDB_val){sizeof(id), &id}, value);
}

SETUP_TEST(an_unreadable_entry_ends_an_export)
{
	struct run *run = *state;
	char expected[4300];

	change(run->f->database, "id2e", 700, "rubbish.");
	assert_int_equal(export(run), DIT_E_CORRUPT);
	assert_int_equal(run->stats.nentries, 699);
	assert_int_equal(run->stats.nunreadable, 1);
	assert_int_equal(access(output_of(run), F_OK), -1);
	(void)snprintf(expected, sizeof(expected),
	               "error: %s: entry id=000002bc cannot be read: the record "
	               "contradicts its format\n",
	               run->f->database);
	assert_string_equal(run->reports, expected);
}

/* slapcat prints it, too. */
SETUP_TEST(what_came_before_an_unreadable_entry_is_written)
{
	static const char last[] = "\n\n# no data for entry id=000002bc\n\n";
	struct run *run = *state;
	char found[sizeof(last)] = "";
	char path[100];
	int fd = open(run->f->dir, O_TMPFILE | O_RDWR, 0600);

	assert_true(fd >= 0);
	(void)snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	run->opts.output = path;
	change(run->f->database, "id2e", 700, "rubbish.");
	assert_int_equal(export(run), DIT_E_CORRUPT);
	assert_int_equal(lseek(fd, 0, SEEK_END), run->stats.nbytes);
	assert_int_equal(pread(fd, found, sizeof(last) - 1,
	                       (off_t)(run->stats.nbytes - sizeof(last) + 1)),
	                 sizeof(last) - 1);
	assert_string_equal(found, last);
	(void)close(fd);
}

SETUP_TEST(with_keep_going_unreadable_entries_are_told_and_left_out)
{
	struct run *run = *state;
	const char *text = NULL;

	change(run->f->database, "id2e", 700, "rubbish.");
	change(run->f->database, "id2e", 701, "rubbish.");
	change(run->f->database, "dn2i", 50, NULL);
	run->opts.keep_going = true;
	run->opts.no_glue = true;
	assert_int_equal(export(run), 0);
	assert_int_equal(run->stats.nentries, NPEOPLE - NPEOPLE / 4 + 4 - 3);
	assert_int_equal(run->stats.nunreadable, 3);
	text = read_output(run);
	assert_non_null(strstr(text, "# no data for entry id=000002bc\n\n"
	                             "# no data for entry id=000002bd\n\ndn: "));
	assert_int_equal(count(text, "# no data"), 3);
	assert_non_null(strstr(run->reports, "id=00000032 cannot be read: its DN"));
	assert_non_null(strstr(run->reports, "id=000002bc cannot be read: the record"));
	assert_non_null(strstr(run->reports, ": 1 entry near it cannot be read either"));
}

/* A comment would be no JSON. */
SETUP_TEST(in_json_an_unreadable_entry_leaves_no_line)
{
	struct run *run = *state;
	const char *text = NULL;

	change(run->f->database, "id2e", 700, "rubbish.");
	run->opts.no_glue = true;
	run->opts.format = DIT_EXPORT_JSONL;
	assert_int_equal(export(run), DIT_E_CORRUPT);
	assert_int_equal(access(output_of(run), F_OK), -1);
	run->opts.keep_going = true;
	assert_int_equal(export(run), 0);
	assert_int_equal(run->stats.nentries, NPEOPLE - NPEOPLE / 4 + 4 - 1);
	assert_int_equal(run->stats.nunreadable, 1);
	text = read_output(run);
	assert_int_equal(count(text, "\n"), run->stats.nentries);
	assert_int_equal(count(text, "{\"dn\":"), run->stats.nentries);
	assert_non_null(strstr(run->reports, "id=000002bc cannot be read: the record"));
}

/* An entry that cannot be read could match. */
SETUP_TEST(unreadable_entries_are_told_with_a_filter_too)
{
	struct run *run = *state;

	change(run->f->database, "dn2i", 50, NULL);
	run->opts.keep_going = true;
	run->opts.filter = "(uidNumber>=0)";
	assert_int_equal(export(run), 0);
	assert_int_equal(run->stats.nunreadable, 1);
	assert_int_equal(run->stats.nentries, NPEOPLE - 1);
	assert_non_null(strstr(run->reports, "id=00000032 cannot be read: its DN"));
}

SETUP_TEST(attributes_that_the_schema_lacks_are_told)
{
	struct run *run = *state;
	uint32_t number = 3;
	const char *text = NULL;

	change_key(run->f->database, "ad2i", (MDB_val){sizeof(number), &number},
	           "madeUp;x");
	run->opts.no_glue = true;
	text = export_all(run, NPEOPLE - NPEOPLE / 4 + 4);
	assert_string_equal(run->reports,
	                    "UNKNOWN attributeDescription \"MADEUP;X\" inserted.\n");
	assert_non_null(strstr(text, "\nMADEUP;X: domain\n"));

	/* For each of glued databases. */
	change_key(run->f->subordinate, "ad2i", (MDB_val){sizeof(number), &number},
	           "madeUp;x");
	run->opts.no_glue = false;
	run->reports[0] = '\0';
	(void)export_all(run, NPEOPLE + 5);
	assert_string_equal(run->reports,
	                    "UNKNOWN attributeDescription \"MADEUP;X\" inserted.\n"
	                    "UNKNOWN attributeDescription \"MADEUP;X\" inserted.\n");
}

static uint32_t number_of(const char *directory, const char *name)
{
	struct dit_snapshot *snapshot = NULL;
	struct dit_ad_names names;
	uint32_t number = 1;

	assert_int_equal(
		dit_snapshot_open_readers(&snapshot, directory,
	                                  &(struct dit_snapshot_opts){.nreaders = 1}),
		0);
	assert_int_equal(dit_ad_names_read(&names, snapshot, 0, NULL), 0);
	while (number < names.n &&
	       !dit_span_eq(names.list[number].name, dit_span_of(name))) {
		number++;
	}
	assert_in_range(number, 1, names.n - 2); /* others come after it */
	dit_ad_names_deinit(&names);
	dit_snapshot_close(snapshot);
	return number;
}

/* slapcat gives all later numbers the names of their neighbours if one is missing, and
 * dies of one that is forged. */
static void lose_number(struct run *run, const char *stored, const char *reason)
{
	uint32_t number = number_of(run->f->database, "dc");
	unsigned n = 0;
	const char *text = NULL;

	run->opts.no_glue = true;
	text = export_all(run, NPEOPLE - NPEOPLE / 4 + 4);
	n = (unsigned)count(text, "\ndc: ");
	change_key(run->f->database, "ad2i", (MDB_val){sizeof(number), &number}, stored);
	assert_int_equal(export(run), DIT_E_CORRUPT);
	run->opts.keep_going = true;
	assert_int_equal(export(run), 0);
	assert_int_equal(n, 1); /* the suffix; all other descriptions came later */
	assert_int_equal(run->stats.nunreadable, n);
	assert_int_equal(run->stats.nentries, NPEOPLE - NPEOPLE / 4 + 4 - n);
	text = read_output(run);
	assert_int_equal(count(text, "\nmodifyTimestamp: 2026"), run->stats.nentries);
	assert_int_equal(count(text, "\nentryUUID: 00000000-"), run->stats.nentries);
	assert_null(strstr(text, "file:"));
	assert_non_null(strstr(run->reports, reason));
}

SETUP_TEST(a_missing_number_is_told_and_the_others_keep_their_names)
{
	lose_number(*state, NULL, "no attribute description has the number");
}

SETUP_TEST(a_name_with_a_line_break_adds_no_line)
{
	lose_number(*state, "dc: x\ndescription:< file:///etc/shadow",
	            "in ad2i is no attribute description");
}

SETUP_TEST(an_interrupt_leaves_no_file)
{
	struct run *run = *state;
	char command[4300];

	run->stop = SIGTERM;
	assert_int_equal(export(run), DIT_E_STOPPED);
	assert_string_equal(run->reports, "error: interrupted\n");
	(void)snprintf(command, sizeof(command), "test -z \"$(ls -A '%s')\"",
	               run->f->tmpdir);
	assert_int_equal(system(command), 0);
}

SETUP_TEST(filters_choose_entries)
{
	static const struct {
		const char *filter;
		unsigned n;
	} cases[] = {
		{"(uidNumber>=0)", NPEOPLE},
		{"(uidNumber=77)", 1},
		{"(&(cn=person number 7*)(!(uid=u7)))", 110},
		{"(entryDN:dnSubtreeMatch:=ou=dept 1,dc=x)", NPEOPLE / 4 + 1},
		{"(foo=1)", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *run = begin(*state);

		print_message("%s\n", cases[i].filter);
		run->opts.filter = cases[i].filter;
		(void)export_all(run, cases[i].n);
	}
}

/* Indexes change nothing but the number of entries that are read. */
SETUP_TEST(indexes_are_asked_unless_told_otherwise)
{
	struct run *run = *state;
	const char *by_index = NULL;
	const char *by_scan = NULL;

	run->opts.filter = "(|(uid=u77)(&(cn=person number 8)(sn=common)))";
	assert_int_equal(export(run), 0);
	assert_int_equal(run->stats.nentries, 2);
	assert_true(run->stats.ncandidates >= 2 && run->stats.ncandidates < 10);
	by_index = read_output(run);
	run->opts.no_index = true;
	assert_int_equal(export(run), 0);
	assert_int_equal(run->stats.ncandidates, 0);
	by_scan = read_output(run);
	assert_string_equal(by_index, by_scan);
}

/* A scope without a base begins at the suffix. */
SETUP_TEST(scope_alone_is_of_the_suffix)
{
	struct run *run = *state;

	run->opts.scope = DIT_SCOPE_ONE;
	(void)export_all(run, 4);
}

SETUP_TEST(failures_are_told_once)
{
	static const struct {
		const char *output;
		const char *base;
		const char *filter;
		int database;
		int r;
		const char *reports;
	} cases[] = {
		{"/nonexistent/x", NULL, NULL, -1, -ENOENT,
	         "/nonexistent/x: No such file or directory\n"},
		{"", NULL, NULL, -1, -ENOENT, "No such file or directory\n"},
		{"/dev/full", NULL, NULL, -1, -ENOSPC,
	         "error: /dev/full: No space left on device\n"},
		{NULL, "foo", "(", -1, DIT_E_CONFIG, "Invalid filter '('\n"},
		{NULL, "foo", NULL, -1, DIT_E_CONFIG, "Invalid subtree DN 'foo'\n"},
		{NULL, "dc=y", NULL, -1, DIT_E_CONFIG,
	         "error: slap_init no backend for \"dc=y\"\n"},
		{NULL, NULL, NULL, 0, DIT_E_CONFIG, "error: could not open database.\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *run = begin(*state);

		run->opts.base = cases[i].base;
		run->opts.filter = cases[i].filter;
		run->opts.database = cases[i].database;
		if (cases[i].output != NULL) {
			run->opts.output = cases[i].output;
		}
		assert_int_equal(export(run), cases[i].r);
		assert_string_equal(run->reports, cases[i].reports);
	}
}

SETUP_TEST(a_missing_database_is_told_in_slapcats_words)
{
	struct run *run = *state;
	char *path = test_text("%s/data.mdb", run->f->subordinate);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(export(run), -ENOENT);
	assert_string_equal(
		run->reports,
		"mdb_db_open: database \"ou=dept 3,dc=x\" cannot be opened: No such file "
		"or directory (2). Restore from backup!\n"
		"backend_startup_one (type=mdb, suffix=\"ou=dept 3,dc=x\"): bi_db_open "
		"failed! (2)\n"
		"backend_startup: bi_open failed!\nslap_startup failed\n");
}
