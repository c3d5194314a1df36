/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of arenas:
 * - pieces are aligned, do not overlap, and keep their bytes while others are added;
 * - reset and rewind keep the memory, so that the same work needs no more of it;
 * - a piece larger than a block gets a block of its own;
 * - shared arenas give their blocks to each other;
 * - an impossible size gives NULL and does no harm.
 */
#include "test.h"

#include "base/arena.h"
#include "base/slab.h"
#include "schema_test.h"

#define BLOCK_BYTES 256

static int setup(void **state)
{
	*state = test_arena(BLOCK_BYTES);
	return 0;
}

SETUP_TEST(a_new_arena_holds_no_memory)
{
	struct dit_arena *arena = *state;

	assert_int_equal(arena->total_bytes, 0);
	dit_arena_reset(arena);
	dit_arena_deinit(arena);
	dit_arena_deinit(arena);
}

SETUP_TEST(pieces_are_aligned)
{
	struct dit_arena *arena = *state;

	for (size_t align = 1; align <= 16; align *= 2) {
		for (int i = 0; i < 100; i++) {
			assert_non_null(dit_arena_bytes(arena, 1));
			assert_int_equal(
				(uintptr_t)dit_arena_alloc_aligned(arena, 3, align) %
					align,
				0);
		}
	}
	assert_int_equal((uintptr_t)dit_arena_alloc(arena, 1) % 8, 0);
}

/* Each piece is filled with a byte of its own; an overlap would show in the end. */
SETUP_TEST(pieces_do_not_overlap)
{
	enum {
		NPIECES = 200
	};
	struct dit_arena *arena = *state;
	unsigned char *pieces[NPIECES];

	for (int i = 0; i < NPIECES; i++) {
		pieces[i] = dit_arena_alloc(arena, (size_t)i * 3);
		assert_non_null(pieces[i]);
		memset(pieces[i], i, (size_t)i * 3);
	}
	for (int i = 0; i < NPIECES; i++) {
		for (int k = 0; k < i * 3; k++) {
			assert_int_equal(pieces[i][k], i);
		}
	}
}

SETUP_TEST(a_piece_of_no_bytes_is_valid)
{
	struct dit_arena *arena = *state;

	assert_non_null(dit_arena_alloc(arena, 0));
	assert_non_null(dit_arena_bytes(arena, 0));
}

/* Ordinary pieces and one large one, in an order that leaves ends of blocks unused. */
static void work(struct dit_arena *arena)
{
	for (size_t i = 0; i < 20; i++) {
		assert_non_null(dit_arena_alloc(arena, 100));
		if (i == 7) {
			assert_non_null(dit_arena_alloc(arena, BLOCK_BYTES * 10));
		}
	}
}

SETUP_TEST(the_same_work_after_a_reset_needs_no_more_memory)
{
	struct dit_arena *arena = *state;
	size_t total = 0;

	work(arena);
	total = arena->total_bytes;
	for (int i = 0; i < 10; i++) {
		dit_arena_reset(arena);
		work(arena);
	}
	assert_int_equal(arena->total_bytes, total);
}

SETUP_TEST(a_large_piece_leaves_the_ordinary_blocks_in_use)
{
	struct dit_arena *arena = *state;

	work(arena);
	dit_arena_reset(arena);
	assert_non_null(dit_arena_alloc(arena, BLOCK_BYTES * 20));
	work(arena);
	for (int i = 0; i < 10; i++) {
		size_t total = arena->total_bytes;

		dit_arena_reset(arena);
		assert_non_null(dit_arena_alloc(arena, BLOCK_BYTES * 20));
		work(arena);
		assert_true(i == 0 || arena->total_bytes == total);
	}
}

SETUP_TEST(rewind_forgets_what_came_after_the_mark)
{
	struct dit_arena *arena = *state;
	char *kept = dit_arena_bytes(arena, 5);
	struct dit_arena_mark mark = dit_arena_mark(arena);
	char *next = dit_arena_bytes(arena, 1);
	size_t total = 0;

	memcpy(kept, "kept", 5);
	work(arena);
	total = arena->total_bytes;
	for (int i = 0; i < 10; i++) {
		dit_arena_rewind(arena, mark);
		assert_ptr_equal(dit_arena_bytes(arena, 1), next);
		work(arena);
	}
	assert_int_equal(arena->total_bytes, total);
	assert_string_equal(kept, "kept");
}

