/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which entries can match a filter at all, by the indexes of a database.
 *
 *   (cn=a)                the IDs under the rarest key that the value "a" has
 *   (cn=*)                the IDs under the key of presence
 *   (cn=ab*cdefg*h)       the IDs under the rarest key that each value with these pieces
 *                         has: of the four bytes "cdef", "defg"
 *   (&(cn=a)(sn=*b*))     those of the child with the fewest
 *   (|(cn=a)(sn=b))       those of all children
 *   all else              no answer: every entry can
 *
 * The keys are made by the functions that make the keys of entries, so that an entry that
 * matches has all of them. An index that is missing in the database, or whose keys the
 * configuration would not make, gives no answer, and neither does a key with a range
 * instead of a list. Items of order (cn>=a) and of sound (cn~=a) are not looked up: an
 * index of numbers has texts that are none under other keys than the order has them.
 *
 * Threads: one thread, as reader 0 of the snapshot.
 */
#ifndef DITKIT_FILTER_INDEX_H
#define DITKIT_FILTER_INDEX_H

#include "config/settings.h"
#include "reader/ad_names.h"
#include "reader/snapshot.h"
#include "values/filter.h"

struct dit_candidates_opts {
	const struct dit_settings *settings;
	const struct dit_database *db;
	struct dit_snapshot *snapshot;
	const struct dit_ad_names *names; /* of the snapshot */
	size_t max;                       /* more IDs than this are no answer */
};

/** Zero is no answer. */
struct dit_candidates {
	/* Ascending, each once. ID 0, which is in no index, is one of them. */
	uint64_t *ids;
	size_t n; /* at least 1, if there is an answer */
	size_t size;
};

/** @return 0: look at @p ret; LMDB's codes; -ENOMEM */
int dit_candidates_find(struct dit_candidates *ret, const struct dit_filter *filter,
                        const struct dit_candidates_opts *opts);
void dit_candidates_deinit(struct dit_candidates *candidates);

#endif
