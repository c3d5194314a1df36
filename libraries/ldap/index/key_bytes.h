/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys that are no hashes: of integers, of times, and of the sound of words.
 *
 * Threads: no state.
 */
#ifndef DITKIT_KEY_BYTES_H
#define DITKIT_KEY_BYTES_H

#include <stdbool.h>

#include "base/span.h"

/*
 * integerMatch: numbers of any length in a fixed number of bytes, in numeric order
 * (values.md 6.6).
 */

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

/* generalizedTimeMatch and CSNMatch (values.md 6.7) */

#define DIT_TIME_KEY_BYTES 5

/**
 * Make the key of one normal value, "YYYYmmddHHMMSS" and whatever follows.
 *
 * @param key  gets DIT_TIME_KEY_BYTES
 *
 * @return false: no such time, which has no key
 */
bool dit_key_time(struct dit_span value, unsigned char *key);

/*
 * Approximate keys: what the words of a value sound like, in up to four letters
 * (values.md 6.9).
 *
 *     "Wright Phone"    RKT, FN
 *     "José"            JS
 *     "12 34"           none
 */

#define DIT_PHONETIC_MAX 4 /* letters of a key */

struct dit_sound {
	char key[DIT_PHONETIC_MAX];
	size_t len;    /* of the key; 0: the word has none */
	bool is_empty; /* there is no word: another space, or all of it was dropped */
};

/**
 * The sound of the next word. Text without words has one that is empty.
 *
 * @param text  UTF-8; what was read is taken off its front
 *
 * @return Is there another one?
 */
bool dit_sound_next(struct dit_span *text, struct dit_sound *ret);

#endif
