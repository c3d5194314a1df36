/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of index databases on their way from the members that merge them to the one
 * thread that writes them.
 *
 *   member 1   merge uid ──▶ [ blocks ] ─┐
 *   member 2   merge cn  ──▶ [ blocks ] ─┴─▶ main: uid, cn, sn, ... in this order
 *
 *   dit_list_queues_new()
 *   member:  dit_list_queues_put()..., dit_list_queues_close()   one database each
 *   main:    dit_list_queues_next()...                           databases in order
 *   members are joined;  dit_list_queues_free()
 *
 * There is a queue for each database. Lists travel in blocks of 336 KiB; a longer list
 * gets a block of its size. A member waits while its queue holds QUEUE_BLOCKS, or while
 * all queues together hold the limit and main is at another database. So the memory is
 * bounded: the limit, QUEUE_BLOCKS more, and a block in the hands of each thread. No
 * thread waits for ever if databases are drawn in the order in which main takes them: the
 * one that main waits for then always has a member, which may always put two blocks.
 *
 * Threads: as above; a queue belongs to one member at a time.
 */
#ifndef DITKIT_LIST_QUEUE_H
#define DITKIT_LIST_QUEUE_H

#include <stddef.h>

#include "build/builders.h"

struct dit_list_queues;

/** @param limit  blocks that wait in all queues together. 0, -ENOMEM, -EAGAIN */
int dit_list_queues_new(struct dit_list_queues **ret, size_t nqueues, size_t limit);
/** No thread may be waiting. NULL is fine. */
void dit_list_queues_free(struct dit_list_queues *queues);

/** Append lists, which are copied. 0; -ENOMEM; DIT_E_STOPPED: cancelled */
int dit_list_queues_put(struct dit_list_queues *queues, size_t number,
                        const struct dit_output_list *lists, size_t nlists);

/**
 * The member has put all lists of this queue.
 *
 * @param error  0, or why there are no more: main gets it after the lists put so far
 */
void dit_list_queues_close(struct dit_list_queues *queues, size_t number, int error);

/**
 * The next lists of a queue, a block of them; waits for it. Main asks for queues in
 * ascending order, each to its end; those that are left out must have no lists.
 *
 * @return the number of lists in @p ret, at least 1, valid until the next call; their
 *         keys lie at multiples of 8 bytes; 0: end; the error of closing; DIT_E_STOPPED:
 *         cancelled
 */
ptrdiff_t dit_list_queues_next(struct dit_list_queues *queues, size_t number,
                               const struct dit_output_list **ret);

/** From now on putting fails, and no thread waits. Any thread. */
void dit_list_queues_cancel(struct dit_list_queues *queues);

#endif
