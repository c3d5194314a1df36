/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that keeps the rights of its maker: here it gives a file its name when it is
 * asked, and else removes the file. */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "system/keeper.h"

struct folder {
	char *path; /* owned */
	int fd;     /* owned */
	char from[4096];
	char to[4096];
};

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

static void live(const void *ctx, int fd)
{
	const struct folder *folder = ctx;
	char order = 0;
	int r = -ECANCELED;

	if (read(fd, &order, 1) == 1) {
		r = rename(folder->from, folder->to) == 0 ? 0 : -errno;
		(void)send(fd, &r, sizeof(r), MSG_NOSIGNAL);
	}
	if (r < 0) {
		(void)unlink(folder->from);
	}
}

static int start(struct dit_keeper *keeper, const struct folder *folder)
{
	return dit_keeper_start(keeper, folder->fd, live, folder);
}

static int place(const struct dit_keeper *keeper)
{
	int answer = 0;
	int r = dit_keeper_ask(keeper, "r", 1, &answer, sizeof(answer));

	return r < 0 ? r : answer;
}

static int setup(void **state)
{
	struct folder *folder = test_alloc(sizeof(*folder));

	folder->path = test_scratch();
	folder->fd = open(folder->path, O_PATH);
	(void)snprintf(folder->from, sizeof(folder->from), "%s/.from", folder->path);
	(void)snprintf(folder->to, sizeof(folder->to), "%s/to", folder->path);
	test_write_text(folder->from, "new");
	*state = folder;
	return 0;
}

static int teardown(void **state)
{
	struct folder *folder = *state;

	(void)rmdir(folder->to);
	(void)close(folder->fd);
	return 0;
}

FIXTURE_TEST(test_renames)
{
	struct folder *folder = *state;
	struct dit_keeper keeper = {0};

	test_write_text(folder->to, "old, and longer");
	assert_int_equal(start(&keeper, folder), 0);
	assert_true(is_there(folder->from));
	assert_int_equal(place(&keeper), 0);
	dit_keeper_end(&keeper);
	assert_false(is_there(folder->from));
	assert_true(is_there(folder->to));
	dit_keeper_end(&keeper); /* twice is fine */
}

FIXTURE_TEST(test_gives_up)
{
	struct folder *folder = *state;
	struct dit_keeper keeper = {0};

	test_write_text(folder->to, "old");
	assert_int_equal(start(&keeper, folder), 0);
	dit_keeper_end(&keeper);
	assert_false(is_there(folder->from));
	assert_true(is_there(folder->to));
}

FIXTURE_TEST(test_cannot_rename)
{
	struct folder *folder = *state;
	struct dit_keeper keeper = {0};

	assert_int_equal(mkdir(folder->to, 0700), 0);
	assert_int_equal(start(&keeper, folder), 0);
	assert_int_equal(place(&keeper), -EISDIR);
	dit_keeper_end(&keeper);
	assert_false(is_there(folder->from));
}

FIXTURE_TEST(test_keeper_dies)
{
	struct folder *folder = *state;
	struct dit_keeper keeper = {0};

	assert_int_equal(start(&keeper, folder), 0);
	assert_int_equal(kill(keeper.pid, SIGTERM), 0); /* has no effect */
	assert_int_equal(kill(keeper.pid, SIGKILL), 0);
	while (waitpid(keeper.pid, NULL, WNOHANG) == 0) {
		(void)usleep(1000);
	}
	assert_int_equal(place(&keeper), -EPIPE);
	dit_keeper_end(&keeper);
	assert_true(is_there(folder->from));
	assert_false(is_there(folder->to));
}

/* Whoever is killed cannot remove the file; the keeper does. */
FIXTURE_TEST(test_export_dies)
{
	struct folder *folder = *state;
	pid_t pid = test_fork();

	if (pid == 0) {
		struct dit_keeper keeper = {0};

		if (start(&keeper, folder) == 0) {
			(void)raise(SIGKILL);
		}
		_exit(1);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (int i = 0; i < 10000 && is_there(folder->from); i++) {
		(void)usleep(1000);
	}
	assert_false(is_there(folder->from));
	assert_false(is_there(folder->to));
}

/* Signals of a terminal go to all its processes. */
FIXTURE_TEST(test_signals_do_not_reach)
{
	struct folder *folder = *state;
	struct dit_keeper keeper = {0};

	assert_int_equal(start(&keeper, folder), 0);
	assert_int_equal(kill(keeper.pid, SIGINT), 0);
	assert_int_equal(kill(keeper.pid, SIGHUP), 0);
	assert_int_equal(kill(keeper.pid, SIGTERM), 0);
	assert_int_equal(place(&keeper), 0);
	dit_keeper_end(&keeper);
	assert_true(is_there(folder->to));
}

FIXTURE_TEST(test_no_more_files)
{
	struct folder *folder = *state;
	struct dit_keeper keeper = {0};
	struct rlimit old;
	struct rlimit none;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = old;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(start(&keeper, folder), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(keeper.pid, 0);
}
