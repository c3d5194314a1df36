/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The config database is handed over to slapd's tool. echo stands for slapd: it prints
 * the arguments that the tool would get (and takes a first -n for itself).
 */
#include "config_database.h"

#include <errno.h>
#include <sys/wait.h>

#include "test.h"

static const struct config_tool slapadd = {.name = "slapadd",
                                           .letters = "bcdfFgnlv",
                                           .does = "loads"};

/* Hands over in a child, which ends with status 3 if it is still ours. */
static int hand_over(const char *slapd, char *argv[], FILE *out)
{
	int argc = 0;
	int status = 0;
	pid_t pid = test_fork();

	while (argv[argc] != NULL) {
		argc++;
	}
	if (pid == 0) {
		struct common_options options = {.database = -1};

		program_invocation_short_name = "ditadd";
		(void)dup2(fileno(out), STDOUT_FILENO);
		(void)dup2(fileno(out), STDERR_FILENO);
		_exit(config_database_hand_over(&options, &slapadd, slapd, argc, argv) ==
		                      -1
		              ? 3
		              : 4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Both texts are compared: what was printed, and how the child ended. */
static void expect(const char *slapd, char *argv[], int wanted_status, const char *wanted)
{
	FILE *out = tmpfile();
	char text[1000];
	size_t len = 0;

	assert_non_null(out);
	assert_int_equal(hand_over(slapd, argv, out), wanted_status);
	rewind(out);
	len = fread(text, 1, sizeof(text) - 1, out);
	text[len] = '\0';
	assert_string_equal(text, wanted);
	(void)fclose(out);
}

#define ARGV(...)                                                                        \
 (char *[])                                                                              \
 {                                                                                       \
  "ditadd", __VA_ARGS__, NULL                                                            \
 }

TEST(options_of_the_tool_go_along)
{
	expect("/bin/echo", ARGV("-F", "tree", "-n", "0", "-l", "in.ldif"), 0,
	       "-F tree -n 0 -l in.ldif\n");
	/* Several letters and their value in one argument; many of one kind. */
	expect("/bin/echo", ARGV("-cvn0", "-d", "1", "-d", "2", "-Ftree"), 0,
	       "-c -v -n 0 -d 1 -d 2 -F tree\n");
	expect("/bin/echo", ARGV("-cccccccccccccccccccc", "-vb", "cn=config"), 0,
	       "-c -c -c -c -c -c -c -c -c -c -c -c -c -c -c -c -c -c -c -c -v "
	       "-b cn=config\n");
}

TEST(threads_are_left_out)
{
	expect("/bin/echo", ARGV("-T", "4", "-vn", "0", "-T", "2"), 0, "-v -n 0\n");
}

TEST(other_options_are_refused)
{
	expect("/bin/echo", ARGV("-n", "0", "--memory", "1G"), 3,
	       "ditadd: slapadd loads the config database, and has no --memory\n");
	expect("/bin/echo", ARGV("-n", "0", "--memo", "1G"), 3,
	       "ditadd: slapadd loads the config database, and has no --memory\n");
	expect("/bin/echo", ARGV("-u", "-n", "0"), 3,
	       "ditadd: slapadd loads the config database, and has no -u\n");
	expect("/bin/echo", ARGV("-l", "a", "-l", "b", "-n", "0"), 3,
	       "ditadd: slapadd loads the config database, and takes one -l\n");
}

TEST(a_slapd_that_is_not_there_is_told)
{
	expect("/nonexistent", ARGV("-n", "0"), 3,
	       "ditadd: slapadd loads the config database; /nonexistent: No such file or "
	       "directory\n");
}

TEST(the_config_database_is_named_by_number_or_suffix)
{
	struct common_options options = {.database = -1};

	assert_false(config_database_is_meant(&options));
	options.database = 1;
	assert_false(config_database_is_meant(&options));
	options.database = 0;
	assert_true(config_database_is_meant(&options));
	options.database = -1;
	options.suffix = "cn=Config";
	assert_true(config_database_is_meant(&options));
	options.suffix = "cn=config,dc=x";
	assert_false(config_database_is_meant(&options));
}
