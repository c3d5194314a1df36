/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists: what a key of a database with lists has. One item is the node's value; some are
 * a page inside the value; more have a tree of their own, whose record is the value.
 */
#include <errno.h>
#include <stdlib.h>

#include "walk/walk_private.h"

/* A list with more levels than this has pages enough to share them among members. */
#define SHARED_DEPTH 3

/* @param is_more  the list, whose items these are, was told before */
static void tell(const struct walk_member *member, const struct walk_tree *tree,
                 struct dit_span key, uint64_t nitems, struct dit_span items,
                 bool is_more)
{
	const struct dit_walk_opts *opts = member->walk->opts;
	const struct dit_walk_list list = {.database = tree->database->number,
	                                   .name = tree->name,
	                                   .key = key,
	                                   .nitems = nitems,
	                                   .items = items,
	                                   .is_more = is_more};

	if (opts->list != NULL) {
		opts->list(opts->ctx, member->number, &list);
	}
}

void dit_walk_item(struct walk_member *member, const struct walk_tree *tree,
                   struct dit_span item)
{
	tell(member, tree, tree->list_key, tree->record.nitems, item, true);
}

/* ---- packed items ---- */

static void check_items(const struct walk_spot *at, struct dit_page_view view,
                        unsigned item_bytes, struct dit_span list_key)
{
	const struct dit_key_order *order = &at->tree->orders.items;
	unsigned count = dit_view_count(view);

	if (order->kind == DIT_ORDER_NUMBERS && item_bytes == sizeof(uint64_t) &&
	    dit_numbers_ascend(dit_view_item(view, 0, item_bytes).data, count)) {
		return;
	}
	for (unsigned i = 1; i < count; i++) {
		if (dit_key_compare(order, list_key,
		                    dit_view_item(view, i - 1, item_bytes),
		                    dit_view_item(view, i, item_bytes)) >= 0) {
			dit_walk_report(
				at, DIT_WALK_ITEM_ORDER,
				"item %u of the list is not above the one before it", i);
		}
	}
}

void dit_walk_items(struct walk_member *member, const struct walk_spot *at,
                    struct dit_page_view view, unsigned item_bytes,
                    struct dit_span list_key)
{
	const struct walk_tree *tree = at->tree;
	uint64_t count = dit_view_count(view);
	const struct dit_span items = {dit_view_item(view, 0, item_bytes).data,
	                               count * item_bytes};
	bool is_more = tree->role == WALK_LIST;

	check_items(at, view, item_bytes, list_key);
	tell(member, tree, list_key, is_more ? tree->record.nitems : count, items,
	     is_more);
}

/* ---- pages inside nodes ---- */

static void visit_packed(struct walk_member *member, const struct walk_spot *at,
                         struct dit_span key, struct dit_page_view view)
{
	unsigned item_bytes = dit_view_item_bytes(view);
	unsigned wanted = at->tree->orders.items.bytes;

	if (item_bytes == 0 || (wanted != 0 && item_bytes != wanted)) {
		(void)dit_walk_refuse(at, DIT_WALK_ITEM_LENGTH,
		                      "the list has items of %u bytes", item_bytes);
		return;
	}
	if (!dit_view_has_items(view, item_bytes)) {
		(void)dit_walk_refuse(
			at, DIT_WALK_LIST_PAGE,
			"the bounds of the list's page, %u and %u, do not fit items of "
			"%u bytes in %u bytes",
			dit_view_lower(view), dit_view_upper(view), item_bytes, view.len);
		return;
	}
	dit_walk_items(member, at, view, item_bytes, key);
}

static void visit_nodes(struct walk_member *member, const struct walk_spot *at,
                        struct dit_span key, struct dit_page_view view)
{
	const struct walk_tree *tree = at->tree;
	const struct dit_key_order *order = &tree->orders.items;
	struct dit_span before = {NULL, 0};
	bool has_item = false;
	struct dit_node_view node;

	dit_walk_tiles(member, at, view);
	for (unsigned i = 0; i < dit_view_count(view); i++) {
		if (dit_view_node(view, i, &node) != DIT_NODE_FITS) {
			dit_walk_report(at, DIT_WALK_LIST_PAGE,
			                "node %u of the list's page is not inside it", i);
			continue;
		}
		if (!dit_key_has_length(order, tree->key_max, node.key)) {
			dit_walk_report(at, DIT_WALK_ITEM_LENGTH,
			                "item %u of the list has %zu bytes", i,
			                node.key.len);
			continue;
		}
		if (node.flags != 0 || node.value_len != 0) {
			dit_walk_report(
				at, DIT_WALK_LIST_PAGE,
				"item %u of the list has flags or a value; items are "
				"keys alone",
				i);
		}
		if (has_item && dit_key_compare(order, key, before, node.key) >= 0) {
			dit_walk_report(
				at, DIT_WALK_ITEM_ORDER,
				"item %u of the list is not above the one before it", i);
		}
		has_item = true;
		before = node.key;
		tell(member, tree, key, dit_view_count(view), node.key, true);
	}
}

static void visit_inner_page(struct walk_member *member, const struct walk_spot *at,
                             struct dit_span key, struct dit_page_view view)
{
	struct walk_tree *tree = at->tree;
	bool is_packed = (tree->record.flags & DIT_DB_DUPFIXED) != 0;
	unsigned wanted = DIT_PAGE_LEAF | DIT_PAGE_SUB | (is_packed ? DIT_PAGE_LEAF2 : 0);
	unsigned flags = 0;

