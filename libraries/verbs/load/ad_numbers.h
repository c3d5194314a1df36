/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of attribute descriptions in a database (storage.md 2): given out in the
 * order in which entries need them, after those that are stored.
 *
 *   dit_ad_numbers_read();  dit_ad_number() ...;  dit_ad_numbers_write();
 *   dit_ad_numbers_deinit()
 *
 * Threads: one.
 */
#ifndef DITKIT_AD_NUMBERS_H
#define DITKIT_AD_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "output/record_output.h"
#include "schema/schema.h"

#define DIT_AD_NUMBER_MAX 65535

/** Zero is a database without any. The fields are for the functions below. */
struct dit_ad_numbers {
	uint32_t *numbers; /* by the description's ordinal; 0: none yet */
	size_t numbers_size;
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

/** Slow path of dit_ad_number(); do not call. */
int dit_ad_number_new(struct dit_ad_numbers *numbers, const struct dit_ad *ad);

/**
 * The number of a description; it gets the next one if it has none.
 *
 * @return 0; -ENOMEM; DIT_E_TOOLONG: over DIT_AD_NUMBER_MAX
 */
static inline int dit_ad_number(struct dit_ad_numbers *numbers, const struct dit_ad *ad,
                                uint32_t *ret)
{
	if (ad->ordinal >= numbers->numbers_size || numbers->numbers[ad->ordinal] == 0) {
		int r = dit_ad_number_new(numbers, ad);

		if (r < 0) {
			return r;
		}
	}
	*ret = numbers->numbers[ad->ordinal];
	return 0;
}

/** Write those that are not stored. Once. */
int dit_ad_numbers_write(const struct dit_ad_numbers *numbers,
                         struct dit_record_output *output);

#endif
