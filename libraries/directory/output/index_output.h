/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output that rebuilds the index databases of a stored database.
 *
 *   dit_index_output_open();  the entries of its snapshot are read
 *   dit_output_find_index(), _add_index();  dit_output_open_part() ... by any threads
 *   dit_index_output_drop()
 *   dit_publish();  or  dit_output_abandon()
 *
 * Everything else that the database holds stays. The new databases are written into free
 * pages and after the end of data.mdb, and one commit of our own (page_commit.h) puts
 * them in the place of the old ones: so nothing is copied, and until then nothing that
 * slapd would read has changed. From the opening to the end the directory is claimed.
 *
 * Threads: as output.h says; is_parallel.
 */
#ifndef DITKIT_INDEX_OUTPUT_H
#define DITKIT_INDEX_OUTPUT_H

#include "locks/claimed_file.h"
#include "output/output.h"
#include "reader/snapshot.h"

struct dit_index_output_opts {
	/* Each of its threads, one at least, reads the snapshot; the fault is borrowed
	 * until the last dit_output_find_index(); its format does not matter */
	struct dit_claimed_file_opts file;
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
 * there is none; -ENOMEM */
int dit_index_output_drop(struct dit_output *output, const char *name);

#endif
