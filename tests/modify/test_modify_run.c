/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of a run of changes: which records are read, what callers can ask for, how it
 * ends when something fails, and that it makes what a load makes, with any number of
 * threads.
 */
#include "test.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "modify_fixture.h"

#define ONE     "dn: cn=one,ou=a,dc=x\nchangetype: modify\n"
#define COUNT   ONE "increment: xInt\nxInt: 1\n\n"
#define REFUSED ONE "delete: xWord\nxWord: q\n\n"

static int setup(void **state)
{
	*state = modify_fixture_new("lastmod off\n");
	return 0;
}

/* The numbers of cn=one are 5 and 7, and so much more. */
static void assert_counted(struct modify_fixture *f, unsigned n)
{
	char *want = test_text("xInt: %u, xInt: %u,", 5 + n, 7 + n);
	char *shown = modify_fixture_show(f, NULL);

	assert_non_null(strstr(shown, want));
	free(shown);
}

/* ---- input ---- */

SETUP_TEST(several_inputs_are_read_one_after_the_other)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);
	char second[4300];
	const char *const inputs[] = {f->load.input, second, f->load.input};

	(void)snprintf(second, sizeof(second), "%s/second.ldif", f->load.dir);
	test_write_text(second, "version: 1\n\n" ONE "replace: xInt\nxInt: 5\nxInt: 7\n");
	opts.input = NULL;
	opts.inputs = inputs;
	opts.ninputs = 3;
	assert_int_equal(modify_fixture_run(f, &opts, COUNT COUNT), 0);
	assert_int_equal(f->stats.nrecords, 5);
	assert_true(f->stats.bytes_read > 3 * strlen(COUNT));
	{
		char *shown = modify_fixture_show(f, NULL);

		assert_non_null(strstr(shown, ", xInt: 7, xInt: 9"));
		free(shown);
	}
}

SETUP_TEST(records_before_the_first_line_are_left_out)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);

	opts.first_line = 6;
	assert_int_equal(modify_fixture_run(f, &opts, REFUSED COUNT COUNT), 0);
	assert_int_equal(f->stats.nrecords, 2);
	assert_counted(f, 2);
}

SETUP_TEST(an_input_that_cannot_be_read_is_told)
{
	static const char huge[] = ONE "add: description\ndescription: ";
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);
	char *missing = test_text("%s/missing.ldif", f->load.dir);
	uint64_t before = load_fixture_digest(&f->load);
	char *changes = test_alloc(20000);

	opts.input = missing;
	assert_int_equal(modify_fixture_run(f, &opts, COUNT), -ENOENT);
	assert_non_null(strstr(f->load.reports, "missing.ldif"));
	(void)snprintf(changes, 20000, "%s%s", COUNT, huge);
	memset(changes + strlen(changes), 'x', 10000);
	opts.input = f->load.input;
	opts.record_max_bytes = 4096;
	assert_int_equal(modify_fixture_run(f, &opts, changes), DIT_E_TOOLONG);
	assert_true(strlen(f->load.reports) > 0);
	assert_true(load_fixture_digest(&f->load) == before);
}

SETUP_TEST(a_url_is_read_unless_that_is_refused)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);
	char changes[9000];
	char *path = test_text("%s/value", f->load.dir);

	test_write_text(path, "words");
	(void)snprintf(changes, sizeof(changes), ONE "add: xWord\nxWord:< file://%s\n",
	               path);
	opts.no_urls = true;
	assert_int_equal(modify_fixture_run(f, &opts, changes), DIT_E_REFUSED);
	opts.no_urls = false;
	assert_int_equal(modify_fixture_run(f, &opts, changes), 0);
	{
		char *shown = modify_fixture_show(f, NULL);

		assert_non_null(strstr(shown, "xWord: c, xWord: words,"));
		free(shown);
	}
}

/* ---- what a caller asks for ---- */

