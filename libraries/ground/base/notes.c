/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes: a list of formatted lines in an arena. */
#include "base/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of a text that is cut; slapd's log has 4095 bytes of it. */
#define HEAD_BYTES 4096

/* A byte of a UTF-8 character that is not its first one. */
static bool is_inside(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* "BEGINNING ... [6000000 bytes] ... END", in place; characters stay whole. */
static void cut_middle(enum dit_report_kind kind, char *text, size_t len)
{
	char mark[48];
	size_t head = HEAD_BYTES;
	size_t tail = DIT_TELL_BYTES - HEAD_BYTES - sizeof(mark);
	int n = 0;

	if (len < DIT_TELL_BYTES || kind == DIT_REPORT_ADDED ||
	    kind == DIT_REPORT_MISSING) {
		return;
	}
	while (head > 0 && is_inside(text[head])) {
		head--;
	}
	while (is_inside(text[len - tail])) {
		tail--;
	}
	n = snprintf(mark, sizeof(mark), " ... [%zu bytes] ... ", len - head - tail);
	memcpy(text + head, mark, (size_t)n);
	memmove(text + head + n, text + len - tail, tail + 1);
}

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
		cut_middle(kind, whole, (size_t)len);
		told.text = whole;
	}
	va_end(again);
	report(ctx, &told);
	free(whole);
}

void dit_notes_add(struct dit_notes *notes, enum dit_report_kind kind, const char *format,
                   ...)
{
	struct dit_note *note = dit_arena_alloc(notes->arena, sizeof(*note));
	struct dit_note **end = notes->last == NULL ? &notes->first : &notes->last->next;
	struct dit_span kept = {NULL, 0};
	char *text = NULL;
	va_list args;
	int len = 0;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0) {
		return;
	}
	cut_middle(kind, text, (size_t)len);
	kept = dit_arena_copy(notes->arena, dit_span_of(text));
	free(text);
	if (note != NULL && kept.data != NULL) {
		*note = (struct dit_note){.kind = kind, .text = kept.data};
		*end = note;
		notes->last = note;
	}
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
