/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two meta pages of a data file (lmdb_format.h).
 *
 * Threads: no state; no other thread or process may write to the file during a call,
 * except where a function says so.
 */
#ifndef DITKIT_META_PAGES_H
#define DITKIT_META_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "page/page_format.h"

/** Pages of trees begin after the two meta pages. */
#define DIT_FIRST_PAGE 2

/** In the header of a meta page. */
#define DIT_META_FLAG 0x08u

/** In the flags of the free list of LMDB 1.0: the pages are encrypted. Checksums have no
 * flag; their size is the last word of page 0. */
#define DIT_META_ENCRYPTED 0x2000u

/** The longest page header of any format. */
#define DIT_HEADER_BYTES_MAX 24

/** A meta page as it was read. */
struct dit_meta_page {
	const struct dit_page_format *format;
	char header[DIT_HEADER_BYTES_MAX]; /* as many bytes as the format has */
	struct dit_meta meta;
};

/** The version of LMDB's format, by the place of the magic number (storage.md 1.1, 7):
 * that of dit_lmdb_09 or dit_lmdb_10. 0: neither */
uint32_t dit_meta_version(int fd);
/**
 * Read a page at a place of the file. Another process may write to it: it is read until
 * it stays the same.
 *
 * @return 0, whatever is there; -errno; -ENODATA: the file ends within it
 */
int dit_meta_page_read(int fd, const struct dit_page_format *format, uint64_t at,
                       struct dit_meta_page *ret);
/** The page size that this meta page names. */
static inline uint32_t dit_meta_page_bytes(const struct dit_meta_page *page)
{
	return page->meta.free_tree.item_bytes;
}
/** Can pages of the format have that size? */
bool dit_meta_is_size(const struct dit_page_format *format, uint32_t page_bytes);
/** Is it a meta page of its format, with a page size that the format allows? */
bool dit_meta_page_is_sound(const struct dit_meta_page *page);

/** The two meta pages of a file. */
struct dit_metas {
	unsigned page_bytes; /* by the first one */
	unsigned newest;     /* the one that counts; if both have one number, the first */
	struct dit_meta list[2];
};

static inline const struct dit_meta *dit_metas_newest(const struct dit_metas *metas)
{
	return &metas->list[metas->newest];
}

/** The meta page of a transaction. NULL: neither of the two has this transaction */
static inline const struct dit_meta *dit_metas_of(const struct dit_metas *metas,
                                                  uint64_t transaction)
{
	for (unsigned i = 0; i < 2; i++) {
		if (metas->list[i].transaction == transaction) {
			return &metas->list[i];
		}
	}
	return NULL;
}

/** Both show an empty environment, without a transaction, of a format that may be sealed.
 * 0, -ENOMEM or -errno */
int dit_metas_begin(int fd, const struct dit_page_format *format, size_t page_bytes);

/** @return 0; MDB_VERSION_MISMATCH: not of @p format; MDB_INVALID: the first one names a
 *         page size that the format does not allow; -ENODATA: the file ends within them;
 *         -errno */
int dit_metas_read(int fd, const struct dit_page_format *format, struct dit_metas *ret);
/** How a module has sealed the pages after these two (page_seal.h). */
struct dit_meta_seal {
	bool is_encrypted;
	unsigned sum_bytes; /* 0: no checksums */
};
/** liblmdb sees it in the first page, too. All zero: not at all. @return the size of a
 * page; 0: page 0 is no meta page of the format */
uint32_t dit_metas_seal(int fd, const struct dit_page_format *format,
                        struct dit_meta_seal *ret);
/**
 * Each commit writes the older page, with the next number. So the numbers of a whole file
 * differ by one at most, with one exception: a page that has never had a commit, or whose
 * commit mdb_env_rollback() took back, has the number 0 or 1 and no databases.
 *
 * If they differ by more, one of them was changed, or the power failed while slapd left
 * the syncs out (dbnosync): the page with the higher number may be the older one.
 */
bool dit_metas_are_neighbours(const struct dit_metas *metas);

/**
 * A page that is so already is not written: on a copy-on-write file system each write
 * takes space. 0 or -errno. Not synced.
 */
int dit_metas_write(int fd, const struct dit_page_format *format,
                    const struct dit_metas *metas);

#endif
