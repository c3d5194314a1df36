/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Approximate keys: what the words of a value sound like, in up to four letters
 * (values.md 6.9).
 *
 *     "Wright Phone"    RKT, FN
 *     "José"            JS
 *     "12 34"           none
 *
 * Threads: no state.
 */
#ifndef DITKIT_KEY_PHONETIC_H
#define DITKIT_KEY_PHONETIC_H

#include "base/span.h"

#define DIT_PHONETIC_MAX 4 /* letters of a key */

/**
 * The key of the next word that has one.
 *
 * @param text  UTF-8; what was read is taken off its front
 * @param key   DIT_PHONETIC_MAX bytes
 *
 * @return length of the key; 0: no more words
 */
size_t dit_key_phonetic(struct dit_span *text, char *key);

#endif
