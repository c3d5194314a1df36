/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree as the changes so far have left it: stored nodes are looked up one by one, and
 * those that were met are kept. A stored node that was met is looked for there alone.
 */
#include <errno.h>
#include <stdlib.h>

#include <xxhash.h>

#include "base/error.h"
#include "base/ids.h"
#include "modify/modify_impl.h"

/* ---- the nodes that were met ---- */

#define LEAST_SLOTS 1024u

static uint64_t hash_of(enum modify_key key, const struct modify_node *node)
{
	return key == MODIFY_BY_ID ? XXH3_64bits(&node->id, sizeof(node->id))
	                           : XXH3_64bits_withSeed(node->norm.data, node->norm.len,
	                                                  dit_modify_id(node->parent));
}

static bool is_like(enum modify_key key, const struct modify_node *node,
                    const struct modify_node *wanted)
{
	return key == MODIFY_BY_ID ? node->id == wanted->id
	                           : !node->is_gone && node->parent == wanted->parent &&
	                                     dit_span_eq(node->norm, wanted->norm);
}

/* Where such a node is, or belongs. One that has lost its name is like none. */
static struct modify_node **slot_of(const struct modify_table *table, enum modify_key key,
                                    const struct modify_node *wanted)
{
	uint64_t at = hash_of(key, wanted);

	while (table->slots[at & (table->nslots - 1)] != NULL &&
	       !is_like(key, table->slots[at & (table->nslots - 1)], wanted)) {
		at++;
	}
	return &table->slots[at & (table->nslots - 1)];
}

static void put(struct modify_table *table, enum modify_key key, struct modify_node *node)
{
	struct modify_node **slot = slot_of(table, key, node);

	table->n += *slot == NULL;
	*slot = node;
}

/* Half of the slots are free, at least. */
static int grow(struct modify_table *table, enum modify_key key)
{
	struct modify_table grown = {.nslots = table->nslots == 0 ? LEAST_SLOTS
	                                                          : 2 * table->nslots};

	grown.slots = calloc(grown.nslots, sizeof(*grown.slots));
	if (grown.slots == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < table->nslots; i++) {
		if (table->slots[i] != NULL) {
			put(&grown, key, table->slots[i]);
		}
	}
	free(table->slots);
	*table = grown;
	return 0;
}

static int remember(struct modify_tree *tree, enum modify_key key,
                    struct modify_node *node)
{
	struct modify_table *table = &tree->tables[key];

	if (2 * table->n >= table->nslots && grow(table, key) < 0) {
		return -ENOMEM;
	}
	put(table, key, node);
	return 0;
}

static struct modify_node *find(const struct modify_tree *tree, enum modify_key key,
                                const struct modify_node *wanted)
{
	const struct modify_table *table = &tree->tables[key];

	return table->nslots == 0 ? NULL : *slot_of(table, key, wanted);
}

static struct modify_node *find_id(const struct modify_tree *tree, uint64_t id)
{
	return find(tree, MODIFY_BY_ID, &(struct modify_node){.id = id});
}

void dit_modify_tree_deinit(struct modify_tree *tree)
{
	free(tree->tables[MODIFY_BY_ID].slots);
	free(tree->tables[MODIFY_BY_NAME].slots);
	free(tree->nodes);
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = (*(struct modify_node *const *)a)->id;
	uint64_t y = (*(struct modify_node *const *)b)->id;

	return DIT_ORDER_OF(x, y);
}

int dit_modify_list_nodes(struct modify_tree *tree)
{
	const struct modify_table *table = &tree->tables[MODIFY_BY_ID];

	tree->nodes = calloc(table->n + 1, sizeof(struct modify_node *));
	if (tree->nodes == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < table->nslots; i++) {
		if (table->slots[i] != NULL) {
			table->slots[i]->is_gone |= table->slots[i]->nsubs == 0;
			tree->nodes[tree->nnodes++] = table->slots[i];
		}
	}
	qsort(tree->nodes, tree->nnodes, sizeof(struct modify_node *), compare_ids);
	return 0;
}

/* ---- look-ups ---- */

/* A stored node is met. @param name  its record under its parent */
static int meet(struct modifier *modifier, struct modify_node *parent,
                const struct dit_name *name, struct modify_node **ret)
{
	struct dit_arena *arena = &modifier->kept;
	struct modify_node *node = dit_arena_alloc(arena, sizeof(*node));
	int r = 0;

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
	if (node->norm.data == NULL || node->pretty.data == NULL) {
		return -ENOMEM;
	}
	r = remember(&modifier->tree, MODIFY_BY_ID, node);
	return r ?: remember(&modifier->tree, MODIFY_BY_NAME, node);
}

int dit_modify_find_child(struct modifier *modifier, struct modify_node *parent,
                          struct dit_span norm, struct modify_node **ret)
{
	const struct modify_tree *tree = &modifier->tree;
	uint64_t above = dit_modify_id(parent);
	struct dit_name name;
	int r = 0;

