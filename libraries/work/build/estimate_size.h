/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes of what a load or a reindexing writes, by the model of its pages and runs.
 *
 * Threads: plain functions.
 */
#ifndef DITKIT_ESTIMATE_SIZE_H
#define DITKIT_ESTIMATE_SIZE_H

#include "build/key_sample.h"
#include "index/index_keys.h"
#include "page/page_format.h"

/** Of the data file. */
struct dit_page_model {
	const struct dit_page_format *format;
	unsigned page_bytes;
	uint64_t list_max; /* longer lists are ranges */
};

/** Pages of an index database. */
double dit_estimate_index_pages(const struct dit_page_model *model, double key_bytes,
                                const struct dit_list_class *lists, size_t n);

/** Pages of dn2i. */
struct dit_tree_model {
	double nentries;
	double self_bytes;  /* of a record under an entry's own ID, on average */
	double child_bytes; /* of a record under the parent's ID */
	const struct dit_list_class *families; /* parents, by their numbers of children */
	size_t nfamilies;
};
double dit_estimate_tree_pages(const struct dit_page_model *model,
                               const struct dit_tree_model *tree);

/** Pages of id2e, while records come in order. Zero: none yet. */
struct dit_record_pages {
	double npages;   /* finished: leaves, and pages of long records */
	double nleaves;  /* of these */
	unsigned filled; /* bytes of the leaf at work */
};
/** @param weight  records that this one stands for */
void dit_record_pages_add(struct dit_record_pages *pages,
                          const struct dit_page_model *model, uint64_t record_bytes,
                          double weight);
double dit_record_pages_end(const struct dit_record_pages *pages,
                            const struct dit_page_model *model);

/** The postings of one stream. */
struct dit_stream_model {
	double npostings;   /* repeats included */
	double ngroups;     /* entries that have keys in it */
	unsigned key_units; /* of a key in memory, 4 bytes each: 1 or 2 */
	const struct dit_list_class *lists;
	size_t nlists;
};

/** What the sort of postings needs (sort/postings.h). */
struct dit_sort_model {
	double nentries;
	unsigned nproducers;
	uint64_t memory_bytes; /* for postings */
	uint64_t list_max;
	const struct dit_stream_model *streams;
	size_t nstreams;
};
struct dit_sort_sizes {
	double memory_bytes;
	double run_bytes; /* 0: all fits the memory */
};
struct dit_sort_sizes dit_estimate_sort(const struct dit_sort_model *model);

/** What the sort of the tree's records needs. @param record_bytes  key and value */
struct dit_sort_sizes dit_estimate_names(double nrecords, double record_bytes,
                                         uint64_t memory_bytes);

#endif
