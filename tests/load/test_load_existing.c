/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading into a database that holds entries: in two parts or in one, the same is stored;
 * what fails changes nothing, also when other databases are part of the load.
 */
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "load_fixture.h"
#include "page/page_set.h"
#include "page/page_source.h"
#include "reader/snapshot.h"
#include "tree/tree_diff.h"

/* The people of 40 in one go are the reference: 45 records. */
#define NPEOPLE  40
#define NRECORDS 45
/* So many that the additions are less than 1/24 of them (output/claimed_output.c). */
#define NMANY 600

static int load_file(struct load_fixture *f, const char *input, unsigned threads,
                     uint64_t memory)
{
	struct dit_load_opts opts = load_fixture_opts(f);
	char *path = test_text("%s/%s", f->dir, input);
	int r = 0;

	opts.input = path;
	opts.threads = threads;
	opts.batch_records = 3;
	opts.memory_bytes = memory;
	r = load_fixture_run(&opts);
	return r;
}

static uint64_t digest_all(const struct load_fixture *f)
{
	return load_fixture_digest(f) ^ load_fixture_digest_of(f->subordinate) * 3;
}

TEST(parts_make_the_same_as_the_whole)
{
	struct load_fixture *f = load_fixture_new_glued("");
	uint64_t want = 0;

	load_fixture_write_people(f, NPEOPLE);
	assert_int_equal(load_file(f, "in.ldif", 1, 64 << 20), 0);
	want = digest_all(f);
	for (unsigned n = 1; n < NRECORDS; n++) {
		load_fixture_reset(f);
		load_fixture_write_people(f, NPEOPLE);
		load_fixture_split(f, n, "rest.ldif");
		assert_int_equal(load_file(f, "in.ldif", 1 + n % 2, 64 << 20), 0);
		assert_int_equal(load_file(f, "rest.ldif", 1 + n % 3, 8 << 20), 0);
		if (digest_all(f) != want) {
			fail_msg("split after record %u: another database", n);
		}
	}
}

/* ---- few entries that are added to many ---- */

/* @return the number of the transaction */
static uint64_t collect_index(const struct load_fixture *f, const char *name,
                              struct dit_page_set *ret)
{
	struct dit_page_source pages;
	struct dit_snapshot *snapshot = NULL;
	struct dit_tree_record tree;
	uint64_t transaction = 0;
	char *path = test_text("%s/data.mdb", f->database);
	int fd = -1;

	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(
		dit_snapshot_open_readers(&snapshot, f->database,
	                                  &(struct dit_snapshot_opts){.nreaders = 1}),
		0);
	assert_non_null(dit_snapshot_db(snapshot, name));
	tree = dit_snapshot_db(snapshot, name)->tree;
	dit_page_source_init(&pages, fd, &dit_lmdb_09, snapshot->map.page_bytes,
	                     snapshot->map.npages);
	assert_int_equal(dit_page_set_init(ret, snapshot->map.npages), 0);
	assert_int_equal(dit_tree_pages(&pages, &tree, true, ret), 0);
	transaction = snapshot->map.meta.transaction;
	dit_snapshot_close(snapshot);
	assert_int_equal(close(fd), 0);
	return transaction;
}

/* In one transaction. An index that is rebuilt keeps no page. */
static void assert_grown(const struct load_fixture *f, const struct dit_page_set *before,
                         uint64_t transaction)
{
	struct dit_page_set after;
	unsigned nkept = 0;

	assert_int_equal(collect_index(f, "uid", &after), transaction + 1);
	for (uint64_t page = dit_page_set_next(&after, 0); page < after.npages;
	     page = dit_page_set_next(&after, page + 1)) {
		nkept += dit_page_set_has(before, page) ? 1 : 0;
	}
	assert_true(nkept > 0);
	dit_page_set_deinit(&after);
}

TEST(few_entries_grow_indexes_whatever_the_threads)
{
	static const unsigned nthreads[] = {1, 2, 4};
	struct load_fixture *f = load_fixture_new_glued("");
	uint64_t want = 0;

	load_fixture_write_people(f, NMANY);
	assert_int_equal(load_file(f, "in.ldif", 1, 64 << 20), 0);
	want = digest_all(f);
	for (size_t i = 0; i < sizeof(nthreads) / sizeof(nthreads[0]); i++) {
		struct dit_page_set pages;
		uint64_t transaction = 0;

		load_fixture_reset(f);
		load_fixture_write_people(f, NMANY);
		load_fixture_split(f, NMANY - 8, "rest.ldif");
		assert_int_equal(load_file(f, "in.ldif", 2, 64 << 20), 0);
		transaction = collect_index(f, "uid", &pages);
		assert_int_equal(load_file(f, "rest.ldif", nthreads[i], 8 << 20), 0);
		assert_grown(f, &pages, transaction);
		assert_int_equal(digest_all(f), want);
		dit_page_set_deinit(&pages);
	}
}

