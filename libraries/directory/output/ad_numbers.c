/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attribute numbers: two tables, from ordinal to number and back. The first one is made
 * larger by a copy, and the smaller one is kept, because other threads may look there.
 */
#include "output/ad_numbers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"

#define TABLE_MIN 256

void dit_ad_numbers_deinit(struct dit_ad_numbers *numbers)
{
	struct dit_ad_table *table = numbers->table;

	while (table != NULL) {
		struct dit_ad_table *smaller = table->smaller;

		free(table);
		table = smaller;
	}
	free(numbers->ads);
	*numbers = (struct dit_ad_numbers){0};
}

/* The next number. NULL: of a description that the schema does not have. */
static int add(struct dit_ad_numbers *numbers, const struct dit_ad *ad)
{
	if (numbers->nads == DIT_AD_NUMBER_MAX) {
		return DIT_E_TOOLONG;
	}
	return DIT_APPEND(numbers->ads, numbers->ads_size, numbers->nads, ad);
}

/* A table that has a place for an ordinal. */
static int grow(struct dit_ad_numbers *numbers, uint32_t ordinal)
{
	struct dit_ad_table *smaller = numbers->table;
	struct dit_ad_table *table = NULL;
	size_t size = smaller == NULL ? TABLE_MIN : 2 * smaller->size;

	if (smaller != NULL && ordinal < smaller->size) {
		return 0;
	}
	if (size <= ordinal) {
		size = (size_t)ordinal + 1;
	}
	table = calloc(1, sizeof(*table) + size * sizeof(table->numbers[0]));
	if (table == NULL) {
		return -ENOMEM;
	}
	table->smaller = smaller;
	table->size = size;
	for (size_t i = 0; smaller != NULL && i < smaller->size; i++) {
		table->numbers[i] = smaller->numbers[i];
	}
	atomic_store_explicit(&numbers->table, table, memory_order_release);
	return 0;
}

int dit_ad_number_new(struct dit_ad_numbers *numbers, const struct dit_ad *ad,
                      uint32_t *ret)
{
	int r = grow(numbers, ad->ordinal);

	r = r ?: add(numbers, ad);
	if (r < 0) {
		return r;
	}
	*ret = (uint32_t)numbers->nads;
	atomic_store_explicit(&numbers->table->numbers[ad->ordinal], *ret,
	                      memory_order_relaxed);
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
	return ad == NULL ? add(numbers, NULL) : dit_ad_number_new(numbers, ad, &number);
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
		r = dit_output_put_ad(output, (uint32_t)i + 1, numbers->ads[i]->name);
	}
	return r;
}
