/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/ticker.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void dit_tick(struct dit_ticker *ticker)
{
	struct timespec now;
	uint64_t now_ms = 0;

	if (ticker == NULL || ticker->tell == NULL) {
		return;
	}
	/* Some milliseconds of error do no harm. */
	(void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	if (now_ms - ticker->told_ms >= DIT_TICK_MS) {
		ticker->told_ms = now_ms;
		ticker->tell(ticker->ctx);
	}
}

/* proc(5): pages in all, in memory, and of these the pages of files. */
uint64_t dit_memory_in_use(void)
{
	char text[128];
	char *at = text;
	unsigned long long pages[3] = {0};
	long page_bytes = sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0) {
		(void)close(fd);
	}
	if (n <= 0 || page_bytes <= 0) {
		return 0;
	}
	text[n] = '\0';
	for (size_t i = 0; i < 3; i++) {
		pages[i] = strtoull(at, &at, 10);
	}
	return pages[1] < pages[2] ? 0 : (pages[1] - pages[2]) * (uint64_t)page_bytes;
}
