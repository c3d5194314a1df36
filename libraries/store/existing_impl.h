/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What existing.c (open, end) and the files of its look-ups and additions share.
 *
 * Threads: as existing.h says.
 */
#ifndef DITKIT_EXISTING_IMPL_H
#define DITKIT_EXISTING_IMPL_H

#include <lmdb.h>

#include "pages/page_format.h"
#include "store/claim.h"
#include "store/existing.h"

struct dit_existing {
	struct dit_claim claim;
	uint64_t maxsize_bytes;
	bool may_grow;
	struct dit_fault *fault; /* borrowed; for dit_existing_find_index() */

	MDB_env *env; /* NULL once closed */
	int data_fd;  /* for reading and writing */
	int spare_fd; /* spare.h; -1: none */
	size_t page_bytes;
	uint64_t file_bytes;      /* of data.mdb when it was opened */
	struct dit_meta metas[2]; /* of that moment, to roll back to */

	MDB_txn *txn; /* NULL once committed */
	MDB_dbi ad2i;
	MDB_dbi dn2i;
	MDB_dbi id2e;
	MDB_dbi id2v;
	MDB_dbi index; /* since dit_existing_begin_index() */
	MDB_cursor *names;
	MDB_cursor *entries;
	MDB_cursor *splits;
	MDB_cursor *postings; /* of index; NULL: none yet */
	bool is_integerkey;

	uint64_t last_id;
	bool is_changed;
	int sync_error;    /* of dit_existing_settle() */
	bool is_committed; /* since it was opened, a meta page may have been written */
};

/** An LMDB result as one of ours; a full map is DIT_E_FULL. */
int dit_existing_result(struct dit_existing *existing, int rc);

#endif
