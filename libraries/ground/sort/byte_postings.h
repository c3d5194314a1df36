/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Postings whose keys are bytes of any length. postings.h is faster and takes the keys
 * that fit a machine word.
 *
 *   dit_byte_postings_new();
 *   many producers, each on its own thread:  dit_byte_postings_push()...
 *   one thread, producers at rest:           dit_byte_postings_finish(),
 *                                            dit_byte_postings_next()...
 *   dit_byte_postings_free()
 *
 * The rules of lists are those of postings.h: a list that outgrows the limit becomes the
 * range of its smallest and largest ID, and a list that is exactly full becomes one if
 * the entry that filled it pushed the key once more.
 */
#ifndef DITKIT_BYTE_POSTINGS_H
#define DITKIT_BYTE_POSTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ids.h"
#include "base/shared.h"
#include "base/span.h"

/** Longest key, bytes. */
#define DIT_BYTE_KEY_MAX 511

struct dit_byte_postings;
struct dit_late_table; /* posting_list.h */

struct dit_byte_postings_opts {
	struct dit_shared shared; /* each thread is a producer */
	size_t memory_bytes;      /* all producers together; 64 KiB for each at least */
	uint32_t list_max;        /* longest list; at least 1 */
};

/** 0; -EINVAL (options out of range); -ENOMEM */
int dit_byte_postings_new(struct dit_byte_postings **ret,
                          const struct dit_byte_postings_opts *opts);
/** Also before finish, and after errors. NULL is fine. */
void dit_byte_postings_free(struct dit_byte_postings *postings);

/**
 * Add a key of an entry.
 *
 * @param producer  0 .. nthreads - 1; each number belongs to one thread
 * @param key       1 to DIT_BYTE_KEY_MAX bytes; borrowed
 *
 * @return 0; DIT_E_TOOLONG; -EINVAL (no key); errors of dit_sorter_push()
 */
int dit_byte_postings_push(struct dit_byte_postings *postings, unsigned producer,
                           struct dit_span key, uint64_t id);

/**
 * No more pushes.
 *
 * @param late  IDs out of input order (dit_postings_late()); borrowed until free
 *
 * @return 0 or the first error of any producer
 */
int dit_byte_postings_finish(struct dit_byte_postings *postings,
                             const struct dit_late_table *late);

/**
 * The next key, in ascending order of bytes.
 *
 * @return 1: @p ret is valid until the next call; 0: end; DIT_E_CORRUPT; -EINVAL (not
 *         finished); DIT_E_STOPPED; -errno
 */
int dit_byte_postings_next(struct dit_byte_postings *postings,
                           struct dit_posting_list *ret);

/** Postings pushed, repeats included. Producers must be at rest. */
uint64_t dit_byte_postings_npushed(const struct dit_byte_postings *postings);
/** Postings of these that are in lists by now. Called by the thread that reads. */
uint64_t dit_byte_postings_nread(const struct dit_byte_postings *postings);
/** Bytes of all run files so far. Any thread, at any time. */
uint64_t dit_byte_postings_run_bytes(const struct dit_byte_postings *postings);

#endif
