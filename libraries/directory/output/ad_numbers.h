/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of attribute descriptions in a database (storage.md 2): given out in the
 * order in which entries need them, after those that are stored.
 *
 *   dit_ad_numbers_read();  dit_ad_number() ...;  dit_ad_numbers_write();
 *   dit_ad_numbers_deinit()
 *
 * Threads: one; others may look up numbers while it gives them out.
 */
#ifndef DITKIT_AD_NUMBERS_H
#define DITKIT_AD_NUMBERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/entry_codec.h"
#include "output/record_output.h"
#include "reader/ad_names.h"
#include "schema/schema.h"

/** Numbers by the description's ordinal; 0: none yet. A number that is there stays. */
struct dit_ad_table {
	struct dit_ad_table *smaller; /* owned; others may still look at it */
	size_t size;
	_Atomic uint32_t numbers[]; /* relaxed: a number says all */
};

/** Zero is a database without any. The fields are for the functions below. */
struct dit_ad_numbers {
	/* Owned. [atomic: released when it is filled, acquired by those who look] */
	struct dit_ad_table *_Atomic table;
	const struct dit_ad **ads; /* by number - 1; NULL: not in the schema */
	size_t nads;
	size_t ads_size;
	size_t nstored; /* so many are stored */
};

void dit_ad_numbers_deinit(struct dit_ad_numbers *numbers);

/**
 * Take over what is stored. A description that the schema does not have keeps its number,
 * and nothing else.
 *
 * @return 0; -ENOMEM; DIT_E_TOOLONG; errors of the output
 */
int dit_ad_numbers_read(struct dit_ad_numbers *numbers, struct dit_record_output *output,
                        struct dit_schema *schema);

/** The number of a description; 0: it has none yet. Any thread. */
static inline uint32_t dit_ad_number_known(const struct dit_ad_numbers *numbers,
                                           const struct dit_ad *ad)
{
	const struct dit_ad_table *table =
		atomic_load_explicit(&numbers->table, memory_order_acquire);

	return table == NULL || ad->ordinal >= table->size
	               ? 0
	               : atomic_load_explicit(&table->numbers[ad->ordinal],
	                                      memory_order_relaxed);
}

/**
 * Fill in the numbers that are known; the others stay open. Any thread; @p encoded is its
 * own.
 */
void dit_ad_numbers_fill(const struct dit_ad_numbers *numbers,
                         struct dit_encoded *encoded);

/** Slow path of dit_ad_number(); do not call. */
int dit_ad_number_new(struct dit_ad_numbers *numbers, const struct dit_ad *ad,
                      uint32_t *ret);

/**
 * The number of a description; it gets the next one if it has none.
 *
 * @return 0; -ENOMEM; DIT_E_TOOLONG: over DIT_AD_NUMBER_MAX
 */
static inline int dit_ad_number(struct dit_ad_numbers *numbers, const struct dit_ad *ad,
                                uint32_t *ret)
{
	*ret = dit_ad_number_known(numbers, ad);
	return *ret != 0 ? 0 : dit_ad_number_new(numbers, ad, ret);
}

/** Write those that are not stored. Once. */
int dit_ad_numbers_write(const struct dit_ad_numbers *numbers,
                         struct dit_record_output *output);

#endif
