/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of slabs:
 * - blocks do not overlap, keep their bytes, and are aligned to their size or 4 KiB;
 * - what is put back serves the next request: of its size, or of fewer slabs;
 * - slabs without a block in use make room for a row of slabs;
 * - a row that is too small is enlarged, if it can be;
 * - when all blocks are back, nothing is held;
 * - where nothing more can be mapped, malloc() is asked;
 * - without memory NULL is returned, and blocks in use are as they were;
 * - threads get and put at once.
 */
#include "test.h"

#include "base/slab.h"

#include <pthread.h>
#include <stdarg.h>
#include <sys/mman.h>

#define MIB     ((size_t)1 << 20)
#define NBLOCKS 200
#define NSTEPS  20000

/* Mappings until one fails; -1: none does. */
static long maps_left = -1;

void *__real_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	if (maps_left >= 0 && maps_left-- == 0) {
		maps_left = 0; /* nor does the next one work */
		return MAP_FAILED;
	}
	return __real_mmap(at, size, prot, flags, fd, offset);
}

static bool can_move = true;
static unsigned nmoves;

void *__real_mremap(void *at, size_t size, size_t wanted, int flags, ...);
void *__wrap_mremap(void *at, size_t size, size_t wanted, int flags, ...);

void *__wrap_mremap(void *at, size_t size, size_t wanted, int flags, ...)
{
	va_list more;
	void *to = NULL;

	va_start(more, flags);
	to = va_arg(more, void *);
	va_end(more);
	nmoves++;
	return can_move ? __real_mremap(at, size, wanted, flags, to) : MAP_FAILED;
}

static bool has_heap = true;

void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return has_heap ? __real_aligned_alloc(align, size) : NULL;
}

/* ---- a model: blocks whose bytes tell whose they are ---- */

struct held {
	unsigned char *bytes;
	size_t size;
	unsigned char mark;
};

static void mark_ends(const struct held *held)
{
	memset(held->bytes, held->mark, held->size < 64 ? held->size : 64);
	held->bytes[held->size / 2] = held->mark;
	held->bytes[held->size - 1] = held->mark;
}

static void check_ends(const struct held *held)
{
	for (size_t i = 0; i < 64 && i < held->size; i++) {
		assert_int_equal(held->bytes[i], held->mark);
	}
	assert_int_equal(held->bytes[held->size / 2], held->mark);
	assert_int_equal(held->bytes[held->size - 1], held->mark);
}

static size_t alignment_of(size_t size)
{
	size_t align = 64;

	while (align < size && align < 4096) {
		align *= 2;
	}
	return align;
}

/* As many small blocks as large ones: 1 byte to 4 MiB. */
static size_t size_of(unsigned long random)
{
	return (size_t)1 + random / 23 % ((size_t)1 << random % 23);
}

static void *use_blocks(void *arg)
{
	unsigned long random = 88172645463325252u + *(const unsigned *)arg;
	struct held held[NBLOCKS] = {{NULL, 0, 0}};

	for (unsigned step = 0; step < NSTEPS; step++) {
		struct held *h = NULL;

		random = random * 6364136223846793005u + 1442695040888963407u;
		h = &held[(random >> 33) % NBLOCKS];
		if (h->bytes != NULL) {
			check_ends(h);
			dit_slab_put(h->bytes, h->size);
			h->bytes = NULL;
			continue;
		}
		h->size = size_of(random >> 20);
		h->mark = (unsigned char)step;
		h->bytes = dit_slab_get(h->size);
		assert_non_null(h->bytes);
		assert_int_equal((uintptr_t)h->bytes % alignment_of(h->size), 0);
		mark_ends(h);
	}
	for (unsigned i = 0; i < NBLOCKS; i++) {
		if (held[i].bytes != NULL) {
			check_ends(&held[i]);
			dit_slab_put(held[i].bytes, held[i].size);
		}
	}
	return NULL;
}

TEST(blocks_are_apart_and_keep_their_bytes)
{
	unsigned seed = 0;

	(void)use_blocks(&seed);
	assert_int_equal(dit_slab_held_bytes(), 0);
}

