/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text that is read from its front: each function cuts off what it found.
 *
 *     text = "grant;r,w;cn"
 *     dit_cut_until(&text, ';', &part)     true: part = "grant", text = "r,w;cn"
 *     dit_cut_char(&text, 'r')             true: text = ",w;cn"
 *
 * Threads: plain functions, no state.
 */
#ifndef DITKIT_CUT_H
#define DITKIT_CUT_H

#include "base/span.h"

/** @param n  at most the length */
static inline void dit_cut(struct dit_span *text, size_t n)
{
	text->data += n;
	text->len -= n;
}

/** @return false: the text does not begin with @p c */
static inline bool dit_cut_char(struct dit_span *text, char c)
{
	if (text->len == 0 || text->data[0] != c) {
		return false;
	}
	dit_cut(text, 1);
	return true;
}

/** Letters of either case. @return false: the text does not begin so */
static inline bool dit_cut_prefix(struct dit_span *text, struct dit_span prefix)
{
	if (text->len < prefix.len ||
	    !dit_span_eq_nocase((struct dit_span){text->data, prefix.len}, prefix)) {
		return false;
	}
	dit_cut(text, prefix.len);
	return true;
}

/** @return is there a space? */
static inline bool dit_cut_spaces(struct dit_span *text)
{
	size_t before = text->len;

	while (dit_cut_char(text, ' ')) {
	}
	return text->len < before;
}

/** Spaces in front of the text and after it. */
static inline void dit_cut_spaces_around(struct dit_span *text)
{
	(void)dit_cut_spaces(text);
	while (text->len > 0 && text->data[text->len - 1] == ' ') {
		text->len--;
	}
}

/**
 * Cut off what stands before the first @p mark, and the mark.
 *
 * @param ret  what was cut off, without the mark
 *
 * @return false: there is no mark, and all of the text was cut off
 */
static inline bool dit_cut_until(struct dit_span *text, char mark, struct dit_span *ret)
{
	const char *end = text->len == 0 ? NULL : memchr(text->data, mark, text->len);

	*ret = *text;
	if (end != NULL) {
		ret->len = (size_t)(end - text->data);
	}
	if (text->len > 0) {
		dit_cut(text, ret->len + (end != NULL));
	}
	return end != NULL;
}

#endif
