/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * New index databases while others use the file (online.h): liblmdb, in another process,
 * goes on reading and writing, sees the new tables at once, and all that it changed
 * in between is told before the last step. The file does not grow beyond what other
 * processes have mapped.
 */
#include <sys/stat.h>

#include "base/error.h"
#include "files/fault.h"
#include "locks/holder.h"
#include "online_fixture.h"
#include "posting_changes.h"

struct told {
	struct dit_output *output;
	struct dit_online_times times;
	uint64_t ids[50];
	size_t nids;
	struct posting_change change;
	struct posting_changes given;
	uint64_t changed_ids[2];
	int error;
	struct dit_fault fault;
};

static int note_changed(void *ctx, const struct dit_online_changed *changed,
                        struct dit_list_changes *ret);

static void open_online(struct told *told, const char *dir, uint64_t maxsize_bytes)
{
	const struct dit_online_opts opts = {
		.directory = dir,
		.shared = {.nthreads = 2, .sealed = fixture_sealed},
		.conf = {.map_bytes = maxsize_bytes},
		.list_max = 1000,
		.times = &told->times,
		.fault = &told->fault,
		.changed = note_changed,
		.ctx = told};
	struct dit_snapshot *snapshot = NULL;

	assert_int_equal(dit_online_open(&told->output, &snapshot, &opts), 0);
	assert_int_equal(snapshot->nreaders, 2);
}

/* The index cn with @p nkeys keys of one ID each. */
static int write_table(struct dit_output *output, unsigned nkeys)
{
	const struct dit_output_index index = {.name = "cn"};
	struct dit_output_table *table = NULL;
	int r = dit_output_add_index(output, &index);

	if (r == 0) {
		/* Each has a node of its own, which takes twice as much as is usual. */
		r = dit_output_expect_postings(output, 7 * nkeys / 3);
	}
	r = r ?: dit_output_open_part(output, 0, 0, &table);
	for (uint32_t i = 0; i < nkeys && r == 0; i++) {
		uint32_t key = __builtin_bswap32(i + 1000);
		uint64_t id = 7;
		const struct dit_posting_list list = {
			.key = {(const char *)&key, sizeof(key)}, .ids = &id, .nids = 1};

		r = dit_output_put_lists(table, &list, 1);
	}
	return r ?: dit_output_finish(table, NULL);
}

/* ---- the last step ---- */

static int note_changed(void *ctx, const struct dit_online_changed *changed,
                        struct dit_list_changes *ret)
{
	struct told *told = ctx;

	assert_int_equal(changed->older, 0);
	assert_int_equal(changed->newer, 2);
	assert_in_range(changed->nids, 1, 50);
	memcpy(told->ids, changed->ids, changed->nids * sizeof(changed->ids[0]));
	told->nids = changed->nids;
	told->change = (struct posting_change){
		.key = {"zzzz", 4}, .id = changed->ids[0], .is_added = true};
	told->given = (struct posting_changes){
		.list = &told->change, .n = 1, .ids = told->changed_ids};
	*ret = (struct dit_list_changes){posting_changes_next, &told->given};
	return told->error;
}

static int commit(struct told *told)
{
	assert_int_equal(dit_output_do(told->output, DIT_PUBLISH_PREPARE), 0);
	return dit_output_do(told->output, DIT_PUBLISH_COMMIT);
}

TEST(another_process_sees_new_indexes_at_once)
{
	char *dir = make_database();
	struct told told = {.nids = 0};
	struct dit_output_stored_index stored;
	struct other other;

	other_start(&other, dir);
	assert_int_equal(other_do(&other, 0), 2);
	open_online(&told, dir, FIXTURE_MAXSIZE);
	assert_int_equal(dit_output_find_index(told.output, "cn", &stored), 1);
	assert_int_equal(dit_output_find_index(told.output, "sn", &stored), 0);
	assert_int_equal(write_table(told.output, 100), 0);
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
	assert_int_equal(dit_output_do(told.output, DIT_PUBLISH_TAKE_BACK), -ENOTSUP);
	assert_int_equal(dit_output_do(told.output, DIT_PUBLISH_END), 0);
	assert_int_equal(told.times.nchanged, 6);
	assert_true(told.times.longest_us > 0 &&
	            told.times.longest_us <= told.times.locked_us);
	assert_int_equal(other_do(&other, 9), 0);
	assert_int_equal(other_do(&other, 0), 104);
	assert_sound(dir);
	other_end(&other);
	assert_sound(dir);
}

