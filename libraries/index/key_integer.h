/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index keys of integerMatch: numbers of any length in a fixed number of bytes, in
 * numeric order (values.md 6.6).
 *
 * Threads: no state.
 */
#ifndef DITKIT_KEY_INTEGER_H
#define DITKIT_KEY_INTEGER_H

#include "base/span.h"

#define DIT_INTLEN_MIN 4
#define DIT_INTLEN_MAX 255

/**
 * Make the key of one value.
 *
 * @param value   as stored; what is no number counts as far as it looks like one
 * @param intlen  DIT_INTLEN_MIN .. DIT_INTLEN_MAX
 * @param key     gets @p intlen bytes
 */
void dit_key_integer(struct dit_span value, unsigned intlen, unsigned char *key);

#endif
