/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stored entries in full: the record of id2e decoded, its numbers turned into attribute
 * descriptions, the values in id2v joined in, the DN put together.
 *
 *   dit_entry_reader_new();
 *   dit_entry_reader_seek();  dit_entry_reader_next() ...;  or dit_entry_reader_show()
 *   dit_entry_reader_free()
 *
 * Threads: an entry reader belongs to one thread, like the snapshot's reader that it
 * uses.
 */
#ifndef DITKIT_ENTRY_READER_H
#define DITKIT_ENTRY_READER_H

#include "codec/entry_view.h"
#include "reader/ad_names.h"
#include "reader/snapshot.h"

struct dit_entry_reader;

struct dit_entry_reader_opts {
	struct dit_snapshot *snapshot;    /* outlives the entry reader */
	unsigned reader;                  /* of the snapshot: 0 .. nreaders - 1 */
	const struct dit_ad_names *names; /* likewise; with a choice of attributes */
	bool without_dn;                  /* the names stay empty */
};

/** @return 0; DIT_E_UNKNOWN: a database is missing; LMDB's codes; -ENOMEM */
int dit_entry_reader_new(struct dit_entry_reader **ret,
                         const struct dit_entry_reader_opts *opts);
/** NULL is fine. */
void dit_entry_reader_free(struct dit_entry_reader *reader);

/*
 * The content of @p ret is valid until the next call; records, names and values as long
 * as the snapshot. An entry that cannot be read is shown with its errors, and the result
 * is that of an entry that can.
 */

/** Later entries do not depend on those that were read before, though dn2i may be
 * damaged (dn_reader.h). */
void dit_entry_reader_restart(struct dit_entry_reader *reader);
/** The first entry or hole of this ID or above. 1; 0: none; LMDB's codes; -ENOMEM. */
int dit_entry_reader_seek(struct dit_entry_reader *reader, uint64_t least,
                          struct dit_entry_view *ret);
/** The one after the one that seek or next found last. Likewise. */
int dit_entry_reader_next(struct dit_entry_reader *reader, struct dit_entry_view *ret);
/**
 * An entry whose record the caller has, from this snapshot. Does not move the place of
 * dit_entry_reader_next().
 *
 * @return 0; LMDB's codes; -ENOMEM
 */
int dit_entry_reader_show(struct dit_entry_reader *reader, uint64_t id,
                          struct dit_span record, struct dit_entry_view *ret);

#endif
