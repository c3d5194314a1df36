/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of dit_load():
 * - the same input gives the same database, whatever threads, batches and memory;
 * - a refused record ends the load and nothing changes, or with keep_going is left out,
 *   reported and handed to the reject callback, in input order;
 * - entries that are there, a database in use, a result over maxsize are refused, and
 *   nothing changes;
 * - nothing is left in the temporary directory.
 */
#include "test.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "load_fixture.h"

TEST(threads_batches_and_memory_do_not_change_the_result)
{
	static const struct {
		const char *name;
		unsigned threads;
		size_t batch_bytes;
		size_t batch_records;
		uint64_t memory;
	} cases[] = {
		{"one thread", 1, 0, 0, 0},
		{"one record a batch", 1, 1, 1, 0},
		{"two threads", 2, 0, 0, 0},
		{"three threads, small batches", 3, 3000, 7, 0},
		{"eight threads, runs spilled", 8, 20000, 0, DIT_LOAD_MEMORY_MIN},
		{"one thread, runs spilled", 1, 20000, 0, DIT_LOAD_MEMORY_MIN},
	};
	struct load_fixture *f = load_fixture_new("maxsize 1000000000\n");
	uint64_t want = 0;

	load_fixture_write_people(f, 10000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_load_opts opts = load_fixture_opts(f);
		struct dit_load_stats stats;
		uint64_t digest = 0;

		opts.threads = cases[i].threads;
		opts.batch_bytes = cases[i].batch_bytes;
		opts.batch_records = cases[i].batch_records;
		if (cases[i].memory != 0) {
			opts.memory_bytes = cases[i].memory;
		}
		assert_int_equal(dit_load(&opts, &stats), 0);
		assert_string_equal(f->reports, "");
		assert_int_equal(stats.nentries, 10005);
		assert_int_equal(stats.nrecords, 10005);
		assert_int_equal(stats.nmissing, 0);
		if (cases[i].memory != 0) {
			assert_true(stats.run_bytes > 0);
		}
		dit_load_stats_deinit(&stats);
		digest = load_fixture_digest(f);
		assert_int_not_equal(digest, 0);
		if (i == 0) {
			want = digest;
		} else if (digest != want) {
			fail_msg("%s: another database", cases[i].name);
		}
		load_fixture_reset(f);
	}
}

TEST(inputs_have_digests_if_asked_for)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;

	load_fixture_write(f, "dn: dc=x\nobjectClass: domain\ndc: x\n");
	opts.is_dry_run = true;
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_int_equal(stats.ninputs, 0);
	dit_load_stats_deinit(&stats);
	opts.keep_digests = true;
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_int_equal(stats.ninputs, 1);
	assert_string_equal(stats.inputs[0].path, f->input);
	assert_int_equal(stats.inputs[0].nbytes, 35);
	/* printf 'dn: dc=x\nobjectClass: domain\ndc: x\n' | xxh128sum */
	assert_string_equal(stats.inputs[0].digest, "b4936bd94354c39a6f8c3b3f5042bd6a");
	dit_load_stats_deinit(&stats);
}

TEST(a_single_input_has_to_have_its_digest_too)
{
	const char *digests[] = {"b4936bd94354c39a6f8c3b3f5042bd6a"};
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);

	load_fixture_write(f, "dn: dc=x\nobjectClass: domain\ndc: x\n");
	opts.is_dry_run = true;
	opts.digests = digests;
	assert_int_equal(load_fixture_run(&opts), 0);
	digests[0] = "00000000000000000000000000000000";
	assert_int_equal(load_fixture_run(&opts), DIT_E_INVALID);
}