SETUP_TEST(a_dry_run_tells_all_and_changes_nothing)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);
	uint64_t before = load_fixture_digest(&f->load);

	opts.is_dry_run = true;
	opts.keep_going = true;
	assert_int_equal(modify_fixture_run(f, &opts,
	                                    COUNT REFUSED
	                                    "dn: ou=b,dc=x\nchangetype: delete\n\n"
	                                    "dn: ou=b,dc=x\nchangetype: delete\n"),
	                 0);
	assert_int_equal(f->stats.nrecords, 4);
	assert_int_equal(f->stats.nmodified, 1);
	assert_int_equal(f->stats.ndeleted, 1);
	assert_int_equal(f->stats.nrefused, 2);
	assert_true(load_fixture_digest(&f->load) == before);
	opts.keep_going = false;
	assert_int_equal(modify_fixture_run(f, &opts, COUNT REFUSED), DIT_E_REFUSED);
}

SETUP_TEST(each_change_is_told_to_who_asks_for_it)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);

	opts.is_verbose = true;
	assert_int_equal(modify_fixture_run(f, &opts,
	                                    COUNT
	                                    "dn: cn=one,ou=a,dc=x\nchangetype: modrdn\n"
	                                    "newrdn: cn=two\ndeleteoldrdn: 0\n\n"
	                                    "dn: ou=c,dc=x\nchangetype: add\n"
	                                    "objectClass: organizationalUnit\n\n"
	                                    "dn: ou=c,dc=x\nchangetype: delete\n"),
	                 0);
	assert_non_null(strstr(f->load.reports,
	                       "modify: \"cn=one,ou=a,dc=x\" (00000004)\n"
	                       "modrdn: \"cn=one,ou=a,dc=x\" (00000004)\n"
	                       "add: \"ou=c,dc=x\" (00000005)\n"
	                       "delete: \"ou=c,dc=x\" (00000005)\n"));
}

SETUP_TEST(too_many_refusals_end_the_run)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);

	opts.keep_going = true;
	opts.max_rejects = 2;
	assert_int_equal(modify_fixture_run(f, &opts, REFUSED COUNT REFUSED), 0);
	assert_counted(f, 1);
	assert_int_equal(modify_fixture_run(f, &opts, REFUSED REFUSED COUNT REFUSED),
	                 DIT_E_REFUSED);
	assert_int_equal(f->stats.nrefused, 3);
	assert_counted(f, 1);
}

static int fail_reject(void *ctx, const struct dit_reject *reject)
{
	(void)ctx;
	(void)reject;
	return -ENOSPC;
}

static int fail_publish(void *ctx)
{
	return ctx == NULL ? -EIO : EIO;
}

SETUP_TEST(a_callback_that_fails_ends_the_run)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);
	uint64_t before = load_fixture_digest(&f->load);

	opts.keep_going = true;
	opts.reject = fail_reject;
	assert_int_equal(modify_fixture_run(f, &opts, COUNT REFUSED COUNT), -ENOSPC);
	opts = modify_fixture_opts(f);
	opts.before_publish = fail_publish;
	assert_int_equal(modify_fixture_run(f, &opts, COUNT), -EIO);
	opts.before_publish_ctx = f;
	assert_int_equal(modify_fixture_run(f, &opts, COUNT), -EINVAL);
	assert_true(load_fixture_digest(&f->load) == before);
	opts.is_dry_run = true; /* is not published */
	assert_int_equal(modify_fixture_run(f, &opts, COUNT), 0);
}

/* Ends a run at the n-th report, or when a phase begins. */
struct stopper {
	volatile sig_atomic_t stop;
	int nleft;
	int phase; /* -1: none */
};

static void stop_at_report(void *ctx, const struct dit_report *report)
{
	struct stopper *stopper = ctx;

	stopper->nleft -= report->kind == DIT_REPORT_ADDED;
	if (stopper->nleft == 0) {
		__atomic_store_n(&stopper->stop, 1, __ATOMIC_RELAXED);
	}
}

static void stop_at_phase(void *ctx, const struct dit_progress *progress)
{
	struct stopper *stopper = ctx;

	if ((int)progress->phase == stopper->phase) {
		__atomic_store_n(&stopper->stop, 1, __ATOMIC_RELAXED);
	}
}

