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

static int read_item(struct dit_diff *diff, unsigned side, struct dit_diff_item *item)
{
	struct dit_entry_view entry;
	int r = dit_diff_read(diff, side, item->id, &entry);

	if (r < 0) {
		return r;
	}
	item->is_read = true;
	item->is_hole = entry.is_hole;
	item->is_equal |= entry.is_hole; /* it is neither added nor deleted */
	item->dn = dit_sum128_of(entry.norm_dn, diff->seed).low;
	item->depth = dit_dn_depth(entry.norm_dn);
	item->class_hash = class_of(diff, &entry);
	/* A topmost entry has several RDNs, and keeps them. */
	item->rdn = dit_arena_copy(
		&diff->kept, entry.parent == 0 ? entry.dn : dit_dn_first_rdn(entry.dn));
	item->rdn_hash = dit_sum128_seed(dit_dn_first_rdn(entry.norm_dn), diff->seed);
	return item->rdn.data == NULL ? -ENOMEM
	       : entry.parent == 0
	               ? 0
	               : dit_diff_item(diff, side, entry.parent, &item->parent);
}

/* Those that are added on the way are read as well. */
static int read_items(struct dit_diff *diff, unsigned side)
{
	int r = 0;

	for (size_t i = 0; i < diff->sides[side].nitems && r == 0; i++) {
		if (!diff->sides[side].items[i]->is_read) {
			r = read_item(diff, side, diff->sides[side].items[i]);
		}
	}
	return r;
}

/* ---- nodes ---- */

static int add_node(struct dit_diff *diff, struct dit_diff_item *first,
                    struct dit_diff_item *second)
{
	struct dit_diff_node *node = dit_arena_alloc(&diff->kept, sizeof(*node));

	if (node == NULL) {
		return -ENOMEM;
	}
	*node = (struct dit_diff_node){.item = {first, second}};
	for (unsigned side = 0; side < 2; side++) {
		if (node->item[side] != NULL) {
			node->item[side]->node = node;
		}
	}
	return DIT_APPEND(diff->nodes, diff->nodes_size, diff->nnodes, node);
}

static uint64_t by_uuid(const struct dit_diff_item *item)
{
	return item->is_equal || item->parent == NULL ? 0 : item->uuid;
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
	       b->parent == NULL ||
	       (a->dn == b->dn && dit_span_eq(a->rdn, b->rdn) && is_glue(diff, a));
}

/* Items of both sides that have one key; 0 is none. */
static int match_by(struct dit_diff *diff,
                    uint64_t (*key_of)(const struct dit_diff_item *))
{
	struct dit_diff_map map = {.slots = NULL};
	int r = 0;

	for (size_t i = 0; i < diff->sides[0].nitems && r == 0; i++) {
		struct dit_diff_item *item = diff->sides[0].items[i];

		if (item->node == NULL && key_of(item) != 0) {
			r = dit_diff_map_set(&map, key_of(item), item);
		}
	}
	for (size_t i = 0; i < diff->sides[1].nitems && r == 0; i++) {
		struct dit_diff_item *both[2] = {NULL, diff->sides[1].items[i]};

		if (both[1]->node == NULL && key_of(both[1]) != 0) {
			both[0] = dit_diff_map_get(&map, key_of(both[1]));
		}
		if (both[0] != NULL && both[0]->node == NULL &&
		    is_one_class(diff, both[0], both[1])) {
			r = both[0]->rdn_hash == both[1]->rdn_hash
			            ? 1
			            : dit_diff_can_rename(diff, both);
			r = r > 0 ? add_node(diff, both[0], both[1]) : r;
		}
	}
	dit_diff_map_deinit(&map);
	return r;
}

static int add_alone(struct dit_diff *diff, unsigned side)
{
	int r = 0;

	for (size_t i = 0; i < diff->sides[side].nitems && r == 0; i++) {
		struct dit_diff_item *item = diff->sides[side].items[i];

		if (item->node == NULL) {
			r = side == 0 ? add_node(diff, item, NULL)
			              : add_node(diff, NULL, item);
		}
	}
	return r;
}

