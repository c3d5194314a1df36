/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where lock.mdb has the number of the last transaction. LMDB's processes look there to
 * find the newest meta page; who commits without liblmdb has to write it.
 *
 * liblmdb offers no call for that, and the place depends on how liblmdb was built. So it
 * is found out: an environment in memory is made, transactions are committed, and the one
 * word that goes along with their numbers is the place. A lock file is touched only if
 * its first words are those of the private one, which name the layout, and if that word
 * has the number of its own last transaction.
 *
 * Threads: belongs to one thread at a time.
 */
#ifndef DITKIT_LOCK_FIELD_H
#define DITKIT_LOCK_FIELD_H

#include <stddef.h>
#include <stdint.h>

struct dit_fault; /* fault.h */

struct dit_lock_field {
	_Atomic uint64_t *place; /* NULL: not mapped */
	void *map;
	size_t map_bytes;
};

/**
 * Find the place, and map it.
 *
 * @param lock_fd      of lock.mdb, open for reading and writing
 * @param transaction  the last one's number; no process may commit
 *
 * @return 0; DIT_E_UNSUPPORTED, with a fault: the place is not known; LMDB's codes,
 *         -errno
 */
int dit_lock_field_open(struct dit_lock_field *ret, int lock_fd, uint64_t transaction,
                        struct dit_fault *fault);
void dit_lock_field_close(struct dit_lock_field *field);

/** With LMDB's write lock held: all that begin now see this transaction. */
void dit_lock_field_set(const struct dit_lock_field *field, uint64_t transaction);
uint64_t dit_lock_field_get(const struct dit_lock_field *field);

#endif
