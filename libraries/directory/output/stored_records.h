/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look-ups in a database that gets more records: one by one, in the state that it was
 * opened with. Each page is checked when it is read.
 *
 * Spans point into the file, until the end; of a sealed file they are valid until the
 * next look-up in the same database.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_STORED_RECORDS_H
#define DITKIT_STORED_RECORDS_H

#include "codec/name_codec.h"
#include "page/page_map.h"
#include "reader/stored_order.h"

struct dit_stored_records;

/**
 * @param fd     of data.mdb; borrowed
 * @param trees  of the fixed databases
 *
 * @return 0; -ENOMEM; DIT_E_CORRUPT; what dit_page_map_open() returns
 */
int dit_stored_records_open(struct dit_stored_records **ret, int fd,
                            const struct dit_page_format *format,
                            const struct dit_tree_record trees[DIT_NFIXED]);
/** NULL is fine. */
void dit_stored_records_close(struct dit_stored_records *records);

/*
 * 1; 0: there is none; DIT_E_CORRUPT
 */

int dit_stored_ad(struct dit_stored_records *records, uint32_t number,
                  struct dit_span *ret);
/** An empty record is a hole. */
int dit_stored_entry(struct dit_stored_records *records, uint64_t id,
                     struct dit_span *ret);
int dit_stored_last_id(struct dit_stored_records *records, uint64_t *ret);
/** A record of this attribute of the entry. */
int dit_stored_split(struct dit_stored_records *records, struct dit_span key);
/** The node's own record: it has the parent's ID. */
int dit_stored_name(struct dit_stored_records *records, uint64_t id,
                    struct dit_name *ret);
/** The child of a node, or of the root (0), with this normal RDN. */
int dit_stored_child(struct dit_stored_records *records, uint64_t parent,
                     struct dit_span norm, struct dit_name *ret);
/** The length of the first key of another tree. */
int dit_stored_key_len(struct dit_stored_records *records,
                       const struct dit_tree_record *tree, size_t *ret);

#endif
