/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nodes of the tree while entries come, and the holes among them.
 *
 * New nodes are in the DN table, and are found through an open-addressing hash of their
 * numbers:
 *
 *   slots   | 0 | 3 | 0 | 1 | 0 | 0 | 2 | 0 |      u32 numbers, 0 = free, linear probing
 *   node 3  | fingerprint (12 bytes) | parent | nsubs |
 *
 * The slot of a fingerprint is its first words modulo the number of slots, a power of
 * two. The hash doubles at 4/5 full.
 */
#include "load/dn_tree.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <xxhash.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "base/object.h"
#include "codec/name_codec.h"

#define SLOTS_MIN 1024u

_Static_assert(sizeof(((struct dit_fingerprint_key *)0)->secret) >= XXH3_SECRET_SIZE_MIN,
               "a secret that XXH3 takes");

/* ---- new nodes ---- */

static uint64_t first_slot(const struct dit_dn_tree *tree,
                           const struct dit_fingerprint *fingerprint)
{
	/* Two words: 2^32 nodes need more than 32 bits of slot number. */
	uint64_t hash = fingerprint->word[0] | (uint64_t)fingerprint->word[1] << 32;

	return hash & (tree->nslots - 1);
}

void dit_dn_tree_prefetch(const struct dit_dn_tree *tree,
                          const struct dit_dn_tree_name *name)
{
	__builtin_prefetch(&tree->slots[first_slot(tree, &name->self)]);
}

/* The slot that holds the fingerprint, or the free one where it belongs. */
static uint64_t slot_of(const struct dit_dn_tree *tree,
                        const struct dit_fingerprint *fingerprint)
{
	uint64_t mask = tree->nslots - 1;
	uint64_t slot = first_slot(tree, fingerprint);

	while (tree->slots[slot] != 0 &&
	       memcmp(&tree->nodes[tree->slots[slot] - 1].fingerprint, fingerprint,
	              sizeof(*fingerprint)) != 0) {
		slot = (slot + 1) & mask;
	}
	return slot;
}

/* The ID of a new node; 0: there is none. */
static uint32_t find_new(const struct dit_dn_tree *tree,
                         const struct dit_fingerprint *fingerprint)
{
	uint32_t number = tree->slots[slot_of(tree, fingerprint)];

	return number == 0 ? 0 : tree->last_stored + number;
}

/* At first: make them. */
static int double_slots(struct dit_dn_tree *tree)
{
	size_t n = tree->nslots == 0 ? SLOTS_MIN : 2 * tree->nslots;

	if (DIT_GROW_LARGE(tree->slots, tree->nslots, n) < 0) {
		return -ENOMEM;
	}
	memset(tree->slots, 0, n * sizeof(*tree->slots));
	for (uint32_t i = 0; i < tree->nnodes; i++) {
		tree->slots[slot_of(tree, &tree->nodes[i].fingerprint)] = i + 1;
	}
	return 0;
}

/* A node that is not there yet gets the next ID. */
static int add_node(struct dit_dn_tree *tree, const struct dit_fingerprint *fingerprint,
                    struct dit_dn_tree_node *node)
{
	int r = tree->nnodes < DIT_DN_TREE_ID_MAX - tree->last_stored ? 0 : DIT_E_TOOLONG;

	r = r ?: DIT_GROW_LARGE(tree->nodes, tree->nodes_size, (size_t)tree->nnodes + 1);
	if (r == 0 && tree->nnodes >= tree->nslots / 5 * 4) {
		r = double_slots(tree);
	}
	if (r < 0) {
		return r;
	}
	tree->nodes[tree->nnodes++] = (struct dit_dn_node){*fingerprint, node->parent, 1};
	tree->slots[slot_of(tree, fingerprint)] = tree->nnodes;
	node->id = tree->last_stored + tree->nnodes;
	return 0;
}

/* ---- beginning and end ---- */

