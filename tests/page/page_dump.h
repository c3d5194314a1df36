/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A data file of any LMDB format, whole in memory, read by the rules of page_view.h
 * alone: without liblmdb and without the walker. For files that are sound: the first
 * thing that is not ends the reading.
 */
#ifndef DITKIT_PAGE_DUMP_H
#define DITKIT_PAGE_DUMP_H

#include <stdbool.h>
#include <stdio.h>

#include "base/span.h"
#include "page/page_view.h"

struct page_dump {
	char *bytes; /* owned */
	size_t len;
	const struct dit_page_format *format;
	unsigned page_bytes;
	struct dit_meta meta; /* the one that counts */
	char *is_open;        /* of a sealed file: by page; owned */
};

/** @return what is wrong; NULL: nothing */
const char *page_dump_read(struct page_dump *dump, FILE *in);
/** The file is sealed (page_seal.h): its pages are opened when they are looked at.
 *
 * @param sealed  borrowed */
void page_dump_unseal(struct page_dump *dump, const struct dit_page_format *sealed);
void page_dump_free(struct page_dump *dump);

/** A page that was changed since it was sealed has zeros only. */
struct dit_page_view page_dump_view(const struct page_dump *dump, uint64_t page);

/** One key with its value, or with one item of its list. */
typedef void (*page_dump_fn)(void *ctx, struct dit_span key, struct dit_span value);

/** All records of a tree, in order. */
const char *page_dump_tree(const struct page_dump *dump,
                           const struct dit_tree_record *tree, page_dump_fn fn,
                           void *ctx);

/** All pages of a tree, those of its lists included, but for runs of long values. */
typedef void (*page_dump_page_fn)(void *ctx, struct dit_page_view view);
const char *page_dump_pages(const struct page_dump *dump,
                            const struct dit_tree_record *tree, page_dump_page_fn fn,
                            void *ctx);

#endif
