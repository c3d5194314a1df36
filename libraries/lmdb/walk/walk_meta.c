/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Meta pages. Transaction n lies on page n modulo 2, so liblmdb never writes to the page
 * that counts; and so it looks only at the page with the right number once a lock file is
 * in use.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "page/meta_pages.h"
#include "walk/walk_private.h"

/* Flags of a tree; the others in the free list's flags are those of the environment. */
#define TREE_FLAGS                                                                       \
 (DIT_DB_REVERSEKEY | DIT_DB_DUPSORT | DIT_DB_INTEGERKEY | DIT_DB_DUPFIXED |             \
  DIT_DB_INTEGERDUP | DIT_DB_REVERSEDUP)
/* A commit may come in between the reading of both pages: they are read again. */
#define READS_MAX 100

/* Both pages; those that are there are sound. */
struct meta_pages {
	struct dit_meta_page page[2];
	bool is_there[2];
};

/* Where the first meta page is unusable: the second says itself where it lies. */
static uint32_t look_for_second(int fd, const struct dit_page_format *format)
{
	struct dit_meta_page page;

	for (uint32_t bytes = format->page_bytes_min; bytes <= format->page_bytes_max;
	     bytes *= 2) {
		if (dit_meta_page_read(fd, format, bytes, &page) == 0 &&
		    dit_meta_page_is_sound(&page) &&
		    dit_meta_page_bytes(&page) == bytes) {
			return bytes;
		}
	}
	return 0;
}

/* By the second meta page, if the first is unusable. 0.9 if there is none. */
static const struct dit_page_format *format_of(int fd)
{
	uint32_t version = dit_meta_version(fd);

	if (version == 0 && look_for_second(fd, &dit_lmdb_09) == 0 &&
	    look_for_second(fd, &dit_lmdb_10) != 0) {
		version = dit_lmdb_10.version;
	}
	return version == dit_lmdb_10.version ? &dit_lmdb_10 : &dit_lmdb_09;
}

