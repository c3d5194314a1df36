/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where exports go: complete or not at all; what is there; what cannot be written; large
 * files past the page cache, or through it where the file system refuses.
 */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/stop.h"
#include "result/export_file.h"
#include "system/file_io.h"

#define PIECE  DIT_DIRECT_BYTES
#define CACHED (2 * PIECE) /* bytes at the front that are written through the cache */
#define PAGE   4096u

struct fixture {
	char *dir;
	char path[4200];
	struct dit_export_file file;
};

/* ---- somebody who is quick ---- */

static const char *exchanged_for; /* NULL: the file is not exchanged */
static mode_t mode_before;        /* of the new file, before it is given away */
static int nrefused;              /* calls of fchown() that are refused, from now on */

int __real_fstatat(int dir_fd, const char *name, struct stat *ret, int flags);
int __wrap_fstatat(int dir_fd, const char *name, struct stat *ret, int flags);
int __real_fchown(int fd, uid_t user, gid_t group);
int __wrap_fchown(int fd, uid_t user, gid_t group);

int __wrap_fstatat(int dir_fd, const char *name, struct stat *ret, int flags)
{
	int r = __real_fstatat(dir_fd, name, ret, flags);

	if (exchanged_for != NULL) {
		assert_int_equal(unlinkat(dir_fd, name, 0), 0);
		assert_int_equal(symlinkat(exchanged_for, dir_fd, name), 0);
		exchanged_for = NULL;
	}
	return r;
}

int __wrap_fchown(int fd, uid_t user, gid_t group)
{
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	mode_before = status.st_mode & 07777;
	if (nrefused > 0) {
		nrefused--;
		errno = EPERM;
		return -1;
	}
	return __real_fchown(fd, user, group);
}

static int nsyncs = -1; /* calls of fsync() until one fails */
int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	if (nsyncs >= 0 && nsyncs-- == 0) {
		errno = EIO;
		return -1;
	}
	return __real_fsync(fd);
}

static bool is_taken; /* somebody takes the next file for a leftover */
int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);

int __wrap_flock(int fd, int operation)
{
	char path[4300] = "";
	char link[64];

	if (is_taken) {
		is_taken = false;
		(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		assert_true(readlink(link, path, sizeof(path) - 1) > 0);
		assert_int_equal(unlink(path), 0);
	}
	return __real_flock(fd, operation);
}

/* ---- a file system that can be told to fail ---- */

static bool refuses_flag;  /* O_DIRECT cannot be set */
static bool refuses_write; /* it can be set, but then nothing is written */
static int fail_at;        /* the number of the pwrite() for which the disk is full */
static bool no_memory;     /* for pieces */
static int nsignals;       /* that cut write() short before it has written */

static int nwrites;      /* calls of pwrite() */
static uint64_t ndirect; /* bytes that went past the cache */

ssize_t __real_pwrite(int fd, const void *data, size_t len, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t at);
ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);
int __real_fcntl(int fd, int what, int flags);
int __wrap_fcntl(int fd, int what, int flags);
void *__real_dit_slab_get(size_t size);
void *__wrap_dit_slab_get(size_t size);

ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t at)
{
	bool is_direct = (__real_fcntl(fd, F_GETFL, 0) & O_DIRECT) != 0;
	ssize_t n = 0;

	if (is_direct && refuses_write) {
		errno = EINVAL;
		return -1;
	}
	if (++nwrites == fail_at) {
		errno = ENOSPC;
		return -1;
	}
	if (nwrites == fail_at - 1 && len > PAGE) {
		len = PAGE; /* the disk has room for no more */
	}
	n = __real_pwrite(fd, data, len, at);
	ndirect += is_direct && n > 0 ? (uint64_t)n : 0;
	return n;
}

ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	if (nsignals > 0) {
		nsignals--;
		errno = EINTR;
		return -1;
	}
	return __real_write(fd, data, len);
}