TEST(nothing_to_add_changes_nothing)
{
	struct load_fixture *f = load_fixture_new("");
	char path[4300];
	struct stat before;
	struct stat after;

	load_fixture_write_people(f, 5);
	assert_int_equal(load_file(f, "in.ldif", 1, 64 << 20), 0);
	(void)snprintf(path, sizeof(path), "%s/data.mdb", f->database);
	assert_int_equal(stat(path, &before), 0);
	load_fixture_write(f, "");

	assert_int_equal(load_file(f, "in.ldif", 2, 64 << 20), 0);

	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}

TEST(a_full_map_is_an_error_and_changes_nothing)
{
	struct load_fixture *f = load_fixture_new("maxsize 400000\n");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;
	uint64_t before = 0;

	load_fixture_write_people(f, 2000);
	load_fixture_split(f, 20, "rest.ldif");
	assert_int_equal(load_file(f, "in.ldif", 1, 64 << 20), 0);
	before = load_fixture_digest(f);

	assert_int_equal(load_file(f, "rest.ldif", 1, 64 << 20), DIT_E_FULL);
	assert_int_equal(load_fixture_digest(f), before);

	/* --grow gets around it. */
	(void)snprintf(f->input, sizeof(f->input), "%s/rest.ldif", f->dir);
	opts.may_grow = true;
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_true(stats.databases[0].bytes > 400000);
	dit_load_stats_deinit(&stats);
	assert_int_not_equal(load_fixture_digest(f), before);
}

TEST(a_refused_record_changes_nothing)
{
	struct load_fixture *f = load_fixture_new("");
	uint64_t before = 0;

	load_fixture_write_people(f, 10);
	assert_int_equal(load_file(f, "in.ldif", 1, 64 << 20), 0);
	before = load_fixture_digest(f);
	load_fixture_write(f, "dn: uid=new,ou=dept 1,dc=x\nobjectClass: person\ncn: new\n"
	                      "sn: n\n\ndn: uid=u1,ou=dept 1,dc=x\nobjectClass: person\n"
	                      "cn: again\nsn: n\n");

	assert_int_equal(load_file(f, "in.ldif", 1, 64 << 20), DIT_E_REFUSED);

	assert_int_equal(load_fixture_digest(f), before);
}

/* Put something in the way of the rename once all is prepared. */
static void block_rename(void *ctx, const struct dit_progress *progress)
{
	const struct load_fixture *f = ctx;
	char path[4300];

	if (progress->phase == DIT_LOAD_PUBLISH) {
		(void)snprintf(path, sizeof(path), "%s/data.mdb", f->subordinate);
		assert_int_equal(mkdir(path, 0700), 0);
	}
}

TEST(a_commit_is_rolled_back_if_a_rename_fails)
{
	struct load_fixture *f = load_fixture_new_glued("");
	struct dit_load_opts opts = load_fixture_opts(f);
	uint64_t before = 0;

	load_fixture_write_people(f, 20);
	load_fixture_split(f, 6, "rest.ldif");
	opts.no_glue = true; /* the superior only */
	assert_int_equal(load_fixture_run(&opts), 0);
	before = load_fixture_digest(f);
	(void)snprintf(f->input, sizeof(f->input), "%s/rest.ldif", f->dir);
	opts = load_fixture_opts(f);
	opts.progress = block_rename;
	opts.progress_ctx = f;

	assert_true(load_fixture_run(&opts) < 0);

	assert_non_null(strstr(f->reports, "error: could not put the database in place"));
	assert_int_equal(load_fixture_digest(f), before);

	/* And the database is fit for the next load. */
	load_fixture_write(f, "");
	opts = load_fixture_opts(f);
	opts.no_glue = true;
	(void)snprintf(f->input, sizeof(f->input), "%s/rest.ldif", f->dir);
	assert_int_equal(load_fixture_run(&opts), 0);
}
