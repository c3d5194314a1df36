/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaves: keys in order and within their branches, and what each node holds. */
#include "walk/walk_private.h"

#define LIST_TREE (DIT_NODE_LIST | DIT_NODE_TREE)

/* ---- keys ---- */

static enum dit_walk_kind kind_of(const struct walk_tree *tree, enum dit_walk_kind key,
                                  enum dit_walk_kind item)
{
	return tree->role == WALK_LIST ? item : key;
}

static bool check_key_length(const struct walk_spot *at, struct dit_span key)
{
	const struct walk_tree *tree = at->tree;

	if (dit_key_has_length(walk_order_of(tree), tree->key_max, key) &&
	    (key.len > 0 || tree->role == WALK_LIST)) {
		return true;
	}
	dit_walk_report(at, kind_of(tree, DIT_WALK_KEY_LENGTH, DIT_WALK_ITEM_LENGTH),
	                "the %s has %zu bytes", tree->role == WALK_LIST ? "item" : "key",
	                key.len);
	return false;
}

/* Against the key before it in the page. */
static void check_key_order(const struct walk_spot *at, struct dit_span before,
                            struct dit_span key)
{
	const struct walk_tree *tree = at->tree;

	if (dit_key_compare(walk_order_of(tree), tree->list_key, before, key) >= 0) {
		dit_walk_report(at,
		                kind_of(tree, DIT_WALK_KEY_ORDER, DIT_WALK_ITEM_ORDER),
		                "the %s is not above the one before it",
		                tree->role == WALK_LIST ? "item" : "key");
	}
}

/* The page's first and last key against what the branches say. */
static void check_bounds(const struct walk_place *place, struct dit_span first,
                         long last_slot, struct dit_span last)
{
	const struct walk_tree *tree = place->at.tree;
	struct walk_spot at = place->at;
	const struct dit_key_order *order = walk_order_of(tree);
	enum dit_walk_kind kind =
		kind_of(tree, DIT_WALK_KEY_BRANCH, DIT_WALK_ITEM_BRANCH);

	if (place->lowest.is_set &&
	    dit_key_compare(order, tree->list_key, place->lowest.key, first) > 0) {
		at.node = 0;
		dit_walk_report(
			&at, kind,
			"the key is below the branch's key for this page, which is in "
			"page %lu, node %ld",
			place->parent.page, place->parent.node);
	}
	if (place->highest.is_set &&
	    dit_key_compare(order, tree->list_key, last, place->highest.key) >= 0) {
		at.node = last_slot;
		dit_walk_report(
			&at, kind,
			"the key is not below the branch's key for the next page; the "
			"branch is page %lu",
			place->parent.page);
	}
}

/* ---- values ---- */

/* The pages after the first one. */
static bool claim_run(const struct walk_spot *at, uint64_t first, uint64_t npages)
{
	for (uint64_t i = 1; i < npages; i++) {
		if (!dit_walk_claim(at, first + i)) {
			return false;
		}
	}
	return true;
}

/* The header of a long value's first page. */
static bool check_run(const struct walk_spot *at, uint32_t value_len,
                      struct dit_page_view view)
{
	const struct walk *walk = at->walk;
	uint64_t wanted = dit_overflow_pages(walk->format, value_len, walk->page_bytes);
	uint64_t count = dit_view_overflow_count(view);

	dit_walk_page_origin(at, view);
	if (dit_view_flags(view) != DIT_PAGE_OVERFLOW) {
		return dit_walk_refuse(
			at, DIT_WALK_PAGE_FLAGS,
			"the page has flags 0x%x; a long value begins here",
			dit_view_flags(view));
	}
	if (count < wanted) {
		return dit_walk_refuse(
			at, DIT_WALK_OVERFLOW_COUNT,
			"the page says that the value has %lu page%s; its %u bytes need "
			"%lu",
			count, count == 1 ? "" : "s", value_len, wanted);
	}
	if (count > walk->npages - at->page) {
		return dit_walk_refuse(
			at, DIT_WALK_OVERFLOW_RANGE,
			"the page says that the value has %lu pages; the last page is "
			"%lu",
			count, walk->npages - 1);
	}
	return true;
}

/* Where the node has the number of pages as well. */
static void check_node_count(const struct walk_spot *at, const struct dit_node_view *node,
                             uint32_t count)
{
	struct dit_big_value big = {0};

	if (node->value.len != sizeof(big)) {
		return;
	}
	memcpy(&big, node->value.data, sizeof(big));
	if (big.npages != count) {
		dit_walk_report(
			at, DIT_WALK_OVERFLOW_COUNT,
			"the node says that the value has %lu page%s; its first page says "
			"%u",
			big.npages, big.npages == 1 ? "" : "s", count);
	}
}

/* Where the pages are sealed together, the node alone says how many they are. */
static bool read_first(struct walk_member *member, const struct walk_spot *at,
                       const struct dit_node_view *node, const struct walk_spot *first,
                       struct dit_page_view *ret)
{
	const struct walk *walk = at->walk;
	struct dit_big_value big = {.npages = 0};

	if (walk->format->crypto == NULL) {
		return dit_walk_read(member, first, 1, ret);
	}
	memcpy(&big, node->value.data, sizeof(big));
	if (big.npages <
	            dit_overflow_pages(walk->format, node->value_len, walk->page_bytes) ||
	    big.npages > walk->npages - first->page) {
		(void)dit_walk_refuse(
			at, DIT_WALK_OVERFLOW_COUNT,
			"the node says that the value has %lu pages, which its %u bytes "
			"or the file cannot have",
			big.npages, node->value_len);
		return false;
	}
	return dit_walk_read_unit(member, first, big.npages, ret);
}

