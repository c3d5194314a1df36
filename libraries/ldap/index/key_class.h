/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index keys of objectClass and structuralObjectClass: the listed classes and all their
 * superclasses (values.md 6.8).
 *
 * Threads: a cache belongs to one thread.
 */
#ifndef DITKIT_KEY_CLASS_H
#define DITKIT_KEY_CLASS_H

#include "index/index_set.h"

struct dit_class_keys_slot;

/** Keys of the lists of classes seen lately. Zero is empty. */
struct dit_class_keys_cache {
	struct dit_class_keys_slot *slots; /* by hash of definition and list */
	const struct dit_class **classes;  /* scratch: the closure of one list */
	size_t nclasses;
	size_t classes_size;
};

void dit_class_keys_deinit(struct dit_class_keys_cache *cache);

/**
 * The keys of one list of classes.
 *
 * @param ret  on success the hashes, valid until the next use of the cache
 * @return their number, or -ENOMEM
 */
int dit_class_keys(struct dit_class_keys_cache *cache, const struct dit_index_set *set,
                   const struct dit_index_def *def, const struct dit_span *values,
                   size_t nvalues, const uint64_t **ret);

#endif
