/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The slabs, in the order of their addresses, and lists of the blocks in them that wait.
 *
 * A slab has blocks of one size, and knows how many of them are in use. When a row of
 * slabs is wanted and none waits, the system first gets the slabs that have no block in
 * use: what a load needed for its batches is there again for its sorts.
 *
 * A row that is too small gets another address, where there is room after it. Its pages
 * move with it: only what is new is touched for the first time.
 */
#include "base/slab.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
# include <sanitizer/asan_interface.h>
# define READS_WAITING_BLOCKS __attribute__((no_sanitize_address))
#else
# define READS_WAITING_BLOCKS
# define ASAN_POISON_MEMORY_REGION(at, len)   ((void)(at), (void)(len))
# define ASAN_UNPOISON_MEMORY_REGION(at, len) ((void)(at), (void)(len))
#endif

#define SLAB_BYTES ((size_t)2 << 20)
#define BLOCK_MIN  ((size_t)64)
#define BLOCK_MAX  ((size_t)1 << 20) /* larger ones are slabs in a row */
#define NSIZES     15                /* powers of two from BLOCK_MIN to BLOCK_MAX */
#define HEAP_ALIGN ((size_t)4096)
/* A small load ends before it has filled a page of 2 MiB, which has to be cleared. */
#define SMALL_PAGES_BYTES ((size_t)4 << 20)

/* A block that waits begins with a link to the next one of its size. */
struct link {
	struct link *next;
};

/* A slab with blocks, or several in a row that are one block. */
struct row {
	char *at;
	size_t size_bytes;
	bool is_block; /* the row is one block */
	bool is_heap;  /* of malloc() */
	size_t nused;  /* blocks in use */
};

static struct {
	pthread_mutex_t lock;

	/* [lock: lock] */
	struct row *rows; /* by address */
	size_t nrows;
	size_t rows_size;
	struct {
		struct link *waiting;
		char *at; /* the rest of the newest slab */
		char *end;
	} sizes[NSIZES];
	size_t nused; /* blocks in use, of all */
	size_t held_bytes;
	bool cannot_move; /* a row could not be moved; no other one is tried */
} owner = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- fork() ---- */

static void lock(void)
{
	(void)pthread_mutex_lock(&owner.lock);
}

static void unlock(void)
{
	(void)pthread_mutex_unlock(&owner.lock);
}

/* The thread that forks may be another one than the one that has the lock. */
__attribute__((constructor)) static void survive_fork(void)
{
	(void)pthread_atfork(lock, unlock, unlock);
}

/* ---- rows ---- */

/* At a multiple of SLAB_BYTES, so that a page of this size can be there; where the
 * address space is too small for that, anywhere. NULL: no memory */
static char *map_row(size_t size_bytes)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	size_t before = 0;
	char *p =
		mmap(NULL, size_bytes + SLAB_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (p == MAP_FAILED) {
		p = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
		return p == MAP_FAILED ? NULL : p;
	}
	before = -(uintptr_t)p & (SLAB_BYTES - 1);
	if (before > 0) {
		(void)munmap(p, before);
	}
	(void)munmap(p + before + size_bytes, SLAB_BYTES - before);
	return p + before;
}

/* The number of rows that begin at or before an address. */
static size_t rows_up_to(const void *at)
{
	size_t first = 0;
	size_t end = owner.nrows;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if ((uintptr_t)owner.rows[middle].at <= (uintptr_t)at) {
			first = middle + 1;
		} else {
			end = middle;
		}
	}
	return first;
}

static struct row *row_of(const void *block)
{
	return &owner.rows[rows_up_to(block) - 1];
}

/* There is room for one more. */
static struct row *add_row(const struct row *row)
{
	size_t i = rows_up_to(row->at);

	owner.held_bytes += row->size_bytes;
	if (!row->is_heap && owner.held_bytes > SMALL_PAGES_BYTES) {
		(void)madvise(row->at, row->size_bytes, MADV_HUGEPAGE); /* only a wish */
	}
	memmove(&owner.rows[i + 1], &owner.rows[i],
	        (owner.nrows - i) * sizeof(owner.rows[0]));
	owner.rows[i] = *row;
	owner.nrows++;
	return &owner.rows[i];
}

