/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much other processes have mapped: the one with the least counts, whoever may not be
 * looked at is asked for by a keeper, or counts as configured, or is not known.
 */
#include <sched.h>

#include "base/clock.h"
#include "files/fault.h"
#include "holder.h"
#include "locks/mapped.h"

#define KIB64   65536u
#define HOUR_US 3600000000u
#define CONF    "/c"

static char *dir;
static int lock_fd;
static int data_fd;
static char *argument; /* of this process, and of its holders until they change it */
static size_t argument_len;

/* ---- pauses ---- */

static const struct holder *late; /* maps in the second pause; NULL: none */
static unsigned npauses;

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
	(void)wanted, (void)left;
	if (++npauses == 2 && late != NULL) {
		holder_tell(late, 3);
	}
	return 0;
}

/* ---- a database ---- */

static int setup(void **state)
{
	char zeros[4096] = {0};

	(void)state;
	dir = test_scratch();
	for (unsigned i = 0; i < 2; i++) {
		char path[4200];

		(void)snprintf(path, sizeof(path), "%s/%s", dir,
		               i == 0 ? "lock.mdb" : "data.mdb");
		test_write_file(path, zeros, sizeof(zeros));
	}
	lock_fd = holder_file(dir, "lock.mdb");
	data_fd = holder_file(dir, "data.mdb");
	late = NULL;
	npauses = 0;
	return lock_fd < 0 || data_fd < 0;
}

static int teardown(void **state)
{
	(void)state;
	(void)close(lock_fd);
	(void)close(data_fd);
	return 0;
}

static struct dit_mapped_opts look_at_it(void)
{
	return (struct dit_mapped_opts){.lock_fd = lock_fd, .data_fd = data_fd};
}

static struct holder start(uint64_t map_bytes)
{
	return holder_start(&(struct holder_opts){.dir = dir, .map_bytes = map_bytes});
}

static void assert_mapped(const struct dit_mapped_opts *opts, uint64_t bytes, int error)
{
	struct dit_mapped mapped;

	assert_int_equal(dit_mapped_find(opts, &mapped), 0);
	assert_int_equal(mapped.error, error);
	assert_int_equal(mapped.bytes, bytes);
}

/* ---- who ---- */

FIXTURE_TEST(nobody_has_it_open)
{
	const struct dit_mapped_opts opts = look_at_it();

	assert_mapped(&opts, UINT64_MAX, 0);
}

FIXTURE_TEST(the_least_counts)
{
	const struct dit_mapped_opts opts = look_at_it();
	struct dit_mapped mapped;
	struct holder holders[3];
	char number[32];

	holders[0] = start(9 * KIB64);
	assert_mapped(&opts, 9 * KIB64, 0);
	/* None is a reader: fcntl(2) names one of them alone. */
	holders[1] = start(5 * KIB64);
	holders[2] = start(7 * KIB64);
	assert_int_equal(dit_mapped_find(&opts, &mapped), 0);
	assert_int_equal(mapped.bytes, 5 * KIB64);
	(void)snprintf(number, sizeof(number), ", process %ld", (long)holders[1].pid);
	assert_non_null(strstr(mapped.who, number));
	holder_end(&holders[1]);
	assert_mapped(&opts, 7 * KIB64, 0);
	holder_end(&holders[0]);
	holder_end(&holders[2]);
	assert_mapped(&opts, UINT64_MAX, 0);
	assert_int_equal(npauses, 0);
}

/* Our own locks, and those of our other tools. */
FIXTURE_TEST(locks_of_open_files_are_ours)
{
	const struct dit_mapped_opts opts = look_at_it();
	const struct holder_opts tool = {.dir = dir, .is_of_file = true};
	struct holder holders[2];

	holder_lock(lock_fd, F_OFD_SETLK, F_RDLCK, 0);
	holder_lock(lock_fd, F_OFD_SETLK, F_RDLCK, getpid());
	holders[0] = holder_start(&tool);
	assert_mapped(&opts, UINT64_MAX, 0);
	holders[1] = start(4 * KIB64);
	assert_mapped(&opts, 4 * KIB64, 0);
	holder_end(&holders[0]);
	holder_end(&holders[1]);
}

/* It has the lock before it maps. */
FIXTURE_TEST(a_process_that_begins_is_waited_for)
{
	const struct dit_mapped_opts opts = look_at_it();
	struct holder holder = start(0);

	assert_mapped(&opts, 0, -EAGAIN);
	assert_in_range(npauses, 10, 1000);
	npauses = 0;
	late = &holder;
	assert_mapped(&opts, 3 * KIB64, 0);
	assert_int_equal(npauses, 2);
	holder_end(&holder);
}

/* ---- who may not be looked at ---- */

/* As another user than root; the answer is found in a process of its own. */
static void assert_mapped_by_user(const struct dit_mapped_opts *opts, uint64_t bytes,
                                  int error)
{
	pid_t pid = test_fork();

	if (pid == 0) {
		struct dit_mapped mapped;

		holder_must(geteuid() != 0 || setuid(65534) == 0);
		holder_must(dit_mapped_find(opts, &mapped) == 0);
		_exit(mapped.bytes == bytes && mapped.error == error ? 0 : 1);
	}
	assert_int_equal(test_wait(pid), 0);
}

