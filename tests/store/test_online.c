/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * New index databases beside other processes (online.h): liblmdb, in another process,
 * goes on reading and writing, sees the new tables at once, and all that it changed
 * meanwhile is told before the last step. And where lock.mdb has the last transaction's
 * number (lock_field.h).
 */
#include "store/online.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "base/error.h"
#include "pages/table_writer.h"
#include "pages/walk.h"
#include "store/fault.h"
#include "store/lock_field.h"
#include "store_fixture.h"

#define INDEX_FLAGS (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
#define NENTRIES    3000

/* ---- another process ---- */

struct other {
	pid_t pid;
	int orders;
	int answers;
};

static void put(MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_len,
                const void *value, size_t len)
{
	MDB_val k = {key_len, (void *)key};
	MDB_val v = {len, (void *)value};

	if (mdb_put(txn, dbi, &k, &v, 0) != 0) {
		_exit(3);
	}
}

/* "3": entry 3 and those 100 and 200 behind it get other values; a new one comes */
static void change(MDB_env *env, MDB_dbi entries, MDB_dbi index, unsigned char first)
{
	static char value[5000];
	MDB_txn *txn = NULL;

	if (mdb_txn_begin(env, NULL, 0, &txn) != 0) {
		_exit(4);
	}
	for (uint64_t id = first; id < first + 300u; id += 100) {
		uint32_t key = first;

		memset(value, first, sizeof(value));
		put(txn, entries, &id, sizeof(id), value, id % 200 == 3 ? 5000 : 90);
		put(txn, index, &key, sizeof(key), &id, sizeof(id));
	}
	if (mdb_txn_commit(txn) != 0) {
		_exit(5);
	}
}

/* How many keys the index has, as this process sees it. */
static unsigned char count(MDB_env *env, MDB_dbi index)
{
	MDB_txn *txn = NULL;
	MDB_stat stat = {0};

	if (mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) != 0 ||
	    mdb_stat(txn, index, &stat) != 0) {
		_exit(6);
	}
	mdb_txn_abort(txn);
	return (unsigned char)stat.ms_entries;
}

static void serve(const char *dir, int orders, int answers)
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_dbi entries = 0;
	MDB_dbi index = 0;
	unsigned char order = 0;

	if (mdb_env_create(&env) != 0 || mdb_env_set_maxdbs(env, 8) != 0 ||
	    mdb_env_set_mapsize(env, FIXTURE_MAXSIZE) != 0 ||
	    mdb_env_open(env, dir, MDB_NOSYNC, 0600) != 0 ||
	    mdb_txn_begin(env, NULL, 0, &txn) != 0 ||
	    mdb_dbi_open(txn, "id2e", 0, &entries) != 0 ||
	    mdb_dbi_open(txn, "cn", 0, &index) != 0 || mdb_txn_commit(txn) != 0) {
		_exit(2);
	}
	while (read(orders, &order, 1) == 1) {
		unsigned char answer = 0;

		if (order == 0) {
			answer = count(env, index);
		} else {
			change(env, entries, index, order);
		}
		if (write(answers, &answer, 1) != 1) {
			_exit(7);
		}
	}
	mdb_env_close(env);
	_exit(0);
}

static void other_start(struct other *other, const char *dir)
{
	int orders[2];
	int answers[2];

	assert_int_equal(pipe(orders), 0);
	assert_int_equal(pipe(answers), 0);
	other->pid = fork();
	if (other->pid == 0) {
		(void)close(orders[1]);
		(void)close(answers[0]);
		serve(dir, orders[0], answers[1]);
	}
	(void)close(orders[0]);
	(void)close(answers[1]);
	other->orders = orders[1];
	other->answers = answers[0];
}

/* 0: count; else change. */
static unsigned other_do(const struct other *other, unsigned char order)
{
	unsigned char answer = 0;

	assert_int_equal(write(other->orders, &order, 1), 1);
	assert_int_equal(read(other->answers, &answer, 1), 1);
	return answer;
}

static void other_end(struct other *other)
{
	int status = 0;

	(void)close(other->orders);
	(void)close(other->answers);
	assert_int_equal(waitpid(other->pid, &status, 0), other->pid);
	assert_int_equal(status, 0);
}

/* ---- a database ---- */

static char *make_database(void)
{
	static char value[3000];
	char *dir = test_scratch();
	struct dit_staging *staging = fixture_open(dir);
	const uint64_t ids[] = {1, 2};

	for (uint64_t id = 1; id <= NENTRIES; id++) {
		fixture_put_entry(staging, id, value, id % 10 == 0 ? 3000 : 100);
	}
	fixture_begin_index(staging, "cn", false);
	fixture_put_key("aaaa", 4, ids, 2);
	(void)fixture_publish(staging);
	return dir;
}

static void found(void *ctx, const struct dit_walk_finding *finding)
{
	(void)ctx;
	print_error("%s: page %lld: %s\n", dit_walk_kind_name(finding->kind),
	            (long long)finding->page, finding->text);
}