SETUP_TEST(a_request_ends_the_run_at_any_time)
{
	struct modify_fixture *f = *state;
	uint64_t before = load_fixture_digest(&f->load);
	char *changes = test_alloc(2000 * sizeof(COUNT));

	for (int i = 0; i < 2000; i++) {
		memcpy(changes + i * strlen(COUNT), COUNT, strlen(COUNT));
	}
	for (int i = 0; i < 8; i++) {
		struct stopper stopper = {.stop = i / 4 == 0 && i % 2 == 0,
		                          .nleft = i / 4 == 0 ? i * 300 : -1,
		                          .phase = i < 4 ? -1 : i / 2 - 1};
		struct dit_modify_opts opts = modify_fixture_opts(f);

		opts.stop = &stopper.stop;
		opts.is_verbose = true;
		opts.report = stop_at_report;
		opts.report_ctx = &stopper;
		opts.progress = stop_at_phase;
		opts.progress_ctx = &stopper;
		opts.threads = 1 + 2 * (unsigned)(i % 2);
		assert_int_equal(modify_fixture_run(f, &opts, changes), DIT_E_STOPPED);
		assert_true(load_fixture_digest(&f->load) == before);
	}
}

static int request_stop(void *ctx)
{
	volatile sig_atomic_t *stop = ctx;

	__atomic_store_n(stop, 1, __ATOMIC_RELAXED);
	return 0;
}

static int exchange_directory(void *ctx)
{
	const struct modify_fixture *f = ctx;
	char *aside = test_text("%s.aside", f->load.database);

	return rename(f->load.database, aside) < 0 || mkdir(f->load.database, 0700) < 0
	               ? -errno
	               : 0;
}

SETUP_TEST(a_run_that_ends_before_the_commit_says_why)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);
	volatile sig_atomic_t stop = 0;

	opts.stop = &stop;
	opts.before_publish = request_stop;
	opts.before_publish_ctx = (void *)&stop;
	assert_int_equal(modify_fixture_run(f, &opts, COUNT), DIT_E_STOPPED);
	assert_string_equal(f->load.reports, "error: changes ended: Interrupted; the "
	                                     "database is what it was before\n");
	opts.stop = NULL;
	opts.before_publish = exchange_directory;
	opts.before_publish_ctx = f;
	assert_int_equal(modify_fixture_run(f, &opts, COUNT), -ESTALE);
	assert_non_null(strstr(f->load.reports, "that was opened is "));
	assert_non_null(strstr(f->load.reports, " now: nothing is changed\n"));
}

SETUP_TEST(wrong_options_are_refused)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);

	opts.sid = 4096;
	assert_int_equal(modify_fixture_run(f, &opts, COUNT), -EINVAL);
	opts = modify_fixture_opts(f);
	opts.suffix = "dc=other";
	assert_int_equal(modify_fixture_run(f, &opts, COUNT), DIT_E_CONFIG);
	assert_counted(f, 0);
}

/* ---- the database ---- */

SETUP_TEST(a_database_that_is_missing_is_told)
{
	struct modify_fixture *f = *state;

	load_fixture_reset(&f->load);
	assert_int_equal(modify_fixture_run(f, NULL, COUNT), -ENOENT);
	assert_non_null(strstr(f->load.reports, "load it with ditadd"));
	assert_true(load_fixture_is_empty(&f->load));
}

/* Locks of one process do not conflict: another one has it open. */
SETUP_TEST(a_database_that_is_in_use_is_left_alone)
{
	struct modify_fixture *f = *state;
	int pipes[2];
	char byte = 0;
	pid_t pid = 0;

	assert_int_equal(pipe(pipes), 0);
	pid = test_fork();
	if (pid == 0) {
		(void)test_env(f->load.database, MDB_NOSYNC, 0);
		(void)!write(pipes[1], "x", 1);
		(void)pause();
		_exit(1);
	}
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	assert_int_equal(modify_fixture_run(f, NULL, COUNT), DIT_E_BUSY);
	assert_true(strlen(f->load.reports) > 0);
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_counted(f, 0);
	assert_int_equal(modify_fixture_run(f, NULL, COUNT), 0);
	assert_counted(f, 1);
}

