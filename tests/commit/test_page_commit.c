/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of our own commits:
 * - named databases have their new trees, the others and all their records are as they
 *   were; liblmdb reads and changes the file, copies it compactly, and no page is lost;
 * - free pages are used: commits in a row do not make the file longer and longer;
 * - pages that an old state needs stay, unless there is no reader;
 * - whichever write or sync fails or is the last one, the file holds the old state or the
 *   new one; undone, it holds the old one, and has its old length until the commit;
 * - a damaged file is an error.
 */
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "commit/page_commit.h"
#include "commit_fixture.h"
#include "page/meta_pages.h"
#include "page/page_set.h"
#include "tree/tree_merge.h"

/* ---- a system that can be told to fail ---- */

static long ncalls;
static long fails_at; /* the call that fails, and all that follow; 0: none */
static bool dies;     /* in place of failing */

ssize_t __real_pwrite(int fd, const void *data, size_t len, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t at);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

static bool is_failing(void)
{
	ncalls++;
	if (fails_at == 0 || ncalls < fails_at) {
		return false;
	}
	if (dies) {
		_exit(7);
	}
	errno = ENOSPC;
	return true;
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t at)
{
	return is_failing() ? -1 : __real_pwrite(fd, data, len, at);
}

int __wrap_fdatasync(int fd)
{
	return is_failing() ? -1 : __real_fdatasync(fd);
}

/* A new tree in place of a database. */
static int write_one(const struct fixture *fixture, const char *name, unsigned version)
{
	struct dit_page_commit *commit = NULL;
	int fd = -1;
	int r = open_commit(fixture, 0, DIT_COMMIT_ALONE, &commit, &fd);

	if (r < 0) {
		return r;
	}
	r = write_index(commit, name, version);
	r = r ?: write_commit(commit);
	dit_page_commit_close(commit);
	(void)close(fd);
	return r;
}

/* New trees for two of the three. */
static int reindex(const struct fixture *fixture, unsigned version)
{
	struct dit_page_commit *commit = NULL;
	int fd = -1;
	int r = open_commit(fixture, 0, DIT_COMMIT_ALONE, &commit, &fd);

	if (r < 0) {
		return r;
	}
	r = write_index(commit, "cn", version);
	r = r ?: write_index(commit, "mail", version);
	r = r ?: write_commit(commit);
	dit_page_commit_close(commit);
	(void)close(fd);
	return r;
}

TEST(liblmdb_writes_after_our_commit)
{
	struct fixture fixture;
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;

	fixture_make(&fixture);
	assert_int_equal(reindex(&fixture, 10), 0);
	assert_versions(&fixture, 10, 10, 0);
	assert_sound(&fixture);

	env = test_env(fixture.dir, MDB_NOSYNC, 0);
	txn = test_txn(env, 0);
	assert_int_equal(mdb_drop(txn, test_dbi(txn, "mail", 0), 0), 0);
	put_index(txn, "mail", 3);
	put_index(txn, "new", 4);
	assert_int_equal(mdb_txn_commit(txn), 0);
	txn = test_txn(env, 0);
	put_entries(txn, 1);
	test_commit(txn);
	assert_versions(&fixture, 10, 3, 0);
	assert_sound(&fixture);
	assert_int_equal(reindex(&fixture, 20), 0);
	assert_versions(&fixture, 20, 20, 0);
	assert_sound(&fixture);
}

TEST(databases_are_added)
{
	struct dit_page_commit *commit = NULL;
	struct dit_tree_record tree;
	struct fixture fixture;
	MDB_txn *txn = NULL;
	int fd = -1;

	fixture_make(&fixture);
	assert_int_equal(open_commit(&fixture, 0, DIT_COMMIT_ALONE, &commit, &fd), 0);
	assert_int_equal(dit_page_commit_find(commit, DIT_SPAN("sn"), &tree), 1);
	assert_int_equal(tree.flags, INDEX_FLAGS);
	assert_int_equal(dit_page_commit_find(commit, DIT_SPAN("s"), &tree), 0);
	assert_int_equal(write_index(commit, "another", 8), 0);
	assert_int_equal(dit_page_commit_find(commit, DIT_SPAN("another"), &tree), 0);
	tree = (struct dit_tree_record){.flags = INDEX_FLAGS, .root = DIT_PAGE_NONE};
	assert_int_equal(dit_page_commit_put(commit, DIT_SPAN("empty"), &tree), 0);
	assert_int_equal(dit_page_commit_put(commit, DIT_SPAN(""), &tree), -EINVAL);
	assert_int_equal(dit_page_commit_drop(commit, DIT_SPAN("s")), DIT_E_UNKNOWN);
	assert_int_equal(write_commit(commit), 0);
	dit_page_commit_close(commit);
	(void)close(fd);
	assert_int_equal(version_of(&fixture, "another"), 8);
	assert_sound(&fixture);

	txn = test_begin(fixture.dir, MDB_NOSYNC);
	put_index(txn, "empty", 6);
	test_commit(txn);
	assert_int_equal(version_of(&fixture, "empty"), 6);
}