static void assert_sound(const char *dir)
{
	struct dit_walk_stats stats;
	struct dit_walk_opts opts = {
		.transaction = DIT_WALK_NEWEST, .nthreads = 1, .found = found};
	char path[4200];

	(void)snprintf(path, sizeof(path), "%s/data.mdb", dir);
	opts.fd = open(path, O_RDONLY);
	assert_true(opts.fd >= 0);
	assert_int_equal(dit_walk(&opts, &stats), 0);
	assert_int_equal(stats.nfindings, 0);
	(void)close(opts.fd);
}

static struct dit_online *open_online(const char *dir, uint64_t maxsize_bytes,
                                      struct dit_fault *fault)
{
	const struct dit_online_opts opts = {.directory = dir,
	                                     .nreaders = 2,
	                                     .maxsize_bytes = maxsize_bytes,
	                                     .list_max = 1000,
	                                     .fault = fault};
	struct dit_online *online = NULL;

	assert_int_equal(dit_online_open(&online, &opts), 0);
	return online;
}

/* A table with @p nkeys keys of one ID each. */
static int write_table(struct dit_online *online, unsigned nkeys,
                       struct dit_tree_record *ret)
{
	struct dit_table_writer *writer = NULL;
	int r = dit_table_writer_new(&writer, dit_online_space(online), INDEX_FLAGS);

	*ret = (struct dit_tree_record){.flags = INDEX_FLAGS};
	for (uint32_t i = 0; i < nkeys && r == 0; i++) {
		uint32_t key = __builtin_bswap32(i + 1000);
		uint64_t id = 7;

		r = dit_table_writer_put(
			writer, (struct dit_span){(const char *)&key, sizeof(key)}, &id,
			1);
	}
	if (r == 0) {
		r = dit_table_writer_finish(writer, ret);
	}
	dit_table_writer_free(writer);
	return r;
}

/* ---- the last step ---- */

struct told {
	struct dit_online *online;
	struct dit_online_table table;
	struct dit_table_change change;
	uint64_t ids[50];
	size_t nids;
	int error;
};

static int note_changed(void *ctx, unsigned newest, const uint64_t *ids, size_t nids)
{
	struct told *told = ctx;

	assert_int_equal(newest, 2);
	assert_in_range(nids, 1, 50);
	memcpy(told->ids, ids, nids * sizeof(ids[0]));
	told->nids = nids;
	told->change = (struct dit_table_change){
		.key = {"zzzz", 4}, .id = ids[0], .is_added = true};
	told->table.changes = &told->change;
	told->table.nchanges = 1;
	return told->error;
}

static int commit(struct told *told)
{
	told->table.name = "cn";
	told->table.changes = NULL;
	told->table.nchanges = 0;
	return dit_online_commit(told->online, &told->table, 1, note_changed, told);
}

static void seen_at_once(void **state)
{
	char *dir = make_database();
	struct dit_online_times times;
	struct told told = {.nids = 0};
	struct dit_tree_record tree;
	struct other other;

	(void)state;
	other_start(&other, dir);
	assert_int_equal(other_do(&other, 0), 2);
	told.online = open_online(dir, FIXTURE_MAXSIZE, NULL);
	assert_int_equal(dit_online_find(told.online, "cn", &tree), 1);
	assert_int_equal(tree.nitems, 2);
	assert_int_equal(dit_online_find(told.online, "sn", &tree), 0);
	assert_int_equal(write_table(told.online, 100, &told.table.tree), 0);
	assert_int_equal(other_do(&other, 3), 0);
	assert_int_equal(other_do(&other, 5), 0);
	assert_int_equal(other_do(&other, 0), 8);
	assert_int_equal(commit(&told), 0);
	/* The other process, which has had the database open all the time. */
	assert_int_equal(other_do(&other, 0), 101);
	assert_int_equal(told.nids, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(told.ids[i], i / 2 * 100 + (i % 2 == 0 ? 3 : 5));
	}
	dit_online_times(told.online, &times);
	assert_int_equal(times.nchanged, 6);
	assert_true(times.longest_us > 0 && times.longest_us <= times.locked_us);
	dit_online_close(told.online);
	assert_int_equal(other_do(&other, 9), 0);
	assert_int_equal(other_do(&other, 0), 104);
	assert_sound(dir);
	other_end(&other);
	assert_sound(dir);
	test_scratch_remove(dir);
}

