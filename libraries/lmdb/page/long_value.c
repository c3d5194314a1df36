/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/long_value.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "page/meta_pages.h"

/* Those that the value needs. */
static uint64_t count_pages(const struct dit_page_source *source,
                            const struct dit_node_view *node)
{
	return dit_overflow_pages(source->format, node->value_len, source->page_bytes);
}

/* The pages that the value needs lie in the file; in a sealed one all that were sealed
 * together, which the node says. */
static int find_unit(const struct dit_page_source *source,
                     const struct dit_node_view *node, uint64_t *ret_first,
                     uint64_t *ret_npages)
{
	uint64_t needed = count_pages(source, node);
	struct dit_big_value big = {.npages = 0};

	if (node->value.len != source->format->big_node_bytes) {
		return DIT_E_CORRUPT;
	}
	memcpy(&big, node->value.data, node->value.len);
	*ret_first = big.first_page;
	*ret_npages = source->format->crypto == NULL ? needed : big.npages;
	return big.first_page < source->npages && *ret_npages >= needed &&
	                       *ret_npages <= source->npages - big.first_page
	               ? 0
	               : DIT_E_CORRUPT;
}

/* The header of the first page, which alone has one. */
static int check_header(const struct dit_page_source *source,
                        const struct dit_node_view *node, uint64_t first,
                        const char *page)
{
	const struct dit_page_view view = {
		page, dit_page_end(source->format, source->page_bytes), source->format};

	return dit_view_number(view) == first &&
	                       (dit_view_flags(view) & DIT_PAGE_OVERFLOW) != 0 &&
	                       dit_view_overflow_count(view) >= count_pages(source, node)
	               ? 0
	               : DIT_E_CORRUPT;
}

static int read_header(const struct dit_page_source *source, uint64_t number, char *ret)
{
	size_t len = source->format->header_bytes;
	ssize_t n = 0;

	if (source->map != NULL) {
		memcpy(ret, source->map + number * source->page_bytes, len);
		return 0;
	}
	n = pread(source->fd, ret, len, (off_t)(number * source->page_bytes));
	if (n < 0) {
		return -errno;
	}
	return (size_t)n == len ? 0 : DIT_E_CORRUPT;
}

int dit_long_value_run(const struct dit_page_source *source,
                       const struct dit_node_view *node, uint64_t *ret_first,
                       uint64_t *ret_npages)
{
	char header[DIT_HEADER_BYTES_MAX];
	const struct dit_page_view view = {header, source->page_bytes, source->format};
	int r = find_unit(source, node, ret_first, ret_npages);

	if (r < 0 || source->format->crypto != NULL) {
		return r;
	}
	r = read_header(source, *ret_first, header);
	r = r ?: check_header(source, node, *ret_first, header);
	if (r < 0) {
		return r;
	}
	*ret_npages = dit_view_overflow_count(view);
	return *ret_npages <= source->npages - *ret_first ? 0 : DIT_E_CORRUPT;
}

int dit_long_value_find(const struct dit_page_source *source,
                        const struct dit_node_view *node, struct dit_span *ret)
{
	uint64_t npages = 0;
	uint64_t first = 0;
	const char *page = NULL;
	int r = find_unit(source, node, &first, &npages);

	if (r < 0) {
		return r;
	}
	page = source->map + first * source->page_bytes;
	*ret = (struct dit_span){page + source->format->header_bytes, node->value_len};
	return check_header(source, node, first, page);
}

static int read_pages(const struct dit_page_source *source,
                      const struct dit_node_view *node, char **ret)
{
	uint64_t npages = 0;
	uint64_t first = 0;
	char *pages = NULL;
	int r = find_unit(source, node, &first, &npages);

	if (r < 0) {
		return r;
	}
	pages = malloc(npages * source->page_bytes);
	if (pages == NULL) {
		return -ENOMEM;
	}
	r = dit_page_source_read_unit(source, first, npages, pages);
	if (r == -ENODATA) {
		r = DIT_E_CORRUPT;
	}
	r = r < 0 ? r : check_header(source, node, first, pages);
	if (r < 0) {
		free(pages);
		return r;
	}
	memmove(pages, pages + source->format->header_bytes, node->value_len);
	*ret = pages;
	return 0;
}

int dit_node_value_read(const struct dit_page_source *source,
                        const struct dit_node_view *node, char **ret)
{
	if ((node->flags & DIT_NODE_BIG) != 0) {
		return read_pages(source, node, ret);
	}
	*ret = malloc(node->value.len + 1);
	if (*ret == NULL) {
		return -ENOMEM;
	}
	memcpy(*ret, node->value.data, node->value.len);
	return 0;
}
