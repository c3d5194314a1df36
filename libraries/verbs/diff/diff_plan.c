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

static bool is_added(struct dit_diff *diff, const struct dit_diff_node *node)
{
	const struct dit_diff_item *item = dit_diff_item_of(diff, node, 1);

	return node->item[0] == DIT_DIFF_NONE && item != NULL && !item->is_equal;
}

static bool is_deleted(struct dit_diff *diff, const struct dit_diff_node *node)
{
	const struct dit_diff_item *item = dit_diff_item_of(diff, node, 0);

	return node->item[1] == DIT_DIFF_NONE && item != NULL && !item->is_equal;
}

/* ---- names ---- */

static uint64_t name_of(uint32_t parent, uint64_t rdn_hash)
{
	return rdn_hash ^ ((uint64_t)parent + 1) * 0xD6E8FEB86659FD93u;
}

/* The node that has a name now. Names that were left stay in the map. */
static uint32_t owner_of(const struct dit_diff *diff, uint32_t parent, uint64_t rdn_hash)
{
	uint32_t at = dit_diff_map_get(&diff->taken, name_of(parent, rdn_hash));
	const struct dit_diff_node *node = at == DIT_DIFF_NONE ? NULL : &diff->nodes[at];

	return node != NULL && !node->is_gone && node->parent == parent &&
	                       node->rdn_hash == rdn_hash
	               ? at
	               : DIT_DIFF_NONE;
}

static int take_name(struct dit_diff *diff, uint32_t at)
{
	const struct dit_diff_node *node = &diff->nodes[at];

	return dit_diff_map_set(&diff->taken, name_of(node->parent, node->rdn_hash), at);
}

/* ---- holders ---- */

static int add_holder(struct dit_diff *diff, uint32_t below, uint32_t *ret)
{
	uint32_t at = (uint32_t)diff->nnodes;
	char rdn[64];
	int r = 0;

	while (diff->nodes[below].parent != DIT_DIFF_NONE) {
		below = diff->nodes[below].parent;
	}
	if (atomic_load_explicit(&diff->has_holder_name, memory_order_relaxed)) {
		(void)snprintf(rdn, sizeof(rdn), DIT_DIFF_HOLDER "%016lx-%zu", diff->seed,
		               diff->nholders + 1);
	} else {
		(void)snprintf(rdn, sizeof(rdn), DIT_DIFF_HOLDER "%zu",
		               diff->nholders + 1);
	}
	if (DIT_GROW(diff->nodes, diff->nodes_size, diff->nnodes + 1) < 0 ||
	    DIT_GROW(diff->holders, diff->holders_size, diff->nholders + 1) < 0) {
		return -ENOMEM;
	}
	diff->nodes[at] = (struct dit_diff_node){
		.item = {DIT_DIFF_NONE, DIT_DIFF_NONE},
		.state = DIT_DIFF_DONE,
		.parent = below,
		.rdn = dit_arena_copy(&diff->names, dit_span_of(rdn))};
	if (diff->nodes[at].rdn.data == NULL) {
		return -ENOMEM;
	}
	diff->nnodes++;
	diff->holders[diff->nholders++] = at;
	r = dit_diff_add_holder(diff, at);
	*ret = at;
	return r;
}

static int move_away(struct dit_diff *diff, uint32_t at)
{
	uint32_t holder = DIT_DIFF_NONE;
	int r = 0;

	for (size_t i = 0; i < diff->nholders && holder == DIT_DIFF_NONE; i++) {
		if (owner_of(diff, diff->holders[i], diff->nodes[at].rdn_hash) ==
		    DIT_DIFF_NONE) {
			holder = diff->holders[i];
		}
	}
	if (holder == DIT_DIFF_NONE) {
		r = add_holder(diff, at, &holder);
	}
	r = r ?: dit_diff_rename(diff, at, holder, diff->nodes[at].rdn, false);
	diff->nodes[at].parent = holder;
	return r ?: take_name(diff, at);
}

/* ---- adding and renaming ---- */

static int place(struct dit_diff *diff, uint32_t at, unsigned level);