int __wrap_fcntl(int fd, int what, int flags)
{
	if (refuses_flag && what == F_SETFL && (flags & O_DIRECT) != 0) {
		errno = EINVAL;
		return -1;
	}
	return __real_fcntl(fd, what, flags);
}

void *__wrap_dit_slab_get(size_t size)
{
	return no_memory ? NULL : __real_dit_slab_get(size);
}

static void heal(void)
{
	refuses_flag = false;
	refuses_write = false;
	fail_at = 0;
	no_memory = false;
	nwrites = 0;
	ndirect = 0;
}

/* ---- helpers ---- */

static int setup(void **state)
{
	struct fixture *f = test_alloc(sizeof(*f));

	f->dir = test_scratch();
	(void)snprintf(f->path, sizeof(f->path), "%s/out", f->dir);
	f->file = (struct dit_export_file){.fd = -1};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	heal();
	dit_export_file_close(&f->file);
	return 0;
}

static int write_text(struct fixture *f, const char *text)
{
	int r = dit_export_file_write(&f->file, text, strlen(text));

	return r < 0 ? r : dit_export_file_write(&f->file, "!", 1);
}

/* All names in the directory and what the file holds. */
static void assert_holds(struct fixture *f, const char *expected)
{
	char *command = test_text("cd '%s'; LC_ALL=C ls -A; cat out", f->dir);
	char text[400];
	size_t n = 0;
	FILE *pipe = NULL;

	pipe = popen(command, "r");
	assert_non_null(pipe);
	n = fread(text, 1, sizeof(text) - 1, pipe);
	text[n] = '\0';
	(void)pclose(pipe);
	assert_string_equal(text, expected);
}

static void put_file(const char *path, mode_t mode)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	(void)fputs("old", file);
	assert_int_equal(fchmod(fileno(file), mode), 0);
	assert_int_equal(fclose(file), 0);
}

static mode_t mode_of(const char *path)
{
	struct stat status;

	assert_int_equal(lstat(path, &status), 0);
	return status.st_mode;
}

FIXTURE_TEST(a_new_file_appears_when_it_is_complete)
{
	struct fixture *f = *state;
	mode_t mask = umask(027);

	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	(void)umask(mask);
	assert_int_equal(write_text(f, "text"), 0);
	assert_int_equal(f->file.nbytes, 5);
	assert_int_equal(access(f->path, F_OK), -1);
	assert_int_equal(dit_export_file_finish(&f->file), 0);
	dit_export_file_close(&f->file);
	assert_holds(f, "out\ntext!");
	assert_int_equal(mode_of(f->path), S_IFREG | 0640);
}

FIXTURE_TEST(a_data_file_is_made_and_not_replaced)
{
	struct fixture *f = *state;
	char *path = test_text("%s/data.mdb", f->dir);

	assert_int_equal(dit_export_file_open(&f->file, path, O_TRUNC, NULL), 0);
	assert_int_equal(dit_export_file_finish(&f->file), 0);
	dit_export_file_close(&f->file);
	assert_int_equal(dit_export_file_open(&f->file, path, O_TRUNC, NULL), -EEXIST);
	dit_export_file_close(&f->file);
}

FIXTURE_TEST(a_name_that_may_not_last_is_told)
{
	struct fixture *f = *state;

	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	assert_int_equal(write_text(f, "text"), 0);
	nsyncs = 1;
	assert_int_equal(dit_export_file_finish(&f->file), -EIO);
	assert_string_equal(f->file.why, "the file is complete, but may be gone after a "
	                                 "loss of power: Input/output error");
	dit_export_file_close(&f->file);
	assert_holds(f, "out\ntext!");
}

/* ---- leftovers ---- */

static void leave(const struct fixture *f, const char *name)
{
	char *path = test_text("%s/%s", f->dir, name);

	put_file(path, 0600);
}

