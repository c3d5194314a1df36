/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A B-tree from the bottom up: leaves come finished, in key order; the branch pages above
 * them are made on the way.
 *
 * liblmdb wants two children at least in every branch page. So the two newest children of
 * each level are held back: when the leaves end, either both fit the level's open page,
 * or that page is finished and the two make another one.
 *
 * Threads: a tree belongs to one thread; a part, when it has ended, to the one that takes
 * it.
 */
#ifndef DITKIT_PAGE_TREE_H
#define DITKIT_PAGE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "page/page_format.h"
#include "tree/page_sink.h"

/* At least three children a page: enough for any file that a disk holds. */
#define DIT_TREE_LEVELS 20

struct dit_tree_child {
	uint64_t ticket;
	size_t key_len;
	char *key; /* lowest in the child; room for the longest one; the level's */
};

struct dit_page_level {
	struct dit_tree_child held[3];  /* the third while a child is added */
	unsigned nheld;                 /* 2 at most */
	struct dit_tree_child lowest;   /* of the open page; its ticket is not used */
	_Alignas(uint64_t) char page[]; /* open; then room for the keys above */
};

struct dit_page_tree {
	struct dit_page_sink *sink;
	struct dit_page_level *levels[DIT_TREE_LEVELS]; /* 0: above the leaves; owned */
	unsigned nlevels;                               /* in use by this tree */
	uint64_t nleaf_pages;
	uint64_t nbranch_pages;

	/* A part of a tree has a row of leaves in place of levels. For each leaf the row
	 * has the ticket, the length of the lowest key (2 bytes) and the key. */
	bool is_part;
	char *row; /* owned */
	size_t row_len;
	size_t row_size;
};

void dit_page_tree_deinit(struct dit_page_tree *tree);

/** Begin another tree with the memory of the last one. */
void dit_page_tree_reset(struct dit_page_tree *tree);

/**
 * The next leaf is finished.
 *
 * @param key  lowest in the leaf; not longer than the format allows; copied
 *
 * @return 0; -ENOMEM; errors of dit_page_sink_add(); DIT_E_TOOLONG: more levels than
 *         DIT_TREE_LEVELS
 */
int dit_page_tree_add(struct dit_page_tree *tree, uint64_t ticket, struct dit_span key);

/**
 * The leaves of a part come next. They stay where they are.
 *
 * @param part  its sink is flushed
 *
 * @return as dit_page_tree_add()
 */
int dit_page_tree_take(struct dit_page_tree *tree, const struct dit_page_tree *part);
/** The lowest key of a part's first leaf; points into the part. Empty: it has no leaf. */
struct dit_span dit_page_tree_part_key(const struct dit_page_tree *part);

/**
 * The next page may lie above the leaves: all that is below it stays as it is. It is not
 * counted, nor is what is below it.
 *
 * @param number  of the level; 0: a leaf; no page below this level may be open
 *
 * @return as above
 */
int dit_page_tree_add_page(struct dit_page_tree *tree, unsigned number, uint64_t ticket,
                           struct dit_span key);
/**
 * End the open branch page above some pages of a level, so that the next page of the
 * level above can be kept. There must be two pages at least.
 *
 * @return as above; DIT_E_CORRUPT: there is one page, or none
 */
int dit_page_tree_end_branch(struct dit_page_tree *tree, unsigned level);

/** Pages of a level that are held back: 0, 1 or 2. One: the level has no other page. */
unsigned dit_page_tree_held(const struct dit_page_tree *tree, unsigned level);
/** The newest page of a level, which holds some back, does not belong to it.
 * @param ret  its key has room for the longest one */
void dit_page_tree_pop(struct dit_page_tree *tree, unsigned level,
                       struct dit_tree_child *ret);

/**
 * All leaves are there.
 *
 * @param ret  gets depth, pages and root (a ticket; DIT_PAGE_NONE: there were no leaves)
 */
int dit_page_tree_finish(struct dit_page_tree *tree, struct dit_tree_record *ret);

#endif
