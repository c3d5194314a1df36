/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure: run a command and write down what it cost, as one line of key=value words.
 *
 *   measure RESULT-FILE COMMAND [ARGUMENT...]
 *
 *   wall_s=1.234 cpu_s=2.345 system_s=0.345 rss_kib=123456 anon_kib=45678 temp_kib=910
 *   switches=789
 *
 * cpu_s is user and system time, system_s the latter alone; switches are the voluntary
 * context switches, one for each time that a thread waited for another or for a disk.
 * rss_kib is the largest resident set, pages of a mapped database included; anon_kib is
 * the largest anonymous part of it, what the program asked for itself. The kernel keeps
 * the first; the second is sampled from /proc every SAMPLE_MS, so a shorter peak is
 * missed. temp_kib is the most that open files without a name occupied on disk, sampled
 * every TEMP_SAMPLES times. Where there is no /proc, both are 0. The exit status is the
 * command's.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAMPLE_MS     10
#define TEMP_SAMPLES  5
#define EXIT_NO_START 127 /* as the shell says */

static double now_s(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double timeval_s(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/** Anonymous resident memory of a process now, in KiB; 0 if it cannot be told. */
static long anonymous_kib(pid_t pid)
{
	char path[64];
	char line[256];
	long kib = 0;

	(void)snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	FILE *f = fopen(path, "r");
	if (f == NULL) {
		return 0;
	}
	while (fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, "RssAnon:", 8) == 0) {
			kib = strtol(line + 8, NULL, 10);
			break;
		}
	}
	(void)fclose(f);
	return kib;
}

/** Disk space of a process's open files that have no name any more, in KiB. */
static long nameless_kib(pid_t pid)
{
	char path[64];
	const struct dirent *entry = NULL;
	long blocks = 0;

	(void)snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
	DIR *dir = opendir(path);
	if (dir == NULL) {
		return 0;
	}
	while ((entry = readdir(dir)) != NULL) {
		struct stat st;

		if (fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 &&
		    S_ISREG(st.st_mode) && st.st_nlink == 0) {
			blocks += st.st_blocks;
		}
	}
	(void)closedir(dir);
	return blocks / 2;
}

/** Largest values seen. */
struct peaks {
	long anon_kib;
	long temp_kib;
};

static void raise_peak(long *peak, long value)
{
	*peak = value > *peak ? value : *peak;
}

/** Wait for the child, sampling; SIGCHLD (blocked) cuts the last nap short. */
static int wait_sampling(pid_t pid, const sigset_t *chld, struct rusage *ret_usage,
                         struct peaks *ret)
{
	const struct timespec nap = {.tv_nsec = SAMPLE_MS * 1000000L};
	int status = 0;

	for (unsigned n = 0; wait4(pid, &status, WNOHANG, ret_usage) == 0; n++) {
		raise_peak(&ret->anon_kib, anonymous_kib(pid));
		if (n % TEMP_SAMPLES == 0) {
			raise_peak(&ret->temp_kib, nameless_kib(pid));
		}
		(void)sigtimedwait(chld, NULL, &nap);
	}
	return status;
}

static int write_result(const char *path, double wall_s, const struct rusage *usage,
                        const struct peaks *peaks)
{
	FILE *f = fopen(path, "w");

	if (f == NULL) {
		perror(path);
		return -1;
	}
	(void)fprintf(f,
	              "wall_s=%.3f cpu_s=%.3f system_s=%.3f rss_kib=%ld anon_kib=%ld "
	              "temp_kib=%ld switches=%ld\n",
	              wall_s, timeval_s(usage->ru_utime) + timeval_s(usage->ru_stime),
	              timeval_s(usage->ru_stime), usage->ru_maxrss, peaks->anon_kib,
	              peaks->temp_kib, usage->ru_nvcsw);
	if (fclose(f) != 0) {
		perror(path);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct rusage usage = {0};
	sigset_t chld;
	sigset_t before;
	struct peaks peaks = {0, 0};

	if (argc < 3) {
		(void)fprintf(stderr,
		              "usage: measure RESULT-FILE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	(void)sigemptyset(&chld);
	(void)sigaddset(&chld, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &chld, &before);

	double start = now_s();
	pid_t pid = fork();
	if (pid < 0) {
		perror("fork");
		return 2;
	}
	if (pid == 0) {
		(void)sigprocmask(SIG_SETMASK, &before, NULL);
		(void)execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(EXIT_NO_START);
	}

	int status = wait_sampling(pid, &chld, &usage, &peaks);
	double wall_s = now_s() - start;

	if (write_result(argv[1], wall_s, &usage, &peaks) < 0) {
		return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
