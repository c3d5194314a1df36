/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several readers see one state, whatever others commit.
 *
 * liblmdb must not have one environment open twice in a process, so all that others do
 * here is done by processes of their own.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/error.h"
#include "files/fault.h"
#include "locks/lmdb_reader.h"
#include "output/store_fixture.h"

#define NREADERS 8

/* ---- another process ---- */

struct other {
	pid_t pid;
	int to;   /* each byte sent lets it do one step */
	int from; /* it answers each with a byte */
};

typedef void (*other_step_fn)(MDB_env *env);

static MDB_env *other_env(const char *directory, unsigned maxreaders)
{
	MDB_env *env = NULL;

	if (mdb_env_create(&env) != 0 || mdb_env_set_maxreaders(env, maxreaders) != 0 ||
	    mdb_env_set_maxdbs(env, 8) != 0 ||
	    mdb_env_open(env, directory, MDB_NOTLS | MDB_NOSYNC, 0600) != 0) {
		_exit(2);
	}
	return env;
}

static void other_run(const char *directory, unsigned maxreaders, other_step_fn step,
                      int in, int out)
{
	MDB_env *env = other_env(directory, maxreaders);
	char byte = 'r';

	if (write(out, &byte, 1) != 1) {
		_exit(3);
	}
	while (read(in, &byte, 1) == 1) {
		step(env);
		if (write(out, &byte, 1) != 1) {
			_exit(3);
		}
	}
	_exit(0); /* without closing anything, as a process that is killed */
}

static void other_wait(const struct other *other)
{
	char byte = 0;

	assert_int_equal(read(other->from, &byte, 1), 1);
}

static void other_step(const struct other *other)
{
	assert_int_equal(write(other->to, "s", 1), 1);
	other_wait(other);
}

static struct other other_start(const char *directory, unsigned maxreaders,
                                other_step_fn step)
{
	struct other other;
	int to[2];
	int from[2];

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	other.pid = fork();
	assert_true(other.pid >= 0);
	if (other.pid == 0) {
		(void)close(to[1]);
		(void)close(from[0]);
		other_run(directory, maxreaders, step, to[0], from[1]);
	}
	(void)close(to[0]);
	(void)close(from[1]);
	other.to = to[1];
	other.from = from[0];
	other_wait(&other);
	return other;
}

static void other_end(const struct other *other)
{
	int status = 0;

	(void)close(other->to);
	assert_int_equal(waitpid(other->pid, &status, 0), other->pid);
	assert_int_equal(status, 0);
	(void)close(other->from);
}

/* One more record in "ad2i". */
static void commit(MDB_env *env)
{
	static uint32_t number = 1000;
	MDB_txn *txn = NULL;
	MDB_dbi dbi = 0;
	MDB_val key = {sizeof(number), &number};
	MDB_val value = {1, "x"};

	number++;
	if (mdb_txn_begin(env, NULL, 0, &txn) != 0 ||
	    mdb_dbi_open(txn, "ad2i", 0, &dbi) != 0 ||
	    mdb_put(txn, dbi, &key, &value, 0) != 0 || mdb_txn_commit(txn) != 0) {
		_exit(4);
	}
}

static void take_reader(MDB_env *env)
{
	MDB_txn *txn = NULL;

	if (mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) != 0) {
		_exit(5);
	}
}

static void do_nothing(MDB_env *env)
{
	(void)env;
}

/* ---- readers ---- */

static int look_refuses(void *ctx, int data_fd, uint64_t txn_id)
{
	(void)data_fd;
	(void)txn_id;
	(*(unsigned *)ctx)++;
	return DIT_E_CORRUPT;
}

/* A commit between this transaction and the next, at the first *limit calls. */
struct intruder {
	struct other other;
	unsigned ncalls;
	unsigned limit;
};

static int look_is_overtaken(void *ctx, int data_fd, uint64_t txn_id)
{
	struct intruder *intruder = ctx;

	(void)data_fd;
	(void)txn_id;
	if (intruder->ncalls++ < intruder->limit) {
		other_step(&intruder->other);
	}
	return 0;
}

static void assert_one_state(const struct dit_lmdb_reader *reader)
{
	for (unsigned i = 0; i < reader->n; i++) {
		assert_int_equal(mdb_txn_id(reader->txns[i]), reader->txn_id);
	}
}

static void commits_go_on_until_killed(MDB_env *env)
{
	for (;;) {
		commit(env);
	}
}

