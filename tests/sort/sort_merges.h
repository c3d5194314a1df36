/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges for the tests of the sorter, each associative; what makes them different is
 * where their results lie and whether order matters.
 */
#ifndef DITKIT_SORT_MERGES_H
#define DITKIT_SORT_MERGES_H

#include <errno.h>
#include <string.h>

#include <ditkit/sort.h>

/** One after the other: shows order, and that none is lost. */
static inline int merge_join(void *ctx, struct dit_span key, struct dit_span older,
                             struct dit_span newer, struct dit_arena *arena,
                             struct dit_span *ret)
{
	char *p = dit_sort_alloc(arena, older.len + newer.len);

	(void)ctx;
	(void)key;
	if (p == NULL) {
		return -ENOMEM;
	}
	if (older.len > 0) {
		memcpy(p, older.data, older.len);
	}
	if (newer.len > 0) {
		memcpy(p + older.len, newer.data, newer.len);
	}
	*ret = (struct dit_span){p, older.len + newer.len};
	return 0;
}

/** The newer one, as it is. */
static inline int merge_newer(void *ctx, struct dit_span key, struct dit_span older,
                              struct dit_span newer, struct dit_arena *arena,
                              struct dit_span *ret)
{
	(void)ctx;
	(void)key;
	(void)older;
	(void)arena;
	*ret = newer;
	return 0;
}

/** The longest common beginning: a part of an input, in the end an empty one. */
static inline int merge_common(void *ctx, struct dit_span key, struct dit_span older,
                               struct dit_span newer, struct dit_arena *arena,
                               struct dit_span *ret)
{
	size_t n = 0;

	(void)ctx;
	(void)key;
	(void)arena;
	while (n < older.len && n < newer.len && older.data[n] == newer.data[n]) {
		n++;
	}
	*ret = (struct dit_span){newer.data, n};
	return 0;
}

/** The sum of two numbers of eight bytes. */
static inline int merge_sum(void *ctx, struct dit_span key, struct dit_span older,
                            struct dit_span newer, struct dit_arena *arena,
                            struct dit_span *ret)
{
	uint64_t *p = dit_sort_alloc(arena, sizeof(*p));
	uint64_t a = 0;
	uint64_t b = 0;

	(void)ctx;
	(void)key;
	if (p == NULL) {
		return -ENOMEM;
	}
	memcpy(&a, older.data, sizeof(a));
	memcpy(&b, newer.data, sizeof(b));
	*p = a + b;
	*ret = (struct dit_span){(const char *)p, sizeof(*p)};
	return 0;
}

#endif
