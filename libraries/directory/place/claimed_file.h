/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A data.mdb that is changed in place: open under a claim of its directory, with space
 * kept back for the case that the disk fills up.
 *
 * Threads: as the claim.
 */
#ifndef DITKIT_CLAIMED_FILE_H
#define DITKIT_CLAIMED_FILE_H

#include "place/claim.h"

struct dit_claimed_file {
	struct dit_claim claim;
	int data_fd;  /* for reading and writing */
	int spare_fd; /* spare.h; -1: none */
};

/**
 * @param mode   of a lock.mdb that has to be made
 * @param fault  may be NULL
 *
 * @return 0; what dit_directory_open(), dit_claim_take() and dit_data_open() or, for
 *         files of LMDB 1.0, dit_data_open_10() return. Then nothing is to be closed.
 */
int dit_claimed_file_open(struct dit_claimed_file *ret, const char *directory,
                          mode_t mode, bool is_lmdb_10, struct dit_fault *fault);

/** Give the space back: to undo takes space where each write does. */
void dit_claimed_file_use_spare(struct dit_claimed_file *file);

/** Put lock.mdb in order, close the file, drop the claim. */
void dit_claimed_file_close(struct dit_claimed_file *file);

#endif
