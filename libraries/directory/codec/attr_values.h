/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of an attribute of a stored entry, in one list: slapd 2.5 can have an
 * attribute in several blocks. dit_attr_pairs() makes each attribute of two entries come
 * once (base/pairs.h).
 *
 * Threads: one thread.
 */
#ifndef DITKIT_ATTR_VALUES_H
#define DITKIT_ATTR_VALUES_H

#include "base/arena.h"
#include "base/pairs.h"
#include "codec/entry_view.h"

struct dit_value {
	struct dit_span pretty;
	struct dit_span normal; /* as it is compared; the value, if it has no such form */
};

struct dit_attr_values {
	const struct dit_entry_view *entry;
	const struct dit_attr_view *first; /* block; NULL: it lacks the attribute */
	uint32_t at; /* of dit_attr_pairs(): the block that comes next */
	/* Once they are taken. */
	uint32_t nblocks;
	struct dit_value *list;
	size_t n;
};

static inline struct dit_value dit_attr_value(const struct dit_attr_view *attr,
                                              uint32_t i)
{
	return (struct dit_value){attr->values[i], attr->normal == NULL
	                                                   ? attr->values[i]
	                                                   : attr->normal[i]};
}

/** Find an attribute by its description; by its name, if no schema has it. @param at  the
 * block that is looked at first */
void dit_attr_values_find(struct dit_attr_values *values,
                          const struct dit_attr_view *wanted, uint32_t at);
/** The block of the attribute that comes after this one; NULL: there is none. */
const struct dit_attr_view *dit_attr_values_next(const struct dit_attr_values *values,
                                                 const struct dit_attr_view *block);
/** Make the list of all blocks. @param more  room for so many more. 0 or -ENOMEM */
int dit_attr_values_take(struct dit_attr_values *values, size_t more,
                         struct dit_arena *arena);

/** @param sides  with their entries; dit_pairs_next() finds the attributes */
struct dit_pairs dit_attr_pairs(struct dit_attr_values sides[2]);

#endif
