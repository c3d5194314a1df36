/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of a result file: it has its name when it is complete, and not before; what
 * was there stays until then; giving up leaves nothing; who became another user can place
 * it; what is no regular file is written to, not replaced.
 */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "run_output.h"

static char path[600];

/* ---- helpers ---- */

static const char *in(const char *dir, const char *name)
{
	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void expect(const char *name, const char *text)
{
	char got[100] = "";
	FILE *file = fopen(name, "r");

	assert_non_null(file);
	assert_true(fgets(got, sizeof(got), file) != NULL || *text == '\0');
	assert_int_equal(fclose(file), 0);
	assert_string_equal(got, text);
}

static int count_files(const char *dir)
{
	DIR *files = opendir(dir);
	int n = 0;

	assert_non_null(files);
	while (readdir(files) != NULL) {
		n++;
	}
	assert_int_equal(closedir(files), 0);
	return n - 2;
}

TEST(it_appears_when_it_is_complete)
{
	char *dir = test_scratch();
	struct result_file file;
	struct stat status;

	(void)umask(022);
	assert_int_equal(result_file_open(&file, in(dir, "out")), 0);
	assert_int_equal(result_file_place(&file), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0644); /* a new one */
	test_write_text(path, "old");
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(result_file_open(&file, path), 0);
	assert_true(fputs("new", file.file) >= 0);
	expect(path, "old");
	assert_int_equal(result_file_place(&file), 0);
	expect(path, "new");
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600); /* the old one's */
	assert_int_equal(count_files(dir), 1);
	result_file_drop(&file); /* does no harm */
}

TEST(giving_up_leaves_nothing)
{
	char *dir = test_scratch();
	struct result_file file;

	assert_int_equal(result_file_open(&file, in(dir, "out")), 0);
	assert_int_equal(count_files(dir), 1);
	result_file_drop(&file);
	assert_int_equal(count_files(dir), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no keeper is left */
	assert_int_equal(errno, ECHILD);
}

TEST(a_failed_write_is_told)
{
	struct result_file file;

	assert_int_equal(result_file_open(&file, "/dev/full"), 0);
	assert_true(fputs("text", file.file) >= 0); /* into the buffer */
	assert_int_equal(result_file_place(&file), -1);
}

TEST(what_cannot_be_written_is_told_at_once)
{
	char *dir = test_scratch();
	struct result_file file;

	assert_int_equal(result_file_open(&file, dir), -1);
	assert_int_equal(result_file_open(&file, in(dir, "no/out")), -1);
	test_write_text(in(dir, "file"), "");
	assert_int_equal(result_file_open(&file, in(dir, "file/out")), -1);
	assert_int_equal(count_files(dir), 1);
}

TEST(a_place_that_goes_away_is_told)
{
	char *dir = test_scratch();
	char *sub = test_text("%s/sub", dir);
	struct result_file file;

	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(result_file_open(&file, in(dir, "sub/out")), 0);
	assert_int_equal(mkdir(path, 0700), 0); /* a directory took the name */
	assert_int_equal(result_file_place(&file), -1);
	assert_int_equal(count_files(sub), 1);
}

TEST(a_pipe_is_not_replaced)
{
	char *dir = test_scratch();
	struct result_file file;
	char text[8] = "";
	int fd = -1;

	assert_int_equal(mkfifo(in(dir, "pipe"), 0600), 0);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(result_file_open(&file, path), 0);
	assert_true(fputs("text", file.file) >= 0);
	assert_int_equal(result_file_place(&file), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	assert_string_equal(text, "text");
	assert_int_equal(close(fd), 0);
	assert_int_equal(count_files(dir), 1);
}

TEST(a_link_is_replaced_and_not_followed)
{
	char *dir = test_scratch();
	char *target = test_text("%s/target", dir);
	struct result_file file;
	struct stat status;
	int fd = -1;

	assert_int_equal(mkfifo(target, 0600), 0);
	fd = open(target, O_RDWR); /* no open() has to wait */
	assert_true(fd >= 0);
	assert_int_equal(symlink(target, in(dir, "out")), 0);
	assert_int_equal(result_file_open(&file, path), 0);
	assert_true(fputs("text", file.file) >= 0);
	assert_int_equal(result_file_place(&file), 0);
	assert_int_equal(lstat(path, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(close(fd), 0);
	assert_int_equal(unlink(target), 0);
	assert_int_equal(unlink(path), 0);

	assert_int_equal(symlink("/", path), 0);
	assert_int_equal(result_file_open(&file, path), -1);
	assert_int_equal(count_files(dir), 1);
}

/* /dev/stdout is a link of the system: it stays, whatever standard output is. */
TEST(standard_output_may_be_a_file)
{
	char *dir = test_scratch();
	char name[40];
	struct result_file file;
	int fd = -1;

	test_write_text(in(dir, "log"), "first ");
	fd = open(path, O_WRONLY | O_APPEND);
	assert_true(fd >= 0);
	for (int i = 0; i < 2; i++) {
		(void)snprintf(name, sizeof(name), "%s/fd/%d",
		               i == 0 ? "/dev" : "/proc/self", fd);
		assert_int_equal(result_file_open(&file, name), 0);
		assert_true(fputs("text", file.file) >= 0);
		assert_int_equal(result_file_place(&file), 0);
	}
	expect(path, "first texttext");
	assert_int_equal(close(fd), 0);
	assert_int_equal(count_files(dir), 1);
}

/* In a process of its own: there is no way back. */
TEST(another_user_can_place_the_file)
{
	char *dir = test_scratch();
	pid_t pid = 0;

	if (geteuid() != 0) {
		test_scratch_remove(dir);
		skip();
	}
	assert_int_equal(chmod(dir, 0711), 0);
	(void)in(dir, "out");
	pid = test_fork();
	if (pid == 0) {
		struct result_file file;
		int r = result_file_open(&file, path);

		r |= setgid(65534) | setuid(65534);
		r |= fputs("mine", file.file) >= 0 ? 0 : 1;
		_exit(r != 0 || result_file_place(&file) != 0);
	}
	assert_int_equal(test_wait(pid), 0);
	expect(path, "mine");
	assert_int_equal(count_files(dir), 1);
}