static const char flawed[] = "dn: dc=x\nobjectClass: domain\ndc: x\n\n"
			     "dn: cn=a,dc=x\nobjectClass: person\ncn: a\nsn: a\n\n"
			     "dn: cn=b,dc=x\nobjectClass: person\ncn: b\n\n"
			     "dn: cn=c,dc=x\nobjectClass: person\nfoo: c\n\n"
			     "dn: cn=a,dc=x\nobjectClass: person\ncn: a\nsn: again\n\n"
			     "dn: cn=d,dc=y\nobjectClass: person\ncn: d\nsn: d\n\n"
			     "dn: cn=e,ou=z,dc=x\nobjectClass: person\ncn: e\nsn: e\n\n";

static const char flawed_rejects[] =
	"10|cn=b,dc=x|dn=\"cn=b,dc=x\" (line=10): (65) object class 'person' requires "
	"attribute 'sn'\n"
	"14|cn=c,dc=x|<= str2entry: str2ad(foo): attribute type undefined\n"
	"18|cn=a,dc=x|MDB_KEYEXIST: Key/data pair already exists (-30799)\n"
	"23|cn=d,dc=y|line 23: database #1 (dc=x) not configured to hold \"cn=d,dc=y\"; no "
	"database configured for that naming context\n";

/* Each refused record is one of a kind. */
static void assert_counted(const struct dit_load_stats *stats, uint64_t expected)
{
	uint64_t n = 0;

	for (size_t i = 0; i < stats->nrefusals; i++) {
		n += stats->refusals[i].nrecords;
	}
	assert_int_equal(n, expected);
}

TEST(refused_records_are_left_out_in_input_order)
{
	static const unsigned threads[] = {1, 2, 3, 8};
	struct load_fixture *f = load_fixture_new("");

	load_fixture_write(f, flawed);
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		struct dit_load_opts opts = load_fixture_opts(f);
		struct dit_load_stats stats;

		opts.threads = threads[i];
		opts.batch_records = 1 + i;
		opts.keep_going = true;
		assert_int_equal(dit_load(&opts, &stats), 0);
		assert_int_equal(stats.nrecords, 7);
		assert_int_equal(stats.nentries, 3);
		assert_int_equal(stats.nrefused, 3);
		assert_int_equal(stats.nfailed, 1);
		assert_int_equal(stats.nmissing, 1);
		assert_string_equal(f->rejects, flawed_rejects);
		assert_counted(&stats, 4);
		assert_int_equal(stats.refusals[0].first_line, 10);
		assert_string_equal(stats.refusals[0].first_dn, "cn=b,dc=x");
		assert_non_null(strstr(stats.refusals[0].first_reason,
		                       "requires attribute 'sn'"));
		assert_non_null(strstr(f->reports, "Error, entries missing!\n"
		                                   "  entry 3: ou=z,dc=x\n"));
		assert_non_null(strstr(f->reports,
		                       "error: could not add entry "
		                       "dn=\"cn=a,dc=x\" (line=18): txn_aborted! "
		                       "MDB_KEYEXIST"));
		dit_load_stats_deinit(&stats);
		load_fixture_reset(f);
	}
}

TEST(unknown_names_without_schema_check_fail_when_stored)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;

	load_fixture_write(f, "dn: dc=x\nobjectClass: domain\n\n"
	                      "dn: cn=a,dc=x\nobjectClass: person\nfoo: 1\n\n"
	                      "dn: cn=b,dc=x\nobjectClass: person\nfoo: 2\n\n"
	                      "dn: dc=x\nobjectClass: domain\nfoo: 3\n\n");
	opts.no_schema_check = true;
	opts.keep_going = true;
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_int_equal(stats.nentries, 1);
	assert_int_equal(stats.nfailed, 3);
	assert_counted(&stats, 3);
	assert_string_equal(
		f->reports,
		"UNKNOWN attributeDescription \"FOO\" inserted.\n"
		"=> mdb_tool_entry_put: id2entry_add failed: err=17\n"
		"=> mdb_tool_entry_put: txn_aborted! File exists (17)\n"
		"error: could not add entry dn=\"cn=a,dc=x\" (line=4): txn_aborted! File "
		"exists (17)\n"
		"=> mdb_tool_entry_put: id2entry_add failed: err=17\n"
		"=> mdb_tool_entry_put: txn_aborted! File exists (17)\n"
		"error: could not add entry dn=\"cn=b,dc=x\" (line=8): txn_aborted! File "
		"exists (17)\n"
		"mdb_id2entry_put: mdb_put failed: MDB_KEYEXIST: Key/data pair already "
		"exists(-30799) \"dc=x\"\n"
		"=> mdb_tool_entry_put: id2entry_add failed: err=-30799\n"
		"=> mdb_tool_entry_put: txn_aborted! MDB_KEYEXIST: Key/data pair already "
		"exists (-30799)\n"
		"error: could not add entry dn=\"dc=x\" (line=12): txn_aborted! MDB_KEYEXIST: "
		"Key/data pair already exists (-30799)\n");
	dit_load_stats_deinit(&stats);
}

