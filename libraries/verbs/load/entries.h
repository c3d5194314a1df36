/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of a database that is loaded, on their way into it: their records of id2e,
 * with attribute numbers, and the values that id2v takes.
 *
 *   dit_entries_new();  dit_entries_put(), _put_later(), _put_hole() ...;
 *   dit_entries_write_late();  dit_entries_free()
 *
 * An output takes no record after one with a higher ID, and no values of id2v before its
 * tables are written. Both wait: an entry that fills a hole (a *late* entry) and all
 * values of id2v go through a sorter, and from there, in order, to the output when it
 * takes changes.
 *
 * Entries that come in batches have their places at once, and members fill them while the
 * next batch comes:
 *
 *   main      _put_later() ..., _end_batch()   batch 1 │ batch 2 │ batch 3, 1 is written
 *   members   _fill()                                  │ batch 1 │ batch 2
 *
 * Threads: one, but for dit_entries_fill().
 */
#ifndef DITKIT_ENTRIES_H
#define DITKIT_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shared.h"
#include "codec/entry_codec.h"
#include "output/ad_numbers.h"
#include "output/record_output.h"

struct dit_entries;

/**
 * @param output        borrowed, as the next one
 * @param numbers       get the entries' attributes
 * @param memory_bytes  of the sorter of what waits; DIT_SORT_SHARE_MIN at least are taken
 *
 * @return 0 or -ENOMEM
 */
int dit_entries_new(struct dit_entries **ret, struct dit_record_output *output,
                    struct dit_ad_numbers *numbers, size_t memory_bytes,
                    const struct dit_shared *shared);
/** NULL is fine. */
void dit_entries_free(struct dit_entries *entries);

/** Is there an entry with the empty DN, which has ID 0 (storage.md 3.3)? */
bool dit_entries_has_root(const struct dit_entries *entries);

/**
 * Put an entry: a new ID, above all others, or that of a hole; 0 for the empty DN, once.
 *
 * @param encoded  the attribute numbers that are open are filled in; the order of its
 *                 splits changes
 *
 * @return 0; -ENOMEM; DIT_E_TOOLONG: too many attribute numbers; errors of the output and
 * of
 *         dit_sorter_push()
 */
int dit_entries_put(struct dit_entries *entries, uint32_t id,
                    struct dit_encoded *encoded);

/** Where a record is to be copied. */
struct dit_entries_place {
	struct dit_encoded *encoded; /* borrowed */
	char *space;                 /* NULL: nothing is left to do */
};

/**
 * As dit_entries_put(), but the record may be left to dit_entries_fill().
 *
 * @param ret  lives, as @p encoded does, until the batch is filled
 */
int dit_entries_put_later(struct dit_entries *entries, uint32_t id,
                          struct dit_encoded *encoded, struct dit_entries_place *ret);

/** Copy a record into its place, if that is left. After the end of its batch and before
 * that of the next but one. Any thread */
void dit_entries_fill(const struct dit_entries *entries, struct dit_entries_place *place);

/** The batch has no more entries. The last batch but one, which is filled, is written.
 * Errors of the output */
int dit_entries_end_batch(struct dit_entries *entries);

/** No more batches. All of them, which are filled, are written. As above */
int dit_entries_end_batches(struct dit_entries *entries);

/** A record without bytes, for a new ID. Errors of the output. */
int dit_entries_put_hole(struct dit_entries *entries, uint32_t id);

/**
 * Put what has waited. After dit_output_begin_changes(); once.
 *
 * @return 0; DIT_E_STOPPED; errors of dit_sorter_next() and of the output
 */
int dit_entries_write_late(struct dit_entries *entries);

/** Bytes of temporary files that were written. */
uint64_t dit_entries_run_bytes(const struct dit_entries *entries);

#endif
