/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output that is a new database of back-mdb (storage.md 1), of LMDB 0.9 or 1.0. It is
 * built in a staging directory inside the database directory. One rename puts it in
 * place.
 *
 *   staging.c           opened, freed
 *   staging_old.c       what lies in the directory
 *   staging_pages.c     all pages are ours
 *   staging_append.c    all pages are liblmdb's
 *   staging_publish.c   the file is put in place
 *
 * DIR/ditkit-staging/ holds the unfinished data.mdb. The opening removes the files that a
 * killed process left there. Nothing touches DIR/data.mdb before the rename; after it the
 * finished database is there, synced. From the opening to the end the directory is
 * claimed (claim.h): other loaders are refused, and a slapd or tool that is started in
 * that time waits.
 *
 * Errors: the first one sticks; all later calls return it.
 *
 * Threads: as record_output.h says. Before dit_output_begin_changes() several threads may
 * write names and indexes, one thread for each table.
 */
#ifndef DITKIT_STAGING_H
#define DITKIT_STAGING_H

#include <stdatomic.h>

#include "commit/page_commit.h"
#include "output/index_tables.h"
#include "output/output_impl.h"
#include "page/page_format.h"
#include "place/claim.h"
#include "place/files.h"
#include "reader/stored_order.h"
#include "tree/table_writer.h"
#include "tree/tree_changes.h"

struct dit_append;

#define STAGING_SPLIT_KEY_BYTES (sizeof(uint64_t) + sizeof(uint16_t))

/** The databases that are always there, but for id2v, which has an order of its own. */
#define DIT_NFIXED_TABLES DIT_FIXED_SPLITS

/** The fate of the file that was replaced. */
enum dit_old_file {
	DIT_OLD_NONE, /* there was none */
	DIT_OLD_KEPT, /* it has a second name in the staging directory */
	DIT_OLD_LOST,
};

/** Our pages. */
struct dit_staged_pages {
	struct dit_page_commit *commit; /* owned */

	/* Until dit_output_begin_changes(). */
	struct dit_table_writer *ads;
	struct dit_table_writer *entries;

	/* From dit_output_begin_changes() on. */
	struct dit_table_writer *splits; /* id2v; owned */
	struct dit_tree_changes changes; /* of id2e */
};

/** The last key of id2v. */
struct dit_staged_split {
	bool is_there;
	char key[STAGING_SPLIT_KEY_BYTES];
};

/** The tables of a new database. The arrays are constant while writers are at work. */
struct dit_staged_tables {
	struct dit_index_table fixed[DIT_NFIXED_TABLES];
	struct dit_index_tables indexes;
	uint32_t last_ad; /* highest attribute number so far */
};

struct dit_staging {
	struct dit_record_output base;
	struct dit_claim claim;
	int staging_fd; /* DIR/ditkit-staging; no other user can write in it */
	int data_fd;    /* the data file, for reading and writing */

	/* As in struct dit_output_opts. */
	mode_t mode;
	uint64_t maxsize_bytes;
	bool may_grow;
	bool has_ixck;
	unsigned ndbs; /* named databases at most */
	struct dit_ticker *ticker;

	size_t page_bytes;
	const struct dit_page_format *format; /* of pages that are ours */
	bool is_known_format; /* liblmdb's; else its file is not looked into */

	struct dit_staged_tables tables;
	struct dit_staged_pages pages; /* our pages */
	struct dit_append *append;     /* liblmdb's pages; owned; NULL: they are ours */

	bool takes_changes; /* all that comes in order is written */
	struct dit_staged_split last_split;
	uint64_t used_bytes; /* of the data file, by the last commit */

	enum dit_old_file old_file; /* since it was put in place */
	bool is_placed;
	int settle_error; /* of dit_output_settle() */
	int error;        /* the first; all later calls return it */
};

static inline struct dit_staging *dit_staging_of(struct dit_output *output)
{
	return (struct dit_staging *)output; /* its first member's first member */
}

/** Drop the claim, free all. */
void dit_staging_free(struct dit_staging *staging, enum dit_claim_end end);

/** Remember the first failure. @return @p r */
int dit_staging_keep(struct dit_staging *staging, int r);

/** Before the directory is claimed: is its database of the other generation? */
int dit_staging_look_first(int dir_fd, bool is_lmdb_10, struct dit_fault *fault);
/** After that: an empty database, or none. DIT_E_NOTEMPTY: it has records */
int dit_staging_look(int dir_fd, const struct dit_output_opts *opts);

/** Add an index to the tables. DIT_E_DUPLICATE: there is a database of that name. */
int dit_staging_add_table(struct dit_staging *staging,
                          const struct dit_output_index *index);

/** All pages shall be ours, or liblmdb's: the data file is begun, and the head of the
 * output gets its operations. */
int dit_staging_begin_pages(struct dit_staging *staging,
                            const struct dit_output_opts *opts);
int dit_staging_begin_append(struct dit_staging *staging);
/** Free what these two made. */
void dit_staging_end_pages(struct dit_staging *staging);
void dit_staging_end_append(struct dit_staging *staging);

/** A key of id2v. */
struct dit_split_key {
	char bytes[STAGING_SPLIT_KEY_BYTES];
};

/**
 * The key of the next record of id2v. @return 1: that of the last record; 0: a new one;
 * MDB_KEYEXIST: out of order; MDB_BAD_VALSIZE; -EINVAL: too early
 */
int dit_staging_next_split(struct dit_staging *staging, struct dit_split_key *ret,
                           uint64_t id, uint16_t ad, struct dit_span record);

/*
 * Operations of an output that both writers share.
 */

/**
 * The end of preparing: cut the file to its last used page, give it its mode, sync.
 * Nothing is put into it afterwards.
 *
 * @param r  the result so far; an error is kept
 *
 * @return DIT_E_FULL: the result is more than maxsize_bytes, and not may_grow
 */
int dit_staging_finish_file(struct dit_staging *staging, int r);
/** Rename into place. -errno: nothing was changed. */
int dit_staging_place(struct dit_output *output);
void dit_staging_settle(struct dit_output *output);
int dit_staging_take_back(struct dit_output *output);
int dit_staging_end(struct dit_output *output);
void dit_staging_abandon(struct dit_output *output);

#endif
