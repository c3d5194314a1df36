/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Space kept back on btrfs, and what a write of liblmdb that was cut short means. The
 * file system says that it is btrfs; files of a limited size stand for a disk that is
 * full.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "files/lmdb_append.h"
#include "output/claimed_output.h"
#include "test.h"

#define MIB (1 << 20)

static enum {
	AS_IT_IS,
	BTRFS,
	UNKNOWN
} kind;
static char *dir;
static int dir_fd;

int __real_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs(int fd, struct statfs *fs);

int __wrap_fstatfs(int fd, struct statfs *fs)
{
	int r = __real_fstatfs(fd, fs);

	if (kind == UNKNOWN) {
		errno = EIO;
		return -1;
	}
	fs->f_type = kind == BTRFS ? BTRFS_SUPER_MAGIC : TMPFS_MAGIC;
	return r;
}

static int set_up(void **state)
{
	(void)state;
	kind = AS_IT_IS;
	dir = test_scratch();
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY);
	return dir_fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	(void)close(dir_fd);
	return 0;
}

/* @return the limit before */
static struct rlimit limit_files(rlim_t size)
{
	struct rlimit before;
	struct rlimit now;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	now = before;
	now.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
	return before;
}

TEST_WITH(on_btrfs_a_nameless_file_holds_space, set_up, tear_down)
{
	struct stat st;
	int fd = -1;

	kind = BTRFS;
	fd = dit_spare_keep(dir_fd);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_size >= MIB);
	assert_true(st.st_blocks * 512 >= MIB);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(close(fd), 0);
}

TEST_WITH(other_file_systems_keep_no_spare, set_up, tear_down)
{
	assert_int_equal(dit_spare_keep(dir_fd), -1);
	kind = UNKNOWN;
	assert_int_equal(dit_spare_keep(dir_fd), -1);
}

TEST_WITH(no_spare_is_kept_without_space, set_up, tear_down)
{
	struct rlimit before = limit_files(MIB);
	int next = dup(dir_fd);
	int fd = -1;

	assert_int_equal(close(next), 0);
	kind = BTRFS;
	fd = dit_spare_keep(dir_fd);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(fd, -1);
	assert_int_equal(dup(dir_fd), next); /* no descriptor is left */
	assert_int_equal(close(next), 0);
}

/* liblmdb says EIO alone. */
TEST_WITH(a_short_write_is_a_full_disk_or_an_error, set_up, tear_down)
{
	int fd = openat(dir_fd, "x", O_RDWR | O_CREAT, 0600);
	struct rlimit before;
	int r = 0;

	assert_true(fd >= 0);
	assert_int_equal(dit_lmdb_short_write(fd, 0, MIB), -EIO); /* there is room */
	before = limit_files(MIB);
	r = dit_lmdb_short_write(fd, MIB, MIB);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(r, -EFBIG);
	assert_int_equal(close(fd), 0);
	fd = openat(dir_fd, "x", O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(dit_lmdb_short_write(fd, 0, MIB), -EIO);
	assert_int_equal(close(fd), 0);
}

int main(void)
{
	(void)signal(SIGXFSZ, SIG_IGN);
	return test_run("tests", NULL, NULL);
}
