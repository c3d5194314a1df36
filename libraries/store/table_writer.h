/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pages of one index database: keys with posting lists, each ID 8 bytes, written in
 * key order without liblmdb.
 *
 * liblmdb appends about 20 million IDs a second, on one thread, because it treats each as
 * an insertion of its own. Here a list is copied: into a node (one ID), into a page
 * inside a node (up to some 250), or into packed pages of its own. The pages are what
 * liblmdb would make of MDB_APPEND, only without spare room in the lists.
 *
 * Threads: a writer belongs to one thread; several may write to one file.
 */
#ifndef DITKIT_TABLE_WRITER_H
#define DITKIT_TABLE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "store/lmdb_format.h"
#include "store/page_sink.h"

struct dit_table_writer;

/** 0 or -ENOMEM. @p space outlives the writer. */
int dit_table_writer_new(struct dit_table_writer **ret, struct dit_page_space *space,
                         bool is_integerkey);
void dit_table_writer_free(struct dit_table_writer *writer);

/**
 * Append a key with its whole list.
 *
 * @param key  1 to 511 bytes, above the one before: by bytes, or, with integer keys, all
 *             4 or all 8 bytes, by value
 * @param ids  ascending; none: nothing is stored
 *
 * @return 0; MDB_BAD_VALSIZE, MDB_KEYEXIST (order), -EINVAL (integer keys of other
 *         sizes); -ENOMEM; errors of writing. After an error the writer is only to be
 *         freed.
 */
int dit_table_writer_put(struct dit_table_writer *writer, struct dit_span key,
                         const uint64_t *ids, size_t nids);

/** Write the rest; @p ret gets everything but flags and item_bytes. Errors as above. */
int dit_table_writer_finish(struct dit_table_writer *writer, struct dit_tree_record *ret);

#endif
