/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of changes. Each of them can be done when its turn comes: an entry has its
 * parent before it is added, a name is free before it is given, an entry that is deleted
 * has no children.
 *
 * Entries are added and renamed from the top down, as the second side has them. So the
 * new parent of each is already where it stays, and is not below the entry itself. The
 * new name may still be taken:
 *
 *   by an entry that goes       it has children that stay; it waits in a holder
 *   by one that is renamed      is renamed first, and its own new name is freed first
 *   ... and so on, in a circle  one of the circle waits in a holder
 *
 * A holder is an entry that is added for that: ou=ditdiff-... below the topmost entry.
 * There an entry keeps its RDN, so no value of any syntax has to be made up.
 *
 *   cn=a and cn=b exchange their names:   cn=a to the holder, cn=b to cn=a, and the
 *                                         first one from the holder to cn=b
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cut.h"
#include "base/grow.h"
#include "base/ids.h"
#include "diff/diff_impl.h"

#define LEVELS 100 /* of entries that are renamed first; after that a holder serves */

static bool is_added(const struct dit_diff_node *node)
{
	return node->item[0] == NULL && node->item[1] != NULL && !node->item[1]->is_equal;
}

static bool is_deleted(const struct dit_diff_node *node)
{
	return node->item[1] == NULL && node->item[0] != NULL && !node->item[0]->is_equal;
}

/* A hole of the first side that goes with all below it. */
static bool is_hole_deleted(const struct dit_diff_node *node)
{
	return node->item[1] == NULL && node->item[0]->is_hole;
}

/* ---- names ---- */

static uint64_t name_of(const struct dit_diff_node *parent, uint64_t rdn_hash)
{
	return rdn_hash ^ (uint64_t)(uintptr_t)parent * 0xD6E8FEB86659FD93u;
}

/* The node that has a name now. Names that were left stay in the map. */
static struct dit_diff_node *owner_of(const struct dit_diff *diff,
                                      const struct dit_diff_node *parent,
                                      uint64_t rdn_hash)
{
	struct dit_diff_node *node =
		dit_diff_map_get(&diff->taken, name_of(parent, rdn_hash));

	return node != NULL && node->state != DIT_DIFF_GONE && node->parent == parent &&
	                       node->name->rdn_hash == rdn_hash
	               ? node
	               : NULL;
}

static int take_name(struct dit_diff *diff, struct dit_diff_node *node)
{
	return dit_diff_map_set(&diff->taken, name_of(node->parent, node->name->rdn_hash),
	                        node);
}

/* ---- holders ---- */

static int add_holder(struct dit_diff *diff, struct dit_diff_node *below,
                      struct dit_diff_node **ret)
{
	struct dit_diff_node *node = dit_arena_alloc(&diff->kept, sizeof(*node));
	struct dit_diff_item *name = dit_arena_calloc(&diff->kept, 1, sizeof(*name));
	char rdn[64];

	while (below->parent != NULL) {
		below = below->parent;
	}
	if (diff->has_holder_name) {
		(void)snprintf(rdn, sizeof(rdn), DIT_DIFF_HOLDER "%016lx-%zu", diff->seed,
		               diff->nholders + 1);
	} else {
		(void)snprintf(rdn, sizeof(rdn), DIT_DIFF_HOLDER "%zu",
		               diff->nholders + 1);
	}
	if (node == NULL || name == NULL ||
	    DIT_APPEND(diff->holders, diff->holders_size, diff->nholders, node) < 0) {
		return -ENOMEM;
	}
	name->rdn = dit_arena_copy(&diff->kept, dit_span_of(rdn));
	*node = (struct dit_diff_node){
		.state = DIT_DIFF_DONE, .parent = below, .name = name};
	*ret = node;
	return name->rdn.data == NULL ? -ENOMEM : dit_diff_add_holder(diff, node);
}

static int move_away(struct dit_diff *diff, struct dit_diff_node *node)
{
	struct dit_diff_node *holder = NULL;
	int r = 0;

	for (size_t i = 0; i < diff->nholders && holder == NULL; i++) {
		if (owner_of(diff, diff->holders[i], node->name->rdn_hash) == NULL) {
			holder = diff->holders[i];
		}
	}
	if (holder == NULL) {
		r = add_holder(diff, node, &holder);
	}
	r = r ?: dit_diff_rename(diff, node, holder, node->name->rdn);
	node->parent = holder;
	return r ?: take_name(diff, node);
}

