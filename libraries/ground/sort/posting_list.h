/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One posting list in the making: IDs are added in ascending order, repeats included;
 * the list collapses to a range when it outgrows its limit.
 *
 * Threads: a list belongs to one thread; a late table is constant once sorted.
 */
#ifndef DITKIT_POSTING_LIST_H
#define DITKIT_POSTING_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ids.h"

/** An ID out of input order (dit_postings_note_late()). */
struct dit_late_id {
	uint64_t id;
	uint64_t next_id; /* it counts as inserted just before this one */
	size_t sequence;  /* among late IDs, in input order */
};

struct dit_late_table {
	struct dit_late_id *ids; /* by ID, once sorted */
	size_t n;
	size_t size;
};

struct dit_list {
	uint32_t max; /* longest list */
	bool is_range;
	uint64_t lowest, highest;      /* of a range */
	uint64_t range[DIT_RANGE_IDS]; /* what dit_list_finish() gives for one */
	uint64_t *ids;                 /* in space, or in the words that were taken */
	size_t nids;                   /* a range has none */
	size_t ids_room;   /* IDs that fit without a look at max or at the memory */
	uint64_t *space;   /* owned */
	size_t ids_size;   /* of space */
	uint64_t *repeats; /* those IDs, ascending, that were added more than once */
	size_t nrepeats;
	size_t repeats_size;
};

/** @param max at least 1 */
void dit_list_init(struct dit_list *list, uint32_t max);
void dit_list_deinit(struct dit_list *list);

/** Empty it, keep the memory. */
static inline void dit_list_reset(struct dit_list *list)
{
	list->is_range = false;
	list->ids = list->space;
	list->nids = 0;
	list->nrepeats = 0;
}

/** Slow path of dit_list_add(); do not call. */
int dit_list_add_slowly(struct dit_list *list, uint64_t id);

/** Add an ID that is not lower than those before. 0 or -ENOMEM */
static inline int dit_list_add(struct dit_list *list, uint64_t id)
{
	size_t n = list->nids;

	/* Empty lists, ranges (which have no IDs) and full ones go the long way, too. */
	if (n - 1 < list->ids_room - 1 && id > list->ids[n - 1]) {
		list->ids[n] = id;
		list->nids = n + 1;
		return 0;
	}
	return dit_list_add_slowly(list, id);
}

/** The newest ID was added more than once. 0 or -ENOMEM */
int dit_list_add_repeat(struct dit_list *list);

/** Add a range; makes the list a range. */
void dit_list_add_range(struct dit_list *list, uint64_t lowest, uint64_t highest);

/**
 * Fill an empty list with all IDs of the first key in sorted pairs. The IDs replace the
 * words: they are not copied, and stay where they are when the list is reset. Nothing can
 * be added to such a list.
 *
 * @param words  belong to the list from now on, those of as many pairs as are returned
 * @param n      pairs, at least 1
 * @param width  1: words of 32 bits key, 32 bits ID; 2: a word of each
 *
 * @return how many belong to the first key, or -ENOMEM
 */
ptrdiff_t dit_list_take(struct dit_list *list, uint64_t *words, size_t n, unsigned width);

/** Slow path of dit_list_is_repeated(); do not call. */
bool dit_list_is_last_repeated(const struct dit_list *list,
                               const struct dit_late_table *late);

/** Was the ID that was inserted last inserted more than once? False for a range. */
static inline bool dit_list_is_repeated(const struct dit_list *list,
                                        const struct dit_late_table *late)
{
	return list->nrepeats > 0 && dit_list_is_last_repeated(list, late);
}

/**
 * All is added: apply the rule for lists that are exactly full (storage.md 5.4) and give
 * the result as a posting list: the IDs, or 0, lowest, highest.
 *
 * @return the number of IDs; @p ret points into the list, or to IDs that it took
 */
size_t dit_list_finish(struct dit_list *list, const struct dit_late_table *late,
                       const uint64_t **ret);

#endif
