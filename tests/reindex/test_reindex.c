/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of reindexing: index databases are what a load makes, whatever they were
 * before, with any number of threads and little memory; if anything fails, or memory runs
 * out at any moment, the database is as it was, and a report says why.
 */
#include "test.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "load/load_fixture.h"
#include "nomem.h"
#include "reindex_fixture.h"
#include "sort/postings.h"

#define INDEX_FLAGS (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)

static void note_progress(void *ctx, const struct dit_progress *progress)
{
	struct told *told = ctx;

	assert_true(progress->done <= progress->total);
	assert_true(progress->phase >= told->phase);
	told->phase = progress->phase;
	told->done[progress->phase] = progress->done;
	told->total[progress->phase] = progress->total;
	told->nprogress++;
}

/* ---- parts of an index, which depend on the machine ---- */

static unsigned nparts_cut; /* the most of an index since it was set to 0 */

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
unsigned __wrap_dit_processor_count(void);
void __real_dit_postings_cut(struct dit_postings *postings, unsigned stream,
                             unsigned nparts);
void __wrap_dit_postings_cut(struct dit_postings *postings, unsigned stream,
                             unsigned nparts);

unsigned __wrap_dit_processor_count(void)
{
	return 16;
}

void __wrap_dit_postings_cut(struct dit_postings *postings, unsigned stream,
                             unsigned nparts)
{
	nparts_cut = nparts > nparts_cut ? nparts : nparts_cut;
	__real_dit_postings_cut(postings, stream, nparts);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- changes by liblmdb ---- */

static void put(const char *directory, const char *name, const void *key, size_t key_len,
                const char *value)
{
	MDB_txn *txn = test_begin(directory, MDB_NOSYNC);
	MDB_dbi dbi = test_dbi(txn, name, MDB_CREATE | INDEX_FLAGS);

	test_put(txn, dbi, key, key_len, value, strlen(value));
	test_commit(txn);
}

/* A record of id2e with another ID, too. */
static void copy_entry(const struct load_fixture *f, uint64_t from, uint64_t to)
{
	MDB_txn *txn = test_begin(f->database, MDB_NOSYNC);
	MDB_val key = {sizeof(from), &from};
	MDB_val value;
	char *bytes = NULL;
	MDB_dbi dbi = test_dbi(txn, "id2e", 0);

	assert_int_equal(mdb_get(txn, dbi, &key, &value), 0);
	bytes = malloc(value.mv_size);
	assert_non_null(bytes);
	memcpy(bytes, value.mv_data, value.mv_size);
	value.mv_data = bytes;
	key.mv_data = &to;
	assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
	test_commit(txn);
	free(bytes);
}

static void spoil(const struct load_fixture *f)
{
	put(f->database, "cn", "abcd", 4, "12345678");
	drop(f->database, "sn", 0);
	drop(f->database, "uidNumber", 1);
}

/* ---- what it does ---- */

TEST(indexes_are_those_of_a_load)
{
	static const unsigned nthreads[] = {1, 2, 5};
	struct load_fixture *f = load_fixture_new_people(3000);
	uint64_t want = load_fixture_digest(f);

	for (size_t i = 0; i < 3; i++) {
		struct told told;
		struct dit_reindex_stats stats;
		struct dit_reindex_opts opts = reindex_opts(f, &told);

		spoil(f);
		assert_int_not_equal(load_fixture_digest(f), want);
		opts.threads = nthreads[i];
		opts.memory_bytes = i == 1 ? 8 << 20 : 0;
		opts.is_verbose = i == 2;
		opts.progress = note_progress;
		opts.progress_ctx = &told;
		assert_int_equal(dit_reindex(&opts, &stats), 0);
		assert_string_equal(told.text, "");
		assert_int_equal(told.nadded, i == 2 ? 3005 : 0);
		assert_true(told.nprogress > 0);
		assert_int_equal(told.done[DIT_REINDEX_ENTRIES], 3005);
		assert_int_equal(told.total[DIT_REINDEX_ENTRIES], 3005);
		assert_true(told.total[DIT_REINDEX_INDEXES] > 3005);
		assert_int_equal(told.phase, DIT_REINDEX_PUBLISH);
		assert_int_equal(stats.threads, nthreads[i]);
		assert_int_equal(stats.ndatabases, 1);
		assert_int_equal(stats.databases[0].nentries, 3005);
		assert_int_equal(stats.databases[0].nindexes, 9);
		assert_true(stats.databases[0].indexes[0].nkeys > 0);
		assert_true(stats.databases[0].bytes > 0);
		dit_reindex_stats_deinit(&stats);
		assert_int_equal(load_fixture_digest(f), want);
	}
}

TEST(named_attributes_alone_are_indexed)
{
	static const char *const surname[] = {"surname"};
	static const char *const unknown[] = {"sn", "nothing"};
	static const char *const without[] = {"description"};
	struct load_fixture *f = load_fixture_new_people(50);
	struct told told;
	struct dit_reindex_opts opts = reindex_opts(f, &told);
	uint64_t want = load_fixture_digest(f);
	uint64_t empty_cn = 0;

	opts.attrs = surname;
	opts.nattrs = 1;
	drop(f->database, "cn", 0);
	empty_cn = load_fixture_digest(f);
	drop(f->database, "sn", 0);
	assert_int_equal(reindex(&opts), 0);
	assert_int_equal(load_fixture_digest(f), empty_cn);
	opts.attrs = unknown;
	opts.nattrs = 2;
	assert_int_equal(reindex(&opts), DIT_E_CONFIG);
	assert_non_null(strstr(told.text, "slap_str2ad(nothing) failed 17"));
	opts.attrs = without;
	opts.nattrs = 1;
	assert_int_equal(reindex(&opts), DIT_E_CONFIG);
	assert_non_null(strstr(told.text, "no index configured for description"));
	opts.nattrs = 0;
	assert_int_equal(reindex(&opts), 0);
	assert_int_equal(load_fixture_digest(f), want);
}

TEST(unconfigured_indexes_are_told)
{
	struct load_fixture *f = load_fixture_new_people(50);
	struct told told;
	struct dit_reindex_opts opts = reindex_opts(f, &told);
	uint64_t want = load_fixture_digest(f);

	put(f->database, "description", "abcd", 4, "12345678");
	assert_int_equal(reindex(&opts), 0);
	assert_non_null(strstr(told.text, "\"description\" in "));
	assert_int_not_equal(load_fixture_digest(f), want);
	opts.drop_unconfigured = true;
	assert_int_equal(reindex(&opts), 0);
	assert_non_null(strstr(told.text, "bytes, removed"));
	assert_int_equal(load_fixture_digest(f), want);
}

TEST(without_indexes_the_file_stays_as_it_is)
{
	struct dit_reindex_stats stats;
	struct load_fixture *f = load_fixture_new_people(50);
	struct told told;
	struct dit_reindex_opts opts = reindex_opts(f, &told);
	char text[5000];
	struct stat before;
	struct stat after;

	(void)snprintf(text, sizeof(text), "sed -i '/^index/d' %s", f->conf);
	assert_int_equal(system(text), 0);
	(void)snprintf(text, sizeof(text), "%s/data.mdb", f->database);
	assert_int_equal(stat(text, &before), 0);
	assert_int_equal(dit_reindex(&opts, &stats), 0);
	assert_int_equal(stats.databases[0].nindexes, 0);
	assert_int_equal(stats.databases[0].bytes, before.st_size);
	dit_reindex_stats_deinit(&stats);
	assert_int_equal(stat(text, &after), 0);
	assert_memory_equal(&after.st_mtim, &before.st_mtim, sizeof(after.st_mtim));
}

TEST(several_databases_are_reindexed)
{
	struct load_fixture *f = load_fixture_new_glued("");
	struct told told;
	struct dit_reindex_opts opts = reindex_opts(f, &told);
	uint64_t want = 0;
	uint64_t below = 0;
	uint64_t spoilt = 0;

	load_fixture_load_people(f, 200);
	want = load_fixture_digest(f);
	below = load_fixture_digest_of(f->subordinate);
	opts.threads = 2;
	spoil(f);
	drop(f->subordinate, "cn", 0);
	spoilt = load_fixture_digest_of(f->subordinate);
	opts.no_glue = true;
	assert_int_equal(reindex(&opts), 0);
	assert_int_equal(load_fixture_digest(f), want);
	assert_int_equal(load_fixture_digest_of(f->subordinate), spoilt);
	opts.no_glue = false;
	assert_int_equal(reindex(&opts), 0);
	assert_int_equal(load_fixture_digest(f), want);
	assert_int_equal(load_fixture_digest_of(f->subordinate), below);
}

/* An index without integer keys keeps its kind; a new one gets what is asked for. */
TEST(an_index_keeps_its_kind_of_keys)
{
	struct load_fixture *f = load_fixture_new_people(50);
	struct told told;
	struct dit_reindex_opts opts = reindex_opts(f, &told);
	struct dit_reindex_stats stats;
	uint64_t want = load_fixture_digest(f);

	opts.byte_keys = true;
	assert_int_equal(reindex(&opts), 0);
	assert_int_equal(load_fixture_digest(f), want);
	drop(f->database, "cn", 1);
	assert_int_equal(dit_reindex(&opts, &stats), 0);
	for (size_t i = 0; i < stats.databases[0].nindexes; i++) {
		const struct dit_index_stats *index = &stats.databases[0].indexes[i];

		if (strcmp(index->name, "cn") == 0) {
			assert_false(index->is_integerkey);
		}
		if (strcmp(index->name, "sn") == 0) {
			assert_true(index->is_integerkey);
		}
	}
	dit_reindex_stats_deinit(&stats);
}

/* Integer keys that do not suit the index any more would be searched wrongly. */
TEST(an_index_with_other_keys_is_replaced_and_told)
{
	struct load_fixture *f = load_fixture_new_people(50);
	struct told told;
	struct dit_reindex_opts opts = reindex_opts(f, &told);
	char *command =
		test_text("sed -i 's/^index cn,sn,uid pres,eq,sub/index cn,sn,uid "
	                  "eq,approx/' '%s'",
	                  f->conf);

	assert_int_equal(system(command), 0);
	assert_int_equal(reindex(&opts), 0);
	assert_non_null(strstr(told.text, "index database \"cn\" in "));
	told.text[0] = '\0';
	assert_int_equal(reindex(&opts), 0);
	assert_string_equal(told.text, "");
}

/* ---- what goes wrong ---- */

TEST(broken_entries_are_told)
{
	struct load_fixture *f = load_fixture_new_people(50);
	struct told told;
	struct dit_reindex_opts opts = reindex_opts(f, &told);
	struct dit_reindex_stats stats;
	uint64_t id = 20;
	uint64_t before = 0;

	put(f->database, "id2e", &id, sizeof(id), "this is no entry, only text.....");
	before = load_fixture_digest(f);
	assert_int_equal(reindex(&opts), DIT_E_CORRUPT);
	assert_non_null(strstr(told.text, "entry id=00000014 dn=\"uid="));
	assert_int_equal(load_fixture_digest(f), before);
	opts.keep_going = true;
	opts.progress = note_progress;
	opts.progress_ctx = &told;
	copy_entry(f, 19, (uint64_t)1 << 32);
	assert_int_equal(dit_reindex(&opts, &stats), 0);
	assert_non_null(strstr(told.text, "entry id=100000000: the ID is above"));
	assert_int_equal(stats.databases[0].nbroken, 2);
	assert_int_equal(stats.databases[0].nentries, 54);
	assert_int_equal(told.done[DIT_REINDEX_ENTRIES], 56);
	assert_int_equal(told.total[DIT_REINDEX_ENTRIES], 56);
	dit_reindex_stats_deinit(&stats);
	assert_int_not_equal(load_fixture_digest(f), before);
}

/* Over such a value slapindex dies; slapd took it while there was no index. */
TEST(values_without_keys_are_told)
{
	struct load_fixture *f = load_fixture_new("");
	struct told told;
	struct dit_reindex_opts opts = reindex_opts(f, &told);
	struct dit_load_opts load;
	char command[9000];

	(void)snprintf(command, sizeof(command),
	               "cp '%s' '%s/indexed.conf'; sed -i '/^index uidNumber/d' '%s'",
	               f->conf, f->dir, f->conf);
	assert_int_equal(system(command), 0);
	load_fixture_write(f, "dn: dc=x\nobjectClass: domain\ndc: x\n\n"
	                      "dn: cn=a,dc=x\nobjectClass: person\ncn: a\nsn: a\n"
	                      "uidNumber:\n");
	load = load_fixture_opts(f);
	assert_int_equal(load_fixture_run(&load), 0);
	(void)snprintf(command, sizeof(command), "mv '%s/indexed.conf' '%s'", f->dir,
	               f->conf);
	assert_int_equal(system(command), 0);
	assert_int_equal(reindex(&opts), DIT_E_CORRUPT);
	assert_non_null(strstr(told.text,
	                       "dn=\"cn=a,dc=x\": uidNumber: value #0: an empty "
	                       "integer"));
	opts.keep_going = true;
	assert_int_equal(reindex(&opts), 0);
}

TEST(runs_that_cannot_be_done_change_nothing)
{
	static volatile sig_atomic_t stop = 1;
	struct load_fixture *f = load_fixture_new("");
	struct told told;
	struct dit_reindex_opts opts = reindex_opts(f, &told);
	uint64_t before = 0;

	assert_int_equal(reindex(&opts), DIT_E_UNKNOWN);
	assert_non_null(strstr(told.text, "/id2e) failed: MDB_NOTFOUND"));
	load_fixture_load_people(f, 50);
	spoil(f);
	before = load_fixture_digest(f);

	opts = reindex_opts(f, &told);
	opts.memory_bytes = 1;
	assert_int_equal(reindex(&opts), -EINVAL);
	opts = reindex_opts(f, &told);
	opts.threads = 2000;
	assert_int_equal(reindex(&opts), -EINVAL);
	opts = reindex_opts(f, &told);
	opts.tmpdir = "/nonexistent";
	assert_int_equal(reindex(&opts), -ENOENT);
	assert_non_null(strstr(told.text, "/nonexistent"));
	opts = reindex_opts(f, &told);
	opts.database = 0;
	assert_int_equal(reindex(&opts), DIT_E_CONFIG);
	assert_non_null(strstr(told.text, "support necessary operations"));
	opts = reindex_opts(f, &told);
	opts.stop = &stop;
	assert_int_equal(reindex(&opts), DIT_E_STOPPED);
	assert_non_null(strstr(told.text, "Interrupted"));
	assert_int_equal(load_fixture_digest(f), before);
}

TEST(maxsize_limits_the_file)
{
	struct load_fixture *f = load_fixture_new("maxsize 100000000\n");
	struct told told;
	struct dit_reindex_opts opts = reindex_opts(f, &told);
	char path[4300];
	char command[9000];
	struct stat before;
	struct stat after;

	load_fixture_load_people(f, 1000);
	(void)snprintf(path, sizeof(path), "%s/data.mdb", f->database);
	assert_int_equal(stat(path, &before), 0);
	(void)snprintf(command, sizeof(command),
	               "sed -i 's/^maxsize.*/maxsize %lld/' '%s'",
	               (long long)before.st_size + 8192, f->conf);
	assert_int_equal(system(command), 0);
	assert_int_equal(reindex(&opts), DIT_E_FULL);
	assert_non_null(strstr(told.text, "but maxsize is"));
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
}

TEST(a_database_in_use_is_refused)
{
	struct load_fixture *f = load_fixture_new_people(20);
	struct told told;
	struct dit_reindex_opts opts = reindex_opts(f, &told);
	char name[64];
	int pipes[2];
	char byte = 0;
	pid_t pid = 0;

	assert_int_equal(pipe(pipes), 0);
	pid = test_fork();
	if (pid == 0) {
		MDB_env *env = test_env(f->database, MDB_NOSYNC, 0);

		(void)!write(pipes[1], "x", 1);
		(void)pause();
		mdb_env_close(env);
		_exit(0);
	}
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	assert_int_equal(reindex(&opts), DIT_E_BUSY);
	(void)snprintf(name, sizeof(name), "test_reindex, process %d", (int)pid);
	assert_non_null(strstr(told.text, name));
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(reindex(&opts), 0);
}

/* ---- memory ---- */

static void count_report(void *ctx, const struct dit_report *report)
{
	(void)report;
	((struct told *)ctx)->nreports++;
}

/* Entries outside of the sample are like those in it: none of them is left out. */
TEST(an_estimate_of_a_part_is_of_all_entries)
{
	struct load_fixture *f = load_fixture_new("maxsize 1000000000\n");
	struct told told;
	struct dit_reindex_opts opts = reindex_opts(f, &told);
	struct dit_reindex_stats stats;
	struct dit_estimate estimate;

	load_fixture_load_people(f, 6000);
	assert_int_equal(dit_estimate_reindex(&opts, 256u << 10, &estimate), 0);
	assert_false(estimate.is_whole);
	assert_true(estimate.sampled_entries < 3000);
	assert_int_equal(dit_reindex(&opts, &stats), 0);
	assert_int_equal(estimate.nentries, stats.databases[0].nentries);
	assert_int_equal(estimate.nrefused, 0);
	dit_reindex_stats_deinit(&stats);
	dit_estimate_deinit(&estimate);
}

/* Threads: 1 or more by turns; at last more. @param attr  alone; NULL: all */
static long fail_each_allocation(const char *attr, unsigned npeople, unsigned nthreads,
                                 long step)
{
	struct load_fixture f;
	struct told told;
	uint64_t want = 0;
	uint64_t before = 0;
	bool has_failed = true;
	long n = 0;

	load_fixture_init(&f, "");
	load_fixture_load_people(&f, npeople);
	want = load_fixture_digest(&f);
	for (n = 0; has_failed; n += step) {
		struct dit_reindex_opts opts = reindex_opts(&f, &told);
		int r = 0;

		opts.attrs = &attr;
		opts.nattrs = attr == NULL ? 0 : 1;
		if (attr == NULL) {
			spoil(&f);
		} else {
			drop(f.database, attr, 0);
		}
		before = load_fixture_digest(&f);
		opts.threads = n % 2 == 0 ? 1 : nthreads;
		opts.report = count_report;
		countdown = n;
		r = reindex(&opts);
		has_failed = countdown < 0 || opts.threads == 1;
		countdown = -1;
		assert_int_equal(load_fixture_digest(&f), r == 0 ? want : before);
		assert_true(r == 0 || told.nreports > 0);
		if (r < 0) {
			opts = reindex_opts(&f, &told);
			assert_int_equal(reindex(&opts), 0);
		}
		assert_true(n < 100000);
	}
	load_fixture_deinit(&f);
	return n;
}

TEST(any_allocation_may_fail)
{
	assert_true(fail_each_allocation(NULL, 30, 2, 3) > 300);
}

/* Four members make the leaves of one index. */
TEST(any_allocation_may_fail_while_parts_are_made)
{
	nparts_cut = 0;
	assert_true(fail_each_allocation("cn", 700, 4, 7) > 200);
	assert_int_equal(nparts_cut, 4);
}

/* All members make one index, each a part of its keys. */
TEST(an_index_in_parts_is_that_of_a_load)
{
	static const char *const name[] = {"cn"};
	struct load_fixture *f = load_fixture_new("maxsize 1000000000\n");
	struct told told;
	uint64_t want = 0;

	load_fixture_load_people(f, 1000);
	want = load_fixture_digest(f);
	for (unsigned nthreads = 1; nthreads <= 16; nthreads *= 2) {
		struct dit_reindex_opts opts = reindex_opts(f, &told);
		struct dit_reindex_stats stats;

		drop(f->database, "cn", 0);
		opts.attrs = name;
		opts.nattrs = 1;
		opts.threads = nthreads;
		opts.memory_bytes = nthreads % 8 == 0 ? 8 << 20 : 0;
		nparts_cut = 0;
		assert_int_equal(dit_reindex(&opts, &stats), 0);
		assert_int_equal(nparts_cut, nthreads == 1 ? 0 : nthreads == 2 ? 2 : 4);
		assert_true(stats.databases[0].indexes[0].nkeys > 1000);
		dit_reindex_stats_deinit(&stats);
		assert_int_equal(load_fixture_digest(f), want);
	}
}