static int free_name(struct dit_diff *diff, uint32_t parent, uint64_t rdn_hash,
                     uint32_t for_whom, unsigned level)
{
	uint32_t owner = owner_of(diff, parent, rdn_hash);
	int r = 0;

	if (owner == DIT_DIFF_NONE || owner == for_whom) {
		return 0;
	}
	r = place(diff, owner, level + 1);
	if (r < 0 || owner_of(diff, parent, rdn_hash) != owner) {
		return r;
	}
	return move_away(diff, owner);
}

static int put(struct dit_diff *diff, uint32_t at, uint32_t parent)
{
	const struct dit_diff_item *item = dit_diff_item_of(diff, &diff->nodes[at], 1);
	struct dit_diff_node *node = &diff->nodes[at];
	int r = 0;

	if (is_added(diff, node)) {
		r = dit_diff_add(diff, at);
		diff->stats.nadded++;
	} else {
		int keeps = node->is_renamed ? dit_diff_keeps_rdn(diff, node) : 1;

		r = keeps < 0 ? keeps
		              : dit_diff_rename(diff, at, parent, item->rdn, keeps == 0);
		diff->stats.nrenamed++;
	}
	node->parent = parent;
	node->rdn = item->rdn;
	node->rdn_hash = item->rdn_hash;
	node->state = DIT_DIFF_DONE;
	return r ?: take_name(diff, at);
}

/* An entry that keeps its name is done when all above it are. It stays where it is if one
 * of these cannot be placed first: they may be below it as yet. */
static int place(struct dit_diff *diff, uint32_t at, unsigned level)
{
	struct dit_diff_node *node = &diff->nodes[at];
	uint32_t parent = DIT_DIFF_NONE;
	int r = 0;

	if (node->state != DIT_DIFF_WAITS || level > LEVELS ||
	    node->item[1] == DIT_DIFF_NONE) {
		return 0;
	}
	node->state = DIT_DIFF_BUSY;
	parent = dit_diff_parent_of(diff, node, 1);
	r = parent == DIT_DIFF_NONE ? 0 : place(diff, parent, level + 1);
	node = &diff->nodes[at];
	if (r == 0 && parent != DIT_DIFF_NONE &&
	    diff->nodes[parent].state != DIT_DIFF_DONE) {
		node->state = DIT_DIFF_WAITS;
		return 0;
	}
	if (r < 0 || !(node->moves || is_added(diff, node))) {
		node->state = DIT_DIFF_DONE;
		return r;
	}
	r = parent == DIT_DIFF_NONE
	            ? 0
	            : free_name(diff, parent, dit_diff_item_of(diff, node, 1)->rdn_hash,
	                        at, level);
	return r ?: put(diff, at, parent);
}

/* ---- all nodes in an order ---- */

struct step {
	uint64_t depth; /* and the ID: dit_compare_id_pairs() */
	uint64_t id;
	uint32_t node;
};

/* A step is taken with some nodes of a side, in the order of their depths and IDs. */
struct steps {
	unsigned side;
	/* NULL: all of them are. */
	bool (*is_meant)(struct dit_diff *diff, const struct dit_diff_node *node);
	int (*take)(struct dit_diff *diff, uint32_t at);
	bool by_id;     /* depths do not count */
	bool is_upward; /* the last one first */
};

static int take_steps(struct dit_diff *diff, const struct steps *steps)
{
	struct step *list = NULL;
	size_t size = 0;
	size_t n = 0;
	int r = 0;

	for (uint32_t i = 0; i < diff->nnodes && r == 0; i++) {
		const struct dit_diff_item *item =
			dit_diff_item_of(diff, &diff->nodes[i], steps->side);

		if (item != NULL &&
		    (steps->is_meant == NULL || steps->is_meant(diff, &diff->nodes[i]))) {
			r = DIT_APPEND(list, size, n,
			               (struct step){steps->by_id ? 0 : item->depth,
			                             item->id, i});
		}
	}
	dit_sort_items(list, n, sizeof(*list), dit_compare_id_pairs);
	for (size_t i = 0; i < n && r == 0; i++) {
		r = steps->take(diff, list[steps->is_upward ? n - 1 - i : i].node);
	}
	free(list);
	return r;
}

