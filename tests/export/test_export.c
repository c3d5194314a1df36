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

struct told {
	char reports[4000];
	volatile sig_atomic_t stop;
};

static void note_report(void *ctx, const struct dit_report *report)
{
	struct told *told = ctx;

	test_append(told->reports, "%s%s\n",
	            report->kind == DIT_REPORT_ERROR ? "error: " : "", report->text);
}

static int setup(void **state)
{
	struct load_fixture *f = load_fixture_new_glued("");

	load_fixture_load_people(f, NPEOPLE);
	*state = f;
	return 0;
}

/* The file to write is in the directory for temporary ones. Static. */
static const char *output_of(const struct load_fixture *f)
{
	static char path[4300];

	(void)snprintf(path, sizeof(path), "%s/out.ldif", f->tmpdir);
	return path;
}

static struct dit_export_opts opts_for(struct load_fixture *f, struct told *told)
{
	struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;

	memset(told, 0, sizeof(*told));
	opts.conf = f->conf;
	opts.output = output_of(f);
	opts.threads = 2;
	opts.report = note_report;
	opts.report_ctx = told;
	opts.stop = &told->stop;
	return opts;
}

static char *read_output(const struct load_fixture *f)
{
	return test_read_file(output_of(f), NULL);
}

static char *export_all(struct load_fixture *f, const struct dit_export_opts *opts,
                        uint64_t nentries)
{
	struct dit_export_stats stats;
	char *text = NULL;

	assert_int_equal(dit_export(opts, &stats), 0);
	text = read_output(f);
	assert_int_equal(stats.nentries, nentries);
	assert_int_equal(stats.nunreadable, 0);
	assert_int_equal(stats.nbytes, strlen(text));
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
	struct told told;
	struct dit_export_opts opts = opts_for(*state, &told);
	char *first = NULL;

	opts.threads = 1;
	first = export_all(*state, &opts, NPEOPLE + 5);
	assert_int_equal(count(first, "dn: "), NPEOPLE + 5);
	assert_non_null(strstr(first, "dn: uid=u1,ou=dept 1,dc=x\nobjectClass: person\n"
	                              "uid: u1\ncn: Person Number 1\n"
	                              "cn;lang-de: Nummer 1\nsn: Common\n"
	                              "description:: w7xiZXI=\nuidNumber: 1\n"));
	for (unsigned threads = 2; threads <= 9; threads += 7) {
		char *text = NULL;

		opts.threads = threads;
		text = export_all(*state, &opts, NPEOPLE + 5);
		assert_string_equal(text, first);
		free(text);
	}
	free(first);
	assert_string_equal(told.reports, "");
}

SETUP_TEST(subordinate_databases_come_last_or_not_at_all)
{
	struct told told;
	struct dit_export_opts opts = opts_for(*state, &told);
	char *text = export_all(*state, &opts, NPEOPLE + 5);
	const char *superior = strstr(text, "dn: uid=u1500,");
	const char *subordinate = strstr(text, "dn: uid=u3,");

	assert_non_null(superior);
	assert_true(subordinate > superior);
	free(text);

	opts.no_glue = true;
	text = export_all(*state, &opts, NPEOPLE - NPEOPLE / 4 + 4);
	free(text);
	opts.no_glue = false;
	opts.database = 1;
	text = export_all(*state, &opts, NPEOPLE / 4 + 1);
	free(text);
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
		struct told told;
		struct dit_export_opts opts = opts_for(*state, &told);

		print_message("%s %d\n", cases[i].base, cases[i].scope);
		opts.base = cases[i].base;
		opts.scope = cases[i].scope;
		free(export_all(*state, &opts, cases[i].n));
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
	struct load_fixture *f = *state;
	struct told told;
	struct dit_export_opts opts = opts_for(f, &told);
	struct dit_export_stats stats;
	char expected[4300];

	change(f->database, "id2e", 700, "rubbish.");
	assert_int_equal(dit_export(&opts, &stats), DIT_E_CORRUPT);
	assert_int_equal(stats.nentries, 699);
	assert_int_equal(stats.nunreadable, 1);
	assert_int_equal(access(output_of(f), F_OK), -1);
	(void)snprintf(expected, sizeof(expected),
	               "error: %s: entry id=000002bc cannot be read: the record "
	               "contradicts its format\n",
	               f->database);
	assert_string_equal(told.reports, expected);
}

