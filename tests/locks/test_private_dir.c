/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory in which liblmdb finds links to the files of a database: what killed
 * processes have left of it is removed, and nothing else is.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "locks/private_dir.h"
#include "output/store_fixture.h"

#define STALE "ditkit-open-stale1"

/* ---- others, before the lock is taken ---- */

static enum {
	NOBODY,
	REMOVES_IT,
	HAS_IT,
	EXCHANGES_IT
} others;
static char *tmp;

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);

int __wrap_flock(int fd, int operation)
{
	char path[4096] = "";
	char link[64];

	if (others == HAS_IT) {
		errno = EWOULDBLOCK;
		return -1;
	}
	if (others == REMOVES_IT) {
		others = NOBODY;
		(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		assert_true(readlink(link, path, sizeof(path) - 1) > 0);
		assert_int_equal(rmdir(path), 0);
	}
	return __real_flock(fd, operation);
}

/* As if somebody exchanged the directory as soon as it is there. */
static mode_t others_mode;
static uid_t others_user;
char *__real_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path);

char *__wrap_mkdtemp(char *path)
{
	char *r = __real_mkdtemp(path);

	if (r != NULL && others == EXCHANGES_IT) {
		others = NOBODY;
		assert_int_equal(rmdir(path), 0);
		assert_int_equal(mkdir(path, others_mode), 0);
		assert_int_equal(chmod(path, others_mode), 0);
		assert_int_equal(chown(path, others_user, (gid_t)-1), 0);
	}
	return r;
}

static int set_up(void **state)
{
	(void)state;
	tmp = test_scratch();
	others = NOBODY;
	return setenv("TMPDIR", tmp, 1);
}

static int tear_down(void **state)
{
	(void)state;
	(void)unsetenv("TMPDIR");
	test_scratch_remove(tmp);
	return 0;
}

/* A directory as a killed process leaves it. */
static void leave(const char *name, mode_t mode)
{
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/%s", tmp, name);
	assert_int_equal(mkdir(path, mode), 0);
	assert_int_equal(chmod(path, mode), 0);
	assert_int_equal(symlink("/proc/self/fd/3", fixture_path(path, "data.mdb")), 0);
	assert_int_equal(symlink("/proc/self/fd/4", fixture_path(path, "lock.mdb")), 0);
}

