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
 *   staging_prepared.c  or into DIR/ditkit-prepared, and from there in place
 *
 * DIR/ditkit-staging/ holds the unfinished data.mdb. The opening removes the files that a
 * killed process left there. Nothing touches DIR/data.mdb before the rename; after it the
 * finished database is there, synced. From the opening to the end the directory is
 * claimed (claim.h): other loaders are refused, and a slapd or tool that is started in
 * that time waits.
 *
 * Threads: as record_output.h says.
 */
#ifndef DITKIT_STAGING_H
#define DITKIT_STAGING_H

#include "commit/page_commit.h"
#include "files/files.h"
#include "locks/claim.h"
#include "output/output_impl.h"
#include "output/record_tables.h"

struct dit_append;
struct json_t; /* jansson.h */

/** The fate of the file that was replaced. */
enum dit_old_file {
	DIT_OLD_NONE, /* there was none */
	DIT_OLD_KEPT, /* it has a second name in the staging directory */
	DIT_OLD_LOST,
};

struct dit_staging {
	struct dit_record_tables tables;
	struct dit_claim claim;
	int staging_fd; /* DIR/ditkit-staging; no other user can write in it */
	/* DIR/ditkit-prepared, from which data.mdb comes; -1: from ditkit-staging */
	int prepared_fd;
	/* The older DIR/ditkit-prepared, which the new one replaces: it is open from the
	 * beginning, so that its removal needs no open(). -1: there is none */
	int replaced_fd;
	struct json_t *manifest; /* of prepared_fd; borrowed */
	int data_fd;             /* the data file, for reading and writing */

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

	struct dit_page_commit *commit; /* our pages; owned; NULL: they are liblmdb's */
	struct dit_append *append;      /* liblmdb's; owned; NULL: they are ours */

	uint64_t used_bytes; /* of the data file, by the last commit */

	enum dit_old_file old_file; /* since it was put in place */
	bool is_placed;
	int settle_error; /* of dit_output_settle() */

	/* Of one that is_prepared: those of its writer, with other ways to be put in
	 * place. */
	struct dit_output_ops prepared_ops;
};

static inline struct dit_staging *dit_staging_of(struct dit_output *output)
{
	return (struct dit_staging *)output; /* its first member's first member */
}

/** Drop the claim, free all. */
void dit_staging_free(struct dit_staging *staging, enum dit_claim_end end);

/** Claim the directory and make DIR/ditkit-staging. DIT_E_NOTEMPTY: there are records */
int dit_staging_open(struct dit_staging **ret, const struct dit_output_opts *opts);

/** The directory that data.mdb is renamed from. */
static inline int dit_staging_source(const struct dit_staging *staging)
{
	return staging->prepared_fd >= 0 ? staging->prepared_fd : staging->staging_fd;
}

/** It is not put in place, but into DIR/ditkit-prepared. -ENOTDIR with a fault */
int dit_staging_keep_apart(struct dit_staging *staging, struct dit_fault *fault);

/** lock.mdb is put in order where a slapd of 2.7 waits. */
enum dit_claim_end dit_staging_end_abandoned(const struct dit_staging *staging);

/** Before the directory is claimed: is its database of the other generation? */
int dit_staging_look_first(int dir_fd, const struct dit_output_opts *opts);
/** After that: an empty database, or none. DIT_E_NOTEMPTY: it has records */
int dit_staging_look(int dir_fd, const struct dit_output_opts *opts);

/** All pages shall be ours, or liblmdb's: the data file is begun, and the head of the
 * output gets its operations. */
int dit_staging_begin_pages(struct dit_staging *staging,
                            const struct dit_output_opts *opts);
int dit_staging_begin_append(struct dit_staging *staging);
/** Free what that one made. */
void dit_staging_end_append(struct dit_staging *staging);

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
