/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A commit of liblmdb's that no reader sees, since the meta page of the state before it
 * has a higher number, counts when a commit of our own is made on top of it.
 */
#include "commit_fixture.h"

#include "page/meta_pages.h"

/* liblmdb commits, while the meta page of the state before has the higher number. */
static void commit_hidden(const struct fixture *fixture, uint64_t *ret_before)
{
	MDB_env *env = open_env(fixture);
	MDB_txn *txn = begin(env, 0);
	int fd = open(fixture->path, O_RDWR);
	struct dit_meta metas[2];
	unsigned live = 0;

	assert_true(fd >= 0);
	assert_int_equal(dit_metas_read(fd, &dit_lmdb_09, PAGE, metas), 0);
	live = metas[1].transaction > metas[0].transaction;
	*ret_before = metas[live].transaction;
	metas[live].transaction += 2;
	assert_int_equal(dit_metas_write(fd, &dit_lmdb_09, PAGE, metas), 0);
	put_entries(txn, 2000);
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
	(void)close(fd);
}

static size_t nentries(const struct fixture *fixture)
{
	MDB_env *env = open_env(fixture);
	MDB_txn *txn = begin(env, MDB_RDONLY);
	MDB_stat stat;

	assert_int_equal(mdb_stat(txn, open_db(txn, "id2e", 0), &stat), 0);
	mdb_txn_abort(txn);
	mdb_env_close(env);
	return stat.ms_entries;
}

/* A hidden state becomes visible with our commit, and not before. */
static void a_hidden_commit_counts_with_ours(void **state)
{
	struct dit_page_commit *commit = NULL;
	struct fixture fixture;
	uint64_t before = 0;
	int fd = -1;

	(void)state;
	fixture_make(&fixture);
	assert_int_equal(nentries(&fixture), 1199);
	commit_hidden(&fixture, &before);
	assert_int_equal(nentries(&fixture), 1199);
	assert_versions(&fixture, 0, 0, 0);
	assert_sound(&fixture);
	begins_hidden = true;
	assert_int_equal(open_commit(&fixture, 0, before - 1, &commit, &fd), 0);
	begins_hidden = false;
	assert_int_equal(dit_page_commit_transaction(commit), before + 1);
	assert_int_equal(write_index(commit, "cn", 10), 0);
	assert_int_equal(nentries(&fixture), 1199);
	assert_versions(&fixture, 0, 0, 0);
	assert_int_equal(dit_page_commit_write(commit), 0);
	dit_page_commit_close(commit);
	(void)close(fd);
	assert_int_equal(nentries(&fixture), 1499);
	assert_int_equal(version_of(&fixture, "cn"), 10);
	assert_int_equal(version_of(&fixture, "mail"), 0);
	assert_sound(&fixture);
	fixture_remove(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hidden_commit_counts_with_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
