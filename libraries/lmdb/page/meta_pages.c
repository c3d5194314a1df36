/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/meta_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "page/lmdb_format.h"
#include "system/crypto_module.h"
#include "system/file_io.h"

/* A writer may be at work while a page is read. */
#define READS_MAX 100

uint32_t dit_meta_version(int fd)
{
	static const struct dit_page_format *const formats[] = {&dit_lmdb_09,
	                                                        &dit_lmdb_10};

	for (unsigned i = 0; i < 2; i++) {
		uint32_t magic = 0;

		if (dit_read_at(fd, &magic, sizeof(magic), formats[i]->header_bytes) ==
		            (ssize_t)sizeof(magic) &&
		    magic == DIT_META_MAGIC) {
			return formats[i]->version;
		}
	}
	return 0;
}

int dit_meta_page_read(int fd, const struct dit_page_format *format, uint64_t at,
                       struct dit_meta_page *ret)
{
	size_t len = format->header_bytes + sizeof(ret->meta);
	char bytes[DIT_HEADER_BYTES_MAX + sizeof(ret->meta)];
	char again[sizeof(bytes)];

	for (int i = 0; i < READS_MAX; i++) {
		ssize_t n = pread(fd, bytes, len, (off_t)at);

		if (n < 0) {
			return -errno;
		}
		if (n != (ssize_t)len) {
			return -ENODATA;
		}
		if (pread(fd, again, len, (off_t)at) == (ssize_t)len &&
		    memcmp(again, bytes, len) == 0) {
			break;
		}
	}
	ret->format = format;
	memcpy(ret->header, bytes, format->header_bytes);
	memcpy(&ret->meta, bytes + format->header_bytes, sizeof(ret->meta));
	return 0;
}

bool dit_meta_is_size(const struct dit_page_format *format, uint32_t page_bytes)
{
	return page_bytes >= format->page_bytes_min &&
	       page_bytes <= format->page_bytes_max &&
	       (page_bytes & (page_bytes - 1)) == 0;
}

static bool is_of_format(const struct dit_meta_page *page)
{
	return page->meta.magic == DIT_META_MAGIC &&
	       page->meta.version == page->format->version;
}

bool dit_meta_page_is_sound(const struct dit_meta_page *page)
{
	return is_of_format(page) &&
	       dit_meta_is_size(page->format, dit_meta_page_bytes(page));
}

int dit_metas_read(int fd, const struct dit_page_format *format, struct dit_metas *ret)
{
	struct dit_metas metas = {.page_bytes = 0};

	for (unsigned i = 0; i < 2; i++) {
		struct dit_meta_page page = {.format = NULL};
		int r = dit_meta_page_read(fd, format, i * (uint64_t)metas.page_bytes,
		                           &page);

		if (r < 0) {
			return r;
		}
		if (!is_of_format(&page)) {
			return DIT_LMDB_VERSION_MISMATCH;
		}
		if (i == 0 && !dit_meta_page_is_sound(&page)) {
			return DIT_LMDB_INVALID;
		}
		metas.page_bytes = i == 0 ? dit_meta_page_bytes(&page) : metas.page_bytes;
		metas.list[i] = page.meta;
	}
	metas.newest = metas.list[1].transaction > metas.list[0].transaction;
	*ret = metas;
	return 0;
}

uint32_t dit_metas_seal(int fd, const struct dit_page_format *format,
                        struct dit_meta_seal *ret)
{
	struct dit_meta_page page = {.format = NULL};
	uint16_t sum_bytes = 0;
	ssize_t n = 0;

	*ret = (struct dit_meta_seal){.sum_bytes = 0};
	if (dit_meta_page_read(fd, format, 0, &page) < 0 ||
	    !dit_meta_page_is_sound(&page)) {
		return 0;
	}
	ret->is_encrypted = (page.meta.free_tree.flags & DIT_META_ENCRYPTED) != 0;
	n = pread(fd, &sum_bytes, sizeof(sum_bytes),
	          (off_t)(dit_meta_page_bytes(&page) - sizeof(sum_bytes)));
	if (n == (ssize_t)sizeof(sum_bytes)) {
		ret->sum_bytes = sum_bytes;
	}
	return dit_meta_page_bytes(&page);
}

bool dit_metas_are_neighbours(const struct dit_metas *metas)
{
	const struct dit_meta *newest = dit_metas_newest(metas);
	const struct dit_meta *older = &metas->list[!metas->newest];

	return newest->transaction - older->transaction <= 1 ||
	       (older->transaction <= 1 && older->main_tree.root == DIT_PAGE_NONE);
}

/* The record of the free list has the size of all pages in place of that of items. */
int dit_metas_begin(int fd, const struct dit_page_format *format, size_t page_bytes)
{
	const struct dit_crypto *crypto = format->crypto;
	const bool encrypts = crypto != NULL && dit_crypto_encrypts(crypto);
	const uint16_t sum_bytes = crypto == NULL ? 0 : (uint16_t)crypto->sum_bytes;
	const struct dit_meta meta = {
		.magic = DIT_META_MAGIC,
		.version = format->version,
		.free_tree = {.item_bytes = (uint32_t)page_bytes,
	                      .flags = DIT_DB_INTEGERKEY |
	                               (encrypts ? DIT_META_ENCRYPTED : 0),
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
		if (number == 0) {
			memcpy(page + page_bytes - sizeof(sum_bytes), &sum_bytes,
			       sizeof(sum_bytes));
		}
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

int dit_metas_write(int fd, const struct dit_page_format *format,
                    const struct dit_metas *metas)
{
	int r = 0;

	for (unsigned i = 0; i < 2 && r == 0; i++) {
		uint64_t at = i * (uint64_t)metas->page_bytes + format->header_bytes;

		if (!is_there(fd, at, &metas->list[i])) {
			r = dit_write_at(fd, &metas->list[i], sizeof(metas->list[i]), at);
		}
	}
	return r;
}
