/* SPDX-License-Identifier: BSD-2-Clause */
/* The progress of a work, as text: for a terminal, a log, a program. */
#ifndef DITKIT_COMMON_PROGRESS_TEXT_H
#define DITKIT_COMMON_PROGRESS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ditkit/progress.h>

struct progress_view {
	const char *program;
	const char *phase; /* shown to the user */
	const struct dit_progress *progress;
	double share;   /* of the whole work, 0 to 1; negative: not known */
	double seconds; /* since the beginning */
	double left;    /* seconds; negative: not known */
	bool is_over;   /* nothing is left: the time that the work took is told */
};

/** Enough for each of the texts. */
#define PROGRESS_TEXT_BYTES 2048

/**
 * "indexes    [######------]  42%  136000/s  119 MiB/s  memory 210 MiB  0:12 left"
 *
 * @param columns  of the terminal; the text leaves the last one free. Parts are
 *                 left out until it fits: memory first, then bytes/s, entries/s, the bar
 */
void progress_text_bar(char *ret, size_t size, unsigned columns,
                       const struct progress_view *view);

/**
 * "ditadd: indexes, 42%, 600000 entries, 136000/s, 119 MiB/s, memory 210 MiB, 0:12 left";
 * at the end "ditadd: done, 100%, ..., in 0:17"
 */
void progress_text_line(char *ret, size_t size, const struct progress_view *view);

/** A JSON object in one line; doc/man/ditadd.8 has its fields. */
void progress_text_json(char *ret, size_t size, const struct progress_view *view);

#endif