FIXTURE_TEST(only_what_killed_runs_have_left_of_the_file_goes)
{
	static const char *const stay[] = {
		".out.0123456789abcde",  ".out.0123456789abcdef0",
		".out.0123456789ABCDEF", ".out2.0123456789abcdef",
		".ou.0123456789abcdef",  "out.0123456789abcdef",
	};
	struct fixture *f = *state;
	struct dit_export_file other;
	char path[4300];
	int status = 0;
	pid_t child = test_fork();

	if (child == 0) {
		(void)dit_export_file_open(&other, f->path, O_TRUNC, NULL);
		(void)raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	leave(f, ".out.0123456789abcdef");
	for (size_t i = 0; i < sizeof(stay) / sizeof(stay[0]); i++) {
		leave(f, stay[i]);
	}
	(void)snprintf(path, sizeof(path), "%s/.out.1123456789abcdef", f->dir);
	assert_int_equal(symlink("out2", path), 0);
	(void)snprintf(path, sizeof(path), "%s/.out.2123456789abcdef", f->dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(dit_export_file_open(&other, f->path, O_TRUNC, NULL), 0);
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	assert_int_equal(dit_export_file_write(&other, "other", 5), 0);
	assert_int_equal(dit_export_file_finish(&other), 0);
	dit_export_file_close(&other);
	assert_int_equal(write_text(f, "text"), 0);
	assert_int_equal(dit_export_file_finish(&f->file), 0);
	assert_holds(f, ".ou.0123456789abcdef\n.out.0123456789ABCDEF\n"
	                ".out.0123456789abcde\n.out.0123456789abcdef0\n"
	                ".out.1123456789abcdef\n.out.2123456789abcdef\n"
	                ".out2.0123456789abcdef\nout\nout.0123456789abcdef\ntext!");
}

FIXTURE_TEST(a_file_taken_for_a_leftover_is_made_again)
{
	struct fixture *f = *state;

	is_taken = true;
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	assert_false(is_taken);
	assert_int_equal(write_text(f, "text"), 0);
	assert_int_equal(dit_export_file_finish(&f->file), 0);
	assert_holds(f, "out\ntext!");
}

FIXTURE_TEST(a_signal_ends_a_write_if_it_ends_the_run)
{
	struct fixture *f = *state;

	for (int flag = 0; flag < 2; flag++) {
		volatile sig_atomic_t is_set = flag;
		struct dit_stop stop = {.flag = &is_set};

		nsignals = 3;
		assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, &stop),
		                 0);
		assert_int_equal(write_text(f, "text"), flag ? DIT_E_STOPPED : 0);
		assert_int_equal(nsignals, flag ? 2 : 0);
		dit_export_file_close(&f->file);
	}
	nsignals = 0;
}

/* ---- large files ---- */

/* No two places of a file look alike. */
static char *make_bytes(size_t len)
{
	char *bytes = malloc(len + 1);
	uint64_t x = 1;

	assert_non_null(bytes);
	for (size_t i = 0; i < len; i++) {
		x = x * 6364136223846793005U + 1442695040888963407U;
		bytes[i] = (char)(x >> 56);
	}
	return bytes;
}

/* In texts of a length. @return 0; the error of the first call that fails */
static int put(struct fixture *f, const char *bytes, size_t len, size_t text_len)
{
	int r = dit_export_file_open(&f->file, f->path, O_TRUNC, NULL);

	assert_int_equal(r, 0);
	for (size_t at = 0; at < len && r == 0; at += text_len) {
		r = dit_export_file_write(&f->file, bytes + at,
		                          len - at < text_len ? len - at : text_len);
	}
	if (r == 0) {
		assert_int_equal(f->file.nbytes, len);
		r = dit_export_file_finish(&f->file);
	}
	dit_export_file_close(&f->file);
	return r;
}

