/* SPDX-License-Identifier: BSD-2-Clause */
/* The form of a text. */
#include "base/pattern.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/cut.h"

/* A byte or a set, and how often it stands there. */
struct part {
	const char *set; /* "x]": without the bracket in front */
	bool is_set;
	size_t min;
	size_t max;
};

/* Take the next part off a pattern. @return false: the alternative ends */
static bool next_part(const char **pattern, struct part *ret)
{
	const char *at = *pattern;
	char *end = NULL;

	if (*at == '\0' || *at == '|') {
		return false;
	}
	ret->is_set = *at == '[';
	ret->set = at + ret->is_set;
	at = ret->is_set ? strchr(at, ']') + 1 : at + 1;
	ret->min = *at == '*' || *at == '?' ? 0 : 1;
	ret->max = *at == '*' || *at == '+' ? SIZE_MAX : 1;
	if (*at == '{') {
		ret->min = strtoul(at + 1, &end, 10);
		ret->max = ret->min;
		at = end + 1;
	} else if (*at == '*' || *at == '+' || *at == '?') {
		at++;
	}
	*pattern = at;
	return true;
}

static bool has(const struct part *part, char c)
{
	const char *at = part->set;
	bool is_negated = part->is_set && *at == '^';
	bool is_in = false;

	if (!part->is_set) {
		return *at == c;
	}
	for (at += is_negated; *at != ']' && !is_in; at++) {
		is_in = *at == c;
		if (at[1] == '-' && at[2] != ']') {
			is_in = c >= at[0] && c <= at[2];
			at += 2;
		}
	}
	return is_in != is_negated;
}

/*
 * How much of the front of a text the first alternative takes; -1: it does not fit.
 *
 * @param pattern  becomes the next alternative; NULL: there is none
 */
static ptrdiff_t try_next(struct dit_span text, const char **pattern)
{
	struct part part;
	size_t n = 0;
	bool fits = true;

	while (next_part(pattern, &part)) {
		size_t count = 0;

		while (fits && count < part.max && n < text.len &&
		       has(&part, text.data[n])) {
			n++;
			count++;
		}
		fits = fits && count >= part.min;
	}
	*pattern = **pattern == '|' ? *pattern + 1 : NULL;
	return fits ? (ptrdiff_t)n : -1;
}

bool dit_pattern_is(struct dit_span text, const char *pattern)
{
	ptrdiff_t n = -1;

	while (pattern != NULL && n != (ptrdiff_t)text.len) {
		n = try_next(text, &pattern);
	}
	return n == (ptrdiff_t)text.len;
}

bool dit_pattern_of_parts(struct dit_span text, char mark, const char *pattern)
{
	struct dit_span part = {0};
	bool has_more = true;
	bool fits = true;

	while (has_more && fits) {
		has_more = dit_cut_until(&text, mark, &part);
		fits = dit_pattern_is(part, pattern);
	}
	return fits;
}

bool dit_pattern_cut(struct dit_span *text, const char *pattern)
{
	ptrdiff_t n = -1;

	while (pattern != NULL && n < 0) {
		n = try_next(*text, &pattern);
	}
	if (n > 0) {
		dit_cut(text, (size_t)n);
	}
	return n >= 0;
}
