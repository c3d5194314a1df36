/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many keys an index has, and how long their lists are, by the keys of a sample of
 * the entries.
 *
 *   dit_key_sample_new();
 *   dit_key_sample_begin() for each entry, dit_key_sample_add() for each of its keys;
 *   dit_key_sample_lists() for each index database;
 *   dit_key_sample_free()
 *
 * A key that occurs in many windows of the sample has a list whose length is known well.
 * Of a key seen once nobody knows whether it is the only one of its kind (the uid of one
 * entry) or one of a thousand (a surname): that is told by how many keys were seen twice,
 * three times and so on, and by how many were not seen at all. key_sample.c says how.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_KEY_SAMPLE_H
#define DITKIT_KEY_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

struct dit_key_sample;

/** @param ndbs  sets of keys. 0 or -ENOMEM */
int dit_key_sample_new(struct dit_key_sample **ret, size_t ndbs);
void dit_key_sample_free(struct dit_key_sample *sample);

/**
 * The next entry.
 *
 * @param weight  entries that it stands for, at least 1
 * @param window  entries with the same number were neighbours
 *
 * @return 0 or -ENOMEM
 */
int dit_key_sample_begin(struct dit_key_sample *sample, double weight, unsigned window);

/** A key of the entry; repeats are fine. 0 or -ENOMEM */
int dit_key_sample_add(struct dit_key_sample *sample, size_t db, uint64_t key);

/** Keys with lists of one length. */
struct dit_list_class {
	double nids;
	double nkeys;
	double ntogether; /* of these IDs, so many at a time are neighbours; 1 at least */
};

/**
 * The lists that the whole has.
 *
 * @param ret  gets an owned array, to be freed
 *
 * @return how many classes; -ENOMEM
 */
ptrdiff_t dit_key_sample_lists(struct dit_key_sample *sample, size_t db,
                               struct dit_list_class **ret);

/** Keys that the whole makes, repeats in one entry included. */
double dit_key_sample_npostings(const struct dit_key_sample *sample, size_t db);

#endif
