/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A data file of any LMDB format, mapped for reading without liblmdb: which format, which
 * of the two meta pages counts, and where a page lies.
 *
 *   dit_page_map_open();  dit_tree_cursor_open() ...
 *   dit_page_map_close()
 *
 * The pages of a sealed file (page_seal.h) are not mapped: cursors read them.
 *
 * The file may be damaged: page numbers are checked. While the file is mapped, no process
 * may write to the pages of the state that counts, nor cut the file: then the reader is
 * killed (SIGBUS). So the caller keeps writers away, or is registered as a reader of this
 * state.
 *
 * Threads: constant after the opening; any thread reads.
 */
#ifndef DITKIT_PAGE_MAP_H
#define DITKIT_PAGE_MAP_H

#include "page/meta_pages.h"
#include "page/page_view.h"

struct dit_page_map {
	const struct dit_page_format *format;
	unsigned page_bytes;
	uint64_t npages;      /* that can be read: in use, and there */
	struct dit_meta meta; /* the one that counts */
	const char *bytes;    /* of npages pages; NULL: they are sealed */
	int fd;               /* borrowed */
};

/** Was it opened? */
static inline bool dit_page_map_is_open(const struct dit_page_map *map)
{
	return map->npages > 0;
}

/**
 * @param fd      of the data file; stays the caller's. That of a sealed file is open as
 *                long as the map, else it may be closed
 * @param format  of the file
 * @param metas   as they were when the newest of them counted; NULL: they are read now
 *
 * @return 0; DIT_E_CORRUPT: no such file can be; what dit_metas_read() returns; -errno
 */
int dit_page_map_open(struct dit_page_map *ret, int fd,
                      const struct dit_page_format *format,
                      const struct dit_metas *metas);
/** Closing twice is fine, and so is a map that is all zero. */
void dit_page_map_close(struct dit_page_map *map);

#endif
