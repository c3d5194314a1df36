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

#include <stdbool.h>

#include "base/span.h"

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
