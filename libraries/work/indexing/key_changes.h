/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two versions of entries: the postings that only one of them has.
 *
 *   dit_key_changes_new();  dit_key_changes_take() ...;
 *   dit_changed_lists_open();  dit_changed_lists_next() ...;  dit_changed_lists_close()
 *
 * The keys of each entry are made twice. Attributes that have not changed are left out:
 * most changes are of few attributes. Keys that only the older version has go out of the
 * index, keys that only the newer one has go into it. So all keys are changes at first,
 * and those of both versions are dropped once the changes of a database are sorted.
 *
 * Threads: an object belongs to one thread; the changes of each database may be sorted by
 * another one.
 */
#ifndef DITKIT_KEY_CHANGES_H
#define DITKIT_KEY_CHANGES_H

#include "base/arena.h"
#include "indexing/stored_keys.h"
#include "sort/radix.h"
#include "tree/tree_merge.h"

/** Changes of a database. */
struct dit_db_changes {
	/* value: twice the ID, and 1: added. key: the ordinal, in the highest bits; of a
	 * key without an ordinal where its struct dit_span is */
	struct dit_pair *list;
	size_t n;
	size_t size;
};

struct dit_key_changes {
	const struct dit_index_set *indexes; /* borrowed; constant */
	struct dit_stored_keys *keys;        /* owned, as all below */
	/* Two for each database of the set: keys with an ordinal, and keys without. */
	struct dit_db_changes *dbs;
	struct dit_arena bytes; /* of keys without an ordinal */

	/* The entry and the side of the keys that are being added, as in a pair. */
	uint64_t value;
};

/** @param indexes  borrowed; constant, outlives the object. 0 or -ENOMEM */
int dit_key_changes_new(struct dit_key_changes **ret,
                        const struct dit_index_set *indexes);
/** NULL is fine. */
void dit_key_changes_free(struct dit_key_changes *changes);

/** Add the changes of an entry. A version without attributes was not there. 0; -ENOMEM;
 * DIT_E_TOOLONG: the ID is too high for keys */
int dit_key_changes_take(struct dit_key_changes *changes, uint64_t id,
                         const struct dit_entry *older, const struct dit_entry *newer);
/** There are no changes. All lists are closed. */
void dit_key_changes_clear(struct dit_key_changes *changes);

/** The changes of a database in order. Zero: closed. */
struct dit_changed_lists {
	const struct dit_index_db *db;
	struct dit_pair *list; /* those of keys without an ordinal first; owned */
	size_t nwide;
	size_t n;    /* of all; none of them changes nothing */
	size_t size; /* of the list */
	size_t at;
	char key[sizeof(uint64_t)];
	uint64_t *ids; /* of a key; owned */
	size_t ids_size;
};

/**
 * Sort the changes of a database, and leave out those that change nothing.
 *
 * @param parts  together all changes; IDs ascend, from part to part as well. They have
 *               none of this database afterwards
 *
 * @return 0; -ENOMEM
 */
int dit_changed_lists_open(struct dit_changed_lists *ret, size_t db,
                           struct dit_key_changes *const *parts, size_t nparts);
/** The next() of struct dit_list_changes (output.h); ctx: the lists. */
int dit_changed_lists_next(void *ctx, struct dit_span *ret_key,
                           struct dit_ids_change *ret);
void dit_changed_lists_close(struct dit_changed_lists *lists);

#endif
