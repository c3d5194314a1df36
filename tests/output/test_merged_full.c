/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A disk that is full while a database gets more records. Each write and each sync of
 * the merge, the commit and the roll-back fails once, and from there on:
 * - the file has its old length and its old bytes afterwards;
 * - before the meta page nothing is written to undo the commit, so that no space is
 *   needed;
 * - the file is cut only when the old meta pages are on the disk;
 * - what cannot be undone is told, and the file is a database all the same.
 */
#include "test.h"

#include <sys/syscall.h>

#include "store_fixture.h"

#define VISIBLE     __attribute__((visibility("default")))
#define NENTRIES    300
#define METAS_BYTES 8192 /* of both meta pages */

/* ---- the disk ---- */

static struct {
	bool is_counting;
	ino_t inode;          /* of the data file */
	unsigned ncalls;      /* writes and syncs so far */
	unsigned fail_at;     /* the number of the call that fails; 0: none */
	bool is_full;         /* so do all that follow */
	bool cuts_fail;       /* ftruncate() */
	bool is_meta_tried;   /* a meta page was to be written */
	bool is_meta_pending; /* it was written, but not synced */
	unsigned nfailures;
	unsigned ncuts;
} disk;

/* Other files do not count. */
static bool is_watched(int fd)
{
	struct stat st;

	return disk.is_counting && fstat(fd, &st) == 0 && st.st_ino == disk.inode;
}

static bool is_failing(int fd)
{
	if (!is_watched(fd)) {
		return false;
	}
	disk.ncalls++;
	if (disk.fail_at == 0 || disk.ncalls < disk.fail_at ||
	    (disk.ncalls > disk.fail_at && !disk.is_full)) {
		return false;
	}
	disk.nfailures++;
	errno = ENOSPC;
	return true;
}

VISIBLE ssize_t pwrite(int fd, const void *data, size_t len, off_t at)
{
	bool is_meta = is_watched(fd) && at < METAS_BYTES;

	disk.is_meta_tried |= is_meta;
	if (is_failing(fd)) {
		return -1;
	}
	disk.is_meta_pending |= is_meta;
	return syscall(SYS_pwrite64, fd, data, len, at);
}

static int sync_with(long number, int fd)
{
	if (is_failing(fd)) {
		return -1;
	}
	if (is_watched(fd)) {
		disk.is_meta_pending = false;
	}
	return (int)syscall(number, fd);
}

VISIBLE int fsync(int fd)
{
	return sync_with(SYS_fsync, fd);
}

VISIBLE int fdatasync(int fd)
{
	return sync_with(SYS_fdatasync, fd);
}

VISIBLE int ftruncate(int fd, off_t len)
{
	if (is_watched(fd)) {
		assert_false(disk.is_meta_pending);
		disk.ncuts++;
		if (disk.cuts_fail) {
			errno = EIO;
			return -1;
		}
	}
	return (int)syscall(SYS_ftruncate, fd, len);
}

static void watch_disk(const char *dir, unsigned fail_at, bool is_full)
{
	struct stat st;

	assert_int_equal(stat(fixture_path(dir, "data.mdb"), &st), 0);
	memset(&disk, 0, sizeof(disk));
	disk.is_counting = true;
	disk.inode = st.st_ino;
	disk.fail_at = fail_at;
	disk.is_full = is_full;
}

/* ---- the database ---- */

struct content {
	char *data;
	size_t len;
};

static struct content content_of(const char *dir)
{
	struct content content = {0};

	content.data = test_read_file(fixture_path(dir, "data.mdb"), &content.len);
	return content;
}

static void assert_content(const char *dir, struct content want, bool is_cut)
{
	struct content got = content_of(dir);

	if (is_cut) {
		assert_int_equal(got.len, want.len);
	}
	assert_true(got.len >= want.len);
	assert_memory_equal(got.data, want.data, want.len);
	free(got.data);
}

static struct dit_record_output *open_output(const char *dir)
{
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *output = NULL;

	opts.list_max = 100;
	assert_int_equal(dit_output_merged_open(&output, &opts), 0);
	return output;
}

/* Entries, up to the commit, or to the first error. */
static int add_and_commit(struct dit_record_output *output)
{
	void *space = NULL;
	int r = 0;

	for (unsigned i = 1; i <= NENTRIES && r == 0; i++) {
		r = dit_output_reserve_entry(output, output->stored.last_id + i, 512,
		                             &space);
		if (r == 0) {
			memset(space, 'x', 512);
		}
	}
	if (r == 0) {
		r = dit_output_begin_changes(output);
	}
	if (r == 0) {
		r = dit_output_do(&output->base, DIT_PUBLISH_PREPARE);
	}
	return r < 0 ? r : dit_output_do(&output->base, DIT_PUBLISH_COMMIT);
}