static void set_arguments(void)
{
	static const char arguments[] = "s\0-f\0" CONF;

	holder_must(argument_len >= sizeof(arguments));
	memset(argument, 0, argument_len);
	memcpy(argument, arguments, sizeof(arguments));
}

FIXTURE_TEST(a_configuration_counts_if_it_is_that_of_the_start)
{
	uint64_t now_us = dit_clock_us(CLOCK_REALTIME);
	const struct dit_mapped_conf good = {.path = CONF,
	                                     .changed_us = now_us - HOUR_US,
	                                     .read_us = now_us + HOUR_US,
	                                     .map_bytes = 77 * KIB64};
	struct dit_mapped_conf confs[] = {good, good, good, good, good};
	const struct holder_opts hidden = {.dir = dir,
	                                   .map_bytes = 8 * KIB64,
	                                   .is_hidden = true,
	                                   .begin = set_arguments};
	struct holder holder = holder_start(&hidden);
	struct dit_mapped_opts opts = look_at_it();

	confs[1].path = NULL;
	confs[2].path = "/cc";
	confs[3].changed_us = now_us + HOUR_US;  /* since the start */
	confs[4].read_us = now_us - HOUR_US / 2; /* before the start */
	for (unsigned i = 0; i < 5; i++) {
		opts.conf = confs[i];
		opts.is_encrypted = false;
		assert_mapped_by_user(&opts, i == 0 ? good.map_bytes : 0,
		                      i == 0 ? 0 : -EACCES);
		/* Its maps can be read, and say nothing. */
		opts.is_encrypted = true;
		if (geteuid() == 0) {
			assert_mapped(&opts, i == 0 ? good.map_bytes : 0,
			              i == 0 ? 0 : -ENOTSUP);
		}
	}
	holder_end(&holder);
}

FIXTURE_TEST(a_keeper_looks_for_a_user_who_may_not)
{
	const struct holder_opts hidden = {
		.dir = dir, .map_bytes = 6 * KIB64, .is_hidden = true};
	struct dit_mapped_opts opts = look_at_it();
	struct dit_keeper keeper = {.pid = 0};
	struct holder holder;

	if (geteuid() != 0) {
		skip();
	}
	assert_int_equal(dit_mapped_keeper_start(&keeper), 0);
	/* It comes after the keeper. */
	holder = holder_start(&hidden);
	assert_mapped_by_user(&opts, 0, -EACCES);
	opts.keeper = &keeper;
	assert_mapped_by_user(&opts, 6 * KIB64, 0);
	holder_end(&holder);
	dit_keeper_end(&keeper);
}

/* Only its locks show it: that on byte 0, or that of a reader. */
FIXTURE_TEST(a_process_that_is_not_seen_is_not_known)
{
	if (geteuid() != 0) {
		skip();
	}
	for (unsigned i = 0; i < 2; i++) {
		const struct dit_mapped_opts opts = look_at_it();
		const struct holder_opts outside = {
			.dir = dir, .map_bytes = 6 * KIB64, .is_reader = i == 1};
		struct holder holder = holder_start(&outside);
		pid_t pid = test_fork();

		if (pid == 0) {
			if (unshare(CLONE_NEWPID) == 0) {
				assert_mapped_by_user(&opts, 0, -ESRCH);
			}
			_exit(0);
		}
		assert_int_equal(test_wait(pid), 0);
		holder_end(&holder);
	}
}

/* ---- words ---- */

TEST(what_is_said_names_the_process_and_a_way_out)
{
	static const struct {
		struct dit_mapped mapped;
		const char *text;
	} cases[] = {
		{{.bytes = 36995072, .who = "slapd, process 12"},
	         "data.mdb is open in slapd, process 12, which has mapped 36995072 bytes "
	         "of it, too little for the old indexes and the new ones: start it again "
	         "with a larger maxsize"},
		{{.bytes = 4096, .who = "mdb_copy, process 12"},
	         "wait until it has ended"},
		{{.error = -EACCES, .who = "slapd, process 12"},
	         "start ditindex as root"},
		{{.error = -EPERM, .who = "slapd, process 12"}, "CAP_SYS_PTRACE"},
		{{.error = -ESRCH, .who = "a process of another container"},
	         "start ditindex where its processes are seen"},
		{{.error = -ENOTSUP, .who = "slapd, process 12"}, "it is encrypted"},
		{{.error = -EAGAIN, .who = "slapd, process 12"}, "try again"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_fault fault = {""};

		assert_int_equal(dit_mapped_say(&cases[i].mapped, &fault, -1), -1);
		if (strstr(fault.text, cases[i].text) == NULL ||
		    strstr(fault.text, cases[i].mapped.who) == NULL) {
			fail_msg("%s: %s", cases[i].text, fault.text);
		}
	}
}

int main(int argc, char **argv)
{
	assert_true(argc > 0);
	argument = argv[0];
	argument_len = strlen(argument);
	return test_run("tests", NULL, NULL);
}
