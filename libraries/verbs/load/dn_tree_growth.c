/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each stored node above a new one gets a larger subtree. Its record lies under its
 * parent, and is written again at its place among the new records.
 *
 *   new      ou=a 2, ou=b 3     below ou=x                     from the DN table
 *   level    ou=x: 2 + 3        parents of new nodes           by ID, each once
 *   level    dc=example: 5      their parents, up to the root
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "load/dn_tree_private.h"
#include "load/dn_tree_record.h"

static int add(struct dit_grown_nodes *nodes, uint32_t id, uint64_t nsubs)
{
	struct dit_grown_node *list =
		dit_grow(nodes->list, &nodes->size, nodes->n + 1, sizeof(*list));

	if (list == NULL) {
		return -ENOMEM;
	}
	nodes->list = list;
	list[nodes->n++] = (struct dit_grown_node){.id = id, .nsubs = nsubs};
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = ((const struct dit_grown_node *)a)->id;
	uint32_t y = ((const struct dit_grown_node *)b)->id;

	return (x > y) - (x < y);
}

/* By ID, each once. */
static void unite(struct dit_grown_nodes *nodes)
{
	size_t n = 0;

	if (nodes->n == 0) {
		return;
	}
	qsort(nodes->list, nodes->n, sizeof(*nodes->list), compare);
	for (size_t i = 1; i < nodes->n; i++) {
		if (nodes->list[i].id == nodes->list[n].id) {
			nodes->list[n].nsubs += nodes->list[i].nsubs;
		} else {
			nodes->list[++n] = nodes->list[i];
		}
	}
	nodes->n = n + 1;
}

/* The stored parents of new nodes. */
static int find_parents(const struct dit_dn_tree *tree, struct dit_grown_nodes *ret)
{
	uint32_t last = dit_dn_table_last(tree->names);
	int r = 0;

	for (uint32_t id = last; id > tree->last_stored && r == 0; id--) {
		uint32_t parent = dit_dn_table_parent(tree->names, id);

		if (parent == 0 || parent > tree->last_stored) {
			continue;
		}
		if (ret->n > 0 && ret->list[ret->n - 1].id == parent) {
			ret->list[ret->n - 1].nsubs +=
				dit_dn_table_nsubs(tree->names, id);
		} else {
			r = add(ret, parent, dit_dn_table_nsubs(tree->names, id));
		}
	}
	unite(ret);
	return r;
}

/* The own record of a stored node. */
static int find_name(struct dit_dn_tree *tree, uint32_t id, struct dit_name *ret)
{
	int r = dit_output_find_name(tree->output, id, ret);

	return r < 0 ? r : r == 0 || ret->id > tree->last_stored ? DIT_E_CORRUPT : 0;
}

/* A level becomes that of the parents. */
static int climb(struct dit_dn_tree *tree, struct dit_grown_nodes *level)
{
	size_t n = 0;

	for (size_t i = 0; i < level->n; i++) {
		struct dit_name name;
		int r = find_name(tree, level->list[i].id, &name);

		if (r < 0) {
			return r;
		}
		if (name.id != 0) {
			level->list[n].id = (uint32_t)name.id;
			level->list[n++].nsubs = level->list[i].nsubs;
		}
	}
	level->n = n;
	unite(level);
	return 0;
}

static int push(struct dit_dn_tree *tree, struct dit_grown_node *node)
{
	struct dit_name self;
	struct dit_name child;
	struct dit_dn_tree_record record = {.is_child = true, .other = node->id};
	int r = find_name(tree, node->id, &self);

	if (r < 0) {
		return r;
	}
	r = dit_output_find_child(tree->output, self.id, self.norm, &child);
	if (r <= 0 || child.id != node->id) {
		return r < 0 ? r : DIT_E_CORRUPT;
	}
	node->nsubs += child.nsubs;
	record.under = (uint32_t)self.id;
	record.norm = child.norm;
	record.pretty = child.pretty;
	return dit_dn_tree_record_push(tree->records, &record);
}

int dit_dn_tree_push_grown(struct dit_dn_tree *tree)
{
	struct dit_grown_nodes level = {.list = NULL};
	unsigned nlevels = 0;
	int r = find_parents(tree, &level);

	while (r == 0 && level.n > 0) {
		for (size_t i = 0; i < level.n && r == 0; i++) {
			r = add(&tree->grown, level.list[i].id, level.list[i].nsubs);
		}
		/* A DN of 16 bits of length has not that many RDNs. */
		if (r == 0) {
			r = ++nlevels > UINT16_MAX ? DIT_E_CORRUPT : climb(tree, &level);
		}
	}
	free(level.list);
	unite(&tree->grown);
	for (size_t i = 0; i < tree->grown.n && r == 0; i++) {
		r = push(tree, &tree->grown.list[i]);
	}
	return r;
}

uint64_t dit_dn_tree_grown_nsubs(const struct dit_dn_tree *tree, uint32_t id)
{
	const struct dit_grown_node wanted = {.id = id};
	const struct dit_grown_node *found =
		bsearch(&wanted, tree->grown.list, tree->grown.n,
	                sizeof(*tree->grown.list), compare);

	return found == NULL ? 0 : found->nsubs;
}
