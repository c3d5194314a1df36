/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list of names in an arena, the latest first. NULL is the empty list.
 *
 * Threads: as the arena.
 */
#ifndef DITKIT_WORDS_H
#define DITKIT_WORDS_H

#include <errno.h>

#include "base/arena.h"

struct dit_word {
	const struct dit_word *next;
	struct dit_span text; /* NUL-terminated */
};

/** Put a copy of a name in front. @return 0 or -ENOMEM */
static inline int dit_words_add(const struct dit_word **words, struct dit_span text,
                                struct dit_arena *arena)
{
	struct dit_word *word = dit_arena_alloc(arena, sizeof(*word));
	struct dit_span copy = dit_arena_copy(arena, text);

	if (word == NULL || copy.data == NULL) {
		return -ENOMEM;
	}
	*word = (struct dit_word){*words, copy};
	*words = word;
	return 0;
}

/** @param is_equal  dit_span_eq() or dit_span_eq_nocase() */
static inline bool dit_words_have(const struct dit_word *words, struct dit_span text,
                                  bool (*is_equal)(struct dit_span a, struct dit_span b))
{
	while (words != NULL && !is_equal(words->text, text)) {
		words = words->next;
	}
	return words != NULL;
}

#endif
