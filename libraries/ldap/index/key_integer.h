/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index keys of integerMatch: numbers of any length in a fixed number of bytes, in
 * numeric order (values.md 6.6).
 *
 * Threads: no state.
 */
#ifndef DITKIT_KEY_INTEGER_H
#define DITKIT_KEY_INTEGER_H

#include <stdbool.h>

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

/**
 * Does slapd survive making the key of this text? Not if it is empty, nor if one of its
 * groups of eight characters reads as a negative number ("--1"), nor if it is long and
 * has so many zeros in front that digits are cut off which would have fitted.
 */
bool dit_key_integer_is_sound(struct dit_span value, unsigned intlen);

#endif
