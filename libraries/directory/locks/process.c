/* SPDX-License-Identifier: BSD-2-Clause */
#include "locks/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.h"
#include "system/file_io.h"

#define PATH_BYTES     40
#define ARGUMENT_BYTES 4096
#define STARTED_FIELD  22    /* of /proc/PID/stat: clock ticks since the system's start */
#define TICK_US        10000 /* USER_HZ is 100 */

/* ---- its files in /proc ---- */

/* @param pid  0: we */
static void make_path(long pid, const char *name, char ret[PATH_BYTES])
{
	if (pid == 0) {
		(void)snprintf(ret, PATH_BYTES, "/proc/self/%s", name);
	} else {
		(void)snprintf(ret, PATH_BYTES, "/proc/%ld/%s", pid, name);
	}
}

/* The beginning of a file, with a zero byte at the end. @return its length, or -errno */
static ssize_t read_of(long pid, const char *name, char *ret, size_t size)
{
	char path[PATH_BYTES];
	ssize_t n = 0;
	int fd = -1;

	make_path(pid, name, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -errno : dit_read_at(fd, ret, size - 1, 0);
	dit_close(fd);
	ret[n > 0 ? n : 0] = '\0';
	return n;
}

void dit_process_name(long pid, char ret[DIT_PROCESS_NAME_BYTES])
{
	char name[64];

	(void)read_of(pid, "comm", name, sizeof(name));
	name[strcspn(name, "\n")] = '\0';
	/* The name is the choice of the user who made the process. */
	for (char *c = name; *c != '\0'; c++) {
		*c = *c >= ' ' && *c <= '~' ? *c : '?';
	}
	(void)snprintf(ret, DIT_PROCESS_NAME_BYTES, "%s%sprocess %ld", name,
	               name[0] == '\0' ? "" : ", ", pid);
}

/* ---- mappings ---- */

/* A line: "7f00-7f80 r--s 00000000 fe:00 1234    /var/lib/ldap/data.mdb". */
struct mapping {
	uint64_t first;
	uint64_t end;
	uint64_t offset; /* in the file */
	char file[DIT_PROCESS_FILE_BYTES];
};

/* The lines of a process, one after the other. Zero: none is open. */
struct maps {
	FILE *file;
	char *line;
	size_t size;
};

static int open_maps(struct maps *ret, long pid)
{
	char path[PATH_BYTES];

	make_path(pid, "maps", path);
	*ret = (struct maps){.file = fopen(path, "re")};
	return ret->file == NULL ? -errno : 0;
}

static void close_maps(struct maps *maps)
{
	if (maps->file != NULL) {
		(void)fclose(maps->file);
	}
	free(maps->line);
}

/* 1; 0: that was all; -errno */
static int next_mapping(struct maps *maps, struct mapping *ret)
{
	char device[16] = "";
	unsigned long inode = 0;

	errno = 0;
	if (getline(&maps->line, &maps->size, maps->file) < 0) {
		return -errno;
	}
	*ret = (struct mapping){.first = 0};
	(void)sscanf(maps->line, "%lx-%lx %*s %lx %15s %lu", &ret->first, &ret->end,
	             &ret->offset, device, &inode);
	(void)snprintf(ret->file, sizeof(ret->file), "%s %lu", device, inode);
	return 1;
}

int dit_process_mapped(long pid, const char *file, uint64_t *ret)
{
	struct maps maps;
	struct mapping mapping = {.first = 0};
	uint64_t last = 0;
	int r = open_maps(&maps, pid);

	while (r >= 0 && (r = next_mapping(&maps, &mapping)) > 0) {
		uint64_t end = mapping.offset + (mapping.end - mapping.first);

		last = strcmp(mapping.file, file) == 0 && end > last ? end : last;
	}
	close_maps(&maps);
	if (r == 0) {
		*ret = last;
	}
	return r;
}

int dit_process_file(int fd, char ret[DIT_PROCESS_FILE_BYTES])
{
	void *page = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
	uint64_t address = (uint64_t)(uintptr_t)page;
	struct maps maps = {.file = NULL};
	struct mapping mapping = {.first = 0};
	int r = page == MAP_FAILED ? -errno : open_maps(&maps, 0);

	ret[0] = '\0';
	while (r >= 0 && ret[0] == '\0' && (r = next_mapping(&maps, &mapping)) > 0) {
		if (address >= mapping.first && address < mapping.end) {
			(void)snprintf(ret, DIT_PROCESS_FILE_BYTES, "%s", mapping.file);
		}
	}
	close_maps(&maps);
	if (page != MAP_FAILED) {
		(void)munmap(page, 1);
	}
	return r < 0 ? r : ret[0] == '\0' ? -ENOENT : 0;
}

/* ---- arguments ---- */

/* 0: it is not known. The name, in brackets, may have brackets and spaces. */
static uint64_t started_us(long pid)
{
	char text[1024];
	const char *at = NULL;

	(void)read_of(pid, "stat", text, sizeof(text));
	at = strrchr(text, ')');
	for (unsigned field = 2; at != NULL && field < STARTED_FIELD; field++) {
		at = strchr(at + 1, ' ');
	}
	return at == NULL ? 0
	                  : dit_clock_us(CLOCK_REALTIME) - dit_clock_us(CLOCK_BOOTTIME) +
	                            strtoull(at + 1, NULL, 10) * TICK_US;
}

/* The configuration, as an argument of its own or not. A slapd that has another root
 * directory ("-r") means another file. */
static bool names_conf(const char *arguments, const char *end, const char *conf)
{
	bool is_named = false;

	for (const char *at = arguments; at < end; at += strlen(at) + 1) {
		const char *value = at + 2;

		if (strncmp(at, "-r", 2) == 0) {
			return false;
		}
		if (strncmp(at, "-f", 2) != 0 && strncmp(at, "-F", 2) != 0) {
			continue;
		}
		if (value[0] == '\0' && value + 1 < end) {
			value++;
		}
		is_named |= strcmp(value, conf) == 0;
	}
	return is_named;
}

bool dit_process_has_conf(long pid, const char *conf, uint64_t from_us, uint64_t to_us)
{
	char arguments[ARGUMENT_BYTES];
	uint64_t us = started_us(pid); /* a tick too early at most */
	ssize_t n = 0;

	if (conf == NULL || conf[0] != '/' || us <= from_us || us + TICK_US >= to_us) {
		return false;
	}
	n = read_of(pid, "cmdline", arguments, sizeof(arguments));
	return n > 0 && names_conf(arguments, arguments + n, conf);
}

/* ---- who has locked a file ---- */

/* "1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF"; those in line begin with "->". Some
 * file systems without a device (0) show another number there than by fstat(). */
long dit_process_with_flock(int fd)
{
	FILE *locks = fopen("/proc/locks", "re");
	unsigned long number = 0;
	unsigned device[2];
	char line[200];
	long holder = 0;
	struct stat st;

	while (locks != NULL && holder == 0 && fstat(fd, &st) == 0 &&
	       fgets(line, sizeof(line), locks) != NULL) {
		if (sscanf(line, "%*s FLOCK %*s %*s %ld %x:%x:%lu", &holder, &device[0],
		           &device[1], &number) != 4 ||
		    number != st.st_ino || device[0] != major(st.st_dev) ||
		    (device[0] != 0 && device[1] != minor(st.st_dev))) {
			holder = 0;
		}
	}
	if (locks != NULL) {
		(void)fclose(locks);
	}
	return holder;
}
