/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by existing.c (open, end) and the files of its look-ups and additions.
 *
 * Threads: as existing.h says.
 */
#ifndef DITKIT_EXISTING_IMPL_H
#define DITKIT_EXISTING_IMPL_H

#include <lmdb.h>

#include "output/existing.h"
#include "output/guard.h"
#include "page/page_format.h"
#include "place/claim.h"

struct dit_existing {
	struct dit_claim claim;
	uint64_t maxsize_bytes;
	uint64_t expected_bytes;
	bool may_grow;
	struct dit_fault *fault; /* borrowed; for dit_existing_find_index() */

	MDB_env *env; /* NULL once closed */
	int data_fd;  /* for reading and writing */
	int spare_fd; /* spare.h; -1: none */
	size_t page_bytes;
	uint64_t file_bytes;      /* of data.mdb when it was opened */
	struct dit_meta metas[2]; /* of that moment, to roll back to */

	/* Pages that liblmdb will read are checked first. */
	struct dit_guard guard;
	struct {
		size_t ad2i;
		size_t dn2i;
		size_t id2e;
		size_t id2v;
		size_t index; /* as below */
	} probes;             /* numbers of the databases */

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
	bool is_hidden;    /* and the state of the opening counts (existing_hide.c) */
};

void dit_existing_close_cursors(struct dit_existing *existing);
/** Commit the transaction. 0 or an error; is_committed says what became of it */
int dit_existing_end_txn(struct dit_existing *existing);

/** Before liblmdb looks for a key: check what it will read. Returns as
 * dit_probe_key(). */
static inline int dit_existing_guard(struct dit_existing *existing, size_t database,
                                     struct dit_span key, struct dit_span item)
{
	return dit_probe_key(existing->guard.probe, database, key, item);
}

/** The same for a database whose keys are IDs. */
static inline int dit_existing_guard_id(struct dit_existing *existing, size_t database,
                                        uint64_t id, struct dit_span item)
{
	return dit_existing_guard(existing, database,
	                          (struct dit_span){(const char *)&id, sizeof(id)}, item);
}

/** An LMDB result as one of ours; a full map is DIT_E_FULL. */
int dit_existing_result(struct dit_existing *existing, int rc);

#endif
