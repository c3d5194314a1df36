/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of a database that is loaded: which nodes there are, with which IDs, which of
 * them are holes; at the end, its records of dn2i.
 *
 *   dit_dn_tree_new();
 *   for each entry:   dit_dn_tree_find();  then either dit_dn_tree_find_hole(), _fill()
 *                     or dit_dn_tree_fits(), _add(); dit_dn_tree_push()
 *   dit_dn_tree_write();
 *   dit_dn_tree_free()
 *
 * IDs (storage.md 6.1, 3.4). Nodes get 1, 2, 3 ... in the order of dit_dn_tree_add(), or
 * the IDs after those of a database that holds entries already. A missing parent is added
 * as a *hole*: a node without an entry, topmost first. A later entry of that DN fills the
 * hole and takes its ID; the spelling in the tree stays that of the first reference:
 *
 *     dc=x                    1
 *     cn=c,ou=B,ou=A,dc=x     2 = hole ou=A, 3 = hole ou=B, 4
 *     ou=A,dc=x               2, filled
 *
 * Node i of a DN is what remains without its first i RDNs; node 0 is the entry itself,
 * the topmost one the suffix, taken as one RDN. The empty DN is no node; its entry has
 * ID 0.
 *
 * The DN of a new node is kept as a fingerprint of 96 bits of its normal form: with a
 * billion entries the odds that any two share one are 1 in 10^11. The fingerprints of a
 * load are made with a random key of its own, so the odds hold for an LDIF that somebody
 * wrote to make them fail. Memory: 20 bytes per node and 5 to 10 for the hash slots, at
 * most 32 per entry.
 *
 * Nodes that the database held before are looked up there when they are asked for, so
 * that ten entries can be added to ten million.
 *
 * Threads: names are made on any thread, and producers push the records of nodes while
 * others are added; all else belongs to one thread.
 */
#ifndef DITKIT_DN_TREE_H
#define DITKIT_DN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shared.h"
#include "output/record_output.h"
#include "sort/sort.h"
#include "values/dn.h"

/** 2^32 - 2 entries: IDs are kept in 32 bits here and in the postings. */
#define DIT_DN_TREE_ID_MAX 0xfffffffeu

struct dit_fingerprint {
	uint32_t word[3];
};

/** All fingerprints of a load depend on this key. */
struct dit_fingerprint_key {
	unsigned char secret[192];
};

/** Make a random key. Any thread. 0; -ENOSYS: the kernel has no source of random bytes */
int dit_fingerprint_key_make(struct dit_fingerprint_key *ret);

/** A new node. nsubs: new nodes in its subtree, itself included; from
 * dit_dn_tree_write() on */
struct dit_dn_node {
	struct dit_fingerprint fingerprint;
	uint32_t parent; /* 0: the root; its ID may be a stored node's */
	uint32_t nsubs;
};

/** A node that a child needed before a record came for it. */
struct dit_dn_tree_hole {
	uint32_t id;
	bool is_filled;
	char *norm; /* owned */
};

/** Fields for dn_tree.c and dn_tree_write.c; others may read them. */
struct dit_dn_tree {
	/* [const] */
	struct dit_record_output *output;
	uint32_t last_stored; /* nodes up to this ID are the database's */
	unsigned suffix_nrdns;
	unsigned own_producer; /* of the sorter: the number after those of others */
	struct dit_shared shared;
	uint64_t nwritten; /* records of new nodes */

	/* The new nodes: number i, counted from 1, has ID last_stored + i. A hash leads
	 * from fingerprints to numbers (dn_tree.c). */
	struct dit_dn_node *nodes; /* owned */
	size_t nodes_size;
	uint32_t nnodes;
	uint32_t *slots; /* owned */
	size_t nslots;   /* a power of two */

	struct dit_sorter *records;     /* of dn2i, of new nodes */
	struct dit_dn_tree_hole *holes; /* the new ones, by ascending ID */
	size_t nholes;
	size_t holes_size;
	void *filled; /* tsearch(3): IDs of stored holes that have got their entries */

	/* The latest parent: siblings come in runs. */
	struct dit_fingerprint last_parent;
	uint32_t last_parent_id; /* 0: none */
};

/**
 * @param output        borrowed; where stored nodes are looked up, and where the tree is
 *                      written
 * @param suffix_nrdns  RDNs of the database's suffix
 * @param memory_bytes  of the records that threads push; more if that is too little for
 *                      so many of them
 *
 * @return 0; -ENOMEM; DIT_E_TOOLONG: the stored IDs exceed DIT_DN_TREE_ID_MAX
 */
