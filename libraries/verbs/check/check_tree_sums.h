/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums tell without a sort whether the tree is sound: dn2i says each fact in two places,
 * and the digests of both places have the same sum (check_tree.c has what must agree).
 *
 *   dit_check_tree_sums_new()
 *   dit_walk() with dit_check_tree_sums_note() for each list of dn2i
 *   each member, for each record of id2e: dit_check_tree_sums_take()
 *   dit_check_tree_sums_end()
 *   dit_check_tree_sums_is_wanted()
 *   dit_check_tree_sums_free()
 *
 * Nodes are dealt into buckets by their IDs (check_pieces.h). If the sums of a bucket
 * agree, check_tree.c has nothing to tell of its nodes, but for one case in about 2^64.
 * The digests have random seeds, so nobody can make a file for it. If they do not
 * agree, it may still have nothing to tell.
 *
 * Memory is 32 KiB for each member, whatever the tree has.
 *
 * Threads: members note side by side, and take side by side, each for itself; the rest is
 * one thread's.
 */
#ifndef DITKIT_CHECK_TREE_SUMS_H
#define DITKIT_CHECK_TREE_SUMS_H

#include "check/check_pieces.h"
#include "codec/entry_view.h"
#include "codec/name_codec.h"
#include "walk/walk.h"

/** Padding between the sums of two members: a cache line, on most machines. Then no
 * member waits for another one that writes to its own sums. */
#define DIT_CHECK_CACHE_LINE_BYTES 64

struct dit_check_tree_sums;

/**
 * @param suffix  normal form of the topmost node's name; empty: it may have any; borrowed
 *
 * @return 0; -ENOMEM; -errno of getrandom()
 */
int dit_check_tree_sums_new(struct dit_check_tree_sums **ret, unsigned nmembers,
                            struct dit_span suffix);
/** NULL is fine. */
void dit_check_tree_sums_free(struct dit_check_tree_sums *sums);

/** For the callback of the walk. @param list  of dn2i, whose name is not looked at */
void dit_check_tree_sums_note(struct dit_check_tree_sums *sums, unsigned member,
                              const struct dit_walk_list *list);

/** A record of id2e. A hole is left to check_tree.c: it makes its bucket wrong. */
void dit_check_tree_sums_take(struct dit_check_tree_sums *sums, unsigned member,
                              const struct dit_entry_view *entry);

/** After all records: do all sums agree, and is there one topmost node? */
bool dit_check_tree_sums_end(struct dit_check_tree_sums *sums);

/** A digest of both forms of a name. Any thread. */
uint64_t dit_check_tree_sums_digest(const struct dit_check_tree_sums *sums,
                                    const struct dit_name *name);

/** Is a node in a bucket whose sums do not agree? After _end(); any thread. */
bool dit_check_tree_sums_is_wanted(const struct dit_check_tree_sums *sums, uint64_t id);

#endif
