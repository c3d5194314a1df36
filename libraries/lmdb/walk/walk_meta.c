/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Meta pages. Transaction n lies on page n modulo 2, so liblmdb never writes to the page
 * that counts; and so it looks only at the page with the right number once a lock file is
 * in use.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "page/meta_pages.h"
#include "walk/walk_private.h"

/* Flags of a tree; the others in the free list's flags are those of the environment. */
#define TREE_FLAGS                                                                       \
 (DIT_DB_REVERSEKEY | DIT_DB_DUPSORT | DIT_DB_INTEGERKEY | DIT_DB_DUPFIXED |             \
  DIT_DB_INTEGERDUP | DIT_DB_REVERSEDUP)
#define META_BYTES_MAX (24 + sizeof(struct dit_meta)) /* of any format */
/* A writer may be at work while a page is read: it is read until it stays the same. */
#define READS_MAX 100

struct meta_page {
	bool is_there; /* read, and of LMDB */
	const struct dit_page_format *format;
	char bytes[META_BYTES_MAX]; /* as many as the format has */
	struct dit_meta meta;
};

static int read_meta_page(int fd, const struct dit_page_format *format, off_t at,
                          struct meta_page *ret)
{
	size_t len = format->header_bytes + sizeof(ret->meta);
	char again[META_BYTES_MAX];

	*ret = (struct meta_page){.is_there = false, .format = format};
	for (int i = 0; i < READS_MAX; i++) {
		ssize_t n = pread(fd, ret->bytes, len, at);

		if (n < 0) {
			return -errno;
		}
		if (n != (ssize_t)len) {
			return -ENODATA;
		}
		if (pread(fd, again, len, at) == (ssize_t)len &&
		    memcmp(again, ret->bytes, len) == 0) {
			break;
		}
	}
	memcpy(&ret->meta, ret->bytes + format->header_bytes, sizeof(ret->meta));
	return 0;
}

/* The first record's word for packed items holds the size of all pages. */
static uint32_t page_bytes_of(const struct meta_page *page)
{
	return page->meta.free_tree.item_bytes;
}

static bool is_page_size(const struct dit_page_format *format, uint32_t bytes)
{
	return bytes >= format->page_bytes_min && bytes <= format->page_bytes_max &&
	       (bytes & (bytes - 1)) == 0;
}

static bool is_meta(const struct meta_page *page)
{
	return page->meta.magic == DIT_META_MAGIC &&
	       page->meta.version == page->format->version &&
	       is_page_size(page->format, page_bytes_of(page));
}

/* Where the first meta page is unusable: the second says itself where it lies. */
static uint32_t look_for_second(int fd, const struct dit_page_format *format)
{
	struct meta_page page;

	for (uint32_t bytes = format->page_bytes_min; bytes <= format->page_bytes_max;
	     bytes *= 2) {
		if (read_meta_page(fd, format, bytes, &page) == 0 && is_meta(&page) &&
		    page_bytes_of(&page) == bytes) {
			return bytes;
		}
	}
	return 0;
}

/*
 * The format whose magic number stands where it belongs; of a file whose first meta page
 * is unusable, by the second. 0.9 if there is none.
 */