/* ---- tests ---- */

/* @return whether the commit made that call; ret_meta: and that it was a meta page */
static bool commit_fails_at(const char *dir, struct content old, unsigned call,
                            bool is_full, bool *ret_meta)
{
	struct dit_record_output *output = open_output(dir);
	unsigned nfailures = 0;
	int r = 0;

	watch_disk(dir, call, is_full);
	r = add_and_commit(output);
	nfailures = disk.nfailures;
	*ret_meta = disk.is_meta_tried;
	assert_int_equal(r, nfailures == 0 ? 0 : -ENOSPC);
	watch_disk(dir, 0, false);
	disk.is_meta_pending = *ret_meta;
	assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_TAKE_BACK), 0);
	assert_true(disk.ncuts <= 1); /* none if the file did not grow */
	if (!*ret_meta) {
		assert_int_equal(disk.ncalls, 0); /* no space is needed */
	}
	disk.is_counting = false;
	dit_output_abandon(&output->base);
	assert_content(dir, old, true);
	return nfailures > 0;
}

TEST(a_commit_that_fails_leaves_the_file_as_it_was)
{
	char *dir = fixture_published();
	struct content old = content_of(dir);
	bool is_meta = false;

	for (int is_full = 0; is_full < 2; is_full++) {
		unsigned call = 1;

		while (commit_fails_at(dir, old, call, is_full != 0, &is_meta)) {
			call++;
		}
		assert_true(call > 3); /* pages, their sync, a meta page */
		assert_true(is_meta);
	}
	free(old.data);
}

/* The disk stays full: what needs no space is done. */
TEST(a_full_disk_is_no_obstacle_before_the_meta_page)
{
	char *dir = fixture_published();
	struct content old = content_of(dir);
	uint64_t before = fixture_count(dir);
	bool is_meta = false;

	for (unsigned call = 1; !is_meta; call++) {
		struct dit_record_output *output = open_output(dir);

		watch_disk(dir, call, true);
		assert_int_equal(add_and_commit(output), -ENOSPC);
		is_meta = disk.is_meta_tried;
		assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_TAKE_BACK),
		                 is_meta ? 1 : 0);
		dit_output_abandon(&output->base);
		disk.is_counting = false;
		assert_content(dir, old, !is_meta);
		assert_int_equal(fixture_count(dir), before);
	}
	free(old.data);
}

static struct dit_record_output *committed(const char *dir)
{
	struct dit_record_output *output = open_output(dir);

	watch_disk(dir, 0, false);
	assert_int_equal(add_and_commit(output), 0);
	return output;
}

TEST(a_roll_back_that_fails_is_told)
{
	static const struct {
		unsigned fail_at;
		int want;
		bool is_added;
		bool is_cut;
	} cases[] = {
		{0, 0, false, true},
		{1, -ENOSPC, true, false}, /* the meta page is not written */
		{2, 1, false, false},      /* it is not synced */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *dir = fixture_published();
		struct content old = content_of(dir);
		uint64_t before = fixture_count(dir);
		struct dit_record_output *output = committed(dir);

		watch_disk(dir, cases[i].fail_at, true);
		disk.is_meta_pending = true;
		assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_TAKE_BACK),
		                 cases[i].want);
		assert_int_equal(disk.ncuts, cases[i].is_cut ? 1 : 0);
		disk.is_counting = false;
		dit_output_abandon(&output->base);
		if (!cases[i].is_added) {
			assert_content(dir, old, cases[i].is_cut);
		}
		assert_int_equal(fixture_count(dir),
		                 before + (cases[i].is_added ? NENTRIES : 0));

		/* And the next load finds a database. */
		output = committed(dir);
		disk.is_counting = false;
		assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_END), 0);
		assert_int_equal(fixture_count(dir),
		                 before + (cases[i].is_added ? 2 : 1) * NENTRIES);
		free(old.data);
		test_scratch_remove(dir);
	}
}

TEST(a_file_that_cannot_be_cut_is_as_it_was_but_for_its_end)
{
	char *dir = fixture_published();
	struct content old = content_of(dir);
	uint64_t before = fixture_count(dir);
	struct dit_record_output *output = committed(dir);

	watch_disk(dir, 0, false);
	disk.is_meta_pending = true;
	disk.cuts_fail = true;
	assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_TAKE_BACK), 0);
	dit_output_abandon(&output->base);
	assert_true(disk.ncuts > 0);
	disk.is_counting = false;
	assert_content(dir, old, false);
	assert_int_equal(fixture_count(dir), before);
	free(old.data);
}

MAIN_OF_BOTH_LMDB
