/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/ad_numbers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

void dit_ad_numbers_deinit(struct dit_ad_numbers *numbers)
{
	free(numbers->table);
	*numbers = (struct dit_ad_numbers){0};
}

int dit_ad_number_new(struct dit_ad_numbers *numbers, const struct dit_ad *ad,
                      uint32_t *ret)
{
	struct dit_ad_table *table = numbers->table;
	uint32_t slot = 0;

	if (numbers->nads == DIT_AD_NUMBER_MAX) {
		return DIT_E_TOOLONG;
	}
	if (table == NULL) {
		table = calloc(1, sizeof(*table));
		if (table == NULL) {
			return -ENOMEM;
		}
		atomic_store_explicit(&numbers->table, table, memory_order_release);
	}
	table->ads[numbers->nads++] = ad;
	*ret = (uint32_t)numbers->nads;
	if (ad != NULL) {
		for (slot = ad->ordinal; table->slots[slot % DIT_AD_SLOTS] != 0; slot++) {
		}
		atomic_store_explicit(&table->slots[slot % DIT_AD_SLOTS], *ret,
		                      memory_order_release);
	}
	return 0;
}

void dit_ad_numbers_fill(const struct dit_ad_numbers *numbers,
                         struct dit_encoded *encoded)
{
	uint32_t *words = (uint32_t *)(void *)encoded->bytes;
	uint32_t nopen = 0;

	for (uint32_t i = 0; i < encoded->nopen; i++) {
		const struct dit_ad *ad = encoded->ads[i];
		uint32_t word = encoded->ad_words[i];
		uint32_t number = dit_ad_number_known(numbers, ad);

		words[word] |= number;
		if (number == 0) {
			encoded->ads[nopen] = ad;
			encoded->ad_words[nopen++] = word;
		}
	}
	encoded->nopen = nopen;
}

/* A stored description. */
static int adopt(struct dit_ad_numbers *numbers, struct dit_schema *schema,
                 struct dit_span name)
{
	const struct dit_ad *ad = NULL;
	uint32_t number = 0;
	int r = dit_ad_find(schema, NULL, name, &ad, NULL);

	if (r < 0 && r != DIT_E_UNKNOWN) {
		return r;
	}
	return dit_ad_number_new(numbers, ad, &number);
}

int dit_ad_numbers_read(struct dit_ad_numbers *numbers, struct dit_record_output *output,
                        struct dit_schema *schema)
{
	struct dit_span name = {0};
	uint32_t number = 1;
	int r = dit_output_find_ad(output, number, &name);

	while (r > 0) {
		r = adopt(numbers, schema, name);
		r = r ?: dit_output_find_ad(output, ++number, &name);
	}
	numbers->nstored = numbers->nads;
	return r;
}

int dit_ad_numbers_write(const struct dit_ad_numbers *numbers,
                         struct dit_record_output *output)
{
	int r = 0;

	for (size_t i = numbers->nstored; i < numbers->nads && r == 0; i++) {
		r = dit_output_put_ad(output, (uint32_t)i + 1,
		                      numbers->table->ads[i]->name);
	}
	return r;
}
