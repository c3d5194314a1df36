/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DN table of a load: which DN has which ID, and how the tree hangs together.
 *
 *   dit_dn_table_new();  dit_dn_table_find(), _add()...;
 *   dit_dn_table_count();  dit_dn_table_free()
 *
 * A DN is kept as a fingerprint of 96 bits of its normal form: with a billion entries
 * the odds that any two share one are 1 in 10^11. The fingerprints of a load are made
 * with a random key of its own, so the odds hold for an LDIF that somebody wrote to make
 * them fail. Memory: 20 bytes per node and 5 to 10 for the hash slots, at most 32 per
 * entry.
 *
 * IDs are given out in order from 1, or after those of a database that holds entries
 * already; 0 stands for the root above all suffixes.
 *
 * Threads: fingerprints are made anywhere; the table belongs to one thread.
 */
#ifndef DITKIT_DN_TABLE_H
#define DITKIT_DN_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/** 2^32 - 2 entries: IDs are kept in 32 bits here and in the postings. */
#define DIT_DN_TABLE_MAX 0xfffffffeu

struct dit_fingerprint {
	uint32_t word[3];
};

/** All fingerprints of a load depend on this key. */
struct dit_fingerprint_key {
	unsigned char secret[192];
};

/**
 * Make a random key. Any thread.
 *
 * @return 0; -ENOSYS: the kernel has no source of random bytes
 */
int dit_fingerprint_key_make(struct dit_fingerprint_key *ret);

/** The fingerprint of a normal form. Compare two only if one key made both. */
struct dit_fingerprint dit_fingerprint_of(const struct dit_fingerprint_key *key,
                                          struct dit_span norm_dn);

/** A node. nsubs: nodes in its subtree, itself included; after dit_dn_table_count() */
struct dit_dn_node {
	struct dit_fingerprint fingerprint;
	uint32_t parent; /* 0: the root */
	uint32_t nsubs;
};

/** The fields are for the functions below; others may read the nodes. */
struct dit_dn_table {
	struct dit_dn_node *nodes;
	size_t nodes_size;
	uint32_t nnodes;
	uint32_t base; /* node i, counted from 1, has ID base + i */
	uint32_t *slots;
	size_t nslots; /* power of two */
};

/** @param base  the first ID is the one after it. 0 or -ENOMEM */
int dit_dn_table_new(struct dit_dn_table **ret, uint32_t base);
void dit_dn_table_free(struct dit_dn_table *table);

/** @return the ID, or 0: not there */
uint32_t dit_dn_table_find(const struct dit_dn_table *table,
                           const struct dit_fingerprint *fingerprint);

/** Bring a fingerprint's slot into the processor's cache, before dit_dn_table_find(). */
void dit_dn_table_prefetch(const struct dit_dn_table *table,
                           const struct dit_fingerprint *fingerprint);

/**
 * Add a node that is not there yet, below @p parent (0: the root). A parent up to the
 * base is a node of the database.
 *
 * @param ret_id  the next ID
 *
 * @return 0; -ENOMEM; DIT_E_TOOLONG: an ID over DIT_DN_TABLE_MAX
 */
int dit_dn_table_add(struct dit_dn_table *table,
                     const struct dit_fingerprint *fingerprint, uint32_t parent,
                     uint32_t *ret_id);

/** Sum up the subtree sizes; no more additions. */
void dit_dn_table_count(struct dit_dn_table *table);

#endif
