/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sorter when something fails: each allocation, each write and each read in turn; a
 * damaged run; the process being killed. Whatever fails,
 *
 *   - the call says so, with the code of what failed;
 *   - a view shows exactly the records whose push has succeeded;
 *   - freeing leaves no memory, no descriptor and no file.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <ditkit/sort.h>

#include "nomem.h"
#include "sort_merges.h"
#include "test.h"

#define NRECORDS 5000u
#define NKEYS    1500u

/* ---- system calls that fail ---- */

/* Calls until the failing one; -1: none fails. */
static long writes_left = -1;
static long reads_left = -1;

ssize_t __real_pwrite(int fd, const void *data, size_t size, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t offset);
ssize_t __real_pread(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset);
/* FORTIFY makes this of pread() where it knows the size of the buffer. */
ssize_t __wrap___pread_chk(int fd, void *data, size_t size, off_t offset, size_t room);

/* The disk is full in the middle of a write: what fits is written first. */
ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t offset)
{
	if (writes_left == 0) {
		errno = ENOSPC;
		return -1;
	}
	if (writes_left > 0 && --writes_left == 0 && size > 1000) {
		return __real_pwrite(fd, data, 1000, offset);
	}
	return __real_pwrite(fd, data, size, offset);
}

ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset)
{
	if (reads_left >= 0 && reads_left-- == 0) {
		errno = EIO;
		return -1;
	}
	return __real_pread(fd, data, size, offset);
}

ssize_t __wrap___pread_chk(int fd, void *data, size_t size, off_t offset, size_t room)
{
	assert_true(size <= room);
	return __wrap_pread(fd, data, size, offset);
}

/* ---- one sort, with views on the way ---- */

struct attempt {
	struct dit_sorter *sorter;
	char *tmpdir;
	unsigned nrecords;
	unsigned npushed;
	uint64_t sums[NKEYS]; /* of what was pushed, by key */
};

static struct dit_span key_of(unsigned k, char *buffer)
{
	/* The first eight bytes are the same. */
	return (struct dit_span){buffer, (size_t)sprintf(buffer, "uid=user%07u", k * 77)};
}

static int push_all(struct attempt *a)
{
	int r = 0;

	for (unsigned i = 0; i < a->nrecords && r == 0; i++) {
		unsigned k = i * 2654435761u % NKEYS;
		uint64_t value = i + 1;
		char buffer[32];

		r = dit_sorter_push(
			a->sorter, i / 100 % 2, key_of(k, buffer),
			(struct dit_span){(const char *)&value, sizeof(value)});
		if (r == 0) {
			a->npushed++;
			a->sums[k] += value;
		}
	}
	return r;
}

static uint64_t sum_of(const struct dit_sort_record *record)
{
	uint64_t sum = 0;

	assert_int_equal(record->value.len, sizeof(sum));
	memcpy(&sum, record->value.data, sizeof(sum));
	return sum;
}

/** Read all. @return what the cursor said in the end */
static int read_all(const struct attempt *a, struct dit_sort_cursor *cursor)
{
	struct dit_span open = {NULL, 0};
	struct dit_sort_record record = {0};
	int r = dit_sort_cursor_range(cursor, open, open);

	for (unsigned k = 0; k < NKEYS && r >= 0; k++) {
		char buffer[32];

		if (a->sums[k] > 0) {
			r = dit_sort_cursor_next(cursor, &record);
			if (r > 0) {
				assert_true(dit_span_eq(record.key, key_of(k, buffer)));
				assert_int_equal(sum_of(&record), a->sums[k]);
			}
			assert_int_not_equal(r, 0);
		}
	}
	return r < 0 ? r : dit_sort_cursor_next(cursor, &record);
}

static int look_up_some(const struct attempt *a, struct dit_sort_cursor *cursor)
{
	struct dit_sort_record record = {0};
	int r = 0;

	for (unsigned k = 0; k < NKEYS && r >= 0; k += 83) {
		char buffer[32];

		r = dit_sort_cursor_get(cursor, key_of(k, buffer), &record);
		if (r > 0) {
			assert_int_equal(sum_of(&record), a->sums[k]);
		}
		if (r >= 0) {
			assert_int_equal(r, a->sums[k] > 0);
		}
	}
	return r < 0 ? r : 0;
}

