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

#define DIT_AD_SLOTS (2 * (DIT_AD_NUMBER_MAX + 1))

/** Room for all numbers that there can be, of which the system gives what is used. */
struct dit_ad_table {
	const struct dit_ad *ads[DIT_AD_NUMBER_MAX]; /* by number - 1; NULL: not in the
	                                              * schema */
	/* The numbers, by the descriptions' ordinals, in the first free slot from there
	 * on; 0: free. [atomic: released when its description is there] */
	_Atomic uint32_t slots[DIT_AD_SLOTS];
};

/** Zero is a database without any. The fields are for the functions below. */
struct dit_ad_numbers {
	struct dit_ad_table *_Atomic table; /* owned. [atomic: released once] */
	size_t nads;
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
	uint32_t number = 0;

	for (uint32_t slot = ad->ordinal; table != NULL; slot++) {
		number = atomic_load_explicit(&table->slots[slot % DIT_AD_SLOTS],
		                              memory_order_acquire);
		if (number == 0 || table->ads[number - 1] == ad) {
			break;
		}
	}
	return number;
}

/**
 * Fill in the numbers that are known; the others stay open. Any thread; @p encoded is its
 * own.
 */
void dit_ad_numbers_fill(const struct dit_ad_numbers *numbers,
                         struct dit_encoded *encoded);

/** Slow path of dit_ad_number(). @param ad  NULL: the schema does not have it */
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
