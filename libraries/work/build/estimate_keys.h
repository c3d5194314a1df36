/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes of what a load or a reindexing writes, from the records and the index keys of
 * sampled entries of one database.
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
#include "index/index_keys.h"
#include "page/page_format.h"

struct dit_sampled_index; /* estimate_keys.c */

struct dit_estimate_keys {
	const struct dit_index_set *indexes; /* borrowed */
	struct dit_sampled_index *sampled;   /* owned, one for each index database */
	double weight;                       /* of the entry at hand */
	unsigned window;
	double nentries;
	double npostings;
	uint64_t nsampled; /* postings */
	uint64_t nsampled_entries;
};

/** How the data file stores keys. */
struct dit_page_model {
	const struct dit_page_format *format;
	unsigned page_bytes;
	uint64_t list_max; /* longer lists are ranges */
};

/** Nodes of one table. Zero: none yet. */
struct dit_node_sum {
	double nnodes;
	double bytes;     /* in leaves */
	double noverflow; /* pages of long values */
};
/** @param weight  nodes that this one stands for */
void dit_node_sum_add(struct dit_node_sum *sum, const struct dit_page_model *model,
                      uint64_t value_bytes, double weight);
double dit_node_sum_pages(const struct dit_node_sum *sum,
                          const struct dit_page_model *model);

/** The needs of a sort. */
struct dit_sort_sizes {
	double memory_bytes;
	double run_bytes; /* 0: all fits the memory */
};

struct dit_estimate_keys_end {
	struct dit_page_model pages;
	uint64_t postings_bytes; /* memory for them */
	unsigned nproducers;
};

/** Sizes of a database's indexes. */
struct dit_estimate_keys_sizes {
	double npages;
	struct dit_sort_sizes sort;
};

/** 0 or -ENOMEM; deinit in every case. */
int dit_estimate_keys_init(struct dit_estimate_keys *keys,
                           const struct dit_index_set *indexes);
void dit_estimate_keys_deinit(struct dit_estimate_keys *keys);

/**
 * The next entry.
 *
 * @param weight  entries that it stands for, at least 1
 * @param window  entries with the same number are neighbours
 */
void dit_estimate_keys_begin(struct dit_estimate_keys *keys, double weight,
                             unsigned window);
/** A dit_index_keys_fn and a dit_index_wide_fn; ctx: the object. */
int dit_estimate_keys_push(void *ctx, unsigned db, const uint64_t *ordinals,
                           size_t nkeys);
int dit_estimate_keys_push_wide(void *ctx, unsigned db, struct dit_span key);

/** Adds up all, and fills the index estimates of @p ret. 0 or -ENOMEM */
int dit_estimate_keys_end(struct dit_estimate_keys *keys,
                          const struct dit_estimate_keys_end *end,
                          struct dit_estimate_database *ret,
                          struct dit_estimate_keys_sizes *ret_sizes);

/** The needs of the sort of the tree's records. @param record_bytes  key and value */
struct dit_sort_sizes dit_estimate_names(double nrecords, double record_bytes,
                                         uint64_t memory_bytes);

#endif