static void compare_places(struct dit_diff *diff)
{
	for (size_t i = 0; i < diff->nnodes; i++) {
		struct dit_diff_node *node = diff->nodes[i];
		const struct dit_diff_item *a = node->item[0];
		const struct dit_diff_item *b = node->item[1];

		/* slapd renames no topmost entry: its spelling stays. */
		if (a != NULL && b != NULL && (a->parent != NULL || b->parent != NULL)) {
			node->is_renamed = !dit_span_eq(a->rdn, b->rdn);
			node->moves =
				node->is_renamed || dit_diff_parent_of(node, 0) !=
							    dit_diff_parent_of(node, 1);
		}
		node->parent = dit_diff_parent_of(node, 0);
		node->name = a ?: b;
	}
}

static int make_nodes(struct dit_diff *diff)
{
	int r = 0;

	for (unsigned side = 0; side < 2 && r == 0; side++) {
		r = read_items(diff, side);
		for (size_t i = 0; i < diff->sides[side].nitems; i++) {
			diff->sides[side].items[i]->node = NULL;
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
		r = dit_diff_map_set(&dns, other->items[i]->dn, other->items[i]);
	}
	for (size_t i = 0; i < own->nitems && r == 0; i++) {
		struct dit_diff_item *item = own->items[i];
		const struct dit_diff_item *same = dit_diff_map_get(&dns, item->dn);

		if (same != NULL && same->node != item->node) {
			r = dit_diff_map_set(ret, item->id, item);
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
		struct dit_diff_item *const *item = diff->nodes[i]->item;
		unsigned side = item[0] == NULL;

		is_alone[side] |= item[1 - side] == NULL && item[side]->parent == NULL &&
		                  !item[side]->is_equal;
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

int dit_diff_refuse_hole(struct dit_diff *diff, const struct dit_diff_node *node,
                         const char *where)
{
	struct dit_span dn;

	if (dit_diff_dn(diff, node, &dn) < 0) {
		return -ENOMEM;
	}
	diff->is_told = true;
	return dit_job_say(&diff->job, -EINVAL,
	                   "%.*s: this entry is missing in %s, and entries below "
	                   "it are there: no changes lead from one to the other",
	                   DIT_SPAN_ARGS(dn), where);
}

/* slapd deletes no entry that has others below it, and adds none below a hole. A hole of
 * the first side goes with all below it, but no change names it. */
static int check_holes(struct dit_diff *diff)
{
	int r = 0;

	for (size_t i = 0; i < diff->nnodes && r == 0; i++) {
		const struct dit_diff_node *node = diff->nodes[i];
		const struct dit_diff_item *a = node->item[0];
		const struct dit_diff_item *b = node->item[1];

		if (node->moves && a->is_hole && b->is_hole) {
			r = dit_diff_refuse_hole(diff, node, "both states");
		} else if (is_hole_alone(b, a) || (b != NULL && is_hole_alone(a, b))) {
			r = dit_diff_refuse_hole(diff, node, "one state");
		}
	}
	return r;
}

int dit_diff_match(struct dit_diff *diff)
{
	struct dit_diff_map marked[2] = {{.slots = NULL}, {.slots = NULL}};
	int r = make_nodes(diff);

	r = r ?: mark(diff, 0, &marked[0]);
	r = r ?: mark(diff, 1, &marked[1]);
	if (r == 0 && marked[0].n + marked[1].n > 0) {
		r = dit_diff_scan_children(diff, 0, &marked[0]);
		r = r ?: dit_diff_scan_children(diff, 1, &marked[1]);
		r = r ?: make_nodes(diff);
	}
	dit_diff_map_deinit(&marked[0]);
	dit_diff_map_deinit(&marked[1]);
	r = r ?: check_topmost(diff);
	return r ?: check_holes(diff);
}
