/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page_map.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/error.h"
#include "page/meta_pages.h"

static int read_metas(int fd, uint64_t transaction, struct dit_page_map *map)
{
	const struct dit_meta *meta = NULL;
	struct dit_metas metas;
	int r = dit_metas_read(fd, map->format, &metas);

	if (r != 0) {
		return r;
	}
	meta = transaction == DIT_PAGE_MAP_NEWEST ? dit_metas_newest(&metas)
	                                          : dit_metas_of(&metas, transaction);
	if (meta == NULL) {
		return -ESTALE;
	}
	map->page_bytes = metas.page_bytes;
	map->meta = *meta;
	return 0;
}

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
                      const struct dit_page_format *format, uint64_t transaction)
{
	struct dit_page_map map = {.format = format};
	int r = read_metas(fd, transaction, &map);

	if (r == 0) {
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
