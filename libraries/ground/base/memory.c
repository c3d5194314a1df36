/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define GROUPS "/sys/fs/cgroup"

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The number that a file begins with; 0: there is none. */
static uint64_t number_in(const char *path)
{
	FILE *file = fopen(path, "re");
	uint64_t number = 0;
	int n = file == NULL ? 0 : fscanf(file, "%lu", &number);

	if (file != NULL) {
		(void)fclose(file);
	}
	return n == 1 ? number : 0;
}

static uint64_t machine_bytes(void)
{
	long npages = sysconf(_SC_PHYS_PAGES);
	long page_bytes = sysconf(_SC_PAGESIZE);

	return npages <= 0 || page_bytes <= 0 ? UINT64_MAX
	                                      : (uint64_t)npages * (uint64_t)page_bytes;
}

static uint64_t process_limit(int resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY
	               ? UINT64_MAX
	               : limit.rlim_cur;
}

/* The two versions of cgroups(7). A line of /proc/self/cgroup is
 * NUMBER:CONTROLLERS:GROUP. */
static const struct hierarchy {
	const char *controllers;
	const char *directory;
	const char *file; /* of a group: how many bytes it may have */
} hierarchies[] = {
	{"", GROUPS, "memory.max"},
	{"memory", GROUPS "/memory", "memory.limit_in_bytes"},
};

/* The group of the process, as a path below the directory of the hierarchy. */
static bool find_group(const struct hierarchy *hierarchy, char *ret, size_t size)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	size_t len = strlen(hierarchy->controllers);
	const char *name = NULL;
	bool is_found = false;

	if (file == NULL) {
		return false;
	}
	while (!is_found && fgets(ret, (int)size, file) != NULL) {
		ret[strcspn(ret, "\n")] = '\0';
		name = strchr(ret, ':');
		is_found = name != NULL &&
		           strncmp(name + 1, hierarchy->controllers, len) == 0 &&
		           strncmp(name + 1 + len, ":/", 2) == 0;
	}
	(void)fclose(file);
	if (is_found) {
		name += len + 2;
		memmove(ret, name, strlen(name) + 1);
	}
	return is_found;
}

/* A group has no more than those that it is in. */
static uint64_t group_limit(const struct hierarchy *hierarchy)
{
	char group[PATH_MAX];
	char path[PATH_MAX + 64];
	uint64_t limit = UINT64_MAX;
	char *end = find_group(hierarchy, group, sizeof(group)) ? group : NULL;

	while (end != NULL) {
		uint64_t bytes = 0;

		(void)snprintf(path, sizeof(path), "%s%s/%s", hierarchy->directory, group,
		               hierarchy->file);
		bytes = number_in(path);
		limit = bytes > 0 ? smaller(limit, bytes) : limit;
		end = strrchr(group, '/');
		if (end != NULL) {
			*end = '\0';
		}
	}
	return limit;
}

uint64_t dit_memory_limit(void)
{
	uint64_t of_process =
		smaller(process_limit(RLIMIT_AS), process_limit(RLIMIT_DATA));
	uint64_t of_groups =
		smaller(group_limit(&hierarchies[0]), group_limit(&hierarchies[1]));

	return smaller(machine_bytes(), smaller(of_process, of_groups));
}

uint64_t dit_memory_in_use(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	uint64_t all = 0;
	uint64_t shared = 0;
	long page_bytes = sysconf(_SC_PAGESIZE);
	int n = 0;

	if (file == NULL) {
		return 0;
	}
	n = fscanf(file, "%*u %lu %lu", &all, &shared);
	(void)fclose(file);
	return n != 2 || page_bytes <= 0 || all < shared
	               ? 0
	               : (all - shared) * (uint64_t)page_bytes;
}