SETUP_TEST(a_damaged_database_is_told)
{
	static const char *const names[] = {"id2e", "dn2i", "xInt", "ad2i"};
	struct modify_fixture *f = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		modify_fixture_load(f, modify_fixture_entries);
		load_fixture_damage_tree(f->load.database, names[i]);
		assert_int_equal(modify_fixture_run(f, NULL, COUNT), DIT_E_CORRUPT);
		assert_true(strlen(f->load.reports) > 0);
	}
	for (size_t i = 0; i < 2; i++) {
		modify_fixture_load(f, modify_fixture_entries);
		load_fixture_swap_keys(f->load.database, i == 0 ? "id2e" : "xInt");
		assert_true(modify_fixture_run(f, NULL, COUNT) < 0);
		assert_non_null(strstr(f->load.reports, "ditcheck"));
	}
}

SETUP_TEST(an_attribute_that_the_schema_has_lost_is_told)
{
	struct modify_fixture *f = *state;
	char *conf = test_read_file(f->load.conf, NULL);
	char *at = strstr(conf, "xNoRule'");

	memcpy(at, "xNoRull'", 8);
	at = strstr(conf, "MAY ( xNoRule $");
	memcpy(at, "MAY ( xNoRull $", 15);
	test_write_text(f->load.conf, conf);
	free(conf);
	assert_int_equal(modify_fixture_run(f, NULL, COUNT), DIT_E_REFUSED);
	assert_non_null(
		strstr(f->load.reports, "(17) xNoRule: attribute type undefined"));
	/* which is of no account where it is not read */
	assert_int_equal(
		modify_fixture_run(f, NULL, "dn: cn=one,ou=a,dc=x\nchangetype: delete\n"),
		0);
}

TEST(a_database_may_be_too_small)
{
	struct modify_fixture *f = modify_fixture_new("lastmod off\nmaxsize 400000\n");
	struct dit_modify_opts opts;
	char *changes = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&changes, &len);

	assert_non_null(file);
	for (unsigned i = 0; i < 2000; i++) {
		(void)fprintf(
			file,
			"dn: cn=n%u,ou=b,dc=x\nchangetype: add\nobjectClass: person\n"
			"sn: s%u\ndescription: %0200u\n\n",
			i, i, i);
	}
	assert_int_equal(fclose(file), 0);
	opts = modify_fixture_opts(f);
	assert_int_equal(modify_fixture_run(f, &opts, changes), DIT_E_FULL);
	assert_non_null(strstr(f->load.reports, "has no room for the changes"));
	modify_fixture_check(f);
	assert_counted(f, 0);
	opts.may_grow = true;
	assert_int_equal(modify_fixture_run(f, &opts, changes), 0);
	free(changes);
	modify_fixture_check(f);
}

SETUP_TEST(entries_of_a_subordinate_database_are_out_of_reach)
{
	struct modify_fixture *f = *state;
	struct load_fixture glued;
	struct dit_modify_opts opts = modify_fixture_opts(f);
	uint64_t before = 0;

	load_fixture_init_glued(&glued, "lastmod off\n");
	glued.openldap = DIT_OPENLDAP_2_6;
	load_fixture_load_people(&glued, 8);
	before = load_fixture_digest_of(glued.subordinate);
	load_fixture_write(&glued, "dn: uid=u3,ou=dept 3,dc=x\nchangetype: delete\n\n"
	                           "dn: uid=u1,ou=dept 1,dc=x\nchangetype: delete\n");
	opts.conf = glued.conf;
	opts.input = glued.input;
	opts.keep_going = true;
	assert_int_equal(dit_modify(&opts, &f->stats), 0);
	assert_int_equal(f->stats.nrefused, 1);
	assert_int_equal(f->stats.ndeleted, 1);
	assert_true(load_fixture_digest_of(glued.subordinate) == before);
	dit_modify_stats_deinit(&f->stats);
	opts.suffix = "ou=dept 3,dc=x";
	assert_int_equal(dit_modify(&opts, &f->stats), 0);
	assert_int_equal(f->stats.nrefused, 1);
	assert_true(load_fixture_digest_of(glued.subordinate) != before);
	load_fixture_deinit(&glued);
}