	*ret = find(tree, MODIFY_BY_NAME,
	            &(struct modify_node){.parent = parent, .norm = norm});
	if (*ret != NULL || above > tree->nstored) {
		return *ret != NULL;
	}
	r = dit_output_find_child(modifier->output, above, norm, &name);
	if (r <= 0) {
		return r;
	}
	if (find_id(tree, name.id) != NULL) {
		return 0; /* it is called otherwise now, or gone */
	}
	r = name.id > tree->nstored ? DIT_E_CORRUPT : meet(modifier, parent, &name, ret);
	return r < 0 ? r : 1;
}

/* The topmost node has all RDNs of the suffix. */
int dit_modify_find(struct modifier *modifier, const struct dit_dn *dn, unsigned nless,
                    struct modify_node **ret)
{
	unsigned ntop = modifier->suffix_nrdns == 0 ? 1 : modifier->suffix_nrdns;
	size_t end = dn->norm.len;
	int r = 1;

	*ret = NULL;
	for (unsigned i = dn->nrdns - ntop + 1; r > 0 && i > nless; i--) {
		size_t at = dn->norm_at[i - 1];
		struct dit_span rdn = {dn->norm.data + at, end - at};

		r = dit_modify_find_child(modifier, *ret, rdn, ret);
		end = at - 1; /* without the comma */
	}
	return r;
}

int dit_modify_meet_root(struct modifier *modifier, struct modify_node **ret)
{
	static const struct dit_name root = {
		.norm = DIT_SPAN(""), .pretty = DIT_SPAN(""), .nsubs = 1};

	return meet(modifier, NULL, &root, ret);
}

/* ---- changes ---- */

/* Subtrees from a node up become larger or smaller. A hole that has lost all below it is
 * not counted; it is gone at the end if nothing comes below it. */
static int count_up(struct modifier *modifier, struct modify_node *node, uint64_t n)
{
	struct dit_span record;
	int r = 0;

	for (; node != NULL && r >= 0; node = node->parent) {
		n += node->nsubs == 0;
		node->nsubs += n; /* modulo 2^64 */
		if (node->nsubs == 1 && node->entry == NULL) {
			r = dit_output_find_entry(modifier->output, node->id, &record);
			node->nsubs -= r == 0;
			n -= r == 0;
		}
	}
	return r < 0 ? r : 0;
}

/* 0; -ENOMEM */
static int take_name(struct modifier *modifier, struct modify_node *node,
                     struct modify_node *parent, struct dit_span norm,
                     struct dit_span pretty)
{
	node->parent = parent;
	node->norm = dit_arena_copy(&modifier->kept, norm);
	node->pretty = dit_arena_copy(&modifier->kept, pretty);
	node->is_named = true;
	return node->norm.data == NULL || node->pretty.data == NULL
	               ? -ENOMEM
	               : remember(&modifier->tree, MODIFY_BY_NAME, node);
}

/* Is there an entry, or a hole, with this ID now? */
static int has_node(struct modifier *modifier, uint64_t id)
{
	const struct modify_node *node = find_id(&modifier->tree, id);
	struct dit_name self;

	if (node != NULL) {
		return !node->is_gone;
	}
	return id == 0 || id > modifier->tree.nstored
	               ? 0
	               : dit_output_find_name(modifier->output, id, &self);
}

int dit_modify_add_node(struct modifier *modifier, struct modify_node *parent,
                        struct dit_span norm, struct dit_span pretty,
                        struct modify_node **ret)
{
	struct modify_tree *tree = &modifier->tree;
	uint64_t id = tree->last_id + 1;
	struct modify_node *node = find_id(tree, id);
	int r = 0;

	if (id > UINT32_MAX) {
		return DIT_E_TOOLONG;
	}
	if (node == NULL) {
		node = dit_arena_calloc(&modifier->kept, 1, sizeof(*node));
		if (node == NULL) {
			return -ENOMEM;
		}
		node->id = id;
		r = remember(tree, MODIFY_BY_ID, node);
	}
	node->nsubs = 1;
	node->is_gone = false;
	r = r ?: take_name(modifier, node, parent, norm, pretty);
	if (r < 0) {
		return r;
	}
	tree->last_id = id;
	*ret = node;
	return count_up(modifier, parent, 1);
}

int dit_modify_remove_node(struct modifier *modifier, struct modify_node *node)
{
	struct modify_tree *tree = &modifier->tree;
	int r = count_up(modifier, node->parent, (uint64_t)-1);

	node->is_gone = true;
	node->entry = NULL;
	/* slapd gives an ID again that was the highest. */
	while (r == 0 && node->id == tree->last_id && tree->last_id > 0) {
		do {
			r = has_node(modifier, --tree->last_id);
		} while (r == 0 && tree->last_id > 0);
	}
	return r < 0 ? r : 0;
}

int dit_modify_move_node(struct modifier *modifier, struct modify_node *node,
                         struct modify_node *parent, struct dit_span norm,
                         struct dit_span pretty)
{
	int r = count_up(modifier, node->parent, -node->nsubs);

	r = r ?: count_up(modifier, parent, node->nsubs);
	return r ?: take_name(modifier, node, parent, norm, pretty);
}
