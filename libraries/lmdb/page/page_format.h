/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file format of LMDB as a value: where things lie in a page, and how large they may
 * be. lmdb_format.h has what all formats share.
 *
 * The formats differ in a few numbers:
 *
 *   page header   16 bytes; LMDB 1.0 has 24, with the transaction that wrote the page
 *   bounds        lower, upper and the slots count from the beginning of the page; in
 *                 1.0 from the end of its header
 *   values        follow their key at once; in 1.0 at the next even offset
 *   long values   a node has the number of their first page; in 1.0 three words
 *   keys          511 bytes at most; in 1.0 nearly half a page
 *   names         of databases in the main tree; in 1.0 with a NUL at the end
 *
 * Functions that write or read pages are given such a value; none of them asks which
 * format it is. The work for each node is inline and without branches.
 *
 * Each file that includes this has constants of its own: compare versions, not addresses.
 *
 * Threads: constants.
 */
#ifndef DITKIT_PAGE_FORMAT_H
#define DITKIT_PAGE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "page/lmdb_format.h"

struct dit_crypto; /* system/crypto_module.h */

struct dit_page_format {
	const char *name;
	uint32_t version;      /* in the meta pages */
	unsigned header_bytes; /* of a page, and of a page inside a node */
	unsigned bounds_from;  /* lower, upper and slots count from this byte of a page */
	unsigned fill_mask; /* a key is followed by fill bytes: its length | mask ... */
	unsigned big_node_bytes; /* what a node has of a value with pages of its own */
	unsigned sub_flags;      /* of a page inside a node, next to its kind and SUB */
	unsigned key_bytes_max;  /* of keys and items of lists; 0: page_bytes tells */
	unsigned page_bytes_min;
	unsigned page_bytes_max;
	bool has_transactions;  /* pages tell which transaction wrote them */
	bool names_have_nul;    /* names of databases in the main tree end with a NUL */
	bool counts_list_pages; /* in the page counts of a database */
	/* In a file whose pages are sealed (page_seal.h): the end of a page, and of the
	 * pages of a long value, is taken by others. 0 and NULL: they are not */
	unsigned tail_bytes;
	const struct dit_crypto *crypto; /* borrowed */
};

/** LMDB 0.9: OpenLDAP 2.5 and 2.6. */
static const struct dit_page_format dit_lmdb_09 = {
	.name = "LMDB 0.9",
	.version = 1,
	.header_bytes = 16,
	.bounds_from = 0,
	.fill_mask = 0,
	.big_node_bytes = sizeof(uint64_t),
	.sub_flags = DIT_PAGE_DIRTY,
	.key_bytes_max = 511,
	.page_bytes_min = 256,
	.page_bytes_max = 32768,
};

/** LMDB 1.0: OpenLDAP 2.7. */
static const struct dit_page_format dit_lmdb_10 = {
	.name = "LMDB 1.0",
	.version = 3,
	.header_bytes = 24,
	.bounds_from = 24,
	.fill_mask = 1,
	.big_node_bytes = sizeof(struct dit_big_value),
	.sub_flags = 0,
	.key_bytes_max = 0,
	.page_bytes_min = 256,
	.page_bytes_max = 65536,
	.has_transactions = true,
	.names_have_nul = true,
	.counts_list_pages = true,
};

/* ---- sizes ---- */

/** Where the nodes of a page end. */
static inline unsigned dit_page_end(const struct dit_page_format *format,
                                    unsigned page_bytes)
{
	return page_bytes - format->tail_bytes;
}

/** A node larger than this is stored elsewhere: two must fit a page. */
static inline unsigned dit_node_max(const struct dit_page_format *format,
                                    unsigned page_bytes)
{
	return ((dit_page_end(format, page_bytes) - format->header_bytes) / 2 & ~1u) - 2;
}

/** The longest key of a database, and the longest item of a list. A node with it and with
 * a list's record fits half a page. */
static inline unsigned dit_key_max(const struct dit_page_format *format,
                                   unsigned page_bytes)
{
	unsigned max = dit_node_max(format, page_bytes) - 56;

	return format->key_bytes_max != 0 && format->key_bytes_max < max
	               ? format->key_bytes_max
	               : max;
}

/** A key with the fill bytes after it. */
static inline size_t dit_key_room(const struct dit_page_format *format, size_t key_len)
{
	return (key_len + format->fill_mask) & ~(size_t)format->fill_mask;
}

/** A node, without the fill byte at its end. */
static inline size_t dit_node_bytes(const struct dit_page_format *format, size_t key_len,
                                    size_t value_len)
{
	return sizeof(struct dit_node_header) + dit_key_room(format, key_len) + value_len;
}

/** Pages of a value of its own. */
static inline uint64_t dit_overflow_pages(const struct dit_page_format *format,
                                          uint64_t value_len, unsigned page_bytes)
{
	return (format->header_bytes + value_len + format->tail_bytes + page_bytes - 1) /
	       page_bytes;
}

/** Take the NUL off the name of a database in the main tree. false: it has none */
static inline bool dit_name_take_nul(const struct dit_page_format *format,
                                     struct dit_span *name)
{
	if (format->names_have_nul) {
		if (name->len == 0 || name->data[name->len - 1] != '\0') {
			return false;
		}
		name->len--;
	}
	return true;
}

/* ---- headers of pages that are right ---- */

/** The page must not lie inside a node, where offsets may be odd. */
static inline struct dit_page_words *dit_page_words(const struct dit_page_format *format,
                                                    const void *page)
{
	return (struct dit_page_words *)((uintptr_t)page + format->header_bytes -
	                                 sizeof(struct dit_page_words));
}

/** Write a page's header, at any address; what stands before its words is zero. */
static inline void dit_page_set_words(const struct dit_page_format *format, char *page,
                                      const struct dit_page_words *words)
{
	char *end = page + format->header_bytes;

	memset(page, 0, sizeof(uint64_t));
	memset(end - sizeof(*words) - sizeof(uint64_t), 0, sizeof(uint64_t));
	memcpy(end - sizeof(*words), words, sizeof(*words));
}

/** Where the transaction lies in formats that have it: after the page's number. */
#define DIT_PAGE_TRANSACTION_AT sizeof(uint64_t)

/** Lower of a page without nodes. */
static inline unsigned dit_lower_min(const struct dit_page_format *format)
{
	return format->header_bytes - format->bounds_from;
}

/** Nodes, or items, in a page. */
static inline unsigned dit_page_count(const struct dit_page_format *format,
                                      const void *page)
{
	return (dit_page_words(format, page)->lower - dit_lower_min(format)) / 2;
}

/** The node of a slot. */
static inline struct dit_node_header *dit_page_node(const struct dit_page_format *format,
                                                    const void *page, unsigned slot)
{
	const uint16_t *slots =
		(const uint16_t *)((uintptr_t)page + format->header_bytes);

	return (struct dit_node_header *)((uintptr_t)page + format->bounds_from +
	                                  slots[slot]);
}

/** The value of a leaf's node. Without fill bytes it may begin at an odd offset. */
static inline char *dit_node_value(const struct dit_page_format *format,
                                   const struct dit_node_header *node)
{
	return (char *)(uintptr_t)(node + 1) + dit_key_room(format, node->key_len);
}

#endif
