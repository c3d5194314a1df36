/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stored tree and sorted changes become a new tree: the pages on the way from the root
 * to the changes are written again, all others stay where they are.
 *
 *           root                root'
 *          /    \              /     \
 *        a       b           a        b'        a change in f
 *       / \     / \         / \      / \
 *      c   d   e   f       c   d    e   f'      a, c, d, e are the same pages
 *
 * A long list is a tree of its own, of which the same is true. Nothing is overwritten:
 * the old tree is there until the caller gives its pages away.
 *
 *   dit_tree_merge_open()
 *   dit_tree_merge_ids(), _put(), _record(), _remove() ...   with ascending keys
 *   dit_tree_merge_finish()
 *
 * Several threads can build a new tree in parts, a merge for each; another merge takes
 * their leaves and makes the branches.
 *
 * Nothing that is read is believed: damage is an error.
 *
 * Threads: a merge belongs to one thread, a part that has ended to the thread that takes
 * it; several may run at once.
 */
#ifndef DITKIT_TREE_MERGE_H
#define DITKIT_TREE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "page/tree_visit.h"
#include "tree/page_sink.h"

struct dit_key_order; /* key_order.h */
struct dit_tree_merge;

struct dit_tree_merge_opts {
	struct dit_page_space *space;   /* for new pages; borrowed */
	struct dit_page_source *source; /* reads the stored tree; borrowed */
	struct dit_tree_record stored;  /* may be empty; has the flags of the table */
	uint64_t list_max; /* IDs in a list; longer ones become ranges; 0: none does */
	bool is_part;      /* of a new tree: dit_tree_merge_end_part() ends it */
	/* The orders of keys and records; NULL: those that the flags mean */
	const struct dit_key_orders *orders;
	/* Pages that the new tree does not have. 0 or an error */
	int (*dropped)(void *ctx, uint64_t first, uint64_t n);
	void *ctx;
};

/** Changes of a list: IDs ascending, no ID in both. */
struct dit_ids_change {
	const uint64_t *added; /* or a range: 0, lowest, highest */
	size_t nadded;
	const uint64_t *removed;
	size_t nremoved;
	bool is_repeated; /* a list of exactly list_max IDs becomes a range */
};

/** @return 0; -ENOMEM */
int dit_tree_merge_open(struct dit_tree_merge **ret,
                        const struct dit_tree_merge_opts *opts);
/** NULL is fine. */
void dit_tree_merge_free(struct dit_tree_merge *merge);

/**
 * Change the list of a key, which may be new. More than list_max IDs become a range
 * (storage.md 5.4). A range stays one: it does not say which IDs are in it. A key
 * without IDs is gone.
 *
 * @param key  above the one before
 *
 * @return 0; DIT_E_CORRUPT; what dit_table_writer_put(), @p dropped and reading return;
 *         -ENOMEM. After an error the merge is only to be freed.
 */
int dit_tree_merge_ids(struct dit_tree_merge *merge, struct dit_span key,
                       const struct dit_ids_change *change);
/** Give a key a value, whether the key is there or not. In a table without lists. */
int dit_tree_merge_put(struct dit_tree_merge *merge, struct dit_span key,
                       struct dit_span value);
/** The same with room for the value, to be filled before any other call, or as
 * dit_table_writer_hold() says. */
int dit_tree_merge_reserve(struct dit_tree_merge *merge, struct dit_span key, size_t len,
                           char **ret_space);
/** The writer of the new tree, to hold its pages. */
struct dit_table_writer *dit_tree_merge_writer(struct dit_tree_merge *merge);
/** The same with a value that is made piece by piece (table_writer.h). */
int dit_tree_merge_put_pieces(struct dit_tree_merge *merge, struct dit_span key,
                              size_t len, const struct dit_pieces *value);
/**
 * A record into the list of a key, or in place of the stored one that is equal to it by
 * the order of records. In a table of lists of records.
 *
 * @param record  above the one before it of the same key
 */
int dit_tree_merge_record(struct dit_tree_merge *merge, struct dit_span key,
                          struct dit_span record);
/** The stored record that is equal to this one goes; 0 also if there is none. A key
 * without records is gone. In the order of dit_tree_merge_record(). */
int dit_tree_merge_remove_record(struct dit_tree_merge *merge, struct dit_span key,
                                 struct dit_span record);
/** A key goes with all that is stored under it; 0 also if there is none. */
int dit_tree_merge_remove(struct dit_tree_merge *merge, struct dit_span key);

/** Write the rest of a part. Errors as above. */
int dit_tree_merge_end_part(struct dit_tree_merge *merge);
/**
 * A part, which has ended, comes next. Its pages are there for good: the part can be
 * freed.
 *
 * @return as above; -EINVAL: the stored tree is not empty
 */
int dit_tree_merge_take(struct dit_tree_merge *merge, const struct dit_tree_merge *part);

/**
 * Write the rest.
 *
 * @param ret        the new tree, with the flags of the stored one
 * @param ret_bytes  of all its pages, if no stored one stays; else unchanged. NULL: not
 *                   wanted
 */
int dit_tree_merge_finish(struct dit_tree_merge *merge, struct dit_tree_record *ret,
                          uint64_t *ret_bytes);

#endif
