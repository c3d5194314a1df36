/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tests of a program (TEST in test.h), what is released when each has ended, and the
 * main() of programs that do without one of their own.
 */
#include "test.h"

#include <sys/wait.h>

#define TESTS_MAX    100
#define RELEASES_MAX 4000

static struct test_case cases[TESTS_MAX]; /* in the order of the file */
static size_t ncases;

static struct {
	void (*release)(void *what);
	void *what;
} releases[RELEASES_MAX]; /* in the order of test_at_end() */
static size_t nreleases;
static size_t nreleases_group; /* the first ones, of the set-up of a group */
static CMFixtureFunction group_set_up;
static CMFixtureFunction group_tear_down;

void test_add(const struct test_case *test)
{
	size_t i = ncases++;

	if (ncases > TESTS_MAX) {
		abort();
	}
	for (; i > 0 && cases[i - 1].line > test->line; i--) {
		cases[i] = cases[i - 1];
	}
	cases[i] = *test;
}

void test_at_end(void (*release)(void *what), void *what)
{
	if (nreleases == RELEASES_MAX) {
		abort();
	}
	releases[nreleases].release = release;
	releases[nreleases++].what = what;
}

void test_release(void *what)
{
	for (size_t i = nreleases; i-- > 0;) {
		if (releases[i].what == what) {
			releases[i].release(what);
			memmove(releases + i, releases + i + 1,
			        (--nreleases - i) * sizeof(releases[0]));
			return;
		}
	}
	abort();
}

static int tear_down_and_release(CMFixtureFunction tear_down, void **state, size_t nkept)
{
	int r = tear_down == NULL ? 0 : tear_down(state);

	while (nreleases > nkept) {
		nreleases--;
		releases[nreleases].release(releases[nreleases].what);
	}
	return r;
}

int test_end(CMFixtureFunction tear_down, void **state)
{
	return tear_down_and_release(tear_down, state, nreleases_group);
}

static int begin_group(void **state)
{
	int r = group_set_up == NULL ? 0 : group_set_up(state);

	nreleases_group = nreleases;
	return r;
}

static int end_group(void **state)
{
	return tear_down_and_release(group_tear_down, state, 0);
}

int test_run(const char *group, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
	struct CMUnitTest tests[TESTS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < ncases; i++) {
		if (cases[i].groups == NULL || strstr(cases[i].groups, group) != NULL) {
			tests[n++] = cases[i].test;
		}
	}
	group_set_up = set_up;
	group_tear_down = tear_down;
	return _cmocka_run_group_tests(group, tests, n, begin_group, end_group);
}

void *test_alloc(size_t bytes)
{
	void *memory = calloc(1, bytes);

	assert_non_null(memory);
	test_at_end(free, memory);
	return memory;
}

char *test_text(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	assert_true(vasprintf(&text, format, args) >= 0);
	va_end(args);
	test_at_end(free, text);
	return text;
}

static void remove_scratch(void *what)
{
	char *path = what;
	char command[4200];

	(void)snprintf(command, sizeof(command), "rm -rf -- '%s'", path);
	assert_int_equal(system(command), 0);
	free(path);
}

char *test_scratch(void)
{
	char path[4096];
	char *dir = NULL;

	(void)snprintf(path, sizeof(path), "%s/ditkit-test-XXXXXX", test_tmp_dir());
	assert_non_null(mkdtemp(path));
	dir = strdup(path);
	assert_non_null(dir);
	test_at_end(remove_scratch, dir);
	return dir;
}

pid_t test_fork(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	return pid;
}

int test_wait(pid_t pid)
{
	int status = 0;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

__attribute__((weak)) int main(void)
{
	return test_run("tests", NULL, NULL);
}