int dit_dn_tree_new(struct dit_dn_tree **ret, struct dit_record_output *output,
                    unsigned suffix_nrdns, size_t memory_bytes,
                    const struct dit_shared *shared)
{
	/* Holes are few: the tree's own producer has a share of its own on top. */
	struct dit_sorter_opts sorter = {.size = sizeof(sorter),
	                                 .nproducers = shared->nthreads + 1,
	                                 .memory_bytes = memory_bytes +
	                                                 memory_bytes / shared->nthreads,
	                                 .tmpdir = shared->tmpdir,
	                                 .cipher = shared->cipher};
	uint64_t last = output->stored.last_id;
	struct dit_dn_tree *tree = NULL;
	int r = 0;

	if (last > DIT_DN_TREE_ID_MAX) {
		return DIT_E_TOOLONG;
	}
	tree = calloc(1, sizeof(*tree));
	if (tree == NULL) {
		return -ENOMEM;
	}
	if (sorter.memory_bytes < sorter.nproducers * DIT_SORT_SHARE_MIN) {
		sorter.memory_bytes = sorter.nproducers * DIT_SORT_SHARE_MIN;
	}
	tree->output = output;
	tree->own_producer = shared->nthreads;
	tree->last_stored = (uint32_t)last;
	tree->suffix_nrdns = suffix_nrdns;
	tree->shared = *shared;
	r = double_slots(tree);
	r = r ?: dit_sorter_new(&tree->records, &sorter);
	return DIT_HAND_OVER(r, ret, tree, dit_dn_tree_free);
}

void dit_dn_tree_free(struct dit_dn_tree *tree)
{
	if (tree == NULL) {
		return;
	}
	for (size_t i = 0; i < tree->nholes; i++) {
		free(tree->holes[i].norm);
	}
	free(tree->holes);
	tdestroy(tree->filled, free);
	dit_sorter_free(tree->records);
	DIT_FREE_LARGE(tree->nodes, tree->nodes_size);
	DIT_FREE_LARGE(tree->slots, tree->nslots);
	free(tree);
}

/* ---- names ---- */

int dit_fingerprint_key_make(struct dit_fingerprint_key *ret)
{
	/* The kernel gives up to 256 bytes at once, and no signal cuts them short. */
	return getrandom(ret->secret, sizeof(ret->secret), 0) < 0 ? -errno : 0;
}

static struct dit_fingerprint fingerprint_of(const struct dit_fingerprint_key *key,
                                             struct dit_span norm)
{
	XXH128_hash_t hash = XXH3_128bits_withSecret(norm.data, norm.len, key->secret,
	                                             sizeof(key->secret));

	return (struct dit_fingerprint){{(uint32_t)hash.low64,
	                                 (uint32_t)(hash.low64 >> 32),
	                                 (uint32_t)hash.high64}};
}

/* RDN number of the topmost node that is stored for a DN: the suffix, taken as one. */
static unsigned top_of(const struct dit_dn_tree *tree, const struct dit_dn *dn)
{
	unsigned below = tree->suffix_nrdns == 0 ? 1 : tree->suffix_nrdns;

	return dn->nrdns - below;
}

static struct dit_span tail(struct dit_span dn, const uint32_t *at, unsigned i)
{
	return (struct dit_span){dn.data + at[i], dn.len - at[i]};
}

static struct dit_span rdn(struct dit_span dn, const uint32_t *at, unsigned i,
                           unsigned top)
{
	struct dit_span span = tail(dn, at, i);

	if (i < top) {
		span.len = at[i + 1] - at[i] - 1; /* without the comma */
	}
	return span;
}

void dit_dn_tree_name_init(struct dit_dn_tree_name *name,
                           const struct dit_fingerprint_key *key, const struct dit_dn *dn)
{
	name->key = key;
	name->dn = dn;
	name->self = fingerprint_of(key, dn->norm);
	if (dn->nrdns > 1) {
		name->parent = fingerprint_of(key, tail(dn->norm, dn->norm_at, 1));
	}
}

