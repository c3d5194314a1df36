/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The slabs, in the order of their addresses, and lists of the blocks in them that wait.
 *
 * A slab has blocks of one size, and knows how many of them are in use. When a row of
 * slabs is wanted and none waits, the system first gets the slabs that have no block in
 * use: what a load needed for its batches is there again for its sorts.
 */
#include "base/slab.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/grow.h"

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

/* @param block_bytes  of one block in it: malloc() may have reserved what is left of a
 *                     limited address space, and has room for that */
static struct row *row_new(size_t size_bytes, size_t block_bytes, bool is_block)
{
	struct row row = {.size_bytes = size_bytes, .is_block = is_block};
	size_t i = 0;

	if (DIT_GROW(owner.rows, owner.rows_size, owner.nrows + 1) < 0) {
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
	if (!row.is_heap && owner.held_bytes >= SMALL_PAGES_BYTES) {
		(void)madvise(row.at, row.size_bytes, MADV_HUGEPAGE); /* only a wish */
	}
	i = rows_up_to(row.at);
	memmove(&owner.rows[i + 1], &owner.rows[i],
	        (owner.nrows - i) * sizeof(owner.rows[0]));
	owner.rows[i] = row;
	owner.nrows++;
	owner.held_bytes += row.size_bytes;
	return &owner.rows[i];
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

/* The smallest row that waits and is large enough; NULL: there is none. */
static struct row *waiting_row(size_t size_bytes)
{
	struct row *best = NULL;

	for (size_t i = 0; i < owner.nrows; i++) {
		struct row *row = &owner.rows[i];

		if (row->is_block && row->nused == 0 && row->size_bytes >= size_bytes &&
		    (best == NULL || row->size_bytes < best->size_bytes)) {
			best = row;
		}
	}
	return best;
}

static void *get_row(size_t size_bytes)
{
	struct row *row = waiting_row(size_bytes);

	if (row == NULL) {
		free_rows();
		row = row_new((size_bytes + SLAB_BYTES - 1) & ~(SLAB_BYTES - 1),
		              size_bytes, true);
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

uint64_t dit_slab_held_bytes(void)
{
	uint64_t held_bytes = 0;

	lock();
	held_bytes = owner.held_bytes;
	unlock();
	return held_bytes;
}
