/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * String preparation (values.md 4.1): code points in, code points out.
 *
 *     "CAFE\u0301  \uFB03"   what came in
 *     "cafe\u0301  \uFB03"   folded: one to one, before anything decomposes
 *     "cafe\u0301  ffi"      decomposed, marks in the order of their classes
 *     "caf\u00E9  ffi"       composed
 *     "caf\u00E9 ffi"        spaces squeezed
 *
 * ASCII text takes none of these steps but the first and the last and is done sixteen
 * bytes at a time in ascii.c. The rest goes through an array of code points; it is on the
 * stack unless the value is long.
 *
 * Where this differs from the Unicode standard (folding before decomposition and only
 * once, Hangul ranges that are one too long), it does so because the stored bytes do.
 */
#include "values/utf8_prep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "base/ids.h"

#define SURELY_PLAIN 0xA0  /* below: no decomposition, no class, lower case by ASCII */
#define FIRST_MARK   0x300 /* below: class 0 and never second of a pair */

#define HANGUL_S            0xAC00 /* syllables */
#define HANGUL_S_DECOMP_END 0xD800
#define HANGUL_S_END        0xD7A4
#define HANGUL_L            0x1100 /* leading consonants */
#define HANGUL_V            0x1161 /* vowels */
#define HANGUL_T            0x11A7 /* trailing consonants, counted from one */
#define HANGUL_NL           19
#define HANGUL_NV           21
#define HANGUL_NT           28

struct code_points {
	uint32_t *at;
	size_t n;
	size_t max;
	struct dit_arena *arena;
	uint8_t last_class; /* of the newest code point */
	bool is_disordered; /* a mark follows one of a higher class */
	uint32_t local[160];
};

static size_t encoded_len(uint32_t c)
{
	return c < 0x80        ? 1
	       : c < 0x800     ? 2
	       : c < 0x10000   ? 3
	       : c < 0x200000  ? 4
	       : c < 0x4000000 ? 5
	                       : 6;
}

size_t dit_utf8_decode(struct dit_span text, uint32_t *ret)
{
	const unsigned char *s = (const unsigned char *)text.data;
	uint32_t c = s[0];
	size_t len = 0;

	if (c < 0x80) {
		*ret = c;
		return 1;
	}
	len = (size_t)__builtin_clz(~(c << 24)); /* its ones in front */
	if (len < 2 || len > DIT_UTF8_MAX || len > text.len) {
		return 0;
	}
	c &= 0x7Fu >> len;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xC0) != 0x80) {
			return 0;
		}
		c = c << 6 | (s[i] & 0x3F);
	}
	*ret = c;
	return encoded_len(c) == len ? len : 0; /* none is longer than it must be */
}

size_t dit_utf8_encode(uint32_t c, char *to)
{
	static const unsigned char lead[] = {0, 0x00, 0xC0, 0xE0, 0xF0, 0xF8, 0xFC};
	size_t len = encoded_len(c);

	for (size_t i = len - 1; i > 0; i--) {
		to[i] = (char)(0x80 | (c & 0x3F));
		c >>= 6;
	}
	to[0] = (char)(lead[len] | c);
	return len;
}

size_t dit_utf8_ascii(uint32_t c, char *to)
{
	const struct dit_unicode *u = NULL;
	size_t n = 0;

	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	u = dit_unicode_find(c);
	for (size_t i = 0; i < u->ndecomp && n < DIT_UTF8_ASCII_MAX; i++) {
		c = dit_unicode_decomp[u->decomp_at + i];
		if (c < 0x80) {
			to[n++] = (char)c;
		}
	}
	return n;
}

int dit_utf8_to_ascii(struct dit_span text, struct dit_arena *arena, struct dit_span *ret)
{
	/* A sequence that is longer than a byte has two at least. */
	char *start = dit_arena_bytes(arena, text.len * (DIT_UTF8_ASCII_MAX / 2));
	char *to = start;
	uint32_t c = 0;

	if (start == NULL) {
		return -ENOMEM;
	}
	while (text.len > 0) {
		char chars[DIT_UTF8_ASCII_MAX];
		size_t len = dit_utf8_decode(text, &c);
		size_t nchars = len == 0 ? 0 : dit_utf8_ascii(c, chars);

		if (len == 0) {
			return DIT_E_INVALID;
		}
		memcpy(to, chars, nchars);
		to += nchars;
		dit_cut(&text, len);
	}
	*ret = (struct dit_span){start, (size_t)(to - start)};
	return 0;
}

