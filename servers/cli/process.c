/* SPDX-License-Identifier: BSD-2-Clause */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ditkit/path.h>

#include "arguments.h"

#define STACK_BYTES (256u << 10)

/* ---- limits ---- */

void common_raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int need_stack(void)
{
	struct rlimit limit;
	pthread_attr_t threads;
	rlim_t max = 0;

	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= STACK_BYTES) {
		return 0;
	}
	max = limit.rlim_max;
	limit.rlim_cur = STACK_BYTES;
	limit.rlim_max = max < STACK_BYTES ? STACK_BYTES : max; /* root may */
	if (setrlimit(RLIMIT_STACK, &limit) < 0) {
		return common_say(
			-1,
			"the stack may have %lu KiB, and needs %u KiB: raise the "
			"limit (ulimit -s)",
			max >> 10, STACK_BYTES >> 10);
	}
	/* glibc took the old limit for the stacks of threads. */
	if (pthread_attr_init(&threads) == 0) {
		(void)pthread_attr_setstacksize(&threads, STACK_BYTES);
		(void)pthread_setattr_default_np(&threads);
		(void)pthread_attr_destroy(&threads);
	}
	return 0;
}

/* glibc's malloc gives each thread an arena of its own: 64 MiB of address space. */
static void spare_address_space(void)
{
#ifdef M_ARENA_MAX
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		(void)mallopt(M_ARENA_MAX, 1);
	}
#endif
}

int common_start(const char *program, int failed, common_main_fn run, int argc,
                 char *argv[])
{
	int status = 0;

	program_invocation_short_name = (char *)program;
	spare_address_space();
	(void)setvbuf(stderr, NULL, _IOLBF, 0); /* a line is one write */
	status = need_stack() < 0 ? failed : run(argc, argv);
	return status == 0 && common_flush_output() < 0 ? failed : status;
}

/* ---- signals ---- */

/* Set by the handlers, which have no argument to carry them. */
static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t requested;

static void on_signal(int number)
{
	interrupted = number;
}

static void say(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n;
}

/*
 * The system cannot give a page of a mapped file: data.mdb, or lock.mdb, which is written
 * to. Whatever the program was about to change is as after a kill.
 */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != BUS_ADRERR) {
		(void)signal(number, SIG_DFL); /* and again, to its end */
		return;
	}
	say(program_invocation_short_name);
	say(": a page of a mapped file cannot be read or written: the disk is full or "
	    "damaged, or somebody has cut the file\n");
	_exit(1);
}

/* Unless it is ignored. */
static void take(int number, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	struct sigaction old;

	if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
		(void)sigaction(number, &action, NULL);
	}
}

const volatile sig_atomic_t *common_catch_interrupts(void)
{
	struct sigaction bus = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	take(SIGINT, on_signal, (int)SA_RESETHAND);
	take(SIGTERM, on_signal, (int)SA_RESETHAND);
	take(SIGHUP, on_signal, (int)SA_RESETHAND);
	take(SIGPIPE, on_signal, 0); /* with each line that nobody reads */
	(void)sigaction(SIGBUS, &bus, NULL);
	(void)signal(SIGXFSZ, SIG_IGN);
	return &interrupted;
}

static void on_request(int number)
{
	requested = number;
}

volatile sig_atomic_t *common_catch_requests(void)
{
	take(SIGUSR1, on_request, SA_RESTART); /* it cuts no work short */
	return &requested;
}

/* ---- the owner of the directories ---- */

/*
 * The owner of a file is that of its directory. The way there is the one that the work
 * will take: no user whom root does not trust can lead it elsewhere.
 *
 * @return 1; 0: there is none; -errno after a message
 */
static int look_at(const char *path, struct stat *ret)
{
	char why[DIT_PATH_WHY_BYTES];
	const char *name = NULL;
	int fd = dit_path_open(path, why);
	int r = 0;

	if (fd == -ENOTDIR) {
		fd = dit_path_open_parent(path, &name, why);
	}
	if (fd < 0) {
		return why[0] == '\0' ? 0 : common_say(fd, "%s: %s", path, why);
	}
	r = fstat(fd, ret) == 0;
	(void)close(fd);
	return r;
}

/*
 * A directory that is not there is left to the code that opens it, for slapd's words. Its
 * owner can give a directory to groups of his own alone, so its group is his.
 *
 * @return 1; 0: none belongs to another user than root; -errno after a message
 */