static void assert_is(const char *path, const char *bytes, size_t len)
{
	FILE *file = fopen(path, "r");
	char *found = malloc(len + 1);

	assert_non_null(file);
	assert_non_null(found);
	assert_int_equal(fread(found, 1, len + 1, file), len);
	assert_true(memcmp(found, bytes, len) == 0);
	(void)fclose(file);
	free(found);
}

/* Does the file system of the tests write past the cache? */
static bool has_direct(struct fixture *f)
{
	bool is_direct = false;

	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	is_direct = dit_direct_begin(f->file.fd);
	dit_export_file_close(&f->file);
	return is_direct;
}

static const struct {
	size_t len;
	size_t direct; /* of these past the cache: whole pieces */
} sizes[] = {
	{0, 0},
	{1, 0},
	{CACHED - 1, 0},
	{CACHED, 0},
	{CACHED + 1, 0},
	{CACHED + PAGE, 0},
	{CACHED + PIECE - 1, 0},
	{CACHED + PIECE, PIECE},
	{CACHED + PIECE + 1, PIECE},
	{CACHED + 3 * PIECE, 3 * PIECE},
	{CACHED + 5 * PIECE + 2 * PAGE + 77, 5 * PIECE},
};
#define NSIZES (sizeof(sizes) / sizeof(sizes[0]))

/* Texts that fit pieces and those that do not; one for the whole file. */
static const size_t texts[] = {PAGE, 100003, PIECE, SIZE_MAX / 2};

static void assert_sizes_are_whole(struct fixture *f, bool is_direct)
{
	char *bytes = make_bytes(sizes[NSIZES - 1].len);

	for (size_t i = 0; i < NSIZES * 4; i++) {
		size_t len = sizes[i / 4].len;

		ndirect = 0;
		assert_int_equal(put(f, bytes, len, texts[i % 4]), 0);
		assert_is(f->path, bytes, len);
		assert_int_equal(ndirect, is_direct ? sizes[i / 4].direct : 0);
		assert_int_equal(unlink(f->path), 0);
	}
	free(bytes);
}

FIXTURE_TEST(files_of_each_size_are_whole)
{
	struct fixture *f = *state;

	assert_sizes_are_whole(f, has_direct(f));
}

FIXTURE_TEST(a_file_system_without_direct_writes_gets_ordinary_ones)
{
	struct fixture *f = *state;

	refuses_flag = true;
	assert_sizes_are_whole(f, false);
	refuses_flag = false;
	refuses_write = true;
	assert_sizes_are_whole(f, false);
}

/* While pieces are written, and in the rest. The disk takes a part of a piece before. */
FIXTURE_TEST(a_disk_that_fills_up_leaves_the_old_file)
{
	struct fixture *f = *state;
	enum {
		NPWRITES = 4
	};
	size_t len = CACHED + 3 * PIECE + 77;
	char *bytes = make_bytes(len);

	for (int through_cache = 0; through_cache < 2; through_cache++) {
		int r = -ENOSPC;

		put_file(f->path, 0600);
		for (int n = 1; r != 0; n++) {
			heal();
			refuses_flag = through_cache == 1;
			fail_at = n;
			r = put(f, bytes, len, 100003);
			assert_true(r == 0 || r == -ENOSPC);
			if (r != 0) {
				assert_holds(f, "out\nold");
			}
			assert_in_range(n, r == 0 ? NPWRITES + 1 : 1, NPWRITES + 1);
		}
		assert_is(f->path, bytes, len);
		assert_int_equal(unlink(f->path), 0);
	}
	free(bytes);
}

FIXTURE_TEST(a_large_file_without_memory_is_told)
{
	struct fixture *f = *state;
	char *bytes = make_bytes(CACHED + 1);

	no_memory = true;
	assert_int_equal(put(f, bytes, CACHED, PAGE), 0);
	assert_is(f->path, bytes, CACHED);
	put_file(f->path, 0600);
	assert_int_equal(put(f, bytes, CACHED + 1, PAGE), -ENOMEM);
	assert_holds(f, "out\nold");
	free(bytes);
}

