/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DN table: an array of nodes, found through an open-addressing hash of node numbers.
 *
 *   slots   | 0 | 3 | 0 | 1 | 0 | 0 | 2 | 0 |      u32 numbers, 0 = free, linear probing
 *   node 3  | fingerprint (12 bytes) | parent | nsubs |
 *
 * The slot of a fingerprint is its first word modulo the number of slots, a power of two.
 * The hash doubles at 4/5 full. Parents have smaller IDs than their
 * children (a missing parent is added first), so one pass from the last node to the first
 * sums up the subtrees.
 */
#include "load/dn_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <xxhash.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"

#define SLOTS_MIN 1024u

_Static_assert(sizeof(((struct dit_fingerprint_key *)0)->secret) >= XXH3_SECRET_SIZE_MIN,
               "a secret that XXH3 takes");

int dit_fingerprint_key_make(struct dit_fingerprint_key *ret)
{
	/* The kernel gives up to 256 bytes at once, and no signal cuts them short. */
	return getrandom(ret->secret, sizeof(ret->secret), 0) < 0 ? -errno : 0;
}

struct dit_fingerprint dit_fingerprint_of(const struct dit_fingerprint_key *key,
                                          struct dit_span norm_dn)
{
	XXH128_hash_t hash = XXH3_128bits_withSecret(norm_dn.data, norm_dn.len,
	                                             key->secret, sizeof(key->secret));

	return (struct dit_fingerprint){{(uint32_t)hash.low64,
	                                 (uint32_t)(hash.low64 >> 32),
	                                 (uint32_t)hash.high64}};
}

static struct dit_dn_node *node_at(const struct dit_dn_table *table, uint32_t number)
{
	return &table->nodes[number - 1];
}

static uint64_t first_slot(const struct dit_dn_table *table,
                           const struct dit_fingerprint *fingerprint)
{
	/* Two words: 2^32 nodes need more than 32 bits of slot number. */
	uint64_t hash = fingerprint->word[0] | (uint64_t)fingerprint->word[1] << 32;

	return hash & (table->nslots - 1);
}

void dit_dn_table_prefetch(const struct dit_dn_table *table,
                           const struct dit_fingerprint *fingerprint)
{
	__builtin_prefetch(&table->slots[first_slot(table, fingerprint)]);
}

/* The slot that holds the fingerprint, or the free one where it belongs. */
static uint64_t slot_of(const struct dit_dn_table *table,
                        const struct dit_fingerprint *fingerprint)
{
	uint64_t mask = table->nslots - 1;
	uint64_t slot = first_slot(table, fingerprint);

	while (table->slots[slot] != 0 &&
	       memcmp(&node_at(table, table->slots[slot])->fingerprint, fingerprint,
	              sizeof(*fingerprint)) != 0) {
		slot = (slot + 1) & mask;
	}
	return slot;
}

uint32_t dit_dn_table_find(const struct dit_dn_table *table,
                           const struct dit_fingerprint *fingerprint)
{
	uint32_t number = table->slots[slot_of(table, fingerprint)];

	return number == 0 ? 0 : table->base + number;
}

/* At first: make them. */
static int slots_double(struct dit_dn_table *table)
{
	size_t n = table->nslots == 0 ? SLOTS_MIN : 2 * table->nslots;

	if (DIT_GROW_LARGE(table->slots, table->nslots, n) < 0) {
		return -ENOMEM;
	}
	memset(table->slots, 0, n * sizeof(*table->slots));
	for (uint32_t i = 1; i <= table->nnodes; i++) {
		table->slots[slot_of(table, &node_at(table, i)->fingerprint)] = i;
	}
	return 0;
}

int dit_dn_table_new(struct dit_dn_table **ret, uint32_t base)
{
	struct dit_dn_table *table = calloc(1, sizeof(*table));
	int r = 0;

	if (table == NULL) {
		return -ENOMEM;
	}
	table->base = base;
	r = slots_double(table);
	return DIT_HAND_OVER(r, ret, table, dit_dn_table_free);
}

void dit_dn_table_free(struct dit_dn_table *table)
{
	if (table == NULL) {
		return;
	}
	DIT_FREE_LARGE(table->nodes, table->nodes_size);
	DIT_FREE_LARGE(table->slots, table->nslots);
	free(table);
}

static int make_room(struct dit_dn_table *table)
{
	int r = 0;

	if (table->nnodes >= DIT_DN_TABLE_MAX - table->base) {
		return DIT_E_TOOLONG;
	}
	r = DIT_GROW_LARGE(table->nodes, table->nodes_size, (size_t)table->nnodes + 1);
	return r < 0 || table->nnodes < table->nslots / 5 * 4 ? r : slots_double(table);
}

int dit_dn_table_add(struct dit_dn_table *table,
                     const struct dit_fingerprint *fingerprint, uint32_t parent,
                     uint32_t *ret_id)
{
	uint32_t number = 0;
	int r = make_room(table);

	if (r < 0) {
		return r;
	}
	number = ++table->nnodes;
	*node_at(table, number) = (struct dit_dn_node){*fingerprint, parent, 1};
	table->slots[slot_of(table, fingerprint)] = number;
	*ret_id = table->base + number;
	return 0;
}

void dit_dn_table_count(struct dit_dn_table *table)
{
	for (uint32_t i = table->nnodes; i > 0; i--) {
		const struct dit_dn_node *node = node_at(table, i);

		if (node->parent > table->base) {
			node_at(table, node->parent - table->base)->nsubs += node->nsubs;
		}
	}
}