/* So many that the main tree has several levels. */
TEST(the_main_tree_can_have_several_levels)
{
	struct dit_tree_record tree = {.flags = INDEX_FLAGS, .root = DIT_PAGE_NONE};
	struct dit_page_commit *commit = NULL;
	struct fixture fixture;
	char name[40];
	int fd = -1;

	fixture_make(&fixture);
	for (unsigned round = 0; round < 3; round++) {
		assert_int_equal(open_commit(&fixture, 0, DIT_COMMIT_ALONE, &commit, &fd),
		                 0);
		for (unsigned i = 0; i < 500; i++) {
			(void)snprintf(name, sizeof(name), "database number %u.%u", i,
			               round);
			assert_int_equal(
				dit_page_commit_put(commit, dit_span_of(name), &tree), 0);
		}
		assert_int_equal(dit_page_commit_write(commit), 0);
		dit_page_commit_close(commit);
		(void)close(fd);
		assert_sound(&fixture);
	}
	assert_versions(&fixture, 0, 0, 0);
}

/* ---- pages ---- */

TEST(free_pages_are_used)
{
	struct fixture fixture;
	uint64_t bytes = 0;

	fixture_make(&fixture);
	test_fill_memory(true);
	for (unsigned version = 1; version <= 8; version++) {
		assert_int_equal(reindex(&fixture, version), 0);
		assert_sound(&fixture);
		/* From then on there are two sets of pages in turn. */
		if (version == 2) {
			bytes = file_bytes(&fixture);
		}
	}
	assert_versions(&fixture, 8, 8, 0);
	assert_in_range(file_bytes(&fixture), bytes, bytes + 16 * PAGE);
	test_fill_memory(false);
	test_assert_no_old_bytes(fixture.path);
}

/* Long values, each in a page of its own, every other of which goes again. */
static void make_single_free_pages(const struct fixture *fixture)
{
	static const char value[3000];
	MDB_env *env = test_env(fixture->dir, MDB_NOSYNC, 0);

	for (unsigned step = 0; step < 2; step++) {
		MDB_txn *txn = test_txn(env, 0);
		MDB_dbi dbi = test_dbi(txn, "long", MDB_CREATE | MDB_INTEGERKEY);

		for (uint64_t id = step; id < 1200; id += 1 + step) {
			MDB_val key = {sizeof(id), &id};

			if (step == 0) {
				test_put(txn, dbi, &id, sizeof(id), value, sizeof(value));
			} else {
				assert_int_equal(mdb_del(txn, dbi, &key, NULL), 0);
			}
		}
		assert_int_equal(mdb_txn_commit(txn), 0);
	}
	mdb_env_close(env);
}

/* None of them lie in a row. */
TEST(single_free_pages_are_used)
{
	struct fixture fixture;
	uint64_t bytes = 0;

	fixture_make(&fixture);
	make_single_free_pages(&fixture);
	bytes = file_bytes(&fixture);
	for (unsigned version = 1; version <= 8; version++) {
		assert_int_equal(reindex(&fixture, version), 0);
		assert_sound(&fixture);
		assert_versions(&fixture, version, version, 0);
	}
	/* A record of the free list that is longer than a page lies in a row. */
	assert_in_range(file_bytes(&fixture), bytes, bytes + 4 * PAGE);
}

