/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file with the pages of one tree, for tests that merge changes at random
 * (tree_merge.h): formats and pages of all sizes, which pages the tree has, damage.
 */
#ifndef DITKIT_MERGE_FIXTURE_H
#define DITKIT_MERGE_FIXTURE_H

#include "test.h"

#include <fcntl.h>

#include <lmdb.h>

#include "base/error.h"
#include "page/key_order.h"
#include "page/page_seal.h"
#include "page/page_source.h"
#include "page/page_view.h"
#include "tree/tree_merge.h"

#include "system/xor_crypto.h"

#define MERGE_PAGES_MAX (1u << 16)

struct merge_file {
	const struct dit_page_format *format;
	struct dit_page_format sealed; /* every fourth file has this format */
	struct dit_crypto crypto;
	char key[XOR_KEY_BYTES];
	unsigned page_bytes;
	unsigned seed;
	char *path;
	int fd;
	struct dit_page_space space;
	struct dit_page_source pages;
	struct dit_tree_record tree;
	bool is_damaged;
	/* By page: 1 of the tree, 2 dropped from it. */
	unsigned char *state;
	unsigned char *seen;
};

static inline unsigned merge_random(struct merge_file *file)
{
	file->seed = file->seed * 1103515245u + 12345u;
	return file->seed >> 8;
}

/** Empty. The number makes the format, the size of the pages and all that is random. */
static inline void merge_file_begin(struct merge_file *file, const char *dir,
                                    unsigned number)
{
	unsigned sizes = number % 2 == 0 ? 7 : 8; /* 512 to 32,768 or to 65,536 */

	*file = (struct merge_file){.format =
	                                    number % 2 == 0 ? &dit_lmdb_09 : &dit_lmdb_10,
	                            .seed = number * 7919 + 1};
	file->page_bytes = 512u << merge_random(file) % sizes;
	if (number % 4 == 3) {
		file->crypto = xor_crypto("secret", file->key);
		file->sealed = dit_page_format_sealed(&file->crypto);
		file->format = &file->sealed;
	}
	assert_true(asprintf(&file->path, "%s/pages", dir) > 0);
	file->fd = open(file->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(file->fd >= 0);
	file->state = calloc(MERGE_PAGES_MAX, 1);
	file->seen = calloc(MERGE_PAGES_MAX, 1);
	assert_true(file->state != NULL && file->seen != NULL);
	dit_page_space_init(&file->space, file->format, file->page_bytes, 2);
	file->space.chunk_pages = 5;
	dit_page_file_open(&file->space.file, file->fd, NULL, false);
	dit_page_source_init(&file->pages, file->fd, file->format, file->page_bytes, 2);
}

static inline void merge_file_end(struct merge_file *file)
{
	dit_page_file_close(&file->space.file);
	(void)close(file->fd);
	free(file->state);
	free(file->seen);
	free(file->path);
}

/* ---- which pages the tree has ---- */

/** For the options of a merge. */
static inline int merge_drop_pages(void *ctx, uint64_t first, uint64_t n)
{
	struct merge_file *file = ctx;

	for (uint64_t page = first; page < first + n && !file->is_damaged; page++) {
		assert_true(page < MERGE_PAGES_MAX);
		assert_int_equal(file->state[page], 1);
		file->state[page] = 2;
	}
	return 0;
}

/** Pages from this one on are new: they are the tree's. */
static inline void merge_own_pages(struct merge_file *file, uint64_t first)
{
	uint64_t end = atomic_load(&file->space.next_page);

	assert_true(end < MERGE_PAGES_MAX);
	memset(file->state + first, 1, end - first);
}

static inline void merge_forget_seen(struct merge_file *file)
{
	memset(file->seen, 0, MERGE_PAGES_MAX);
}

static inline void merge_see(struct merge_file *file, uint64_t first, uint64_t n)
{
	for (uint64_t page = first; page < first + n; page++) {
		assert_true(page >= 2 && page < atomic_load(&file->space.next_page));
		assert_int_equal(file->seen[page], 0);
		file->seen[page] = 1;
	}
}

/** Dropped pages are not seen any more, all others are the tree's. */
static inline void merge_assert_dropped(const struct merge_file *file)
{
	for (uint64_t page = 2; page < atomic_load(&file->space.next_page); page++) {
		assert_int_equal(file->seen[page], file->state[page] != 2);
	}
}

/** A page that is seen. @param extra  flags of a leaf; @param ret  bytes for free() */
static inline void merge_read_view(struct merge_file *file, uint64_t number, bool is_leaf,
                                   unsigned extra, struct dit_page_view *ret)
{
	char *page = malloc(file->page_bytes);

	assert_non_null(page);
	assert_int_equal(pread(file->fd, page, file->page_bytes,
	                       (off_t)(number * file->page_bytes)),
	                 file->page_bytes);
	if (file->format->crypto != NULL) {
		assert_int_equal(dit_page_unseal(file->format, page, file->page_bytes),
		                 0);
	}
	*ret = (struct dit_page_view){page, dit_page_end(file->format, file->page_bytes),
	                              file->format};
	merge_see(file, number, 1);
	assert_int_equal(dit_view_number(*ret), number);
	assert_true(dit_view_has_bounds(*ret));
	assert_int_equal(dit_view_flags(*ret),
	                 is_leaf ? DIT_PAGE_LEAF | extra : DIT_PAGE_BRANCH);
	assert_true(dit_view_count(*ret) >= (is_leaf ? 1 : 2));
}

/* ---- damage ---- */

/** Some words of the pages are others. */
static inline void merge_damage(struct merge_file *file)
{
	uint64_t npages = atomic_load(&file->space.next_page);

	for (unsigned i = 0; i < 1 + npages / 4; i++) {
		unsigned place = merge_random(file) % 2 == 0 ? 60 : file->page_bytes;
		uint64_t page = 2 + merge_random(file) % (npages - 2);
		uint16_t word = (uint16_t)(merge_random(file) % 2 == 0
		                                   ? merge_random(file)
		                                   : merge_random(file) % 600);

		assert_int_equal(pwrite(file->fd, &word, sizeof(word),
		                        (off_t)(page * file->page_bytes +
		                                merge_random(file) % (place / 2) * 2)),
		                 sizeof(word));
	}
	file->is_damaged = true;
	file->pages.npages = npages;
}

#endif
