/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A commit of our own: named databases of a file get other trees, in one step.
 *
 *   dit_page_commit_open()
 *   threads write new trees into dit_page_commit_space()
 *   dit_page_commit_put(), _drop() ...
 *   dit_page_commit_drop_pages(), _give() or _give_old(): their old pages
 *   dit_page_commit_write()          the step
 *   dit_page_commit_undo()           or back to what was
 *   dit_page_commit_close()
 *
 * New pages go into free pages, and where there are none after the last page of the file.
 * No page in use is overwritten, so until the step a reader sees the old state, and a
 * process that is killed leaves the old state. The step:
 *
 *   main tree, free list   written again, into free pages as well
 *   sync                   all of that is on the disk
 *   meta page              the older one of the two gets the new roots and the next
 *                          transaction's number
 *   sync
 *
 * The pages of replaced trees, of the old main tree and of the old free list become free
 * under the new transaction, as liblmdb has it: so a reader of an older state keeps them,
 * and no page is lost.
 *
 * From the opening to the end no other process may write to the file.
 *
 * A new file begins with two meta pages that show nothing (dit_metas_begin()); the step
 * is then its first transaction.
 *
 * Threads: belongs to one thread; the page space is for all.
 *
 * Errors: DIT_E_CORRUPT: the file is not what LMDB's format says; -ENOMEM; -ENOSPC,
 * -EDQUOT, -EFBIG and other -errno.
 */
#ifndef DITKIT_PAGE_COMMIT_H
#define DITKIT_PAGE_COMMIT_H

#include "base/shared.h"
#include "base/span.h"
#include "page/page_format.h"
#include "page/tree_visit.h"
#include "tree/page_sink.h"
#include "walk/walk.h"

struct dit_page_commit;
struct dit_page_set; /* page_set.h */

/** No other process reads the file. */
#define DIT_COMMIT_ALONE UINT64_MAX

struct dit_page_commit_opts {
	int fd; /* of the data file, for reading and writing; borrowed */
	const struct dit_page_format *format;
	struct dit_shared shared; /* the ticker is that of the sync */
	bool is_direct;           /* pages are written past the page cache, if possible */
	uint64_t max_bytes;       /* that the file may take; 0: any number */
	uint64_t map_bytes;       /* for the meta page, which keeps a larger size */
	/* Pages that transactions up to this one gave back are used: no reader has a
	 * state before it, and this one is on the disk. ALONE: all free pages. */
	uint64_t oldest;
	/* Besides: pages that an earlier commit reserved, if they are free. NULL: none */
	const struct dit_page_set *reserved;
	bool is_shared;    /* never cut: others may have written after the old end */
	bool caller_syncs; /* the file, before the commit and after it */
};

/**
 * Read what the file holds.
 *
 * @return 0; MDB_VERSION_MISMATCH: not the format we know; errors. Nothing is changed,
 *         but with DIT_COMMIT_ALONE the file is synced, if the caller does not
 */
int dit_page_commit_open(struct dit_page_commit **ret,
                         const struct dit_page_commit_opts *opts);
/**
 * If nothing was committed, the file gets its old length again. NULL is fine. All table
 * writers of the space must be freed.
 */
void dit_page_commit_close(struct dit_page_commit *commit);

/** The space for new pages. */
struct dit_page_space *dit_page_commit_space(struct dit_page_commit *commit);

/** The number of the transaction whose state this began with. */
uint64_t dit_page_commit_transaction(const struct dit_page_commit *commit);

/** The stored tree of a named database. 1; 0: there is none */
int dit_page_commit_find(const struct dit_page_commit *commit, struct dit_span name,
                         struct dit_tree_record *ret);
/** The pages of the stored trees, to be read; any thread. */
struct dit_page_source *dit_page_commit_source(struct dit_page_commit *commit);

/**
 * A named database gets this tree, or comes into being. The pages that its old tree has
 * and this one has not are given back apart. Again for the same name: only the last tree
 * counts.
 *
 * @param name  511 bytes at most; copied
 *
 * @return 0; -EINVAL: the name is empty, or too long; -ENOMEM
 */
int dit_page_commit_put(struct dit_page_commit *commit, struct dit_span name,
                        const struct dit_tree_record *tree);
/** A named database ceases to be, as above. 0; DIT_E_UNKNOWN: there is none */
int dit_page_commit_drop(struct dit_page_commit *commit, struct dit_span name);
/**
 * Pages that no tree has any more: of the old state, or of a tree that was written since
 * and was changed again. Any thread. DIT_E_CORRUPT: they are free, or given already
 *
 * @param ctx  a struct dit_page_commit: a merge calls this, too (tree_merge.h)
 */
int dit_page_commit_drop_pages(void *ctx, uint64_t first, uint64_t n);
/**
 * Wait until all pages are written that were handed over. From now on
 * dit_page_commit_source() has them, too. No other thread reads or writes.
 */
int dit_page_commit_reach(struct dit_page_commit *commit);
/** Pages of old trees become free. DIT_E_CORRUPT: they are free, or given already */
int dit_page_commit_give(struct dit_page_commit *commit,
                         const struct dit_page_set *pages);
struct dit_page_old_opts {
	unsigned nthreads;      /* that look at the old trees */
	dit_key_order_fn order; /* of their keys and items (walk.h) */
	/**
	 * An old tree is damaged. May be NULL.
	 *
	 * @param text     what is wrong with it; valid during the call
	 * @param is_lost  another tree, which stays, is damaged as well: the old tree's
	 *                 pages cannot be told from its own, and are lost to the file
	 */
	void (*damaged)(void *ctx, const char *name, const char *text, bool is_lost);
	void *ctx;
};

/**
 * The stored trees of all databases that were put or dropped give back all their pages.
 * They may be damaged: they are checked as walk.h does, and a damaged one gives back no
 * page of others. Once, in place of all other calls that give back.
 */
int dit_page_commit_give_old(struct dit_page_commit *commit,
                             const struct dit_page_old_opts *opts);

/** Bytes of the file that are in use, with all that was written so far. */
uint64_t dit_page_commit_bytes(const struct dit_page_commit *commit);

/** Free pages of the file that may be used, and are not yet. */
uint64_t dit_page_commit_nusable(const struct dit_page_commit *commit);

/**
 * Reserve pages for trees that are written while others use the file. A reader of the
 * current state, from before the step until the trees count, keeps others from taking
 * them. In the file they are free, so nothing is lost if they stay unused.
 *
 * @param ret     zeroed, or a set; gets free pages, of long rows first; if they are too
 *                few, also pages after the end of the file
 */
int dit_page_commit_reserve(struct dit_page_commit *commit, uint64_t npages,
                            struct dit_page_set *ret);
/** A later commit: reserved pages are used by trees that are put. DIT_E_CORRUPT: they are
 * not free any more */
int dit_page_commit_use(struct dit_page_commit *commit, const struct dit_page_set *pages);

/**
 * The step.
 *
 * @return 0; DIT_E_FULL: dit_page_commit_bytes() are more than max_bytes; errors. After
 *         an error dit_page_commit_undo() or _close(): while the meta page is written it
 *         is not known which state the file has
 */
int dit_page_commit_write(struct dit_page_commit *commit);

/**
 * Undo the step, whether it succeeded, failed or was not taken. No other process may have
 * read or written since.
 *
 * @return 0; 1: undone, but a crash of the system may bring the new state back; -errno:
 *         not undone
 */
int dit_page_commit_undo(struct dit_page_commit *commit);

#endif
