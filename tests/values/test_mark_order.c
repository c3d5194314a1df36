/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The canonical order of marks. A code point of these tests is its class plus 256 times a
 * number that tells equal classes apart.
 */
#include "values/mark_order.h"

#include <string.h>

#include "test.h"

/* Counts its calls: that bounds the work, without a clock. */
static uint8_t class_of(void *ctx, uint32_t point)
{
	size_t *ncalls = ctx;

	(*ncalls)++;
	return (uint8_t)(point & 0xFF);
}

/* By insertion, as slapd does: a mark goes in front of marks of a higher class. */
static void order_by_insertion(uint32_t *points, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t point = points[i];
		size_t at = i;

		while ((point & 0xFF) > 0 && at > 0 &&
		       (points[at - 1] & 0xFF) > (point & 0xFF)) {
			points[at] = points[at - 1];
			at--;
		}
		points[at] = point;
	}
}

/* One code point in @p every has class 0, the others have one of eight classes. */
static uint32_t *make_points(size_t n, unsigned every)
{
	uint32_t *points = test_calloc(n, sizeof(*points));
	uint32_t seed = 12345;

	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		points[i] = (uint32_t)(i << 8);
		if ((seed >> 8) % every != 0) {
			points[i] |= 255 - (seed >> 24) % 8 * 30;
		}
	}
	return points;
}

static void marks_are_ordered_as_by_insertion(void **state)
{
	static const size_t sizes[] = {0, 1, 2, 3, 17, 160, 3000};
	struct dit_arena arena;

	(void)state;
	dit_arena_init(&arena, 1024);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (unsigned every = 1; every <= 4096; every *= 4) {
			uint32_t *points = make_points(sizes[i], every);
			uint32_t *expected = make_points(sizes[i], every);
			size_t ncalls = 0;

			order_by_insertion(expected, sizes[i]);

			assert_int_equal(dit_mark_order(points, sizes[i], class_of,
			                                &ncalls, &arena),
			                 0);

			assert_memory_equal(points, expected, sizes[i] * sizeof(*points));
			test_free(points);
			test_free(expected);
		}
	}
	dit_arena_deinit(&arena);
}

/* A text four times as long asks for four times as many classes. */
static void the_work_grows_as_the_length_does(void **state)
{
	static const size_t sizes[] = {500000, 2000000};
	struct dit_arena arena;

	(void)state;
	dit_arena_init(&arena, 1024);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint32_t *points = make_points(sizes[i], 1u << 30);
		size_t ncalls = 0;

		assert_int_equal(
			dit_mark_order(points, sizes[i], class_of, &ncalls, &arena), 0);

		assert_int_equal(ncalls, 2 * sizes[i]);
		test_free(points);
	}
	dit_arena_deinit(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_ordered_as_by_insertion),
		cmocka_unit_test(the_work_grows_as_the_length_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
