/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readers of LMDB 0.9 next to liblmdb: each sees one state, whatever others commit, and
 * both find their way in each other's lock.mdb.
 *
 * liblmdb must not have one environment open twice in a process, so all that others do
 * here is done by processes of their own.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "base/error.h"
#include "files/fault.h"
#include "files/files.h"
#include "locks/claim.h"
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
	other.pid = test_fork();
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
	(void)close(other->to);
	assert_int_equal(test_wait(other->pid), 0);
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

static int note_line(const char *line, void *ctx)
{
	(void)strncat(ctx, line, 200);
	return 0;
}

static void expect_our_slot(MDB_env *env)
{
	char lines[1000] = "";
	char *line = NULL;
	char *end = NULL;
	int ndead = 0;

	if (mdb_reader_check(env, &ndead) != 0 || ndead != 0 ||
	    mdb_reader_list(env, note_line, lines) < 0) {
		_exit(7);
	}
	line = strchr(lines, '\n'); /* the first one has the names */
	if (line == NULL || strtol(line, &end, 10) != (long)getppid() ||
	    strtoul(strrchr(lines, ' '), &end, 10) != 1 || *end != '\n') {
		(void)fprintf(stderr, "%s", lines);
		_exit(8);
	}
}

/* It has begun a transaction that writes, and stays in it. */
static void lock(MDB_env *env)
{
	MDB_txn *txn = NULL;

	if (mdb_txn_begin(env, NULL, 0, &txn) != 0) {
		_exit(9);
	}
}

/* ---- readers ---- */

static const struct dit_lmdb_reader_opts fixed = {.format = &dit_lmdb_09};

static uint64_t state_of(const struct dit_lmdb_reader *reader)
{
	return dit_metas_newest(&reader->metas)->transaction;
}

static unsigned count_records(struct dit_snapshot *snapshot)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span value;
	unsigned n = 0;

	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, "ad2i"), 0);
	while (dit_tree_cursor_next(cursor, &key, &value) == 1) {
		n++;
	}
	dit_tree_cursor_close(cursor);
	return n;
}

static void commits_go_on_until_killed(MDB_env *env)
{
	for (;;) {
		commit(env);
	}
}

/* No page of the state is written to as long as it is held. Each commit adds a record. */
TEST(a_state_stays_while_others_commit)
{
	char *dir = fixture_published();
	struct other other = other_start(dir, 126, commits_go_on_until_killed);
	const struct dit_snapshot_opts opts = {.nreaders = 1, .lmdb.nspare = 1};
	uint64_t last = 0;
	unsigned nrecords = 0;
	unsigned nseen = 0;

	assert_int_equal(write(other.to, "s", 1), 1);
	/* On a busy machine the others may begin late. */
	for (int i = 0; i < 200 || nseen <= 2; i++) {
		struct dit_snapshot *snapshot = NULL;
		uint64_t txn_id = 0;
		unsigned n = 0;

		assert_int_equal(dit_snapshot_open_readers(&snapshot, dir, &opts), 0);
		txn_id = snapshot->map.meta.transaction;
		n = count_records(snapshot);
		assert_true(last == 0 || n - nrecords == txn_id - last);
		nseen += last != txn_id;
		last = txn_id;
		nrecords = n;
		assert_int_equal(dit_snapshot_renew(snapshot, 1), 0);
		assert_int_equal(count_records(snapshot), n);
		assert_int_equal(snapshot->map.meta.transaction, txn_id);
		dit_snapshot_close(snapshot);
	}
	(void)kill(other.pid, SIGKILL);
	(void)waitpid(other.pid, NULL, 0);
	(void)close(other.to);
	(void)close(other.from);
}

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
	(void)number;
	is_interrupted = 1;
}

TEST(an_interrupt_ends_a_wait_for_a_loader)
{
	const struct itimerval soon = {.it_value = {.tv_usec = 100000}};
	const struct dit_stop stop = {.flag = &is_interrupted};
	struct dit_lmdb_reader_opts opts = fixed;
	struct dit_lmdb_reader *reader = NULL;
	char *dir = fixture_published();
	struct dit_claim claim;

	opts.stop = &stop;
	assert_int_equal(
		dit_claim_take(&claim, dit_directory_open(dir, NULL), 0600, NULL), 0);
	(void)signal(SIGALRM, interrupt);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	assert_int_equal(dit_lmdb_reader_open(&reader, dir, &opts), DIT_E_STOPPED);
	(void)signal(SIGALRM, SIG_DFL);
	dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
	is_interrupted = 0;
	assert_int_equal(dit_lmdb_reader_open(&reader, dir, &opts), 0);
	dit_lmdb_reader_close(reader);
}

