/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a record is refused, filled into the texts of refusals.tsv. */
#include "entry/why.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

static struct dit_span until_nul(struct dit_span text)
{
	return text.data == NULL
	               ? DIT_SPAN("")
	               : (struct dit_span){text.data, strnlen(text.data, text.len)};
}

/* Copy @p text with the parts of its letters; if @p to is NULL, count. @return bytes */
static size_t fill_in(const char *text, const struct dit_span parts[4], char *to)
{
	static const char letters[] = "avdn";
	size_t len = 0;

	while (*text != '\0') {
		const char *letter = text[0] == '{' && text[1] != '\0' && text[2] == '}'
		                             ? strchr(letters, text[1])
		                             : NULL;
		struct dit_span part = letter != NULL ? parts[letter - letters]
		                                      : (struct dit_span){text, 1};

		if (to != NULL) {
			memcpy(to + len, part.data, part.len);
		}
		len += part.len;
		text += letter != NULL ? 3 : 1;
	}
	return len;
}

char *dit_why_fill(const struct dit_why *why, const char *text, struct dit_arena *arena)
{
	char number[sizeof("4294967295")];
	bool is_named = why->name.data != NULL || why->ad == NULL;
	const struct dit_span parts[] = {
		until_nul(is_named ? why->name : why->ad->name),
		until_nul(why->value),
		until_nul(why->detail),
		{number, (size_t)snprintf(number, sizeof(number), "%u", why->number)},
	};
	size_t len = fill_in(text, parts, NULL);
	char *ret = dit_arena_bytes(arena, len + 1);

	if (ret != NULL) {
		(void)fill_in(text, parts, ret);
		ret[len] = '\0';
	}
	return ret;
}

void dit_why_set(struct dit_notes *notes, struct dit_why why)
{
	struct dit_why *copy = dit_arena_alloc(notes->arena, sizeof(*copy));

	if (copy != NULL) {
		*copy = why;
		notes->why = copy;
	}
}

int dit_why_tell(struct dit_notes *notes, struct dit_why why)
{
	const struct dit_refusal *refusal = &dit_refusals[why.kind];
	const char *line = refusal->line == NULL
	                           ? NULL
	                           : dit_why_fill(&why, refusal->line, notes->arena);

	dit_why_set(notes, why);
	if (line != NULL) {
		dit_notes_add(notes, refusal->report, "%s", line);
	}
	return DIT_E_INVALID;
}
