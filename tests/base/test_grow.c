/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays grow by half, or double, and keep what they hold. */
#include "base/grow.h"

#include "test.h"

TEST(first_growth_makes_an_array)
{
	size_t size = 0;
	int *items = NULL;

	assert_int_equal(DIT_GROW(items, size, 1), 0);
	assert_non_null(items);
	assert_in_range(size, 1, 64);
	free(items);
}

TEST(array_with_room_stays_where_it_is)
{
	size_t size = 0;
	int *items = NULL;
	const int *before = NULL;

	assert_int_equal(DIT_GROW(items, size, 100), 0);
	assert_int_equal(size, 100);
	before = items;
	assert_int_equal(DIT_GROW(items, size, 100), 0);
	assert_ptr_equal(items, before);
	assert_int_equal(size, 100);
	free(items);
}

TEST(items_survive_and_growths_are_few)
{
	size_t size = 0;
	size_t last = 0;
	unsigned ngrowths = 0;
	int *items = NULL;

	for (size_t n = 0; n < 100000; n++) {
		assert_int_equal(DIT_GROW(items, size, n + 1), 0);
		items[n] = (int)n;
		ngrowths += size != last;
		last = size;
	}
	for (size_t n = 0; n < 100000; n++) {
		assert_int_equal(items[n], n);
	}
	assert_in_range(ngrowths, 2, 40);
	free(items);
}

TEST(product_over_the_address_space_is_refused)
{
	size_t size = 0;
	int *items = NULL;
	const int *before = NULL;
	size_t size_before = 0;

	assert_int_equal(DIT_GROW(items, size, 4), 0);
	before = items;
	size_before = size;
	assert_int_equal(DIT_GROW(items, size, SIZE_MAX / 2), -ENOMEM);
	assert_int_equal(DIT_GROW(items, size, SIZE_MAX), -ENOMEM);
	assert_ptr_equal(items, before);
	assert_int_equal(size, size_before);
	items[3] = 1;
	free(items);
}

TEST(a_large_array_doubles)
{
	size_t size = 0;
	size_t last = 0;
	size_t *items = NULL;

	for (size_t n = 0; n < 1000000; n++) {
		assert_int_equal(DIT_GROW_LARGE(items, size, n + 1), 0);
		assert_true(size == last || last == 0 || size == 2 * last);
		items[n] = n;
		last = size;
	}
	assert_int_equal(DIT_GROW_LARGE(items, size, SIZE_MAX / 4), -ENOMEM);
	assert_int_equal(DIT_GROW_LARGE(items, size, SIZE_MAX), -ENOMEM);
	assert_int_equal(size, last);
	for (size_t n = 0; n < 1000000; n++) {
		assert_true(items[n] == n);
	}
	DIT_FREE_LARGE(items, size);
	assert_int_equal(dit_slab_held_bytes(), 0);
}

static void use_memory(void)
{
	volatile unsigned char *bytes = malloc(20000);

	assert_non_null((const void *)bytes);
	for (size_t i = 0; i < 20000; i++) {
		bytes[i] = 0xff;
	}
	free((void *)bytes);
}

TEST(new_items_of_a_cleared_array_are_zero)
{
	size_t size = 0;
	size_t nset = 0;
	unsigned char *items = NULL;

	for (size_t n = 1; n < 5000; n += n / 3 + 1) {
		size_t sum = 0;

		use_memory();
		assert_int_equal(DIT_GROW_CLEARED(items, size, n), 0);
		for (size_t i = 0; i < size; i++) {
			sum += items[i];
		}
		assert_int_equal(sum, nset);
		items[n - 1] = 1;
		nset++;
	}
	assert_int_equal(DIT_GROW_CLEARED(items, size, SIZE_MAX), -ENOMEM);
	free(items);
}
