/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walker: is a data file what LMDB's format, 0.9 or 1.0, says it is?
 *
 * It reads a snapshot, from its meta page to its last leaf, and reports what contradicts
 * the format: a finding has a kind, a place and a sentence. Nothing is changed. A file
 * may be damaged in any way, or made to do damage: each page is visited once at most,
 * each bound is looked at before it is used, and memory is two bits a page, the names of
 * the databases, and some pages for each thread.
 *
 * Pages below one that cannot be read are not visited. Then counters of its tree are
 * not compared, and pages that were not reached are reported in one sentence.
 *
 * A process that writes must leave the snapshot's pages alone: the caller holds a read
 * transaction, and gives its meta page. Without one the walk sees the newest state, and a
 * commit ends it.
 *
 * Order: which pages are visited first, and so the order of findings, depends on threads;
 * which findings there are does not, but for a page that has two owners: the second one
 * to come is reported.
 *
 * Threads: a walk starts its own; the callbacks come from any of them, one at a time.
 */
#ifndef DITKIT_WALK_H
#define DITKIT_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shared.h"
#include "base/span.h"
#include "page/key_order.h"
#include "page/page_format.h"
#include "page/page_set.h"
#include "page/page_source.h"

/* doc/man/ditcheck.8 explains them. */
#define DIT_WALK_KINDS(KIND)                                                             \
 KIND(DIT_WALK_FILE_CUT, "file-cut")                                                     \
 KIND(DIT_WALK_UNREADABLE, "unreadable")                                                 \
 KIND(DIT_WALK_META_PAGE, "meta-page")                                                   \
 KIND(DIT_WALK_META_MAGIC, "meta-magic")                                                 \
 KIND(DIT_WALK_META_VERSION, "meta-version")                                             \
 KIND(DIT_WALK_META_PAGE_SIZE, "meta-page-size")                                         \
 KIND(DIT_WALK_META_TRANSACTION, "meta-transaction")                                     \
 KIND(DIT_WALK_META_LAST_PAGE, "meta-last-page")                                         \
 KIND(DIT_WALK_PAGE_RANGE, "page-range")                                                 \
 KIND(DIT_WALK_PAGE_TWICE, "page-twice")                                                 \
 KIND(DIT_WALK_PAGE_FREE, "page-free")                                                   \
 KIND(DIT_WALK_PAGE_LOST, "page-lost")                                                   \
 KIND(DIT_WALK_PAGE_NUMBER, "page-number")                                               \
 KIND(DIT_WALK_PAGE_TRANSACTION, "page-transaction")                                     \
 KIND(DIT_WALK_PAGE_CHECKSUM, "page-checksum")                                           \
 KIND(DIT_WALK_PAGE_FLAGS, "page-flags")                                                 \
 KIND(DIT_WALK_PAGE_BOUNDS, "page-bounds")                                               \
 KIND(DIT_WALK_PAGE_EMPTY, "page-empty")                                                 \
 KIND(DIT_WALK_PAGE_DEPTH, "page-depth")                                                 \
 KIND(DIT_WALK_BRANCH_CHILDREN, "branch-children")                                       \
 KIND(DIT_WALK_NODE_PLACE, "node-place")                                                 \
 KIND(DIT_WALK_NODE_LENGTH, "node-length")                                               \
 KIND(DIT_WALK_NODE_OVERLAP, "node-overlap")                                             \
 KIND(DIT_WALK_NODE_FLAGS, "node-flags")                                                 \
 KIND(DIT_WALK_NODE_VALUE, "node-value")                                                 \
 KIND(DIT_WALK_KEY_LENGTH, "key-length")                                                 \
 KIND(DIT_WALK_KEY_ORDER, "key-order")                                                   \
 KIND(DIT_WALK_KEY_BRANCH, "key-branch")                                                 \
 KIND(DIT_WALK_ITEM_LENGTH, "item-length")                                               \
 KIND(DIT_WALK_ITEM_ORDER, "item-order")                                                 \
 KIND(DIT_WALK_ITEM_BRANCH, "item-branch")                                               \
 KIND(DIT_WALK_LIST_PAGE, "list-page")                                                   \
 KIND(DIT_WALK_LIST_RECORD, "list-record")                                               \
 KIND(DIT_WALK_OVERFLOW_RANGE, "overflow-range")                                         \
 KIND(DIT_WALK_OVERFLOW_COUNT, "overflow-count")                                         \
 KIND(DIT_WALK_TREE_NAME, "tree-name")                                                   \
 KIND(DIT_WALK_TREE_FLAGS, "tree-flags")                                                 \
 KIND(DIT_WALK_TREE_ROOT, "tree-root")                                                   \
 KIND(DIT_WALK_TREE_DEPTH, "tree-depth")                                                 \
 KIND(DIT_WALK_TREE_BRANCHES, "tree-branches")                                           \
 KIND(DIT_WALK_TREE_LEAVES, "tree-leaves")                                               \
 KIND(DIT_WALK_TREE_OVERFLOWS, "tree-overflows")                                         \
 KIND(DIT_WALK_TREE_ITEMS, "tree-items")                                                 \
 KIND(DIT_WALK_FREE_KEY, "free-key")                                                     \
 KIND(DIT_WALK_FREE_COUNT, "free-count")                                                 \
 KIND(DIT_WALK_FREE_ORDER, "free-order")                                                 \
 KIND(DIT_WALK_FREE_RANGE, "free-range")                                                 \
 KIND(DIT_WALK_FREE_TWICE, "free-twice")

