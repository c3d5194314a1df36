/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Publishing in steps: a database that was put in place can be taken back until it is
 * ended, and then the directory is as it was before; a directory that cannot be synced is
 * told, but the database is there.
 */
#include "test.h"

#include "store_fixture.h"

static bool directories_fail; /* to sync */

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	struct stat st;

	if (directories_fail && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		errno = EIO;
		return -1;
	}
	return __real_fsync(fd);
}

static struct dit_record_output *one_entry(const char *dir)
{
	struct dit_record_output *staging = fixture_open(dir);
	char bytes[16] = "";

	fixture_put_entry(staging, 1, bytes, sizeof(bytes));
	return staging;
}

static void prepare_and_place(struct dit_record_output *staging)
{
	assert_int_equal(dit_output_do(&staging->base, DIT_PUBLISH_PREPARE), 0);
	assert_true(staging->base.bytes > 0);
	assert_int_equal(dit_output_do(&staging->base, DIT_PUBLISH_RENAME), 0);
}

static ino_t inode(const char *dir, const char *name)
{
	char path[4200];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

TEST(a_new_database_is_taken_back)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = one_entry(dir);

	prepare_and_place(staging);
	assert_int_not_equal(inode(dir, "data.mdb"), 0);

	assert_int_equal(dit_output_do(&staging->base, DIT_PUBLISH_TAKE_BACK), 0);
	fixture_abandon(staging);

	assert_int_equal(inode(dir, "data.mdb"), 0);
	assert_int_equal(inode(dir, "lock.mdb"), 0);
	assert_int_equal(inode(dir, "ditkit-staging"), 0);
}

TEST(the_old_file_comes_back)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	ino_t old = 0;

	(void)fixture_publish(staging); /* without entries */
	old = inode(dir, "data.mdb");
	staging = one_entry(dir);
	prepare_and_place(staging);
	assert_int_not_equal(inode(dir, "data.mdb"), old);

	assert_int_equal(dit_output_do(&staging->base, DIT_PUBLISH_TAKE_BACK), 0);
	fixture_abandon(staging);

	assert_int_equal(inode(dir, "data.mdb"), old);
	assert_int_equal(inode(dir, "ditkit-staging"), 0);
}

TEST(a_directory_that_cannot_be_synced_is_told)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = one_entry(dir);
	struct dit_snapshot *snapshot = NULL;
	int r = 0;

	directories_fail = true;
	prepare_and_place(staging);
	directories_fail = false;
	r = dit_output_do(&staging->base, DIT_PUBLISH_END);

	assert_int_equal(r, -EIO);
	assert_int_equal(inode(dir, "ditkit-staging"), 0);
	snapshot = fixture_snapshot(dir);
	assert_true(snapshot->ndbs >= 4);
	assert_string_equal(snapshot->dbs[2].name, "id2e");
	assert_int_equal(snapshot->dbs[2].nrecords, 1);
}