static int view(const struct attempt *a)
{
	struct dit_sort_view *v = NULL;
	struct dit_sort_cursor *cursor = NULL;
	int r = dit_sort_view_open(&v, a->sorter);

	r = r ?: dit_sort_cursor_open(&cursor, v);
	r = r ?: look_up_some(a, cursor);
	r = r ?: read_all(a, cursor);
	dit_sort_cursor_close(cursor);
	dit_sort_view_close(v);
	return r;
}

static int begin(struct attempt *a)
{
	struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;

	opts.nproducers = 2;
	opts.memory_bytes = 2 * DIT_SORT_SHARE_MIN;
	opts.tmpdir = a->tmpdir;
	opts.merge = merge_sum;
	opts.fan_in = 2;
	return dit_sorter_new(&a->sorter, &opts);
}

static int finish(struct attempt *a)
{
	struct dit_sort_record record = {0};
	unsigned nkeys = 0;
	int r = dit_sorter_seal(a->sorter);

	r = r ?: view(a);
	while (r == 0 && (r = dit_sorter_next(a->sorter, &record)) > 0) {
		nkeys++;
		r = 0;
	}
	if (r == 0) {
		for (unsigned k = 0; k < NKEYS; k++) {
			nkeys -= a->sums[k] > 0;
		}
		assert_int_equal(nkeys, 0);
	}
	return r;
}

static void stop_failing(void)
{
	countdown = -1;
	writes_left = -1;
	reads_left = -1;
}

static unsigned count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL) {
		n++;
	}
	closedir(dir);
	return n;
}

static void assert_empty(const char *path)
{
	DIR *dir = opendir(path);
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL) {
		n++;
	}
	closedir(dir);
	assert_int_equal(n, 2); /* . and .. */
}

