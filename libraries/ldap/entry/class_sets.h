/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The meaning of a list of objectClass values for the schema check, found once per list.
 * For the files of this room only.
 *
 * Threads: the sets belong to one thread; the schema is shared and constant.
 */
#ifndef DITKIT_CLASS_SETS_H
#define DITKIT_CLASS_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "schema/schema.h"

/** Outcome of the search for the structural class (values.md 7.2 B). */
enum dit_structural {
	DIT_STRUCTURAL_FOUND,
	DIT_STRUCTURAL_UNKNOWN_CLASS, /* culprits[0] */
	DIT_STRUCTURAL_CHAIN,         /* culprits[0] and [1] have nothing in common */
	DIT_STRUCTURAL_NONE,
};

struct dit_class_set {
	struct dit_class_set *next;
	struct dit_span *values;
	uint32_t nvalues;
	uint32_t oc_flags; /* storage.md 4.5 */

	enum dit_structural outcome;
	uint32_t culprits[2];             /* value indexes */
	const struct dit_class **classes; /* one for each value; NULL: unknown */

	/* Only if a structural class was found. */
	const struct dit_class *structural;
	const struct dit_content_rule *rule; /* or NULL */
	bool is_extensible;                  /* any attribute may be present */
	const uint64_t *allowed;             /* bit set over ordinals of types */
};

struct dit_class_sets {
	struct dit_arena arena;
	struct dit_class_set *first; /* the one found last: most entries repeat it */
	unsigned nsets;
};

void dit_class_sets_init(struct dit_class_sets *sets);
void dit_class_sets_deinit(struct dit_class_sets *sets);

/**
 * The set for a list of objectClass values, made if it is new.
 *
 * @param ret  valid until the next call
 *
 * @return 0 or -ENOMEM
 */
int dit_class_sets_find(struct dit_class_sets *sets, const struct dit_schema *schema,
                        const struct dit_span *values, uint32_t nvalues,
                        const struct dit_class_set **ret);

/**
 * Does the class require and allow attributes by itself? Those of an abstract class, and
 * of a superclass of the structural one, come through their subclass.
 */
static inline bool dit_class_set_counts(const struct dit_class_set *set,
                                        const struct dit_class *oc)
{
	return oc->kind == DIT_CLASS_AUXILIARY || oc == set->structural;
}

static inline bool dit_class_set_allows(const struct dit_class_set *set,
                                        const struct dit_attr_type *type)
{
	return (set->allowed[type->ordinal / 64] >> (type->ordinal % 64) & 1) != 0;
}

#endif
