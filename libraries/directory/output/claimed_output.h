/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A data.mdb that is changed in place: its records (dit_output_merged_open() of
 * record_output.h), or its indexes alone, which are built again:
 *
 *   dit_index_output_open();  the entries of its snapshot are read
 *   dit_output_find_index(), _add_index();  dit_output_open_part() ... by any threads
 *   dit_index_output_drop()
 *   dit_publish();  or  dit_output_abandon()
 *
 * New pages are written into free pages and after the end of data.mdb, and one commit of
 * our own (page_commit.h) makes all of them visible: so nothing is copied, and until then
 * nothing that slapd would read has changed. From the opening to the end the directory is
 * claimed.
 *
 * On btrfs, even cutting a file takes space, and so does each write to a place that was
 * written before. Once the disk is full to the last byte, a file that has grown could not
 * be cut any more. So a nameless file holds 2 MiB until then.
 *
 * Threads: as output.h says; is_parallel.
 */
#ifndef DITKIT_CLAIMED_OUTPUT_H
#define DITKIT_CLAIMED_OUTPUT_H

#include "output/record_output.h"
#include "reader/snapshot.h"

struct dit_index_output_opts {
	/* These count: directory, mode, maxsize_bytes, may_grow, fault, and shared: each
	 * of its threads, one at least, reads the snapshot; sealed is the format */
	struct dit_output_opts file;
	/**
	 * An old database is damaged; the new one takes its place all the same. Called by
	 * DIT_PUBLISH_PREPARE; may be NULL.
	 *
	 * @param text     what is wrong with it; valid during the call
	 * @param is_lost  its pages are lost, since a database that stays is damaged too
	 */
	void (*damaged)(void *ctx, const char *name, const char *text, bool is_lost);
	void *ctx;
};

/**
 * @param ret_snapshot  the database as it was when it was opened, for nthreads threads;
 *                      the output's, until it is published or abandoned
 *
 * @return 0; DIT_E_BUSY; MDB_VERSION_MISMATCH, MDB_INVALID; DIT_E_CORRUPT; -ENOENT: there
 *         is no data.mdb; other -errno. Nothing is changed then.
 */
int dit_index_output_open(struct dit_output **ret, struct dit_snapshot **ret_snapshot,
                          const struct dit_index_output_opts *opts);

/** Remove a stored index database. Main, before DIT_PUBLISH_PREPARE. 0; DIT_E_UNKNOWN:
 * there is none */
int dit_index_output_drop(struct dit_output *output, const char *name);

/**
 * Keep space back on the file system of a directory, if it is btrfs.
 *
 * @return a descriptor, the caller's, who closes it to get the space; -1: none is kept
 */
int dit_spare_keep(int dir_fd);

#endif