TEST(the_first_refused_record_ends_the_load)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;

	load_fixture_write(f, flawed);
	assert_int_equal(dit_load(&opts, &stats), DIT_E_REFUSED);
	assert_int_equal(stats.nrefused, 1);
	assert_true(load_fixture_is_empty(f));
	dit_load_stats_deinit(&stats);
}

TEST(entries_that_are_there_are_refused_and_stay)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);
	uint64_t before = 0;

	load_fixture_write_people(f, 3);
	assert_int_equal(load_fixture_run(&opts), 0);
	before = load_fixture_digest(f);

	assert_int_equal(load_fixture_run(&opts), DIT_E_REFUSED);
	assert_non_null(strstr(f->reports, "could not add entry dn=\"dc=x\" (line=1)"));
	assert_int_equal(load_fixture_digest(f), before);
}

TEST(an_empty_database_is_replaced)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;

	load_fixture_write(f, "");
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_int_equal(stats.nentries, 0);
	dit_load_stats_deinit(&stats);
	assert_int_not_equal(load_fixture_digest(f), 0);

	load_fixture_write_people(f, 3);
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_int_equal(stats.nentries, 8);
	dit_load_stats_deinit(&stats);
}

TEST(a_result_over_maxsize_is_refused_unless_it_may_grow)
{
	struct load_fixture *f = load_fixture_new("maxsize 100000\n");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;

	load_fixture_write_people(f, 500);
	assert_int_equal(dit_load(&opts, &stats), DIT_E_FULL);
	assert_non_null(strstr(f->reports, "configure \"maxsize "));
	dit_load_stats_deinit(&stats);
	assert_true(load_fixture_is_empty(f));

	opts.may_grow = true;
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_true(stats.databases[0].bytes > 100000);
	dit_load_stats_deinit(&stats);
}

/* 17 MiB of input, past the first estimate, long before the end of a 34 MiB input. */
TEST(a_result_far_over_maxsize_is_refused_early)
{
	struct load_fixture *f = load_fixture_new("maxsize 10000000\n");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;

	load_fixture_write_people(f, 70000);
	assert_int_equal(dit_load(&opts, &stats), DIT_E_FULL);
	assert_non_null(strstr(f->reports, "will need about"));
	assert_true(stats.nentries < 65000);
	dit_load_stats_deinit(&stats);
	assert_true(load_fixture_is_empty(f));
}

/* Entries alone would fit; with what the index keys seem to need, hardly. */
TEST(a_result_that_may_not_fit_is_warned_of_early)
{
	struct load_fixture *f = load_fixture_new("maxsize 57000000\n");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;

	load_fixture_write_people(f, 40000);
	(void)dit_load(&opts, &stats);
	assert_int_equal(stats.nentries, 40005);
	assert_non_null(strstr(f->reports, "may need about"));
	assert_null(strstr(f->reports, "will need about"));
	dit_load_stats_deinit(&stats);
}

