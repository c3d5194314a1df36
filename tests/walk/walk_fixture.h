/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data files to be walked, in memory: small, but with everything that the format has,
 * made by liblmdb or by our writer; and ways to find the parts of one.
 *
 *   id2e   depth 2; short values, and values of 2 and 3 pages
 *   dn2i   depth 2; records: one, some (a page inside a node), many (a tree)
 *   cn     depth 2; IDs: one, some, many
 *   free list: some records
 */
#ifndef DITKIT_WALK_FIXTURE_H
#define DITKIT_WALK_FIXTURE_H

#include "page/page_format.h"
#include "test.h"
#include "walk/walk.h"

#define IMAGE_PAGE 4096u

struct image {
	char *bytes; /* owned */
	size_t len;
};

enum image_maker {
	IMAGE_LIBLMDB,
	IMAGE_OURS,
	IMAGE_NMAKERS,
};

struct image image_new(enum image_maker maker);
struct image image_copy(const struct image *image);
void image_free(struct image *image);

/** Change bytes of pages.
 *
 * @param changes  4 bytes each: the number of the page, modulo their number; the place in
 *                 the page (2 bytes, the low one first; with the highest bit it is in the
 *                 page's first 64 bytes, where most of the format is); bits to turn. Less
 *                 than 4 bytes at the end change nothing. */
void image_change(struct image *image, const uint8_t *changes, size_t nbytes);

/* ---- a walk over it ---- */

struct image_findings {
	struct dit_walk_stats stats;
	char text[8000]; /* the first findings, one a line */
};

/** @return what dit_walk() returns */
int image_walk(const struct image *image, unsigned nthreads, struct image_findings *ret);

/** The orders of id2e, dn2i and cn. */
void image_order(void *ctx, struct dit_span name, unsigned flags,
                 struct dit_key_orders *orders);

/* ---- its parts ---- */

/* The header of LMDB 0.9's pages. */
struct image_header {
	uint64_t number;
	uint16_t item_bytes;
	uint16_t flags;
	uint16_t lower;
	uint16_t upper;
};

/* Inside nodes they lie at any even place. */
typedef struct dit_tree_record image_record __attribute__((aligned(2)));
typedef struct image_header image_inner __attribute__((aligned(2)));
typedef uint64_t image_word __attribute__((aligned(2)));

struct image_header *image_page(struct image *image, uint64_t number);
struct dit_meta *image_meta(struct image *image, unsigned number);
/** The one that counts. */
struct dit_meta *image_live(struct image *image);
image_record *image_database(struct image *image, const char *name);
struct image_header *image_root(struct image *image, const char *name);
/** Leaf @p i of a database of two levels. */
struct image_header *image_leaf(struct image *image, const char *name, unsigned i);
struct dit_node_header *image_node(struct image_header *page, unsigned slot);
uint64_t image_child(const struct dit_node_header *node);
void image_set_child(struct dit_node_header *node, uint64_t child);
char *image_key(struct dit_node_header *node);
char *image_value(struct dit_node_header *node);
uint16_t *image_slot(void *page, unsigned slot);
/** The @p i-th node of the database's leaves with exactly these flags; NULL: none. */
struct dit_node_header *image_find(struct image *image, const char *name, unsigned flags,
                                   unsigned i);

#endif
