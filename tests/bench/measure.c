/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure: run a command and write down what it cost, as one line of key=value words.
 *
 *   measure RESULT-FILE COMMAND [ARGUMENT...]
 *
 *   wall_s=1.234 cpu_s=2.345 system_s=0.345 rss_kib=123456 anon_kib=45678 temp_kib=910
 *   switches=789 read_kib=1112 written_kib=1314 main_cpu_s=0.456 main_queue_s=0.012
 *   main_sleep_s=0.766 tool_cpu_s=...
 *
 * cpu_s is user and system time, system_s the latter alone; switches are the voluntary
 * context switches, one for each time that a thread waited for another or for a disk.
 * rss_kib is the largest resident set, pages of a mapped database included; anon_kib is
 * the largest anonymous part of it, what the program asked for itself. The kernel keeps
 * the first; the second is sampled from /proc every SAMPLE_MS, so a shorter peak is
 * missed. temp_kib is the most that open files without a name occupied on disk, sampled
 * every TEMP_SAMPLES times. Where there is no /proc, both are 0. read_kib and written_kib
 * are what the command read from disks and gave to them, the page cache aside.
 *
 * The last words add up the threads of each name. "main" is the first thread; a number
 * at the end of a name is left out, so tool-0 and tool-1 are "tool". cpu is time on a
 * processor, queue the time a thread waited for a processor, sleep the time it waited for
 * another thread or a disk. The last SAMPLE_MS of a thread are missed, those of the first
 * thread are not. Where the kernel has no schedstat, these words are missing.
 *
 * The exit status is the command's.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
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
#define MAX_THREADS   512 /* more are not looked at */
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

/** A thread, or all threads of one name, when seen last. */
struct thread {
	long tid;
	char name[17];  /* the kernel's limit and a newline */
	double begin_s; /* seen first */
	double cpu_s;
	double queue_s;
	double sleep_s;
};

/** The largest values of all samples, and all threads ever seen. */
struct samples {
	long anon_kib;
	long temp_kib;
	unsigned nthreads;
	struct thread threads[MAX_THREADS];
};

/** The thread of that number; a new one is added; NULL if there are too many. */
static struct thread *thread_of(struct samples *samples, long tid)
{
	for (unsigned i = 0; i < samples->nthreads; i++) {
		if (samples->threads[i].tid == tid) {
			return &samples->threads[i];
		}
	}
	if (samples->nthreads == MAX_THREADS) {
		return NULL;
	}
	struct thread *thread = &samples->threads[samples->nthreads++];
	thread->tid = tid;
	thread->begin_s = now_s();
	return thread;
}

/** A file about a thread; false if there is none any more. */
static bool read_text(int task, const char *tid, const char *file, char *ret, size_t size)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%s/%s", tid, file);
	int fd = openat(task, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return false;
	}
	ssize_t n = read(fd, ret, size - 1);
	(void)close(fd);
	ret[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/** "tool-12\n" -> "tool"; a blank ends the name, because it ends a word of the result. */
static void cut_name(char *name)
{
	size_t n = strcspn(name, " \n");

	while (n > 0 && strchr("0123456789-", name[n - 1]) != NULL) {
		n--;
	}
	name[n] = '\0';
}

static void sample_thread(struct samples *samples, pid_t pid, int task, const char *tid)
{
	char name[sizeof(samples->threads[0].name)];
	char times[64];

	if (!read_text(task, tid, "comm", name, sizeof(name)) ||
	    !read_text(task, tid, "schedstat", times, sizeof(times))) {
		return;
	}
	struct thread *thread = thread_of(samples, strtol(tid, NULL, 10));
	if (thread == NULL) {
		return;
	}
	/* A thread has the name of its maker until it is given its own. */
	cut_name(name);
	(void)snprintf(thread->name, sizeof(name), "%s",
	               thread->tid == (long)pid ? "main" : name);

	char *end = NULL;
	thread->cpu_s = (double)strtoull(times, &end, 10) / 1e9;
	thread->queue_s = (double)strtoull(end, NULL, 10) / 1e9;
	double sleep_s = now_s() - thread->begin_s - thread->cpu_s - thread->queue_s;
	thread->sleep_s = sleep_s > 0 ? sleep_s : 0;
}

static void sample_threads(struct samples *samples, pid_t pid)
{
	char path[64];
	const struct dirent *entry = NULL;

	(void)snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	DIR *dir = opendir(path);
	if (dir == NULL) {
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.') {
			sample_thread(samples, pid, dirfd(dir), entry->d_name);
		}
	}
	(void)closedir(dir);
}