TEST(liblmdb_sees_our_slot)
{
	char *dir = fixture_published();
	struct dit_lmdb_reader *reader = NULL;
	struct other other;

	/* We are the first process, the other one the second, and the other way round. */
	for (int is_first = 0; is_first < 2; is_first++) {
		(void)unlink(fixture_path(dir, "lock.mdb"));
		if (is_first) {
			other = other_start(dir, 126, expect_our_slot);
		}
		assert_int_equal(dit_lmdb_reader_open(&reader, dir, &fixed), 0);
		assert_int_equal(state_of(reader), 1);
		if (!is_first) {
			other = other_start(dir, 126, expect_our_slot);
		}
		other_step(&other);
		dit_lmdb_reader_close(reader);
		other_end(&other);
	}
}

/* Without liblmdb: the process that comes finds what we have committed before. */
TEST(the_last_transaction_is_liblmdbs)
{
	char *dir = fixture_published();
	struct dit_lmdb_reader *reader = NULL;
	struct dit_metas metas;
	struct dit_lmdb_reader_opts opts = fixed;
	struct other other;

	opts.nspare = 1;
	assert_int_equal(dit_lmdb_reader_open(&reader, dir, &opts), 0);
	other = other_start(dir, 126, commit);
	for (uint64_t i = 1; i < 4; i++) {
		other_step(&other);
		assert_int_equal(dit_reader_table_last(&reader->table),
		                 state_of(reader) + i);
		assert_int_equal(dit_lmdb_reader_renew(reader, 0, &metas), 0);
		assert_int_equal(dit_metas_newest(&metas)->transaction,
		                 state_of(reader) + i);
	}
	other_end(&other);
	dit_lmdb_reader_close(reader);
}

TEST(the_write_lock_is_liblmdbs)
{
	char *dir = fixture_published();
	struct dit_lmdb_reader *reader = NULL;
	struct other other;
	struct other dead;
	struct dit_fault fault = {""};

	assert_int_equal(dit_lmdb_reader_open(&reader, dir, &fixed), 0);
	other = other_start(dir, 126, commit);
	dead = other_start(dir, 126, lock);

	/* It waits for us. */
	assert_int_equal(
		dit_reader_table_lock(&reader->table, reader->data_fd, 0, &fault), 0);
	assert_int_equal(write(other.to, "s", 1), 1);
	(void)usleep(50000);
	assert_int_equal(dit_reader_table_last(&reader->table), 1);
	dit_reader_table_unlock(&reader->table);
	other_wait(&other);
	assert_int_equal(dit_reader_table_last(&reader->table), 2);

	/* We wait for it, and take the lock when it is dead. */
	other_step(&dead);
	assert_int_equal(
		dit_reader_table_lock(&reader->table, reader->data_fd, 0, &fault),
		-ETIMEDOUT);
	other_end(&dead);
	assert_int_equal(
		dit_reader_table_lock(&reader->table, reader->data_fd, 0, &fault), 0);
	dit_reader_table_unlock(&reader->table);
	other_step(&other);
	assert_int_equal(dit_reader_table_last(&reader->table), 3);

	/* It takes the lock of one of us that is dead. */
	dead.pid = test_fork();
	if (dead.pid == 0) {
		_exit(dit_reader_table_lock(&reader->table, reader->data_fd, 0, NULL));
	}
	assert_int_equal(waitpid(dead.pid, NULL, 0), dead.pid);
	other_step(&other);
	assert_int_equal(dit_reader_table_last(&reader->table), 4);

	other_end(&other);
	dit_lmdb_reader_close(reader);
}

