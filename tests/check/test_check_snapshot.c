/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of dit_check(), the snapshot that it reads: nothing is changed, it is held
 * where that can be, and commits of others do not matter.
 */
#include "test.h"

#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "check/told_fixture.h"
#include "load/load_fixture.h"

static void remove_lock_file(const char *dir)
{
	char *path = test_text("%s/lock.mdb", dir);

	assert_int_equal(unlink(path), 0);
}

static uint64_t digest_of_files(const char *dir)
{
	struct stat data;
	int fd = data_file(dir, O_RDONLY);
	uint64_t sum = 0;
	unsigned char bytes[4096];
	ssize_t n = 0;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			sum = sum * 31 + bytes[i];
		}
	}
	assert_int_equal(fstat(fd, &data), 0);
	assert_int_equal(close(fd), 0);
	return sum ^ (uint64_t)data.st_mtim.tv_nsec;
}

TEST(nothing_is_changed_and_no_lock_file_is_made)
{
	struct load_fixture *fixture = load_fixture_new_people(300);
	struct told told;
	struct dit_check_opts opts = opts_for(&told);
	char path[4300];
	uint64_t before = 0;

	opts.path = fixture->database;
	before = digest_of_files(fixture->database);
	assert_int_equal(count(&opts), 0);
	assert_true(told.is_held);
	remove_lock_file(fixture->database);
	assert_int_equal(count(&opts), 0);
	assert_false(told.is_held);
	(void)snprintf(path, sizeof(path), "%s/lock.mdb", fixture->database);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(digest_of_files(fixture->database), before);
}

/* The holder of a snapshot cannot be opened: the check goes on, and says so. */
TEST(what_cannot_be_held_is_told)
{
	struct load_fixture *fixture = load_fixture_new_people(300);
	struct told told;
	struct dit_check_opts opts = opts_for(&told);
	char path[4300];

	remove_lock_file(fixture->database);
	(void)snprintf(path, sizeof(path), "%s/lock.mdb", fixture->database);
	assert_int_equal(mkdir(path, 0700), 0);
	opts.path = fixture->database;
	assert_int_equal(count(&opts), 0);
	assert_false(told.is_held);
	assert_non_null(strstr(told.reports, "checked without holding a snapshot: "));
}

/* Another process that changes an entry in @p n transactions. */
static void keep_committing(const char *dir, unsigned n)
{
	MDB_env *env = NULL;

	if (mdb_env_create(&env) != 0 || mdb_env_set_maxdbs(env, 10) != 0 ||
	    mdb_env_set_mapsize(env, 1 << 30) != 0 || /* the check holds pages */
	    mdb_env_open(env, dir, MDB_NOSYNC, 0600) != 0) {
		_exit(1);
	}
	for (unsigned i = 0; i < n; i++) {
		MDB_txn *txn = NULL;
		MDB_dbi dbi = 0;
		uint64_t id = 5;
		char bytes[5000] = "";
		MDB_val key = {sizeof(id), &id};
		MDB_val value = {sizeof(bytes), bytes};

		if (mdb_txn_begin(env, NULL, 0, &txn) != 0 ||
		    mdb_dbi_open(txn, "id2e", 0, &dbi) != 0 ||
		    mdb_put(txn, dbi, &key, &value, 0) != 0 || mdb_txn_commit(txn) != 0) {
			_exit(1);
		}
		(void)usleep(300);
	}
	_exit(0);
}

struct committing {
	struct told told;
	const char *dir;
	unsigned ncalls;
};

/* Once it has its snapshot, the check tells that the release is another one. */
static void commit_thrice(void *ctx, const struct dit_report *report)
{
	struct committing *committing = ctx;
	pid_t pid = 0;

	if (strstr(report->text, "is a database of OpenLDAP") == NULL) {
		return;
	}
	committing->ncalls++;
	pid = test_fork();
	if (pid == 0) {
		keep_committing(committing->dir, 3);
	}
	assert_int_equal(test_wait(pid), 0);
}

TEST(no_meta_page_has_the_state_any_more)
{
	struct load_fixture *fixture = load_fixture_new_people(30);
	struct committing committing = {.ncalls = 0};
	struct dit_check_opts opts = opts_for(&committing.told);

	committing.dir = fixture->database;
	opts.is_quick = false;
	opts.conf = fixture->conf;
	opts.openldap = DIT_OPENLDAP_2_7;
	opts.report = commit_thrice;
	opts.report_ctx = &committing;
	(void)count(&opts);
	assert_int_equal(committing.ncalls, 1);
	assert_true(committing.told.is_held);
	assert_null(strstr(committing.told.findings, "entry-record"));
}

TEST(commits_during_a_check_do_not_matter)
{
	struct load_fixture *fixture = load_fixture_new_people(3000);
	struct told told;
	struct dit_check_opts opts = opts_for(&told);
	pid_t pid = test_fork();

	if (pid == 0) {
		keep_committing(fixture->database, UINT_MAX);
	}
	opts.path = fixture->database;
	for (int i = 0; i < 30; i++) {
		assert_int_equal(count(&opts), 0);
		assert_true(told.is_held);
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_true(WIFSIGNALED(test_wait(pid))); /* it was at work until now */
	assert_int_equal(count(&opts), 0);
}
