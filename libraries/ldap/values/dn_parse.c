/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scanning DNs.
 *
 * A table gives each byte its classes; the hot loop runs over a value until a byte of
 * class STOP and collects what else it saw. Most values end at a separator right there:
 * they are taken from the text as they are. Only values with a backslash or a quote are
 * copied.
 */
#include "values/dn_parse.h"

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"

#define SPACE     0x01u /* SP, TAB, LF, CR */
#define SEPARATOR 0x02u /* , ; + */
#define FORBIDDEN 0x04u /* " < > and NUL */
#define BACKSLASH 0x08u
#define EQUALS    0x10u
#define HIGH      0x20u /* not ASCII */
#define KEPT      0x40u /* neither squeezed nor folded nor escaped, wherever it is */
#define STOP      (SEPARATOR | FORBIDDEN | BACKSLASH)
#define ESCAPED   (STOP | EQUALS) /* anywhere in a value */

/* clang-format off */
static const unsigned char classes[256] = {
	['\0'] = FORBIDDEN, ['"'] = FORBIDDEN, ['<'] = FORBIDDEN, ['>'] = FORBIDDEN,
	['\t'] = SPACE, ['\n'] = SPACE, ['\r'] = SPACE, [' '] = SPACE,
	[','] = SEPARATOR, [';'] = SEPARATOR, ['+'] = SEPARATOR,
	['\\'] = BACKSLASH,
	['='] = EQUALS,
	['a' ... 'z'] = KEPT, ['0' ... '9'] = KEPT,
	['-'] = KEPT, ['.'] = KEPT, ['_'] = KEPT, ['@'] = KEPT,
	[0x80 ... 0xFF] = HIGH,
};
/* clang-format on */

static inline unsigned class_of(char c)
{
	return classes[(unsigned char)c];
}

static inline bool is_space(char c)
{
	return (class_of(c) & SPACE) != 0;
}

static void skip_spaces(struct dit_dn_scan *scan)
{
	while (scan->at < scan->end && is_space(*scan->at)) {
		scan->at++;
	}
}

static bool scan_type(struct dit_dn_scan *scan, struct dit_span *ret)
{
	const char *at = scan->at;
	const char *end = scan->end;
	bool is_oid = at < end && dit_ascii_is_digit(*at);

	if (at == end || (!is_oid && !dit_ascii_is_alpha(*at))) {
		return false;
	}
	while (at < end && (is_oid ? dit_ascii_is_digit(*at) || *at == '.'
	                           : dit_ascii_is_name(*at))) {
		at++;
	}
	*ret = (struct dit_span){scan->at, (size_t)(at - scan->at)};
	if (!is_oid && at < end && *at == ';') {
		/* Options of a naming attribute are dropped, whatever they are. */
		while (at < end && (*at == ';' || dit_ascii_is_name(*at))) {
			at++;
		}
	}
	scan->at = at;
	skip_spaces(scan);
	if (scan->at == end || *scan->at != '=') {
		return false;
	}
	scan->at++;
	skip_spaces(scan);
	return true;
}

/* One byte that a backslash introduces. @return bytes read after it; 0: invalid */
static size_t unescape(const char *at, const char *end, char *ret)
{
	if (at == end) {
		return 0;
	}
	if (*at != '\0' && strchr("\\,;+\"<>=# \t\n\r", *at) != NULL) {
		*ret = *at;
		return 1;
	}
	if (end - at < 2 || dit_ascii_hex_pair(at) < 0) {
		return 0;
	}
	*ret = (char)dit_ascii_hex_pair(at);
	return 2;
}

/* Unescape from scan->at to @p end, all of it known to be well-formed. */
static int unescape_all(struct dit_dn_scan *scan, const char *end, struct dit_span *ret)
{
	char *start = dit_arena_bytes(scan->arena, (size_t)(end - scan->at));
	char *to = start;

	if (start == NULL) {
		return -ENOMEM;
	}
	for (const char *at = scan->at; at < end; to++) {
		*to = *at++;
		if (*to == '\\') {
			at += unescape(at, end, to);
		}
	}
	*ret = (struct dit_span){start, (size_t)(to - start)};
	dit_arena_trim(scan->arena, start, ret->len);
	return 0;
}