/* ---- adding and renaming ---- */

static int place(struct dit_diff *diff, struct dit_diff_node *node, unsigned level);

/* @param parent  of the new name, which is this node's */
static int free_name(struct dit_diff *diff, const struct dit_diff_node *parent,
                     const struct dit_diff_node *node, unsigned level)
{
	uint64_t rdn_hash = node->item[1]->rdn_hash;
	struct dit_diff_node *owner = owner_of(diff, parent, rdn_hash);
	int r = 0;

	if (owner == NULL || owner == node) {
		return 0;
	}
	r = place(diff, owner, level + 1);
	return r < 0 || owner_of(diff, parent, rdn_hash) != owner
	               ? r
	               : move_away(diff, owner);
}

static int put(struct dit_diff *diff, struct dit_diff_node *node,
               struct dit_diff_node *parent)
{
	const struct dit_diff_item *item = node->item[1];
	int r = 0;

	if (is_added(node)) {
		r = dit_diff_add(diff, node);
		diff->stats.nadded++;
	} else {
		r = node->is_renamed ? dit_diff_keeps_rdn(diff, node) : 1;
		node->takes_old = r == 0;
		r = r < 0 ? r : dit_diff_rename(diff, node, parent, item->rdn);
		diff->stats.nrenamed++;
	}
	node->parent = parent;
	node->name = item;
	node->state = DIT_DIFF_DONE;
	return r ?: take_name(diff, node);
}

/* An entry that keeps its name is done when all above it are. It stays where it is if one
 * of these cannot be placed first: they may be below it as yet. */
static int place(struct dit_diff *diff, struct dit_diff_node *node, unsigned level)
{
	struct dit_diff_node *parent = dit_diff_parent_of(node, 1);
	int r = 0;

	if (node->state != DIT_DIFF_WAITS || level > LEVELS || node->item[1] == NULL) {
		return 0;
	}
	node->state = DIT_DIFF_BUSY;
	r = parent == NULL ? 0 : place(diff, parent, level + 1);
	if (r == 0 && parent != NULL && parent->state != DIT_DIFF_DONE) {
		node->state = DIT_DIFF_WAITS;
		return 0;
	}
	if (r < 0 || !(node->moves || is_added(node))) {
		node->state = DIT_DIFF_DONE;
		return r;
	}
	r = parent == NULL ? 0 : free_name(diff, parent, node, level);
	return r ?: put(diff, node, parent);
}

/* ---- all nodes in an order ---- */

/* The steps of a node. */
enum what {
	DELETE_FIRST = 1,
	DELETE_LAST = 2,
	PLACE = 4,
	MODIFY_FIRST = 8,
	MODIFY_LAST = 16,
};

static bool is_modified(const struct dit_diff *diff, const struct dit_diff_node *node)
{
	const struct dit_diff_item *a = node->item[0];
	const struct dit_diff_item *b = node->item[1];

	return a != NULL &&
	       (a->sum.low != b->sum.low || a->sum.high != b->sum.high ||
	        (node->moves && (diff->stamp_ads[0] != NULL || diff->opts.exact)));
}

/* In the configuration: modules bring the classes of entries that are added. */
static bool has_modules(const struct dit_diff *diff, const struct dit_diff_node *node)
{
	struct dit_span rdn = node->item[1]->rdn;

	return dit_diff_is_configuration(diff) &&
	       dit_cut_prefix(&rdn, DIT_SPAN("cn=module{"));
}

static unsigned steps_of(const struct dit_diff *diff, const struct dit_diff_node *node)
{
	if (node->item[1] == NULL) {
		return !is_deleted(node) ? 0
		       : node->has_kept  ? DELETE_LAST
		                         : DELETE_FIRST;
	}
	return PLACE | (!is_modified(diff, node)  ? 0U
	                : has_modules(diff, node) ? MODIFY_FIRST
	                                          : MODIFY_LAST);
}

struct step {
	uint64_t depth; /* and the ID: dit_compare_id_pairs() */
	uint64_t id;
	struct dit_diff_node *node;
};

/* A step is taken with the nodes that it is meant for: entries are deleted from below,
 * and placed from the top down. The configuration has the schema before the databases
 * that name attributes, so there the IDs count. */
