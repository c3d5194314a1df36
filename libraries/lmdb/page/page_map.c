/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page_map.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/error.h"

static int map_pages(int fd, struct dit_page_map *map)
{
	uint64_t last = map->meta.last_page;
	struct stat status;
	uint64_t there = 0;
	void *bytes = NULL;

	if (fstat(fd, &status) != 0) {
		return -errno;
	}
	there = (uint64_t)status.st_size / map->page_bytes;
	if (there < 2 || last < 1) {
		return DIT_E_CORRUPT;
	}
	map->npages = last < there ? last + 1 : there;
	map->fd = fd;
	if (map->format->crypto != NULL) {
		return 0;
	}
	bytes = mmap(NULL, map->npages * map->page_bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED) {
		return -errno;
	}
	map->bytes = bytes;
	return 0;
}

int dit_page_map_open(struct dit_page_map *ret, int fd,
                      const struct dit_page_format *format, const struct dit_metas *metas)
{
	struct dit_page_map map = {.format = format};
	struct dit_metas there;
	int r = metas == NULL ? dit_metas_read(fd, format, &there) : 0;

	metas = metas == NULL ? &there : metas;
	if (r == 0) {
		map.page_bytes = metas->page_bytes;
		map.meta = *dit_metas_newest(metas);
		r = map_pages(fd, &map);
	}
	if (r == 0) {
		*ret = map;
	}
	return r;
}

void dit_page_map_close(struct dit_page_map *map)
{
	if (map->bytes != NULL) {
		(void)munmap((void *)map->bytes, map->npages * map->page_bytes);
	}
	*map = (struct dit_page_map){.bytes = NULL};
}