/* It was opened by somebody else, who may want the cache. */
FIXTURE_TEST(a_large_file_of_the_system_goes_through_the_cache)
{
	struct fixture *f = *state;
	size_t len = CACHED + 2 * PIECE + 1;
	char *bytes = make_bytes(len);
	char path[100];
	int fd = open(f->path, O_RDWR | O_CREAT, 0600);

	(void)snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	assert_int_equal(dit_export_file_open(&f->file, path, O_TRUNC, NULL), 0);
	assert_int_equal(dit_export_file_write(&f->file, bytes, len), 0);
	assert_int_equal(dit_export_file_finish(&f->file), 0);
	assert_is(f->path, bytes, len);
	assert_int_equal(nwrites, 0);
	(void)close(fd);
	free(bytes);
}

/* ---- what was there before ---- */

FIXTURE_TEST(an_old_file_keeps_its_mode_and_stays_until_then)
{
	struct fixture *f = *state;

	put_file(f->path, 0604);
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	assert_int_equal(write_text(f, "text"), 0);
	dit_export_file_close(&f->file);
	assert_holds(f, "out\nold");

	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	assert_int_equal(write_text(f, "text"), 0);
	assert_int_equal(dit_export_file_finish(&f->file), 0);
	assert_holds(f, "out\ntext!");
	assert_int_equal(mode_of(f->path), S_IFREG | 0604);
}

/* A reader that opens the new file before it has the old mode goes on reading. */
FIXTURE_TEST(a_file_that_replaces_a_closed_one_was_never_open)
{
	struct fixture *f = *state;
	mode_t mask = umask(0);

	put_file(f->path, 0640);
	mode_before = 07777;
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	(void)umask(mask);
	assert_int_equal(mode_before, 0600);
	assert_int_equal(dit_export_file_finish(&f->file), 0);
	assert_int_equal(mode_of(f->path), S_IFREG | 0640);
}

/* A user who may not give the file away keeps it. Another group may do no more than all
 * others. */
FIXTURE_TEST(another_group_gets_no_rights)
{
	static const struct {
		mode_t old;
		int nrefused; /* 1: the old group remains */
		mode_t expected;
	} cases[] = {
		{0640, 1, 0640}, {0640, 2, 0600},  {0664, 2, 0644},
		{0646, 2, 0646}, {02750, 1, 0750}, {0600, 2, 0600},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_file(f->path, cases[i].old);
		nrefused = cases[i].nrefused;
		assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL),
		                 0);
		assert_int_equal(nrefused, 0);
		assert_int_equal(dit_export_file_finish(&f->file), 0);
		assert_int_equal(mode_of(f->path), S_IFREG | cases[i].expected);
		assert_int_equal(unlink(f->path), 0);
	}
}

/* In a directory like /tmp: who has made a file there would get what replaces it. */
FIXTURE_TEST(a_file_of_another_user_in_an_open_directory_is_refused)
{
	struct fixture *f = *state;

	if (geteuid() != 0) {
		skip_because("only root can give a file away");
	}
	put_file(f->path, 0666);
	assert_int_equal(chown(f->path, 65534, 65534), 0);
	assert_int_equal(chmod(f->dir, 01777), 0);
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), -EACCES);
	assert_int_equal(chmod(f->dir, 01770), 0);
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), -EACCES);
	assert_holds(f, "out\nold");

	/* The owner of the directory could take it anyway. */
	assert_int_equal(chown(f->dir, 65534, 65534), 0);
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	dit_export_file_close(&f->file);
	assert_int_equal(chown(f->dir, 0, 0), 0);
	assert_int_equal(chmod(f->dir, 0755), 0);
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	dit_export_file_close(&f->file);
}

FIXTURE_TEST(what_takes_the_place_of_a_pipe_is_not_written_to)
{
	struct fixture *f = *state;
	char *other = test_text("%s/other", f->dir);

	put_file(other, 0600);
	assert_int_equal(mkfifo(f->path, 0600), 0);
	exchanged_for = other;
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), -ELOOP);
	assert_null(exchanged_for);
	assert_holds(f, "other\nout\nold");
}

