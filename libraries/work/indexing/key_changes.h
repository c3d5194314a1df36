/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two versions of entries: the postings that only one of them has.
 *
 *   dit_key_changes_take() ...;  dit_key_changes_sort() for each database
 *
 * The keys of each entry are made twice. Attributes that have not changed are left out:
 * most changes are of few attributes. Keys that only the older version has go out of the
 * index, keys that only the newer one has go into it. So all keys are changes at first,
 * and those of both versions are dropped once the changes of a database are sorted.
 *
 * Threads: belongs to one thread; the changes of each database may be sorted by another.
 */
#ifndef DITKIT_KEY_CHANGES_H
#define DITKIT_KEY_CHANGES_H

#include "base/arena.h"
#include "indexing/stored_keys.h"
#include "output/output.h"

struct dit_key_changes {
	struct dit_table_changes *tables; /* of the databases of the set; borrowed */
	struct dit_arena *bytes;          /* of their keys; borrowed */
	struct dit_stored_keys *keys;     /* borrowed */

	/* The entry and the side of the keys that are being added. */
	uint64_t id;
	bool is_newer;
};

/** Add the changes of an entry. A version without attributes was not there. 0; -ENOMEM */
int dit_key_changes_take(struct dit_key_changes *changes, uint64_t id,
                         const struct dit_entry *older, const struct dit_entry *newer);

/**
 * Sort the changes of a database, and leave out those that change nothing.
 *
 * @param parts  together all changes; IDs ascend, from part to part as well
 * @param ret    empty; owned
 *
 * @return 0; -ENOMEM
 */
int dit_key_changes_sort(const struct dit_table_changes *const *parts, size_t nparts,
                         bool is_integerkey, struct dit_table_changes *ret);

#endif
