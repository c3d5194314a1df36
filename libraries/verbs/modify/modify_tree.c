/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree as the changes so far have left it: stored nodes are looked up one by one, and
 * those that were met are kept. A stored node that was met is looked for there alone.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "base/error.h"
#include "modify/modify_impl.h"

/* ---- the nodes that were met ---- */

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = ((const struct modify_node *)a)->id;
	uint64_t y = ((const struct modify_node *)b)->id;

	return (x > y) - (x < y);
}

static int compare_names(const void *a, const void *b)
{
	const struct modify_node *x = a;
	const struct modify_node *y = b;

	if (x->parent != y->parent) {
		return x->parent < y->parent ? -1 : 1;
	}
	return x->norm.len != y->norm.len
	               ? (x->norm.len > y->norm.len) - (x->norm.len < y->norm.len)
	               : memcmp(x->norm.data, y->norm.data, x->norm.len);
}

static struct modify_node *find_met(void *const *tree, const struct modify_node *wanted,
                                    int (*compare)(const void *a, const void *b))
{
	struct modify_node *const *found = tfind(wanted, tree, compare);

	return found == NULL ? NULL : *found;
}

static int remember_name(struct modify_tree *tree, struct modify_node *node)
{
	return tsearch(node, &tree->by_name, compare_names) == NULL ? -ENOMEM : 0;
}

static int remember(struct modify_tree *tree, struct modify_node *node)
{
	if (tsearch(node, &tree->by_id, compare_ids) == NULL) {
		return -ENOMEM;
	}
	tree->nnodes++;
	return remember_name(tree, node);
}

static void forget_node(void *node)
{
	(void)node; /* the arena has it */
}

void dit_modify_tree_deinit(struct modify_tree *tree)
{
	tdestroy(tree->by_id, forget_node);
	tdestroy(tree->by_name, forget_node);
}

struct listing {
	struct modify_node **list;
	size_t n;
};

static void list_node(const void *at, VISIT visit, void *ctx)
{
	struct listing *listing = ctx;

	if (visit == postorder || visit == leaf) {
		listing->list[listing->n++] = *(struct modify_node *const *)at;
	}
}

int dit_modify_list_nodes(const struct modifier *modifier, struct modify_node ***ret)
{
	struct listing listing = {
		.list = calloc(modifier->tree.nnodes + 1, sizeof(*listing.list))};

	if (listing.list == NULL) {
		return -ENOMEM;
	}
	twalk_r(modifier->tree.by_id, list_node, &listing);
	*ret = listing.list;
	return 0;
}

/* ---- look-ups ---- */

/* A stored node is met. @param name  its record under its parent */
static int meet(struct modifier *modifier, uint64_t parent, const struct dit_name *name,
                struct modify_node **ret)
{
	struct dit_arena *arena = &modifier->kept;
	struct modify_node *node = dit_arena_calloc(arena, 1, sizeof(*node));

	if (node == NULL) {
		return -ENOMEM;
	}
	*node = (struct modify_node){.id = name->id,
	                             .parent = parent,
	                             .norm = dit_arena_copy(arena, name->norm),
	                             .pretty = dit_arena_copy(arena, name->pretty),
	                             .nsubs = name->nsubs,
	                             .is_stored = true,
	                             .stored_parent = parent,
	                             .stored_nsubs = name->nsubs};
	node->stored_norm = node->norm;
	*ret = node;
	return node->norm.data == NULL || node->pretty.data == NULL
	               ? -ENOMEM
	               : remember(&modifier->tree, node);
}

int dit_modify_find_child(struct modifier *modifier, uint64_t parent,
                          struct dit_span norm, struct modify_node **ret)
{
	struct modify_node wanted = {.parent = parent, .norm = norm};
	struct dit_name name;
	int r = 0;

	*ret = find_met(&modifier->tree.by_name, &wanted, compare_names);
	if (*ret != NULL || parent > modifier->tree.nstored) {
		return *ret != NULL;
	}
	r = dit_output_find_child(modifier->output, parent, norm, &name);
	if (r <= 0) {
		return r;
	}
	wanted.id = name.id;
	if (find_met(&modifier->tree.by_id, &wanted, compare_ids) != NULL) {
		return 0; /* it is called otherwise now, or gone */
	}
	r = name.id > modifier->tree.nstored ? DIT_E_CORRUPT
	                                     : meet(modifier, parent, &name, ret);
	return r < 0 ? r : 1;
}

int dit_modify_find_id(struct modifier *modifier, uint64_t id, struct modify_node **ret)
{
	const struct modify_node wanted = {.id = id};
	struct dit_name self;
	int r = 0;

	*ret = find_met(&modifier->tree.by_id, &wanted, compare_ids);
	if (*ret != NULL) {
		return !(*ret)->is_gone;
	}
	r = dit_output_find_name(modifier->output, id, &self);
	return r <= 0 ? r : dit_modify_find_child(modifier, self.id, self.norm, ret);
}

/* RDNs of the topmost node. */
static unsigned count_top(const struct modifier *modifier)
{
	return modifier->suffix_nrdns == 0 ? 1 : modifier->suffix_nrdns;
}