#define DIT_WALK_KIND(kind, name) kind,

enum dit_walk_kind {
	DIT_WALK_KINDS(DIT_WALK_KIND) DIT_WALK_NKINDS,
};

/** "page-twice"; static. */
const char *dit_walk_kind_name(enum dit_walk_kind kind);

#define DIT_WALK_NO_PAGE UINT64_MAX

struct dit_walk_finding {
	enum dit_walk_kind kind;
	const char *database; /* "cn"; "(main)", "(free)"; NULL: of the whole file */
	uint64_t page;        /* DIT_WALK_NO_PAGE: of no page alone */
	long node;            /* -1: of the whole page */
	const char *text;     /* valid during the call */
};

typedef void (*dit_walk_found_fn)(void *ctx, const struct dit_walk_finding *finding);

/* ---- what a database takes ---- */

/** A key of a database with lists, or more of its list. Name and spans are valid during
 * the call. */
struct dit_walk_list {
	size_t database;  /* its number: databases are counted from 0 on, by name */
	const char *name; /* of the database */
	struct dit_span key;
	uint64_t nitems; /* as the list says */
	/* Packed items: all of them; or, with is_more, those of a page of the list's own
	 * tree. Items that are not packed: none; or, with is_more, one of them. Empty:
	 * all items follow */
	struct dit_span items;
	bool is_more; /* the key was told before */
};

/** @param member  0 .. nthreads - 1; members call this side by side, also for the pages
 * of one list */
typedef void (*dit_walk_list_fn)(void *ctx, unsigned member,
                                 const struct dit_walk_list *list);

/** A database, as far as it was walked. */
struct dit_walk_size {
	const char *name;
	unsigned flags;
	unsigned depth;
	uint64_t nkeys;
	uint64_t nitems;    /* of all lists; without lists, as nkeys */
	uint64_t nbranches; /* pages; those of its lists are among them */
	uint64_t nleaves;
	uint64_t noverflows;
	uint64_t used_bytes; /* of all these pages */
};

/** Called by the thread of dit_walk(), once for each database, in their order. */
typedef void (*dit_walk_size_fn)(void *ctx, const struct dit_walk_size *size);

/* ---- a walk ---- */

