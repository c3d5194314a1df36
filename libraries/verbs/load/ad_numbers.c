/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attribute numbers: two tables, from ordinal to number and back.
 */
#include "load/ad_numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

void dit_ad_numbers_deinit(struct dit_ad_numbers *numbers)
{
	free(numbers->numbers);
	free(numbers->ads);
	*numbers = (struct dit_ad_numbers){0};
}

/* The next number. NULL: of a description that the schema does not have. */
static int add(struct dit_ad_numbers *numbers, const struct dit_ad *ad)
{
	if (numbers->nads == DIT_AD_NUMBER_MAX) {
		return DIT_E_TOOLONG;
	}
	if (DIT_GROW(numbers->ads, numbers->ads_size, numbers->nads + 1) < 0) {
		return -ENOMEM;
	}
	numbers->ads[numbers->nads++] = ad;
	return 0;
}

int dit_ad_number_new(struct dit_ad_numbers *numbers, const struct dit_ad *ad)
{
	int r = DIT_GROW_CLEARED(numbers->numbers, numbers->numbers_size,
	                         (size_t)ad->ordinal + 1);

	if (r == 0) {
		r = add(numbers, ad);
	}
	if (r == 0) {
		numbers->numbers[ad->ordinal] = (uint32_t)numbers->nads;
	}
	return r;
}

/* A stored description. */
static int adopt(struct dit_ad_numbers *numbers, struct dit_schema *schema,
                 struct dit_span name)
{
	const struct dit_ad *ad = NULL;
	int r = dit_ad_find(schema, NULL, name, &ad, NULL);

	if (r < 0 && r != DIT_E_UNKNOWN) {
		return r;
	}
	return ad == NULL ? add(numbers, NULL) : dit_ad_number_new(numbers, ad);
}

int dit_ad_numbers_read(struct dit_ad_numbers *numbers, struct dit_record_output *output,
                        struct dit_schema *schema)
{
	struct dit_span name = {0};
	uint32_t number = 1;
	int r = dit_output_find_ad(output, number, &name);

	while (r > 0) {
		r = adopt(numbers, schema, name);
		if (r == 0) {
			r = dit_output_find_ad(output, ++number, &name);
		}
	}
	numbers->nstored = numbers->nads;
	return r;
}

int dit_ad_numbers_write(const struct dit_ad_numbers *numbers,
                         struct dit_record_output *output)
{
	int r = 0;

	for (size_t i = numbers->nstored; i < numbers->nads && r == 0; i++) {
		r = dit_output_put_ad(output, (uint32_t)i + 1, numbers->ads[i]->name);
	}
	return r;
}