/* Room on each disk. */
static uint64_t free_bytes = UINT64_MAX / 2;

int statvfs(const char *path, struct statvfs *ret)
{
	(void)path;
	*ret = (struct statvfs){.f_frsize = 1, .f_bavail = free_bytes};
	return 0;
}

/* The file, and the temporary files of this little memory. */
TEST(a_disk_that_may_be_too_small_is_warned_of_early)
{
	struct load_fixture *f = load_fixture_new("maxsize 1000000000\n");
	struct dit_load_opts opts = load_fixture_opts(f);
	const char *warning = "more bytes of disk may be needed, 1000 are free\n";
	const char *first = NULL;

	load_fixture_write_people(f, 40000);
	opts.memory_bytes = DIT_LOAD_MEMORY_MIN;
	free_bytes = 1000;
	assert_int_equal(load_fixture_run(&opts), 0);
	free_bytes = UINT64_MAX / 2;
	/* The database's disk, and that of the temporary files. */
	first = strstr(f->reports, warning);
	assert_non_null(first);
	assert_non_null(strstr(first + 1, warning));
}

TEST(a_dry_run_touches_no_database)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts;
	struct dit_load_stats stats;

	load_fixture_write_people(f, 10);
	opts = load_fixture_opts(f);
	opts.is_dry_run = true;
	opts.is_verbose = true;
	opts.openldap = DIT_OPENLDAP_2_5;
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_int_equal(stats.nentries, 15);
	assert_non_null(strstr(f->reports, "added: \"dc=x\"\n"));
	assert_true(load_fixture_is_empty(f));
	dit_load_stats_deinit(&stats);

	opts.openldap = DIT_OPENLDAP_2_6;
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_non_null(strstr(f->reports, "added: \"dc=x\" (00000000)\n"));
	assert_true(load_fixture_is_empty(f));
	dit_load_stats_deinit(&stats);
}

TEST(an_exact_load_adds_nothing_to_an_entry)
{
	for (int is_exact = 0; is_exact < 2; is_exact++) {
		struct load_fixture *f = load_fixture_new("");
		struct dit_load_opts opts = load_fixture_opts(f);
		struct dit_snapshot *snapshot = NULL;

		load_fixture_write(f, "dn: dc=x\nobjectClass: domain\ndc: x\n");
		opts.is_exact = is_exact;
		opts.no_schema_check = is_exact; /* which adds the structural class */
		assert_int_equal(load_fixture_run(&opts), 0);
		snapshot = load_fixture_snapshot(f->database);
		/* objectClass and dc; the structural class and six more */
		assert_int_equal(dit_snapshot_db(snapshot, "ad2i")->nrecords,
		                 is_exact ? 2 : 9);
		dit_snapshot_close(snapshot);
	}
}

static void stop_request(void *ctx, const struct dit_progress *progress)
{
	volatile sig_atomic_t *stop = ctx;

	(void)progress;
	__atomic_store_n(stop, 1, __ATOMIC_RELAXED); /* as all threads read it */
}

TEST(a_stop_request_ends_the_load_and_nothing_changes)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);
	volatile sig_atomic_t stop = 0;

	load_fixture_write_people(f, 1000);
	opts.batch_records = 10;
	opts.threads = 2;
	opts.stop = &stop;
	opts.progress = stop_request;
	opts.progress_ctx = (void *)&stop;
	assert_int_equal(load_fixture_run(&opts), DIT_E_STOPPED);
	assert_true(load_fixture_is_empty(f));
}

static int request_stop(void *ctx)
{
	stop_request(ctx, NULL);
	return 0;
}

TEST(a_stop_request_before_the_commit_is_told_as_such)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);
	volatile sig_atomic_t stop = 0;

	load_fixture_write_people(f, 10);
	opts.stop = &stop;
	opts.before_publish = request_stop;
	opts.before_publish_ctx = (void *)&stop;
	assert_int_equal(load_fixture_run(&opts), DIT_E_STOPPED);
	assert_string_equal(f->reports, "error: load ended: Interrupted; the database is "
	                                "what it was before\n");
	assert_true(load_fixture_is_empty(f));
}

