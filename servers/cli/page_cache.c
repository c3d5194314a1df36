/* SPDX-License-Identifier: BSD-2-Clause */
#include "page_cache.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The system reads a piece of this size at once, however large a request is. */
#define PIECE_BYTES ((off_t)2 << 20)

int page_cache_read(enum page_cache_mode *mode, const char *text)
{
	if (text == NULL) {
		*mode = PAGE_CACHE_THROUGH;
	} else if (strcmp(text, "warm") == 0) {
		*mode = PAGE_CACHE_WARM;
	} else if (strcmp(text, "cold") == 0) {
		*mode = PAGE_CACHE_COLD;
	} else {
		return -1;
	}
	return 0;
}

uint64_t page_cache_room(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[256];

	if (file == NULL) {
		return 0;
	}
	while (fgets(line, sizeof(line), file) != NULL &&
	       sscanf(line, "MemAvailable: %llu", &kib) != 1) {
	}
	(void)fclose(file);
	return (uint64_t)kib << 10;
}

/* Half of the room is left to slapd and to others. */
static bool is_wanted(enum page_cache_mode mode, uint64_t bytes)
{
	return bytes > 0 && (mode == PAGE_CACHE_WARM ||
	                     (mode == PAGE_CACHE_AUTO && bytes <= page_cache_room() / 2));
}

void page_cache_warm(const struct page_cache_warming *warming, const char *directory,
                     uint64_t bytes, uint64_t kept_bytes)
{
	off_t first = warming->mode == PAGE_CACHE_AUTO ? (off_t)kept_bytes : 0;
	char path[PATH_MAX];
	struct stat status;
	int fd = -1;

	if (!is_wanted(warming->mode, bytes) ||
	    (size_t)snprintf(path, sizeof(path), "%s/data.mdb", directory) >=
	            sizeof(path)) {
		return;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) {
		return;
	}
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		(void)close(fd);
		return;
	}
	for (off_t at = first; at < status.st_size && *warming->stop == 0;
	     at += PIECE_BYTES) {
		meter_show_last(warming->meter, (uint64_t)(at - first),
		                (uint64_t)(status.st_size - first));
		(void)posix_fadvise(fd, at, PIECE_BYTES, POSIX_FADV_WILLNEED);
	}
	(void)close(fd);
	if (*warming->stop != 0) {
		meter_break(warming->meter);
		(void)fprintf(stderr,
		              "%s: interrupted while %s was read into the page cache; "
		              "the database is complete\n",
		              warming->meter->plan.program, path);
	}
}
