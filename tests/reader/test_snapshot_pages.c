/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshots of LMDB 1.0 are registered next to others, who may come and go; what is no
 * such database is told.
 */
#include <sys/wait.h>

#include "base/error.h"
#include "files/fault.h"
#include "files/files.h"
#include "locks/claim.h"
#include "output/store_fixture.h"
#include "page/meta_pages.h"
#include "reader/snapshot.h"

int __real_dit_file_open(int dir_fd, const char *name, int flags,
                         struct dit_fault *fault);
int __wrap_dit_file_open(int dir_fd, const char *name, int flags,
                         struct dit_fault *fault);

static int lock_error; /* of opening lock.mdb; 0: it is opened */

int __wrap_dit_file_open(int dir_fd, const char *name, int flags, struct dit_fault *fault)
{
	return lock_error != 0 && strcmp(name, "lock.mdb") == 0
	               ? lock_error
	               : __real_dit_file_open(dir_fd, name, flags, fault);
}

static int open_snapshot(struct dit_snapshot **ret, const char *dir, bool no_lock_file,
                         struct dit_fault *fault)
{
	const struct dit_snapshot_opts opts = {
		.nreaders = 2,
		.lmdb = {.nspare = 1, .no_lock_file = no_lock_file, .fault = fault}};

	*fault = (struct dit_fault){""};
	return dit_snapshot_open_readers(ret, dir, &opts);
}

/* ---- others ---- */