struct publication {
	const struct load_fixture *f;
	int result;
	unsigned ncalls;
};

static int before_publish(void *ctx)
{
	struct publication *publication = ctx;

	publication->ncalls++;
	assert_int_equal(load_fixture_digest(publication->f), 0);
	return publication->result;
}

TEST(the_program_can_end_a_load_before_anything_changes)
{
	static const int answers[] = {-ENOSPC, ENOSPC, 0};
	static const int results[] = {-ENOSPC, -EINVAL, 0};

	for (size_t i = 0; i < 3; i++) {
		struct load_fixture f;
		struct dit_load_opts opts;
		struct dit_load_stats stats;
		struct publication publication = {.f = &f, .result = answers[i]};

		load_fixture_init(&f, "");
		load_fixture_write_people(&f, 10);
		opts = load_fixture_opts(&f);
		opts.before_publish = before_publish;
		opts.before_publish_ctx = &publication;
		assert_int_equal(dit_load(&opts, &stats), results[i]);
		assert_int_equal(publication.ncalls, 1);
		assert_int_equal(load_fixture_is_empty(&f), results[i] < 0);
		dit_load_stats_deinit(&stats);
		load_fixture_deinit(&f);
	}
}

TEST(wrong_options_are_refused)
{
	struct load_fixture *f = load_fixture_new("");

	load_fixture_write_people(f, 1);
	for (int i = 0; i < 5; i++) {
		struct dit_load_opts opts = load_fixture_opts(f);
		int want = 0;

		switch (i) {
		case 0:
			opts.conf = "/nonexistent/slapd.conf";
			want = DIT_E_CONFIG;
			break;
		case 1:
			opts.suffix = "dc=other";
			want = DIT_E_CONFIG;
			break;
		case 2:
			opts.input = "/nonexistent/in.ldif";
			want = -ENOENT;
			break;
		case 3:
			opts.memory_bytes = 1024;
			want = -EINVAL;
			break;
		default:
			opts.database = 7;
			want = DIT_E_CONFIG;
			break;
		}
		assert_int_equal(load_fixture_run(&opts), want);
		assert_string_not_equal(f->reports, "");
		assert_true(load_fixture_is_empty(f));
		load_fixture_reset(f);
	}
}

/* Spilling into a directory that is not there fails when the first run is written. */
TEST(a_missing_tmpdir_is_an_error_that_changes_nothing)
{
	struct load_fixture *f = load_fixture_new("maxsize 1000000000\n");
	struct dit_load_opts opts = load_fixture_opts(f);

	load_fixture_write_people(f, 30000);
	opts.threads = 2;
	opts.memory_bytes = DIT_LOAD_MEMORY_MIN;
	opts.tmpdir = "/nonexistent/tmp";
	assert_true(load_fixture_run(&opts) < 0);
	assert_string_not_equal(f->reports, "");
	assert_true(load_fixture_is_empty(f));
}

static rlim_t count_open_files(void)
{
	int fd = open("/dev/null", O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	return (rlim_t)fd;
}

/* Runs are files: with little memory there are more of them than may be open. */
TEST(too_many_open_files_are_an_error_with_advice)
{
	struct load_fixture *f = load_fixture_new("maxsize 1000000000\n");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct rlimit before;
	struct rlimit few;
	int r = 0;

	load_fixture_write_people(f, 20000);
	opts.memory_bytes = DIT_LOAD_MEMORY_MIN;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = count_open_files() + 12;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);

	r = load_fixture_run(&opts);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);

	assert_int_equal(r, -EMFILE);
	assert_non_null(strstr(f->reports, "Too many open files: give more memory"));
	assert_true(load_fixture_is_empty(f));
}
