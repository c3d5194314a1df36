/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every unit test includes this: cmocka with its prerequisites, a scratch directory, and
 * small builders.
 */
#ifndef DITKIT_TEST_H
#define DITKIT_TEST_H

#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/span.h"

/** Absolute or relative path of a file below tests/data; static buffer, one at a time. */
static inline const char *test_data(const char *name)
{
	static char path[4096];
	const char *dir = getenv("DIT_TEST_DATA");

	(void)snprintf(path, sizeof(path), "%s/%s", dir == NULL ? "tests/data" : dir,
	               name);
	return path;
}

/** The directory for temporary files: TMPDIR, or /tmp. */
static inline const char *test_tmp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir == NULL || dir[0] == '\0' ? "/tmp" : dir;
}

/**
 * Call release(what) when the test has ended, however it ends, or when the group has
 * ended whose set-up calls this. What was given last is released first.
 */
void test_at_end(void (*release)(void *what), void *what);
/** Call its release() now. */
void test_release(void *what);

/** Memory of zeros, which is freed when the test has ended. */
void *test_alloc(size_t bytes);

/** A text that is freed when the test has ended. */
__attribute__((format(printf, 1, 2))) char *test_text(const char *format, ...);

/** Make a directory, which is removed with all that it holds when the test has ended. */
char *test_scratch(void);

/** Start a child process, which must end with _exit(). */
pid_t test_fork(void);
/** Wait until it has ended. @return its status, as waitpid() gives it */
int test_wait(pid_t pid);

/** Open a new file that has no name, to read and write. */
static inline int test_nameless_file(void)
{
	char path[4096];
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/ditkit-test-XXXXXX", test_tmp_dir());
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	return fd;
}

/** Remove such a directory before that, and free its path. */
static inline void test_scratch_remove(char *path)
{
	test_release(path);
}

/** Make a file of these bytes, in place of one that is there. */
static inline void test_write_file(const char *path, const char *bytes, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

/** The same of a text that ends with a zero byte. */
static inline void test_write_text(const char *path, const char *text)
{
	test_write_file(path, text, strlen(text));
}

/** Add to a text in an array; what does not fit is cut off. */
#define test_append(array, ...) test_append_to(array, sizeof(array), __VA_ARGS__)
__attribute__((format(printf, 3, 4))) static inline void test_append_to(
	char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

/** The next one of the numbers that follow from this one, which is not 0. */
static inline uint64_t test_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

/** From now on malloc(), of glibc, fills what it gives out with TEST_OLD_BYTE. */
#define TEST_OLD_BYTE 0x5a
static inline void test_fill_memory(bool does_fill)
{
	(void)mallopt(M_PERTURB, does_fill ? 0xff ^ TEST_OLD_BYTE : 0);
}

/** @return the bytes of a file, owned, and a zero byte after them; ret_len may be NULL */
static inline char *test_read_file(const char *path, size_t *ret_len)
{
	FILE *file = fopen(path, "r");
	char *bytes = NULL;
	long len = 0;

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	len = ftell(file);
	rewind(file);
	bytes = calloc(1, (size_t)len + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, (size_t)len, file), len);
	assert_int_equal(fclose(file), 0);
	if (ret_len != NULL) {
		*ret_len = (size_t)len;
	}
	return bytes;
}

/** Nothing that stood in memory before is in the file. */
static inline void test_assert_no_old_bytes(const char *path)
{
	size_t len = 0;
	char *bytes = test_read_file(path, &len);
	char old[8];

	memset(old, TEST_OLD_BYTE, sizeof(old));
	assert_null(memmem(bytes, len, old, sizeof(old)));
	free(bytes);
}

/** A test, and a text with the names of the groups that it is in (NULL: all). */
struct test_case {
	struct CMUnitTest test;
	const char *groups;
	int line;
};

/** For TEST_CASE(): add a test to those of the program; end one. */
void test_add(const struct test_case *test);
int test_end(CMFixtureFunction tear_down, void **state);

/**
 * Run the tests of a group, in the order of the file, between set_up and tear_down
 * (NULL: none). A program without a main() runs all once, with neither; MAIN_WITH
 * defines one that runs all once with these.
 * @return how many have failed
 */
int test_run(const char *group, CMFixtureFunction set_up, CMFixtureFunction tear_down);
#define MAIN_WITH(set_up, tear_down)                                                     \
 int main(void)                                                                          \
 {                                                                                       \
  return test_run("tests", set_up, tear_down);                                           \
 }

/**
 * Define a test: TEST(lists_come_in_blocks) { ... }. Its parameter is cmocka's `state`.
 * FIXTURE_TEST runs between the file's setup() and teardown(), SETUP_TEST after its
 * setup(), TEST_IN in these groups.
 */
#define TEST_CASE(name, setup, teardown, groups)                                         \
 static void name(void **state);                                                         \
 static int end_##name(void **state)                                                     \
 {                                                                                       \
  return test_end(teardown, state);                                                      \
 }                                                                                       \
 __attribute__((constructor)) static void add_##name(void)                               \
 {                                                                                       \
  test_add(&(struct test_case){                                                          \
	  {#name, name, setup, end_##name, NULL}, groups, __LINE__});                    \
 }                                                                                       \
 static void name(__attribute__((unused)) void **state)
#define TEST_WITH(name, setup, teardown) TEST_CASE(name, setup, teardown, NULL)
#define TEST(name)                       TEST_CASE(name, NULL, NULL, NULL)
#define TEST_IN(groups, name)            TEST_CASE(name, NULL, NULL, groups)
#define SETUP_TEST(name)                 TEST_CASE(name, setup, NULL, NULL)
#define FIXTURE_TEST(name)               TEST_CASE(name, setup, teardown, NULL)

/**
 * End a test case that cannot run here. tests/tally.sh shows the reason, and counts a
 * skip without one as a failure.
 */
#define skip_because(reason)                                                             \
 do {                                                                                    \
  print_message("SKIPPED: %s\n", reason);                                                \
  skip();                                                                                \
 } while (0)

/** Assert that a span equals a C string; prints both when not. */
#define assert_span_equal(span, string)                                                  \
 do {                                                                                    \
  struct dit_span assert_span_ = (span);                                                 \
  assert_int_equal(assert_span_.len, strlen(string));                                    \
  assert_memory_equal(assert_span_.data, string, assert_span_.len);                      \
 } while (0)

#endif
