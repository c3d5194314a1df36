/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lists of a stored index database, in key order. liblmdb, which believes what it
 * reads, has no part in it: damage is an error.
 *
 * Threads: an object belongs to one thread; the source says who may read.
 */
#ifndef DITKIT_STORED_LISTS_H
#define DITKIT_STORED_LISTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "page/tree_visit.h"

struct dit_stored_lists;

struct dit_stored_list {
	struct dit_span key; /* as it is stored */
	const uint64_t *ids; /* as they are stored */
	size_t nids;         /* at least 1 */
};

/**
 * @param source  borrowed, as long as the object lives
 * @param tree    of the database
 *
 * @return 0; DIT_E_CORRUPT; -ENOMEM
 */
int dit_stored_lists_open(struct dit_stored_lists **ret,
                          const struct dit_tree_source *source,
                          const struct dit_tree_record *tree);
/** NULL is fine. */
void dit_stored_lists_close(struct dit_stored_lists *lists);

/** 1: @p ret is valid until the next call; 0: end; DIT_E_CORRUPT; -ENOMEM; -errno of
 * reading */
int dit_stored_lists_next(struct dit_stored_lists *lists, struct dit_stored_list *ret);

#endif