static struct dit_fingerprint fingerprint(const struct dit_dn_tree_name *name, unsigned i)
{
	if (i == 0) {
		return name->self;
	}
	if (i == 1) {
		return name->parent;
	}
	return fingerprint_of(name->key, tail(name->dn->norm, name->dn->norm_at, i));
}

/* ---- looking up ---- */

/* Node i in the database that held entries before, below its parent. 0: there is none */
static int find_stored_child(struct dit_dn_tree *tree,
                             const struct dit_dn_tree_name *name, unsigned i,
                             uint32_t parent, uint32_t *ret_id)
{
	const struct dit_dn *dn = name->dn;
	struct dit_span norm = rdn(dn->norm, dn->norm_at, i, top_of(tree, dn));
	struct dit_name child = {.id = 0};
	int r = 0;

	*ret_id = 0;
	if (parent <= tree->last_stored) {
		r = dit_output_find_child(tree->output, parent, norm, &child);
	}
	if (r > 0 && (child.id == 0 || child.id > tree->last_stored)) {
		return DIT_E_CORRUPT;
	}
	*ret_id = r > 0 ? (uint32_t)child.id : 0;
	return r < 0 ? r : 0;
}

/* The same without its parent: the way leads from the top. */
static int find_stored(struct dit_dn_tree *tree, const struct dit_dn_tree_name *name,
                       unsigned i, uint32_t *ret_id)
{
	int r = 0;

	*ret_id = 0;
	for (unsigned k = top_of(tree, name->dn) + 1; k > i && r == 0; k--) {
		r = find_stored_child(tree, name, k - 1, *ret_id, ret_id);
		if (*ret_id == 0) {
			break;
		}
	}
	return r;
}

/* The ID of node i of a name, i > 0; 0: there is none. */
static int find_node(struct dit_dn_tree *tree, const struct dit_dn_tree_name *name,
                     unsigned i, uint32_t *ret_id)
{
	struct dit_fingerprint f = fingerprint(name, i);
	uint32_t id = 0;
	int r = 0;

	if (i == 1 && tree->last_parent_id != 0 &&
	    memcmp(&f, &tree->last_parent, sizeof(f)) == 0) {
		*ret_id = tree->last_parent_id;
		return 0;
	}
	id = find_new(tree, &f);
	if (id == 0 && tree->output->stored.has_names) {
		r = find_stored(tree, name, i, &id);
	}
	if (i == 1 && r == 0 && id != 0) {
		tree->last_parent = f;
		tree->last_parent_id = id;
	}
	*ret_id = id;
	return r;
}

int dit_dn_tree_find(struct dit_dn_tree *tree, const struct dit_dn_tree_name *name,
                     struct dit_dn_tree_node *ret)
{
	unsigned top = top_of(tree, name->dn);
	int r = 0;

	*ret = (struct dit_dn_tree_node){.id = find_new(tree, &name->self)};
	if (ret->id != 0) {
		return 0;
	}
	while (ret->nnodes < top && ret->parent == 0 && r == 0) {
		r = find_node(tree, name, ++ret->nnodes, &ret->parent);
	}
	if (ret->parent == 0) {
		ret->nnodes = top + 1;
	}
	return r < 0 || ret->nnodes > 1 || !tree->output->stored.has_names
	               ? r
	               : find_stored_child(tree, name, 0, ret->parent, &ret->id);
}

bool dit_dn_tree_fits(const struct dit_dn_tree *tree, const struct dit_dn_tree_name *name,
                      const struct dit_dn_tree_node *node)
{
	const struct dit_dn *dn = name->dn;
	unsigned top = top_of(tree, dn);
	size_t max = tree->output->base.key_max - DIT_NAME_EXTRA_BYTES;

	for (unsigned i = 0; i < node->nnodes; i++) {
		if (rdn(dn->norm, dn->norm_at, i, top).len +
		            rdn(dn->pretty, dn->pretty_at, i, top).len >
		    max) {
			return false;
		}
	}
	return true;
}

/* ---- adding ---- */

