/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A digest of an entry as it was read:
 *
 *   value    XXH3 (128 bits) of its bytes as given, seeded with XXH3 (64 bits) of the
 *            canonical name of its attribute, "cn;lang-de"
 *   entry    XXH3 of 32 bytes: XXH3 of the normal DN, then the sum of the values, each as
 *            two words of 64 bits, the high one first, in the byte order of the machine
 *
 * The order of lines and values does not count.
 *
 * Threads: that of the entry.
 */
#ifndef DITKIT_ENTRY_DIGEST_H
#define DITKIT_ENTRY_DIGEST_H

#include "base/digest.h"
#include "entry/entry.h"

/** @param entry  of dit_entry_read(), before anything is added to it */
struct dit_sum128 dit_entry_digest(const struct dit_entry *entry);

#endif
