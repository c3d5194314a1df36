/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * New index databases while others use the file (online.h): liblmdb, in another process,
 * goes on reading and writing, sees the new tables at once, and all that it changed
 * in between is told before the last step. And where lock.mdb has the last transaction's
 * number (lock_field.h).
 */
#include "base/error.h"
#include "online_fixture.h"
#include "place/fault.h"
#include "place/lock_field.h"
#include "tree/table_writer.h"

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
	struct dit_posting_change change;
	uint64_t ids[50];
	size_t nids;
	int error;
};

static int note_changed(void *ctx, const struct dit_online_changed *changed,
                        struct dit_table_changes *ret)
{
	struct told *told = ctx;

	assert_int_equal(changed->older, 0);
	assert_int_equal(changed->newer, 2);
	assert_in_range(changed->nids, 1, 50);
	memcpy(told->ids, changed->ids, changed->nids * sizeof(changed->ids[0]));
	told->nids = changed->nids;
	told->change = (struct dit_posting_change){
		.key = {"zzzz", 4}, .id = changed->ids[0], .is_added = true};
	*ret = (struct dit_table_changes){&told->change, 1};
	return told->error;
}

static int commit(struct told *told)
{
	told->table.name = "cn";
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

/* The process dies with pages reserved and written; it leaves its places in LMDB's table
 * of readers. */
static void die(const char *dir, unsigned nkeys)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct dit_tree_record tree;

		(void)write_table(open_online(dir, FIXTURE_MAXSIZE, NULL), nkeys, &tree);
		_exit(9);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 9);
}

static void died(void **state)
{
	char *dir = make_database();
	struct other other;

	(void)state;
	other_start(&other, dir);
	die(dir, 50000);
	assert_int_equal(other_do(&other, 3), 0);
	assert_int_equal(other_do(&other, 0), 5);
	assert_sound(dir);
	other_end(&other);
	test_scratch_remove(dir);
}

/* A whole run; another one has another number. @return the bytes of the file */
static uint64_t run_once(const char *dir, const struct other *other, unsigned number,
                         unsigned nchanges)
{
	struct told told = {.online = open_online(dir, FIXTURE_MAXSIZE, NULL)};
	struct dit_online_times times;

	assert_int_equal(write_table(told.online, 60000, &told.table.tree), 0);
	for (unsigned i = 0; i < nchanges; i++) {
		(void)other_do(other, (unsigned char)(1 + number + i));
	}
	assert_int_equal(commit(&told), 0);
	assert_int_equal(told.nids, 3 * nchanges);
	dit_online_times(told.online, &times);
	dit_online_close(told.online);
	assert_sound(dir);
	return times.bytes;
}

/*
 * The second run needs the pages of two tables: the third one and all others use them
 * again, although every other run dies, and although no other process commits in between.
 */
static void commits_repeat_without_a_growing_file(void **state)
{
	unsigned nruns = getenv("DIT_LONG") != NULL ? 100 : 12;
	static const struct {
		const char *name;
		unsigned nchanges; /* commits of others during a run */
	} cases[] = {{"others rest", 0}, {"others write", 2}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *dir = make_database();
		uint64_t bytes = 0;
		uint64_t last = 0;
		struct other other;

		other_start(&other, dir);
		for (unsigned run = 0; run < nruns; run += 2) {
			last = run_once(dir, &other, run, cases[i].nchanges);
			bytes = run == 2 ? last : bytes;
			die(dir, 1000 + run * 7919 % 60000);
		}
		if (last > bytes + bytes / 20) {
			fail_msg("%s: %llu bytes become %llu", cases[i].name,
			         (unsigned long long)bytes, (unsigned long long)last);
		}
		other_end(&other);
		test_scratch_remove(dir);
	}
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
		cmocka_unit_test(given_up),
		cmocka_unit_test(died),
		cmocka_unit_test(commits_repeat_without_a_growing_file),
		cmocka_unit_test(size_is_limited),
		cmocka_unit_test(other_formats_are_refused),
		cmocka_unit_test(place_of_the_last_transaction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