/* Names are taken by nodes that go or move. Entries above one that stays, and that go
 * themselves, are deleted at the end. */
static int look_ahead(struct dit_diff *diff)
{
	int r = 0;

	for (uint32_t i = 0; i < diff->nnodes && r == 0; i++) {
		uint32_t at = DIT_DIFF_NONE;

		if (diff->nodes[i].moves) {
			at = dit_diff_parent_of(diff, &diff->nodes[i], 0);
		}
		if (diff->nodes[i].moves || is_deleted(diff, &diff->nodes[i])) {
			r = take_name(diff, i);
		}
		while (at != DIT_DIFF_NONE && is_deleted(diff, &diff->nodes[at]) &&
		       !diff->nodes[at].has_kept) {
			diff->nodes[at].has_kept = true;
			at = dit_diff_parent_of(diff, &diff->nodes[at], 0);
		}
	}
	return r;
}

static bool goes_first(struct dit_diff *diff, const struct dit_diff_node *node)
{
	return is_deleted(diff, node) && !node->has_kept;
}

static bool goes_last(struct dit_diff *diff, const struct dit_diff_node *node)
{
	return is_deleted(diff, node) && node->has_kept;
}

static int delete_node(struct dit_diff *diff, uint32_t at)
{
	diff->nodes[at].is_gone = true;
	diff->stats.ndeleted++;
	return dit_diff_delete(diff, at);
}

static int place_node(struct dit_diff *diff, uint32_t at)
{
	return place(diff, at, 0);
}

static bool is_modified(struct dit_diff *diff, const struct dit_diff_node *node)
{
	const struct dit_diff_item *a = dit_diff_item_of(diff, node, 0);
	const struct dit_diff_item *b = dit_diff_item_of(diff, node, 1);

	return a != NULL && (a->sum.low != b->sum.low || a->sum.high != b->sum.high ||
	                     (node->moves && diff->stamp_ads[0] != NULL));
}

static bool is_configuration(const struct dit_diff *diff)
{
	return diff->job.chosen.db->number == 0;
}

/* In the configuration: modules bring the classes of entries that are added. */
static bool has_modules(struct dit_diff *diff, const struct dit_diff_node *node)
{
	struct dit_span rdn = {NULL, 0};

	if (!is_configuration(diff)) {
		return false;
	}
	rdn = dit_diff_item_of(diff, node, 1)->rdn;
	return dit_cut_prefix(&rdn, DIT_SPAN("cn=module{"));
}

static bool is_modified_first(struct dit_diff *diff, const struct dit_diff_node *node)
{
	return has_modules(diff, node) && is_modified(diff, node);
}

static bool is_modified_last(struct dit_diff *diff, const struct dit_diff_node *node)
{
	return !has_modules(diff, node) && is_modified(diff, node);
}

int dit_diff_plan(struct dit_diff *diff)
{
	static const struct steps modules = {.side = 1,
	                                     .is_meant = is_modified_first,
	                                     .take = dit_diff_modify,
	                                     .by_id = true};
	static const struct steps first = {
		.is_meant = goes_first, .take = delete_node, .is_upward = true};
	static const struct steps last = {
		.is_meant = goes_last, .take = delete_node, .is_upward = true};
	static const struct steps changes = {.side = 1,
	                                     .is_meant = is_modified_last,
	                                     .take = dit_diff_modify,
	                                     .by_id = true};
	/* The configuration has the schema before the databases that name attributes. */
	const struct steps places = {
		.side = 1, .take = place_node, .by_id = is_configuration(diff)};
	int r = look_ahead(diff);

	r = r ?: take_steps(diff, &first);
	if (r == 0 && is_configuration(diff)) {
		r = take_steps(diff, &modules);
	}
	r = r ?: take_steps(diff, &places);
	r = r ?: take_steps(diff, &last);
	for (size_t i = 0; i < diff->nholders && r == 0; i++) {
		r = dit_diff_delete(diff, diff->holders[i]);
	}
	return r ?: take_steps(diff, &changes);
}
