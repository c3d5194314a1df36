/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The snapshot, for the files of this room and for online.c: a mapped file, the
 * named databases in it, and what keeps its state. That is a reader next to other
 * processes (locks/lmdb_reader.h), or the caller's claim (locks/claim.h).
 * The file may be damaged: functions return DIT_E_CORRUPT then.
 *
 * Threads: as snapshot.h says.
 */
#ifndef DITKIT_SNAPSHOT_IMPL_H
#define DITKIT_SNAPSHOT_IMPL_H

#include "locks/lmdb_reader.h"
#include "reader/snapshot.h"

struct dit_snapshot {
	struct dit_lmdb_reader *reader; /* owned; NULL: claimed */
	/* The state that all readers have but spare ones. Its file is the reader's, or
	 * the caller's; its format is borrowed if it is sealed */
	struct dit_page_source map;
	/* The maps of the spare readers, [own: the reader's thread]; a reader that was
	 * never renewed has the common map, and its own is all zero. NULL without a
	 * reader */
	struct dit_page_source *spare_maps;

	struct dit_stored_db *dbs; /* sorted by name, each name owned */
	size_t ndbs;
	unsigned nreaders;
	unsigned nspare;
	bool is_held;
};

/** The databases of the map. 0; DIT_E_CORRUPT; -ENOMEM; MDB_DBS_FULL: more databases than
 * slapd can have */
int dit_snapshot_read_dbs(struct dit_snapshot *snapshot);
void dit_snapshot_forget_dbs(struct dit_snapshot *snapshot);

/** Open a snapshot as a reader, next to other processes or as the first one, of a file of
 * either format. DIR/data.mdb is not claimed. */
int dit_snapshot_register(struct dit_snapshot **ret, const char *directory,
                          const struct dit_snapshot_opts *opts);

/** A spare reader's map. */
static inline struct dit_page_source *dit_snapshot_spare_map(
	struct dit_snapshot *snapshot, unsigned reader)
{
	return &snapshot->spare_maps[reader - snapshot->nreaders];
}
/** The tree of a named database as a reader sees it. 1; 0: there is none; LMDB's codes;
 * DIT_E_CORRUPT; -ENOTSUP: the file is claimed; -EINVAL: there is no such reader */
int dit_snapshot_tree_by(struct dit_snapshot *snapshot, unsigned reader, const char *name,
                         struct dit_tree_record *ret);

#endif