TEST(an_output_that_is_given_up_changes_nothing)
{
	char *dir = make_database();
	struct told told = {.nids = 0, .error = -EIO};
	struct other other;

	other_start(&other, dir);
	/* Nothing is written, a table is written, the last step fails. */
	for (unsigned step = 0; step < 3; step++) {
		open_online(&told, dir, FIXTURE_MAXSIZE);
		if (step > 0) {
			assert_int_equal(write_table(told.output, 1000), 0);
			(void)other_do(&other, 3);
		}
		if (step > 1) {
			assert_int_equal(commit(&told), -EIO);
			assert_int_equal(
				dit_output_do(told.output, DIT_PUBLISH_TAKE_BACK), 0);
		}
		dit_output_abandon(told.output);
		assert_sound(dir);
		assert_int_equal(other_do(&other, 0), step == 0 ? 2 : 5);
	}
	other_end(&other);
}

/* In another process: the index goes, or comes with lists of one ID. */
static void make_index(const char *dir, uint32_t nkeys)
{
	pid_t pid = test_fork();

	if (pid == 0) {
		MDB_txn *txn = test_begin(dir, MDB_NOSYNC);
		MDB_dbi cn = test_dbi(txn, "cn", INDEX_FLAGS | MDB_CREATE);
		uint64_t id = 9;

		assert_int_equal(nkeys == 0 ? mdb_drop(txn, cn, 1) : 0, 0);
		for (uint32_t key = 0; key < nkeys; key++) {
			test_put(txn, cn, &key, sizeof(key), &id, sizeof(id));
		}
		test_commit(txn);
		_exit(0);
	}
	assert_int_equal(test_wait(pid), 0);
}

/* liblmdb makes it. */
TEST_IN("LMDB 0.9", an_index_that_comes_during_the_run_is_replaced)
{
	char *dir = make_database();
	struct told told = {.nids = 0};
	struct other other;

	make_index(dir, 0);
	open_online(&told, dir, FIXTURE_MAXSIZE);
	assert_int_equal(write_table(told.output, 100), 0);
	make_index(dir, 3000);
	assert_int_equal(commit(&told), 0);
	assert_int_equal(dit_output_do(told.output, DIT_PUBLISH_END), 0);
	assert_sound(dir);
	other_start(&other, dir);
	assert_int_equal(other_do(&other, 0), 100);
	other_end(&other);
}

/* The process dies with pages reserved and written; it leaves its places in LMDB's table
 * of readers. */
static void die(const char *dir, unsigned nkeys)
{
	pid_t pid = test_fork();

	if (pid == 0) {
		struct told told = {.nids = 0};

		open_online(&told, dir, FIXTURE_MAXSIZE);
		(void)write_table(told.output, nkeys);
		_exit(9);
	}
	assert_int_equal(WEXITSTATUS(test_wait(pid)), 9);
}

TEST(pages_of_a_dead_process_are_used_by_slapd)
{
	char *dir = make_database();
	struct other other;

	other_start(&other, dir);
	die(dir, 50000);
	assert_int_equal(other_do(&other, 3), 0);
	assert_int_equal(other_do(&other, 0), 5);
	assert_sound(dir);
	other_end(&other);
}

/* A whole run; another one has another number. @return the bytes of the file */
static uint64_t run_once(const char *dir, const struct other *other, unsigned number,
                         unsigned nchanges)
{
	struct told told = {.nids = 0};

	open_online(&told, dir, FIXTURE_MAXSIZE);
	assert_int_equal(write_table(told.output, 60000), 0);
	for (unsigned i = 0; i < nchanges; i++) {
		(void)other_do(other, (unsigned char)(1 + number + i));
	}
	assert_int_equal(commit(&told), 0);
	assert_int_equal(told.nids, 3 * nchanges);
	assert_int_equal(dit_output_do(told.output, DIT_PUBLISH_END), 0);
	/* For all pages together, and for the last step. */
	assert_int_equal(told.times.nlocked, 2);
	assert_sound(dir);
	return told.times.bytes;
}

/*
 * The second run needs the pages of two tables: the third one and all others use them
 * again, although every other run dies, and although no other process commits in between.
 */