static void readers_see_one_state_while_others_commit(void **state)
{
	char *dir = fixture_published();
	struct other other = other_start(dir, 126, commits_go_on_until_killed);
	uint64_t first = 0;
	uint64_t last = 0;
	(void)state;

	assert_int_equal(write(other.to, "s", 1), 1);
	for (int i = 0; i < 200; i++) {
		struct dit_lmdb_reader *reader = NULL;
		const struct dit_lmdb_reader_opts opts = {.n = NREADERS,
		                                          .no_lock = i % 2 == 1};
		int r = dit_lmdb_reader_open(&reader, dir, &opts, NULL, NULL);

		/* Without the lock it may be overtaken all the time, which is said. */
		assert_int_equal(opts.no_lock && r == -EAGAIN ? 0 : r, 0);
		if (r == 0) {
			assert_one_state(reader);
			first = first == 0 ? reader->txn_id : first;
			last = reader->txn_id;
			dit_lmdb_reader_close(reader);
		}
	}
	assert_true(last > first);

	(void)kill(other.pid, SIGKILL);
	(void)waitpid(other.pid, NULL, 0);
	(void)close(other.to);
	(void)close(other.from);
	test_scratch_remove(dir);
}

static void without_the_lock_readers_begin_again_when_overtaken(void **state)
{
	char *dir = fixture_published();
	struct intruder intruder = {.limit = 3};
	const struct dit_lmdb_reader_opts opts = {.n = 2, .no_lock = true};
	struct dit_lmdb_reader *reader = NULL;
	(void)state;

	intruder.other = other_start(dir, 126, commit);
	assert_int_equal(
		dit_lmdb_reader_open(&reader, dir, &opts, look_is_overtaken, &intruder),
		0);
	assert_int_equal(intruder.ncalls, 4);
	assert_one_state(reader);
	dit_lmdb_reader_close(reader);

	other_end(&intruder.other);
	test_scratch_remove(dir);
}

static void without_the_lock_readers_give_up_in_the_end(void **state)
{
	char *dir = fixture_published();
	struct intruder intruder = {.limit = 1000};
	const struct dit_lmdb_reader_opts opts = {.n = 2, .no_lock = true};
	struct dit_lmdb_reader *reader = NULL;
	(void)state;

	intruder.other = other_start(dir, 126, commit);
	assert_int_equal(
		dit_lmdb_reader_open(&reader, dir, &opts, look_is_overtaken, &intruder),
		-EAGAIN);
	assert_int_equal(intruder.ncalls, 1000);

	other_end(&intruder.other);
	test_scratch_remove(dir);
}

static void full_reader_table_is_told_after_the_wait(void **state)
{
	char *dir = fixture_published();
	struct other other;
	const struct dit_lmdb_reader_opts opts = {.n = 2, .wait_ms = 60};
	struct dit_lmdb_reader *reader = NULL;
	(void)state;

	(void)unlink(fixture_path(dir, "lock.mdb"));
	other = other_start(dir, 4, take_reader);
	for (int i = 0; i < 3; i++) {
		other_step(&other);
	}

	assert_int_equal(dit_lmdb_reader_open(&reader, dir, &opts, NULL, NULL),
	                 MDB_READERS_FULL);

	other_end(&other);
	test_scratch_remove(dir);
}

static void places_of_dead_processes_are_taken(void **state)
{
	char *dir = fixture_published();
	struct other keeper;
	struct other dead;
	const struct dit_lmdb_reader_opts opts = {.n = 4};
	struct dit_lmdb_reader *reader = NULL;
	(void)state;

	/* Somebody keeps the table: whoever opens it first makes it again. */
	(void)unlink(fixture_path(dir, "lock.mdb"));
	keeper = other_start(dir, 4, do_nothing);
	dead = other_start(dir, 4, take_reader);
	for (int i = 0; i < 3; i++) {
		other_step(&dead);
	}
	other_end(&dead);

	assert_int_equal(dit_lmdb_reader_open(&reader, dir, &opts, NULL, NULL), 0);
	assert_one_state(reader);
	dit_lmdb_reader_close(reader);

	other_end(&keeper);
	test_scratch_remove(dir);
}

static void failed_look_is_not_repeated(void **state)
{
	char *dir = fixture_published();
	unsigned ncalls = 0;
	const struct dit_lmdb_reader_opts opts = {.n = 2};
	struct dit_lmdb_reader *reader = NULL;
	(void)state;

	assert_int_equal(dit_lmdb_reader_open(&reader, dir, &opts, look_refuses, &ncalls),
	                 DIT_E_CORRUPT);
	assert_int_equal(ncalls, 1);
	test_scratch_remove(dir);
}

static void missing_database_is_not_made(void **state)
{
	char *dir = test_scratch();
	const struct dit_lmdb_reader_opts opts = {.n = 2};
	struct dit_lmdb_reader *reader = NULL;
	(void)state;

	assert_int_equal(dit_lmdb_reader_open(&reader, dir, &opts, NULL, NULL), -ENOENT);
	assert_directory_holds(dir, "");
	test_scratch_remove(dir);
}

