/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pages of one database, in key order and without liblmdb: one with a value under
 * each key (id2e, ad2i), or with several items: an index database (IDs of 8 bytes), or
 * dn2i (records).
 *
 * liblmdb appends about 20 million IDs a second, on one thread, because it treats each as
 * an insertion of its own. Here a list is copied: into a node (one item), into a page
 * inside a node (half a page at most), or into a tree of its own. The pages are what
 * liblmdb would make of MDB_APPEND, only without spare room in the lists.
 *
 * Threads: a writer belongs to one thread; several may write to one file. Values that are
 * held may be filled by others.
 */
#ifndef DITKIT_TABLE_WRITER_H
#define DITKIT_TABLE_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "page/key_order.h"
#include "page/page_view.h"
#include "tree/page_sink.h"

struct dit_table_writer;

/**
 * @param space  borrowed; lives longer than the writer
 * @param flags  MDB_INTEGERKEY or not, and what the table holds:
 *               MDB_DUPSORT | MDB_DUPFIXED   lists of IDs, put
 *               MDB_DUPSORT                  records, added
 *               neither                      values, reserved
 *
 * @return 0 or -ENOMEM
 */
int dit_table_writer_new(struct dit_table_writer **ret, struct dit_page_space *space,
                         unsigned flags);
void dit_table_writer_free(struct dit_table_writer *writer);

/**
 * Append a key with room for its value.
 *
 * @param len        4 GiB - 1 at most
 * @param ret_space  to be filled before any other call, or as dit_table_writer_hold()
 *                   says
 *
 * @return as below
 */
int dit_table_writer_reserve(struct dit_table_writer *writer, struct dit_span key,
                             size_t len, char **ret_space);

/**
 * From now on room for a value of so many bytes or fewer, whose key has @p key_len bytes,
 * lasts: it may be filled until it is released, by any thread. That of a longer one lasts
 * until the next release.
 */
size_t dit_table_writer_hold(struct dit_table_writer *writer, size_t key_len);
/** A mark after the values that were reserved so far, but for those in the last pages. */
size_t dit_table_writer_mark(const struct dit_table_writer *writer);
/** Write what was reserved before the mark, and is filled. 0; errors of writing */
int dit_table_writer_release(struct dit_table_writer *writer, size_t mark);

/**
 * Append a key with a value that is made piece by piece. A huge one is written as it
 * grows and needs no memory of its size.
 *
 * @param value  makes @p len bytes, before the call returns
 */
int dit_table_writer_put_pieces(struct dit_table_writer *writer, struct dit_span key,
                                size_t len, const struct dit_pieces *value);

/**
 * Append a key with its whole list.
 *
 * @param key  1 byte to dit_key_max(), above the one before: by bytes, or, with integer
 *             keys, all 4 or all 8 bytes, by value
 * @param ids  ascending; none: nothing is stored
 *
 * @return 0; MDB_BAD_VALSIZE, MDB_KEYEXIST (order); -ENOMEM; errors of writing. After an
 *         error the writer is only to be freed.
 */
int dit_table_writer_put(struct dit_table_writer *writer, struct dit_span key,
                         const uint64_t *ids, size_t nids);

/**
 * Append a node as it lies in another leaf of the file. Pages that it refers to stay
 * where they are, and belong to this table from now on.
 *
 * @param key   as above
 * @param node  key, flags, value and value_len are looked at
 *
 * @return as above; DIT_E_CORRUPT: the value is not what the flags say
 */
int dit_table_writer_copy(struct dit_table_writer *writer,
                          const struct dit_node_view *node);

/*
 * A long list, piece by piece. A merge may keep pages of it that lie in the file already
 * (tree_path.h).
 *
 *   dit_table_writer_put_ids() ...;  dit_table_writer_end_ids()
 *   dit_table_writer_begin_records();  dit_table_writer_add_record() ...;
 *   dit_table_writer_end_records()
 */

/** @param ids  ascending, above those before */
int dit_table_writer_put_ids(struct dit_table_writer *writer, const uint64_t *ids,
                             size_t nids);
/** The list's key, as of dit_table_writer_put(). @param nids  in all; 0: no list */
int dit_table_writer_end_ids(struct dit_table_writer *writer, struct dit_span key,
                             uint64_t nids);

/** The list of records of a key, as of dit_table_writer_put(). */
int dit_table_writer_begin_records(struct dit_table_writer *writer, struct dit_span key);
/** @param record  above the one before it; 1 byte to dit_key_max(), else
 * MDB_BAD_VALSIZE */
int dit_table_writer_add_record(struct dit_table_writer *writer, struct dit_span record);
/** The end of the list. @param nrecords  in all, if pages were kept; 0: as many as were
 * added, one at least */
int dit_table_writer_end_records(struct dit_table_writer *writer, uint64_t nrecords);

/** Write the rest; values that are held are released apart. @p ret gets everything but
 * flags and item_bytes. Errors as above. */
int dit_table_writer_finish(struct dit_table_writer *writer, struct dit_tree_record *ret);

#endif
