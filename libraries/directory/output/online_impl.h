/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by online.c (opened, reservations, commits under the lock) and online_rounds.c
 * (changes of others, the last step).
 *
 * Threads: as online.h says.
 */
#ifndef DITKIT_ONLINE_IMPL_H
#define DITKIT_ONLINE_IMPL_H

#include "commit/page_commit.h"
#include "commit/page_reserve.h"
#include "files/files.h"
#include "locks/lmdb_reader.h"
#include "output/index_tables.h"
#include "output/online.h"
#include "reader/snapshot.h"

/* Spare readers of the snapshot: for the state that the new tables show, and for a newer
 * one. */
#define DIT_ONLINE_NSPARE 2u

/** Entries that a newer state has changed. */
struct dit_online_changes {
	uint64_t *ids; /* of all rounds; owned */
	size_t nids;
	size_t ids_size;
	size_t first; /* of this round, from where on they are ascending and distinct */

	/* While they are found: nodes of id2e in leaves that only one state has. */
	struct dit_id_node *nodes; /* owned */
	size_t nnodes;
	size_t nodes_size;
	struct dit_arena values; /* of these nodes */
};

struct dit_online {
	struct dit_output base;
	struct dit_index_tables tables;
	struct dit_online_opts opts;
	struct dit_lmdb_reader *lmdb; /* the snapshot's */
	int data_fd;
	unsigned page_bytes;
	struct dit_mapped
		mapped;      /* by other processes; as of the latest commit of ours */
	uint64_t used_bytes; /* of the file, before it */
	uint64_t max_bytes;  /* that it may have afterwards */
	bool is_shared_less; /* than configured, because others have not mapped as much */
	struct dit_page_reserve reserve;
	bool has_reserve;
	bool is_committed;

	/* [own: who holds LMDB's write lock; times: reserve's lock, then main] */
	bool is_locked;
	uint64_t held_since_us;
	struct dit_online_times times;

	/* The last step, and the rounds before it. */
	unsigned reader; /* of the state that the new tables show */
	/* Trees in that state: the old tables, then id2e and id2v; an empty one may be
	 * none. Owned */
	struct dit_tree_record *stored;
	struct dit_page_set old_pages;   /* of the old tables */
	struct dit_page_set entry_pages; /* of id2e and id2v, down to their leaves */
	struct dit_online_changes changes;
	struct dit_list_changes *lists; /* of a round; one for each table; owned */
};

/** Take LMDB's write lock: no other process commits. As dit_reader_table_lock() */
int dit_online_lock(struct dit_online *online);
void dit_online_unlock(struct dit_online *online);

/**
 * Begin a commit of our own, with the lock held.
 *
 * Pages may be used that transactions up to the oldest reader's gave back: they belong to
 * states without readers. Readers that were killed do not count; slapd, too, waits for
 * them as long as they stand in LMDB's table. LMDB itself keeps the pages of one
 * transaction more, in case the last one is not on the disk. The snapshot's is: the file
 * has been synced since.
 *
 * @param reserved  pages that may be used too; may be NULL
 */
int dit_online_open_commit(struct dit_online *online, const struct dit_page_set *reserved,
                           struct dit_page_commit **ret);
/** Do the step; after an error, undo it. 0; error */
int dit_online_write_commit(struct dit_online *online, struct dit_page_commit *commit);

/** The rounds and the last step. All new tables are finished. */
int dit_online_catch_up(struct dit_online *online);

#endif
