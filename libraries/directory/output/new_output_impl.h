/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by new_output.c (a new database of back-mdb, storage.md 1, of LMDB 0.9 or 1.0),
 * prepared_output.c (one that waits in DIR/ditkit-prepared) and data_check.c.
 *
 * Threads: as record_output.h says.
 */
#ifndef DITKIT_NEW_OUTPUT_IMPL_H
#define DITKIT_NEW_OUTPUT_IMPL_H

#include "commit/page_commit.h"
#include "files/files.h"
#include "locks/claim.h"
#include "output/record_tables.h"

struct json_t; /* jansson.h */

/** The fate of the file that was replaced. */
enum dit_old_file {
	DIT_OLD_NONE, /* there was none */
	DIT_OLD_KEPT, /* it has a second name in the staging directory */
	DIT_OLD_LOST,
};

struct dit_new_output {
	struct dit_record_tables tables;
	struct dit_output_opts opts; /* with the effective maxsize_bytes */
	struct dit_claim claim;
	int staging_fd; /* DIR/ditkit-staging; no other user can write in it */
	/* DIR/ditkit-prepared, from which data.mdb comes; -1: from ditkit-staging */
	int prepared_fd;
	/* The older DIR/ditkit-prepared, which the new one replaces: it is open from the
	 * beginning, so that its removal needs no open(). -1: there is none */
	int replaced_fd;
	struct json_t *manifest; /* of prepared_fd; borrowed */
	int data_fd;             /* the data file, for reading and writing */

	size_t page_bytes;
	const struct dit_page_format *format;

	enum dit_old_file old_file; /* since the rename */
	bool is_renamed;
	int sync_error; /* of the new name */
};

static inline struct dit_new_output *dit_new_output_of(struct dit_output *output)
{
	return (struct dit_new_output *)output; /* its first member's first member */
}

/**
 * Check the whole file, which is small.
 *
 * @param sealed, stop  as in a walk
 *
 * @return 0; DIT_E_CORRUPT with a fault; errors of dit_walk()
 */
int dit_data_check_whole(int data_fd, const struct dit_page_format *sealed,
                         const struct dit_stop *stop, struct dit_fault *fault);
/** Is there a database without records, or none? Before the directory is claimed: is it
 * none of the other generation? 0; DIT_E_NOTEMPTY; DIT_E_FORMAT, with a fault */
int dit_data_check(int dir_fd, const struct dit_output_opts *opts, bool is_claimed);

/** Claim the directory and make DIR/ditkit-staging. DIT_E_NOTEMPTY: there are records */
int dit_new_output_claim(struct dit_new_output **ret, const struct dit_output_opts *opts);
/** Drop the claim, free all. */
void dit_new_output_free(struct dit_new_output *output, enum dit_claim_end end);
/** lock.mdb is put in order where a slapd of 2.7 waits. */
enum dit_claim_end dit_new_output_end_abandoned(const struct dit_new_output *output);

/** Have the finished file renamed into DIR/ditkit-prepared, at the end. 0; -ENOTDIR with
 * a fault; other -errno */
int dit_new_output_keep_apart(struct dit_new_output *output);

/** The rename is done: sync it. */
void dit_new_output_renamed(struct dit_new_output *output);

/*
 * Operations.
 */

/** Those of an output whose file gets its name in the database directory. */
extern const struct dit_output_ops dit_new_output_ops;
/** Complete the file, which may be a copy that is not on the disk yet: cut it to its last
 * used page, give it its mode, sync. Nothing is put into it afterwards. DIT_E_FULL: it is
 * more than maxsize, and not may_grow */
int dit_new_output_prepare(struct dit_output *base);
/** The commit of one that was prepared; of another one it does nothing. */
int dit_new_output_say_published(struct dit_output *base);
void dit_new_output_abandon(struct dit_output *base);

#endif
