/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One page read with care: of a file that may be damaged, or made to do damage.
 *
 * A view is bytes and their number. Every function here looks at the number before it
 * looks at a byte; what it returns lies inside the view. A page inside a node is a view
 * of the node's value, which may begin at any address.
 *
 * A view knows its format (page_format.h). This is the only file of the reading half that
 * knows where a field lies. Offsets that are told count from the beginning of the
 * view, whatever the format counts from.
 *
 * Threads: plain values, no state.
 */
#ifndef DITKIT_PAGE_VIEW_H
#define DITKIT_PAGE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/span.h"
#include "page/page_format.h"

/** At least the format's header_bytes; 65536 at most. */
struct dit_page_view {
	const char *bytes;
	unsigned len;
	const struct dit_page_format *format;
};

static inline uint16_t dit_view_short(struct dit_page_view view, size_t at)
{
	uint16_t n = 0;

	memcpy(&n, view.bytes + at, sizeof(n));
	return n;
}

static inline uint64_t dit_view_number(struct dit_page_view view)
{
	uint64_t n = 0;

	memcpy(&n, view.bytes, sizeof(n));
	return n;
}

/** The page's transaction, in formats that have it; else 0. */
static inline uint64_t dit_view_transaction(struct dit_page_view view)
{
	uint64_t n = 0;

	if (view.format->has_transactions) {
		memcpy(&n, view.bytes + DIT_PAGE_TRANSACTION_AT, sizeof(n));
	}
	return n;
}

static inline struct dit_page_words dit_view_words(struct dit_page_view view)
{
	struct dit_page_words words;

	memcpy(&words, view.bytes + view.format->header_bytes - sizeof(words),
	       sizeof(words));
	return words;
}

static inline unsigned dit_view_item_bytes(struct dit_page_view view)
{
	return dit_view_words(view).item_bytes;
}

static inline unsigned dit_view_flags(struct dit_page_view view)
{
	return dit_view_words(view).flags;
}

/** End of the slots. */
static inline unsigned dit_view_lower(struct dit_page_view view)
{
	return dit_view_words(view).lower + view.format->bounds_from;
}

/** Beginning of the nodes. */
static inline unsigned dit_view_upper(struct dit_page_view view)
{
	return dit_view_words(view).upper + view.format->bounds_from;
}

/** How many pages the first page of a run says there are. */
static inline uint32_t dit_view_overflow_count(struct dit_page_view view)
{
	struct dit_page_words words = dit_view_words(view);

	return dit_page_overflow_count(&words);
}

/** Lower and upper lie where they can, so that all slots are inside. */
bool dit_view_has_bounds(struct dit_page_view view);

/** The page has the number of where it lies in the file, and bounds that are right. */
static inline bool dit_view_is_page(struct dit_page_view view, uint64_t number)
{
	return dit_view_number(view) == number && dit_view_has_bounds(view);
}

/** Nodes or items. Only after dit_view_has_bounds(). */
static inline unsigned dit_view_count(struct dit_page_view view)
{
	return (dit_view_lower(view) - view.format->header_bytes) / 2;
}

/** The items of a packed page lie inside it. Only after dit_view_has_bounds(). */
bool dit_view_has_items(struct dit_page_view view, unsigned item_bytes);

static inline struct dit_span dit_view_item(struct dit_page_view view, unsigned number,
                                            unsigned item_bytes)
{
	return (struct dit_span){view.bytes + view.format->header_bytes +
	                                 (size_t)number * item_bytes,
	                         item_bytes};
}

/** Node @p slot of a page with nodes. */
struct dit_node_view {
	unsigned at;    /* from the view's beginning */
	unsigned bytes; /* header, key and value in this page, and the fill byte */
	unsigned flags; /* DIT_NODE_...; 0 in branch pages */
	struct dit_span key;
	struct dit_span value; /* in this page: of a long value where its pages are */
	uint32_t value_len;    /* of the value itself; branch: 0 */
	uint64_t child;        /* branch */
};

/**
 * The items of a node of a leaf: 1, or those of its list; any number if the list is
 * damaged.
 */
uint64_t dit_node_items(const struct dit_node_view *node,
                        const struct dit_page_format *format);

enum dit_node_state {
	DIT_NODE_FITS,
	DIT_NODE_ODD_OFFSET, /* its slot points outside of the nodes, or is odd */
	DIT_NODE_TOO_LONG,   /* the key or the value ends outside of the page */
};

/* The bytes that a value takes in its page. */
static inline uint32_t dit_view_value_room(const struct dit_page_format *format,
                                           const struct dit_node_header *header)
{
	return (header->flags & DIT_NODE_BIG) != 0
	               ? format->big_node_bytes
	               : header->low | (uint32_t)header->high << 16;
}

static inline uint64_t dit_view_child(const struct dit_node_header *header)
{
	return header->low | (uint64_t)header->high << 16 | (uint64_t)header->flags << 32;
}

/** Where the node of a slot begins, by the slot. Only with a slot below the count. */
static inline unsigned dit_view_node_offset(struct dit_page_view view, unsigned slot)
{
	return dit_view_short(view, view.format->header_bytes + 2 * (size_t)slot) +
	       view.format->bounds_from;
}

/**
 * Read a node. Only after dit_view_has_bounds(), with a slot below the count.
 *
 * @param ret  points into the view; filled if DIT_NODE_FITS
 */
static inline enum dit_node_state dit_view_node(struct dit_page_view view, unsigned slot,
                                                struct dit_node_view *ret)
{
	const struct dit_page_format *format = view.format;
	const unsigned header_bytes = (unsigned)sizeof(struct dit_node_header);
	unsigned at = dit_view_node_offset(view, slot);
	bool is_branch = (dit_view_flags(view) & DIT_PAGE_BRANCH) != 0;
	struct dit_node_header header;
	unsigned value_at = 0;
	uint32_t room = 0;
	uint64_t end = 0;

	if (at < dit_view_upper(view) || at % 2 != 0 || at + header_bytes > view.len) {
		return DIT_NODE_ODD_OFFSET;
	}
	memcpy(&header, view.bytes + at, sizeof(header));
	room = is_branch ? 0 : dit_view_value_room(format, &header);
	value_at = at + header_bytes + (unsigned)dit_key_room(format, header.key_len);
	end = (uint64_t)value_at + room;
	if (end > view.len) {
		return DIT_NODE_TOO_LONG;
	}
	ret->at = at;
	ret->bytes = ((unsigned)end - at + 1) & ~1u;
	ret->key = (struct dit_span){view.bytes + at + header_bytes, header.key_len};
	ret->value = (struct dit_span){view.bytes + value_at, room};
	ret->flags = is_branch ? 0 : header.flags;
	ret->value_len = is_branch ? 0 : header.low | (uint32_t)header.high << 16;
	ret->child = is_branch ? dit_view_child(&header) : 0;
	return DIT_NODE_FITS;
}

/** How many children of a branch from a slot on lie in a row in the file, @p max at most.
 * @p first  the child of that slot */
unsigned dit_view_count_row(struct dit_page_view view, unsigned slot, uint64_t first,
                            unsigned max);

/**
 * Do the nodes fill the room from upper to the end, each byte belonging to one node?
 *
 * @param starts  working memory, a bit for each even offset: 4096 bytes
 */
bool dit_view_is_tiled(struct dit_page_view view, uint64_t *starts);

#endif