static int scan_bare(struct dit_dn_scan *scan, struct dit_raw_ava *ret)
{
	const char *start = scan->at;
	const char *at = start;
	const char *stop = NULL;
	unsigned seen = 0;
	char byte = '\0';

	for (;;) {
		while (at < scan->end && (class_of(*at) & STOP) == 0) {
			seen |= class_of(*at++);
		}
		if (at == scan->end || (class_of(*at) & BACKSLASH) == 0) {
			break;
		}
		size_t n = unescape(at + 1, scan->end, &byte);

		if (n == 0) {
			return DIT_E_INVALID;
		}
		seen |= BACKSLASH;
		at += 1 + n;
	}
	if (at < scan->end && (class_of(*at) & FORBIDDEN) != 0) {
		return DIT_E_INVALID;
	}

	stop = at;
	while (at > start && is_space(at[-1])) {
		at--;
	}
	if (at < stop && at > start && at[-1] == '\\') {
		at++; /* slapd looks only at the last byte here: "a\\ " keeps its space */
	}
	ret->is_copy = (seen & BACKSLASH) != 0;
	if (ret->is_copy) {
		int r = unescape_all(scan, at, &ret->value);

		if (r < 0) {
			return r;
		}
		ret->is_ascii = dit_ascii_is(ret->value);
		ret->is_plain = dit_dn_is_plain(ret->value);
	} else {
		ret->value = (struct dit_span){start, (size_t)(at - start)};
		ret->is_ascii = (seen & HIGH) == 0;
		ret->is_plain = (seen & EQUALS) == 0;
	}
	scan->at = stop;
	return 0;
}

/* In quotes a backslash makes the next byte literal, whatever it is. */
static int scan_quoted(struct dit_dn_scan *scan, struct dit_raw_ava *ret)
{
	char *start = dit_arena_bytes(scan->arena, (size_t)(scan->end - scan->at));
	const char *at = scan->at + 1;
	char *to = start;

	if (start == NULL) {
		return -ENOMEM;
	}
	while (at < scan->end && *at != '"') {
		if (*at == '\\' && ++at == scan->end) {
			return DIT_E_INVALID;
		}
		*to++ = *at++;
	}
	if (at == scan->end) {
		return DIT_E_INVALID;
	}
	ret->value = (struct dit_span){start, (size_t)(to - start)};
	ret->is_copy = true;
	dit_arena_trim(scan->arena, start, ret->value.len);
	ret->is_ascii = dit_ascii_is(ret->value);
	ret->is_plain = dit_dn_is_plain(ret->value);
	scan->at = at + 1;
	skip_spaces(scan);
	return 0;
}

int dit_dn_scan_ava(struct dit_dn_scan *scan, struct dit_raw_ava *ret)
{
	int r = 0;

	skip_spaces(scan);
	if (!scan_type(scan, &ret->type) || (scan->at < scan->end && *scan->at == '#')) {
		return DIT_E_INVALID; /* '#' begins the BER form */
	}
	r = scan->at < scan->end && *scan->at == '"' ? scan_quoted(scan, ret)
	                                             : scan_bare(scan, ret);
	if (r < 0) {
		return r;
	}
	ret->stop = '\0';
	if (scan->at < scan->end) {
		char c = *scan->at++;

		ret->stop = c == ';' ? ',' : (class_of(c) & SEPARATOR) != 0 ? c : '?';
	}
	return 0;
}

size_t dit_dn_first_stop(struct dit_span text)
{
	bool in_type = true; /* there a ';' begins options */

	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if ((class_of(c) & ESCAPED) == 0) {
			continue;
		}
		if (c == '=' || c == '+') {
			in_type = c == '+';
		} else if (c == ',' || (c == ';' && !in_type)) {
			return i;
		} else if (c == '\\' || c == '"') {
			return 0;
		}
	}
	return 0;
}

bool dit_dn_is_kept(struct dit_span value)
{
	size_t i = 0;

	while (i < value.len && (class_of(value.data[i]) & KEPT) != 0) {
		i++;
	}
	return i > 0 && i == value.len;
}

/* A byte that must be escaped because of where it stands. */
static bool is_escaped_at(struct dit_span value, size_t i)
{
	char c = value.data[i];

	return (i == 0 && c == '#') || ((i == 0 || i + 1 == value.len) && is_space(c));
}

bool dit_dn_is_plain(struct dit_span value)
{
	bool is_plain = value.len == 0 || (!is_escaped_at(value, 0) &&
	                                   !is_escaped_at(value, value.len - 1));

	for (size_t i = 0; i < value.len && is_plain; i++) {
		is_plain = (class_of(value.data[i]) & ESCAPED) == 0;
	}
	return is_plain;
}

char *dit_dn_escape(char *to, struct dit_span value, bool is_hex)
{
	unsigned classes_escaped = is_hex ? ESCAPED | HIGH : ESCAPED;

	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.data[i];

		if ((classes[c] & classes_escaped) != 0 || is_escaped_at(value, i)) {
			*to++ = '\\';
			*to++ = "0123456789ABCDEF"[c >> 4];
			*to++ = "0123456789ABCDEF"[c & 0x0F];
		} else {
			*to++ = (char)c;
		}
	}
	return to;
}
