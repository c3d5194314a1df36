/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports (report.h) that are made from a format: told at once, or written down by a tool
 * thread as notes, to be told later in input order.
 *
 * A tool thread that parses record 17 cannot report: record 12 may still be on another
 * thread. It adds notes; the coordinator tells them when the turn of record 17 comes.
 *
 * A text echoes what was given: a filter, a line, a name. The middle of a long text is
 * left out, so that a person sees its beginning and the reason, which stands at its end.
 * Lists of entries (DIT_REPORT_ADDED, DIT_REPORT_MISSING) are whole.
 *
 * Threads: notes have one owner at a time, the owner of the arena.
 */
#ifndef DITKIT_NOTES_H
#define DITKIT_NOTES_H

#include <stdarg.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/report.h"

/** A text with its end; a longer one is cut: a path of PATH_MAX bytes, words around it */
#define DIT_TELL_BYTES 4608

/**
 * Tell at once.
 *
 * @param report  NULL: none
 *
 * When memory has run out, a text of DIT_TELL_BYTES or more is told without its end.
 */
void dit_tell(dit_report_fn report, void *ctx, enum dit_report_kind kind,
              const char *format, va_list args) __attribute__((format(printf, 4, 0)));

struct dit_note {
	struct dit_note *next;
	enum dit_report_kind kind;
	bool is_once;     /* to be told for the first of several entries only */
	const char *text; /* points into the arena */
};

struct dit_why; /* entry/why.h */

struct dit_notes {
	struct dit_arena *arena; /* borrowed; holds the notes */
	struct dit_note *first;
	struct dit_note *last;
	const struct dit_why *why; /* of a refused record; points into the arena */
};

static inline void dit_notes_init(struct dit_notes *notes, struct dit_arena *arena)
{
	*notes = (struct dit_notes){.arena = arena};
}

/**
 * Add one line. Without memory the note is lost; the error code still tells the failure.
 */
void dit_notes_add(struct dit_notes *notes, enum dit_report_kind kind, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

/** Forget the notes after @p last, which is one of them; NULL: all. */
void dit_notes_cut(struct dit_notes *notes, const struct dit_note *last);

/** Tell all notes, oldest first, and forget them. A NULL @p report is fine. */
void dit_notes_tell(struct dit_notes *notes, dit_report_fn report, void *ctx);

#endif