/* It lies below /dev, but everybody may write there. */
FIXTURE_TEST(links_in_shared_memory_are_not_followed)
{
	static const struct {
		const char *way;
		int r;
	} cases[] = {
		{"/dev/shm", 0},
		{"/dev/shm/../shm", 0},
		{"/proc/self/root/dev/shm", 0},
		{"/dev//shm", -EINVAL},
		{"/dev/./shm", -EINVAL},
	};
	struct fixture *f = *state;
	char *link = test_text("/dev/shm/ditkit-test-%d", (int)getpid());
	char path[200];

	put_file(f->path, 0600);
	if (symlink(f->path, link) < 0) {
		skip_because("/dev/shm cannot be written to");
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", cases[i].way,
		               strrchr(link, '/'));
		assert_int_equal(dit_export_file_open(&f->file, path, O_TRUNC, NULL),
		                 cases[i].r);
		dit_export_file_close(&f->file);
	}
	assert_int_equal(unlink(link), 0);
	assert_holds(f, "out\nold");
}

FIXTURE_TEST(a_link_is_replaced_and_not_followed)
{
	struct fixture *f = *state;
	char *target = test_text("%s/target", f->dir);

	put_file(target, 0600);
	assert_int_equal(symlink(target, f->path), 0);
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	assert_int_equal(write_text(f, "text"), 0);
	assert_int_equal(dit_export_file_finish(&f->file), 0);
	assert_holds(f, "out\ntarget\ntext!");
	assert_true(S_ISREG(mode_of(f->path)));
	assert_int_equal(truncate(f->path, 0), 0);
	assert_int_equal(rename(target, f->path), 0);
	assert_holds(f, "out\nold");
}

FIXTURE_TEST(other_names_of_a_file_keep_the_old_content)
{
	struct fixture *f = *state;
	char *other = test_text("%s/other", f->dir);

	put_file(other, 0600);
	assert_int_equal(link(other, f->path), 0);
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	assert_int_equal(write_text(f, "text"), 0);
	assert_int_equal(dit_export_file_finish(&f->file), 0);
	assert_holds(f, "other\nout\ntext!");
	assert_int_equal(rename(other, f->path), 0);
	assert_holds(f, "out\nold");
}

