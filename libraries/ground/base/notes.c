/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes: a list of formatted lines in an arena. */
#include "base/notes.h"

#include <stdio.h>
#include <stdlib.h>

void dit_tell(dit_report_fn report, void *ctx, enum dit_report_kind kind,
              const char *format, va_list args)
{
	char text[DIT_TELL_BYTES];
	struct dit_report told = {.kind = kind, .text = text};
	char *whole = NULL;
	va_list again;
	int len = 0;

	if (report == NULL) {
		return;
	}
	va_copy(again, args);
	len = vsnprintf(text, sizeof(text), format, args);
	if (len >= (int)sizeof(text)) {
		whole = malloc((size_t)len + 1);
	}
	if (whole != NULL) {
		(void)vsnprintf(whole, (size_t)len + 1, format, again);
		told.text = whole;
	}
	va_end(again);
	report(ctx, &told);
	free(whole);
}

static struct dit_note *note_new(struct dit_arena *arena, const char *format,
                                 va_list args)
{
	struct dit_note *note = NULL;
	char *text = NULL;
	va_list again;
	int len = 0;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len < 0) {
		return NULL;
	}
	note = dit_arena_alloc(arena, sizeof(*note));
	text = dit_arena_bytes(arena, (size_t)len + 1);
	if (note == NULL || text == NULL) {
		return NULL;
	}
	(void)vsnprintf(text, (size_t)len + 1, format, args);
	*note = (struct dit_note){.text = text};
	return note;
}

void dit_notes_add(struct dit_notes *notes, enum dit_report_kind kind, const char *format,
                   ...)
{
	struct dit_note *note = NULL;
	va_list args;

	va_start(args, format);
	note = note_new(notes->arena, format, args);
	va_end(args);
	if (note == NULL) {
		return;
	}
	note->kind = kind;
	if (notes->last == NULL) {
		notes->first = note;
	} else {
		notes->last->next = note;
	}
	notes->last = note;
}

void dit_notes_cut(struct dit_notes *notes, const struct dit_note *last)
{
	struct dit_note *note = notes->first;

	if (last == NULL) {
		notes->first = NULL;
		notes->last = NULL;
		return;
	}
	while (note != last) {
		note = note->next;
	}
	note->next = NULL;
	notes->last = note;
}

void dit_notes_tell(struct dit_notes *notes, dit_report_fn report, void *ctx)
{
	for (const struct dit_note *n = notes->first; n != NULL; n = n->next) {
		struct dit_report r = {.kind = n->kind, .text = n->text};

		if (report != NULL) {
			report(ctx, &r);
		}
	}
	notes->first = NULL;
	notes->last = NULL;
}