/* Else it reads an older state than the pages belong to that the dead one gave back. */
TEST(a_writer_sees_the_last_commit_of_a_dead_one)
{
	char *dir = fixture_published();
	struct dit_lmdb_reader_opts opts = fixed;
	struct dit_lmdb_reader *first = NULL;
	struct dit_lmdb_reader *second = NULL;
	struct other other;
	pid_t dead = 0;

	assert_int_equal(dit_lmdb_reader_open(&first, dir, &fixed), 0);
	other = other_start(dir, 126, commit);
	other_step(&other);
	dead = test_fork();
	if (dead == 0) { /* between the meta page and the number */
		dit_reader_table_set_last(&first->table, 1);
		_exit(dit_reader_table_lock(&first->table, first->data_fd, 0, NULL));
	}
	assert_int_equal(waitpid(dead, NULL, 0), dead);

	assert_int_equal(dit_lmdb_reader_open(&second, dir, &opts), 0);
	assert_int_equal(state_of(second), 1);
	dit_lmdb_reader_close(second);
	opts.is_writer = true;
	assert_int_equal(dit_lmdb_reader_open(&second, dir, &opts), 0);
	assert_int_equal(state_of(second), 2);
	dit_lmdb_reader_close(second);

	/* A process that has the lock is not waited for. */
	assert_int_equal(dit_reader_table_lock(&first->table, first->data_fd, 0, NULL),
	                 0);
	assert_int_equal(dit_reader_table_mend(&first->table, first->data_fd), 0);
	dit_reader_table_unlock(&first->table);

	other_end(&other);
	dit_lmdb_reader_close(first);
}

TEST(full_reader_table_is_told_after_the_wait)
{
	char *dir = fixture_published();
	struct other other;
	struct dit_lmdb_reader_opts opts = fixed;
	struct dit_lmdb_reader *reader = NULL;

	opts.wait_ms = 60;
	(void)unlink(fixture_path(dir, "lock.mdb"));
	other = other_start(dir, 3, take_reader);
	for (int i = 0; i < 3; i++) {
		other_step(&other);
	}

	assert_int_equal(dit_lmdb_reader_open(&reader, dir, &opts),
	                 DIT_LMDB_READERS_FULL);

	other_end(&other);
}

TEST(slots_of_dead_processes_are_taken)
{
	char *dir = fixture_published();
	struct other keeper;
	struct other dead;
	struct dit_lmdb_reader *reader = NULL;

	/* Somebody keeps the table: whoever opens it first makes it again. */
	(void)unlink(fixture_path(dir, "lock.mdb"));
	keeper = other_start(dir, 3, do_nothing);
	dead = other_start(dir, 3, take_reader);
	for (int i = 0; i < 3; i++) {
		other_step(&dead);
	}
	other_end(&dead);

	assert_int_equal(dit_lmdb_reader_open(&reader, dir, &fixed), 0);
	dit_lmdb_reader_close(reader);

	other_end(&keeper);
}

TEST(missing_database_is_not_made)
{
	char *dir = test_scratch();
	struct dit_lmdb_reader *reader = NULL;

	assert_int_equal(dit_lmdb_reader_open(&reader, dir, &fixed), -ENOENT);
	assert_directory_holds(dir, "");
}

/* Runs as another user, because root may write to every file. */
TEST(data_file_may_be_one_that_can_only_be_read)
{
	char *dir = fixture_published();
	pid_t pid = 0;

	assert_int_equal(chmod(fixture_path(dir, "data.mdb"), 0444), 0);
	assert_int_equal(chmod(fixture_path(dir, "lock.mdb"), 0666), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	pid = test_fork();
	if (pid == 0) {
		struct dit_lmdb_reader *reader = NULL;
		int r = 0;

		if (geteuid() == 0 && setuid(65534) != 0) {
			_exit(2);
		}
		r = dit_lmdb_reader_open(&reader, dir, &fixed);
		if (r < 0) {
			(void)fprintf(stderr, "dit_lmdb_reader_open: %d\n", r);
		}
		_exit(r == 0 && reader->lock_fd >= 0 ? 0 : 1);
	}
	assert_int_equal(test_wait(pid), 0);
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

TEST(threads_of_a_snapshot_count_the_same)
{
	char *dir = fixture_published();
	struct other other = other_start(dir, 126, commit);
	const struct dit_snapshot_opts opts = {.nreaders = NREADERS};
	struct dit_snapshot *snapshot = NULL;
	struct counting countings[NREADERS];
	pthread_t threads[NREADERS];

	other_step(&other);
	assert_int_equal(dit_snapshot_open_readers(&snapshot, dir, &opts), 0);
	assert_int_equal(snapshot->nreaders, NREADERS);
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
}

/* Another data.mdb is put in place while a process has the directory open. */
TEST(exchanged_data_file_is_told)
{
	char *dir = fixture_published();
	char *copy = fixture_published();
	char path[4300];
	struct dit_fault fault = {""};
	struct dit_snapshot_opts opts = {.nreaders = 2,
	                                 .lmdb = {.nspare = 1, .fault = &fault}};
	struct other other = other_start(dir, 16, commit);
	struct dit_snapshot *snapshot = NULL;

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
}
