/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Items of both sides become nodes. The entries above an item are items, too, so that a
 * node knows its parent on both sides:
 *
 *   first    items with one entryUUID are one node, if slapd can rename the entry
 *   then     those that are left, with one DN, if their structural class is the same:
 *            slapd changes no structural class, so such an entry is deleted and added
 *   at last  each other item is a node alone
 *
 * A node moves if its parents are two nodes, or its RDNs differ. Its subtree goes along.
 *
 * Entries that are equal can move as well: ou=a and ou=b have exchanged their names, and
 * uid=1,ou=a is the same under both. So the children of all entries whose DN is another
 * node's on the other side are looked at in a second scan.
 */
#include <errno.h>

#include "base/error.h"
#include "base/grow.h"
#include "diff/diff_impl.h"
#include "values/dn.h"

static int read_from(struct dit_diff *diff, struct dit_entry_reader *reader,
                     unsigned side, uint64_t id, struct dit_entry_view *ret)
{
	int r = dit_entry_reader_seek(reader, id, ret);

	if (r < 0 && r != DIT_E_CORRUPT) {
		return r;
	}
	return r <= 0 || ret->id != id || ret->name_error < 0 || ret->record_error < 0
	               ? dit_diff_fail_entry(diff, side, id)
	               : 0;
}

int dit_diff_read(struct dit_diff *diff, unsigned side, uint64_t id,
                  struct dit_entry_view *ret)
{
	int r = read_from(diff, diff->sides[side].reader, side, id, ret);
	struct dit_entry_view own;

	if (r < 0 || !dit_diff_is_twin(diff, side, id)) {
		return r;
	}
	own = *ret;
	r = read_from(diff, diff->twins, 1 - side, dit_known_twin(diff->known, id), ret);
	ret->id = own.id;
	ret->parent = own.parent;
	ret->dn = own.dn;
	ret->norm_dn = own.norm_dn;
	return r;
}

/* ---- items and those above them ---- */

static uint64_t class_of(const struct dit_diff *diff, const struct dit_entry_view *entry)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (attr->ad == diff->class_ad && attr->nvalues > 0) {
			return dit_diff_hash_of(diff, attr);
		}
	}
	return 0;
}

static int add_parent(struct dit_diff_side *side, uint64_t id)
{
	if (id == 0 || dit_diff_map_get(&side->by_id, id) != DIT_DIFF_NONE) {
		return 0;
	}
	if (DIT_GROW(side->items, side->items_size, side->nitems + 1) < 0) {
		return -ENOMEM;
	}
	side->items[side->nitems] =
		(struct dit_diff_item){.id = id, .is_equal = true, .node = DIT_DIFF_NONE};
	return dit_diff_map_set(&side->by_id, id, (uint32_t)side->nitems++);
}

static int read_item(struct dit_diff *diff, unsigned side, size_t at)
{
	struct dit_diff_item *item = &diff->sides[side].items[at];
	struct dit_entry_view entry;
	int r = dit_diff_read(diff, side, item->id, &entry);

	if (r < 0) {
		return r;
	}
	item->is_read = true;
	item->is_hole = entry.is_hole;
	item->is_equal |= entry.is_hole; /* it is neither added nor deleted */
	item->dn = dit_diff_dn_sum(diff, entry.norm_dn).low;
	item->parent = entry.parent;
	item->depth = dit_dn_depth(entry.norm_dn);
	item->class_hash = class_of(diff, &entry);
	/* A topmost entry has several RDNs, and keeps them. */
	item->rdn = dit_arena_copy(
		&diff->names, entry.parent == 0 ? entry.dn : dit_dn_first_rdn(entry.dn));
	item->rdn_hash = dit_sum128_seed(dit_dn_first_rdn(entry.norm_dn), diff->seed);
	return item->rdn.data == NULL ? -ENOMEM
	                              : add_parent(&diff->sides[side], entry.parent);
}

/* Those that are added on the way are read as well. */
static int read_items(struct dit_diff *diff, unsigned side)
{
	int r = 0;

	for (size_t i = 0; i < diff->sides[side].nitems && r == 0; i++) {
		if (!diff->sides[side].items[i].is_read) {
			r = read_item(diff, side, i);
		}
	}
	return r;
}

/* ---- nodes ---- */

static int add_node(struct dit_diff *diff, uint32_t first, uint32_t second)
{
	struct dit_diff_node node = {.item = {first, second}, .parent = DIT_DIFF_NONE};

	if (diff->nnodes >= DIT_DIFF_NONE - 1 ||
	    DIT_GROW(diff->nodes, diff->nodes_size, diff->nnodes + 1) < 0) {
		return -ENOMEM;
	}
	for (unsigned side = 0; side < 2; side++) {
		if (node.item[side] != DIT_DIFF_NONE) {
			diff->sides[side].items[node.item[side]].node =
				(uint32_t)diff->nnodes;
		}
	}
	diff->nodes[diff->nnodes++] = node;
	return 0;
}