/* ---- contextCSN ---- */

/* The CSNs of the suffix are these, and what comes after them are no CSNs. */
static void assert_csns(struct modify_fixture *f, const char *want)
{
	char *shown = modify_fixture_show(f, "dc=x");
	const char *at = strstr(shown, "contextCSN: ");

	assert_non_null(at);
	assert_memory_equal(at, want, strlen(want));
	assert_null(strstr(at + strlen(want), "contextCSN: "));
	free(shown);
}

#define CSN(year, sid) "20" year "0101000000.000000Z#000000#" sid "#000000"

TEST(the_newest_stamps_become_context_csn)
{
	struct modify_fixture *f = modify_fixture_new("");
	struct dit_modify_opts opts;
	char *text = NULL;
	char *at = NULL;

	opts = modify_fixture_opts(f);
	opts.write_context_csn = true;
	opts.sid = 0x12;
	assert_int_equal(modify_fixture_run(f, &opts, COUNT COUNT), 0);
	modify_fixture_check(f);
	text = modify_fixture_show(f, NULL);
	at = strstr(text, "entryCSN: ");
	assert_non_null(strstr(at, "#012#"));
	at[strcspn(at, ",")] = '\0';
	{
		char want[200];

		(void)snprintf(want, sizeof(want), "contextCSN: %s",
		               at + strlen("entryCSN: "));
		assert_csns(f, want);
	}
	free(text);
	/* a deletion has a stamp as well */
	text = modify_fixture_show(f, "dc=x");
	assert_int_equal(
		modify_fixture_run(f, &opts, "dn: ou=b,dc=x\nchangetype: delete\n"), 0);
	at = modify_fixture_show(f, "dc=x");
	assert_true(strcmp(strstr(at, "contextCSN: "), strstr(text, "contextCSN: ")) > 0);
	free(at);
	free(text);
}

#define DELETE_B "dn: ou=b,dc=x\nchangetype: delete\n"

/* The first contextCSN of an entry of a provider, after a change without -w; owned. NULL:
 * it has none. */
static char *csn_after(const char *lines, const char *ldif, const char *dn)
{
	struct modify_fixture *f = modify_fixture_new(lines);
	struct dit_modify_opts opts;
	char *shown = NULL;
	char *csn = NULL;
	char *end = NULL;

	modify_fixture_load(f, ldif);
	opts = modify_fixture_opts(f);
	assert_int_equal(modify_fixture_run(f, &opts, DELETE_B), 0);
	modify_fixture_check(f);
	shown = modify_fixture_show(f, dn);
	csn = strstr(shown, "contextCSN: ");
	if (csn != NULL) {
		end = strpbrk(csn, ",\n");
		csn = end == NULL ? strdup(csn) : strndup(csn, (size_t)(end - csn));
	}
	free(shown);
	return csn;
}

#define SYNCPROV "moduleload syncprov\noverlay syncprov\n"
#define OLD      "contextCSN: 20100101000000.000000Z#000000#000#000000"
#define OTHER    "contextCSN: 20100101000000.000000Z#000000#001#000000"
#define TOP      "dn: dc=x\nobjectClass: domain\ndc: x\n"
#define UNIT     "dn: ou=b,dc=x\nobjectClass: organizationalUnit\nou: b\n\n"
#define SUBENTRY                                                                         \
 "dn: cn=ldapsync,dc=x\nobjectClass: subentry\n"                                         \
 "objectClass: syncProviderSubentry\ncn: ldapsync\nsubtreeSpecification: {}\n"

