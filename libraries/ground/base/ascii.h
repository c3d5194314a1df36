/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ASCII text, sixteen bytes at a time: the fast paths of the string rules.
 *
 * Threads: plain functions, no state.
 */
#ifndef DITKIT_ASCII_H
#define DITKIT_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define DIT_ASCII_FOLD   0x1u /* lower-case A-Z */
#define DIT_ASCII_NO_NUL 0x2u /* a NUL counts as a byte that is not handled */
#define DIT_ASCII_ANY    0x4u /* bytes that are not ASCII stay as they are */

/* dit_ascii_squeeze() may write so many bytes after the end of its result. */
#define DIT_ASCII_SLACK 8

/** True if no byte has its high bit set. */
bool dit_ascii_is(struct dit_span text);

/**
 * Drop leading and trailing spaces, make one space of each run, lower-case if asked to.
 *
 * @param to  room for text.len + DIT_ASCII_SLACK bytes; no overlap with @p text
 *
 * @return length of the result; -1 if the text holds a byte that is not handled here,
 *         then @p to holds rubbish
 */
ptrdiff_t dit_ascii_squeeze(struct dit_span text, unsigned flags, char *to);

/** As strcasecmp(3) and strncasecmp(3) in the C locale, in all locales: in that of Turkey
 * "I" is no "i" for these. */
int dit_ascii_strcasecmp(const char *a, const char *b);
int dit_ascii_strncasecmp(const char *a, const char *b, size_t n);

/** Which of these names it is, in any case; NULL: none. @param names  the last one is
 * NULL */
static inline const char *const *dit_ascii_find(struct dit_span text,
                                                const char *const *names)
{
	while (*names != NULL && !dit_span_eq_nocase(text, dit_span_of(*names))) {
		names++;
	}
	return *names == NULL ? NULL : names;
}

static inline bool dit_ascii_is_one_of(struct dit_span text, const char *const *names)
{
	return dit_ascii_find(text, names) != NULL;
}

static inline bool dit_ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool dit_ascii_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/** A byte of a descriptor (RFC 4512 section 1.4): a letter, a digit or '-'. */
static inline bool dit_ascii_is_name(char c)
{
	return dit_ascii_is_alpha(c) || dit_ascii_is_digit(c) || c == '-';
}

static inline char dit_ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/** The number of @p n digits. */
static inline int dit_ascii_number(const char *digits, size_t n)
{
	int number = 0;

	for (size_t i = 0; i < n; i++) {
		number = number * 10 + (digits[i] - '0');
	}
	return number;
}

extern const signed char dit_ascii_hex_values[256];

/** Value of a hexadecimal digit, -1 for other characters. */
static inline int dit_ascii_hex(char c)
{
	return dit_ascii_hex_values[(unsigned char)c];
}

/** Value of two hexadecimal digits, -1 for other characters. */
static inline int dit_ascii_hex_pair(const char *at)
{
	int high = dit_ascii_hex(at[0]);
	int low = dit_ascii_hex(at[1]);

	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/**
 * Undo the escapes of a URL, "%" and two digits.
 *
 * @param to  room for text.len bytes
 *
 * @return length of the result; -1: a '%' without two digits
 */
ptrdiff_t dit_ascii_unescape_url(struct dit_span text, char *to);

/** Copy with A-Z lower-cased; @p to and @p text may be the same place. */
static inline void dit_ascii_copy_lower(char *to, struct dit_span text)
{
	for (size_t i = 0; i < text.len; i++) {
		to[i] = dit_ascii_lower(text.data[i]);
	}
}

#endif
