/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flags that a named database was created with. LMDB keeps them in the file, and they
 * decide the order of the records. Some versions of mdb_load lose them: the copy has the
 * same records in another order, and a search in it goes astray.
 *
 * Threads: any.
 */
#ifndef DITKIT_STORED_FLAGS_H
#define DITKIT_STORED_FLAGS_H

#include "page/lmdb_format.h"

struct dit_fault; /* fault.h */

/** Flags of an index database whose keys are compared byte by byte (storage.md 1.4). */
#define DIT_INDEX_FLAGS (DIT_DB_DUPSORT | DIT_DB_DUPFIXED | DIT_DB_INTEGERDUP)

/**
 * Compare the flags of ad2i, dn2i, id2e or id2v with those that slapd gives the database.
 *
 * @param fault  may be NULL; names the database, both sets of flags and the remedy, with
 *               DIT_E_CORRUPT
 *
 * @return 0; DIT_E_CORRUPT: they differ
 */
int dit_stored_flags_check(unsigned flags, const char *name, unsigned wanted,
                           struct dit_fault *fault);

/** The same for an index database; integer keys are its own choice. */
int dit_stored_flags_check_index(unsigned flags, const char *name,
                                 struct dit_fault *fault);

#endif
