/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of threads, from /proc. */
#include "thread_times.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of a thread. @return its length; 0: the thread is gone, or has no such file */
static size_t read_file(int tasks, const char *id, const char *name, char *text,
                        size_t size)
{
	char path[64];
	ssize_t n = 0;
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/%s", id, name);
	fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return 0;
	}
	n = read(fd, text, size - 1);
	(void)close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n < 0 ? 0 : (size_t)n;
}

static struct thread_time *find(struct thread_times *times, long id)
{
	struct thread_time *items = NULL;

	for (size_t i = 0; i < times->n; i++) {
		if (times->items[i].id == id) {
			return &times->items[i];
		}
	}
	items = reallocarray(times->items, times->n + 1, sizeof(*items));
	if (items == NULL) {
		return NULL;
	}
	times->items = items;
	items[times->n] = (struct thread_time){.id = id};
	return &items[times->n++];
}

static void look_at(struct thread_times *times, int tasks, const char *id,
                    uint64_t passed_us, unsigned phase)
{
	char text[128];
	uint64_t busy_ns = 0;
	uint64_t ready_ns = 0;
	struct thread_time *thread = NULL;
	struct thread_phase *sum = NULL;

	if (read_file(tasks, id, "schedstat", text, sizeof(text)) == 0 ||
	    sscanf(text, "%" SCNu64 " %" SCNu64, &busy_ns, &ready_ns) != 2) {
		return;
	}
	thread = find(times, strtol(id, NULL, 10));
	if (thread == NULL) {
		return;
	}
	if (read_file(tasks, id, "comm", thread->name, sizeof(thread->name)) > 0) {
		thread->name[strcspn(thread->name, "\n")] = '\0';
	}
	sum = &thread->phases[phase];
	sum->busy_us += busy_ns / 1000 - thread->busy_ns / 1000;
	sum->ready_us += ready_ns / 1000 - thread->ready_ns / 1000;
	sum->alive_us += passed_us;
	thread->busy_ns = busy_ns;
	thread->ready_ns = ready_ns;
}

void thread_times_look(struct thread_times *times, uint64_t now_us, unsigned phase)
{
	uint64_t passed_us = now_us - times->looked_us;
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task = NULL;

	times->looked_us = now_us;
	if (tasks == NULL || phase >= THREAD_TIMES_PHASES) {
		(void)(tasks != NULL && closedir(tasks));
		return;
	}
	while ((task = readdir(tasks)) != NULL) {
		if (task->d_name[0] != '.') {
			look_at(times, dirfd(tasks), task->d_name, passed_us, phase);
		}
	}
	(void)closedir(tasks);
}

void thread_times_deinit(struct thread_times *times)
{
	free(times->items);
	*times = (struct thread_times){.n = 0};
}