TEST(a_provider_tells_its_consumers_of_the_changes)
{
	static const struct {
		const char *lines;
		const char *ldif;
		const char *dn;
		const char *before; /* NULL: no contextCSN, before and after */
		bool changes;
	} cases[] = {
		{SYNCPROV, TOP OLD "\n\n" UNIT, "dc=x", OLD, true},
		{SYNCPROV, TOP OTHER "\n\n" UNIT, "dc=x", OTHER, true},
		/* slapd makes it from all entries when it starts */
		{SYNCPROV, TOP "\n" UNIT, "dc=x", NULL, false},
		{"", TOP OLD "\n\n" UNIT, "dc=x", OLD, false},
		{SYNCPROV "sync_use_subentry on\n", TOP "\n" UNIT SUBENTRY OLD "\n\n",
	         "cn=ldapsync,dc=x", OLD, true},
		{SYNCPROV "sync_use_subentry on\n", TOP OLD "\n\n" UNIT, "dc=x", OLD,
	         false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *csn = csn_after(cases[i].lines, cases[i].ldif, cases[i].dn);

		print_message("%s%s\n", cases[i].lines, csn == NULL ? "none" : csn);
		if (cases[i].before == NULL) {
			assert_null(csn);
		} else if (cases[i].changes) {
			/* the new one is of server 000, which comes first */
			assert_non_null(csn);
			assert_true(strcmp(csn, cases[i].before) > 0);
			assert_non_null(strstr(csn, "#000#"));
		} else {
			assert_string_equal(csn, cases[i].before);
		}
		free(csn);
	}
}

TEST(a_log_of_changes_has_none_of_these)
{
	struct modify_fixture *f =
		modify_fixture_new("moduleload accesslog\noverlay accesslog\n"
	                           "logdb dc=x\n");
	struct dit_modify_opts opts = modify_fixture_opts(f);
	char warning[4400];

	(void)snprintf(warning, sizeof(warning),
	               "the accesslog has none of these changes: give each "
	               "consumer that reads it a new copy of %s\n",
	               f->load.database);
	opts.is_dry_run = true;
	assert_int_equal(modify_fixture_run(f, &opts, DELETE_B), 0);
	assert_string_equal(f->load.reports, "");
	opts.is_dry_run = false;
	assert_int_equal(modify_fixture_run(f, &opts, DELETE_B), 0);
	assert_string_equal(f->load.reports, warning);
	/* nothing is changed */
	assert_int_equal(modify_fixture_run(f, &opts, ""), 0);
	assert_string_equal(f->load.reports, "");
}

SETUP_TEST(the_context_csn_of_a_superior_database_stays)
{
	struct modify_fixture *f = *state;
	struct load_fixture glued;
	struct dit_modify_opts opts;
	char warning[4400];

	load_fixture_init_glued(&glued, SYNCPROV);
	glued.openldap = DIT_OPENLDAP_2_6;
	load_fixture_load_people(&glued, 8);
	load_fixture_write(&glued, "dn: uid=u3,ou=dept 3,dc=x\nchangetype: delete\n");
	(void)snprintf(
		warning, sizeof(warning),
		"the contextCSN of \"dc=x\" is in another database and stays: give "
		"each of its consumers a new copy of %s\n",
		glued.subordinate);
	opts = modify_opts_of(&glued);
	opts.suffix = "ou=dept 3,dc=x";
	assert_int_equal(dit_modify(&opts, &f->stats), 0);
	assert_string_equal(glued.reports, warning);
	load_fixture_deinit(&glued);
}

TEST(a_newer_context_csn_stays)
{
	struct modify_fixture *f = modify_fixture_new("");
	struct dit_modify_opts opts;

	modify_fixture_load(
		f, "dn: dc=x\nobjectClass: domain\ndc: x\ncontextCSN: " CSN(
			   "99", "000") "\ncontextCSN: " CSN("10", "001") "\n\n");
	opts = modify_fixture_opts(f);
	opts.write_context_csn = true;
	assert_int_equal(modify_fixture_run(f, &opts,
	                                    "dn: ou=a,dc=x\nchangetype: add\n"
	                                    "objectClass: organizationalUnit\n"),
	                 0);
	modify_fixture_check(f);
	assert_csns(f, "contextCSN: " CSN("99", "000") ", contextCSN: " CSN("10", "001"));
}

TEST(without_a_suffix_entry_there_is_no_context_csn)
{
	struct modify_fixture *f = modify_fixture_new("");
	struct dit_modify_opts opts;

	opts = modify_fixture_opts(f);
	opts.write_context_csn = true;
	assert_int_equal(modify_fixture_run(f, &opts,
	                                    COUNT
	                                    "dn: cn=one,ou=a,dc=x\nchangetype: delete\n\n"
	                                    "dn: ou=a,dc=x\nchangetype: delete\n\n"
	                                    "dn: ou=b,dc=x\nchangetype: delete\n\n"
	                                    "dn: dc=x\nchangetype: delete\n"),
	                 0);
	assert_string_equal(f->load.reports, "error: context entry is missing\n");
}

/* ---- many entries ---- */

/* People below ou=b with numbers, as entries of a load. */
static char *make_people(unsigned n, unsigned number)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	assert_non_null(file);
	(void)fputs(modify_fixture_entries, file);
	for (unsigned i = 0; i < n; i++) {
		(void)fprintf(file,
		              "dn: cn=n%u,ou=b,dc=x\nobjectClass: person\n"
		              "objectClass: xThings\ncn: n%u\nsn: s%u\nxWord: w%u\n"
		              "xInt: %u\nxWord: m%u\n\n",
		              i, i, i % 100, i, i % 1000 + number, i / 7);
	}
	assert_int_equal(fclose(file), 0);
	return text;
}

