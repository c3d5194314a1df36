/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks those pages of a file that a change will touch, before liblmdb touches them: it
 * believes what it reads. The checks are the walker's (walk.h).
 *
 *   dit_probe_open();  dit_probe_key() before each look-up or change;  dit_probe_close()
 *
 * At the beginning: the meta pages, the free list, the main tree. For a key: the pages
 * from the root to the leaf that has the key or would get it, the next leaf if all keys
 * of that one are lower, and what the leaf's nodes hold. A long list is a tree of its
 * own, and only the way to an item is looked at, so the number of its items is not
 * counted. Lists whose items have no known order (DIT_ORDER_UNKNOWN) are looked at as a
 * whole.
 *
 * Each page is checked once, and has one place: a page that two others refer to is
 * damage. 8 bytes for each page of the file remember the place. After that a probe costs
 * a search in checked pages, and less than that while keys ascend.
 *
 * The newest snapshot is checked, as it was when the file was opened. liblmdb
 * writes to none of its pages before it commits, so a probe stays right during one
 * transaction of the caller. No other process may write, or cut the file.
 *
 * Threads: one at a time.
 */
#ifndef DITKIT_WALK_PROBE_H
#define DITKIT_WALK_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "walk/walk.h"

struct dit_probe;

struct dit_probe_opts {
	int fd;                 /* of the data file, open for reading; borrowed */
	dit_key_order_fn order; /* as in a walk */
	void *order_ctx;
	dit_walk_found_fn found;
	void *found_ctx;
	const volatile sig_atomic_t *stop; /* as in a walk */
};

/**
 * @return 0; DIT_E_CORRUPT after findings; DIT_E_STOPPED; -errno of the file, -ENOMEM;
 *         DIT_E_FORMAT: a file of LMDB 1.0
 */
int dit_probe_open(struct dit_probe **ret, const struct dit_probe_opts *opts);

/** NULL is fine. */
void dit_probe_close(struct dit_probe *probe);

#define DIT_PROBE_NONE SIZE_MAX

/** The number of a database; DIT_PROBE_NONE: there was none of that name. */
size_t dit_probe_find(const struct dit_probe *probe, const char *name);

/** Records of all databases together, as their trees' records count them. */
uint64_t dit_probe_count(const struct dit_probe *probe);

/** Keys before all others and after all others. */
#define DIT_PROBE_FIRST ((struct dit_span){NULL, 0})
#define DIT_PROBE_LAST  ((struct dit_span){NULL, 1})

/**
 * A key will be looked up, added, changed or removed.
 *
 * @param database  DIT_PROBE_NONE: nothing to check
 * @param key       of the length that the database's keys have; or one of those above
 * @param item      of the list, likewise; where lists are looked at as a whole it does
 *                  not matter. liblmdb reads a list's first item when it finds the key:
 *                  the way to that is looked at in any case
 *
 * @return 0; DIT_E_CORRUPT after findings, for this and all later calls; DIT_E_STOPPED,
 *         likewise; -ENOMEM; other -errno
 */
int dit_probe_key(struct dit_probe *probe, size_t database, struct dit_span key,
                  struct dit_span item);

/**
 * All keys of a database, with their lists. Before a key is removed: liblmdb may join its
 * page with a neighbour, and that one with the next. Returns as dit_probe_key().
 */
int dit_probe_all(struct dit_probe *probe, size_t database);

#endif
