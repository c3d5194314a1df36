/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the pages of a tree come from, and values that have pages of their own.
 *
 * Nothing that is read is believed: dit_view_is_page() looks at a page first.
 *
 * Threads: any; the source of pages says who may read.
 */
#ifndef DITKIT_TREE_SOURCE_H
#define DITKIT_TREE_SOURCE_H

#include "page/page_source.h"
#include "page/page_view.h"

struct dit_tree_source {
	struct dit_page_source *pages; /* borrowed */
	const struct dit_page_format *format;
};

/**
 * Read pages that lie in a row and are not mapped.
 *
 * @param wanted  1 at least; there may be fewer
 * @param pages   gets them
 *
 * @return how many were read, 1 at least; DIT_E_CORRUPT: the file ends before; -errno
 */
int dit_tree_source_read(const struct dit_tree_source *source, uint64_t first,
                         unsigned wanted, char *pages);

/* ---- values with pages of their own: nodes with DIT_NODE_BIG ---- */

/** Their first page; all of them lie in the file. 0; DIT_E_CORRUPT */
int dit_long_value_page(const struct dit_tree_source *source,
                        const struct dit_node_view *node, uint64_t *ret);
/** The value in mapped pages, into which it points. 0; DIT_E_CORRUPT */
int dit_long_value_find(const struct dit_tree_source *source,
                        const struct dit_node_view *node, struct dit_span *ret);
/**
 * The value, read from its pages.
 *
 * @param ret  value_len bytes; free() it
 *
 * @return 0; DIT_E_CORRUPT; -errno, -ENOMEM
 */
int dit_long_value_read(const struct dit_tree_source *source,
                        const struct dit_node_view *node, char **ret);

#endif