/* liblmdb keeps three pages of a value that needs two since the same transaction. */
static void put_shorter_values(const struct fixture *fixture)
{
	static const char value[3 * PAGE - 16];
	MDB_txn *txn = test_begin(fixture->dir, MDB_NOSYNC);
	MDB_dbi dbi = test_dbi(txn, "long", MDB_CREATE | MDB_INTEGERKEY);
	MDB_stat stat;

	for (uint64_t id = 1; id <= 3; id++) {
		test_put(txn, dbi, &id, sizeof(id), value, sizeof(value));
		test_put(txn, dbi, &id, sizeof(id), value, sizeof(value) - PAGE);
	}
	assert_int_equal(mdb_stat(txn, dbi, &stat), 0);
	assert_int_equal(stat.ms_overflow_pages, 9);
	test_commit(txn);
}

TEST(all_pages_of_a_value_become_free)
{
	struct fixture fixture;

	fixture_make(&fixture);
	put_shorter_values(&fixture);
	assert_sound(&fixture);
	assert_int_equal(write_one(&fixture, "long", 1), 0);
	assert_sound(&fixture);
}

/* A reader of the state before goes on with it. */
TEST(readers_keep_their_state)
{
	struct dit_page_commit *commit = NULL;
	struct fixture fixture;
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	uint64_t seen = 0;
	int fd = -1;

	fixture_make(&fixture);
	assert_int_equal(reindex(&fixture, 1), 0);
	env = test_env(fixture.dir, MDB_NOSYNC, 0);
	txn = test_txn(env, MDB_RDONLY);
	seen = mdb_txn_id(txn);
	for (unsigned version = 2; version < 6; version++) {
		assert_int_equal(open_commit(&fixture, 0, seen, &commit, &fd), 0);
		assert_int_equal(dit_page_commit_transaction(commit), seen + version - 2);
		assert_int_equal(write_index(commit, "cn", version), 0);
		assert_int_equal(write_commit(commit), 0);
		dit_page_commit_close(commit);
		(void)close(fd);
		assert_index(txn, "cn", 1);
		assert_index(txn, "mail", 1);
	}
	test_abort(txn);
	assert_versions(&fixture, 5, 1, 0);
	assert_sound(&fixture);
}

/* The lists of some keys get an ID more. */
static void merge_id(struct dit_page_commit *commit, uint64_t id, unsigned step,
                     struct dit_tree_record *tree)
{
	const struct dit_tree_merge_opts opts = {.space = dit_page_commit_space(commit),
	                                         .source = dit_page_commit_source(commit),
	                                         .stored = *tree,
	                                         .list_max = 10000,
	                                         .dropped = dit_page_commit_drop_pages,
	                                         .ctx = commit};
	const struct dit_ids_change change = {.added = &id, .nadded = 1};
	struct dit_tree_merge *merge = NULL;
	char key[4];

	assert_int_equal(dit_tree_merge_open(&merge, &opts), 0);
	for (unsigned k = 0; k < NKEYS; k += step) {
		make_key(k, key);
		assert_int_equal(dit_tree_merge_ids(merge,
		                                    (struct dit_span){key, sizeof(key)},
		                                    &change),
		                 0);
	}
	assert_int_equal(dit_tree_merge_finish(merge, tree, NULL), 0);
	dit_tree_merge_free(merge);
	assert_int_equal(dit_page_commit_reach(commit), 0);
}

static size_t count_ids(const struct fixture *fixture, const char *name)
{
	MDB_txn *txn = test_begin(fixture->dir, MDB_RDONLY);
	MDB_stat stat;

	assert_int_equal(mdb_stat(txn, test_dbi(txn, name, 0), &stat), 0);
	test_abort(txn);
	return stat.ms_entries;
}

/* A tree is merged several times before one commit, in a file with and without free
 * pages: pages of the versions in between are free as well. */
