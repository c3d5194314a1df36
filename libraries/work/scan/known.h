/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of a database, as another state of the directory may have them: which entry
 * of LDIF has the content of a stored one?
 *
 *   dit_known_new();  dit_known_push() of each entry, by any thread;
 *   dit_known_find() of each entry of the other state, by any thread;
 *   dit_known_note();  dit_known_twin();  dit_known_free()
 *
 * They have one content if their sums are equal: dit_sum128_of() of the RDN as written
 * and of the normal DN, and dit_ad_sum_value() of all values that are content
 * (dit_ad_is_content()). The seed is random, so nobody can choose values of one sum. Two
 * entryUUIDs have to be one.
 *
 * Threads: each function says.
 */
#ifndef DITKIT_KNOWN_H
#define DITKIT_KNOWN_H

#include <stdint.h>

#include "base/digest.h"
#include "entry/entry.h"

struct dit_known;

/** @param nentries  that are pushed, at most. @param rule  copied. 0 or -ENOMEM */
int dit_known_new(struct dit_known **ret, uint64_t nentries,
                  const struct dit_entry_sum_rule *rule);
/** NULL is fine. */
void dit_known_free(struct dit_known *known);
/** The memory of so many entries; twins come later. */
uint64_t dit_known_bytes(uint64_t nentries);

/** One more entry. If there are more than was said, some are not known. Any thread.
 * @param id  not 0. @param uuid  dit_sum128_seed() of the normal entryUUID; 0: none */
void dit_known_push(struct dit_known *known, uint64_t id, const struct dit_sum128 *sum,
                    uint64_t uuid);

/** Any thread, as the next one, when all entries are pushed. */
const struct dit_entry_sum_rule *dit_known_rule(const struct dit_known *known);
/** The ID of the entry that has this sum, and this entryUUID if one is given; 0: none
 * has. */
uint64_t dit_known_find(const struct dit_known *known, const struct dit_sum128 *sum,
                        uint64_t uuid);

/** The other state has that entry under an ID of its own. One thread. 0 or -ENOMEM */
int dit_known_note(struct dit_known *known, uint64_t own_id, uint64_t id);
/** The ID that dit_known_note() got; 0: none. Any thread, while none notes. */
uint64_t dit_known_twin(const struct dit_known *known, uint64_t own_id);

/** Gives the known entries to a load, when it has become the user that may read them.
 * @param ret  borrowed; NULL: nothing is known. 0; an error that was reported */
struct dit_known_source {
	int (*get)(void *ctx, struct dit_known **ret);
	void *ctx;
};

#endif
