/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spans: a pointer and a length that travel together.
 *
 * A span never owns its bytes; whoever hands one out says how long they live.
 * Bytes may include NUL; nothing after the last byte may be read. The zero span is
 * empty and valid.
 *
 * Threads: plain values, no state.
 */
#ifndef DITKIT_SPAN_H
#define DITKIT_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct dit_span {
	const char *data;
	size_t len;
};

/** Span over a string literal, without its terminating NUL. */
#ifdef __cplusplus
# define DIT_SPAN(literal) (dit_span{(literal), sizeof(literal) - 1})
#else
# define DIT_SPAN(literal) ((struct dit_span){(literal), sizeof(literal) - 1})
#endif

/** Span over a C string; points into @p s. */
static inline struct dit_span dit_span_of(const char *s)
{
	struct dit_span span = {s, s == NULL ? 0 : strlen(s)};

	return span;
}

static inline bool dit_span_eq(struct dit_span a, struct dit_span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/** Two lists of @p n spans each. */
static inline bool dit_spans_eq(const struct dit_span *a, const struct dit_span *b,
                                size_t n)
{
	while (n > 0 && dit_span_eq(a[n - 1], b[n - 1])) {
		n--;
	}
	return n == 0;
}

/** Below, equal, above: negative, 0, positive. By bytes, then the shorter one first. */
static inline int dit_span_compare(struct dit_span a, struct dit_span b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n == 0 ? 0 : memcmp(a.data, b.data, n);

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/** Spans of one length: as dit_span_eq_nocase(). */
static inline bool dit_span_eq_folded(struct dit_span a, struct dit_span b)
{
	for (size_t i = 0; i < a.len; i++) {
		char x = a.data[i];
		char y = b.data[i];

		/* Equal bytes, or equal letters that differ in this bit alone. */
		if (x != y && ((x ^ y) != 0x20 || (x | 0x20) < 'a' || (x | 0x20) > 'z')) {
			return false;
		}
	}
	return true;
}

/** ASCII letters compare without case; other bytes as they are. In all locales. */
static inline bool dit_span_eq_nocase(struct dit_span a, struct dit_span b)
{
	/* Most that differ do so in the first byte; most others are equal, case too. */
	return a.len == b.len &&
	       (a.len == 0 ||
	        (((a.data[0] ^ b.data[0]) & ~0x20) == 0 &&
	         (__builtin_expect(memcmp(a.data, b.data, a.len) == 0, true) ||
	          dit_span_eq_folded(a, b))));
}

/** "%.*s" arguments of a span. */
#define DIT_SPAN_ARGS(span) (int)(span).len, (span).len == 0 ? "" : (span).data

#endif