TEST(commits_repeat_without_a_growing_file)
{
	unsigned nruns = getenv("DIT_LONG") != NULL ? 100 : 12;
	static const struct {
		const char *name;
		unsigned nchanges; /* commits of others during a run */
	} cases[] = {{"others rest", 0}, {"others write", 2}};

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

TEST(maxsize_limits_the_file)
{
	char *dir = make_database();
	struct told told = {.nids = 0};

	open_online(&told, dir, 6 << 20);
	assert_int_equal(write_table(told.output, 300000), DIT_E_FULL);
	dit_output_abandon(told.output);
	assert_sound(dir);
}

/* ---- what others have mapped ---- */

__typeof__(dit_page_commit_write) __real_dit_page_commit_write;
__typeof__(dit_page_commit_write) __wrap_dit_page_commit_write;

static const struct holder *comes; /* when a commit is written; NULL: nobody */

int __wrap_dit_page_commit_write(struct dit_page_commit *commit)
{
	int r = __real_dit_page_commit_write(commit);

	if (r == 0 && comes != NULL) {
		holder_tell(comes, 1);
		comes = NULL;
	}
	return r;
}

static uint64_t file_bytes(const char *dir)
{
	struct stat st;

	assert_int_equal(stat(fixture_path(dir, "data.mdb"), &st), 0);
	return (uint64_t)st.st_size;
}

static bool is_encrypted(void)
{
	return fixture_sealed != NULL && fixture_sealed->crypto->key != NULL;
}

TEST(the_file_grows_as_far_as_others_have_mapped_it)
{
	char *dir = make_database();
	const struct holder_opts small = {.dir = dir,
	                                  .map_bytes = file_bytes(dir) + (1 << 20)};
	struct holder holder = holder_start(&small);
	struct told told = {.nids = 0};
	struct other other;

	other_start(&other, dir);
	open_online(&told, dir, FIXTURE_MAXSIZE);
	assert_int_equal(write_table(told.output, 60000), DIT_E_FULL);
	assert_non_null(strstr(told.fault.text,
	                       is_encrypted() ? "is encrypted" : "which has mapped"));
	dit_output_abandon(told.output);
	assert_int_equal(other_do(&other, 0), 2);
	assert_sound(dir);
	/* A table has less than it wants, and enough. */
	if (!is_encrypted()) {
		open_online(&told, dir, FIXTURE_MAXSIZE);
		assert_int_equal(write_table(told.output, 45000), 0);
		dit_output_abandon(told.output);
	}
	/* It maps more. */
	holder_tell(&holder, 255);
	if (!is_encrypted()) {
		(void)run_once(dir, &other, 1, 0);
	}
	holder_end(&holder);
	other_end(&other);
}

/* After some runs there are free pages enough. */
TEST(a_file_that_need_not_grow_may_be_mapped_as_it_is)
{
	char *dir = make_database();
	struct holder_opts small = {.dir = dir};
	struct told told = {.nids = 0};
	struct holder holder;
	struct other other;

	other_start(&other, dir);
	for (unsigned run = 0; run < 3; run++) {
		small.map_bytes = run_once(dir, &other, run, 0);
	}
	holder = holder_start(&small);
	open_online(&told, dir, FIXTURE_MAXSIZE);
	assert_int_equal(write_table(told.output, 40000), 0);
	assert_int_equal(commit(&told), 0);
	assert_int_equal(dit_output_do(told.output, DIT_PUBLISH_END), 0);
	assert_int_equal(told.times.nlocked, 2);
	assert_in_range(told.times.bytes, 1, small.map_bytes);
	holder_end(&holder);
	other_end(&other);
}

/* It has read the meta page before. */
TEST(a_process_that_comes_during_a_commit_has_all_its_pages)
{
	char *dir = make_database();
	const struct holder_opts small = {
		.dir = dir, .map_bytes = file_bytes(dir), .is_late = true};
	struct holder holder = holder_start(&small);
	struct told told = {.nids = 0};
	struct other other;

	other_start(&other, dir);
	open_online(&told, dir, FIXTURE_MAXSIZE);
	comes = &holder;
	assert_int_equal(write_table(told.output, 60000), DIT_E_FULL);
	assert_null(comes);
	assert_int_equal(other_do(&other, 3), 0);
	assert_int_equal(other_do(&other, 0), 5);
	dit_output_abandon(told.output);
	assert_sound(dir);
	holder_end(&holder);
	(void)run_once(dir, &other, 1, 0);
	other_end(&other);
}

int main(void)
{
	return test_run("LMDB 0.9", NULL, NULL) +
	       test_run("LMDB 1.0", fixture_use_lmdb_10, NULL) +
	       test_run("sealed", fixture_use_sealed, NULL);
}
