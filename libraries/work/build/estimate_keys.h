/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The index keys of sampled entries of one database, and what follows from them: pages,
 * temporary files, memory.
 *
 *   dit_estimate_keys_init();
 *   dit_estimate_keys_begin() for each entry, then the two callbacks for its keys;
 *   dit_estimate_keys_end();  dit_estimate_keys_deinit()
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_ESTIMATE_KEYS_H
#define DITKIT_ESTIMATE_KEYS_H

#include "build/estimate.h"
#include "build/estimate_size.h"

struct dit_estimate_keys {
	const struct dit_index_set *indexes; /* borrowed */
	struct dit_key_sample *keys; /* of each database, and one set of parents */
	double *ngroups;             /* entries with keys in each database */
	double *key_bytes;           /* of the sampled keys */
	uint64_t *nkeys;             /* sampled */
	double weight;               /* of the entry at hand */
	double nentries;
	double npostings;
	uint64_t nsampled; /* postings */
	uint64_t nsampled_entries;
};

/** Sizes of a database's indexes. */
struct dit_estimate_keys_sizes {
	double npages;
	double nfamily_pages; /* of dn2i */
	struct dit_sort_sizes sort;
};

struct dit_estimate_keys_end {
	struct dit_page_model pages;
	uint64_t postings_bytes; /* memory for them */
	unsigned nproducers;
	/* dn2i; 0: it is not written */
	double tree_self_bytes;
	double tree_child_bytes;
};

/** 0 or -ENOMEM; deinit in every case. */
int dit_estimate_keys_init(struct dit_estimate_keys *keys,
                           const struct dit_index_set *indexes);
void dit_estimate_keys_deinit(struct dit_estimate_keys *keys);

/** @param parent  a hash of the parent's name. 0 or -ENOMEM */
int dit_estimate_keys_begin(struct dit_estimate_keys *keys, double weight,
                            unsigned window, uint64_t parent);
/** A dit_index_keys_fn and a dit_index_wide_fn; ctx: the object. */
int dit_estimate_keys_push(void *ctx, unsigned db, const uint64_t *ordinals,
                           size_t nkeys);
int dit_estimate_keys_push_wide(void *ctx, unsigned db, struct dit_span key);

/** Adds up all, and fills the index estimates of @p ret. 0 or -ENOMEM */
int dit_estimate_keys_end(struct dit_estimate_keys *keys,
                          const struct dit_estimate_keys_end *end,
                          struct dit_estimate_database *ret,
                          struct dit_estimate_keys_sizes *ret_sizes);

#endif
