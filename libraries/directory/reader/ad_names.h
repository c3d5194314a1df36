/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attribute descriptions of a database by number: all records of ad2i, read once.
 *
 *   dit_ad_names_read();  dit_ad_names_get() ...;  dit_ad_names_deinit()
 *
 * Threads: one thread reads; afterwards constant, any thread.
 */
#ifndef DITKIT_AD_NAMES_H
#define DITKIT_AD_NAMES_H

#include <stdint.h>

#include "base/arena.h"
#include "reader/snapshot.h"
#include "schema/schema.h"

/** back-mdb has no higher number. */
#define DIT_AD_NUMBER_MAX 65535u

struct dit_ad_name {
	struct dit_span name;    /* no data: none */
	const struct dit_ad *ad; /* NULL: the schema has no such type, or there is none */
	bool is_forged; /* what is stored is no description; then name is empty */
	bool is_sorted; /* values are shown in order: dit_ad_names_sort() */
};

/** Zero is an empty one. */
struct dit_ad_names {
	struct dit_ad_name *list; /* by number; number 0 is nobody's */
	uint32_t n;               /* highest number + 1 */
	bool *is_unwanted;        /* by number; NULL: all are wanted */
	struct dit_arena texts;   /* of their names */
};

/**
 * Records with other keys than slapd's, and numbers above the limit, are passed over.
 *
 * @param reader  of the snapshot, which may see a later state
 * @param schema  outlives the names; NULL: names alone
 *
 * @return 0; DIT_E_UNKNOWN: there is no ad2i; LMDB's codes; -ENOMEM
 */
int dit_ad_names_read(struct dit_ad_names *ret, struct dit_snapshot *snapshot,
                      unsigned reader, struct dit_schema *schema);
void dit_ad_names_deinit(struct dit_ad_names *names);

/** Is this attribute wanted? 1, 0, or an error. */
typedef int (*dit_ad_wanted_fn)(void *ctx, const struct dit_ad *ad);

/**
 * Entries are shown without the attributes that the function does not want, and without
 * those that the schema does not know: this is for readers of few attributes. Nobody
 * reads entries yet.
 *
 * @return 0; the error of @p wanted; -ENOMEM
 */
int dit_ad_names_choose(struct dit_ad_names *names, dit_ad_wanted_fn wanted, void *ctx);

/**
 * Values of these types are shown in the order of sortvals, also those that were stored
 * before it named the type, as slapd reads them. Equal values among them stay as they
 * are. Nobody reads entries yet.
 */
void dit_ad_names_sort(struct dit_ad_names *names,
                       const struct dit_attr_type *const *types, size_t ntypes);

/** Does ad2i have the number with bytes that are no description? */
static inline bool dit_ad_names_is_forged(const struct dit_ad_names *names,
                                          uint32_t number)
{
	return number < names->n && names->list[number].is_forged;
}

/** NULL: no description has this number. */
static inline const struct dit_ad_name *dit_ad_names_get(const struct dit_ad_names *names,
                                                         uint32_t number)
{
	return number < names->n && names->list[number].name.data != NULL
	               ? &names->list[number]
	               : NULL;
}

#endif