static uint64_t by_uuid(const struct dit_diff_item *item)
{
	return item->is_equal || item->parent == 0 ? 0 : item->uuid;
}

static uint64_t by_dn(const struct dit_diff_item *item)
{
	return item->dn;
}

static bool is_glue(const struct dit_diff *diff, const struct dit_diff_item *item)
{
	return item->class_hash == dit_sum128_seed(DIT_SPAN("glue"), diff->seed);
}

/* A hole has no class, and a glue entry may become another one where it is. */
static bool is_one_class(const struct dit_diff *diff, const struct dit_diff_item *a,
                         const struct dit_diff_item *b)
{
	return a->class_hash == b->class_hash || a->is_hole || b->is_hole ||
	       b->parent == 0 ||
	       (a->dn == b->dn && dit_span_eq(a->rdn, b->rdn) && is_glue(diff, a));
}

/* Items of both sides that have one key; 0 is none. */
static int match_by(struct dit_diff *diff,
                    uint64_t (*key_of)(const struct dit_diff_item *))
{
	struct dit_diff_map map = {.slots = NULL};
	int r = 0;

	for (size_t i = 0; i < diff->sides[0].nitems && r == 0; i++) {
		const struct dit_diff_item *item = &diff->sides[0].items[i];

		if (item->node == DIT_DIFF_NONE && key_of(item) != 0) {
			r = dit_diff_map_set(&map, key_of(item), (uint32_t)i);
		}
	}
	for (size_t i = 0; i < diff->sides[1].nitems && r == 0; i++) {
		const struct dit_diff_item *item = &diff->sides[1].items[i];
		uint32_t at = item->node != DIT_DIFF_NONE || key_of(item) == 0
		                      ? DIT_DIFF_NONE
		                      : dit_diff_map_get(&map, key_of(item));
		const struct dit_diff_item *first =
			at == DIT_DIFF_NONE ? NULL : &diff->sides[0].items[at];

		if (first != NULL && first->node == DIT_DIFF_NONE &&
		    is_one_class(diff, first, item)) {
			r = first->rdn_hash == item->rdn_hash
			            ? 1
			            : dit_diff_can_rename(diff, first, item);
			r = r > 0 ? add_node(diff, at, (uint32_t)i) : r;
		}
	}
	dit_diff_map_deinit(&map);
	return r;
}

static int add_alone(struct dit_diff *diff, unsigned side)
{
	int r = 0;

	for (size_t i = 0; i < diff->sides[side].nitems && r == 0; i++) {
		if (diff->sides[side].items[i].node == DIT_DIFF_NONE) {
			r = side == 0 ? add_node(diff, (uint32_t)i, DIT_DIFF_NONE)
			              : add_node(diff, DIT_DIFF_NONE, (uint32_t)i);
		}
	}
	return r;
}

uint32_t dit_diff_parent_of(struct dit_diff *diff, const struct dit_diff_node *node,
                            unsigned side)
{
	unsigned at = node->item[side] == DIT_DIFF_NONE ? 1 - side : side;
	const struct dit_diff_item *item = dit_diff_item_of(diff, node, at);
	uint32_t parent =
		item == NULL || item->parent == 0
			? DIT_DIFF_NONE
			: dit_diff_map_get(&diff->sides[at].by_id, item->parent);

	return parent == DIT_DIFF_NONE ? parent : diff->sides[at].items[parent].node;
}

static void compare_places(struct dit_diff *diff)
{
	for (size_t i = 0; i < diff->nnodes; i++) {
		struct dit_diff_node *node = &diff->nodes[i];
		const struct dit_diff_item *items[2] = {dit_diff_item_of(diff, node, 0),
		                                        dit_diff_item_of(diff, node, 1)};
		const struct dit_diff_item *now = items[0] == NULL ? items[1] : items[0];

		/* slapd renames no topmost entry: its spelling stays. */
		if (items[0] != NULL && items[1] != NULL &&
		    (items[0]->parent != 0 || items[1]->parent != 0)) {
			node->is_renamed = !dit_span_eq(items[0]->rdn, items[1]->rdn);
			node->moves = node->is_renamed ||
			              dit_diff_parent_of(diff, node, 0) !=
			                      dit_diff_parent_of(diff, node, 1);
		}
		node->parent = dit_diff_parent_of(diff, node, items[0] == NULL);
		node->rdn = now->rdn;
		node->rdn_hash = now->rdn_hash;
	}
}

