/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing the tree: its records come out of the sorter as they lie in dn2i; the subtree
 * sizes, known only now, are put in.
 *
 * Each stored node above a new one gets a larger subtree. Its record lies under its
 * parent, and is written again at its place among the new records.
 *
 *   new      ou=a 2, ou=b 3     below ou=x                     summed up
 *   level    ou=x: 2 + 3        parents of new nodes           by ID, each once
 *   level    dc=example: 5      their parents, up to the root
 */
#include "load/dn_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "codec/name_codec.h"

#define ID_BYTES  8
#define LEN_BYTES 2

/** A stored node whose subtree grows. */
struct grown_node {
	uint32_t id;    /* the first: dit_compare_numbers() */
	uint64_t nsubs; /* that are added */
};

struct grown_nodes {
	struct grown_node *list; /* owned */
	size_t n;
	size_t size;
};

int dit_dn_tree_push_record(struct dit_dn_tree *tree, unsigned producer, uint64_t under,
                            const struct dit_name *name)
{
	char bytes[ID_BYTES + DIT_NAME_RECORD_LONGEST];
	size_t key_len = ID_BYTES + LEN_BYTES + name->norm.len;
	int len = dit_name_encode(bytes + ID_BYTES, tree->output->base.key_max, name);

	if (len < 0) {
		return len;
	}
	dit_be_put(bytes, under, ID_BYTES);
	return dit_sorter_push(
		tree->records, producer, (struct dit_span){bytes, key_len},
		(struct dit_span){bytes + key_len, ID_BYTES + (size_t)len - key_len});
}

/* ---- stored nodes whose subtrees grow ---- */

static int add(struct grown_nodes *nodes, uint32_t id, uint64_t nsubs)
{
	return DIT_APPEND(nodes->list, nodes->size, nodes->n,
	                  (struct grown_node){.id = id, .nsubs = nsubs});
}

/* Those from @p first on: by ID, each once. */
static void unite(struct grown_nodes *nodes, size_t first)
{
	size_t n = first;

	dit_sort_items(nodes->list + first, nodes->n - first, sizeof(*nodes->list),
	               dit_compare_numbers);
	for (size_t i = first; i < nodes->n; i++) {
		if (n > first && nodes->list[i].id == nodes->list[n - 1].id) {
			nodes->list[n - 1].nsubs += nodes->list[i].nsubs;
		} else {
			nodes->list[n++] = nodes->list[i];
		}
	}
	nodes->n = n;
}

/* The stored parents of new nodes. */
static int find_parents(const struct dit_dn_tree *tree, struct grown_nodes *ret)
{
	int r = 0;

	for (uint32_t i = tree->nnodes; i > 0 && r == 0; i--) {
		const struct dit_dn_node *node = &tree->nodes[i - 1];

		if (node->parent == 0 || node->parent > tree->last_stored) {
			continue;
		}
		if (ret->n > 0 && ret->list[ret->n - 1].id == node->parent) {
			ret->list[ret->n - 1].nsubs += node->nsubs;
		} else {
			r = add(ret, node->parent, node->nsubs);
		}
	}
	unite(ret, 0);
	return r;
}

/* The own record of a stored node. */
static int find_name(struct dit_dn_tree *tree, uint32_t id, struct dit_name *ret)
{
	int r = dit_output_find_name(tree->output, id, ret);

	return r < 0 ? r : r == 0 || ret->id > tree->last_stored ? DIT_E_CORRUPT : 0;
}

/* The level of their parents comes after a level, which begins at *FIRST. */
static int climb(struct dit_dn_tree *tree, struct grown_nodes *nodes, size_t *first)
{
	size_t end = nodes->n;
	int r = 0;

	for (size_t i = *first; i < end && r == 0; i++) {
		struct dit_name name = {.id = 0};

		r = find_name(tree, nodes->list[i].id, &name);
		if (r == 0 && name.id != 0) {
			r = add(nodes, (uint32_t)name.id, nodes->list[i].nsubs);
		}
	}
	unite(nodes, end);
	*first = end;
	return r;
}

