/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DNs of stored entries, put together from the RDNs in dn2i (storage.md 3).
 *
 * An entry's own record names its parent, so a DN is read from the entry upwards. The DN
 * of the latest parents is remembered: entries that stand side by side often have one
 * parent. A second cursor goes with the entries, so that in ascending order of IDs no key
 * is sought but those of parents that are not remembered.
 *
 * Threads: a reader of DNs belongs to one thread, like the snapshot's reader that it
 * uses.
 */
#ifndef DITKIT_DN_READER_H
#define DITKIT_DN_READER_H

#include <stdint.h>

#include "base/span.h"
#include "reader/snapshot.h"

struct dit_dn_reader;

/** Both forms of one DN. */
struct dit_dn_text {
	struct dit_span pretty;
	struct dit_span norm;
	uint64_t parent; /* its ID; 0: the entry is topmost */
};

/**
 * @param snapshot  outlives the reader of DNs
 * @param reader    of the snapshot: 0 .. nreaders - 1
 *
 * @return 0; DIT_E_UNKNOWN: there is no dn2i; LMDB's codes; -ENOMEM
 */
int dit_dn_reader_new(struct dit_dn_reader **ret, struct dit_snapshot *snapshot,
                      unsigned reader);
/** NULL is fine. */
void dit_dn_reader_free(struct dit_dn_reader *reader);

/**
 * @param id   of a node: an entry or a hole; not 0
 * @param ret  valid until the next call
 *
 * @return 0; DIT_E_UNKNOWN: no node has this ID; DIT_E_CORRUPT: a record is none of
 *         dn2i's, an ancestor is missing, or the parents form a circle; DIT_E_TOOLONG:
 *         both forms of the DN together have more than 128 KiB, or would have on
 *         the way around a circle; LMDB's codes; -ENOMEM
 */
int dit_dn_reader_get(struct dit_dn_reader *reader, uint64_t id, struct dit_dn_text *ret);

/**
 * The next node is sought from the root. In a damaged dn2i a node may be found from its
 * neighbour alone: what is found from here on does not depend on what was read before.
 */
void dit_dn_reader_restart(struct dit_dn_reader *reader);

#endif
