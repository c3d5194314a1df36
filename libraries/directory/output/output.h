/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output: a database whose indexes are written. Some outputs write its records, too
 * (record_output.h).
 *
 *   dit_output_find_index(), _add_index();  dit_output_open_part() ...
 *   dit_output_do() each step of publication.h
 *   or, at any moment, dit_output_abandon()
 *
 * | implementation    | is for                        | who writes                  |
 * |-------------------|-------------------------------|-----------------------------|
 * | new_output.c      | a new database                | we do; or liblmdb           |
 * | record_tables.c   | a state that is looked at     | nobody                      |
 * | prepared_output.c | one that was prepared         | nobody                      |
 * | claimed_output.c  | a database that holds records | we do                       |
 * | the same          | index databases, rebuilt      | we do                       |
 * | online.c          | the same, next to slapd       | we do                       |
 *
 * New and merged ones write records as well. The others keep the records that are stored.
 *
 * Other processes see nothing of an output before it is published. Until then, and after
 * any error, dit_output_abandon() leaves the database as it was. From the opening to the
 * end the directory is claimed (claim.h), except by online.h.
 *
 * Ownership: keys, records and lists are borrowed for the call.
 *
 * Threads: an output belongs to one thread, which is called main. Tables are different:
 * struct dit_output says how many threads may write them.
 *
 * Errors: all functions return 0 (or what they say) or a negative code: DIT_E_FULL (the
 * database outgrows its configured size), MDB_TXN_FULL (more changes than liblmdb can
 * keep track of), -ENOSPC, -EDQUOT, -EFBIG, other -errno, LMDB's codes (MDB_KEYEXIST:
 * records out of order). An error of writing may be told by a later call. After an error
 * an output is only to be abandoned.
 */
#ifndef DITKIT_OUTPUT_H
#define DITKIT_OUTPUT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ids.h"
#include "base/span.h"

struct dit_output_ops;
struct dit_index_tables;
struct dit_ids_change; /* tree_merge.h */

/** The file that an output writes. Publication checks that the name leads to it. */
struct dit_output_target {
	const char *directory; /* borrowed until the end; NULL: not checked */
	int dir_fd;            /* of a new database: the open directory; else -1 */
	int data_fd;           /* the file that is data.mdb, or will be */
	const char *data_name; /* of that file, at the end */
};

/** The head of each implementation. [const] except bytes */
struct dit_output {
	const struct dit_output_ops *ops;

	/** Several threads write tables of indexes at once, a table or a part each.
	 * Without this flag main writes one table after the other. */
	bool is_parallel;

	struct dit_output_target target;
	struct dit_index_tables *indexes; /* that it writes (index_tables.h) */

	/** Greatest length of a key, and of a record of names or of a split value. */
	size_t key_max;

	/** [own: main] size of the data file, as soon as DIT_PUBLISH_PREPARE or _COMMIT
	 * knows it, also when it is too large */
	uint64_t bytes;
	/** [own: main] bytes that were in use before DIT_PUBLISH_COMMIT, which has left
	 * most of them as they were. 0: a new database, or indexes alone */
	uint64_t kept_bytes;
	/** [own: main] of the file, bytes that the disk has; counted where syncing takes
	 * long */
	uint64_t synced_bytes;
	/** [own: main] of the file, bytes read for its digest; only if it is prepared */
	uint64_t digested_bytes;
};

/** The steps in which an output appears. */
enum dit_publish_step {
	/* All is done that can be done before anything changes: a new database is
	 * completed and synced. */
	DIT_PUBLISH_PREPARE,
	/* Before the commit: the name leads elsewhere, and nothing is changed. */
	DIT_PUBLISH_FIND,
	DIT_PUBLISH_COMMIT, /* a stored database is changed, with one commit */
	/* A new database gets its name, which is synced: later changes reach the disk
	 * later. If only the sync fails, the end returns its error. */
	DIT_PUBLISH_RENAME,
	/* Commit and rename are undone, whether they succeeded, failed or were not done;
	 * dit_output_abandon() is still to be called. 1: a crash of the system may bring
	 * the change back. An error: this database stays changed, and is whole. */
	DIT_PUBLISH_TAKE_BACK,
	/* All are in place, but the name does not lead to this one any more. */
	DIT_PUBLISH_FIND_AGAIN,
	/* Put lock.mdb in order, clean up, free the output in every case. An error:
	 * it is in place, but a crash of the system may bring the old database back. */
	DIT_PUBLISH_END,
};
#define DIT_PUBLISH_NSTEPS (DIT_PUBLISH_END + 1)

/* ---- tables ---- */

/** One index database, or a part of one, while it is written. [own: the thread that
 * opened it] */
struct dit_output_table;