static int find_owner(struct common_user *user, const char *const *directories, size_t n)
{
	const char *first = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct passwd *entry = NULL;
		struct stat status = {.st_uid = 0};
		int r = look_at(directories[i], &status);

		if (r < 0) {
			return r;
		}
		if (r == 0 || status.st_uid == 0) {
			continue;
		}
		if (first != NULL && status.st_uid != user->uid) {
			return common_say(
				-EPERM,
				"%s belongs to user %u, %s to user %u: root works as "
				"one user, so give both to one",
				first, (unsigned)user->uid, directories[i],
				(unsigned)status.st_uid);
		}
		if (first == NULL) {
			first = user->owned = directories[i];
			entry = getpwuid(status.st_uid);
			user->uid = status.st_uid;
			user->gid = entry == NULL ? status.st_gid : entry->pw_gid;
			(void)snprintf(user->name, sizeof(user->name), "%s",
			               entry == NULL ? "" : entry->pw_name);
		}
	}
	return first != NULL;
}

/* ---- becoming ---- */

/* Capabilities may have been kept, and with them the way back. */
static bool is_final(const struct common_user *user)
{
	uid_t uid[3];
	gid_t gid[3];

	return getresuid(&uid[0], &uid[1], &uid[2]) == 0 && uid[0] == user->uid &&
	       uid[1] == user->uid && uid[2] == user->uid &&
	       getresgid(&gid[0], &gid[1], &gid[2]) == 0 && gid[0] == user->gid &&
	       gid[1] == user->gid && gid[2] == user->gid && setresuid(0, 0, 0) < 0;
}

static int become(const struct common_user *user)
{
	int r = user->name[0] != '\0' ? initgroups(user->name, user->gid)
	                              : setgroups(1, &user->gid);

	if (r < 0 || setresgid(user->gid, user->gid, user->gid) < 0 ||
	    setresuid(user->uid, user->uid, user->uid) < 0) {
		r = -errno;
		return common_say(r, "cannot become user %u: %s", (unsigned)user->uid,
		                  strerror(-r));
	}
	if (!is_final(user)) {
		return common_say(
			-EPERM,
			"became user %u, but could become root again: this process "
			"was started with capabilities that survive",
			(unsigned)user->uid);
	}
	/* The input may be secret: the user must not trace the process. */
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return 0;
}

static bool is_copy(const struct common_user *user, const char *directory)
{
	return !user->writes && strcmp(directory, user->owned) != 0;
}

/* Root may read a copy of its own, and the owner of the database not. */
static int refuse_copy(const struct common_user *user, const char *directory)
{
	return common_say(
		-EACCES,
		"%s: Permission denied for user %u, as whom root works since %s "
		"belongs to that user: \"chown -R --reference=%s %s\"",
		directory, (unsigned)user->uid, user->owned, user->owned, directory);
}

/* slapadd as root leaves such files. */
static int check_file(const struct common_user *user, const char *directory,
                      const char *name)
{
	char path[PATH_MAX];
	struct stat status;

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path) ||
	    access(path, user->writes ? R_OK | W_OK : R_OK) == 0 || errno != EACCES ||
	    stat(path, &status) < 0) {
		return 0;
	}
	if (is_copy(user, directory)) {
		return refuse_copy(user, directory);
	}
	return common_say(
		-EACCES,
		"%s belongs to user %u and user %u may not open it, so neither may a "
		"slapd of that user: \"chown --reference=%s %s\"",
		path, (unsigned)status.st_uid, (unsigned)user->uid, directory, path);
}

static int check_directory(const struct common_user *user, const char *directory)
{
	int r = 0;

	if (access(directory, user->writes ? R_OK | W_OK | X_OK : R_OK) < 0 &&
	    errno == EACCES) {
		return is_copy(user, directory)
		               ? refuse_copy(user, directory)
		               : common_say(-EACCES, "%s: Permission denied for user %u",
		                            directory, (unsigned)user->uid);
	}
	r = check_file(user, directory, "data.mdb");
	if (r == 0 && user->writes) {
		r = check_file(user, directory, "lock.mdb");
	}
	return r;
}

/* @return 0; -errno after a message */
static int become_other(const struct common_user *user, const char *const *directories,
                        size_t n)
{
	int r = become(user);

	for (size_t i = 0; i < n && r == 0; i++) {
		r = check_directory(user, directories[i]);
	}
	if (r == 0 && user->is_verbose) {
		(void)fprintf(stderr, "as user %u, group %u\n", (unsigned)user->uid,
		              (unsigned)user->gid);
	}
	return r;
}

int common_become_user(void *ctx, const char *const *directories, size_t n)
{
	struct common_user *user = ctx;
	int r = 0;

	user->was_root = geteuid() == 0;
	if (user->was_root) {
		r = find_owner(user, directories, n);
	}
	return r == 1 ? become_other(user, directories, n) : r;
}