static int take_steps(struct dit_diff *diff, enum what what,
                      int (*take)(struct dit_diff *diff, struct dit_diff_node *node))
{
	bool is_upward = what == DELETE_FIRST || what == DELETE_LAST;
	bool has_depth = is_upward || (what == PLACE && !dit_diff_is_configuration(diff));
	struct step *list = NULL;
	size_t size = 0;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < diff->nnodes && r == 0; i++) {
		struct dit_diff_node *node = diff->nodes[i];
		const struct dit_diff_item *item = node->item[1] ?: node->item[0];

		if ((steps_of(diff, node) & what) != 0) {
			r = DIT_APPEND(list, size, n,
			               (struct step){has_depth ? item->depth : 0,
			                             item->id, node});
		}
	}
	dit_sort_items(list, n, sizeof(*list), dit_compare_id_pairs);
	for (size_t i = 0; i < n && r == 0; i++) {
		r = take(diff, list[is_upward ? n - 1 - i : i].node);
	}
	free(list);
	return r;
}

/* Names are taken by nodes that go or move; that of a hole cannot be freed. Entries above
 * one that stays, and that go themselves, are deleted at the end. */
static int look_ahead(struct dit_diff *diff)
{
	int r = 0;

	for (size_t i = 0; i < diff->nnodes && r == 0; i++) {
		struct dit_diff_node *node = diff->nodes[i];
		struct dit_diff_node *at =
			node->moves ? dit_diff_parent_of(node, 0) : NULL;

		if (node->moves || is_deleted(node) || is_hole_deleted(node)) {
			r = take_name(diff, node);
		}
		while (at != NULL && !at->has_kept &&
		       (is_deleted(at) || at->item[0]->is_hole)) {
			at->has_kept = true;
			at = dit_diff_parent_of(at, 0);
		}
	}
	for (size_t i = 0; i < diff->nnodes && r == 0; i++) {
		const struct dit_diff_node *node = diff->nodes[i];
		const struct dit_diff_node *owner =
			node->moves || is_added(node)
				? owner_of(diff, dit_diff_parent_of(node, 1),
		                           node->item[1]->rdn_hash)
				: NULL;

		if (owner != NULL && is_hole_deleted(owner)) {
			r = dit_diff_refuse_hole(diff, owner, "one state");
		}
	}
	return r;
}

static int delete_node(struct dit_diff *diff, struct dit_diff_node *node)
{
	node->state = DIT_DIFF_GONE;
	diff->stats.ndeleted++;
	return dit_diff_delete(diff, node);
}

static int place_node(struct dit_diff *diff, struct dit_diff_node *node)
{
	return place(diff, node, 0);
}

/* Is it a node all the same? It is below a marked item (dit_diff_match()). */
static bool is_node(const struct dit_diff *diff, unsigned side, uint64_t id)
{
	const struct dit_diff_item *item = dit_diff_map_get(&diff->sides[side].by_id, id);

	return item != NULL && !item->is_equal;
}

static int modify_changed(struct dit_diff *diff)
{
	int r = 0;

	dit_sort_items(diff->changed, diff->nchanged, sizeof(*diff->changed),
	               dit_compare_id_pairs);
	for (size_t i = 0; i < diff->nchanged && r == 0; i++) {
		struct dit_diff_item first = {.id = diff->changed[i].first};
		struct dit_diff_item second = {.id = diff->changed[i].second};
		struct dit_diff_node node = {.item = {&first, &second}};

		if (!is_node(diff, 0, first.id) && !is_node(diff, 1, second.id)) {
			r = dit_diff_modify(diff, &node);
		}
	}
	return r;
}

int dit_diff_plan(struct dit_diff *diff)
{
	int r = look_ahead(diff);

	r = r ?: take_steps(diff, DELETE_FIRST, delete_node);
	r = r ?: take_steps(diff, MODIFY_FIRST, dit_diff_modify);
	r = r ?: take_steps(diff, PLACE, place_node);
	r = r ?: take_steps(diff, DELETE_LAST, delete_node);
	for (size_t i = 0; i < diff->nholders && r == 0; i++) {
		r = dit_diff_delete(diff, diff->holders[i]);
	}
	r = r ?: modify_changed(diff);
	return r ?: take_steps(diff, MODIFY_LAST, dit_diff_modify);
}