/* The records of node i of a name. */
static int push_node(struct dit_dn_tree *tree, unsigned producer,
                     const struct dit_dn_tree_name *name, unsigned i,
                     const struct dit_dn_tree_node *node)
{
	const struct dit_dn *dn = name->dn;
	unsigned top = top_of(tree, dn);
	struct dit_name record = {.norm = rdn(dn->norm, dn->norm_at, i, top),
	                          .pretty = rdn(dn->pretty, dn->pretty_at, i, top),
	                          .is_child = true,
	                          .id = node->id};
	int r = dit_dn_tree_push_record(tree, producer, node->parent, &record);

	record.is_child = false;
	record.id = node->parent;
	return r ?: dit_dn_tree_push_record(tree, producer, node->id, &record);
}

static int add_hole(struct dit_dn_tree *tree, const struct dit_dn_tree_name *name,
                    unsigned i, uint32_t id)
{
	struct dit_span norm = tail(name->dn->norm, name->dn->norm_at, i);

	if (DIT_GROW(tree->holes, tree->holes_size, tree->nholes + 1) < 0) {
		return -ENOMEM;
	}
	tree->holes[tree->nholes] =
		(struct dit_dn_tree_hole){.id = id, .norm = strndup(norm.data, norm.len)};
	if (tree->holes[tree->nholes].norm == NULL) {
		return -ENOMEM;
	}
	tree->nholes++;
	return 0;
}

int dit_dn_tree_add(struct dit_dn_tree *tree, const struct dit_dn_tree_name *name,
                    struct dit_dn_tree_node *node)
{
	struct dit_fingerprint f;
	int r = 0;

	for (unsigned i = node->nnodes - 1; i > 0; i--) {
		f = fingerprint(name, i);
		r = add_node(tree, &f, node);
		r = r ?: push_node(tree, tree->own_producer, name, i, node);
		r = r ?: add_hole(tree, name, i, node->id);
		if (r < 0) {
			return r;
		}
		node->parent = node->id;
	}
	return add_node(tree, &name->self, node);
}

int dit_dn_tree_push(struct dit_dn_tree *tree, unsigned producer,
                     const struct dit_dn_tree_name *name,
                     const struct dit_dn_tree_node *node)
{
	return push_node(tree, producer, name, 0, node);
}

/* ---- holes ---- */

/* NULL: the node is none of the new holes. */
static struct dit_dn_tree_hole *find_hole(const struct dit_dn_tree *tree, uint32_t id)
{
	/* The ID is the first field of a hole. */
	return tree->nholes == 0 ? NULL
	                         : bsearch(&id, tree->holes, tree->nholes,
	                                   sizeof(*tree->holes), dit_compare_numbers);
}

static int note_filled(struct dit_dn_tree *tree, uint32_t id)
{
	uint32_t *copy = malloc(sizeof(*copy));

	if (copy == NULL) {
		return -ENOMEM;
	}
	*copy = id;
	if (tsearch(copy, &tree->filled, dit_compare_numbers) == NULL) {
		free(copy);
		return -ENOMEM;
	}
	return 0;
}

int dit_dn_tree_find_hole(struct dit_dn_tree *tree, uint32_t id)
{
	const struct dit_dn_tree_hole *hole = find_hole(tree, id);
	struct dit_span record = {0};
	int r = 0;

	if (hole != NULL) {
		return !hole->is_filled;
	}
	if (id > tree->last_stored ||
	    tfind(&id, &tree->filled, dit_compare_numbers) != NULL) {
		return 0;
	}
	r = dit_output_find_entry(tree->output, id, &record);
	return r < 0 ? r : r == 0;
}

int dit_dn_tree_fill(struct dit_dn_tree *tree, uint32_t id)
{
	struct dit_dn_tree_hole *hole = find_hole(tree, id);

	if (hole == NULL) {
		return note_filled(tree, id);
	}
	hole->is_filled = true;
	return 0;
}

uint64_t dit_dn_tree_next_id(const struct dit_dn_tree *tree)
{
	return (uint64_t)tree->last_stored + tree->nnodes + 1;
}
