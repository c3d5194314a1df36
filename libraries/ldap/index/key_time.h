/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index keys of times: generalizedTimeMatch and CSNMatch (values.md 6.7).
 *
 * Threads: no state.
 */
#ifndef DITKIT_KEY_TIME_H
#define DITKIT_KEY_TIME_H

#include <stdbool.h>

#include "base/span.h"

#define DIT_TIME_KEY_BYTES 5

/**
 * Make the key of one normal value, "YYYYmmddHHMMSS" and whatever follows.
 *
 * @param key  gets DIT_TIME_KEY_BYTES
 *
 * @return false: no such time, which has no key
 */
bool dit_key_time(struct dit_span value, unsigned char *key);

#endif
