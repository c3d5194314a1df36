/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the walker.
 *
 *   walk.c         the whole: meta pages, free list, main tree, databases, lost pages;
 *                  findings, and what each database takes; some trees alone
 *   walk_meta.c    the two meta pages; which one counts
 *   walk_page.c    one page: claimed, read, its header checked; branches
 *   walk_leaf.c    leaves and what their nodes hold
 *   walk_list.c    lists: pages inside nodes, trees of their own, packed pages
 *   walk_free.c    the free list's records
 *   walk_tasks.c   which member visits what
 *
 * The meta pages, the free list and the main tree are small and are walked by the caller
 * alone. Then the roots of the databases become tasks for the members of a team. A member
 * that finds a branch page makes tasks of its children while there are too few tasks.
 * Else it visits the children itself, one after the other. Each level has a row of pages.
 */
#ifndef DITKIT_WALK_PRIVATE_H
#define DITKIT_WALK_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/monitor.h"
#include "page/page_set.h"
#include "page/page_source.h"
#include "page/page_view.h"
#include "sort/merge_heap.h"
#include "walk/walk.h"

/* liblmdb's cursors go no deeper; a list's tree hangs below a database's. */
#define WALK_DEPTH_MAX 32
#define WALK_ROWS      (2 * WALK_DEPTH_MAX + 1)
/* Neighbours that are read with one call. */
#define WALK_RUN_MAX 16
/* Those of all formats. */
#define WALK_PAGE_BYTES_MAX 65536u
/* Far more than any program opens. */
#define WALK_DATABASES_MAX 65536u

enum walk_role {
	WALK_FREE_TREE,
	WALK_MAIN_TREE,
	WALK_DATABASE,
	WALK_LIST, /* the tree of one long list: keys are items, no values */
};

enum walk_counter {
	WALK_BRANCHES, /* pages */
	WALK_LEAVES,
	WALK_OVERFLOWS,
	WALK_USED_BYTES, /* of all these pages */
	WALK_KEYS,
	WALK_ITEMS,
	WALK_NCOUNTERS,
};

struct walk;
struct walk_tree;

/* Where something is. */
struct walk_spot {
	struct walk *walk;
	struct walk_tree *tree; /* NULL: in the whole file */
	uint64_t page;          /* DIT_WALK_NO_PAGE: not on one page */
	long node;              /* -1: not in one node */
};

/* A tree that is walked. */
struct walk_tree {
	/* [const] */
	enum walk_role role;
	const char *name; /* of the database, for findings */
	size_t number;    /* of the database, likewise */
	struct dit_tree_record record;
	struct walk_tree *database; /* of a list; else the tree itself */
	struct dit_key_orders orders;
	size_t key_max;
	struct dit_span list_key; /* of a list */
	struct walk_spot at;      /* its record */
	bool is_shared; /* its pages may become tasks, which own the tree of a list */

	/* [atomic: added to by members; read when the last task of the tree has ended] */
	_Atomic uint64_t own[WALK_NCOUNTERS];
	_Atomic uint64_t all[WALK_NCOUNTERS]; /* of a database with all of its lists */
	_Atomic unsigned depth; /* level of the first leaf that was seen; 0: none yet */
	_Atomic bool is_cut;    /* pages were not visited */
	_Atomic uint64_t ntasks;
};

/** A database whose keys have lists. */
static inline bool walk_has_lists(const struct walk_tree *tree)
{
	return tree->role == WALK_DATABASE && (tree->record.flags & DIT_DB_DUPSORT) != 0;
}

/** Count for a tree, and for its database. */
static inline void walk_count(struct walk_tree *tree, enum walk_counter what, uint64_t n)
{
	atomic_fetch_add_explicit(&tree->own[what], n, memory_order_relaxed);
	atomic_fetch_add_explicit(&tree->database->all[what], n, memory_order_relaxed);
}

/* The range of the keys of a page, from the branches above. */
struct walk_bound {
	bool is_set;
	struct dit_span key; /* lowest: that or above; highest: below that */
};

