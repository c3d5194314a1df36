/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The content of lock.mdb when a claim (claim.h) ends: as the first process makes it that
 * opens the database. A slapd that has been waiting for the claim takes the content for
 * that of a running environment and does not make it, so without it its start fails.
 *
 * Threads: as the claim.
 */
#ifndef DITKIT_LOCK_FILE_H
#define DITKIT_LOCK_FILE_H

#include "locks/claim.h"

/**
 * Make the content for a database of either format. If that fails lock.mdb is empty: who
 * waits fails as well, rather than trust the state of an older database.
 *
 * @param staging_fd  of the staging directory; liblmdb opens files of LMDB 0.9 there
 * @param data_fd     the data.mdb that is in place now
 */
void dit_lock_file_set_up(const struct dit_claim *claim, int staging_fd, int data_fd);

/** The same with a staging directory that is made for it. */
void dit_lock_file_renew(const struct dit_claim *claim, int data_fd);

/**
 * For a claim that has only read a file of LMDB 1.0: fill a lock.mdb that is empty. One
 * with content stays as it is.
 *
 * @return true: lock.mdb can stay; false: the claim made it, and it is empty or belongs
 *         to another user than the directory
 */
bool dit_lock_file_fill(const struct dit_claim *claim, int data_fd);

/**
 * For the first process that opens a database of LMDB 1.0, which keeps others away so
 * long: make the content, whatever was there.
 *
 * @return 0; DIT_E_UNSUPPORTED, with a fault: mutexes have another size here; -errno;
 *         what dit_metas_read() returns
 */
int dit_lock_file_begin(int lock_fd, int data_fd, struct dit_fault *fault);

#endif