FIXTURE_TEST(pipes_are_written_to)
{
	struct fixture *f = *state;
	char text[6] = "";
	int fd = -1;

	assert_int_equal(mkfifo(f->path, 0600), 0);
	fd = open(f->path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	assert_int_equal(write_text(f, "text"), 0);
	assert_int_equal(dit_export_file_finish(&f->file), 0);
	assert_int_equal(read(fd, text, 5), 5);
	assert_string_equal(text, "text!");
	(void)close(fd);
}

static int bytes_in(int fd)
{
	int n = 0;

	assert_int_equal(ioctl(fd, FIONREAD, &n), 0);
	return n;
}

/* With the first text, and for good where it is larger. */
FIXTURE_TEST(a_pipe_has_room_for_two_pieces)
{
	struct fixture *f = *state;
	int fd = -1;

	assert_int_equal(mkfifo(f->path, 0600), 0);
	fd = open(f->path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(__real_fcntl(fd, F_SETPIPE_SZ, (int)PAGE), (int)PAGE);
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	assert_int_equal(write_text(f, "text"), 0);
	assert_int_equal(__real_fcntl(fd, F_GETPIPE_SZ, 0), (int)(2 * PIECE));
	(void)close(fd);
}

FIXTURE_TEST(a_pipe_gets_pieces_or_what_has_waited_long)
{
	struct fixture *f = *state;
	char *bytes = make_bytes(PIECE);
	int fd = -1;

	assert_int_equal(mkfifo(f->path, 0600), 0);
	fd = open(f->path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	assert_int_equal(dit_export_file_write(&f->file, bytes, PIECE - 1), 0);
	assert_int_equal(bytes_in(fd), 0);
	assert_int_equal(dit_export_file_write(&f->file, bytes, 2), 0);
	assert_int_equal(bytes_in(fd), PIECE);
	for (int i = 1; i < 64; i++) {
		assert_int_equal(bytes_in(fd), PIECE);
		assert_int_equal(dit_export_file_write(&f->file, bytes, i % 2), 0);
	}
	assert_int_equal(bytes_in(fd), PIECE + 33);
	assert_int_equal(dit_export_file_write(&f->file, bytes, 1), 0);
	assert_int_equal(dit_export_file_flush(&f->file), 0);
	assert_int_equal(bytes_in(fd), PIECE + 34);
	assert_int_equal(f->file.nbytes, PIECE + 34);
	(void)close(fd);
	free(bytes);
}

FIXTURE_TEST(what_cannot_be_opened_is_told)
{
	struct fixture *f = *state;
	char path[4300];

	(void)snprintf(path, sizeof(path), "%s/none/out", f->dir);
	assert_int_equal(dit_export_file_open(&f->file, path, O_TRUNC, NULL), -ENOENT);
	assert_int_equal(dit_export_file_open(&f->file, "", O_TRUNC, NULL), -ENOENT);
	assert_int_equal(dit_export_file_open(&f->file, f->dir, O_TRUNC, NULL), -EISDIR);
	(void)snprintf(path, sizeof(path), "%s/%0300d", f->dir, 1);
	assert_int_equal(dit_export_file_open(&f->file, path, O_TRUNC, NULL),
	                 -ENAMETOOLONG);
}

FIXTURE_TEST(a_full_disk_is_told)
{
	struct fixture *f = *state;

	assert_int_equal(dit_export_file_open(&f->file, "/dev/full", O_TRUNC, NULL), 0);
	assert_int_equal(write_text(f, "text"), 0);
	assert_int_equal(dit_export_file_finish(&f->file), -ENOSPC);
	assert_int_equal(dit_export_file_finish(&f->file), 0); /* told once */
}

FIXTURE_TEST(a_reader_that_went_away_is_told)
{
	struct fixture *f = *state;
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);
	int fds[2];
	char path[100];

	assert_int_equal(pipe(fds), 0);
	(void)snprintf(path, sizeof(path), "/dev/fd/%d", fds[1]);
	assert_int_equal(dit_export_file_open(&f->file, path, O_TRUNC, NULL), 0);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(write_text(f, "text"), 0);
	assert_int_equal(dit_export_file_flush(&f->file), -EPIPE);
	(void)close(fds[1]);
	(void)signal(SIGPIPE, old);
}

/* More than a pipe takes, read in small pieces. */
FIXTURE_TEST(short_writes_are_gone_on_with)
{
	struct fixture *f = *state;
	size_t len = 3000000;
	char *big = test_alloc(len);
	char command[8600];
	FILE *reader = NULL;
	size_t sum = 0;

	memset(big, 'x', len);
	(void)snprintf(command, sizeof(command),
	               "mkfifo '%s'; dd bs=777 if='%s' 2>/dev/null | wc -c", f->path,
	               f->path);
	reader = popen(command, "r");
	assert_non_null(reader);
	while (access(f->path, F_OK) != 0) {
		(void)usleep(1000);
	}
	assert_int_equal(dit_export_file_open(&f->file, f->path, O_TRUNC, NULL), 0);
	assert_int_equal(dit_export_file_write(&f->file, big, len), 0);
	assert_int_equal(dit_export_file_finish(&f->file), 0);
	dit_export_file_close(&f->file);
	assert_int_equal(fscanf(reader, "%zu", &sum), 1);
	assert_int_equal(sum, len);
	(void)pclose(reader);
}