/* A page to visit. */
struct walk_place {
	struct walk_spot at;
	unsigned level; /* 1: the root */
	unsigned run;   /* the pages after it will be wanted, too: so many with it */
	struct walk_bound lowest;
	struct walk_bound highest;
	struct walk_spot parent; /* the node that refers to it */
};

/** Another page of the same tree. */
static inline struct walk_spot walk_other_page(const struct walk_spot *at, uint64_t page)
{
	return (struct walk_spot){at->walk, at->tree, page, -1};
}

/** The root of a tree. */
static inline struct walk_place walk_root_of(const struct walk_tree *tree)
{
	return (struct walk_place){
		.at = walk_other_page(&tree->at, tree->record.root),
		.level = 1,
		.run = 1,
		.parent = tree->at,
	};
}

/* [own: the member's thread] */
struct walk_member {
	struct walk *walk;
	unsigned number;
	unsigned nrows; /* in use: the pages from the root to this one */
	struct dit_page_row rows[WALK_ROWS];
	char *unit; /* a long value of a sealed file; owned */
	size_t unit_bytes;
	uint64_t starts[WALK_PAGE_BYTES_MAX / 128 + 1]; /* of dit_view_is_tiled() */
};

struct walk {
	/* [const] while members run */
	const struct dit_walk_opts *opts;
	struct dit_page_source source;
	const struct dit_page_format *format;
	unsigned page_bytes;
	uint64_t npages;  /* numbers below this one may be used */
	uint64_t nbehind; /* pages that the meta page counts after the end of the file */
	struct dit_meta meta;
	struct walk_tree **databases; /* owned, with their names */
	size_t ndatabases;
	size_t databases_size; /* for how many there is room */
	bool has_all_databases;
	struct dit_ticker ticker; /* [own: the thread of dit_walk()] */

	/* [atomic: words of bits; relaxed, only the bit itself matters] */
	struct dit_page_set used;
	struct dit_page_set freed;
	_Atomic uint64_t nused;
	_Atomic uint64_t nfreed;
	_Atomic uint64_t nfreed_behind; /* of nbehind, in the free list */
	_Atomic bool is_cut;
	_Atomic int error;     /* first one; ends all threads */
	_Atomic size_t ntasks; /* a guess */

	struct dit_monitor monitor; /* tells: a task, or there will be none any more */
	/* [lock: monitor] */
	struct dit_heap tasks; /* the lowest page first; owned */
	size_t tasks_size;
	unsigned nbusy; /* members at work, which can make more tasks */

	/* [lock: lock] */
	pthread_mutex_t lock;
	uint64_t nfindings;
	uint64_t by_kind[DIT_WALK_NKINDS];
};

/* ---- findings ---- */

/**
 * Count a finding, and tell it to the caller's callback, if there is one. The callback
 * runs with the walk's lock held, so one at a time. Cannot fail.
 *
 * @param format  of its text, which is cut if it is long, and gone after the call
 *
 * Any member.
 */
void dit_walk_report(const struct walk_spot *at, enum dit_walk_kind kind,
                     const char *format, ...) __attribute__((format(printf, 3, 4)));

/** The same where the tree cannot be followed: it will not be complete, and its counters
 * do not count. @return false */
bool dit_walk_refuse(const struct walk_spot *at, enum dit_walk_kind kind,
                     const char *format, ...) __attribute__((format(printf, 3, 4)));

/** End the walk with an error. Any member. */
void dit_walk_fail(struct walk *walk, int error);

/** Does the walk stop, after an error or at the caller's request? A request becomes the
 * walk's error, DIT_E_STOPPED. Any member. */
bool dit_walk_is_over(struct walk *walk);

/* ---- pages ---- */

/** Claim the page to which a node refers for its tree alone. false, after a finding: no
 * tree can have it, or the page is in use elsewhere. */
bool dit_walk_claim(const struct walk_spot *at, uint64_t page);

/** Read a page into the member's next row. @param run  wanted, as dit_page_row_read() */
bool dit_walk_read(struct walk_member *member, const struct walk_spot *at, unsigned run,
                   struct dit_page_view *ret);

/** The same for all pages of a long value of a sealed file. @param npages  as the node
 * says. @param ret  the first page; the others follow it in memory */