int dit_dn_tree_new(struct dit_dn_tree **ret, struct dit_record_output *output,
                    unsigned suffix_nrdns, size_t memory_bytes,
                    const struct dit_shared *shared);
/** NULL is fine. */
void dit_dn_tree_free(struct dit_dn_tree *tree);

/** A DN, prepared for the tree. Never the empty DN. */
struct dit_dn_tree_name {
	const struct dit_fingerprint_key *key; /* borrowed */
	const struct dit_dn *dn;               /* borrowed; at or below the suffix */
	struct dit_fingerprint self;
	struct dit_fingerprint parent; /* of node 1; unset for a DN of one RDN */
};

/**
 * Any thread.
 *
 * @param key  the same for all names of a tree
 */
void dit_dn_tree_name_init(struct dit_dn_tree_name *name,
                           const struct dit_fingerprint_key *key,
                           const struct dit_dn *dn);

/** Bring a name's slot into the processor's cache, before dit_dn_tree_find(). */
void dit_dn_tree_prefetch(const struct dit_dn_tree *tree,
                          const struct dit_dn_tree_name *name);

/** A node, or where it belongs. */
struct dit_dn_tree_node {
	uint32_t id; /* 0: there is none yet */
	/* Without an ID: its nearest ancestor that is there; 0: the root */
	uint32_t parent;
	unsigned nnodes; /* to be added: the name's own, and a hole for each above it */
};

/**
 * @param ret  has an ID, or says where the name belongs
 *
 * @return 0; DIT_E_CORRUPT, LMDB's codes
 */
int dit_dn_tree_find(struct dit_dn_tree *tree, const struct dit_dn_tree_name *name,
                     struct dit_dn_tree_node *ret);

/** Do the nodes to be added fit a record of dn2i each (storage.md 3.6)? */
bool dit_dn_tree_fits(const struct dit_dn_tree *tree, const struct dit_dn_tree_name *name,
                      const struct dit_dn_tree_node *node);

/**
 * Add a name that was not found and fits, with the holes above it.
 *
 * @param node  gets its ID and its parent: its records are to be pushed. The nnodes - 1
 *              IDs before it are the holes'.
 *
 * @return 0; -ENOMEM; DIT_E_TOOLONG: no ID is left; errors of dit_sorter_push(). After an
 *         error the tree can only be freed.
 */
int dit_dn_tree_add(struct dit_dn_tree *tree, const struct dit_dn_tree_name *name,
                    struct dit_dn_tree_node *node);

/**
 * Push the records of a node. Once, before dit_dn_tree_write(). The producer's thread.
 *
 * @param name  that of dit_dn_tree_add(), or the same
 *
 * @return 0; errors of dit_sorter_push(): the tree can only be freed
 */
int dit_dn_tree_push(struct dit_dn_tree *tree, unsigned producer,
                     const struct dit_dn_tree_name *name,
                     const struct dit_dn_tree_node *node);

/** Is a node that dit_dn_tree_find() found a hole? 1, 0, or LMDB's codes. */
int dit_dn_tree_find_hole(struct dit_dn_tree *tree, uint32_t id);

/** A hole gets its entry. 0 or -ENOMEM */
int dit_dn_tree_fill(struct dit_dn_tree *tree, uint32_t id);

/** The ID that the next new node will get. */
uint64_t dit_dn_tree_next_id(const struct dit_dn_tree *tree);

/**
 * Write dn2i: new records, and larger subtrees of stored nodes. Once; no additions after
 * it.
 *
 * @return 0; DIT_E_STOPPED; errors of dit_sorter_next() and of the output
 */
int dit_dn_tree_write(struct dit_dn_tree *tree);

/* ---- records that wait for the end of the load ---- */

/**
 * Push a record of dn2i into the sorter, which has it in two parts:
 *
 *   key     8  ID of the node under which the record lies, big-endian
 *           .. the record (name_codec.h), up to the normal RDN
 *   value   .. the rest of it
 *
 * Bytes compared, keys sort by node, then self before children, then by length and bytes
 * of the normal RDN: as slapd orders the records of dn2i (storage.md 3.2).
 *
 * @param name  of a child: nsubs 0: of a new node, known at the end only
 *
 * @return as dit_sorter_push(); DIT_E_TOOLONG
 */
int dit_dn_tree_push_record(struct dit_dn_tree *tree, unsigned producer, uint64_t under,
                            const struct dit_name *name);

#endif
