/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages with nodes, while they are written: leaves and branches. The caller asks whether
 * there is room before it appends.
 *
 * Threads: plain functions; a page belongs to one thread.
 */
#ifndef DITKIT_PAGE_NODES_H
#define DITKIT_PAGE_NODES_H

#include <stdbool.h>
#include <string.h>

#include "base/span.h"
#include "page/page_format.h"

/** An empty page. */
static inline void dit_page_begin(const struct dit_page_format *format, char *page,
                                  unsigned page_bytes, unsigned flags)
{
	struct dit_page_words *words = dit_page_words(format, page);

	memset(page, 0, page_bytes);
	words->flags = (uint16_t)flags;
	words->lower = (uint16_t)dit_lower_min(format);
	words->upper = (uint16_t)(dit_page_end(format, page_bytes) - format->bounds_from);
}

/** A node and its fill byte, without its slot. */
static inline size_t dit_node_even_bytes(const struct dit_page_format *format,
                                         size_t key_len, size_t value_len)
{
	return (dit_node_bytes(format, key_len, value_len) + 1) & ~(size_t)1;
}

/** Bytes that a node takes in its page. */
static inline size_t dit_slot_and_node_bytes(const struct dit_page_format *format,
                                             size_t key_len, size_t value_len)
{
	return sizeof(uint16_t) + dit_node_even_bytes(format, key_len, value_len);
}

/** Bytes between slots and nodes. */
static inline size_t dit_page_room(const struct dit_page_format *format, const char *page)
{
	const struct dit_page_words *words = dit_page_words(format, page);

	return (size_t)(words->upper - words->lower);
}

/** Has the page room for a node with this key and value? */
static inline bool dit_page_has_room(const struct dit_page_format *format,
                                     const char *page, size_t key_len, size_t value_len)
{
	return dit_slot_and_node_bytes(format, key_len, value_len) <=
	       dit_page_room(format, page);
}

/**
 * Append a node. There must be room.
 *
 * @return its header; the value's bytes are the caller's to fill
 */
static inline struct dit_node_header *dit_page_add_node(
	const struct dit_page_format *format, char *page, struct dit_span key,
	size_t value_len, char **ret_value)
{
	struct dit_page_words *words = dit_page_words(format, page);
	size_t bytes = dit_node_even_bytes(format, key.len, value_len);
	char *origin = page + format->bounds_from;
	uint16_t at = (uint16_t)(words->upper - bytes);
	struct dit_node_header *node = (struct dit_node_header *)(void *)(origin + at);

	memcpy(origin + words->lower, &at, sizeof(at));
	words->lower = (uint16_t)(words->lower + sizeof(at));
	words->upper = at;
	node->low = (uint16_t)value_len;
	node->high = (uint16_t)(value_len >> 16);
	node->flags = 0;
	node->key_len = (uint16_t)key.len;
	if (key.len > 0) {
		memcpy(node + 1, key.data, key.len);
	}
	*ret_value = dit_node_value(format, node);
	return node;
}

#endif
