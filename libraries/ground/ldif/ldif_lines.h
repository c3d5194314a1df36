/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines that are told by their text alone; the way over the lines of a record, 64 bytes
 * at a time: nobody looks at them before ldif_parse.h, if at all; and whitespace as
 * slapd's LDIF code knows it: isspace() of the C locale. A line reaches up to its LF,
 * which it has unless the file ends there; it has one byte at least.
 *
 * Threads: no state.
 */
#ifndef DITKIT_LDIF_LINES_H
#define DITKIT_LDIF_LINES_H

#include <stdint.h>

#include "base/cut.h"

#ifdef __SSE2__
# include <emmintrin.h>
#endif

#define DIT_LDIF_NEAR 32 /* bytes */

/** SP, TAB, LF, VT, FF, CR. */
static inline bool dit_ldif_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline struct dit_span dit_ldif_skip_space(struct dit_span span)
{
	while (span.len > 0 && dit_ldif_is_space(span.data[0])) {
		dit_cut(&span, 1);
	}
	return span;
}

/**
 * The first of two bytes from @p at on, if it is near: names and most values are so short
 * that a call of memchr() takes longer. NULL: not near, or not there.
 */
static inline const char *dit_ldif_find_near(const char *at, const char *end, char a,
                                             char b)
{
	const char *stop = end - at > DIT_LDIF_NEAR ? at + DIT_LDIF_NEAR : end;

#ifdef __SSE2__
	for (; stop - at >= 16; at += 16) {
		__m128i block = _mm_loadu_si128((const __m128i *)at);
		unsigned found = (unsigned)_mm_movemask_epi8(
			_mm_cmpeq_epi8(block, _mm_set1_epi8(a)) |
			_mm_cmpeq_epi8(block, _mm_set1_epi8(b)));

		if (found != 0) {
			return at + __builtin_ctz(found);
		}
	}
#endif
	while (at < stop && *at != a && *at != b) {
		at++;
	}
	return at < stop ? at : NULL;
}

static inline bool dit_ldif_is_blank(struct dit_span line)
{
	return line.data[0] == '\n' ||
	       (line.len == 2 && line.data[0] == '\r' && line.data[1] == '\n');
}

/** The URL of a line that begins with "include:". */
static inline bool dit_ldif_is_include(struct dit_span line, struct dit_span *ret_url)
{
	struct dit_span url = line;

	if (!dit_cut_prefix(&url, DIT_SPAN("include:"))) {
		return false;
	}
	if (url.len > 0 && url.data[url.len - 1] == '\n') {
		url.len--;
		url.len -= url.len > 0 && url.data[url.len - 1] == '\r' ? 1 : 0;
	}
	*ret_url = dit_ldif_skip_space(url);
	return true;
}

/** "version: 1", whatever blanks there are. */
static inline bool dit_ldif_is_version(struct dit_span line)
{
	if (!dit_cut_prefix(&line, DIT_SPAN("version:"))) {
		return false;
	}
	line = dit_ldif_skip_space(line);
	while (line.len > 0 && dit_ldif_is_space(line.data[line.len - 1])) {
		line.len--;
	}
	return line.len == 1 && line.data[0] == '1';
}

/**
 * Skip whole lines that are not blank.
 *
 * @param text        begins with a line
 * @param ret_nlines  how many were skipped
 *
 * @return where the first line begins that is blank, or that has no LF; text.len: there
 *         is none
 */
size_t dit_ldif_skip_lines(struct dit_span text, uint64_t *ret_nlines);

#endif
