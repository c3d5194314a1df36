/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/meta_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "page/lmdb_format.h"

/* In the flags of the free list: the pages are encrypted. Checksums have no flag; their
 * size is the last word of page 0. */
#define ENCRYPTED_FLAG 0x2000u

static uint64_t meta_at(const struct dit_page_format *format, size_t page_bytes,
                        unsigned number)
{
	return number * page_bytes + format->header_bytes;
}

int dit_metas_read(int fd, const struct dit_page_format *format, size_t page_bytes,
                   struct dit_meta ret[2])
{
	for (unsigned i = 0; i < 2; i++) {
		ssize_t n = pread(fd, &ret[i], sizeof(ret[i]),
		                  (off_t)meta_at(format, page_bytes, i));

		if (n != (ssize_t)sizeof(ret[i])) {
			return n < 0 ? -errno : -EIO;
		}
		if (ret[i].magic != DIT_META_MAGIC || ret[i].version != format->version) {
			return DIT_LMDB_VERSION_MISMATCH;
		}
	}
	return 0;
}

int dit_metas_page_bytes(int fd, const struct dit_page_format *format, size_t *ret)
{
	struct dit_meta meta;
	ssize_t n = pread(fd, &meta, sizeof(meta), (off_t)meta_at(format, 0, 0));
	uint32_t bytes = 0;

	if (n != (ssize_t)sizeof(meta)) {
		return n < 0 ? -errno : -EIO;
	}
	if (meta.magic != DIT_META_MAGIC || meta.version != format->version) {
		return DIT_LMDB_VERSION_MISMATCH;
	}
	bytes = meta.free_tree.item_bytes;
	*ret = bytes;
	return bytes >= format->page_bytes_min && bytes <= format->page_bytes_max &&
	                       (bytes & (bytes - 1)) == 0
	               ? 0
	               : DIT_LMDB_INVALID;
}

const char *dit_metas_module(int fd, const struct dit_page_format *format)
{
	struct dit_meta meta;
	size_t page_bytes = 0;
	uint16_t sum_bytes = 0;

	if (!format->has_transactions ||
	    dit_metas_page_bytes(fd, format, &page_bytes) != 0 ||
	    pread(fd, &meta, sizeof(meta), (off_t)meta_at(format, 0, 0)) !=
	            (ssize_t)sizeof(meta)) {
		return NULL;
	}
	if ((meta.free_tree.flags & ENCRYPTED_FLAG) != 0) {
		return "are encrypted";
	}
	return pread(fd, &sum_bytes, sizeof(sum_bytes),
	             (off_t)(page_bytes - sizeof(sum_bytes))) ==
	                               (ssize_t)sizeof(sum_bytes) &&
	                       sum_bytes != 0
	               ? "have checksums"
	               : NULL;
}

bool dit_metas_are_neighbours(const struct dit_meta metas[2])
{
	unsigned newer = metas[1].transaction > metas[0].transaction;
	const struct dit_meta *older = &metas[!newer];

	return metas[newer].transaction - older->transaction <= 1 ||
	       (older->transaction <= 1 && older->main_tree.root == DIT_PAGE_NONE);
}

/* The record of the free list has the size of all pages in place of that of items. */
int dit_metas_begin(int fd, const struct dit_page_format *format, size_t page_bytes)
{
	const struct dit_meta meta = {
		.magic = DIT_META_MAGIC,
		.version = format->version,
		.free_tree = {.item_bytes = (uint32_t)page_bytes,
	                      .flags = DIT_DB_INTEGERKEY,
	                      .root = DIT_PAGE_NONE},
		.main_tree = {.root = DIT_PAGE_NONE},
		.last_page = DIT_FIRST_PAGE - 1,
	};
	char *page = calloc(1, page_bytes);
	int r = page == NULL ? -ENOMEM : 0;

	for (uint64_t number = 0; number < DIT_FIRST_PAGE && r == 0; number++) {
		memcpy(page, &number, sizeof(number));
		dit_page_words(format, page)->flags = DIT_META_FLAG;
		memcpy(page + format->header_bytes, &meta, sizeof(meta));
		r = dit_write_at(fd, page, page_bytes, number * page_bytes);
	}
	free(page);
	return r;
}

static bool is_there(int fd, uint64_t at, const struct dit_meta *meta)
{
	struct dit_meta there;

	return pread(fd, &there, sizeof(there), (off_t)at) == (ssize_t)sizeof(there) &&
	       memcmp(&there, meta, sizeof(there)) == 0;
}

int dit_metas_write(int fd, const struct dit_page_format *format, size_t page_bytes,
                    const struct dit_meta metas[2])
{
	int r = 0;

	for (unsigned i = 0; i < 2 && r == 0; i++) {
		uint64_t at = meta_at(format, page_bytes, i);

		if (!is_there(fd, at, &metas[i])) {
			r = dit_write_at(fd, &metas[i], sizeof(metas[i]), at);
		}
	}
	return r;
}