/** The descriptors of files in @p tmpdir that this process has open. */
static size_t run_files(const char *tmpdir, int *fds, size_t max)
{
	size_t n = 0;

	for (int fd = 0; fd < 100; fd++) {
		char link[64];
		char target[4096] = "";

		(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		if (readlink(link, target, sizeof(target) - 1) > 0 &&
		    strncmp(target, tmpdir, strlen(tmpdir)) == 0 && n < max) {
			fds[n++] = fd;
		}
	}
	return n;
}

/** The whole with whatever fails. @return the first error */
static int attempt(char *tmpdir, unsigned nrecords)
{
	struct attempt a = {.tmpdir = tmpdir, .nrecords = nrecords};
	unsigned ndescriptors = count_descriptors();
	int fds[64];
	int r = begin(&a);

	if (r == 0) {
		r = push_all(&a);
		r = r ?: view(&a);
		r = r ?: finish(&a);
		stop_failing();
		assert_int_equal(view(&a), 0); /* the records that are in */
		/* No half-written run keeps disk space. */
		assert_int_equal(run_files(tmpdir, fds, 64), dit_sorter_nruns(a.sorter));
	}
	stop_failing();
	dit_sorter_free(a.sorter);
	assert_int_equal(count_descriptors(), ndescriptors);
	assert_empty(tmpdir);
	return r;
}

TEST(every_allocation_may_fail)
{
	char *tmpdir = test_scratch();
	long n = 0;
	int r = -ENOMEM;

	while (r < 0) {
		countdown = n++;
		r = attempt(tmpdir, NRECORDS);
		assert_true(r == 0 || r == -ENOMEM);
	}
	assert_true(n > 50);
	print_message("  %ld allocations\n", n - 1);
}

TEST(every_write_may_find_the_disk_full)
{
	char *tmpdir = test_scratch();
	long n = 0;
	int r = -ENOSPC;

	while (r < 0) {
		writes_left = n++;
		r = attempt(tmpdir, 4 * NRECORDS);
		assert_true(r == 0 || r == -ENOSPC);
	}
	assert_true(n > 20);
	print_message("  %ld writes\n", n - 1);
}

/* A file system of a few pages, which only root may mount. */
TEST(a_small_disk_becomes_full)
{
	char *tmpdir = test_scratch();
	int r = 0;

	if (mount("none", tmpdir, "tmpfs", 0, "size=64k") != 0) {
		test_scratch_remove(tmpdir);
		skip_because("only root may mount a small disk");
	}
	r = attempt(tmpdir, 4 * NRECORDS);
	assert_int_equal(umount2(tmpdir, MNT_DETACH), 0);
	assert_int_equal(r, -ENOSPC);
}

TEST(every_read_may_fail)
{
	char *tmpdir = test_scratch();
	long n = 0;
	int r = -EIO;

	while (r < 0) {
		reads_left = n;
		n += 1 + n / 10;
		r = attempt(tmpdir, NRECORDS);
		assert_true(r == 0 || r == -EIO);
	}
	assert_true(n > 200);
}

/* With keys that differ late, so that the blocks themselves have to be looked at. */
TEST(a_look_up_reads_few_blocks)
{
	struct attempt a = {.tmpdir = test_scratch(), .nrecords = NRECORDS};
	struct dit_sort_view *v = NULL;
	struct dit_sort_cursor *cursor = NULL;
	struct dit_sort_record record = {0};
	size_t nruns = 0;

	assert_int_equal(begin(&a), 0);
	assert_int_equal(push_all(&a), 0);
	nruns = dit_sorter_nruns(a.sorter);
	/* Blocks are of 1 KiB: a run has about 2^6 of them. */
	assert_true(dit_sorter_run_bytes(a.sorter) / nruns > 40000);
	assert_int_equal(dit_sort_view_open(&v, a.sorter), 0);
	assert_int_equal(dit_sort_cursor_open(&cursor, v), 0);
	for (unsigned k = 1; k < NKEYS; k += 7) {
		char buffer[32];

		reads_left = 1000000;
		assert_int_equal(dit_sort_cursor_get(cursor, key_of(k, buffer), &record),
		                 1);
		assert_true(1000000 - reads_left <= (long)nruns * (6 + 1 + 2));
	}
	stop_failing();
	dit_sort_cursor_close(cursor);
	dit_sort_view_close(v);
	dit_sorter_free(a.sorter);
}

static void flip(int fd, off_t at)
{
	char byte = 0;

	assert_int_equal(__real_pread(fd, &byte, 1, at), 1);
	byte ^= 0x10;
	assert_int_equal(__real_pwrite(fd, &byte, 1, at), 1);
}

TEST(a_flipped_byte_is_never_read_as_data)
{
	struct attempt a = {.tmpdir = test_scratch(), .nrecords = NRECORDS};
	struct dit_sort_view *v = NULL;
	struct dit_sort_cursor *cursor = NULL;
	int fds[8];
	size_t nfds = 0;
	unsigned nfound = 0;

	assert_int_equal(begin(&a), 0);
	assert_int_equal(push_all(&a), 0);
	assert_int_equal(dit_sort_view_open(&v, a.sorter), 0);
	nfds = run_files(a.tmpdir, fds, 8);
	assert_true(nfds >= 2);
	for (size_t i = 0; i < nfds; i++) {
		off_t size = lseek(fds[i], 0, SEEK_END);

		for (off_t at = 0; at < size; at += at < 40 ? 1 : 997) {
			int r = 0;

			flip(fds[i], at);
			assert_int_equal(dit_sort_cursor_open(&cursor, v), 0);
			r = look_up_some(&a, cursor); /* may have missed the block */
			assert_true(r == 0 || r == DIT_E_CORRUPT);
			nfound += r < 0;
			assert_int_equal(read_all(&a, cursor), DIT_E_CORRUPT);
			flip(fds[i], at);
			assert_int_equal(look_up_some(&a, cursor), 0); /* not for good */
			assert_int_equal(read_all(&a, cursor), 0);
			dit_sort_cursor_close(cursor);
		}
	}
	assert_true(nfound > 0);
	dit_sort_view_close(v);
	dit_sorter_free(a.sorter);
}

TEST(a_killed_process_leaves_no_file)
{
	struct attempt a = {.tmpdir = test_scratch(), .nrecords = NRECORDS};
	int status = 0;
	pid_t pid = test_fork();

	if (pid == 0) {
		int fds[8];

		if (begin(&a) == 0 && push_all(&a) == 0 &&
		    run_files(a.tmpdir, fds, 8) >= 2) {
			(void)kill(getpid(), SIGKILL);
		}
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_empty(a.tmpdir);
}
