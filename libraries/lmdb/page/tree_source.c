/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/tree_source.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

int dit_tree_source_read(const struct dit_tree_source *source, uint64_t first,
                         unsigned wanted, char *pages)
{
	int r = first < source->pages->npages
	                ? dit_page_source_read(source->pages, first, wanted, pages)
	                : DIT_E_CORRUPT;

	return r == -ENODATA ? DIT_E_CORRUPT : r;
}

/* ---- long values ---- */

static uint64_t count_pages(const struct dit_tree_source *source,
                            const struct dit_node_view *node)
{
	return dit_overflow_pages(source->format, node->value_len,
	                          source->pages->page_bytes);
}

int dit_long_value_page(const struct dit_tree_source *source,
                        const struct dit_node_view *node, uint64_t *ret)
{
	uint64_t npages = source->pages->npages;
	struct dit_big_value big = {.npages = 0};

	if (node->value.len != source->format->big_node_bytes) {
		return DIT_E_CORRUPT;
	}
	memcpy(&big, node->value.data, node->value.len);
	*ret = big.first_page;
	return big.first_page < npages &&
	                       count_pages(source, node) <= npages - big.first_page
	               ? 0
	               : DIT_E_CORRUPT;
}

/* The header of the first page, which alone has one. */
static int check_header(const struct dit_tree_source *source,
                        const struct dit_node_view *node, uint64_t first,
                        const char *page)
{
	const struct dit_page_view view = {page, source->pages->page_bytes,
	                                   source->format};

	return dit_view_number(view) == first &&
	                       (dit_view_flags(view) & DIT_PAGE_OVERFLOW) != 0 &&
	                       dit_view_overflow_count(view) >= count_pages(source, node)
	               ? 0
	               : DIT_E_CORRUPT;
}

int dit_long_value_find(const struct dit_tree_source *source,
                        const struct dit_node_view *node, struct dit_span *ret)
{
	uint64_t first = 0;
	const char *page = NULL;
	int r = dit_long_value_page(source, node, &first);

	if (r < 0) {
		return r;
	}
	page = source->pages->map + first * source->pages->page_bytes;
	*ret = (struct dit_span){page + source->format->header_bytes, node->value_len};
	return check_header(source, node, first, page);
}

int dit_long_value_read(const struct dit_tree_source *source,
                        const struct dit_node_view *node, char **ret)
{
	uint64_t npages = count_pages(source, node);
	uint64_t first = 0;
	char *pages = NULL;
	int r = dit_long_value_page(source, node, &first);

	if (r < 0) {
		return r;
	}
	pages = malloc(npages * source->pages->page_bytes);
	if (pages == NULL) {
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < npages && r >= 0; i += (unsigned)r) {
		r = dit_tree_source_read(source, first + i, (unsigned)(npages - i),
		                         pages + i * source->pages->page_bytes);
	}
	if (r >= 0) {
		r = check_header(source, node, first, pages);
	}
	if (r < 0) {
		free(pages);
		return r;
	}
	memmove(pages, pages + source->format->header_bytes, node->value_len);
	*ret = pages;
	return 0;
}