/* slapcat prints it, too. */
SETUP_TEST(what_came_before_an_unreadable_entry_is_written)
{
	static const char last[] = "\n\n# no data for entry id=000002bc\n\n";
	struct load_fixture *f = *state;
	struct told told;
	struct dit_export_opts opts = opts_for(f, &told);
	struct dit_export_stats stats;
	char found[sizeof(last)] = "";
	char path[100];
	int fd = open(f->dir, O_TMPFILE | O_RDWR, 0600);

	assert_true(fd >= 0);
	(void)snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	opts.output = path;
	change(f->database, "id2e", 700, "rubbish.");
	assert_int_equal(dit_export(&opts, &stats), DIT_E_CORRUPT);
	assert_int_equal(lseek(fd, 0, SEEK_END), stats.nbytes);
	assert_int_equal(pread(fd, found, sizeof(last) - 1,
	                       (off_t)(stats.nbytes - sizeof(last) + 1)),
	                 sizeof(last) - 1);
	assert_string_equal(found, last);
	(void)close(fd);
}

SETUP_TEST(with_keep_going_unreadable_entries_are_told_and_left_out)
{
	struct load_fixture *f = *state;
	struct told told;
	struct dit_export_opts opts = opts_for(f, &told);
	struct dit_export_stats stats;
	char *text = NULL;

	change(f->database, "id2e", 700, "rubbish.");
	change(f->database, "id2e", 701, "rubbish.");
	change(f->database, "dn2i", 50, NULL);
	opts.keep_going = true;
	opts.no_glue = true;
	assert_int_equal(dit_export(&opts, &stats), 0);
	assert_int_equal(stats.nentries, NPEOPLE - NPEOPLE / 4 + 4 - 3);
	assert_int_equal(stats.nunreadable, 3);
	text = read_output(f);
	assert_non_null(strstr(text, "# no data for entry id=000002bc\n\n"
	                             "# no data for entry id=000002bd\n\ndn: "));
	assert_int_equal(count(text, "# no data"), 3);
	assert_non_null(strstr(told.reports, "id=00000032 cannot be read: its DN"));
	assert_non_null(strstr(told.reports, "id=000002bc cannot be read: the record"));
	assert_non_null(
		strstr(told.reports, ": 1 entries near it cannot be read either"));
	free(text);
}

/* A comment would be no JSON. */
SETUP_TEST(in_json_an_unreadable_entry_leaves_no_line)
{
	struct load_fixture *f = *state;
	struct told told;
	struct dit_export_opts opts = opts_for(f, &told);
	struct dit_export_stats stats;
	char *text = NULL;

	change(f->database, "id2e", 700, "rubbish.");
	opts.no_glue = true;
	opts.format = DIT_EXPORT_JSONL;
	assert_int_equal(dit_export(&opts, &stats), DIT_E_CORRUPT);
	assert_int_equal(access(output_of(f), F_OK), -1);
	opts.keep_going = true;
	assert_int_equal(dit_export(&opts, &stats), 0);
	assert_int_equal(stats.nentries, NPEOPLE - NPEOPLE / 4 + 4 - 1);
	assert_int_equal(stats.nunreadable, 1);
	text = read_output(f);
	assert_int_equal(count(text, "\n"), stats.nentries);
	assert_int_equal(count(text, "{\"dn\":"), stats.nentries);
	assert_non_null(strstr(told.reports, "id=000002bc cannot be read: the record"));
	free(text);
}

/* An entry that cannot be read could match. */
SETUP_TEST(unreadable_entries_are_told_with_a_filter_too)
{
	struct load_fixture *f = *state;
	struct told told;
	struct dit_export_opts opts = opts_for(f, &told);
	struct dit_export_stats stats;

	change(f->database, "dn2i", 50, NULL);
	opts.keep_going = true;
	opts.filter = "(uidNumber>=0)";
	assert_int_equal(dit_export(&opts, &stats), 0);
	assert_int_equal(stats.nunreadable, 1);
	assert_int_equal(stats.nentries, NPEOPLE - 1);
	assert_non_null(strstr(told.reports, "id=00000032 cannot be read: its DN"));
}