/*
 * The pages of a long value lie in a row, the first with a header that counts them. There
 * may be more than the value needs: liblmdb keeps them when a shorter value comes.
 */
bool dit_walk_overflow(struct walk_member *member, const struct walk_spot *at,
                       const struct dit_node_view *node, uint64_t *ret_first)
{
	const struct walk *walk = at->walk;
	struct walk_spot first = walk_other_page(at, 0);
	struct dit_page_view view;
	uint32_t count = 0;

	memcpy(&first.page, node->value.data, sizeof(first.page));
	if (first.page < 2 || first.page >= walk->npages) {
		return dit_walk_refuse(
			at, DIT_WALK_OVERFLOW_RANGE,
			"the value is in page %lu and those after it; the last page is "
			"%lu",
			first.page, walk->npages - 1);
	}
	if (!dit_walk_claim(at, first.page) ||
	    !read_first(member, at, node, &first, &view) ||
	    !check_run(&first, node->value_len, view)) {
		return false;
	}
	count = dit_view_overflow_count(view);
	check_node_count(at, node, count);
	walk_count(at->tree, WALK_OVERFLOWS, count);
	walk_count(at->tree, WALK_USED_BYTES,
	           (uint64_t)walk->format->header_bytes + node->value_len);
	*ret_first = first.page;
	return claim_run(at, first.page, count);
}

/* The flags and values that a node of this tree may have. */
static bool check_flags(const struct walk_spot *at, const struct dit_node_view *node)
{
	const struct walk_tree *tree = at->tree;
	bool has_lists =
		tree->role != WALK_LIST && (tree->record.flags & DIT_DB_DUPSORT) != 0;
	bool is_main = tree->role == WALK_MAIN_TREE; /* slapd has databases alone there */
	bool is_right = node->flags == 0 ? !is_main
	                : node->flags == DIT_NODE_BIG
	                        ? !has_lists && !is_main && tree->role != WALK_LIST
	                : node->flags == DIT_NODE_TREE
	                        ? is_main
	                        : has_lists && (node->flags == DIT_NODE_LIST ||
	                                        node->flags == LIST_TREE);

	return is_right ||
	       dit_walk_refuse(
		       at, DIT_WALK_NODE_FLAGS,
		       "the node has flags 0x%x, which no node of this tree can have",
		       node->flags);
}

static void visit_value(struct walk_member *member, const struct walk_spot *at,
                        const struct dit_node_view *node)
{
	struct walk_tree *tree = at->tree;
	uint64_t first = 0;

	switch (tree->role) {
	case WALK_FREE_TREE:
		dit_walk_free_record(member, at, node);
		return;
	case WALK_MAIN_TREE:
		dit_walk_database(at, node);
		return;
	case WALK_DATABASE:
		if (walk_has_lists(tree)) {
			dit_walk_list(member, at, node);
			return;
		}
		break;
	case WALK_LIST:
		if (node->value_len != 0) {
			dit_walk_report(
				at, DIT_WALK_NODE_VALUE,
				"the item has a value of %u bytes; items are keys alone",
				node->value_len);
		}
		dit_walk_item(member, tree, node->key);
		return;
	}
	if ((node->flags & DIT_NODE_BIG) != 0) {
		(void)dit_walk_overflow(member, at, node, &first);
	}
}

void dit_walk_leaf(struct walk_member *member, const struct walk_place *place,
                   struct dit_page_view view)
{
	struct walk_spot at = place->at;
	unsigned count = dit_view_count(view);
	struct dit_span first = {NULL, 0};
	struct dit_span last = {NULL, 0};
	bool has_key = false;
	long last_slot = 0;
	uint64_t nitems = 0;
	struct dit_node_view node;

	for (unsigned i = 0; i < count && !dit_walk_is_over(at.walk); i++) {
		at.node = i;
		if (!dit_walk_node(&at, view, &node)) {
			continue;
		}
		if (check_key_length(&at, node.key)) {
			if (has_key) {
				check_key_order(&at, last, node.key);
			} else {
				first = node.key;
			}
			has_key = true;
			last = node.key;
			last_slot = i;
		}
		if (check_flags(&at, &node)) {
			visit_value(member, &at, &node);
			nitems++;
		}
	}
	if (has_key) {
		check_bounds(place, first, last_slot, last);
	}
	if (!walk_has_lists(at.tree)) {
		walk_count(at.tree, WALK_ITEMS, nitems);
	}
}

/* ---- packed pages ---- */

void dit_walk_packed(struct walk_member *member, const struct walk_place *place,
                     struct dit_page_view view)
{
	struct walk_tree *tree = place->at.tree;
	unsigned item_bytes = tree->record.item_bytes;
	unsigned count = dit_view_count(view);

	if (tree->role != WALK_LIST || item_bytes == 0) {
		(void)dit_walk_refuse(
			&place->at, DIT_WALK_PAGE_FLAGS,
			"the page is packed; this tree's leaves have nodes");
		return;
	}
	if (dit_view_item_bytes(view) != item_bytes) {
		dit_walk_report(&place->at, DIT_WALK_ITEM_LENGTH,
		                "the page has items of %u bytes, its list of %u",
		                dit_view_item_bytes(view), item_bytes);
	}
	if (!dit_view_has_items(view, item_bytes)) {
		(void)dit_walk_refuse(
			&place->at, DIT_WALK_PAGE_BOUNDS,
			"the page's bounds, %u and %u, do not fit items of %u bytes",
			dit_view_lower(view), dit_view_upper(view), item_bytes);
		return;
	}
	dit_walk_items(member, &place->at, view, item_bytes, tree->list_key);
	check_bounds(place, dit_view_item(view, 0, item_bytes), -1,
	             dit_view_item(view, count - 1, item_bytes));
	walk_count(tree, WALK_ITEMS, count);
}