TEST(merged_trees_give_back_their_pages)
{
	struct dit_page_commit *commit = NULL;
	struct dit_tree_record tree;
	struct fixture fixture;
	size_t n = 0;
	int fd = -1;

	fixture_make(&fixture);
	n = count_ids(&fixture, "cn");
	for (unsigned round = 0; round < 4; round++) {
		uint64_t root = 0;

		assert_int_equal(open_commit(&fixture, 0, DIT_COMMIT_ALONE, &commit, &fd),
		                 0);
		assert_int_equal(dit_page_commit_find(commit, DIT_SPAN("cn"), &tree), 1);
		root = tree.root;
		for (unsigned i = 0; i < 5; i++) {
			merge_id(commit, 100000 + 10 * round + i, i % 2 == 0 ? 7 : 900,
			         &tree);
			assert_int_equal(
				dit_page_commit_put(commit, DIT_SPAN("cn"), &tree), 0);
			n += i % 2 == 0 ? (NKEYS + 6) / 7 : (NKEYS + 899) / 900;
		}
		/* It is dropped already. */
		assert_int_equal(dit_page_commit_drop_pages(commit, root, 1),
		                 DIT_E_CORRUPT);
		assert_int_equal(dit_page_commit_reach(commit), 0);
		assert_true(dit_page_commit_source(commit)->npages > tree.root);
		assert_int_equal(dit_page_commit_write(commit), 0);
		dit_page_commit_close(commit);
		(void)close(fd);
		assert_sound(&fixture);
		assert_int_equal(count_ids(&fixture, "cn"), n);
	}
	assert_int_equal(reindex(&fixture, 3), 0);
	assert_versions(&fixture, 3, 3, 0);
}

/* One goes, one becomes short, and one stays in a leaf that is written again. */
TEST(all_pages_of_a_value_leave_the_tree)
{
	const uint64_t ids[] = {1, 2};
	struct dit_page_commit *commit = NULL;
	struct dit_tree_merge *merge = NULL;
	struct dit_tree_merge_opts opts = {.dropped = dit_page_commit_drop_pages};
	struct dit_tree_record tree;
	struct fixture fixture;
	int fd = -1;

	fixture_make(&fixture);
	put_shorter_values(&fixture);
	assert_int_equal(open_commit(&fixture, 0, DIT_COMMIT_ALONE, &commit, &fd), 0);
	assert_int_equal(dit_page_commit_find(commit, DIT_SPAN("long"), &opts.stored), 1);
	opts.space = dit_page_commit_space(commit);
	opts.source = dit_page_commit_source(commit);
	opts.ctx = commit;
	assert_int_equal(dit_tree_merge_open(&merge, &opts), 0);
	assert_int_equal(
		dit_tree_merge_remove(merge, (struct dit_span){(const char *)&ids[0], 8}),
		0);
	assert_int_equal(dit_tree_merge_put(merge,
	                                    (struct dit_span){(const char *)&ids[1], 8},
	                                    DIT_SPAN("short")),
	                 0);
	assert_int_equal(dit_tree_merge_finish(merge, &tree, NULL), 0);
	dit_tree_merge_free(merge);
	assert_int_equal(tree.noverflow_pages, 3);
	assert_int_equal(dit_page_commit_put(commit, DIT_SPAN("long"), &tree), 0);
	assert_int_equal(dit_page_commit_write(commit), 0);
	dit_page_commit_close(commit);
	(void)close(fd);
	assert_sound(&fixture);
}

TEST(maxsize_limits_the_file)
{
	struct dit_page_commit *commit = NULL;
	struct fixture fixture;
	uint64_t bytes = 0;
	int fd = -1;

	fixture_make(&fixture);
	bytes = file_bytes(&fixture);
	assert_int_equal(
		open_commit(&fixture, bytes + 10 * PAGE, DIT_COMMIT_ALONE, &commit, &fd),
		0);
	assert_int_equal(write_index(commit, "cn", 1), 0);
	assert_int_equal(write_commit(commit), DIT_E_FULL);
	assert_true(dit_page_commit_bytes(commit) > bytes + 10 * PAGE);
	dit_page_commit_close(commit);
	(void)close(fd);
	assert_int_equal(file_bytes(&fixture), bytes);
	assert_versions(&fixture, 0, 0, 0);
	assert_sound(&fixture);
}

/* ---- failures ---- */

