/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of staging share:
 *
 *   staging.c           open, abandon
 *   staging_old.c       what lies in the directory
 *   staging_tables.c    our pages: what comes in key order
 *   staging_changes.c   our pages: what does not, and the end
 *   staging_append.c    all of that by liblmdb
 *   staging_liblmdb.c   its transactions
 *   staging_split.c     id2v, for both
 *   staging_publish.c   the file is put in place
 *
 * existing.c uses the order of id2v.
 *
 * Threads: as staging.h says.
 */
#ifndef DITKIT_STAGING_IMPL_H
#define DITKIT_STAGING_IMPL_H

#include <lmdb.h>

#include "output/staging.h"
#include "page/page_format.h"
#include "place/claim.h"
#include "place/files.h"
#include "tree/page_sink.h"
#include "tree/table_writer.h"
#include "tree/tree_edit.h"

#define STAGING_SPLIT_KEY_BYTES (sizeof(uint64_t) + sizeof(uint16_t))

/** A named database, but for id2v. */
struct dit_staged_table {
	char *name;     /* owned */
	unsigned flags; /* MDB_... */
	MDB_dbi dbi;    /* once liblmdb has made it */

	bool is_written;
	struct dit_tree_record tree; /* then, if its pages are ours */
};

/** Where the append writer stands in the table that it writes. */
struct dit_appending {
	bool is_open;
	MDB_dbi dbi;
	bool is_integerkey;
	size_t integerkey_len; /* of the first key; 0: none yet */
	bool has_key;          /* of dn2i: */
	uint64_t last_key;
	bool is_list; /* it has more than one record */
};

/** The databases that are always there, but for id2v. */
enum dit_fixed_table {
	DIT_TABLE_ADS,
	DIT_TABLE_NAMES,
	DIT_TABLE_ENTRIES,
	DIT_NFIXED_TABLES,
};

/** What became of the file that was replaced. */
enum dit_old_file {
	DIT_OLD_NONE, /* there was none */
	DIT_OLD_KEPT, /* it has a second name in the staging directory */
	DIT_OLD_LOST,
};

/** Our pages, from dit_staging_begin_changes() on. */
struct dit_staging_changes {
	struct dit_table_writer *splits; /* id2v; owned */
	struct dit_tree_edit *entries;   /* id2e is changed; NULL: no more; owned */
	uint64_t *spare;                 /* pages that no table has; owned */
	size_t nspare;
};

/** The last key of id2v. */
struct dit_staged_split {
	bool is_there;
	char key[STAGING_SPLIT_KEY_BYTES];
};

/** The tables of a new database. The arrays are constant while writers are at work. */
struct dit_staged_tables {
	struct dit_staged_table fixed[DIT_NFIXED_TABLES];
	struct dit_staged_table *indexes;
	size_t nindexes;
	uint32_t last_ad; /* highest attribute number so far */

	/* Our pages, until dit_staging_begin_changes(). */
	struct dit_table_writer *ads;
	struct dit_table_writer *entries;
};

/** The append writer's environment. */
struct dit_staging_liblmdb {
	struct dit_appending appending;
	MDB_env *env; /* NULL: there is none, or it is closed */
	uint64_t map_bytes;
	MDB_dbi id2v;

	/* The open transaction; txn and cursor are NULL between two. */
	MDB_txn *txn;
	MDB_cursor *cursor;
	MDB_dbi cursor_dbi;
	uint64_t txn_room_bytes; /* what it may still be charged with */
	uint64_t txn_bytes;      /* what it was charged with */
	uint64_t started_bytes;  /* of the file, handed to the disk already */
};

struct dit_staging {
	struct dit_claim claim;
	int staging_fd; /* DIR/ditkit-staging; nobody else can write in it */
	int data_fd;    /* the data file, for reading and writing */

	/* As in struct dit_staging_opts. */
	mode_t mode;
	uint64_t maxsize_bytes;
	bool may_grow;
	bool has_ixck;
	unsigned ndbs; /* named databases at most */
	struct dit_ticker *ticker;

	size_t page_bytes;
	const struct dit_page_format *format; /* of pages that are ours */
	bool is_known_format; /* liblmdb's; else its file is not looked into */
	bool is_append;       /* liblmdb writes all pages */

	struct dit_staged_tables tables;
	struct dit_page_space space;        /* our pages */
	struct dit_staging_changes changes; /* the same */
	struct dit_staging_liblmdb liblmdb; /* with is_append */

	bool takes_changes; /* all that comes in order is written */
	struct dit_staged_split last_split;
	uint64_t used_bytes; /* of the data file, by the last commit */

	enum dit_old_file old_file; /* since dit_staging_place() */
	int settle_error;           /* of dit_staging_settle() */
	int error;                  /* the first; all later calls return it */
};

/* What LMDB adds to key and data: node header, its slot in the page, rounding to even
 * sizes. */
#define STAGING_NODE_BYTES 11
/* More than one item under a key: a page inside the node with up to four free places, or
 * the record of a tree of its own. */
#define STAGING_LIST_BYTES 64

/** Abort what is open. */
void dit_staging_close_env(struct dit_staging *staging);
/** Clean up, drop the claim, free. */
void dit_staging_free(struct dit_staging *staging, enum dit_claim_end end);

/** See to it that a transaction is open that can take nodes of this size. */
int dit_staging_charge(struct dit_staging *staging, uint64_t bytes);

/** After charging: have the cursor on a database. */
int dit_staging_cursor_on(struct dit_staging *staging, MDB_dbi dbi);

/**
 * Before the directory is claimed: is its database of the other generation? Of 1.0 also:
 * does it hold records?
 */
int dit_staging_look_first(int dir_fd, bool is_lmdb_10, struct dit_fault *fault);
/** After that: an empty database, or none. DIT_E_NOTEMPTY of 0.9, DIT_E_FORMAT of 1.0 */
int dit_staging_look(int dir_fd, const struct dit_staging_opts *opts,
                     uint64_t *ret_nrecords);

/** Our pages: all is written; complete the file, which is not synced. */
int dit_staging_complete(struct dit_staging *staging);
/** Free what the changes need. */
void dit_staging_drop_changes(struct dit_staging *staging);

/** The append writer's part of dit_staging_entry() and dit_staging_replace_entry(). */
int dit_staging_append_find(struct dit_staging *staging, uint64_t id,
                            struct dit_span *ret);
int dit_staging_append_replace(struct dit_staging *staging, uint64_t id,
                               struct dit_span record);

/** All pages shall be liblmdb's. */
int dit_staging_begin_append(struct dit_staging *staging);
/** Make a database, empty. */
int dit_staging_create_table(struct dit_staging *staging, struct dit_staged_table *table);

/** Open the two tables that are filled while entries come; close them. 0 or an error. */
int dit_staging_open_tables(struct dit_staging *staging);
int dit_staging_close_tables(struct dit_staging *staging);

/** Remember the first failure. @return @p r */
int dit_staging_keep(struct dit_staging *staging, int r);

/** Give id2v the orders that it needs, before anything else is done with it. */
int dit_staging_order_split(MDB_txn *txn, MDB_dbi id2v);

/** Commit the open transaction, if there is one. */
int dit_staging_commit(struct dit_staging *staging);

#endif