TEST(threads_get_and_put_at_once)
{
	pthread_t threads[3];
	unsigned seeds[3] = {1, 2, 3};

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, use_blocks, &seeds[i]),
		                 0);
	}
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	}
	assert_int_equal(dit_slab_held_bytes(), 0);
}

/* ---- reuse ---- */

TEST(the_newest_block_of_a_size_comes_first)
{
	void *blocks[3];

	for (size_t i = 0; i < 3; i++) {
		blocks[i] = dit_slab_get(60000);
	}
	dit_slab_put(blocks[0], 60000);
	dit_slab_put(blocks[1], 60000);
	assert_ptr_equal(dit_slab_get(65536), blocks[1]);
	assert_ptr_equal(dit_slab_get(40000), blocks[0]);
	for (size_t i = 0; i < 3; i++) {
		dit_slab_put(blocks[i], 65536);
	}
	dit_slab_put(NULL, 10);
	assert_int_equal(dit_slab_held_bytes(), 0);
}

TEST(the_smallest_row_that_is_large_enough_is_taken)
{
	void *stays = dit_slab_get(1);
	void *small = dit_slab_get(3 * MIB);
	void *large = dit_slab_get(8 * MIB);

	dit_slab_put(large, 8 * MIB);
	dit_slab_put(small, 3 * MIB);
	assert_ptr_equal(dit_slab_get(4 * MIB), small);
	assert_ptr_equal(dit_slab_get(2 * MIB), large);
	assert_int_equal(dit_slab_held_bytes(), (2 + 4 + 8) * MIB);
	dit_slab_put(small, 4 * MIB);
	dit_slab_put(large, 2 * MIB);
	dit_slab_put(stays, 1);
	assert_int_equal(dit_slab_held_bytes(), 0);
}

/* 10 MiB of chunks and a row of 4 MiB, then a row of 6 MiB. */
TEST(idle_slabs_make_room_for_a_row)
{
	void *stays = dit_slab_get(MIB / 4);
	void *chunks[10];
	void *row = dit_slab_get(4 * MIB);

	for (size_t i = 0; i < 10; i++) {
		chunks[i] = dit_slab_get(MIB);
	}
	dit_slab_put(row, 4 * MIB);
	for (size_t i = 1; i < 10; i++) {
		dit_slab_put(chunks[i], MIB);
	}
	assert_int_equal(dit_slab_held_bytes(), (2 + 10 + 4) * MIB);
	row = dit_slab_get(6 * MIB);
	/* The slab of the chunk that is in use stays, and the other chunk in it. */
	assert_int_equal(dit_slab_held_bytes(), (2 + 2 + 6) * MIB);
	assert_ptr_equal(dit_slab_get(MIB), chunks[1]);
	dit_slab_put(chunks[1], MIB);
	dit_slab_put(chunks[0], MIB);
	dit_slab_put(row, 6 * MIB);
	dit_slab_put(stays, MIB / 4);
	assert_int_equal(dit_slab_held_bytes(), 0);
}

/* Its bytes are kept, and nothing else is held. */
static void grow(struct held *held, size_t wanted)
{
	held->bytes = dit_slab_grow(held->bytes, held->size, held->size, wanted);
	assert_non_null(held->bytes);
	check_ends(held);
	held->size = wanted;
	mark_ends(held);
}

static void grow_all(void)
{
	struct held held = {dit_slab_get(1000), 1000, 9};

	mark_ends(&held);
	for (size_t size = 2000; size <= 40 * MIB; size += size / 2) {
		grow(&held, size);
	}
	dit_slab_put(held.bytes, held.size);
	assert_int_equal(dit_slab_held_bytes(), 0);
}

TEST(a_block_that_grows_keeps_its_bytes)
{
	grow_all();
}