SETUP_TEST(a_mark_of_an_empty_arena_rewinds_to_the_start)
{
	struct dit_arena *arena = *state;
	struct dit_arena_mark mark = dit_arena_mark(arena);
	void *first = dit_arena_alloc(arena, 1);

	work(arena);
	dit_arena_rewind(arena, mark);
	assert_ptr_equal(dit_arena_alloc(arena, 1), first);
}

SETUP_TEST(a_trimmed_tail_is_given_out_again)
{
	struct dit_arena *arena = *state;
	char *p = dit_arena_bytes(arena, 100);

	dit_arena_trim(arena, p, 10);
	assert_ptr_equal(dit_arena_bytes(arena, 1), p + 10);
}

SETUP_TEST(calloc_gives_zeroes_also_in_used_memory)
{
	static const char zeroes[BLOCK_BYTES];
	struct dit_arena *arena = *state;

	memset(dit_arena_alloc(arena, BLOCK_BYTES), 0xff, BLOCK_BYTES);
	dit_arena_reset(arena);
	assert_memory_equal(dit_arena_calloc(arena, BLOCK_BYTES / 4, 4), zeroes,
	                    BLOCK_BYTES);
}

SETUP_TEST(copies_end_with_nul)
{
	struct dit_arena *arena = *state;
	struct dit_span copy = {NULL, 0};

	copy = dit_arena_copy(arena, DIT_SPAN("a\0b"));
	assert_int_equal(copy.len, 3);
	assert_memory_equal(copy.data, "a\0b", 4);
	copy = dit_arena_copy(arena, (struct dit_span){NULL, 0});
	assert_int_equal(copy.len, 0);
	assert_string_equal(copy.data, "");
}

SETUP_TEST(impossible_sizes_give_null)
{
	struct dit_arena *arena = *state;
	void *p = dit_arena_alloc(arena, 8);

	assert_null(dit_arena_alloc(arena, SIZE_MAX));
	assert_null(dit_arena_alloc(arena, SIZE_MAX - 8));
	assert_null(dit_arena_calloc(arena, SIZE_MAX / 2, 3));
	assert_null(dit_arena_calloc(arena, SIZE_MAX, 1));
	assert_null(dit_arena_copy(arena, (struct dit_span){"", SIZE_MAX - 1}).data);
	assert_ptr_equal(dit_arena_alloc(arena, 8), (char *)p + 8);
}

TEST(shared_arenas_give_blocks_to_each_other)
{
	struct dit_arena first;
	struct dit_arena second;
	char *pieces[3];
	void *stays = dit_slab_get(1); /* so that the slab stays */

	dit_arena_init_shared(&first, BLOCK_BYTES, NULL);
	dit_arena_init_shared(&second, BLOCK_BYTES, NULL);
	for (size_t i = 0; i < 3; i++) {
		pieces[i] = dit_arena_alloc(&first, BLOCK_BYTES - 100);
		assert_non_null(pieces[i]);
	}
	assert_non_null(dit_arena_alloc(&first, BLOCK_BYTES * 10));
	dit_arena_reset(&first);
	assert_int_equal(first.total_bytes, 0);

	for (size_t i = 0; i < 3; i++) {
		char *piece = dit_arena_alloc(&second, BLOCK_BYTES - 100);

		assert_true(piece == pieces[0] || piece == pieces[1] ||
		            piece == pieces[2]);
		memset(piece, 'x', BLOCK_BYTES - 100);
	}
	dit_arena_deinit(&second);
	dit_arena_deinit(&first);
	dit_slab_put(stays, 1);
	assert_int_equal(dit_slab_held_bytes(), 0);
}

SETUP_TEST(pieces_are_joined)
{
	struct dit_arena *arena = *state;
	const struct dit_span parts[] = {DIT_SPAN("ab"), {NULL, 0}, DIT_SPAN("c")};
	const struct dit_span impossible[] = {{"", SIZE_MAX - 1}};
	struct dit_span joined = {0};

	assert_int_equal(dit_arena_join(arena, parts, 3, &joined), 0);
	assert_int_equal(joined.len, 3);
	assert_memory_equal(joined.data, "abc", 3);
	assert_int_equal(dit_arena_join(arena, parts, 0, &joined), 0);
	assert_int_equal(joined.len, 0);
	assert_non_null(joined.data);
	assert_int_equal(dit_arena_join(arena, impossible, 1, &joined), -ENOMEM);
}