static const struct dit_page_format *format_of(int fd)
{
	static const struct dit_page_format *const formats[] = {&dit_lmdb_09,
	                                                        &dit_lmdb_10};
	struct meta_page page;

	for (unsigned i = 0; i < 2; i++) {
		if (read_meta_page(fd, formats[i], 0, &page) == 0 &&
		    page.meta.magic == DIT_META_MAGIC) {
			return formats[i];
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		if (look_for_second(fd, formats[i]) != 0) {
			return formats[i];
		}
	}
	return &dit_lmdb_09;
}

/* Everything about one meta page; is it usable? */
static bool check_meta(struct walk *walk, unsigned number, const struct meta_page *page,
                       uint32_t page_bytes)
{
	const struct dit_page_format *format = page->format;
	struct dit_page_view view = {
		.bytes = page->bytes, .len = META_BYTES_MAX, .format = format};
	const struct dit_meta *meta = &page->meta;

	if (meta->magic != DIT_META_MAGIC) {
		dit_walk_find(walk, DIT_WALK_META_MAGIC, NULL, number, -1,
		              "this is no meta page of LMDB: its magic number is %08x",
		              meta->magic);
		return false;
	}
	if (meta->version != format->version) {
		dit_walk_find(walk, DIT_WALK_META_VERSION, NULL, number, -1,
		              "the meta page has data version %u, not %u", meta->version,
		              format->version);
		return false;
	}
	if (!is_page_size(format, page_bytes_of(page)) ||
	    page_bytes_of(page) != page_bytes) {
		dit_walk_find(walk, DIT_WALK_META_PAGE_SIZE, NULL, number, -1,
		              "the meta page says that pages have %u bytes; they have %u",
		              page_bytes_of(page), page_bytes);
		return false;
	}
	if (dit_view_number(view) != number || dit_view_flags(view) != DIT_META_FLAG) {
		dit_walk_find(
			walk, DIT_WALK_META_PAGE, NULL, number, -1,
			"the meta page's header has number %llu and flags 0x%x, not %u "
			"and 0x%x",
			(unsigned long long)dit_view_number(view), dit_view_flags(view),
			number, DIT_META_FLAG);
	}
	if (meta->transaction != 0 && meta->transaction % 2 != number) {
		dit_walk_find(
			walk, DIT_WALK_META_TRANSACTION, NULL, number, -1,
			"transaction %llu is on meta page %u and belongs on the other",
			(unsigned long long)meta->transaction, number);
	}
	if ((meta->free_tree.flags & TREE_FLAGS) != DIT_DB_INTEGERKEY) {
		dit_walk_find(walk, DIT_WALK_TREE_FLAGS, NULL, number, -1,
		              "the record of the free list has the flags 0x%x; those of "
		              "its tree are 0x%x",
		              meta->free_tree.flags, DIT_DB_INTEGERKEY);
	}
	return true;
}

/* The pages that exist: named by the meta page, and there. */
static void set_npages(struct walk *walk, unsigned number, uint64_t file_bytes)
{
	uint64_t there = file_bytes / walk->page_bytes;
	uint64_t last = walk->meta.last_page;

	if (last < 1) {
		dit_walk_find(
			walk, DIT_WALK_META_LAST_PAGE, NULL, number, -1,
			"the meta page says that page %llu is the last one in use; the "
			"two meta pages alone are more",
			(unsigned long long)last);
		last = there - 1;
	}
	if (last >= there) {
		walk->nbehind = last - there + 1;
		last = there - 1;
	}
	walk->npages = last + 1;
}

/*
 * The one that counts: the held transaction's; else the newer one, of equals the first.
 */
static int choose(struct walk *walk, const struct meta_page pages[2], unsigned *ret)
{
	uint64_t wanted = walk->opts->transaction;

	if (wanted != DIT_WALK_NEWEST) {
		for (unsigned i = 0; i < 2; i++) {
			if (pages[i].is_there && pages[i].meta.transaction == wanted) {
				*ret = i;
				return 0;
			}
		}
		return -ESTALE;
	}
	*ret = !pages[0].is_there ||
	       (pages[1].is_there &&
	        pages[1].meta.transaction > pages[0].meta.transaction);
	return 0;
}

static void check_neighbours(struct walk *walk, const struct meta_page pages[2])
{
	const struct dit_meta metas[2] = {pages[0].meta, pages[1].meta};
	unsigned newer = metas[1].transaction > metas[0].transaction;

	if (pages[0].is_there && pages[1].is_there && !dit_metas_are_neighbours(metas)) {
		dit_walk_find(
			walk, DIT_WALK_META_TRANSACTION, NULL, newer, -1,
			"transaction %llu follows %llu, of the other meta page: one of "
			"the numbers is wrong, or a loss of power took what was between "
			"them",
			(unsigned long long)metas[newer].transaction,
			(unsigned long long)metas[!newer].transaction);
	}
}

static int read_both(struct walk *walk, struct meta_page pages[2], uint32_t *ret_bytes)
{
	const struct dit_page_format *format = walk->format;
	int fd = walk->opts->fd;
	int r = read_meta_page(fd, format, 0, &pages[0]);

	if (r < 0) {
		return r;
	}
	*ret_bytes = page_bytes_of(&pages[0]);
	if (!is_meta(&pages[0]) ||
	    (read_meta_page(fd, format, *ret_bytes, &pages[1]) == 0 &&
	     page_bytes_of(&pages[1]) != *ret_bytes)) {
		uint32_t other = look_for_second(fd, format);

		if (other != 0) {
			*ret_bytes = other;
		}
	}
	if (!is_page_size(format, *ret_bytes)) {
		*ret_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	}
	return read_meta_page(fd, format, *ret_bytes, &pages[1]);
}

/* Both of one moment: commits may come in between. */
static int read_at_once(struct walk *walk, struct meta_page pages[2], uint32_t *ret_bytes)
{
	struct meta_page again;
	int r = 0;

	for (int i = 0; i < READS_MAX && r == 0; i++) {
		r = read_both(walk, pages, ret_bytes);
		if (r == 0) {
			r = read_meta_page(walk->opts->fd, walk->format, 0, &again);
		}
		if (r == 0 && again.meta.transaction == pages[0].meta.transaction) {
			return 0;
		}
	}
	return r;
}

int dit_walk_metas(struct walk *walk, bool *ret_is_usable)
{
	struct meta_page pages[2];
	struct stat status;
	uint32_t bytes = 0;
	unsigned number = 0;
	int r = 0;

	*ret_is_usable = false;
	walk->format = format_of(walk->opts->fd);
	r = read_at_once(walk, pages, &bytes);
	/* Behind them: a commit that makes the file longer writes its meta page last, so
	 * what the pages here count is there by now. */
	if (fstat(walk->opts->fd, &status) != 0) {
		return -errno;
	}
	if (r == -ENODATA) {
		dit_walk_find(walk, DIT_WALK_FILE_CUT, NULL, DIT_WALK_NO_PAGE, -1,
		              "the file ends after %llu bytes, within its two meta pages",
		              (unsigned long long)status.st_size);
		return 0;
	}
	if (r < 0) {
		return r;
	}
	for (unsigned i = 0; i < 2; i++) {
		pages[i].is_there = check_meta(walk, i, &pages[i], bytes);
	}
	if (!pages[0].is_there && !pages[1].is_there) {
		return 0;
	}
	check_neighbours(walk, pages);
	r = choose(walk, pages, &number);
	if (r < 0) {
		return r;
	}
	walk->meta = pages[number].meta;
	walk->page_bytes = bytes;
	set_npages(walk, number, (uint64_t)status.st_size);
	*ret_is_usable = true;
	return 0;
}

bool dit_walk_metas_have_changed(struct walk *walk)
{
	for (unsigned i = 0; i < 2; i++) {
		struct meta_page page;

		if (read_meta_page(walk->opts->fd, walk->format,
		                   (off_t)i * walk->page_bytes, &page) < 0 ||
		    (is_meta(&page) && page_bytes_of(&page) == walk->page_bytes &&
		     page.meta.transaction > walk->meta.transaction)) {
			return true;
		}
	}
	return false;
}

static bool read_sound(int fd, struct meta_page pages[2])
{
	const struct dit_page_format *format = format_of(fd);

	return read_meta_page(fd, format, 0, &pages[0]) == 0 && is_meta(&pages[0]) &&
	       read_meta_page(fd, format, page_bytes_of(&pages[0]), &pages[1]) == 0 &&
	       is_meta(&pages[1]) && page_bytes_of(&pages[1]) == page_bytes_of(&pages[0]);
}

bool dit_walk_has_metas(int fd)
{
	struct meta_page pages[2];

	return read_sound(fd, pages);
}

bool dit_walk_is_newest(int fd, uint64_t transaction)
{
	struct meta_page pages[2];

	return read_sound(fd, pages) && pages[0].meta.transaction <= transaction &&
	       pages[1].meta.transaction <= transaction;
}
