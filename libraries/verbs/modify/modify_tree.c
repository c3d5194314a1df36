/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree as the changes so far have left it: stored nodes are looked up one by one, and
 * those that were met are kept. A stored node that was met is looked for there alone.
 */
#include <errno.h>
#include <stdlib.h>

#include <xxhash.h>

#include "base/error.h"
#include "modify/modify_impl.h"

/* ---- the nodes that were met ---- */

#define LEAST_HEADS 1024u

static uint64_t hash_id(uint64_t id)
{
	return XXH3_64bits(&id, sizeof(id));
}

static uint64_t hash_name(uint64_t parent, struct dit_span norm)
{
	return XXH3_64bits_withSeed(norm.data, norm.len, parent);
}

static struct modify_node **head_of(const struct modify_table *table, uint64_t hash)
{
	return &table->heads[hash & (table->nheads - 1)];
}

/* Lists of one node on average. */
static int grow(struct modify_tree *tree, enum modify_key key)
{
	struct modify_table *table = &tree->tables[key];
	struct modify_table grown = {.n = table->n,
	                             .nheads = table->nheads == 0 ? LEAST_HEADS
	                                                          : 2 * table->nheads};

	grown.heads = calloc(grown.nheads, sizeof(*grown.heads));
	if (grown.heads == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < table->nheads; i++) {
		struct modify_node *node = table->heads[i];

		while (node != NULL) {
			struct modify_node *next = node->links[key].next;
			struct modify_node **head =
				head_of(&grown, node->links[key].hash);

			node->links[key].next = *head;
			*head = node;
			node = next;
		}
	}
	free(table->heads);
	*table = grown;
	return 0;
}

static int insert(struct modify_tree *tree, enum modify_key key, struct modify_node *node,
                  uint64_t hash)
{
	struct modify_table *table = &tree->tables[key];
	struct modify_node **head = NULL;

	if (table->n == table->nheads && grow(tree, key) < 0) {
		return -ENOMEM;
	}
	head = head_of(table, hash);
	node->links[key] = (struct modify_link){.hash = hash, .next = *head};
	*head = node;
	table->n++;
	return 0;
}

static struct modify_node *first_with(const struct modify_tree *tree, enum modify_key key,
                                      uint64_t hash)
{
	const struct modify_table *table = &tree->tables[key];

	return table->nheads == 0 ? NULL : *head_of(table, hash);
}

static struct modify_node *find_id(const struct modify_tree *tree, uint64_t id)
{
	struct modify_node *node = first_with(tree, MODIFY_BY_ID, hash_id(id));

	while (node != NULL && node->id != id) {
		node = node->links[MODIFY_BY_ID].next;
	}
	return node;
}

static struct modify_node *find_name(const struct modify_tree *tree, uint64_t parent,
                                     struct dit_span norm)
{
	uint64_t hash = hash_name(parent, norm);
	struct modify_node *node = first_with(tree, MODIFY_BY_NAME, hash);

	while (node != NULL &&
	       (node->links[MODIFY_BY_NAME].hash != hash || node->parent != parent ||
	        !dit_span_eq(node->norm, norm))) {
		node = node->links[MODIFY_BY_NAME].next;
	}
	return node;
}

static int remember_name(struct modify_tree *tree, struct modify_node *node)
{
	return insert(tree, MODIFY_BY_NAME, node, hash_name(node->parent, node->norm));
}

static void forget_name(struct modify_tree *tree, const struct modify_node *node)
{
	struct modify_table *table = &tree->tables[MODIFY_BY_NAME];
	struct modify_node **at = head_of(table, node->links[MODIFY_BY_NAME].hash);

	while (*at != node) {
		at = &(*at)->links[MODIFY_BY_NAME].next;
	}
	*at = node->links[MODIFY_BY_NAME].next;
	table->n--;
}

static int remember(struct modify_tree *tree, struct modify_node *node)
{
	int r = insert(tree, MODIFY_BY_ID, node, hash_id(node->id));

	return r ?: remember_name(tree, node);
}

void dit_modify_tree_deinit(struct modify_tree *tree)
{
	free(tree->tables[MODIFY_BY_ID].heads);
	free(tree->tables[MODIFY_BY_NAME].heads);
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = (*(struct modify_node *const *)a)->id;
	uint64_t y = (*(struct modify_node *const *)b)->id;

	return (x > y) - (x < y);
}

int dit_modify_list_nodes(const struct modifier *modifier, struct modify_node ***ret,
                          size_t *ret_n)
{
	const struct modify_table *table = &modifier->tree.tables[MODIFY_BY_ID];
	struct modify_node **list = calloc(table->n + 1, sizeof(struct modify_node *));
	size_t n = 0;

	if (list == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < table->nheads; i++) {
		for (struct modify_node *node = table->heads[i]; node != NULL;
		     node = node->links[MODIFY_BY_ID].next) {
			list[n++] = node;
		}
	}
	qsort(list, n, sizeof(struct modify_node *), compare_ids);
	*ret = list;
	*ret_n = n;
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
	struct dit_name name;
	int r = 0;

	*ret = find_name(&modifier->tree, parent, norm);
	if (*ret != NULL || parent > modifier->tree.nstored) {
		return *ret != NULL;
	}
	r = dit_output_find_child(modifier->output, parent, norm, &name);
	if (r <= 0) {
		return r;
	}
	if (find_id(&modifier->tree, name.id) != NULL) {
		return 0; /* it is called otherwise now, or gone */
	}
	r = name.id > modifier->tree.nstored ? DIT_E_CORRUPT
	                                     : meet(modifier, parent, &name, ret);
	return r < 0 ? r : 1;
}

/* The node with an ID, stored or not. */
static int find_now(struct modifier *modifier, uint64_t id, struct modify_node **ret)
{
	struct dit_name self;
	int r = 0;

	*ret = find_id(&modifier->tree, id);
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

		r = find_now(modifier, id, &node);
		if (r > 0) {
			node->nsubs += n; /* modulo 2^64 */
			id = node->parent;
		}
	}
	return r == 0 ? DIT_E_CORRUPT : r < 0 ? r : 0;
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

int dit_modify_add_node(struct modifier *modifier, uint64_t parent, struct dit_span norm,
                        struct dit_span pretty, struct modify_node **ret)
{
	struct modify_tree *tree = &modifier->tree;
	uint64_t id = tree->last_id + 1;
	struct modify_node *node = find_id(tree, id);
	bool is_again = node != NULL;

	if (id > UINT32_MAX) {
		return DIT_E_TOOLONG;
	}
	if (!is_again) {
		node = dit_arena_calloc(&modifier->kept, 1, sizeof(*node));
	}
	if (node == NULL) {
		return -ENOMEM;
	}
	node->id = id;
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

	forget_name(tree, node);
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
                         uint64_t parent, struct dit_span norm, struct dit_span pretty)
{
	int r = 0;

	if (parent != node->parent) {
		r = count_up(modifier, node->parent, -node->nsubs);
		r = r ?: count_up(modifier, parent, node->nsubs);
	}
	forget_name(&modifier->tree, node);
	node->is_respelt = true;
	node->parent = parent;
	node->norm = dit_arena_copy(&modifier->kept, norm);
	node->pretty = dit_arena_copy(&modifier->kept, pretty);
	if (r < 0 || node->norm.data == NULL || node->pretty.data == NULL) {
		return r < 0 ? r : -ENOMEM;
	}
	return remember_name(&modifier->tree, node);
}