/* Another process that opens the database as LMDB does. 0; -errno */
static int lock_elsewhere(const char *dir)
{
	int status = 0;
	pid_t pid = test_fork();

	if (pid == 0) {
		struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
		int fd = open(fixture_path(dir, "lock.mdb"), O_RDWR);

		_exit(fd < 0 || fcntl(fd, F_SETLK, &lock) != 0 ? errno : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

TEST(others_may_come)
{
	char *dir = fixture_published();
	struct dit_snapshot *snapshot = NULL;
	struct dit_fault fault;
	struct dit_claim claim;
	struct dit_tree_record tree;
	struct stat st;

	assert_int_equal(truncate(fixture_path(dir, "lock.mdb"), 0), 0);
	assert_int_equal(open_snapshot(&snapshot, dir, false, &fault), 0);
	assert_true(dit_snapshot_is_lmdb_10(snapshot));
	assert_true(snapshot->is_held);
	assert_int_equal(snapshot->nreaders, 2);
	assert_int_equal(lock_elsewhere(dir), 0);
	/* But not loaders. */
	assert_int_equal(
		dit_claim_take(&claim, dit_directory_open(dir, NULL), 0600, NULL),
		DIT_E_BUSY);
	assert_int_equal(dit_snapshot_renew(snapshot, 2), 0);
	assert_int_equal(dit_snapshot_tree_by(snapshot, 2, "id2e", &tree), 1);
	dit_snapshot_close(snapshot);

	assert_int_equal(stat(fixture_path(dir, "lock.mdb"), &st), 0);
	assert_int_equal(st.st_size, 8192);
	assert_int_equal(lock_elsewhere(dir), 0);
	assert_int_equal(
		dit_claim_take(&claim, dit_directory_open(dir, NULL), 0600, NULL), 0);
	dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
}

/* Another process opens the database as LMDB does, with a lock of this type. */
static pid_t start_other(const char *dir, short type, int *ret_end)
{
	int begun[2];
	int end[2];
	char byte = 0;
	pid_t pid = 0;

	assert_int_equal(pipe(begun), 0);
	assert_int_equal(pipe(end), 0);
	pid = test_fork();
	if (pid == 0) {
		struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
		int fd = open(fixture_path(dir, "lock.mdb"), O_RDWR);

		(void)close(end[1]);
		if (fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0) {
			(void)!write(begun[1], "x", 1);
		}
		(void)!read(end[0], &byte, 1);
		_exit(0);
	}
	assert_int_equal(close(begun[1]), 0);
	assert_int_equal(close(end[0]), 0);
	assert_int_equal(read(begun[0], &byte, 1), 1);
	assert_int_equal(close(begun[0]), 0);
	*ret_end = end[1];
	return pid;
}

static void end_other(pid_t pid, int end)
{
	assert_int_equal(close(end), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(a_state_is_held_next_to_others)
{
	char *dir = fixture_published();
	struct dit_snapshot *snapshots[2] = {NULL};
	struct dit_fault fault;
	struct dit_tree_record tree;
	uint64_t nfree = 0;
	int end = -1;
	pid_t pid = start_other(dir, F_RDLCK, &end);

	for (int i = 0; i < 2; i++) {
		assert_int_equal(open_snapshot(&snapshots[i], dir, i == 1, &fault), 0);
		assert_string_equal(fault.text, "");
		assert_true(snapshots[i]->is_held);
		assert_non_null(dit_snapshot_db(snapshots[i], "id2e"));
	}
	assert_int_equal(dit_snapshot_tree_by(snapshots[0], 2, "id2e", &tree), 1);
	assert_int_equal(dit_snapshot_renew(snapshots[0], 2), 0);
	assert_int_equal(dit_snapshot_tree_by(snapshots[0], 2, "id2e", &tree), 1);
	assert_int_equal(dit_snapshot_nfree(snapshots[0], &nfree), 0);
	assert_int_equal(nfree, 0);
	dit_snapshot_close(snapshots[0]);
	dit_snapshot_close(snapshots[1]);
	end_other(pid, end);
}

TEST(a_process_that_keeps_others_away_is_named)
{
	char *dir = fixture_published();
	struct dit_snapshot *snapshot = NULL;
	struct dit_fault fault;
	char name[40];
	int end = -1;
	pid_t pid = start_other(dir, F_WRLCK, &end);

	(void)snprintf(name, sizeof(name), "process %d has", (int)pid);
	assert_int_equal(open_snapshot(&snapshot, dir, false, &fault), DIT_E_BUSY);
	assert_non_null(strstr(fault.text, name));
	end_other(pid, end);
}

TEST(a_lock_file_of_another_database_is_told)
{
	char *dir = fixture_published();
	int fd = open(fixture_path(dir, "lock.mdb"), O_RDWR);
	const uint64_t transaction = 4711;
	struct dit_snapshot *snapshot = NULL;
	struct dit_fault fault;
	int end = -1;
	pid_t pid = 0;

	assert_int_equal(pwrite(fd, &transaction, sizeof(transaction), 8),
	                 sizeof(transaction));
	assert_int_equal(close(fd), 0);
	pid = start_other(dir, F_RDLCK, &end);
	assert_int_equal(open_snapshot(&snapshot, dir, false, &fault), DIT_E_CORRUPT);
	assert_non_null(strstr(fault.text, "different databases"));
	end_other(pid, end);
}

/* ---- lock.mdb ---- */

static bool has_lock_file(const char *dir)
{
	return access(fixture_path(dir, "lock.mdb"), F_OK) == 0;
}

TEST(a_missing_lock_file_is_made_for_who_waits)
{
	char *dir = fixture_published();
	struct dit_snapshot *snapshots[2] = {NULL};
	struct dit_fault fault;

	assert_int_equal(unlink(fixture_path(dir, "lock.mdb")), 0);
	assert_int_equal(open_snapshot(&snapshots[0], dir, false, &fault), 0);
	assert_true(has_lock_file(dir));
	dit_snapshot_close(snapshots[0]);
	assert_true(has_lock_file(dir));

	/* Without one several may read. */
	assert_int_equal(unlink(fixture_path(dir, "lock.mdb")), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(open_snapshot(&snapshots[i], dir, true, &fault), 0);
		assert_false(snapshots[i]->is_held);
	}
	assert_false(has_lock_file(dir));
	dit_snapshot_close(snapshots[0]);
	dit_snapshot_close(snapshots[1]);
}

TEST(a_file_system_that_may_only_be_read_needs_no_lock)
{
	char *dir = fixture_published();
	struct dit_snapshot *snapshot = NULL;
	struct dit_fault fault;

	lock_error = -EROFS;
	assert_int_equal(open_snapshot(&snapshot, dir, false, &fault), 0);
	assert_false(snapshot->is_held);
	dit_snapshot_close(snapshot);
	lock_error = -EACCES;
	assert_int_equal(open_snapshot(&snapshot, dir, false, &fault), -EACCES);
	lock_error = 0;
}

TEST(a_claim_outlives_a_reader_of_its_own_process)
{
	char *dir = fixture_published();
	char *name = test_text("process %ld has locked the database", (long)getpid());
	struct dit_snapshot *snapshot = NULL;
	struct dit_fault fault;
	struct dit_claim claim;

	assert_int_equal(
		dit_claim_take(&claim, dit_directory_open(dir, NULL), 0600, NULL), 0);
	assert_int_equal(lock_elsewhere(dir), -EAGAIN);
	assert_int_equal(open_snapshot(&snapshot, dir, false, &fault), DIT_E_BUSY);
	assert_non_null(strstr(fault.text, name));
	assert_int_equal(lock_elsewhere(dir), -EAGAIN);
	dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
	assert_int_equal(lock_elsewhere(dir), 0);
}

TEST(a_claim_sees_an_environment_of_its_own_process)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
	char *dir = fixture_published();
	int fd = open(fixture_path(dir, "lock.mdb"), O_RDWR);
	struct dit_claim claim;

	assert_int_equal(fcntl(fd, F_SETLK, &lock), 0);
	assert_int_equal(
		dit_claim_take(&claim, dit_directory_open(dir, NULL), 0600, NULL),
		DIT_E_BUSY);
	assert_int_equal(close(fd), 0);
}

TEST(a_claim_ends_though_a_child_has_its_files)
{
	char *dir = fixture_published();
	struct dit_claim claim;
	pid_t pid = 0;

	assert_int_equal(
		dit_claim_take(&claim, dit_directory_open(dir, NULL), 0600, NULL), 0);
	pid = test_fork();
	if (pid == 0) {
		(void)pause();
		_exit(0);
	}
	dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
	assert_int_equal(lock_elsewhere(dir), 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(the_holder_of_a_claim_reads_under_it)
{
	char *dir = fixture_published();
	int fd = open(fixture_path(dir, "data.mdb"), O_RDONLY);
	const struct dit_snapshot_opts opts = {
		.nreaders = 1, .is_claimed = true, .claimed_fd = fd};
	struct dit_snapshot *snapshot = NULL;
	struct dit_claim claim;

	assert_true(fd >= 0);
	assert_int_equal(
		dit_claim_take(&claim, dit_directory_open(dir, NULL), 0600, NULL), 0);
	assert_int_equal(dit_snapshot_open_readers(&snapshot, NULL, &opts), 0);
	assert_int_equal(snapshot->ndbs, 4);
	dit_snapshot_close(snapshot);
	dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
	assert_int_equal(close(fd), 0);
}

/* ---- files that cannot be read ---- */

enum damage {
	ENCRYPTED,
	MANY_NAMES,
	FEWER_NAMES,
	NO_NUL,
	BAD_ROOT,
	BAD_DEPTH,
	CUT,
	NDAMAGES,
};

/* The first name in the main tree: its NUL is not there. */
static void spoil_name(int fd, const struct dit_meta *meta)
{
	uint64_t at = meta->main_tree.root * 4096;
	char page[4096];

	assert_int_equal(pread(fd, page, sizeof(page), (off_t)at), sizeof(page));
	for (size_t i = 0; i + 5 <= sizeof(page); i++) {
		if (memcmp(page + i, "ad2i", 5) == 0) {
			assert_int_equal(pwrite(fd, "x", 1, (off_t)(at + i + 4)), 1);
			return;
		}
	}
	fail();
}

static void spoil(const char *dir, enum damage damage)
{
	int fd = open(fixture_path(dir, "data.mdb"), O_RDWR);
	struct dit_metas metas;
	struct dit_meta *live = &metas.list[1];

	assert_true(fd >= 0);
	assert_int_equal(dit_metas_read(fd, &dit_lmdb_10, &metas), 0);
	assert_int_equal(metas.newest, 1);
	switch (damage) {
	case ENCRYPTED:
		metas.list[0].free_tree.flags |= 0x2000;
		break;
	case MANY_NAMES:
		live->main_tree.nitems = 1025;
		break;
	case FEWER_NAMES:
		live->main_tree.nitems--;
		break;
	case NO_NUL:
		spoil_name(fd, live);
		break;
	case BAD_ROOT:
		live->main_tree.root = 2;
		break;
	case BAD_DEPTH:
		live->main_tree.depth = 40;
		break;
	case CUT:
		assert_int_equal(ftruncate(fd, 4096 * 3), 0);
		break;
	case NDAMAGES:
		break;
	}
	assert_int_equal(dit_metas_write(fd, &dit_lmdb_10, &metas), 0);
	assert_int_equal(close(fd), 0);
}

TEST(damaged_files_are_told)
{
	static const int results[NDAMAGES] = {
		[ENCRYPTED] = DIT_E_UNSUPPORTED, [MANY_NAMES] = MDB_DBS_FULL,
		[FEWER_NAMES] = DIT_E_CORRUPT,   [NO_NUL] = DIT_E_CORRUPT,
		[BAD_ROOT] = DIT_E_CORRUPT,      [BAD_DEPTH] = DIT_E_CORRUPT,
		[CUT] = DIT_E_CORRUPT,
	};
	struct dit_snapshot *snapshot = NULL;
	struct dit_fault fault;

	for (int damage = 0; damage < NDAMAGES; damage++) {
		char *dir = fixture_published();

		spoil(dir, (enum damage)damage);
		print_message("damage %d\n", damage);
		assert_int_equal(open_snapshot(&snapshot, dir, false, &fault),
		                 results[damage]);
		if (damage == ENCRYPTED) {
			assert_non_null(strstr(fault.text, "encrypted"));
		}
		if (damage == CUT) {
			assert_non_null(strstr(fault.text, "is cut off"));
		}
		assert_int_equal(lock_elsewhere(dir), 0); /* nothing is locked */
		test_scratch_remove(dir);
	}
}

MAIN_WITH(fixture_use_lmdb_10, NULL)