/* The same change of each of them; NULL: all are added. */
static char *make_changes(unsigned n, const char *change)
{
	char *people = change == NULL ? make_people(n, 0) : NULL;
	const char *at = people == NULL ? NULL : people + strlen(modify_fixture_entries);
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	assert_non_null(file);
	for (unsigned i = 0; i < n; i++) {
		(void)fprintf(file, "dn: cn=n%u,ou=b,dc=x\nchangetype: ", i);
		if (change != NULL) {
			(void)fprintf(file, "%s\n\n", change);
			continue;
		}
		at = strchr(at, '\n') + 1;
		(void)fprintf(file, "add\n%.*s", (int)(strstr(at, "\n\n") + 2 - at), at);
		at = strstr(at, "\n\n") + 2;
	}
	assert_int_equal(fclose(file), 0);
	free(people);
	return text;
}

static uint64_t digest_of_load(struct modify_fixture *f, unsigned n, unsigned number)
{
	char *people = make_people(n, number);

	modify_fixture_load(f, people);
	free(people);
	return load_fixture_digest(&f->load);
}

/* More than the keys of one part: 4,096 entries that come or go (modify_write.c). */
#define NPEOPLE 5000u

SETUP_TEST(many_changes_make_what_a_load_makes)
{
	static const char *const changes[] = {NULL, "modify\nincrement: xInt\nxInt: 1",
	                                      "delete"};
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);
	const uint64_t want[] = {digest_of_load(f, NPEOPLE, 0),
	                         digest_of_load(f, NPEOPLE, 1), digest_of_load(f, 0, 0)};

	for (opts.threads = 1; opts.threads <= 3; opts.threads += 2) {
		for (size_t i = 0; i < 3; i++) {
			char *text = make_changes(NPEOPLE, changes[i]);

			int r = modify_fixture_run(f, &opts, text);

			free(text);
			if (r != 0) {
				fail_msg("%u threads, change %zu: %d, %.500s",
				         opts.threads, i, r, f->load.reports);
			}
			assert_int_equal(f->stats.nrecords, NPEOPLE);
			assert_int_equal(f->stats.nentries, NPEOPLE);
			assert_int_equal(f->stats.threads, opts.threads);
			if (load_fixture_digest(&f->load) != want[i]) {
				fail_msg("%s: another database",
				         changes[i] == NULL ? "add" : changes[i]);
			}
		}
	}
}