struct dit_walk_opts {
	int fd; /* of the data file, open for reading; borrowed */
	/* 1 thread at least. Without a format of sealed pages (page/page_seal.h) the file
	 * may be of any format that is not sealed. */
	struct dit_shared shared;
	/* The meta page that the snapshot held was registered with: two commits later the
	 * file does not have it any more. Borrowed. NULL: nothing is held */
	const struct dit_meta *state;
	bool is_brief;           /* meta pages, free list and main tree alone */
	dit_key_order_fn order;  /* NULL: LMDB's own orders alone */
	dit_walk_list_fn list;   /* NULL: not wanted */
	dit_walk_size_fn size;   /* NULL: not wanted */
	dit_walk_found_fn found; /* NULL: findings are counted only */
	/** Called now and then by the thread of dit_walk(): pages that were visited or
	 * are free, of all. NULL: no callback. */
	void (*tell)(void *ctx, uint64_t done, uint64_t total, unsigned page_bytes);
	void *ctx; /* of all callbacks */
};

struct dit_walk_stats {
	const char *format; /* "LMDB 0.9"; static */
	uint64_t transaction;
	unsigned page_bytes;
	uint64_t npages; /* up to the last one in use */
	uint64_t nused;
	uint64_t nfree;
	size_t ndatabases;
	bool has_all_databases; /* false: there may be more, after damage */
	uint64_t nfindings;     /* reported or not */
	uint64_t by_kind[DIT_WALK_NKINDS];
};

/**
 * Walk.
 *
 * A sealed file needs shared.sealed: without it pages would seem to be damaged. The pages
 * of a long value are in memory together, then.
 *
 * @return 0, with findings or without; -errno of the file, -ENOMEM; -ESTALE: nothing is
 *         held and somebody has written since: begin again; DIT_E_STOPPED
 */
int dit_walk(const struct dit_walk_opts *opts, struct dit_walk_stats *ret);

/** The meta pages, the free list and the main tree alone. Findings are counted; -ESTALE:
 * nothing is held, and commits come too fast. @param sealed, state  as in struct
 * dit_walk_opts */
int dit_walk_brief(int fd, const struct dit_page_format *sealed,
                   const struct dit_meta *state, struct dit_walk_stats *ret);

/* ---- some trees alone ---- */

/** A named database. */
struct dit_walked_tree {
	const char *name;
	struct dit_tree_record record;
	bool is_damaged; /* set by dit_walk_trees(), which leaves it out then */
	char text[240];  /* of a damaged one: what was found first */
};

struct dit_walk_trees_opts {
	const struct dit_page_source *pages; /* of the file; borrowed */
	unsigned nthreads;
	dit_key_order_fn order;            /* as in a walk */
	const struct dit_page_set *others; /* pages that no tree may have; borrowed */
};

/**
 * @param trees  no two of one name
 * @param ret    gets the pages of all trees, with those of long values and of lists. To
 *               be deinitialised in every case
 *
 * @return 0: nothing is wrong; DIT_E_CORRUPT: some trees are damaged, and @p ret cannot
 *         be used; -errno, -ENOMEM
 */
int dit_walk_trees(const struct dit_walk_trees_opts *opts, struct dit_walked_tree *trees,
                   size_t ntrees, struct dit_page_set *ret);

/* ---- the length of the file ---- */

/** Sizes that do not fit together. */
struct dit_file_lack {
	uint64_t file_bytes;
	uint64_t needed_bytes; /* by the meta pages */
};

/**
 * Is a data file as long as its meta pages say? The file may be in use.
 *
 * A file can be shorter and whole: a page that a transaction took at the end and gave
 * back before its commit is never written. Such a page is on the list of free pages. So a
 * file is cut off if pages after its end are not on that list, which is then read.
 *
 * @return 0: long enough, or no file of this format, which liblmdb tells without harm;
 *         DIT_E_CORRUPT: cut off, @p ret is filled; -errno; -ENOMEM
 */
int dit_walk_length(int fd, struct dit_file_lack *ret);

/**
 * Are both meta pages such that the file can be opened for reading? liblmdb believes what
 * they say.
 */
bool dit_walk_has_metas(int fd);

/** Is this the newest transaction? False as well: it cannot be told. */
bool dit_walk_is_newest(int fd, uint64_t transaction);

#endif
