/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The orders of back-mdb's databases (storage.md 1.2, 1.3), for whoever reads them
 * without liblmdb: what keys and items are compared by, and how long they are.
 *
 * LMDB keeps the flags that a named database was created with in the file, and they
 * decide the order of the records. Some versions of mdb_load lose them: the copy has the
 * same records in another order, and a search in it goes astray.
 *
 * Threads: no state.
 */
#ifndef DITKIT_STORED_ORDER_H
#define DITKIT_STORED_ORDER_H

#include "page/lmdb_format.h"
#include "walk/walk.h"

struct dit_fault; /* fault.h */

/** Flags of an index database whose keys are compared byte by byte (storage.md 1.4). */
#define DIT_INDEX_FLAGS (DIT_DB_DUPSORT | DIT_DB_DUPFIXED | DIT_DB_INTEGERDUP)

/**
 * Fit the orders to the database's name. Records of id2v are in an order that depends on
 * their attribute; that one is not known here.
 *
 * @param ctx  not used
 */
void dit_stored_order(void *ctx, struct dit_span name, unsigned flags,
                      struct dit_key_orders *orders);

/** Back-mdb's own databases: those that slapd always makes, and one of some releases. */
enum dit_fixed_db {
	DIT_FIXED_ADS,
	DIT_FIXED_NAMES,
	DIT_FIXED_ENTRIES,
	DIT_FIXED_SPLITS,
	DIT_NFIXED,
	DIT_FIXED_CHECKS = DIT_NFIXED, /* ixck (storage.md 1.2) */
};

struct dit_fixed_db_facts {
	const char *name;
	unsigned flags;
	unsigned key_bytes;
};

extern const struct dit_fixed_db_facts dit_fixed_dbs[DIT_NFIXED + 1];

/** The orders of a database: those that its flags mean, fitted to its name. */
void dit_stored_orders(const char *name, unsigned flags, struct dit_key_orders *ret);

/** The one of back-mdb's own databases that has the name; NULL: it is an index. */
const struct dit_fixed_db_facts *dit_stored_find(struct dit_span name);

/**
 * Are these the flags that back-mdb gives such a database? Index databases may have
 * integer keys or not. Other bits that LMDB stores with the flags do not count.
 *
 * @param fixed  NULL: an index
 */
bool dit_stored_flags_are_right(const struct dit_fixed_db_facts *fixed, unsigned flags);

/**
 * The same of a database that is to be one of back-mdb's own, or an index, in words.
 *
 * @param fixed  NULL: an index
 * @param fault  may be NULL; names the database, both sets of flags and the remedy, with
 *               DIT_E_CORRUPT
 *
 * @return 0; DIT_E_CORRUPT
 */
int dit_stored_flags_check(const char *name, const struct dit_fixed_db_facts *fixed,
                           unsigned flags, struct dit_fault *fault);

#endif
