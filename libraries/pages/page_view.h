/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One page read with care: of a file that may be damaged, or made to do damage.
 *
 * A view is bytes and their number. Every function here looks at the number before it
 * looks at a byte; what it returns lies inside the view. A page inside a node is a view
 * of the node's value, which may begin at any place.
 *
 * This is the only file of the reading half that knows at which place a field lies.
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
#include "pages/lmdb_format.h"

/** Of a page, and of the smallest page inside a node. */
#define DIT_VIEW_HEADER ((unsigned)sizeof(struct dit_page_header))

/** At least DIT_VIEW_HEADER bytes; 65536 at most. */
struct dit_page_view {
	const char *bytes;
	unsigned len;
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

	memcpy(&n, view.bytes + offsetof(struct dit_page_header, number), sizeof(n));
	return n;
}

static inline unsigned dit_view_item_bytes(struct dit_page_view view)
{
	return dit_view_short(view, offsetof(struct dit_page_header, item_bytes));
}

static inline unsigned dit_view_flags(struct dit_page_view view)
{
	return dit_view_short(view, offsetof(struct dit_page_header, flags));
}

/** End of the slots, from the view's beginning. */
static inline unsigned dit_view_lower(struct dit_page_view view)
{
	return dit_view_short(view, offsetof(struct dit_page_header, lower));
}

/** Beginning of the nodes, from the view's beginning. */
static inline unsigned dit_view_upper(struct dit_page_view view)
{
	return dit_view_short(view, offsetof(struct dit_page_header, upper));
}

/** Of a run's first page: how many pages it says there are. */
static inline uint32_t dit_view_overflow_count(struct dit_page_view view)
{
	return dit_view_lower(view) | (uint32_t)dit_view_upper(view) << 16;
}

/** Lower and upper lie where they can, so that all slots are inside. */
bool dit_view_has_bounds(struct dit_page_view view);

/** Nodes or items. Only after dit_view_has_bounds(). */
static inline unsigned dit_view_count(struct dit_page_view view)
{
	return (dit_view_lower(view) - DIT_VIEW_HEADER) / 2;
}

/** The items of a packed page lie inside it. Only after dit_view_has_bounds(). */
bool dit_view_has_items(struct dit_page_view view, unsigned item_bytes);

static inline struct dit_span dit_view_item(struct dit_page_view view, unsigned number,
                                            unsigned item_bytes)
{
	return (struct dit_span){
		view.bytes + DIT_VIEW_HEADER + (size_t)number * item_bytes, item_bytes};
}

/** Node @p slot of a page with nodes. */
struct dit_node_view {
	unsigned at;    /* from the view's beginning */
	unsigned bytes; /* header, key and value in this page, and the fill byte */
	unsigned flags; /* DIT_NODE_...; 0 in branch pages */
	struct dit_span key;
	struct dit_span value; /* in this page: of a long value its page's number */
	uint32_t value_len;    /* of the value itself; branch: 0 */
	uint64_t child;        /* branch */
};

enum dit_node_state {
	DIT_NODE_FITS,
	DIT_NODE_ODD_PLACE, /* its slot points outside of the nodes, or to an odd place */
	DIT_NODE_TOO_LONG,  /* the key or the value ends outside of the page */
};

/* The bytes that a value takes in its page. */
static inline uint32_t dit_view_value_room(const struct dit_node_header *header)
{
	return (header->flags & DIT_NODE_BIG) != 0
	               ? (uint32_t)sizeof(uint64_t)
	               : header->low | (uint32_t)header->high << 16;
}

static inline uint64_t dit_view_child(const struct dit_node_header *header)
{
	return header->low | (uint64_t)header->high << 16 | (uint64_t)header->flags << 32;
}

/**
 * Read a node. Only after dit_view_has_bounds(), with a slot below the count.
 *
 * @param ret  points into the view; filled if DIT_NODE_FITS
 */
static inline enum dit_node_state dit_view_node(struct dit_page_view view, unsigned slot,
                                                struct dit_node_view *ret)
{
	const unsigned header_bytes = (unsigned)sizeof(struct dit_node_header);
	unsigned at = dit_view_short(view, DIT_VIEW_HEADER + 2 * (size_t)slot);
	bool is_branch = (dit_view_flags(view) & DIT_PAGE_BRANCH) != 0;
	struct dit_node_header header;
	uint32_t room = 0;
	uint64_t end = 0;

	if (at < dit_view_upper(view) || at % 2 != 0 || at + header_bytes > view.len) {
		return DIT_NODE_ODD_PLACE;
	}
	memcpy(&header, view.bytes + at, sizeof(header));
	room = is_branch ? 0 : dit_view_value_room(&header);
	end = (uint64_t)at + header_bytes + header.key_len + room;
	if (end > view.len) {
		return DIT_NODE_TOO_LONG;
	}
	ret->at = at;
	ret->bytes = ((unsigned)end - at + 1) & ~1u;
	ret->key = (struct dit_span){view.bytes + at + header_bytes, header.key_len};
	ret->value = (struct dit_span){ret->key.data + header.key_len, room};
	ret->flags = is_branch ? 0 : header.flags;
	ret->value_len = is_branch ? 0 : header.low | (uint32_t)header.high << 16;
	ret->child = is_branch ? dit_view_child(&header) : 0;
	return DIT_NODE_FITS;
}

/**
 * Do the nodes fill the room from upper to the end, each byte belonging to one node?
 *
 * @param starts  working memory, a bit for each even place: 4096 bytes
 */
bool dit_view_is_tiled(struct dit_page_view view, uint64_t *starts);

/** Pages of a run that holds a value of this length. */
static inline uint64_t dit_view_overflow_pages(uint64_t value_len, unsigned page_bytes)
{
	return (DIT_VIEW_HEADER + value_len + page_bytes - 1) / page_bytes;
}

#endif
