/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cursor in one tree of a file: records in order, sought by key, without liblmdb.
 *
 *   dit_tree_cursor_open()
 *   dit_tree_cursor_next() or _next_key() ...        from the first record on, or
 *   dit_tree_cursor_seek(), _next() ...
 *   dit_tree_cursor_close()
 *
 * A key that has a list is one record for each item of the list. Returned spans point
 * into the map, at any address. Those of a sealed file (page_seal.h) point into
 * pages that the cursor has opened, one for each level of its tree and a long value; they
 * are valid until the cursor moves. A key or a record that is sought must not be among
 * them.
 *
 * The file may be damaged: each bound is checked before it is used, no more pages are
 * read in a row than the file has, and no tree is deeper than LMDB's cursors go. An error
 * leaves the cursor nowhere: first() or seek() may follow.
 *
 * Functions that move return 1; 0: there is no such record; DIT_E_CORRUPT; of a sealed
 * file also -ENOMEM and -errno.
 *
 * Threads: a cursor belongs to one thread.
 */
#ifndef DITKIT_TREE_CURSOR_H
#define DITKIT_TREE_CURSOR_H

#include "page/key_order.h"
#include "page/page_source.h"

struct dit_tree_cursor;

/**
 * @param source  borrowed; outlives what the cursor returns
 * @param tree  copied
 * @param keys  the order of its keys; copied
 *
 * @return 0; DIT_E_CORRUPT: no tree has such a depth; -ENOMEM
 */
int dit_tree_cursor_open(struct dit_tree_cursor **ret,
                         const struct dit_page_source *source,
                         const struct dit_tree_record *tree,
                         const struct dit_key_order *keys);
/** NULL is fine. */
void dit_tree_cursor_close(struct dit_tree_cursor *cursor);

/** Are returned spans valid as long as the map is open? Else until the cursor moves. */
bool dit_tree_cursor_is_mapped(const struct dit_tree_cursor *cursor);

int dit_tree_cursor_first(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                          struct dit_span *ret_value);
/** The next record; the first one if the cursor has not moved yet; 0 if it stands
 * nowhere. */
int dit_tree_cursor_next(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                         struct dit_span *ret_value);
/** The first record of the next key. */
int dit_tree_cursor_next_key(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                             struct dit_span *ret_value);
/** The first record whose key is @p wanted or above it. */
int dit_tree_cursor_seek(struct dit_tree_cursor *cursor, struct dit_span wanted,
                         struct dit_span *ret_key, struct dit_span *ret_value);

/** The first record whose key is @p wanted. 0: there is none, and the cursor stands where
 * the record would be. */
int dit_tree_cursor_find(struct dit_tree_cursor *cursor, struct dit_span wanted,
                         struct dit_span *ret_key, struct dit_span *ret_value);

/** The first record of the last key. */
int dit_tree_cursor_last(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                         struct dit_span *ret_value);
/**
 * In the list of the key where the cursor stands: the first record that is @p wanted or
 * above it. Lists of items of one size are not sought in: DIT_E_CORRUPT.
 *
 * @param order  of the records
 */
int dit_tree_cursor_seek_item(struct dit_tree_cursor *cursor,
                              const struct dit_key_order *order, struct dit_span wanted,
                              struct dit_span *ret);

/**
 * The next leaf of a tree that has branches, from the branches alone: a scan by several
 * threads is cut into pieces before anybody reads a leaf. The cursor stands on no record.
 *
 * @param ret_lowest  no key of the leaf is below it; of the first leaf empty
 */
int dit_tree_cursor_next_leaf(struct dit_tree_cursor *cursor,
                              struct dit_span *ret_lowest);

/**
 * The next key, and the first page of its list of items of one size, as they lie in the
 * file. A value without a list is a page of its own.
 */
int dit_tree_cursor_next_list(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                              struct dit_span *ret_items);
/** The same of the key @p wanted; 0: there is no such key. */
int dit_tree_cursor_find_list(struct dit_tree_cursor *cursor, struct dit_span wanted,
                              struct dit_span *ret_key, struct dit_span *ret_items);
/** The next page of that list; 0: there are no more. */
int dit_tree_cursor_more_items(struct dit_tree_cursor *cursor, struct dit_span *ret);

#endif