static int push_grown(struct dit_dn_tree *tree, const struct grown_node *node)
{
	struct dit_name self;
	struct dit_name child;
	int r = find_name(tree, node->id, &self);

	if (r < 0) {
		return r;
	}
	r = dit_output_find_child(tree->output, self.id, self.norm, &child);
	if (r <= 0 || child.id != node->id || node->nsubs + child.nsubs > UINT32_MAX) {
		return r < 0 ? r : DIT_E_CORRUPT;
	}
	child.nsubs += node->nsubs;
	return dit_dn_tree_push_record(tree, tree->own_producer, self.id, &child);
}

/* The records of stored nodes whose subtrees grow, as they will be. */
static int push_all_grown(struct dit_dn_tree *tree)
{
	struct grown_nodes nodes = {.list = NULL};
	size_t level = 0;
	int r = find_parents(tree, &nodes);

	for (unsigned i = 0; level < nodes.n && r == 0; i++) {
		/* A DN of 16 bits of length has not that many RDNs. */
		r = i == UINT16_MAX ? DIT_E_CORRUPT : climb(tree, &nodes, &level);
	}
	unite(&nodes, 0);
	for (size_t i = 0; i < nodes.n && r == 0; i++) {
		r = push_grown(tree, &nodes.list[i]);
	}
	free(nodes.list);
	return r;
}

/* ---- dn2i ---- */

/* The dummy that slapd stores first below the root (storage.md 3.1). */
static int put_dummy(struct dit_record_output *output)
{
	static const char dummy[12];

	return dit_output_put_name(output, 0, (struct dit_span){dummy, sizeof(dummy)});
}

/* The size of a subtree is at the end of its record. */
static int put_record(struct dit_dn_tree *tree, const struct dit_sort_record *sorted)
{
	char bytes[DIT_NAME_RECORD_LONGEST];
	size_t head_len = sorted->key.len - ID_BYTES;
	struct dit_span record = {bytes, head_len + sorted->value.len};
	struct dit_name name = {.id = 0};
	int r = 0;

	memcpy(mempcpy(bytes, sorted->key.data + ID_BYTES, head_len), sorted->value.data,
	       sorted->value.len);
	r = dit_name_decode(record, &name);
	/* Other records are those of stored nodes. */
	tree->nwritten += !name.is_child || name.nsubs == 0;
	if (r == 0 && name.is_child && name.nsubs == 0) {
		name.nsubs = tree->nodes[name.id - tree->last_stored - 1].nsubs;
		memcpy(bytes + record.len - sizeof(name.nsubs), &name.nsubs,
		       sizeof(name.nsubs));
	}
	return r
	               ?: dit_output_put_name(tree->output,
	                                      dit_be_get(sorted->key.data, ID_BYTES),
	                                      record);
}

static int put_records(struct dit_dn_tree *tree)
{
	struct dit_sort_record sorted = {0};
	int r = 0;

	if (tree->nnodes > 0 && !tree->output->stored.has_names) {
		r = put_dummy(tree->output);
	}
	r = r ?: dit_sorter_next(tree->records, &sorted);
	while (r > 0) {
		r = put_record(tree, &sorted);
		if (r == 0) {
			dit_tick_often(tree->shared.ticker);
		}
		if (r == 0 && dit_stop_is_set(tree->shared.stop)) {
			r = DIT_E_STOPPED;
		}
		r = r ?: dit_sorter_next(tree->records, &sorted);
	}
	return r;
}

/* One pass: parents have smaller IDs than their children, since a missing parent is added
 * first. */
static void count_subtrees(struct dit_dn_tree *tree)
{
	for (uint32_t i = tree->nnodes; i > 0; i--) {
		const struct dit_dn_node *node = &tree->nodes[i - 1];

		if (node->parent > tree->last_stored) {
			tree->nodes[node->parent - tree->last_stored - 1].nsubs +=
				node->nsubs;
		}
	}
}

int dit_dn_tree_write(struct dit_dn_tree *tree)
{
	int r = 0;

	count_subtrees(tree);
	r = push_all_grown(tree);
	r = r ?: dit_sorter_seal(tree->records);
	return r ?: put_records(tree);
}
