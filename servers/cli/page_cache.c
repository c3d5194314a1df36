/* SPDX-License-Identifier: BSD-2-Clause */
#include "page_cache.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The system reads a piece of this size at once, however large a request is. */
#define PIECE_BYTES ((off_t)2 << 20)

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

uint64_t page_cache_file_max(void)
{
	return page_cache_room() / 2;
}

void page_cache_warm(const struct page_cache_warming *warming, const char *directory,
                     uint64_t bytes, uint64_t kept_bytes)
{
	off_t first = (off_t)kept_bytes;
	off_t end = 0;
	char path[PATH_MAX];
	struct stat status;
	int fd = -1;

	if (bytes == 0 || bytes > page_cache_file_max() ||
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
	/* slapadd -q and slapindex -q leave a file of maxsize bytes, mostly a hole. */
	end = (uint64_t)status.st_size < bytes ? status.st_size : (off_t)bytes;
	for (off_t at = first; at < end && *warming->stop == 0; at += PIECE_BYTES) {
		meter_show_last(warming->meter, (uint64_t)(at - first),
		                (uint64_t)(end - first));
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