TEST(a_row_that_grows_holds_nothing_else)
{
	struct held held = {dit_slab_get(3 * MIB), 3 * MIB, 9};
	void *waits = dit_slab_get(12 * MIB);

	mark_ends(&held);
	grow(&held, 5 * MIB);
	assert_int_equal(dit_slab_held_bytes(), (6 + 12) * MIB);
	dit_slab_put(waits, 12 * MIB);
	grow(&held, 9 * MIB);
	assert_ptr_equal(held.bytes, waits);
	dit_slab_put(held.bytes, held.size);
	assert_int_equal(dit_slab_held_bytes(), 0);
}

static void enlarge_waiting(void)
{
	void *stays = dit_slab_get(1);
	void *row = NULL;

	dit_slab_put(dit_slab_get(4 * MIB), 4 * MIB);
	dit_slab_put(dit_slab_get(7 * MIB), 7 * MIB);
	row = dit_slab_get(11 * MIB);
	assert_non_null(row);
	memset(row, 1, 11 * MIB);
	assert_int_equal(dit_slab_held_bytes(), (2 + 12) * MIB);
	dit_slab_put(row, 11 * MIB);
	dit_slab_put(stays, 1);
	assert_int_equal(dit_slab_held_bytes(), 0);
}

TEST(a_row_that_waits_is_enlarged)
{
	enlarge_waiting();
}

/* ---- failures ---- */

/* The address space is used up, but malloc() has reserved some. */
TEST(without_mappings_there_is_the_heap)
{
	struct held stays = {dit_slab_get(100), 100, 7};
	struct held held[] = {{NULL, 4096, 1}, {NULL, MIB, 2}, {NULL, 3 * MIB, 3}};

	for (size_t i = 0; i < 3; i++) {
		maps_left = 0;
		held[i].bytes = dit_slab_get(held[i].size);
		maps_left = -1;
		assert_non_null(held[i].bytes);
		assert_int_equal((uintptr_t)held[i].bytes % 4096, 0);
		mark_ends(&held[i]);
	}
	for (size_t i = 0; i < 3; i++) {
		check_ends(&held[i]);
		dit_slab_put(held[i].bytes, held[i].size);
	}
	dit_slab_put(stays.bytes, stays.size);
	assert_int_equal(dit_slab_held_bytes(), 0);
}

TEST(without_memory_there_is_no_block)
{
	struct held stays = {dit_slab_get(100), 100, 7};

	mark_ends(&stays);
	for (size_t size = 4096; size <= 4 * MIB; size *= 2) {
		maps_left = 0;
		has_heap = false;
		assert_null(dit_slab_get(size));
		assert_null(dit_slab_grow(stays.bytes, stays.size, 100, size));
		has_heap = true;
		maps_left = -1;
	}
	assert_null(dit_slab_get(SIZE_MAX));
	assert_null(dit_slab_get(SIZE_MAX / 2 + 1));
	check_ends(&stays);
	dit_slab_put(stays.bytes, stays.size);
	assert_int_equal(dit_slab_held_bytes(), 0);
}

TEST(a_buffer_grows_and_is_empty_after_a_failure)
{
	struct dit_buffer buffer = {NULL, 0};

	assert_int_equal(dit_buffer_reserve(&buffer, 100), 0);
	assert_int_equal(dit_buffer_reserve(&buffer, 50), 0);
	assert_int_equal(buffer.size_bytes, 100);
	assert_int_equal(dit_buffer_reserve(&buffer, SIZE_MAX), -ENOMEM);
	assert_null(buffer.data);
	assert_int_equal(buffer.size_bytes, 0);
	assert_int_equal(dit_buffer_reserve(&buffer, 5 * MIB), 0);
	dit_buffer_drop(&buffer);
	dit_buffer_drop(&buffer);
	assert_int_equal(dit_slab_held_bytes(), 0);
}

/* The last test: once a row could not be moved, none is. */
TEST(without_moves_there_are_new_rows)
{
	can_move = false;
	enlarge_waiting();
	grow_all();
	can_move = true;
	nmoves = 0;
	enlarge_waiting();
	grow_all();
	assert_int_equal(nmoves, 0);
}