SETUP_TEST(attributes_that_the_schema_lacks_are_told)
{
	struct load_fixture *f = *state;
	struct told told;
	struct dit_export_opts opts = opts_for(f, &told);
	uint32_t number = 3;
	char *text = NULL;

	change_key(f->database, "ad2i", (MDB_val){sizeof(number), &number}, "madeUp;x");
	opts.no_glue = true;
	text = export_all(f, &opts, NPEOPLE - NPEOPLE / 4 + 4);
	assert_string_equal(told.reports,
	                    "UNKNOWN attributeDescription \"MADEUP;X\" inserted.\n");
	assert_non_null(strstr(text, "\nMADEUP;X: domain\n"));
	free(text);

	/* For each of glued databases. */
	change_key(f->subordinate, "ad2i", (MDB_val){sizeof(number), &number},
	           "madeUp;x");
	opts.no_glue = false;
	told.reports[0] = '\0';
	free(export_all(f, &opts, NPEOPLE + 5));
	assert_string_equal(told.reports,
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
static void lose_number(struct load_fixture *f, const char *stored, const char *reason)
{
	struct told told;
	struct dit_export_opts opts = opts_for(f, &told);
	struct dit_export_stats stats;
	uint32_t number = number_of(f->database, "dc");
	unsigned n = 0;
	char *text = NULL;

	opts.no_glue = true;
	text = export_all(f, &opts, NPEOPLE - NPEOPLE / 4 + 4);
	n = (unsigned)count(text, "\ndc: ");
	free(text);
	change_key(f->database, "ad2i", (MDB_val){sizeof(number), &number}, stored);
	assert_int_equal(dit_export(&opts, &stats), DIT_E_CORRUPT);
	opts.keep_going = true;
	assert_int_equal(dit_export(&opts, &stats), 0);
	assert_int_equal(n, 1); /* the suffix; all other descriptions came later */
	assert_int_equal(stats.nunreadable, n);
	assert_int_equal(stats.nentries, NPEOPLE - NPEOPLE / 4 + 4 - n);
	text = read_output(f);
	assert_int_equal(count(text, "\nmodifyTimestamp: 2026"), stats.nentries);
	assert_int_equal(count(text, "\nentryUUID: 00000000-"), stats.nentries);
	assert_null(strstr(text, "file:"));
	assert_non_null(strstr(told.reports, reason));
	free(text);
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
	struct load_fixture *f = *state;
	struct told told;
	struct dit_export_opts opts = opts_for(f, &told);
	struct dit_export_stats stats;
	char command[4300];

	told.stop = SIGTERM;
	assert_int_equal(dit_export(&opts, &stats), DIT_E_STOPPED);
	assert_string_equal(told.reports, "error: interrupted\n");
	(void)snprintf(command, sizeof(command), "test -z \"$(ls -A '%s')\"", f->tmpdir);
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
		struct told told;
		struct dit_export_opts opts = opts_for(*state, &told);

		print_message("%s\n", cases[i].filter);
		opts.filter = cases[i].filter;
		free(export_all(*state, &opts, cases[i].n));
	}
}

/* Indexes change nothing but the number of entries that are read. */
SETUP_TEST(indexes_are_asked_unless_told_otherwise)
{
	struct told told;
	struct dit_export_opts opts = opts_for(*state, &told);
	struct dit_export_stats stats;
	char *by_index = NULL;
	char *by_scan = NULL;

	opts.filter = "(|(uid=u77)(&(cn=person number 8)(sn=common)))";
	assert_int_equal(dit_export(&opts, &stats), 0);
	assert_int_equal(stats.nentries, 2);
	assert_true(stats.ncandidates >= 2 && stats.ncandidates < 10);
	by_index = read_output(*state);
	opts.no_index = true;
	assert_int_equal(dit_export(&opts, &stats), 0);
	assert_int_equal(stats.ncandidates, 0);
	by_scan = read_output(*state);
	assert_string_equal(by_index, by_scan);
	free(by_index);
	free(by_scan);
}

/* A scope without a base begins at the suffix. */
SETUP_TEST(scope_alone_is_of_the_suffix)
{
	struct told told;
	struct dit_export_opts opts = opts_for(*state, &told);

	opts.scope = DIT_SCOPE_ONE;
	free(export_all(*state, &opts, 4));
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
		struct told told;
		struct dit_export_opts opts = opts_for(*state, &told);
		struct dit_export_stats stats;

		opts.base = cases[i].base;
		opts.filter = cases[i].filter;
		opts.database = cases[i].database;
		if (cases[i].output != NULL) {
			opts.output = cases[i].output;
		}
		assert_int_equal(dit_export(&opts, &stats), cases[i].r);
		assert_string_equal(told.reports, cases[i].reports);
	}
}

SETUP_TEST(a_missing_database_is_told_in_slapcats_words)
{
	struct load_fixture *f = *state;
	struct told told;
	struct dit_export_opts opts = opts_for(f, &told);
	struct dit_export_stats stats;
	char *path = test_text("%s/data.mdb", f->subordinate);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(dit_export(&opts, &stats), -ENOENT);
	assert_string_equal(
		told.reports,
		"mdb_db_open: database \"ou=dept 3,dc=x\" cannot be opened: No such file "
		"or directory (2). Restore from backup!\n"
		"backend_startup_one (type=mdb, suffix=\"ou=dept 3,dc=x\"): bi_db_open "
		"failed! (2)\n"
		"backend_startup: bi_open failed!\nslap_startup failed\n");
}
