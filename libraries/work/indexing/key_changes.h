/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two versions of entries: the postings that only one of them has.
 *
 *   dit_key_changes_new();
 *   dit_key_changes_begin();  dit_key_changes_take() ...;  dit_key_changes_finish();
 *   dit_changed_lists_open();  dit_changed_lists_next() ...;  dit_changed_lists_close()
 *   ...
 *   dit_key_changes_free()
 *
 * The keys of each entry are made twice, into builders of the older versions and of the
 * newer ones. Attributes that have not changed are left out: most changes are of few
 * attributes. IDs that only the older list of a key has go out of the index, IDs that
 * only the newer one has go into it.
 *
 * Threads: takes are of many producers, each of its own number; lists of different
 * databases may be open on different threads; all else is main's, who waits for them.
 */
#ifndef DITKIT_KEY_CHANGES_H
#define DITKIT_KEY_CHANGES_H

#include "base/pairs.h"
#include "indexing/stored_keys.h"
#include "page/key_order.h"
#include "tree/tree_merge.h"

struct dit_key_changes {
	struct dit_builders_opts opts;
	struct dit_stored_keys **keys; /* of each producer; owned, as all below */
	/* One for the older versions, one for the newer ones. NULL: there is none */
	struct dit_builders *builders[2];
};

/**
 * @param opts  the memory is that of older and newer keys together; list_max does not
 *              count: lists of changes have any length
 *
 * @return 0 or -ENOMEM
 */
int dit_key_changes_new(struct dit_key_changes **ret,
                        const struct dit_builders_opts *opts);
/** NULL is fine. */
void dit_key_changes_free(struct dit_key_changes *changes);

/** There are no changes. All lists are closed. 0 or -ENOMEM */
int dit_key_changes_begin(struct dit_key_changes *changes);
/** Add the changes of an entry. A version without attributes was not there. As
 * dit_builders_push_entry() */
int dit_key_changes_take(struct dit_key_changes *changes, unsigned producer, uint64_t id,
                         const struct dit_entry *older, const struct dit_entry *newer);
/** No more changes. As dit_builders_finish() */
int dit_key_changes_finish(struct dit_key_changes *changes);

/** The lists of a database of one side. */
struct dit_changed_side {
	const struct dit_key_order *order;
	struct dit_index_cursor *cursor;      /* owned */
	const struct dit_posting_list *lists; /* from the present one on */
	ptrdiff_t nlists;
	uint64_t *ids; /* of the present key; owned */
	size_t ids_size;
};

/** The changes of a database in order. Zero: closed. It stays where it is. */
struct dit_changed_lists {
	struct dit_key_orders orders;
	struct dit_changed_side sides[2];
	struct dit_pairs pairs;
	uint64_t n; /* changes so far */
};

/** After finish, once for each database. 0; errors of dit_index_cursor_open(): they are
 * closed by the caller as well */
int dit_changed_lists_open(struct dit_changed_lists *ret,
                           const struct dit_key_changes *changes, size_t db);
/** The next() of struct dit_list_changes (output.h); ctx: the lists. */
int dit_changed_lists_next(void *ctx, struct dit_span *ret_key,
                           struct dit_ids_change *ret);
void dit_changed_lists_close(struct dit_changed_lists *lists);

#endif
