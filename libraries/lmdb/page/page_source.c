/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page_source.h"

#include <assert.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/grow.h"
#include "page/page_seal.h"
#include "system/file_io.h"

/* That are read with one call. */
#define UNIT_PAGES_MAX (1u << 14)

/* ---- mapped ---- */

static int map_pages(int fd, struct dit_page_source *source)
{
	uint64_t last = source->meta.last_page;
	struct stat status;
	uint64_t there = 0;
	void *bytes = NULL;

	if (fstat(fd, &status) != 0) {
		return -errno;
	}
	there = (uint64_t)status.st_size / source->page_bytes;
	if (there < 2 || last < 1) {
		return DIT_E_CORRUPT;
	}
	source->npages = last < there ? last + 1 : there;
	source->fd = fd;
	if (source->format->crypto != NULL) {
		return 0;
	}
	bytes = mmap(NULL, source->npages * source->page_bytes, PROT_READ, MAP_SHARED, fd,
	             0);
	if (bytes == MAP_FAILED) {
		return -errno;
	}
	source->map = bytes;
	return 0;
}

int dit_page_source_open(struct dit_page_source *ret, int fd,
                         const struct dit_page_format *format,
                         const struct dit_metas *metas)
{
	struct dit_page_source source = {.format = format};
	struct dit_metas there;
	int r = metas == NULL ? dit_metas_read(fd, format, &there) : 0;

	metas = metas == NULL ? &there : metas;
	if (r == 0) {
		source.page_bytes = metas->page_bytes;
		source.meta = *dit_metas_newest(metas);
		r = map_pages(fd, &source);
	}
	if (r == 0) {
		*ret = source;
	}
	return r;
}

void dit_page_source_close(struct dit_page_source *source)
{
	if (source->map != NULL) {
		(void)munmap((void *)source->map, source->npages * source->page_bytes);
	}
	*source = (struct dit_page_source){.map = NULL};
}

/* ---- read ---- */

/* As they lie in the file. */
static int read_sealed(const struct dit_page_source *source, uint64_t number,
                       unsigned wanted, char *pages)
{
	size_t page_bytes = source->page_bytes;
	uint64_t left = source->npages - number;
	size_t count = wanted < left ? wanted : (size_t)left;
	uint64_t at = number * page_bytes;
	ssize_t n = 0;

	assert(page_bytes > 0 && number < source->npages);
	n = dit_read_at(source->fd, pages, count * page_bytes, at);
	if (n < 0) {
		/* One page alone may be readable where several are not. */
		n = dit_read_at(source->fd, pages, page_bytes, at);
	}
	if (n < 0) {
		return (int)n;
	}
	return n < (ssize_t)page_bytes ? -ENODATA : (int)((size_t)n / page_bytes);
}

int dit_page_source_read(const struct dit_page_source *source, uint64_t number,
                         unsigned wanted, char *pages)
{
	const struct dit_page_format *format = source->format;
	int n = read_sealed(source, number, wanted, pages);
	int r = 0;

	for (int i = 0; format->crypto != NULL && i < n; i++) {
		r = dit_page_unseal(format, pages + (size_t)i * source->page_bytes,
		                    source->page_bytes);
		if (r < 0) {
			return i > 0 ? i : r;
		}
	}
	return n;
}

int dit_page_row_read(struct dit_page_row *row, const struct dit_page_source *source,
                      uint64_t number, unsigned wanted, char **ret)
{
	size_t page_bytes = source->page_bytes;
	int r = 0;

	if (number < row->first || number - row->first >= row->n) {
		row->n = 0;
		r = DIT_GROW(row->pages, row->size, wanted * page_bytes);
		r = r ?: dit_page_source_read(source, number, wanted, row->pages);
		if (r < 0) {
			return r;
		}
		row->first = number;
		row->n = (unsigned)r;
	}
	*ret = row->pages + (number - row->first) * page_bytes;
	return 0;
}

int dit_page_source_read_unit(const struct dit_page_source *source, uint64_t first,
                              uint64_t npages, char *pages)
{
	for (uint64_t i = 0; i < npages;) {
		uint64_t left = npages - i;
		int n = read_sealed(source, first + i,
		                    left < UNIT_PAGES_MAX ? (unsigned)left
		                                          : UNIT_PAGES_MAX,
		                    pages + i * source->page_bytes);

		if (n < 0) {
			return n;
		}
		i += (unsigned)n;
	}
	return source->format->crypto == NULL
	               ? 0
	               : dit_page_unseal(source->format, pages,
	                                 npages * source->page_bytes);
}
