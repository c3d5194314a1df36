/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A data.mdb that is changed in place: open under a claim of its directory, with space
 * kept back for the case that the disk fills up, and with the commit that changes it.
 *
 *   dit_claimed_file_open();  dit_claimed_file_begin()
 *   the commit is used (page_commit.h)
 *   dit_claimed_file_undo(), if it is to be as it was;  dit_claimed_file_close()
 *
 * On btrfs, even cutting a file takes space, and so does each write to a place that was
 * written before. Once the disk is full to the last byte, a file that has grown could not
 * be cut any more. So a nameless file holds 2 MiB until then.
 *
 * Threads: as the claim.
 */
#ifndef DITKIT_CLAIMED_FILE_H
#define DITKIT_CLAIMED_FILE_H

#include "base/shared.h"
#include "commit/page_commit.h"
#include "locks/claim.h"

struct dit_claimed_file {
	struct dit_claim claim;
	int data_fd;                          /* for reading and writing */
	int spare_fd;                         /* the nameless file; -1: none */
	const struct dit_page_format *format; /* borrowed */
	size_t page_bytes;                    /* since it was begun */
	struct dit_page_commit *commit;       /* owned; NULL: not begun */
};

struct dit_claimed_file_opts {
	const char *directory;
	mode_t mode; /* of a lock.mdb that has to be made */
	/* The file has to be of this one, which may be sealed (data_seal.h); borrowed
	 * while it is open; NULL: of either, not sealed */
	const struct dit_page_format *format;
	uint64_t maxsize_bytes; /* configured size; 0: LMDB's default */
	bool may_grow;          /* the file may become larger than that */
	struct dit_shared shared;
	struct dit_fault *fault; /* of the calls; may be NULL */
};

/**
 * @return 0; what dit_directory_open(), dit_claim_take(), dit_data_open(),
 *         dit_format_check_metas() and dit_format_check_state() return. Then nothing is
 *         to be closed.
 */
int dit_claimed_file_open(struct dit_claimed_file *ret,
                          const struct dit_claimed_file_opts *opts);

/** Begin the commit, with the same options. After an error the file is only to be closed.
 */
int dit_claimed_file_begin(struct dit_claimed_file *file,
                           const struct dit_claimed_file_opts *opts);

/** dit_page_commit_undo(), with the space that was kept back: on btrfs the undo needs
 * some. */
int dit_claimed_file_undo(struct dit_claimed_file *file);

/** End the commit, put lock.mdb in order, close the file, drop the claim. */
void dit_claimed_file_close(struct dit_claimed_file *file);

/**
 * Keep space back on the file system of a directory, if it is btrfs.
 *
 * @return a descriptor, the caller's, who closes it to get the space; -1: none is kept
 */
int dit_spare_keep(int dir_fd);

#endif