/** Changes of an index database, key by key in the order of the database. */
struct dit_list_changes {
	/* The changes of the next key, valid until the next call. 1; 0: there are no
	 * more; an error. NULL: nothing changes */
	int (*next)(void *ctx, struct dit_span *ret_key, struct dit_ids_change *ret);
	void *ctx;
};

/** An index database. */
struct dit_output_index {
	const char *name;   /* copied */
	bool is_integerkey; /* a stored index keeps its own flag */
};

/** A stored index database. */
struct dit_output_stored_index {
	bool is_integerkey;
	size_t key_len; /* of its first key; 0: it is empty */
};

/** An implementation provides these; they are as the functions below. */
struct dit_output_ops {
	/* NULL: nothing is to be done */
	int (*expect_postings)(struct dit_output *output, uint64_t n);

	/* NULL: nothing is to be done; of DIT_PUBLISH_END: as abandon */
	int (*steps[DIT_PUBLISH_NSTEPS])(struct dit_output *output);
	void (*abandon)(struct dit_output *output);
};

/* Main, before the first index is opened: */

/**
 * 1; 0: there is no database of that name; DIT_E_CORRUPT, with a fault: the database is
 * no index; error. Where new keys replace all that are stored, the length of these is not
 * told; nor do damaged flags matter then, if no other process has the database open.
 */
int dit_output_find_index(struct dit_output *output, const char *name,
                          struct dit_output_stored_index *ret);

/**
 * Add an index database. Indexes are numbered from 0 in the order of these calls. Main,
 * before the first index is opened.
 *
 * @return 0; DIT_E_DUPLICATE: there is a table of that name; errors
 */
int dit_output_add_index(struct dit_output *output, const struct dit_output_index *index);

/**
 * Announce that @p n IDs, repeats included, will be put into all indexes together. Main,
 * after all indexes were added and before any table is opened. The call may be left out,
 * or come first with an estimate.
 */
static inline int dit_output_expect_postings(struct dit_output *output, uint64_t n)
{
	return output->ops->expect_postings == NULL
	               ? 0
	               : output->ops->expect_postings(output, n);
}

/**
 * Announce that an index is written in parts, by several threads at once. It is complete
 * when all its parts are finished. Main, before it is opened.
 *
 * @return 1; 0: the output cannot do that with this index; -EINVAL; -ENOMEM
 */
int dit_output_cut_index(struct dit_output *output, size_t number, unsigned nparts);

/**
 * A part of an index, 0 to nparts - 1: dit_output_put_lists() in ascending order of keys,
 * which are lower than those of the next part. The part that is finished last gets the
 * bytes of the whole index.
 *
 * @param part  0 if the index is not cut
 * @param ret  to be given to dit_output_finish() by the same thread; after an error it
 *             goes with the output
 */
int dit_output_open_part(struct dit_output *output, size_t number, unsigned part,
                         struct dit_output_table **ret);

/**
 * Change an index database that was not opened; again and again, with dit_output_reach()
 * in between. Only of a database that holds records. Any thread
 */
int dit_output_change_index(struct dit_output *output, size_t number,
                            const struct dit_list_changes *changes);
/** Make what was written readable. Main; no other thread writes */
int dit_output_reach(struct dit_output *output);

/** Bytes that an index takes for a key of an entry, on average (10.4 measured with
 * 100,000 entries; guide.md, "7. How long, how large"). */
#define DIT_POSTING_BYTES 10u

/** Put lists, in the order of their keys, which have 1 to key_max bytes. No ID of them is
 * stored already; a list without IDs is left out. One call for many lists costs less. */
int dit_output_put_lists(struct dit_output_table *table,
                         const struct dit_posting_list *lists, size_t nlists);

/** Finish the table. Frees @p table in every case. @param ret_bytes  gets the bytes of
 * its pages, unless liblmdb makes them; NULL: not wanted */
int dit_output_finish(struct dit_output_table *table, uint64_t *ret_bytes);

/**
 * Bytes of the data file that are in use so far.
 *
 * @return false: the output cannot tell before it is committed
 */
bool dit_output_used_bytes(const struct dit_output *output, uint64_t *ret);

/* ---- publishing: main ---- */

/** Leave the database as it was. Frees @p output; NULL is fine. */
static inline void dit_output_abandon(struct dit_output *output)
{
	if (output != NULL) {
		output->ops->abandon(output);
	}
}

/** Do a step, but not one of finding: that is publication's. */
static inline int dit_output_do(struct dit_output *output, enum dit_publish_step step)
{
	int (*act)(struct dit_output * output) = output->ops->steps[step];

	if (act != NULL) {
		return act(output);
	}
	if (step == DIT_PUBLISH_END) {
		dit_output_abandon(output);
	}
	return 0;
}

#endif
