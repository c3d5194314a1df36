/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the general sorter share.
 *
 *   sorter.c        the object, pushing, seal
 *   sorter_order.c  records in memory, put in order
 *   sorter_run.c    a producer's records -> run files, cascades of runs
 *   sorter_merge.c  sorted sources -> records in key order, equal keys combined
 */
#ifndef DITKIT_SORTER_PRIVATE_H
#define DITKIT_SORTER_PRIVATE_H

#include "sort/merge_heap.h"
#include "sort/radix.h"
#include "sort/run_file.h"
#include "sort/sort.h"

#define DIT_SORT_PART_MAX ((size_t)1 << 30) /* longest key, longest value */

/** A record in memory: key, then value. */
struct dit_sort_stored {
	uint32_t key_len;
	uint32_t value_len;
	char bytes[];
};

/** The record of an item; the item's key is a part of the record's key. */
static inline const struct dit_sort_stored *dit_sort_stored(const struct dit_pair *item)
{
	return (const struct dit_sort_stored *)(uintptr_t)item->value;
}

/** Eight bytes of a key from @p at on, as a number that compares as they do. */
uint64_t dit_sort_word(const char *key, size_t key_len, size_t at);

/** Put items in key order, equal keys in the order in which they stand. */
void dit_sort_items(struct dit_pair *items, struct dit_pair *spare, size_t n);

/** A run file with one segment. */
struct dit_sort_run {
	int fd;
	unsigned level; /* 0: from memory; n + 1: merged from runs of level n */
	struct dit_run_segment segment;
};

struct dit_sort_producer {
	/* [const] */
	struct dit_sorter *sorter;

	/* [own: the producer's thread, until seal] */
	struct dit_arena records;
	size_t used_bytes; /* of records */
	struct dit_pair *items;
	size_t nitems;
	size_t items_size;
	struct dit_buffer spare; /* scratch of sorting */
	struct dit_run_writer writer;
	struct dit_sort_run *runs; /* oldest first; levels descend */
	size_t nruns;
	size_t runs_size;
	uint64_t run_bytes; /* written in all */
	int error;          /* the first one */
};

/** A sorted sequence of records: items in memory or a run. */
struct dit_sort_source {
	struct dit_sort_record record; /* the current one */
	uint64_t prefix;               /* first bytes of its key */
	size_t number;                 /* sources with lower numbers are older */
	bool is_run;
	const struct dit_pair *at; /* memory: behind the current item */
	const struct dit_pair *end;
	struct dit_run_reader reader;
	char *buffer; /* run: a record that straddles blocks */
	size_t buffer_size;
};

struct dit_sort_merge {
	struct dit_sort_source *sources;
	size_t nsources;
	struct dit_heap heap; /* of those not at their end */
	dit_sort_merge_fn merge;
	void *merge_ctx;
	struct dit_arena arena; /* of the record given out */
	bool is_given;          /* the record on top has been given out */
};

struct dit_sorter {
	/* [const] */
	struct dit_sorter_opts opts;
	char *tmpdir;
	size_t share_bytes; /* of one producer */
	size_t block_bytes; /* of run files */
	unsigned fan_in;    /* runs merged into one */

	/* [own: whoever seals and reads] */
	struct dit_sort_producer **producers;
	struct dit_sort_merge merge;
	bool is_sealed;
};

/** Sort the records of a producer and write them as a run. 0 or a negative error */
int dit_sort_spill(struct dit_sort_producer *producer);
/** Sort what a producer holds in memory. 0 or -ENOMEM */
int dit_sort_memory(struct dit_sort_producer *producer);

/** @param max most sources that will be added. 0 or -ENOMEM */
int dit_sort_merge_init(struct dit_sort_merge *merge, const struct dit_sorter *sorter,
                        size_t max);
/** A zeroed merge is fine. */
void dit_sort_merge_deinit(struct dit_sort_merge *merge);
/** Sources are added oldest first. Empty ones are fine. */
void dit_sort_merge_add_items(struct dit_sort_merge *merge, const struct dit_pair *items,
                              size_t nitems);
/** 0; DIT_E_CORRUPT; -errno */
int dit_sort_merge_add_run(struct dit_sort_merge *merge, const struct dit_sorter *sorter,
                           const struct dit_sort_run *run);
/** As dit_sorter_next(). */
int dit_sort_merge_next(struct dit_sort_merge *merge, struct dit_sort_record *ret);

#endif