static void put_file(const char *name)
{
	int fd = open(fixture_path(tmp, name), O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
}

static bool exists(const char *name)
{
	struct stat st;

	return lstat(fixture_path(tmp, name), &st) == 0;
}

static void make_and_remove(void)
{
	struct dit_private_dir dir;

	assert_int_equal(dit_private_dir_make(&dir, NULL), 0);
	dit_private_dir_remove(&dir);
}

static void is_empty_closed_to_others_and_goes(void **state)
{
	struct dit_private_dir dir;
	struct stat st;
	struct stat named;
	(void)state;

	assert_int_equal(dit_private_dir_make(&dir, NULL), 0);
	assert_int_equal(fstat(dir.fd, &st), 0);
	assert_int_equal(stat(fixture_path(tmp, dir.name), &named), 0);
	assert_true(st.st_ino == named.st_ino);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_directory_holds(fixture_path(tmp, dir.name), "");
	dit_private_dir_remove(&dir);
	assert_directory_holds(tmp, "");
	dit_private_dir_remove(&dir); /* twice is fine */
}

static void what_a_killed_process_leaves_is_removed(void **state)
{
	struct dit_private_dir dir;
	int status = 0;
	pid_t child = 0;
	(void)state;

	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (dit_private_dir_make(&dir, NULL) == 0 &&
		    symlinkat("/proc/self/fd/3", dir.fd, "data.mdb") == 0) {
			(void)raise(SIGKILL);
		}
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	leave(STALE, 0700);
	make_and_remove();
	assert_directory_holds(tmp, "");
}

static void a_directory_in_use_stays(void **state)
{
	struct dit_private_dir first;
	struct dit_private_dir second;
	(void)state;

	assert_int_equal(dit_private_dir_make(&first, NULL), 0);
	assert_int_equal(dit_private_dir_make(&second, NULL), 0);
	assert_string_not_equal(first.name, second.name);
	assert_true(exists(first.name));
	dit_private_dir_remove(&first);
	assert_true(exists(second.name));
	dit_private_dir_remove(&second);
	assert_directory_holds(tmp, "");
}

/* Somebody else has made these, of whatever kind. */
static void other_things_of_such_a_name_stay(void **state)
{
	char *elsewhere = test_scratch();
	(void)state;

	put_file("ditkit-open-file");
	leave("ditkit-open-open", 0755);
	leave("ditkit-other", 0700);
	leave("ditkit-open-full", 0700);
	put_file("ditkit-open-full/more");
	assert_int_equal(mkdir(fixture_path(tmp, "ditkit-open-data"), 0700), 0);
	put_file("ditkit-open-data/data.mdb");
	assert_int_equal(symlink(elsewhere, fixture_path(tmp, "ditkit-open-link")), 0);
	assert_int_equal(symlink("x", fixture_path(elsewhere, "data.mdb")), 0);
	make_and_remove();
	assert_true(exists("ditkit-open-file"));
	assert_true(exists("ditkit-open-open/data.mdb"));
	assert_true(exists("ditkit-other/data.mdb"));
	assert_true(exists("ditkit-open-full/more"));
	assert_true(exists("ditkit-open-data/data.mdb"));
	assert_true(exists("ditkit-open-link"));
	assert_directory_holds(elsewhere, "data.mdb ");
	test_scratch_remove(elsewhere);
}

static void directories_of_another_user_stay(void **state)
{
	(void)state;

	if (geteuid() != 0) {
		skip_because("only root can give a directory away");
	}
	leave(STALE, 0700);
	assert_int_equal(chown(fixture_path(tmp, STALE), 65534, 65534), 0);
	make_and_remove();
	assert_true(exists(STALE "/data.mdb"));
}

static void a_directory_taken_for_stale_is_made_again(void **state)
{
	struct dit_private_dir dir;
	(void)state;

	others = REMOVES_IT;
	assert_int_equal(dit_private_dir_make(&dir, NULL), 0);
	assert_int_equal(others, NOBODY);
	assert_true(exists(dir.name));
	dit_private_dir_remove(&dir);
	others = HAS_IT;
	assert_int_equal(dit_private_dir_make(&dir, NULL), -EEXIST);
	others = NOBODY;
	assert_directory_holds(tmp, "");
}

/* liblmdb would open for writing what the owner of that directory makes of its links. */
static void assert_exchange_is_noticed(mode_t mode, uid_t user, const char *words)
{
	struct dit_private_dir dir;
	struct dit_fault fault = {""};

	others = EXCHANGES_IT;
	others_mode = mode;
	others_user = user;
	assert_int_equal(dit_private_dir_make(&dir, &fault), -EPERM);
	assert_int_equal(others, NOBODY);
	assert_non_null(strstr(fault.text, words));
	assert_directory_holds(tmp, "");
}

static void a_directory_that_others_can_write_in_is_refused(void **state)
{
	(void)state;
	assert_exchange_is_noticed(0777, geteuid(),
	                           "mode 0777: somebody has put it there");
	assert_exchange_is_noticed(0770, geteuid(), "mode 0770");
	make_and_remove();
}

static void a_private_directory_of_another_user_is_refused(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		skip_because("only root can give a directory away");
	}
	assert_exchange_is_noticed(0700, 65534, "belongs to user 65534, mode 0700");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_empty_closed_to_others_and_goes,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_a_killed_process_leaves_is_removed,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_directory_in_use_stays, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(other_things_of_such_a_name_stay, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(directories_of_another_user_stay, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(a_directory_taken_for_stale_is_made_again,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_directory_that_others_can_write_in_is_refused, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_private_directory_of_another_user_is_refused, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