static void write_file(const struct fixture *fixture, const char *bytes, size_t len)
{
	int fd = open(fixture->path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(__real_pwrite(fd, bytes, len, 0), len);
	(void)close(fd);
}

static long count_calls(const struct fixture *fixture)
{
	ncalls = 0;
	assert_int_equal(reindex(fixture, 9), 0);
	return ncalls;
}

TEST(each_call_that_fails_leaves_a_sound_file)
{
	struct fixture fixture;
	char *before = NULL;
	size_t len = 0;
	long n = 0;

	fixture_make(&fixture);
	before = test_read_file(fixture.path, &len);
	n = count_calls(&fixture);
	assert_true(n > 5);
	for (long i = 1; i <= n; i++) {
		write_file(&fixture, before, len);
		ncalls = 0;
		fails_at = i;
		assert_int_equal(reindex(&fixture, 9), -ENOSPC);
		fails_at = 0;
		/* The last two are those of the meta page. */
		if (i < n) {
			assert_versions(&fixture, 0, 0, 0);
		}
		if (i < n - 1) {
			assert_int_equal(file_bytes(&fixture), len);
		}
		assert_sound(&fixture);
	}
	free(before);
}

TEST(a_death_at_each_call_leaves_a_sound_file)
{
	struct fixture fixture;
	char *before = NULL;
	size_t len = 0;
	long n = 0;

	fixture_make(&fixture);
	before = test_read_file(fixture.path, &len);
	n = count_calls(&fixture);
	for (long i = 1; i <= n; i++) {
		unsigned version = i == n ? 9 : 0;
		pid_t pid = 0;

		write_file(&fixture, before, len);
		pid = test_fork();
		if (pid == 0) {
			ncalls = 0;
			fails_at = i;
			dies = true;
			_exit(reindex(&fixture, 9));
		}
		assert_int_equal(WEXITSTATUS(test_wait(pid)), 7);
		assert_sound(&fixture);
		assert_versions(&fixture, version, version, 0);
		/* The next one has no trouble with what is left. */
		assert_int_equal(reindex(&fixture, 11), 0);
		assert_sound(&fixture);
		assert_versions(&fixture, 11, 11, 0);
	}
	free(before);
}

TEST(a_commit_that_is_undone_leaves_the_file_as_it_was)
{
	struct dit_page_commit *commit = NULL;
	struct fixture fixture;
	uint64_t bytes = 0;
	int fd = -1;

	fixture_make(&fixture);
	assert_int_equal(reindex(&fixture, 1), 0);
	bytes = file_bytes(&fixture);
	for (unsigned is_written = 0; is_written < 2; is_written++) {
		assert_int_equal(open_commit(&fixture, 0, DIT_COMMIT_ALONE, &commit, &fd),
		                 0);
		assert_int_equal(write_index(commit, "cn", 2), 0);
		assert_int_equal(write_index(commit, "sn", 2), 0);
		if (is_written) {
			assert_int_equal(write_commit(commit), 0);
		}
		assert_int_equal(dit_page_commit_undo(commit), 0);
		dit_page_commit_close(commit);
		(void)close(fd);
		assert_int_equal(file_bytes(&fixture), bytes);
		assert_versions(&fixture, 1, 1, 0);
		assert_sound(&fixture);
	}
}

/* ---- damage ---- */

/* Each word of the pages that a commit reads gets other values. */
TEST(damage_is_an_error)
{
	static const uint16_t values[] = {0, 1, 0x7fff, 0xffff};
	struct fixture fixture;
	char *before = NULL;
	size_t len = 0;
	unsigned ncorrupt = 0;

	fixture_make(&fixture);
	before = test_read_file(fixture.path, &len);
	for (size_t at = 2 * PAGE; at + 64 <= len; at += 4 * PAGE) {
		for (size_t word = 0; word < 48; word += 2) {
			uint16_t value = values[(at / PAGE / 4 + word / 2) % 4];
			int r = 0;

			memcpy(before + at + word, &value, 2);
			if (word % 16 == 14) {
				write_file(&fixture, before, len);
				r = reindex(&fixture, 1);
				assert_true(r == 0 || r == DIT_E_CORRUPT);
				ncorrupt += r == DIT_E_CORRUPT;
			}
		}
	}
	assert_true(ncorrupt > 0);
	free(before);
}

/* A commit would give the page of a meta page to a tree. */
TEST(a_meta_page_is_not_free)
{
	struct fixture fixture;
	struct dit_metas metas;
	uint64_t page = 0;
	uint16_t slot = 0;
	int fd = -1;

	fixture_make(&fixture);
	fd = open(fixture.path, O_RDWR);
	assert_int_equal(dit_metas_read(fd, &dit_lmdb_09, &metas), 0);
	/* The header of the node, its key, the count of pages. */
	page = dit_metas_newest(&metas)->free_tree.root * PAGE;
	assert_int_equal(pread(fd, &slot, 2, (off_t)page + 16), 2);
	assert_int_equal(pwrite(fd, &(uint64_t){1}, 8, (off_t)page + slot + 24), 8);
	assert_int_equal(close(fd), 0);
	assert_int_equal(reindex(&fixture, 1), DIT_E_CORRUPT);
}

TEST(sets_of_pages_know_their_limit)
{
	struct dit_page_set set;

	assert_int_equal(dit_page_set_init(&set, 200), 0);
	assert_true(dit_page_set_add_run(&set, 60, 10));
	assert_false(dit_page_set_add_run(&set, 69, 2));
	assert_true(dit_page_set_add(&set, 199));
	assert_false(dit_page_set_add(&set, 200));
	assert_false(dit_page_set_has(&set, 200));
	assert_false(dit_page_set_add_run(&set, 190, UINT64_MAX));
	assert_false(dit_page_set_add_run(&set, 190, 11));
	assert_false(dit_page_set_has(&set, 190));
	assert_int_equal(dit_page_set_next(&set, 0), 60);
	assert_int_equal(dit_page_set_next(&set, 70), 199);
	assert_int_equal(dit_page_set_next(&set, 200), 200);
	dit_page_set_deinit(&set);
}

TEST(pools_of_pages_find_rows)
{
	static const struct {
		uint64_t least;
		uint64_t most;
		uint64_t n;
		uint64_t first;
	} takes[] = {{4, 4, 4, 60},    {6, 6, 6, 64},     {7, 9, 0, 0},
	             {1, 100, 4, 100}, {1, 1, 1, 104},    {2, 2, 0, 0},
	             {1, 100, 1, 105}, {1, 100, 1, 1000}, {1, 100, 0, 0}};
	struct dit_page_pool pool;

	dit_page_pool_init(&pool);
	for (uint64_t i = 0; i < 10; i++) {
		assert_int_equal(dit_page_pool_add(&pool, 60 + i), 0);
		assert_int_equal(dit_page_pool_add(&pool, 100 + i % 6),
		                 i < 6 ? 0 : DIT_E_CORRUPT);
	}
	assert_int_equal(dit_page_pool_add(&pool, 1000), 0);
	for (size_t i = 0; i < sizeof(takes) / sizeof(takes[0]); i++) {
		struct dit_page_run run;

		assert_int_equal(
			dit_page_pool_take(&pool, takes[i].least, takes[i].most, &run),
			takes[i].n > 0);
		assert_int_equal(run.n, takes[i].n);
		assert_int_equal(run.n > 0 ? run.first : 0, takes[i].first);
	}
	assert_int_equal(dit_page_pool_add(&pool, 60), 0);
	assert_int_equal(pool.left.count, 1);
	dit_page_pool_deinit(&pool);
}

TEST(a_page_that_is_added_moves_searches_back_to_its_row_alone)
{
	struct dit_page_pool pool;
	struct dit_page_run run;

	dit_page_pool_init(&pool);
	for (uint64_t page = 1000; page < 1128; page++) {
		assert_int_equal(dit_page_pool_add(&pool, page), 0);
	}
	assert_int_equal(dit_page_pool_add(&pool, 1200), 0);
	assert_int_equal(dit_page_pool_take(&pool, 1, 128, &run), 1);
	assert_int_equal(dit_page_pool_take(&pool, 1, 128, &run), 1);
	assert_int_equal(run.n, 1);
	assert_int_equal(dit_page_pool_add(&pool, 1120), 0);
	assert_int_equal(pool.at[0], 1120);
	assert_int_equal(pool.at[3], 1113);
	assert_int_equal(dit_page_pool_add(&pool, 3), 0);
	assert_int_equal(pool.at[3], 0);
	for (uint64_t page = 1113; page < 1120; page++) {
		assert_int_equal(dit_page_pool_add(&pool, page), 0);
	}
	assert_int_equal(dit_page_pool_take(&pool, 1, 128, &run), 1);
	assert_int_equal(run.n, 8);
	assert_int_equal(run.first, 1113);
	dit_page_pool_deinit(&pool);
}
