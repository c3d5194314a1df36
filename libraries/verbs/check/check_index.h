/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index databases checked: the lists that the entries' keys make, walked along with those
 * that are stored.
 *
 *   keys of all entries ──▶ builders ──▶ lists in key order ─┐
 *   stored                            ──▶ lists in key order ─┴─▶ compared
 *
 * A stored list must be the list that was made. A stored range is right if it covers what
 * was made: slapd never turns a range back into a list, nor makes it much narrower, when
 * entries go. So a range of a key that no entry has is right as well.
 *
 *   dit_check_index_new() for each member;  dit_check_index() ...;  _free()
 *
 * Threads: an object belongs to one thread, with a reader of the snapshot of its own.
 * Databases that share a sorter are checked as builders.h says.
 */
#ifndef DITKIT_CHECK_INDEX_H
#define DITKIT_CHECK_INDEX_H

#include "base/stop.h"
#include "build/builders.h"
#include "check/check_findings.h"
#include "index/index_keys.h"
#include "reader/snapshot.h"

struct dit_check_index;

struct dit_check_index_opts {
	struct dit_snapshot *snapshot; /* borrowed, like the others */
	unsigned reader;
	const struct dit_index_set *indexes;
	struct dit_builders *builders; /* sealed */
	uint32_t list_max;             /* as in struct dit_builders_opts */
	/* Entries that could not be read, and have made no keys; ascending. */
	const uint64_t *unread;
	size_t nunread;
	const struct dit_stop *stop; /* may be NULL */
	struct dit_check_findings *findings;
};

/** @param opts  copied. 0 or -ENOMEM */
int dit_check_index_new(struct dit_check_index **ret,
                        const struct dit_check_index_opts *opts);
/** NULL is fine. */
void dit_check_index_free(struct dit_check_index *check);

/**
 * Check a database, once.
 *
 * @return 0; DIT_E_STOPPED; -ENOMEM; LMDB's codes; errors of the builders
 */
int dit_check_index(struct dit_check_index *check, size_t db);

#endif