/** Add the threads of one name to the first of them. */
static void add_up_names(struct samples *samples)
{
	unsigned nnames = 0;

	for (unsigned i = 0; i < samples->nthreads; i++) {
		const struct thread thread = samples->threads[i];
		unsigned n = 0;

		while (n < nnames && strcmp(samples->threads[n].name, thread.name) != 0) {
			n++;
		}
		if (n == nnames) {
			samples->threads[nnames++] = thread;
			continue;
		}
		samples->threads[n].cpu_s += thread.cpu_s;
		samples->threads[n].queue_s += thread.queue_s;
		samples->threads[n].sleep_s += thread.sleep_s;
	}
	samples->nthreads = nnames;
}

static void raise_peak(long *peak, long value)
{
	*peak = value > *peak ? value : *peak;
}

/** Has the child ended? It remains to be waited for. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       info.si_pid != 0;
}

/** Wait for the child, sampling; SIGCHLD (blocked) cuts the last nap short. The last look
 * is at a child that has ended: it tells all that its first thread has used. */
static int wait_sampling(pid_t pid, const sigset_t *chld, struct rusage *ret_usage,
                         struct samples *samples)
{
	const struct timespec nap = {.tv_nsec = SAMPLE_MS * 1000000L};
	int status = 0;
	bool is_over = false;

	for (unsigned n = 0; !is_over; n++) {
		is_over = has_ended(pid);
		raise_peak(&samples->anon_kib, anonymous_kib(pid));
		if (n % TEMP_SAMPLES == 0) {
			raise_peak(&samples->temp_kib, nameless_kib(pid));
		}
		sample_threads(samples, pid);
		if (!is_over) {
			(void)sigtimedwait(chld, NULL, &nap);
		}
	}
	(void)wait4(pid, &status, 0, ret_usage);
	add_up_names(samples);
	return status;
}

static int write_result(const char *path, double wall_s, const struct rusage *usage,
                        const struct samples *samples)
{
	FILE *f = fopen(path, "w");

	if (f == NULL) {
		perror(path);
		return -1;
	}
	(void)fprintf(f,
	              "wall_s=%.3f cpu_s=%.3f system_s=%.3f rss_kib=%ld anon_kib=%ld "
	              "temp_kib=%ld switches=%ld read_kib=%ld written_kib=%ld",
	              wall_s, timeval_s(usage->ru_utime) + timeval_s(usage->ru_stime),
	              timeval_s(usage->ru_stime), usage->ru_maxrss, samples->anon_kib,
	              samples->temp_kib, usage->ru_nvcsw, usage->ru_inblock / 2,
	              usage->ru_oublock / 2);
	for (unsigned i = 0; i < samples->nthreads; i++) {
		const struct thread *thread = &samples->threads[i];

		(void)fprintf(f, " %s_cpu_s=%.4f %s_queue_s=%.4f %s_sleep_s=%.4f",
		              thread->name, thread->cpu_s, thread->name, thread->queue_s,
		              thread->name, thread->sleep_s);
	}
	(void)fputc('\n', f);
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
	static struct samples samples;

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

	int status = wait_sampling(pid, &chld, &usage, &samples);
	double wall_s = now_s() - start;

	if (write_result(argv[1], wall_s, &usage, &samples) < 0) {
		return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
