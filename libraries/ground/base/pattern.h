/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The form of a text: regular expressions, as far as small grammars need them.
 *
 *     dit_pattern_is(text, "0|-?[1-9][0-9]*")      an integer
 *
 *     a [x-z_] [^#]     a byte, one of a set, one that is not in it ([^] is any byte)
 *     * + ? {4}         after it: so many of them. All that are there are taken, and none
 *                       is given back: "[0-9]*5" fits no text
 *     |                 between alternatives, outermost: there are no groups
 *
 * All other bytes stand for themselves. There is no ']' in sets.
 *
 * Threads: plain functions, no state.
 */
#ifndef DITKIT_PATTERN_H
#define DITKIT_PATTERN_H

#include "base/span.h"

/** Sets that many grammars have. */
#define DIT_DIGIT "[0-9]"
#define DIT_HEX   "[0-9A-Fa-f]"
#define DIT_ALPHA "[A-Za-z]"
/** The characters of a descriptor (RFC 4512 section 1.4). */
#define DIT_NAME "[-0-9A-Za-z]"

/** Does an alternative fit the whole text? */
bool dit_pattern_is(struct dit_span text, const char *pattern);

/** Is that so of all parts between @p mark? A text without marks is one part. */
bool dit_pattern_of_parts(struct dit_span text, char mark, const char *pattern);

/** Cut off what the first alternative takes that fits the front of the text. @return
 * false: none fits */
bool dit_pattern_cut(struct dit_span *text, const char *pattern);

#endif
