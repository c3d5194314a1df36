/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of memory.h: the smallest limit counts, whoever has set it; groups limit those
 * that are in them; what cannot be read or is "max" is no limit; memory that is available
 * is not more than the limit; memory in use grows with what the process touches.
 */
#include "test.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include "base/memory.h"

#define MIB ((uint64_t)1 << 20)

/* ---- a system whose files are ours ---- */

static const char *root = ""; /* in front of paths below /proc and /sys */
static long npages;           /* of the machine; 0: those that it has */

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
long __real_sysconf(int name);
long __wrap_sysconf(int name);

FILE *__wrap_fopen(const char *path, const char *mode)
{
	char ours[4400];

	(void)snprintf(ours, sizeof(ours), "%s%s", root, path);
	return __real_fopen(ours, mode);
}

long __wrap_sysconf(int name)
{
	return name == _SC_PHYS_PAGES && npages != 0 ? npages : __real_sysconf(name);
}

static void machine_has(uint64_t mib)
{
	npages = (long)(mib * MIB) / __real_sysconf(_SC_PAGESIZE);
}

/* A file with this text, and the directories on the way. */
static void put(const char *name, const char *text)
{
	char path[4400];
	FILE *file = NULL;

	(void)snprintf(path, sizeof(path), "%s%s", root, name);
	for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		(void)mkdir(path, 0700);
		*at = '/';
	}
	file = __real_fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* ---- tests ---- */

TEST(the_smallest_limit_counts)
{
	char *dir = test_scratch();
	struct rlimit before;
	struct rlimit less;

	root = dir;
	npages = -1;
	assert_true(dit_memory_limit() == UINT64_MAX);
	machine_has(8192);
	assert_int_equal(dit_memory_limit(), 8192 * MIB);
	assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
	less = before;
	less.rlim_cur = 512 * MIB;
	assert_int_equal(setrlimit(RLIMIT_DATA, &less), 0);
	assert_int_equal(dit_memory_limit(), 512 * MIB);
	assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
	root = "";
	npages = 0;
}

TEST(groups_limit_those_that_are_in_them)
{
	static const struct {
		const char *cgroup; /* the file */
		uint64_t limit;     /* MiB */
	} cases[] = {
		{"0::/\n", 4000},
		{"0::/job\n", 3000},
		{"0::/job/step\n", 3000},
		{"0::/job/step/task\n", 1000},
		{"0::/gone/child\n", 4000},
		{"9:name=systemd:/\n4:memory:/job/step/task\n", 500},
		{"4:memory:/job/other\n0::/job/step\n", 2000},
		{"4:memory:/gone\n", 8192},
		{"9:name=systemd:/\n0::/job/step/task\n", 1000},
		{"", 8192},
	};
	char *dir = test_scratch();

	root = dir;
	machine_has(8192);
	put("/sys/fs/cgroup/memory.max", "4194304000\n");
	put("/sys/fs/cgroup/job/memory.max", "3145728000\n");
	put("/sys/fs/cgroup/job/step/memory.max", "max\n");
	put("/sys/fs/cgroup/job/step/task/memory.max", "1048576000\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2097152000\n");
	put("/sys/fs/cgroup/memory/job/step/task/memory.limit_in_bytes", "524288000\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put("/proc/self/cgroup", cases[i].cgroup);
		assert_int_equal(dit_memory_limit(), cases[i].limit * MIB);
	}
	root = "";
	npages = 0;
}

TEST(the_process_uses_memory)
{
	uint64_t before = dit_memory_in_use();
	size_t bytes = 64 << 20;
	char *memory = test_alloc(bytes);

	for (size_t i = 0; i < bytes; i += 512) {
		((volatile char *)memory)[i] = 1;
	}
	assert_true(before > 0);
	assert_true(dit_memory_in_use() >= before + bytes / 2);
	root = "/nowhere";
	assert_int_equal(dit_memory_in_use(), 0);
	root = "";
}
