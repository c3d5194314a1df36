/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reader of an LMDB database, next to other processes, or as the first one. It sees the
 * state of its opening, and in spare slots later states. Writers leave the pages of these
 * states alone, so that several threads can read them. The reader needs no liblmdb: it
 * takes slots in the table of readers (reader_table.h).
 *
 * data.mdb and lock.mdb are opened by descriptor (files.h).
 *
 * Threads: one thread opens and closes; then each state is one thread's at a time.
 */
#ifndef DITKIT_LMDB_READER_H
#define DITKIT_LMDB_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/report.h"
#include "base/stop.h"
#include "files/fault.h"
#include "locks/reader_table.h"
#include "page/meta_pages.h"

struct dit_lmdb_reader_opts {
	const struct dit_page_format *format; /* of the file; may be sealed; borrowed */
	unsigned nspare;   /* slots for later states, which may be renewed */
	bool is_writer;    /* will commit: dit_reader_table_mend() first */
	bool no_lock_file; /* make none where there is none: nobody writes then */
	uint64_t wait_ms;  /* at most, for free slots in the table of readers */
	const struct dit_stop *stop; /* ends waits; borrowed; NULL: none does */
	dit_report_fn report; /* told of a loader that is waited for; NULL: nobody is */
	void *report_ctx;
	struct dit_fault *fault; /* borrowed; may be NULL; says more than the result */
};

/** Others may read the fields. */
struct dit_lmdb_reader {
	const struct dit_page_format *format;
	int data_fd;
	int lock_fd; /* -1: no lock file, or a file system that may only be read */
	struct dit_metas metas; /* the newest one is of the state that was opened */
	struct dit_reader_table table;
};

/**
 * @param ret        dit_lmdb_reader_close(); NULL on failure
 * @param directory  holds a data.mdb
 *
 * @return 0; what dit_directory_open(), dit_data_open(), dit_format_check_metas() and
 *         dit_metas_read() return, and what those of reader_table.h return;
 *         DIT_LMDB_READERS_FULL: no slot became free within wait_ms (slots of
 *         processes that are gone are taken at once); -EAGAIN: commits came too fast;
 *         DIT_E_CORRUPT, with a fault: lock.mdb names a state of another data.mdb;
 *         DIT_E_STOPPED
 */
int dit_lmdb_reader_open(struct dit_lmdb_reader **ret, const char *directory,
                         const struct dit_lmdb_reader_opts *opts);
/** Gives the slots back. NULL is fine. */
void dit_lmdb_reader_close(struct dit_lmdb_reader *reader);

/**
 * From now on a spare state is that of the last commit.
 *
 * @param number  of the spare state, from 0 on
 * @param ret     the newest one is of that state
 *
 * @return 0; -ESTALE, -EAGAIN, -errno: it cannot be used until a later call returns 0
 */
int dit_lmdb_reader_renew(struct dit_lmdb_reader *reader, unsigned number,
                          struct dit_metas *ret);

#endif
