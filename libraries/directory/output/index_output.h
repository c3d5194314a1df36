/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output that rebuilds the index databases of a stored database.
 *
 *   dit_index_output_open()
 *   dit_index_output_snapshot(), and its entries are read; dit_snapshot_close()
 *   dit_output_find_index(), _add_index();  dit_output_open_index() ... by any threads
 *   dit_index_output_drop()
 *   dit_publish();  or  dit_output_abandon()
 *
 * Everything else that the database holds stays. A database of LMDB 1.0 is written again,
 * into a new file (rebuilt_output.h). In one of LMDB 0.9 the new databases are written
 * into free pages and after the end of data.mdb, and one commit of our own
 * (page_commit.h) puts them in the place of the old ones: so nothing is copied, and until
 * then nothing that slapd would read has changed. From the opening to the end the
 * directory is claimed.
 *
 * Threads: as output.h says; is_parallel.
 */
#ifndef DITKIT_INDEX_OUTPUT_H
#define DITKIT_INDEX_OUTPUT_H

#include <sys/types.h>

#include "output/online.h"
#include "output/output.h"
#include "reader/snapshot.h"

struct dit_index_output_opts {
	const char *directory;
	mode_t mode;                         /* of a lock.mdb that has to be made */
	uint64_t maxsize_bytes;              /* configured size; 0: LMDB's default */
	unsigned nthreads;                   /* for checks of the old databases; 0: one */
	struct dit_page_writer *page_writer; /* borrowed; NULL: each thread writes */
	struct dit_ticker *ticker;           /* main's; borrowed; NULL: no reports */
	struct dit_fault *fault; /* borrowed until the last dit_output_find_index() */
	/**
	 * An old database is damaged; the new one takes its place all the same. Called by
	 * dit_output_prepare(); may be NULL.
	 *
	 * @param text     what is wrong with it; valid during the call
	 * @param is_lost  its pages are lost, since a database that stays is damaged too
	 */
	void (*damaged)(void *ctx, const char *name, const char *text, bool is_lost);
	void *ctx;
};

/**
 * @return 0; DIT_E_BUSY; DIT_E_FORMAT, MDB_VERSION_MISMATCH; DIT_E_CORRUPT; -ENOENT:
 *         there is no data.mdb; other -errno. Nothing is changed then.
 */
int dit_index_output_open(struct dit_output **ret,
                          const struct dit_index_output_opts *opts);

/**
 * The same while other processes use the database (online.h). The output's commit
 * is dit_online_commit(); it cannot be taken back.
 *
 * @param online    belongs to the output from now on, in every case
 * @param changed   as of dit_online_commit(), with @p ctx; the tables are the indexes, in
 *                  their order
 */
int dit_index_output_open_online(struct dit_output **ret, struct dit_online *online,
                                 struct dit_fault *fault, dit_online_changed_fn changed,
                                 void *ctx);

/**
 * The database as it was when it was opened, for several threads. To be closed before the
 * output is published or abandoned.
 */
int dit_index_output_snapshot(struct dit_output *output, unsigned nreaders,
                              struct dit_snapshot **ret);

/** An index database of the snapshot ceases to be. DIT_E_UNKNOWN: there is none; -EINVAL:
 * other processes use the database */
int dit_index_output_drop(struct dit_output *output, const char *name);

#endif
