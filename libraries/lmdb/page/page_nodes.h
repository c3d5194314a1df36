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

#include "base/short_bytes.h"
#include "base/span.h"
#include "page/page_format.h"

/** An empty page. Only its header is written. */
static inline void dit_page_begin(const struct dit_page_format *format, char *page,
                                  unsigned page_bytes, unsigned flags)
{
	const struct dit_page_words words = {
		.flags = (uint16_t)flags,
		.lower = (uint16_t)dit_lower_min(format),
		.upper = (uint16_t)(dit_page_end(format, page_bytes) -
	                            format->bounds_from),
	};

	dit_page_set_words(format, page, &words);
}

/** Zero the bytes between slots and nodes, and after the nodes. */
static inline void dit_page_clear(const struct dit_page_format *format, char *page,
                                  unsigned page_bytes)
{
	const struct dit_page_words *words = dit_page_words(format, page);
	size_t slots_end = format->bounds_from + words->lower;
	size_t nodes_begin = format->bounds_from + words->upper;
	size_t end = dit_page_end(format, page_bytes);

	memset(page + slots_end, 0, nodes_begin - slots_end);
	memset(page + end, 0, page_bytes - end);
}

/** Copy a page, and clear the copy. */
static inline void dit_page_copy(const struct dit_page_format *format, char *to,
                                 const char *page, unsigned page_bytes)
{
	const struct dit_page_words *words = dit_page_words(format, page);
	size_t nodes_begin = format->bounds_from + words->upper;

	memcpy(to, page, format->bounds_from + words->lower);
	memcpy(to + nodes_begin, page + nodes_begin,
	       dit_page_end(format, page_bytes) - nodes_begin);
	dit_page_clear(format, to, page_bytes);
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
 * Append a node, its fill bytes zero. There must be room.
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

	origin[words->upper - 1] = '\0';
	memcpy(origin + words->lower, &at, sizeof(at));
	words->lower = (uint16_t)(words->lower + sizeof(at));
	words->upper = at;
	node->low = (uint16_t)value_len;
	node->high = (uint16_t)(value_len >> 16);
	node->flags = 0;
	node->key_len = (uint16_t)key.len;
	if (key.len > 0) {
		((char *)(node + 1))[dit_key_room(format, key.len) - 1] = '\0';
		dit_short_copy((char *)(node + 1), key.data, key.len);
	}
	*ret_value = dit_node_value(format, node);
	return node;
}

#endif
