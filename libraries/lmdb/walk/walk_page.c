/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of a tree: claimed once, read, checked; and branches. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/errno_text.h"
#include "base/error.h"
#include "base/grow.h"
#include "page/meta_pages.h"
#include "page/page_seal.h"
#include "walk/walk_private.h"

/* ---- whose page is it ---- */

bool dit_walk_claim(const struct walk_spot *at, uint64_t page)
{
	struct walk *walk = at->walk;
	const struct walk_spot claimed = walk_other_page(at, page);

	if (page < DIT_FIRST_PAGE || page >= walk->npages) {
		return dit_walk_refuse(
			at, DIT_WALK_PAGE_RANGE,
			"it refers to page %lu; pages of trees are %u to %lu", page,
			DIT_FIRST_PAGE, walk->npages - 1);
	}
	if (!dit_page_set_add_shared(&walk->used, page)) {
		return dit_walk_refuse(at, DIT_WALK_PAGE_TWICE,
		                       "it refers to page %lu, which is in use elsewhere",
		                       page);
	}
	atomic_fetch_add_explicit(&walk->nused, 1, memory_order_relaxed);
	if (walk->opts->shared.nthreads == 1) {
		dit_tick_often(&walk->ticker);
	}
	if (dit_page_set_has_shared(&walk->freed, page)) {
		dit_walk_report(&claimed, DIT_WALK_PAGE_FREE,
		                "the page is in use, and the free list has it as well");
	}
	return true;
}

/* ---- reading ---- */

/* @param r  what the reading returned. @return false */
static bool tell_unreadable(const struct walk_spot *at, int r)
{
	const char *why = r == -ENODATA ? "the file ends before it"
	                  : r == DIT_E_CORRUPT
	                          ? "the module of \"crypto\" does not open it, so "
	                            "it was changed"
	                          : dit_errno_text(-r);

	if (r == -ENOMEM) {
		dit_walk_fail(at->walk, r);
		return false;
	}
	(void)dit_walk_refuse(at, DIT_WALK_UNREADABLE, "the page cannot be read: %s",
	                      why);
	return false;
}

/* For pages that are not encrypted: the others have the right one if they can be
 * opened. */
static void check_sum(const struct walk_spot *at, const char *unit, size_t len)
{
	const struct dit_page_format *format = at->walk->format;
	const struct dit_crypto *crypto = format->crypto;

	if (crypto != NULL && !dit_crypto_encrypts(crypto) &&
	    !dit_page_sum_is_right(format, unit, len)) {
		dit_walk_report(at, DIT_WALK_PAGE_CHECKSUM,
		                "the checksum is not that of the page");
	}
}

/* The first of the pages that were read. */
static struct dit_page_view view_of(const struct walk *walk, char *bytes)
{
	return (struct dit_page_view){
		.bytes = bytes,
		.len = dit_page_end(walk->format, walk->page_bytes),
		.format = walk->format,
	};
}

bool dit_walk_read_unit(struct walk_member *member, const struct walk_spot *at,
                        uint64_t npages, struct dit_page_view *ret)
{
	struct walk *walk = member->walk;
	size_t bytes = npages * walk->page_bytes;
	int r = DIT_GROW(member->unit, member->unit_bytes, bytes);

	r = r ?: dit_page_source_read_unit(&walk->source, at->page, npages, member->unit);
	if (r < 0) {
		return tell_unreadable(at, r);
	}
	check_sum(at, member->unit, bytes);
	*ret = view_of(walk, member->unit);
	return true;
}

bool dit_walk_read(struct walk_member *member, const struct walk_spot *at, unsigned run,
                   struct dit_page_view *ret)
{
	struct walk *walk = member->walk;
	char *page = NULL;
	int r = dit_page_row_read(&member->rows[member->nrows], &walk->source, at->page,
	                          run, &page);

	if (r < 0) {
		return tell_unreadable(at, r);
	}
	*ret = view_of(walk, page);
	check_sum(at, ret->bytes, walk->page_bytes);
	return true;
}

void dit_walk_member_deinit(struct walk_member *member)
{
	for (unsigned i = 0; i < WALK_ROWS; i++) {
		free(member->rows[i].pages);
	}
	free(member->unit);
}

/* ---- trees ---- */