	if (view.len < view.format->header_bytes) {
		(void)dit_walk_refuse(at, DIT_WALK_LIST_PAGE,
		                      "the list's page has %u bytes, less than a header",
		                      view.len);
		return;
	}
	flags = dit_view_flags(view);
	if ((flags & ~DIT_PAGE_DIRTY) != wanted || !dit_view_has_bounds(view) ||
	    dit_view_count(view) == 0) {
		(void)dit_walk_refuse(
			at, DIT_WALK_LIST_PAGE,
			"the list's page has flags 0x%x and bounds %u and %u in %u bytes",
			flags, dit_view_lower(view), dit_view_upper(view), view.len);
		return;
	}
	if (is_packed) {
		visit_packed(member, at, key, view);
	} else {
		tell(member, tree, key, dit_view_count(view), DIT_SPAN(""), false);
		visit_nodes(member, at, key, view);
	}
	walk_count(tree, WALK_ITEMS, dit_view_count(view));
}

/* ---- trees ---- */

/* The parts of the record of a list's tree, from the flags of its database. */
static bool check_record(const struct walk_spot *at, const struct dit_tree_record *record)
{
	const struct walk_tree *database = at->tree;
	unsigned flags = database->record.flags;
	bool is_packed = (flags & DIT_DB_DUPFIXED) != 0;
	unsigned wanted_flags = !is_packed ? 0
	                        : (flags & DIT_DB_INTEGERDUP) != 0
	                                ? DIT_DB_DUPFIXED | DIT_DB_INTEGERKEY
	                                : DIT_DB_DUPFIXED;
	unsigned wanted_bytes = database->orders.items.bytes;
	bool has_bytes = is_packed ? record->item_bytes > 0 &&
	                                     record->item_bytes <= database->key_max
	                           : true;

	if (record->flags == wanted_flags && has_bytes &&
	    (!is_packed || wanted_bytes == 0 || record->item_bytes == wanted_bytes) &&
	    record->root != DIT_PAGE_NONE && record->nitems > 0) {
		return true;
	}
	return dit_walk_refuse(
		at, DIT_WALK_LIST_RECORD,
		"the record of the list has flags 0x%x, items of %u bytes, %lu of them, "
		"and root %lld",
		record->flags, record->item_bytes, record->nitems,
		(long long)record->root);
}

/* The tree of a list can be walked when its key is set. */
static void list_init(struct walk_tree *list, const struct walk_spot *at,
                      const struct dit_tree_record *record)
{
	struct walk_tree *database = at->tree;

	dit_walk_tree_init(list, at, WALK_LIST, database->name, record);
	list->database = database;
	list->orders = database->orders;
	if ((database->record.flags & DIT_DB_DUPFIXED) != 0) {
		list->orders.items.bytes = record->item_bytes;
	} else {
		list->record.item_bytes = 0; /* whatever stands there is not looked at */
	}
}

/* A long list: its pages become tasks, and the last of them frees the tree. */
static void share_list(const struct walk_spot *at, const struct dit_tree_record *record,
                       struct dit_span key)
{
	struct walk *walk = at->walk;
	struct walk_tree *list = malloc(sizeof(*list) + key.len);
	char *copy = NULL;
	struct walk_place root;
	int r = 0;

	if (list == NULL) {
		dit_walk_fail(walk, -ENOMEM);
		return;
	}
	list_init(list, at, record);
	copy = (char *)(list + 1);
	memcpy(copy, key.data, key.len);
	list->list_key = (struct dit_span){copy, key.len};
	list->is_shared = true;
	root = walk_root_of(list);
	r = dit_walk_tasks_push(walk, &root);
	if (r < 0) {
		free(list);
		dit_walk_fail(walk, r);
	}
}

static void visit_tree(struct walk_member *member, const struct walk_spot *at,
                       const struct dit_node_view *node)
{
	const struct walk_tree *database = at->tree;
	struct dit_tree_record record;
	struct walk_tree list;

	if (node->value.len != sizeof(record)) {
		(void)dit_walk_refuse(at, DIT_WALK_LIST_RECORD,
		                      "the record of the list has %zu bytes, not %zu",
		                      node->value.len, sizeof(record));
		return;
	}
	memcpy(&record, node->value.data, sizeof(record));
	if (!check_record(at, &record)) {
		return;
	}
	tell(member, database, node->key, record.nitems, DIT_SPAN(""), false);
	if (database->is_shared && record.depth >= SHARED_DEPTH &&
	    dit_walk_tasks_are_few(at->walk)) {
		share_list(at, &record, node->key);
		return;
	}
	list_init(&list, at, &record);
	list.list_key = node->key;
	dit_walk_tree_visit(member, &list);
}

static void visit_single(struct walk_member *member, const struct walk_spot *at,
                         const struct dit_node_view *node)
{
	struct walk_tree *tree = at->tree;

	if (!dit_key_has_length(&tree->orders.items, tree->key_max, node->value)) {
		dit_walk_report(at, DIT_WALK_ITEM_LENGTH, "the item has %zu bytes",
		                node->value.len);
	}
	if ((tree->record.flags & DIT_DB_DUPFIXED) != 0) {
		tell(member, tree, node->key, 1, node->value, false);
	} else {
		tell(member, tree, node->key, 1, DIT_SPAN(""), false);
		tell(member, tree, node->key, 1, node->value, true);
	}
	walk_count(tree, WALK_ITEMS, 1);
}

void dit_walk_list(struct walk_member *member, const struct walk_spot *at,
                   const struct dit_node_view *node)
{
	const struct dit_page_view view = {
		.bytes = node->value.data,
		.len = (unsigned)node->value.len,
		.format = at->walk->format,
	};

	if ((node->flags & DIT_NODE_TREE) != 0) {
		visit_tree(member, at, node);
	} else if ((node->flags & DIT_NODE_LIST) != 0) {
		visit_inner_page(member, at, node->key, view);
	} else {
		visit_single(member, at, node);
	}
}