/* RDN i of a normal DN. The topmost node has all RDNs of the suffix. */
static struct dit_span rdn_of(const struct modifier *modifier, const struct dit_dn *dn,
                              unsigned i)
{
	struct dit_span rest = dn->norm;

	rest.data += dn->norm_at[i];
	rest.len -= dn->norm_at[i];
	if (i + count_top(modifier) < dn->nrdns) {
		rest.len = dn->norm_at[i + 1] - 1 - dn->norm_at[i];
	}
	return rest;
}

/* The node of a DN without its first RDNs. */
static int find_above(struct modifier *modifier, const struct dit_dn *dn, unsigned nless,
                      struct modify_node **ret)
{
	unsigned i = dn->nrdns - count_top(modifier) + 1;
	uint64_t parent = 0;
	int r = 1;

	while (r > 0 && i > nless) {
		r = dit_modify_find_child(modifier, parent, rdn_of(modifier, dn, --i),
		                          ret);
		parent = r > 0 ? (*ret)->id : 0;
	}
	return r;
}

int dit_modify_find(struct modifier *modifier, const struct dit_dn *dn,
                    struct modify_node **ret)
{
	*ret = NULL;
	return find_above(modifier, dn, 0, ret);
}

int dit_modify_find_parent(struct modifier *modifier, const struct dit_dn *dn,
                           struct modify_node **ret)
{
	*ret = NULL;
	return find_above(modifier, dn, 1, ret);
}

/* ---- changes ---- */

/* Subtrees from a node up become larger or smaller. */
static int count_up(struct modifier *modifier, uint64_t id, uint64_t n)
{
	int r = 1;

	while (id != 0 && r > 0) {
		struct modify_node *node = NULL;

		r = dit_modify_find_id(modifier, id, &node);
		if (r > 0) {
			node->nsubs += n; /* modulo 2^64 */
			id = node->parent;
		}
	}
	return r == 0 ? DIT_E_CORRUPT : r < 0 ? r : 0;
}

/* Is there an entry with this ID now? */
static int has_entry(struct modifier *modifier, uint64_t id)
{
	const struct modify_node wanted = {.id = id};
	const struct modify_node *node =
		find_met(&modifier->tree.by_id, &wanted, compare_ids);
	struct dit_span record;

	if (node != NULL && (node->is_gone || node->entry != NULL)) {
		return !node->is_gone;
	}
	return id > modifier->tree.nstored
	               ? 0
	               : dit_output_find_entry(modifier->output, id, &record);
}

int dit_modify_add_node(struct modifier *modifier, uint64_t parent, struct dit_span norm,
                        struct dit_span pretty, struct modify_node **ret)
{
	struct modify_tree *tree = &modifier->tree;
	const struct modify_node wanted = {.id = tree->last_id + 1};
	struct modify_node *node = find_met(&tree->by_id, &wanted, compare_ids);
	bool is_again = node != NULL;

	if (wanted.id > UINT32_MAX) {
		return DIT_E_TOOLONG;
	}
	if (!is_again) {
		node = dit_arena_calloc(&modifier->kept, 1, sizeof(*node));
	}
	if (node == NULL) {
		return -ENOMEM;
	}
	node->id = wanted.id;
	node->parent = parent;
	node->norm = dit_arena_copy(&modifier->kept, norm);
	node->pretty = dit_arena_copy(&modifier->kept, pretty);
	node->nsubs = 1;
	node->is_gone = false;
	node->is_respelt = true;
	if (node->norm.data == NULL || node->pretty.data == NULL) {
		return -ENOMEM;
	}
	tree->last_id = node->id;
	*ret = node;
	if ((is_again ? remember_name(tree, node) : remember(tree, node)) < 0) {
		return -ENOMEM;
	}
	return count_up(modifier, parent, 1);
}

int dit_modify_remove_node(struct modifier *modifier, struct modify_node *node)
{
	struct modify_tree *tree = &modifier->tree;
	int r = count_up(modifier, node->parent, (uint64_t)-1);

	(void)tdelete(node, &tree->by_name, compare_names);
	node->is_gone = true;
	node->entry = NULL;
	/* slapd gives an ID again that was the highest. */
	while (r == 0 && node->id == tree->last_id && tree->last_id > 0) {
		do {
			r = has_entry(modifier, --tree->last_id);
		} while (r == 0 && tree->last_id > 0);
	}
	return r < 0 ? r : 0;
}

int dit_modify_move_node(struct modifier *modifier, struct modify_node *node,
                         uint64_t parent, struct dit_span norm, struct dit_span pretty)
{
	int r = 0;

	if (parent != node->parent) {
		r = count_up(modifier, node->parent, -node->nsubs);
		r = r ?: count_up(modifier, parent, node->nsubs);
	}
	(void)tdelete(node, &modifier->tree.by_name, compare_names);
	node->is_respelt = true;
	node->parent = parent;
	node->norm = dit_arena_copy(&modifier->kept, norm);
	node->pretty = dit_arena_copy(&modifier->kept, pretty);
	if (r < 0 || node->norm.data == NULL || node->pretty.data == NULL) {
		return r < 0 ? r : -ENOMEM;
	}
	return remember_name(&modifier->tree, node);
}