/* Apart from its caller: most texts are ASCII. */
static __attribute__((noinline)) bool is_valid_utf8(struct dit_span text)
{
	uint32_t c = 0;

	while (text.len > 0) {
		size_t len = dit_utf8_decode(text, &c);

		if (len == 0) {
			return false;
		}
		dit_cut(&text, len);
	}
	return true;
}

bool dit_utf8_is_valid(struct dit_span text)
{
	return dit_ascii_is(text) || is_valid_utf8(text);
}

static int code_points_add(struct code_points *list, uint32_t c, uint8_t ccc)
{
	if (list->n == list->max &&
	    DIT_ARENA_DOUBLE(list->arena, list->at, list->n, list->max, 0) < 0) {
		return -ENOMEM;
	}
	list->is_disordered |= ccc > 0 && ccc < list->last_class;
	list->last_class = ccc;
	list->at[list->n] = c;
	list->n++;
	return 0;
}

static int add_hangul(struct code_points *list, uint32_t c)
{
	uint32_t s = c - HANGUL_S;
	uint32_t t = s % HANGUL_NT;
	int r = code_points_add(list, HANGUL_L + s / (HANGUL_NV * HANGUL_NT), 0);

	r = r
	            ?: code_points_add(list,
	                               HANGUL_V + s % (HANGUL_NV * HANGUL_NT) / HANGUL_NT,
	                               0);
	return r < 0 || t == 0 ? r : code_points_add(list, HANGUL_T + t, 0);
}

static int add_folded(struct code_points *list, uint32_t c, bool fold)
{
	const struct dit_unicode *u = NULL;
	int r = 0;

	if (c < SURELY_PLAIN) {
		if (fold && c < 0x80) {
			c = (uint32_t)dit_ascii_lower((char)c);
		}
		return code_points_add(list, c, 0);
	}
	u = dit_unicode_find(c);
	if (fold && u->lower != 0) {
		c = u->lower;
		u = dit_unicode_find(c);
	}
	if (c >= HANGUL_S && c < HANGUL_S_DECOMP_END) {
		return add_hangul(list, c);
	}
	if (u->ndecomp == 0) {
		return code_points_add(list, c, u->ccc);
	}
	for (size_t i = 0; i < u->ndecomp && r == 0; i++) {
		c = dit_unicode_decomp[u->decomp_at + i];
		r = code_points_add(list, c, dit_unicode_find(c)->ccc);
	}
	return r;
}

/** A code point with a combining class, to be sorted. */
struct mark {
	size_t index; /* equal classes keep their order */
	uint32_t point;
	uint8_t class;
};

static int compare_marks(const void *left, const void *right)
{
	const struct mark *a = left;
	const struct mark *b = right;

	return DIT_ORDER_OF(a->class, b->class) ?: DIT_ORDER_OF(a->index, b->index);
}

/*
 * The canonical order: in each run of marks those of lower classes come first. Sorting by
 * insertion, as slapd does, takes 300 seconds for a value of 1.6 million bytes.
 *
 * @return 0 or -ENOMEM
 */
static int order_marks(struct code_points *list)
{
	struct dit_arena_mark mark = dit_arena_mark(list->arena);
	struct mark *run = NULL;
	size_t n = 0;

	if (!list->is_disordered) {
		return 0; /* as nearly all text */
	}
	run = dit_arena_alloc(list->arena, list->n * sizeof(*run));
	if (run == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i <= list->n; i++) {
		uint32_t c = i < list->n ? list->at[i] : 0;
		uint8_t class = c < FIRST_MARK ? 0 : dit_unicode_find(c)->ccc;

		if (class != 0) {
			run[n++] = (struct mark){i, c, class};
			continue;
		}
		qsort(run, n, sizeof(*run), compare_marks);
		for (size_t k = 0; k < n; k++) {
			list->at[i - n + k] = run[k].point;
		}
		n = 0;
	}
	dit_arena_rewind(list->arena, mark);
	return 0;
}

/* The composite of a pair, or 0. @param second property record of the second */
static uint32_t compose_pair(uint32_t first, const struct dit_unicode *second)
{
	size_t low = second->compose_at;
	size_t high = low + second->ncompose;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct dit_unicode_pair *pair = &dit_unicode_compose[middle];

		if (pair->first == first) {
			return pair->composite;
		}
		if (pair->first < first) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return 0;
}