/* Everything about one meta page; is it usable? */
static bool check_meta(struct walk *walk, unsigned number,
                       const struct dit_meta_page *page, uint32_t page_bytes)
{
	const struct dit_page_format *format = page->format;
	struct dit_page_view view = {
		.bytes = page->header, .len = format->header_bytes, .format = format};
	const struct dit_meta *meta = &page->meta;
	const struct walk_spot at = {walk, NULL, number, -1};

	if (meta->magic != DIT_META_MAGIC) {
		dit_walk_report(&at, DIT_WALK_META_MAGIC,
		                "this is no meta page of LMDB: its magic number is %08x",
		                meta->magic);
		return false;
	}
	if (meta->version != format->version) {
		dit_walk_report(&at, DIT_WALK_META_VERSION,
		                "the meta page has data version %u, not %u",
		                meta->version, format->version);
		return false;
	}
	if (!dit_meta_is_size(format, dit_meta_page_bytes(page)) ||
	    dit_meta_page_bytes(page) != page_bytes) {
		dit_walk_report(
			&at, DIT_WALK_META_PAGE_SIZE,
			"the meta page says that pages have %u bytes; they have %u",
			dit_meta_page_bytes(page), page_bytes);
		return false;
	}
	if (dit_view_number(view) != number || dit_view_flags(view) != DIT_META_FLAG) {
		dit_walk_report(
			&at, DIT_WALK_META_PAGE,
			"the meta page's header has number %lu and flags 0x%x, not %u "
			"and 0x%x",
			dit_view_number(view), dit_view_flags(view), number,
			DIT_META_FLAG);
	}
	if (meta->transaction != 0 && meta->transaction % 2 != number) {
		dit_walk_report(
			&at, DIT_WALK_META_TRANSACTION,
			"transaction %lu is on meta page %u and belongs on the other",
			meta->transaction, number);
	}
	if ((meta->free_tree.flags & TREE_FLAGS) != DIT_DB_INTEGERKEY) {
		dit_walk_report(
			&at, DIT_WALK_TREE_FLAGS,
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
	const struct walk_spot at = {walk, NULL, number, -1};

	if (last < 1) {
		dit_walk_report(
			&at, DIT_WALK_META_LAST_PAGE,
			"the meta page says that page %lu is the last one in use; the "
			"two meta pages alone are more",
			last);
		last = there - 1;
	}
	if (last >= there) {
		walk->nbehind = last - there + 1;
		last = there - 1;
	}
	walk->npages = last + 1;
}

/* The one that counts: of the snapshot held, which may lie on no page any more; else the
 * newer one, of equals the first. @return its page */
static unsigned choose(struct walk *walk, const struct meta_pages *pages)
{
	const struct dit_meta *held = walk->opts->state;
	unsigned newer = !pages->is_there[0] ||
	                 (pages->is_there[1] && pages->page[1].meta.transaction >
	                                                pages->page[0].meta.transaction);

	walk->meta = held != NULL ? *held : pages->page[newer].meta;
	return held != NULL ? held->transaction % 2 : newer;
}

static void check_neighbours(struct walk *walk, const struct meta_pages *pages)
{
	struct dit_metas metas = {.list = {pages->page[0].meta, pages->page[1].meta}};

	metas.newest = metas.list[1].transaction > metas.list[0].transaction;
	if (pages->is_there[0] && pages->is_there[1] &&
	    !dit_metas_are_neighbours(&metas)) {
		const struct walk_spot at = {walk, NULL, metas.newest, -1};

		dit_walk_report(
			&at, DIT_WALK_META_TRANSACTION,
			"transaction %lu follows %lu, of the other meta page: one of the "
			"numbers is wrong, or a loss of power took what was between "
			"them",
			metas.list[metas.newest].transaction,
			metas.list[!metas.newest].transaction);
	}
}

static int read_both(struct walk *walk, struct meta_pages *pages, uint32_t *ret_bytes)
{
	const struct dit_page_format *format = walk->format;
	struct dit_meta_page *first = &pages->page[0];
	struct dit_meta_page *second = &pages->page[1];
	int fd = walk->opts->fd;
	int r = dit_meta_page_read(fd, format, 0, first);

	if (r < 0) {
		return r;
	}
	*ret_bytes = dit_meta_page_bytes(first);
	if (!dit_meta_page_is_sound(first) ||
	    (dit_meta_page_read(fd, format, *ret_bytes, second) == 0 &&
	     dit_meta_page_bytes(second) != *ret_bytes)) {
		uint32_t other = look_for_second(fd, format);

		if (other != 0) {
			*ret_bytes = other;
		}
	}
	if (!dit_meta_is_size(format, *ret_bytes)) {
		*ret_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	}
	return dit_meta_page_read(fd, format, *ret_bytes, second);
}

/* Both of one moment: commits may come in between. */
static int read_at_once(struct walk *walk, struct meta_pages *pages, uint32_t *ret_bytes)
{
	struct dit_meta_page again;
	int r = 0;

	for (int i = 0; i < READS_MAX && r == 0; i++) {
		r = read_both(walk, pages, ret_bytes);
		r = r ?: dit_meta_page_read(walk->opts->fd, walk->format, 0, &again);
		if (r == 0 && again.meta.transaction == pages->page[0].meta.transaction) {
			return 0;
		}
	}
	return r;
}

int dit_walk_metas(struct walk *walk, bool *ret_is_usable)
{
	const struct walk_spot whole = {walk, NULL, DIT_WALK_NO_PAGE, -1};
	struct meta_pages pages;
	struct stat status;
	uint32_t bytes = 0;
	int r = 0;

	*ret_is_usable = false;
	walk->format = format_of(walk->opts->fd);
	if (walk->opts->shared.sealed != NULL &&
	    walk->opts->shared.sealed->version == walk->format->version) {
		walk->format = walk->opts->shared.sealed;
	}
	r = read_at_once(walk, &pages, &bytes);
	/* After the meta pages: a commit that makes the file longer writes its meta page
	 * last, so the pages that they count are in the file by now. */
	if (fstat(walk->opts->fd, &status) != 0) {
		return -errno;
	}
	if (r == -ENODATA) {
		dit_walk_report(
			&whole, DIT_WALK_FILE_CUT,
			"the file ends after %ld bytes, within its two meta pages",
			status.st_size);
		return 0;
	}
	if (r < 0) {
		return r;
	}
	for (unsigned i = 0; i < 2; i++) {
		pages.is_there[i] = check_meta(walk, i, &pages.page[i], bytes);
	}
	if (!pages.is_there[0] && !pages.is_there[1]) {
		return 0;
	}
	check_neighbours(walk, &pages);
	walk->page_bytes = bytes;
	set_npages(walk, choose(walk, &pages), (uint64_t)status.st_size);
	*ret_is_usable = true;
	return 0;
}

bool dit_walk_metas_have_changed(struct walk *walk)
{
	for (unsigned i = 0; i < 2; i++) {
		struct dit_meta_page page;

		if (dit_meta_page_read(walk->opts->fd, walk->format,
		                       i * (uint64_t)walk->page_bytes, &page) < 0 ||
		    (dit_meta_page_is_sound(&page) &&
		     dit_meta_page_bytes(&page) == walk->page_bytes &&
		     page.meta.transaction > walk->meta.transaction)) {
			return true;
		}
	}
	return false;
}

static bool read_sound(int fd, struct dit_metas *ret)
{
	return dit_metas_read(fd, format_of(fd), ret) == 0 &&
	       ret->list[1].free_tree.item_bytes == ret->page_bytes;
}

bool dit_walk_has_metas(int fd)
{
	struct dit_metas metas;

	return read_sound(fd, &metas);
}

bool dit_walk_is_newest(int fd, uint64_t transaction)
{
	struct dit_metas metas;

	return read_sound(fd, &metas) &&
	       dit_metas_newest(&metas)->transaction <= transaction;
}