/* The pages of the first run serve the third. */
static void again_and_again(void **state)
{
	char *dir = make_database();
	struct told told = {.nids = 0};
	struct other other;
	uint64_t bytes[8];

	(void)state;
	other_start(&other, dir);
	for (unsigned i = 0; i < 8; i++) {
		struct dit_online_times times;

		told.online = open_online(dir, FIXTURE_MAXSIZE, NULL);
		told.nids = 0;
		assert_int_equal(write_table(told.online, 30000, &told.table.tree), 0);
		(void)other_do(&other, (unsigned char)(1 + i));
		assert_int_equal(commit(&told), 0);
		assert_int_equal(told.nids, 3);
		dit_online_times(told.online, &times);
		bytes[i] = times.bytes;
		dit_online_close(told.online);
		assert_sound(dir);
	}
	assert_true(bytes[7] <= bytes[3] + (1 << 20));
	other_end(&other);
	test_scratch_remove(dir);
}

static void given_up(void **state)
{
	char *dir = make_database();
	struct told told = {.nids = 0, .error = -EIO};
	struct other other;

	(void)state;
	other_start(&other, dir);
	/* Nothing is written, a table is written, the last step fails. */
	for (unsigned step = 0; step < 3; step++) {
		told.online = open_online(dir, FIXTURE_MAXSIZE, NULL);
		if (step > 0) {
			assert_int_equal(write_table(told.online, 1000, &told.table.tree),
			                 0);
			(void)other_do(&other, 3);
		}
		if (step > 1) {
			assert_int_equal(commit(&told), -EIO);
		}
		dit_online_close(told.online);
		assert_sound(dir);
		assert_int_equal(other_do(&other, 0), step == 0 ? 2 : 5);
	}
	other_end(&other);
	test_scratch_remove(dir);
}

/* The process dies with pages reserved and written. */
static void died(void **state)
{
	char *dir = make_database();
	struct other other;
	pid_t pid = 0;
	int status = 0;

	(void)state;
	other_start(&other, dir);
	pid = fork();
	if (pid == 0) {
		struct dit_tree_record tree;

		(void)write_table(open_online(dir, FIXTURE_MAXSIZE, NULL), 50000, &tree);
		_exit(9);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 9);
	assert_int_equal(other_do(&other, 3), 0);
	assert_int_equal(other_do(&other, 0), 5);
	assert_sound(dir);
	other_end(&other);
	test_scratch_remove(dir);
}

static void size_is_limited(void **state)
{
	char *dir = make_database();
	struct told told = {.nids = 0};

	(void)state;
	told.online = open_online(dir, 6 << 20, NULL);
	assert_int_equal(write_table(told.online, 300000, &told.table.tree), DIT_E_FULL);
	dit_online_close(told.online);
	assert_sound(dir);
	test_scratch_remove(dir);
}

/* ---- the lock file ---- */

/* Nothing of lock.mdb of LMDB 1.0 is known. */
static void other_formats_are_refused(void **state)
{
	struct dit_online_opts opts = {.nreaders = 1, .list_max = 100};
	struct dit_online *online = NULL;
	(void)state;

	fixture_is_lmdb_10 = true;
	opts.directory = fixture_published();
	fixture_is_lmdb_10 = false;
	assert_int_equal(dit_online_open(&online, &opts), DIT_E_FORMAT);
	test_scratch_remove((char *)opts.directory);
}

static void place_of_the_last_transaction(void **state)
{
	char *dir = test_scratch();
	struct dit_lock_field field;
	struct dit_fault fault = {""};
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_envinfo info;
	char path[4200];
	uint64_t zeros[2] = {0, 0};
	int fd = -1;

	(void)state;
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_open(env, dir, MDB_NOSYNC | MDB_NOTLS, 0600), 0);
	assert_int_equal(mdb_env_info(env, &info), 0);
	(void)snprintf(path, sizeof(path), "%s/lock.mdb", dir);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(dit_lock_field_open(&field, fd, info.me_last_txnid + 1, &fault),
	                 DIT_E_UNSUPPORTED);
	assert_non_null(strstr(fault.text, "does not have the last transaction"));
	assert_int_equal(dit_lock_field_open(&field, fd, info.me_last_txnid, &fault), 0);
	assert_int_equal(dit_lock_field_get(&field), info.me_last_txnid);
	dit_lock_field_set(&field, info.me_last_txnid + 5);
	assert_int_equal(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), 0);
	assert_int_equal(mdb_txn_id(txn), info.me_last_txnid + 5);
	mdb_txn_abort(txn);
	dit_lock_field_set(&field, info.me_last_txnid);
	dit_lock_field_close(&field);
	/* Another layout. */
	assert_int_equal(pwrite(fd, zeros, 8, 0), 8);
	assert_int_equal(dit_lock_field_open(&field, fd, info.me_last_txnid, &fault),
	                 DIT_E_UNSUPPORTED);
	assert_non_null(strstr(fault.text, "another liblmdb"));
	mdb_env_close(env);
	(void)close(fd);
	test_scratch_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seen_at_once),
		cmocka_unit_test(again_and_again),
		cmocka_unit_test(given_up),
		cmocka_unit_test(died),
		cmocka_unit_test(size_is_limited),
		cmocka_unit_test(other_formats_are_refused),
		cmocka_unit_test(place_of_the_last_transaction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