/* Not by DIT_GROW(), which stands on this. */
static int make_room(void)
{
	size_t size = 2 * owner.rows_size + 8;
	struct row *rows = NULL;

	if (owner.nrows < owner.rows_size) {
		return 0;
	}
	rows = reallocarray(owner.rows, size, sizeof(*rows));
	if (rows == NULL) {
		return -ENOMEM;
	}
	owner.rows = rows;
	owner.rows_size = size;
	return 0;
}

/* @param block_bytes  of one block in it: malloc() may have reserved what is left of a
 *                     limited address space, and has room for that */
static struct row *row_new(size_t size_bytes, size_t block_bytes, bool is_block)
{
	struct row row = {.size_bytes = size_bytes, .is_block = is_block};

	if (make_room() < 0) {
		return NULL;
	}
	row.at = map_row(size_bytes);
	if (row.at == NULL) {
		row.at = aligned_alloc(HEAP_ALIGN, block_bytes);
		row.size_bytes = block_bytes;
		row.is_heap = true;
	}
	if (row.at == NULL) {
		return NULL;
	}
	return add_row(&row);
}

static size_t whole_slabs(size_t size_bytes)
{
	return (size_bytes + SLAB_BYTES - 1) & ~(SLAB_BYTES - 1);
}

/* @return the row, larger and elsewhere; NULL: it is as it was */
static struct row *widen_row(struct row *row, size_t size_bytes)
{
	struct row larger = *row;

	larger.size_bytes = whole_slabs(size_bytes);
	larger.at = row->is_heap || owner.cannot_move ? NULL : map_row(larger.size_bytes);
	if (larger.at == NULL) {
		return NULL;
	}
	if (mremap(row->at, row->size_bytes, larger.size_bytes,
	           MREMAP_MAYMOVE | MREMAP_FIXED, larger.at) == MAP_FAILED) {
		/* The system may have unmapped the new place, and another thread have it
		 * by now. So it is left alone. */
		owner.cannot_move = true;
		return NULL;
	}
	owner.held_bytes -= row->size_bytes;
	owner.nrows--;
	memmove(row, row + 1,
	        (size_t)(owner.rows + owner.nrows - row) * sizeof(owner.rows[0]));
	return add_row(&larger);
}

/* Blocks of this size wait no more if nothing of their row is in use. */
READS_WAITING_BLOCKS
static void forget_blocks(unsigned size)
{
	struct link **at = &owner.sizes[size].waiting;

	while (*at != NULL) {
		if (row_of(*at)->nused == 0) {
			*at = (*at)->next;
		} else {
			at = &(*at)->next;
		}
	}
	if (owner.sizes[size].end != NULL &&
	    row_of(owner.sizes[size].end - 1)->nused == 0) {
		owner.sizes[size].at = NULL;
		owner.sizes[size].end = NULL;
	}
}

static void row_free(const struct row *row)
{
	ASAN_UNPOISON_MEMORY_REGION(row->at, row->size_bytes);
	if (row->is_heap) {
		free(row->at);
	} else {
		(void)munmap(row->at, row->size_bytes);
	}
	owner.held_bytes -= row->size_bytes;
}

/* The system gets the rows of which nothing is in use. */
static void free_rows(void)
{
	size_t n = 0;

	for (unsigned i = 0; i < NSIZES; i++) {
		forget_blocks(i);
	}
	for (size_t i = 0; i < owner.nrows; i++) {
		struct row *row = &owner.rows[i];

		if (row->nused > 0) {
			owner.rows[n++] = *row;
		} else {
			row_free(row);
		}
	}
	owner.nrows = n;
}

/* ---- blocks ---- */

/* The smallest row that is large enough is the best one, else the largest. */
static bool is_better(const struct row *row, const struct row *best, size_t size_bytes)
{
	if (best == NULL || best->size_bytes < size_bytes) {
		return best == NULL || row->size_bytes > best->size_bytes;
	}
	return row->size_bytes >= size_bytes && row->size_bytes < best->size_bytes;
}

/* The best row that waits; NULL: none does. */
static struct row *waiting_row(size_t size_bytes)
{
	struct row *best = NULL;

	for (size_t i = 0; i < owner.nrows; i++) {
		struct row *row = &owner.rows[i];

		if (row->is_block && row->nused == 0 &&
		    is_better(row, best, size_bytes)) {
			best = row;
		}
	}
	return best;
}