bool dit_walk_read_unit(struct walk_member *member, const struct walk_spot *at,
                        uint64_t npages, struct dit_page_view *ret);

/** Check that a page names its own number, and the last transaction or an earlier one. */
void dit_walk_page_origin(const struct walk_spot *at, struct dit_page_view view);

/** The node at a spot, or a finding and false. */
bool dit_walk_node(const struct walk_spot *at, struct dit_page_view view,
                   struct dit_node_view *ret);

/** Each byte after upper belongs to one node. @p at: the page, or the node that it is
 * in. */
void dit_walk_tiles(struct walk_member *member, const struct walk_spot *at,
                    struct dit_page_view view);

/** Visit a page and all that is below it. */
void dit_walk_visit(struct walk_member *member, const struct walk_place *place);

/** Make a tree ready to be walked; no tasks. @p at: where its record lies; the tree of
 * the spot does not count. */
void dit_walk_tree_init(struct walk_tree *tree, const struct walk_spot *at,
                        enum walk_role role, const char *name,
                        const struct dit_tree_record *record);

/** Walk a whole tree in this member. */
void dit_walk_tree_visit(struct walk_member *member, struct walk_tree *tree);

/** Compare the counters of a tree with its record, after the visit of all its pages. */
void dit_walk_tree_compare(const struct walk_tree *tree);

void dit_walk_member_deinit(struct walk_member *member);

/* ---- leaves ---- */

void dit_walk_leaf(struct walk_member *member, const struct walk_place *place,
                   struct dit_page_view view);

/** A page full of items of one size: of a list's tree. */
void dit_walk_packed(struct walk_member *member, const struct walk_place *place,
                     struct dit_page_view view);

/** The content of a node of a database with lists: one item, some, or many. */
void dit_walk_list(struct walk_member *member, const struct walk_spot *at,
                   const struct dit_node_view *node);

/** Check the order of the items of a packed page, or of a page inside a node, and tell
 * the items. */
void dit_walk_items(struct walk_member *member, const struct walk_spot *at,
                    struct dit_page_view view, unsigned item_bytes,
                    struct dit_span list_key);

/** Tell an item of a list's tree that is not packed. */
void dit_walk_item(struct walk_member *member, const struct walk_tree *tree,
                   struct dit_span item);

/**
 * Claim the pages of a long value and check their header; findings if they are wrong.
 *
 * @param ret_first  the first page: the value begins after its header
 */
bool dit_walk_overflow(struct walk_member *member, const struct walk_spot *at,
                       const struct dit_node_view *node, uint64_t *ret_first);

/** Check a record of the main tree, which describes a database. */
void dit_walk_database(const struct walk_spot *at, const struct dit_node_view *node);

/** A record of the free list: pages that a transaction gave back. */
void dit_walk_free_record(struct walk_member *member, const struct walk_spot *at,
                          const struct dit_node_view *node);

/* ---- orders ---- */

/** The order of a page's keys: in a list that of its items. */
static inline const struct dit_key_order *walk_order_of(const struct walk_tree *tree)
{
	return tree->role == WALK_LIST ? &tree->orders.items : &tree->orders.keys;
}

/* ---- meta pages ---- */

/**
 * Read both, report what is wrong with them, choose.
 *
 * @param ret_is_usable  one of them can be walked
 *
 * @return 0 or as dit_walk()
 */
int dit_walk_metas(struct walk *walk, bool *ret_is_usable);

/** Has another process committed since dit_walk_metas()? */
bool dit_walk_metas_have_changed(struct walk *walk);

/* ---- tasks ---- */

/** Are there fewer than the members need? A guess. */
bool dit_walk_tasks_are_few(struct walk *walk);

/** Copies the bounds. 0 or -ENOMEM. */
int dit_walk_tasks_push(struct walk *walk, const struct walk_place *place);

/** Visit what there is until all is done; each member calls it once. */
void dit_walk_tasks_run(struct walk_member *member);

/** Tasks that are left are dropped: the walk has failed. */
void dit_walk_tasks_drop(struct walk *walk);

#endif