static int make_nodes(struct dit_diff *diff)
{
	int r = 0;

	for (unsigned side = 0; side < 2 && r == 0; side++) {
		r = read_items(diff, side);
		for (size_t i = 0; i < diff->sides[side].nitems; i++) {
			diff->sides[side].items[i].node = DIT_DIFF_NONE;
		}
	}
	diff->nnodes = 0;
	r = r ?: match_by(diff, by_uuid);
	r = r ?: match_by(diff, by_dn);
	for (unsigned side = 0; side < 2 && r == 0; side++) {
		r = add_alone(diff, side);
	}
	if (r == 0) {
		compare_places(diff);
	}
	return r;
}

/* ---- DNs that are another node's on the other side ---- */

/* The entries of a side that have such a DN, by ID. */
static int mark(struct dit_diff *diff, unsigned side, struct dit_diff_map *ret)
{
	const struct dit_diff_side *other = &diff->sides[1 - side];
	const struct dit_diff_side *own = &diff->sides[side];
	struct dit_diff_map dns = {.slots = NULL};
	int r = 0;

	for (size_t i = 0; i < other->nitems && r == 0; i++) {
		r = dit_diff_map_set(&dns, other->items[i].dn, (uint32_t)i);
	}
	for (size_t i = 0; i < own->nitems && r == 0; i++) {
		uint32_t at = dit_diff_map_get(&dns, own->items[i].dn);

		if (at != DIT_DIFF_NONE && other->items[at].node != own->items[i].node) {
			r = dit_diff_map_set(ret, own->items[i].id, (uint32_t)i);
		}
	}
	dit_diff_map_deinit(&dns);
	return r;
}

/* A database with the empty suffix may have several. */
static int check_topmost(struct dit_diff *diff)
{
	bool is_alone[2] = {false, false};

	for (size_t i = 0; i < diff->nnodes; i++) {
		const struct dit_diff_node *node = &diff->nodes[i];

		for (unsigned side = 0; side < 2; side++) {
			const struct dit_diff_item *item =
				dit_diff_item_of(diff, node, side);

			if (item != NULL && item->parent == 0 && !item->is_equal &&
			    node->item[1 - side] == DIT_DIFF_NONE) {
				is_alone[side] = true;
			}
		}
	}
	return is_alone[0] && is_alone[1] && diff->suffix_nrdns > 0
	               ? dit_diff_fail(
				 diff, -EINVAL, diff->sides[1].directory,
				 "the topmost entry differs: these are not two states of one directory")
	               : 0;
}

static bool is_hole_alone(const struct dit_diff_item *hole,
                          const struct dit_diff_item *other)
{
	return hole != NULL && hole->is_hole &&
	       (other == NULL || (!other->is_hole && !other->is_equal));
}

/* slapd deletes no entry that has others below it, and adds none below a hole. A hole of
 * the first side goes with all below it. */
static int check_holes(struct dit_diff *diff)
{
	for (uint32_t i = 0; i < diff->nnodes; i++) {
		const struct dit_diff_item *a =
			dit_diff_item_of(diff, &diff->nodes[i], 0);
		const struct dit_diff_item *b =
			dit_diff_item_of(diff, &diff->nodes[i], 1);
		struct dit_span dn;

		if (!is_hole_alone(b, a) && (b == NULL || !is_hole_alone(a, b))) {
			continue;
		}
		if (dit_diff_dn(diff, i, &dn) < 0) {
			return -ENOMEM;
		}
		diff->is_told = true;
		return dit_job_say(
			&diff->job, -EINVAL,
			"%.*s: this entry is missing in one state, and entries below "
			"it are there: no changes lead from one to the other",
			(int)dn.len, dn.data);
	}
	return 0;
}

int dit_diff_match(struct dit_diff *diff)
{
	struct dit_diff_map marked[2] = {{.slots = NULL}, {.slots = NULL}};
	int r = make_nodes(diff);

	for (unsigned side = 0; side < 2 && r == 0; side++) {
		r = mark(diff, side, &marked[side]);
	}
	for (unsigned side = 0; side < 2 && r == 0 && marked[0].n + marked[1].n > 0;
	     side++) {
		r = dit_diff_scan_children(diff, side, &marked[side]);
	}
	if (r == 0 && marked[0].n + marked[1].n > 0) {
		r = make_nodes(diff);
	}
	dit_diff_map_deinit(&marked[0]);
	dit_diff_map_deinit(&marked[1]);
	r = r ?: check_topmost(diff);
	return r ?: check_holes(diff);
}