/* @param row  waits, and is too small; NULL: none waits. @return NULL: no memory */
static struct row *larger_row(struct row *row, size_t size_bytes)
{
	const char *at = row == NULL ? NULL : row->at;

	if (row != NULL) {
		row->nused = 1; /* the others go */
	}
	free_rows();
	row = at == NULL ? NULL : widen_row(row_of(at), size_bytes);
	if (row == NULL && at != NULL) {
		row_of(at)->nused = 0;
		free_rows();
	}
	return row != NULL ? row : row_new(whole_slabs(size_bytes), size_bytes, true);
}

static void *get_row(size_t size_bytes)
{
	struct row *row = waiting_row(size_bytes);

	if (row == NULL || row->size_bytes < size_bytes) {
		row = larger_row(row, size_bytes);
	}
	if (row == NULL) {
		return NULL;
	}
	row->nused = 1;
	return row->at;
}

/* The number of the smallest size that is large enough. */
static unsigned size_for(size_t size_bytes)
{
	unsigned size = 0;

	while (BLOCK_MIN << size < size_bytes) {
		size++;
	}
	return size;
}

/* From the newest slab of this size, or another slab. */
static void *cut_block(unsigned size)
{
	char *block = owner.sizes[size].at;

	if (block == owner.sizes[size].end) {
		const struct row *row = row_new(SLAB_BYTES, BLOCK_MIN << size, false);

		if (row == NULL) {
			return NULL;
		}
		block = row->at;
		owner.sizes[size].end = block + row->size_bytes;
	}
	owner.sizes[size].at = block + (BLOCK_MIN << size);
	return block;
}

static void *get_block(unsigned size)
{
	struct link *waiting = owner.sizes[size].waiting;
	void *block = waiting == NULL ? cut_block(size) : waiting;

	if (waiting != NULL) {
		ASAN_UNPOISON_MEMORY_REGION(waiting, BLOCK_MIN << size);
		owner.sizes[size].waiting = waiting->next;
	}
	if (block != NULL) {
		row_of(block)->nused++;
	}
	return block;
}

static void wait_block(struct link *block, unsigned size)
{
	block->next = owner.sizes[size].waiting;
	owner.sizes[size].waiting = block;
	ASAN_POISON_MEMORY_REGION(block, BLOCK_MIN << size);
}

void *dit_slab_get(size_t size_bytes)
{
	void *block = NULL;

	if (size_bytes > SIZE_MAX / 2) {
		return NULL;
	}
	lock();
	block = size_bytes > BLOCK_MAX ? get_row(size_bytes)
	                               : get_block(size_for(size_bytes));
	owner.nused += block != NULL;
	unlock();
	return block;
}

void dit_slab_put(void *block, size_t size_bytes)
{
	if (block == NULL) {
		return;
	}
	lock();
	row_of(block)->nused--;
	if (size_bytes <= BLOCK_MAX) {
		wait_block(block, size_for(size_bytes));
	}
	if (--owner.nused == 0) {
		free_rows();
		free(owner.rows);
		owner.rows = NULL;
		owner.rows_size = 0;
	}
	unlock();
}

/* Enlarge the row of a block, if no large one waits. NULL: it is as it was */
static void *widen_block(const void *block, size_t wanted_bytes)
{
	const struct row *row = NULL;
	char *larger = NULL;

	lock();
	row = waiting_row(wanted_bytes);
	if (row == NULL || row->size_bytes < wanted_bytes) {
		row = widen_row(row_of(block), wanted_bytes);
		larger = row == NULL ? NULL : row->at;
	}
	unlock();
	return larger;
}

void *dit_slab_grow(void *block, size_t size_bytes, size_t kept_bytes,
                    size_t wanted_bytes)
{
	void *larger = NULL;

	if (size_bytes > BLOCK_MAX && wanted_bytes <= SIZE_MAX / 2) {
		larger = widen_block(block, wanted_bytes);
	}
	if (larger != NULL) {
		return larger;
	}
	larger = dit_slab_get(wanted_bytes);
	if (larger == NULL) {
		return NULL;
	}
	if (kept_bytes > 0) {
		memcpy(larger, block, kept_bytes);
	}
	dit_slab_put(block, size_bytes);
	return larger;
}

uint64_t dit_slab_held_bytes(void)
{
	uint64_t held_bytes = 0;

	lock();
	held_bytes = owner.held_bytes;
	unlock();
	return held_bytes;
}
