/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text under construction, for URLs and filters in authorization rules: it grows in an
 * arena and remembers that it ran out of memory. For value_authz.c, value_aci.c and
 * filters.
 */
#ifndef DITKIT_AUTHZ_TEXT_H
#define DITKIT_AUTHZ_TEXT_H

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

/** Zero but for the arena is empty. */
struct dit_text {
	struct dit_arena *arena;
	char *at;
	size_t n;
	size_t max;
	bool failed;
};

static inline void dit_text_char(struct dit_text *text, char c)
{
	if (text->n == text->max) {
		size_t max = text->max == 0 ? 64 : 2 * text->max;
		char *at = dit_arena_bytes(text->arena, max);

		if (at == NULL) {
			text->failed = true;
			return;
		}
		if (text->n > 0) {
			memcpy(at, text->at, text->n);
		}
		text->at = at;
		text->max = max;
	}
	text->at[text->n++] = c;
}

static inline void dit_text_span(struct dit_text *text, struct dit_span span)
{
	for (size_t i = 0; i < span.len; i++) {
		dit_text_char(text, span.data[i]);
	}
}

#endif
