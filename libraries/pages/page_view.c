/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds of a page and of what lies in it. */
#include "pages/page_view.h"

#define NODE_HEADER ((unsigned)sizeof(struct dit_node_header))

bool dit_view_has_bounds(struct dit_page_view view)
{
	unsigned lower = dit_view_lower(view);
	unsigned upper = dit_view_upper(view);

	return lower >= DIT_VIEW_HEADER && lower % 2 == 0 && lower <= upper &&
	       upper <= view.len;
}

bool dit_view_has_items(struct dit_page_view view, unsigned item_bytes)
{
	size_t count = dit_view_count(view);

	return item_bytes >= 2 && DIT_VIEW_HEADER + count * item_bytes <= view.len &&
	       dit_view_upper(view) == view.len - count * (item_bytes - 2);
}

static uint64_t child_of(const struct dit_node_header *header)
{
	return header->low | (uint64_t)header->high << 16 | (uint64_t)header->flags << 32;
}

/* The bytes that a value takes in its page. */
static uint32_t value_room(const struct dit_node_header *header)
{
	return (header->flags & DIT_NODE_BIG) != 0
	               ? (uint32_t)sizeof(uint64_t)
	               : header->low | (uint32_t)header->high << 16;
}

enum dit_node_state dit_view_node(struct dit_page_view view, unsigned slot,
                                  struct dit_node_view *ret)
{
	unsigned at = dit_view_short(view, DIT_VIEW_HEADER + 2 * (size_t)slot);
	bool is_branch = (dit_view_flags(view) & DIT_PAGE_BRANCH) != 0;
	struct dit_node_header header;
	uint32_t room = 0;
	uint64_t end = 0;

	if (at < dit_view_upper(view) || at % 2 != 0 || at + NODE_HEADER > view.len) {
		return DIT_NODE_ODD_PLACE;
	}
	memcpy(&header, view.bytes + at, sizeof(header));
	room = is_branch ? 0 : value_room(&header);
	end = (uint64_t)at + NODE_HEADER + header.key_len + room;
	if (end > view.len) {
		return DIT_NODE_TOO_LONG;
	}
	ret->at = at;
	ret->bytes = ((unsigned)end - at + 1) & ~1u;
	ret->key = (struct dit_span){view.bytes + at + NODE_HEADER, header.key_len};
	ret->value = (struct dit_span){ret->key.data + header.key_len, room};
	ret->flags = is_branch ? 0 : header.flags;
	ret->value_len = is_branch ? 0 : header.low | (uint32_t)header.high << 16;
	ret->child = is_branch ? child_of(&header) : 0;
	return DIT_NODE_FITS;
}

/* Each node ends where the one before it in the slots begins: as we write them. */
static bool is_stacked(struct dit_page_view view)
{
	unsigned count = dit_view_count(view);
	unsigned end = view.len;
	struct dit_node_view node;

	for (unsigned i = 0; i < count; i++) {
		if (dit_view_node(view, i, &node) != DIT_NODE_FITS ||
		    node.at + node.bytes != end) {
			return false;
		}
		end = node.at;
	}
	return end == dit_view_upper(view);
}

static bool mark(uint64_t *bits, unsigned at)
{
	uint64_t bit = (uint64_t)1 << (at / 2 % 64);
	bool is_new = (bits[at / 128] & bit) == 0;

	bits[at / 128] |= bit;
	return is_new;
}

static bool is_marked(const uint64_t *bits, unsigned at)
{
	return (bits[at / 128] >> (at / 2 % 64) & 1) != 0;
}

/*
 * Every node begins at a place of its own and ends where another begins, or at the end.
 * So there is a chain of nodes from upper to the end; and as all of them together are as
 * long as that, no node is outside of the chain.
 */
bool dit_view_is_tiled(struct dit_page_view view, uint64_t *starts)
{
	unsigned count = dit_view_count(view);
	unsigned upper = dit_view_upper(view);
	uint64_t sum = 0;
	struct dit_node_view node;

	if (is_stacked(view)) {
		return true;
	}
	memset(starts, 0, (view.len / 128 + 1) * sizeof(*starts));
	for (unsigned i = 0; i < count; i++) {
		if (dit_view_node(view, i, &node) != DIT_NODE_FITS ||
		    !mark(starts, node.at)) {
			return false;
		}
		sum += node.bytes;
	}
	if (sum != view.len - upper || (count > 0 && !is_marked(starts, upper))) {
		return false;
	}
	for (unsigned i = 0; i < count; i++) {
		unsigned end = 0;

		(void)dit_view_node(view, i, &node);
		end = node.at + node.bytes;
		if (end < view.len ? !is_marked(starts, end) : end != view.len) {
			return false;
		}
	}
	return true;
}
