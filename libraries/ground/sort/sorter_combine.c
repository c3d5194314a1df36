/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Combining the values of one key.
 *
 * Values are combined two by two like the digits of a counter: level i holds the value of
 * 2^i pushed ones, or nothing, older ones above.
 *
 *     a           0: a
 *     a b         0:       1: ab
 *     a b c       0: c     1: ab
 *     a b c d     0:       1:       2: abcd
 *
 * So merges whose results grow, as lists do, copy each byte once per level, not once per
 * value. The results of level i live in an arena of level i + 1, which ends together
 * with the value that lies there: at most two values are in an arena at a time.
 */
#include <assert.h>
#include <errno.h>

#include "sort/sorter_private.h"

#define ARENA_BLOCK 1024
#define ARENA_KEEP  ((size_t)64 << 10)

void dit_sort_combiner_init(struct dit_sort_combiner *combiner, dit_sort_merge_fn merge,
                            void *ctx)
{
	*combiner = (struct dit_sort_combiner){.merge = merge, .ctx = ctx};
	for (unsigned i = 0; i <= DIT_SORT_LEVELS; i++) {
		dit_arena_init(&combiner->levels[i].arena, ARENA_BLOCK);
	}
}

void dit_sort_combiner_deinit(struct dit_sort_combiner *combiner)
{
	for (unsigned i = 0; i <= DIT_SORT_LEVELS; i++) {
		dit_arena_deinit(&combiner->levels[i].arena);
	}
}

/** Forget a level. Blocks of growing sizes would pile up in a mere reset. */
static void clear(struct dit_sort_combiner *combiner, unsigned level)
{
	struct dit_arena *arena = &combiner->levels[level].arena;

	combiner->levels[level].is_used = false;
	if (arena->total_bytes > ARENA_KEEP) {
		dit_arena_deinit(arena);
	} else {
		dit_arena_reset(arena);
	}
}

void dit_sort_combiner_reset(struct dit_sort_combiner *combiner)
{
	/* Results of the highest level lie one above. */
	for (unsigned i = 0; i <= combiner->nlevels; i++) {
		clear(combiner, i);
	}
	combiner->nlevels = 0;
}

static bool is_part(struct dit_span part, struct dit_span whole)
{
	return (uintptr_t)part.data >= (uintptr_t)whole.data &&
	       (uintptr_t)part.data < (uintptr_t)whole.data + whole.len;
}

static int copy(struct dit_arena *arena, struct dit_span *span)
{
	*span = dit_arena_copy(arena, *span);
	return span->data == NULL ? -ENOMEM : 0;
}

/** Combine the value at @p level with a newer one; the result lives one level higher. */
static int combine(struct dit_sort_combiner *combiner, unsigned level,
                   struct dit_span key, struct dit_span newer, struct dit_span *ret)
{
	struct dit_arena *arena = &combiner->levels[level + 1].arena;
	struct dit_span older = combiner->levels[level].value;
	struct dit_span value = {NULL, 0};
	int r = combiner->merge(combiner->ctx, key, older, newer, arena, &value);

	if (r < 0) {
		return r;
	}
	if (is_part(value, older) || is_part(value, newer)) {
		r = copy(arena, &value);
	}
	*ret = value;
	return r;
}

int dit_sort_combiner_add(struct dit_sort_combiner *combiner, struct dit_span key,
                          struct dit_span value, bool is_passing)
{
	unsigned level = 0;
	int r = is_passing ? copy(&combiner->levels[0].arena, &value) : 0;

	while (r == 0 && combiner->levels[level].is_used) {
		assert(level + 1 < DIT_SORT_LEVELS);
		r = combine(combiner, level, key, value, &value);
		clear(combiner, level);
		level++;
	}
	combiner->levels[level].value = value;
	combiner->levels[level].is_used = true;
	if (level >= combiner->nlevels) {
		combiner->nlevels = level + 1;
	}
	return r;
}

int dit_sort_combiner_finish(struct dit_sort_combiner *combiner, struct dit_span key,
                             struct dit_span *ret)
{
	struct dit_span value = {NULL, 0};
	bool has_value = false;
	int r = 0;

	for (unsigned level = 0; level < combiner->nlevels && r == 0; level++) {
		if (!combiner->levels[level].is_used) {
			continue;
		}
		if (has_value) {
			r = combine(combiner, level, key, value, &value);
		} else {
			value = combiner->levels[level].value;
			has_value = true;
		}
	}
	*ret = value;
	return r;
}

void *dit_sort_alloc(struct dit_arena *arena, size_t size)
{
	return dit_arena_alloc(arena, size);
}