/* Runs as another user, because root may write to every file. */
static void file_that_may_only_be_read_needs_no_lock(void **state)
{
	char *dir = fixture_published();
	const struct dit_lmdb_reader_opts opts = {.n = NREADERS};
	pid_t pid = 0;
	int status = 0;
	(void)state;

	assert_int_equal(chmod(fixture_path(dir, "data.mdb"), 0444), 0);
	assert_int_equal(chmod(fixture_path(dir, "lock.mdb"), 0666), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct dit_lmdb_reader *reader = NULL;
		int r = 0;

		if (geteuid() == 0 && setuid(65534) != 0) {
			_exit(2);
		}
		r = dit_lmdb_reader_open(&reader, dir, &opts, NULL, NULL);
		if (r < 0) {
			(void)fprintf(stderr, "dit_lmdb_reader_open: %d\n", r);
		}
		_exit(r == 0 && reader->txns[NREADERS - 1] != NULL ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	test_scratch_remove(dir);
}

/* ---- snapshots ---- */

struct counting {
	struct dit_snapshot *snapshot;
	unsigned reader;
	unsigned nads; /* result */
};

static void *count_ads(void *ctx)
{
	struct counting *counting = ctx;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span value;

	if (dit_snapshot_cursor_open(&cursor, counting->snapshot, counting->reader,
	                             "ad2i") == 0) {
		while (dit_tree_cursor_next(cursor, &key, &value) == 1) {
			counting->nads++;
		}
		dit_tree_cursor_close(cursor);
	}
	return NULL;
}

static void threads_of_a_snapshot_count_the_same(void **state)
{
	char *dir = fixture_published();
	struct other other = other_start(dir, 126, commit);
	const struct dit_snapshot_opts opts = {.nreaders = NREADERS};
	struct dit_snapshot *snapshot = NULL;
	struct counting countings[NREADERS];
	pthread_t threads[NREADERS];
	(void)state;

	other_step(&other);
	assert_int_equal(dit_snapshot_open_readers(&snapshot, dir, &opts), 0);
	assert_int_equal(dit_snapshot_nreaders(snapshot), NREADERS);
	other_step(&other);

	for (unsigned i = 0; i < NREADERS; i++) {
		countings[i] = (struct counting){snapshot, i, 0};
		assert_int_equal(
			pthread_create(&threads[i], NULL, count_ads, &countings[i]), 0);
		other_step(&other);
	}
	for (unsigned i = 0; i < NREADERS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(countings[i].nads, 6 + 1);
	}

	dit_snapshot_close(snapshot);
	other_end(&other);
	test_scratch_remove(dir);
}

static void snapshot_needs_a_reader_and_scans_an_existing_one(void **state)
{
	char *dir = fixture_published();
	struct dit_snapshot_opts opts = {.nreaders = 0};
	struct dit_snapshot *snapshot = NULL;
	struct dit_tree_cursor *cursor = NULL;
	(void)state;

	assert_int_equal(dit_snapshot_open_readers(&snapshot, dir, &opts), -EINVAL);
	opts.nreaders = 2;
	assert_int_equal(dit_snapshot_open_readers(&snapshot, dir, &opts), 0);
	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 2, "ad2i"), -EINVAL);
	dit_snapshot_close(snapshot);
	test_scratch_remove(dir);
}

/* Another data.mdb is put in place while a process has the directory open. */
static void exchanged_data_file_is_told(void **state)
{
	char *dir = fixture_published();
	char *copy = fixture_published();
	char path[4300];
	struct dit_fault fault = {""};
	struct dit_snapshot_opts opts = {.nreaders = 2, .nspare = 1, .fault = &fault};
	struct other other = other_start(dir, 16, commit);
	struct dit_snapshot *snapshot = NULL;
	(void)state;

	for (int i = 0; i < 5; i++) {
		other_step(&other);
	}
	(void)snprintf(path, sizeof(path), "%s/data.mdb", copy);
	assert_int_equal(rename(path, fixture_path(dir, "data.mdb")), 0);
	assert_int_equal(dit_snapshot_open_readers(&snapshot, dir, &opts), DIT_E_CORRUPT);
	assert_string_equal(fault.text, "lock.mdb in it names a state that data.mdb does "
	                                "not have: they are of different databases");
	other_end(&other);
	assert_int_equal(dit_snapshot_open_readers(&snapshot, dir, &opts), 0);
	dit_snapshot_close(snapshot);
	test_scratch_remove(dir);
	test_scratch_remove(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_see_one_state_while_others_commit),
		cmocka_unit_test(without_the_lock_readers_begin_again_when_overtaken),
		cmocka_unit_test(without_the_lock_readers_give_up_in_the_end),
		cmocka_unit_test(full_reader_table_is_told_after_the_wait),
		cmocka_unit_test(places_of_dead_processes_are_taken),
		cmocka_unit_test(failed_look_is_not_repeated),
		cmocka_unit_test(missing_database_is_not_made),
		cmocka_unit_test(file_that_may_only_be_read_needs_no_lock),
		cmocka_unit_test(threads_of_a_snapshot_count_the_same),
		cmocka_unit_test(exchanged_data_file_is_told),
		cmocka_unit_test(snapshot_needs_a_reader_and_scans_an_existing_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
