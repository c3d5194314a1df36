/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index builders: index keys of entries -> the lists of the index databases, in key
 * order.
 *
 *   dit_builders_new()
 *   many producers, each on its own thread:  dit_builders_push_entry()...
 *   one thread, producers at rest:           dit_builders_note_late()..., _finish()
 *   to make a database on several threads:   dit_builders_cut()
 *   each database, or part of one, once:     dit_index_cursor_open(), _next()...,
 *                                            _close()
 *   dit_builders_free()
 *
 * There is one builder for each database of an index set. The format of the database's
 * keys (index_keys.h) decides how the builder sorts; its users need not know the format:
 *
 *   DIT_KEY_INT32, _BYTES32           a stream of postings in 32 bits each (postings.h)
 *   DIT_KEY_INT64, _BYTES64, _SHORT   a stream of postings in 64 bits each, and one in
 *                                     32 bits for the presence key if it has one
 *   DIT_KEY_WIDE                      a general sorter (sort.h) of all such databases
 *
 * Threads: cursors of different databases, and of parts of one, may be open on different
 * threads.
 *
 * Errors: -ENOMEM; -ENOSPC and other -errno of run files; DIT_E_CORRUPT: a run file is
 * damaged.
 */
#ifndef DITKIT_BUILDERS_H
#define DITKIT_BUILDERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/shared.h"
#include "base/span.h"
#include "output/output.h"

/** The highest ID whose keys builders take: some streams have IDs in 32 bits. */
#define DIT_BUILDERS_ID_MAX UINT32_MAX

struct dit_builders;
struct dit_entry;      /* entry.h */
struct dit_index_set;  /* index_keys.h */
struct dit_index_work; /* likewise */

struct dit_builders_opts {
	const struct dit_index_set
		*indexes;         /* borrowed; constant, outlives the builders */
	struct dit_shared shared; /* each thread is a producer */
	size_t memory_bytes;      /* for postings in memory, all producers together */
	/* The same for databases of DIT_KEY_WIDE; if it is less than 64 KiB for each
	 * producer, they take as much. */
	size_t wide_memory_bytes;
	uint32_t list_max;  /* longest list, 2^idlexp - 1; longer ones become ranges */
	bool takes_all_ids; /* not only those up to DIT_BUILDERS_ID_MAX */
};

/** 0; -EINVAL (options out of range); -ENOMEM */
int dit_builders_new(struct dit_builders **ret, const struct dit_builders_opts *opts);
/** All cursors must be closed. NULL is fine. */
void dit_builders_free(struct dit_builders *builders);

/**
 * Add the keys of an entry to a database that is not DIT_KEY_WIDE.
 *
 * @param producer  0 .. nthreads - 1; each number belongs to one thread
 * @param id        not 0
 *
 * @return as dit_postings_push(); the first error sticks to the producer
 */
int dit_builders_push(struct dit_builders *builders, unsigned producer, unsigned db,
                      uint64_t id, const uint64_t *ordinals, size_t nkeys);

/** Add one key that has no ordinal (index_keys.h). As above; DIT_E_TOOLONG: it has more
 * than 511 bytes; -EINVAL: it has none; errors of dit_sorter_push() */
int dit_builders_push_key(struct dit_builders *builders, unsigned producer, unsigned db,
                          uint64_t id, struct dit_span key);

/**
 * Make the keys of an entry, and add them.
 *
 * @param work  of the same index set; the producer's
 * @param id    not 0
 *
 * @return as above; what dit_index_entry() returns; DIT_E_STOPPED
 */
int dit_builders_push_entry(struct dit_builders *builders, unsigned producer,
                            struct dit_index_work *work, const struct dit_entry *entry,
                            uint64_t id);

/** As dit_postings_note_late(). Before finish. */
int dit_builders_note_late(struct dit_builders *builders, uint64_t id, uint64_t next_id);

/** No more keys. 0 or the first error of any producer. */
int dit_builders_finish(struct dit_builders *builders);

/** Keys pushed for a database so far, repeats included. Any thread, at any time. */
uint64_t dit_builders_npushed(const struct dit_builders *builders, size_t db);

/** The same of all databases together. */
uint64_t dit_builders_npostings(const struct dit_builders *builders);

/** Bytes of all run files so far. Any thread, at any time. */
uint64_t dit_builders_run_bytes(const struct dit_builders *builders);

/** The most parts that a database can have: 1 if its keys are not spread evenly. */
unsigned dit_builders_parts_max(const struct dit_builders *builders, size_t db);
/** Cut a database into so many parts, a power of two, dit_builders_parts_max() at most.
 * After finish, before its first cursor. */
void dit_builders_cut(struct dit_builders *builders, size_t db, unsigned nparts);

struct dit_index_cursor;

/**
 * The lists of a database, or of a part of it, in key order. The keys of a part are lower
 * than those of the next one.
 *
 * @param part  0 if the database is not cut
 *
 * @return 0; -EINVAL (not finished, opened before); errors
 */
int dit_index_cursor_open(struct dit_index_cursor **ret, struct dit_builders *builders,
                          size_t db, unsigned part);
/** The number of lists in @p ret, at least 1, valid until the next call; 0: end; errors
 */
ptrdiff_t dit_index_cursor_next(struct dit_index_cursor *cursor,
                                const struct dit_posting_list **ret);
/** Postings, repeats included, that the cursor's lists were made of so far, nearly. The
 * thread of the cursor. */
uint64_t dit_index_cursor_nread(const struct dit_index_cursor *cursor);
/** The last one of a database gives its disk space back. NULL is fine. */
void dit_index_cursor_close(struct dit_index_cursor *cursor);

#endif