/* The same of Hangul. Both ends of the last range are one too far (values.md 4.1). */
static uint32_t compose_hangul(uint32_t first, uint32_t second)
{
	if (first >= HANGUL_L && first < HANGUL_L + HANGUL_NL && second >= HANGUL_V &&
	    second < HANGUL_V + HANGUL_NV) {
		return HANGUL_S +
		       ((first - HANGUL_L) * HANGUL_NV + second - HANGUL_V) * HANGUL_NT;
	}
	return first >= HANGUL_S && first < HANGUL_S_END &&
	                       (first - HANGUL_S) % HANGUL_NT == 0 &&
	                       second >= HANGUL_T && second <= HANGUL_T + HANGUL_NT
	               ? first + second - HANGUL_T
	               : 0;
}

static void compose(struct code_points *list)
{
	uint32_t *at = list->at;
	size_t starter = 0; /* index */
	size_t n = 1;
	unsigned before = 0; /* class of the last mark kept after the starter */

	if (list->n == 0) {
		return;
	}
	before = dit_unicode_find(at[0])->ccc == 0 ? 0 : 256;
	for (size_t i = 1; i < list->n; i++) {
		uint32_t c = at[i];
		uint32_t composite = 0;
		unsigned ccc = 0;

		if (c >= FIRST_MARK) {
			const struct dit_unicode *u = dit_unicode_find(c);

			ccc = u->ccc;
			if (before < ccc || before == 0) {
				composite = compose_pair(at[starter], u)
				                    ?: compose_hangul(at[n - 1], c);
			}
		}
		if (composite != 0) {
			at[starter] = composite;
			continue;
		}
		if (ccc == 0) {
			starter = n;
		}
		before = ccc;
		at[n++] = c;
	}
	list->n = n;
}

static int encode_squeezed(const struct code_points *list, struct dit_arena *arena,
                           struct dit_span *ret)
{
	struct dit_span encoded = {0};
	char *start = NULL;
	char *to = NULL;

	for (size_t i = 0; i < list->n; i++) {
		encoded.len += encoded_len(list->at[i]);
	}
	start = dit_arena_bytes(arena, 2 * encoded.len + DIT_ASCII_SLACK);
	if (start == NULL) {
		return -ENOMEM;
	}
	to = start + encoded.len + DIT_ASCII_SLACK;
	encoded.data = to;
	for (size_t i = 0; i < list->n; i++) {
		to += dit_utf8_encode(list->at[i], to);
	}
	ret->len = (size_t)dit_ascii_squeeze(encoded, DIT_ASCII_ANY, start);
	if (ret->len == 0) {
		start[ret->len++] = ' '; /* there were only spaces */
	}
	ret->data = start;
	dit_arena_trim(arena, start, ret->len);
	return 0;
}

static int prep_unicode(struct dit_span text, bool fold, struct dit_arena *arena,
                        struct dit_span *ret)
{
	struct code_points list;
	size_t nread = 0;
	int r = 0;

	list.at = list.local;
	list.n = 0;
	list.max = sizeof(list.local) / sizeof(list.local[0]);
	list.arena = arena;
	list.last_class = 0;
	list.is_disordered = false;
	while (text.len > 0) {
		uint32_t c = 0;
		size_t len = dit_utf8_decode(text, &c);

		if (len == 0) {
			return DIT_E_INVALID;
		}
		if ((++nread & (DIT_STOP_GRAIN - 1)) == 0 &&
		    dit_stop_is_set(arena->stop)) {
			return DIT_E_STOPPED;
		}
		r = add_folded(&list, c, fold);
		if (r < 0) {
			return r;
		}
		dit_cut(&text, len);
	}
	r = order_marks(&list);
	if (r < 0) {
		return r;
	}
	compose(&list);
	if (dit_stop_is_set(arena->stop)) {
		return DIT_E_STOPPED;
	}
	return encode_squeezed(&list, arena, ret);
}

int dit_utf8_prep(struct dit_span text, bool fold, struct dit_arena *arena,
                  struct dit_span *ret)
{
	ptrdiff_t n = 0;
	char *to = NULL;

	if (text.len == 0) {
		*ret = DIT_SPAN("");
		return 0;
	}
	to = dit_arena_bytes(arena, text.len + DIT_ASCII_SLACK);
	if (to == NULL) {
		return -ENOMEM;
	}
	n = dit_ascii_squeeze(text, fold ? DIT_ASCII_FOLD : 0, to);
	if (n == 0) {
		to[n++] = ' '; /* only spaces: one stays */
	}
	dit_arena_trim(arena, to, n < 0 ? 0 : (size_t)n);
	if (n < 0) {
		return prep_unicode(text, fold, arena, ret);
	}
	*ret = (struct dit_span){to, (size_t)n};
	return 0;
}