void dit_walk_tree_init(struct walk_tree *tree, const struct walk_spot *at,
                        enum walk_role role, const char *name,
                        const struct dit_tree_record *record)
{
	memset(tree, 0, sizeof(*tree));
	tree->role = role;
	tree->name = name;
	tree->record = *record;
	tree->database = tree;
	tree->at = *at;
	tree->at.tree = tree;
	tree->key_max = dit_key_max(at->walk->format, at->walk->page_bytes);
	dit_key_default_orders(record->flags, &tree->orders);
}

void dit_walk_tree_visit(struct walk_member *member, struct walk_tree *tree)
{
	struct walk_place root = walk_root_of(tree);

	if (tree->record.root != DIT_PAGE_NONE) {
		dit_walk_visit(member, &root);
	}
	dit_walk_tree_compare(tree);
}

static void compare_counter(const struct walk_tree *tree, enum dit_walk_kind kind,
                            uint64_t stored, uint64_t found, const char *what)
{
	if (stored != found) {
		dit_walk_report(
			&tree->at, kind,
			"the record of the %s says that it has %lu %s; it has %lu",
			tree->role == WALK_LIST ? "list" : "tree", stored, what, found);
	}
}

/*
 * Pages of a tree. A database with lists is another matter:
 *
 *   LMDB 1.0   the pages of lists' trees are counted, too. liblmdb does not take a whole
 *              list off when it removes one: only less is wrong
 *   LMDB 0.9   up to 0.9.35 they are not counted. 0.9.36 (OpenLDAP 2.6.14) adds and
 *              takes off what lists gain and lose, also where they were not counted
 *              before. The number may be anything, below 0 as well; liblmdb does not use
 *              it
 */
static void compare_pages(const struct walk_tree *tree, enum dit_walk_kind kind,
                          uint64_t stored, uint64_t found, const char *what)
{
	if (!walk_has_lists(tree) ||
	    (tree->at.walk->format->counts_list_pages && stored < found)) {
		compare_counter(tree, kind, stored, found, what);
	}
}

void dit_walk_tree_compare(const struct walk_tree *tree)
{
	const struct dit_tree_record *record = &tree->record;

	if (dit_walk_is_over(tree->at.walk) || atomic_load(&tree->is_cut)) {
		return;
	}
	compare_counter(tree, DIT_WALK_TREE_DEPTH, record->depth,
	                atomic_load(&tree->depth), "levels");
	compare_pages(tree, DIT_WALK_TREE_BRANCHES, record->nbranch_pages,
	              atomic_load(&tree->own[WALK_BRANCHES]), "branch pages");
	compare_pages(tree, DIT_WALK_TREE_LEAVES, record->nleaf_pages,
	              atomic_load(&tree->own[WALK_LEAVES]), "leaf pages");
	compare_counter(tree, DIT_WALK_TREE_OVERFLOWS, record->noverflow_pages,
	                atomic_load(&tree->own[WALK_OVERFLOWS]), "overflow pages");
	compare_counter(tree, DIT_WALK_TREE_ITEMS, record->nitems,
	                atomic_load(tree->role == WALK_LIST ? &tree->own[WALK_ITEMS]
	                                                    : &tree->all[WALK_ITEMS]),
	                "records");
}

/* ---- branches ---- */

/* Why a key cannot stand where it stands; NULL: it can. */
static const char *wrong_bound(const struct walk_place *place,
                               const struct walk_bound *before, struct dit_span key)
{
	const struct dit_key_order *order = walk_order_of(place->at.tree);
	struct dit_span list_key = place->at.tree->list_key;

	if (before->is_set && dit_key_compare(order, list_key, before->key, key) >= 0) {
		return "the branch's key is not above the one before it";
	}
	if (place->highest.is_set &&
	    dit_key_compare(order, list_key, key, place->highest.key) >= 0) {
		return "the branch's key is above what the branches above it allow";
	}
	return NULL;
}

/*
 * The key of a branch's node: what is below the node is not below the key, and what is
 * below the node before it is. Not set if it is wrong, so that one wrong key is one
 * finding.
 *
 * @param last  the last key that was right; gets this one
 */
static struct walk_bound bound_of(const struct walk_place *place,
                                  struct dit_page_view view, unsigned slot,
                                  struct walk_bound *last)
{
	const struct walk_tree *tree = place->at.tree;
	struct walk_spot at = place->at;
	bool is_list = tree->role == WALK_LIST;
	struct walk_bound none = {.is_set = false};
	struct dit_node_view node;
	const char *wrong = NULL;

	at.node = slot;
	if (dit_view_node(view, slot, &node) != DIT_NODE_FITS) {
		return none; /* its child is visited, and it reported, later */
	}
	if (node.key.len == 0 ||
	    !dit_key_has_length(walk_order_of(tree), tree->key_max, node.key)) {
		dit_walk_report(&at, is_list ? DIT_WALK_ITEM_LENGTH : DIT_WALK_KEY_LENGTH,
		                "the branch's key has %zu bytes", node.key.len);
		return none;
	}
	wrong = wrong_bound(place, last, node.key);
	if (wrong != NULL) {
		dit_walk_report(&at, is_list ? DIT_WALK_ITEM_ORDER : DIT_WALK_KEY_ORDER,
		                "%s", wrong);
		return none;
	}
	*last = (struct walk_bound){true, node.key};
	return *last;
}

static void visit_child(struct walk_member *member, const struct walk_place *place,
                        struct dit_page_view view, unsigned slot,
                        struct walk_bound lowest, struct walk_bound highest)
{
	struct walk *walk = member->walk;
	const struct walk_tree *tree = place->at.tree;
	struct walk_place child = {
		.level = place->level + 1,
		.run = 1,
		.lowest = lowest,
		.highest = highest,
		.parent = place->at,
	};
	struct dit_node_view node;
	int r = 0;

	child.parent.node = slot;
	if (!dit_walk_node(&child.parent, view, &node)) {
		return;
	}
	child.at = walk_other_page(&place->at, node.child);
	if (tree->is_shared && child.level < tree->record.depth &&
	    dit_walk_tasks_are_few(walk)) {
		r = dit_walk_tasks_push(walk, &child);
		if (r < 0) {
			dit_walk_fail(walk, r);
		}
		return;
	}
	child.run = dit_view_count_row(view, slot, node.child, WALK_RUN_MAX);
	dit_walk_visit(member, &child);
}

static void visit_branch(struct walk_member *member, const struct walk_place *place,
                         struct dit_page_view view)
{
	struct walk *walk = member->walk;
	unsigned count = dit_view_count(view);
	struct walk_bound last = place->lowest;
	struct walk_bound lowest = place->lowest;

	if (count == 1) {
		dit_walk_report(&place->at, DIT_WALK_BRANCH_CHILDREN,
		                "the branch page has one child; liblmdb wants two");
	}
	for (unsigned i = 0; i < count && !dit_walk_is_over(walk); i++) {
		struct walk_bound highest = place->highest;

		if (i + 1 < count) {
			highest = bound_of(place, view, i + 1, &last);
		}
		visit_child(member, place, view, i, lowest, highest);
		lowest = highest;
	}
}

/* ---- any page of a tree ---- */

bool dit_walk_node(const struct walk_spot *at, struct dit_page_view view,
                   struct dit_node_view *ret)
{
	unsigned slot = (unsigned)at->node;

	switch (dit_view_node(view, slot, ret)) {
	case DIT_NODE_FITS:
		return true;
	case DIT_NODE_ODD_OFFSET:
		return dit_walk_refuse(
			at, DIT_WALK_NODE_PLACE,
			"its slot points to byte %u of the page, where no node can be",
			dit_view_node_offset(view, slot));
	case DIT_NODE_TOO_LONG:
		return dit_walk_refuse(at, DIT_WALK_NODE_LENGTH,
		                       "the node ends after the end of its page");
	}
	return false;
}

void dit_walk_tiles(struct walk_member *member, const struct walk_spot *at,
                    struct dit_page_view view)
{
	struct dit_node_view node;

	if (dit_view_is_tiled(view, member->starts)) {
		return;
	}
	for (unsigned i = 0; i < dit_view_count(view); i++) {
		if (dit_view_node(view, i, &node) != DIT_NODE_FITS) {
			return; /* that is reported, and enough */
		}
	}
	dit_walk_report(at, DIT_WALK_NODE_OVERLAP,
	                "nodes overlap, or there are unused bytes between them");
}

void dit_walk_page_origin(const struct walk_spot *at, struct dit_page_view view)
{
	uint64_t transaction = dit_view_transaction(view);
	uint64_t last = at->walk->meta.transaction;

	if (dit_view_number(view) != at->page) {
		dit_walk_report(at, DIT_WALK_PAGE_NUMBER,
		                "the page says that it is page %lu",
		                dit_view_number(view));
	}
	if (transaction > last) {
		dit_walk_report(
			at, DIT_WALK_PAGE_TRANSACTION,
			"the page says that transaction %lu wrote it; the last one is "
			"%lu",
			transaction, last);
	}
}

/* The header; is it one that a tree's page can have? */
static bool check_header(const struct walk_spot *at, struct dit_page_view view)
{
	unsigned flags = dit_view_flags(view);

	dit_walk_page_origin(at, view);
	if (flags != DIT_PAGE_BRANCH && flags != DIT_PAGE_LEAF &&
	    flags != (DIT_PAGE_LEAF | DIT_PAGE_LEAF2)) {
		return dit_walk_refuse(at, DIT_WALK_PAGE_FLAGS,
		                       "the page has flags 0x%x: it is no page of a tree",
		                       flags);
	}
	if (!dit_view_has_bounds(view)) {
		return dit_walk_refuse(
			at, DIT_WALK_PAGE_BOUNDS,
			"the page's slots end at byte %u and its nodes begin at byte %u",
			dit_view_lower(view), dit_view_upper(view));
	}
	return dit_view_count(view) > 0 ||
	       dit_walk_refuse(at, DIT_WALK_PAGE_EMPTY, "the page holds nothing");
}

/* All leaves of a tree are on one level. */
static void check_level(const struct walk_place *place)
{
	_Atomic unsigned *known = &place->at.tree->depth;
	unsigned depth = 0;

	if (!atomic_compare_exchange_strong(known, &depth, place->level) &&
	    depth != place->level) {
		dit_walk_report(&place->at, DIT_WALK_PAGE_DEPTH,
		                "the leaf is on level %u, others of its tree on level %u",
		                place->level, depth);
	}
}

/* In a packed page lower counts two bytes for each item, whatever their size. */
static uint64_t used_bytes(struct dit_page_view view)
{
	if ((dit_view_flags(view) & DIT_PAGE_LEAF2) != 0) {
		return view.format->header_bytes +
		       (uint64_t)dit_view_count(view) * dit_view_item_bytes(view);
	}
	return view.len - (dit_view_upper(view) - dit_view_lower(view));
}

static void visit_read(struct walk_member *member, const struct walk_place *place,
                       struct dit_page_view view)
{
	struct walk_tree *tree = place->at.tree;
	unsigned flags = dit_view_flags(view);

	if (!check_header(&place->at, view)) {
		return;
	}
	walk_count(tree, WALK_USED_BYTES, used_bytes(view));
	if (flags == DIT_PAGE_BRANCH) {
		walk_count(tree, WALK_BRANCHES, 1);
	} else {
		check_level(place);
		walk_count(tree, WALK_LEAVES, 1);
		walk_count(tree, WALK_KEYS, dit_view_count(view));
	}
	if ((flags & DIT_PAGE_LEAF2) != 0) {
		dit_walk_packed(member, place, view);
		return;
	}
	dit_walk_tiles(member, &place->at, view);
	if (flags == DIT_PAGE_BRANCH) {
		visit_branch(member, place, view);
	} else {
		dit_walk_leaf(member, place, view);
	}
}

void dit_walk_visit(struct walk_member *member, const struct walk_place *place)
{
	struct dit_page_view view;

	if (dit_walk_is_over(member->walk)) {
		return;
	}
	if (place->level > WALK_DEPTH_MAX) {
		(void)dit_walk_refuse(&place->parent, DIT_WALK_PAGE_DEPTH,
		                      "the tree is deeper than %d levels",
		                      WALK_DEPTH_MAX);
		return;
	}
	if (!dit_walk_claim(&place->parent, place->at.page) ||
	    !dit_walk_read(member, &place->at, place->run, &view)) {
		return;
	}
	member->nrows++;
	visit_read(member, place, view);
	member->nrows--;
}
