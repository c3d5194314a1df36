/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the DN table:
 * - IDs are given out in order from 1, and found again by fingerprint;
 * - what was not added is not found;
 * - fingerprints depend on the name and on the key, and two keys are never the same;
 * - subtree sizes count the node itself and everything below.
 */
#include "test.h"

#include "load/dn_table.h"

#define MANY 200000 /* several doublings */

static struct dit_fingerprint_key key;

static struct dit_fingerprint fingerprint_of_number(unsigned n)
{
	char dn[32];
	int len = snprintf(dn, sizeof(dn), "cn=%u,dc=x", n);

	return dit_fingerprint_of(&key, (struct dit_span){dn, (size_t)len});
}

static int make_key(void **state)
{
	(void)state;
	return dit_fingerprint_key_make(&key);
}

/* Lengths for which XXH3 has code of its own: up to 16 bytes, 128, 240, and more. */
TEST(fingerprints_depend_on_the_key)
{
	static const size_t lengths[] = {1, 4, 9, 16, 17, 128, 129, 240, 241, 5000};
	struct dit_fingerprint_key other = {0};
	char dn[5000];

	assert_int_equal(dit_fingerprint_key_make(&other), 0);
	memset(dn, 'a', sizeof(dn));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct dit_span name = {dn, lengths[i]};
		struct dit_fingerprint a = dit_fingerprint_of(&key, name);
		struct dit_fingerprint again = dit_fingerprint_of(&key, name);
		struct dit_fingerprint b = dit_fingerprint_of(&other, name);

		assert_memory_equal(&a, &again, sizeof(a));
		assert_memory_not_equal(&a, &b, sizeof(a));
		dn[lengths[i] / 2] ^= 1;
		b = dit_fingerprint_of(&key, name);
		assert_memory_not_equal(&a, &b, sizeof(a));
	}
}

TEST(ids_are_given_in_order_and_found_again)
{
	struct dit_dn_table *table = NULL;
	uint32_t id = 0;

	assert_int_equal(dit_dn_table_new(&table, 0), 0);
	for (unsigned n = 1; n <= MANY; n++) {
		struct dit_fingerprint f = fingerprint_of_number(n);

		assert_int_equal(dit_dn_table_find(table, &f), 0);
		assert_int_equal(dit_dn_table_add(table, &f, n / 2, &id), 0);
		assert_int_equal(id, n);
	}
	for (unsigned n = 1; n <= MANY; n++) {
		struct dit_fingerprint f = fingerprint_of_number(n);

		assert_int_equal(dit_dn_table_find(table, &f), n);
	}
	assert_int_equal(table->nnodes, MANY);
	dit_dn_table_free(table);
}

TEST(what_was_not_added_is_not_found)
{
	struct dit_dn_table *table = NULL;
	struct dit_fingerprint f = fingerprint_of_number(1);

	assert_int_equal(dit_dn_table_new(&table, 0), 0);
	assert_int_equal(dit_dn_table_find(table, &f), 0);
	dit_dn_table_free(table);
	dit_dn_table_free(NULL);
}

/* All first words alike: every look-up walks through the same cluster. */
TEST(colliding_slots_are_told_apart)
{
	struct dit_dn_table *table = NULL;
	struct dit_fingerprint f = {{7, 7, 0}};
	uint32_t id = 0;

	assert_int_equal(dit_dn_table_new(&table, 0), 0);
	for (uint32_t n = 1; n <= 300; n++) {
		f.word[2] = n;
		assert_int_equal(dit_dn_table_add(table, &f, 0, &id), 0);
	}
	for (uint32_t n = 1; n <= 300; n++) {
		f.word[2] = n;
		assert_int_equal(dit_dn_table_find(table, &f), n);
	}
	dit_dn_table_free(table);
}

/*
 *   1 ─┬─ 2 ─── 4
 *      └─ 3 ─┬─ 5
 *            └─ 6
 */
TEST(subtree_sizes_count_all_below)
{
	static const uint32_t parents[] = {0, 1, 1, 2, 3, 3};
	static const uint32_t sizes[] = {6, 2, 3, 1, 1, 1};
	struct dit_dn_table *table = NULL;
	uint32_t id = 0;

	assert_int_equal(dit_dn_table_new(&table, 0), 0);
	for (unsigned i = 0; i < 6; i++) {
		struct dit_fingerprint f = fingerprint_of_number(i);

		assert_int_equal(dit_dn_table_add(table, &f, parents[i], &id), 0);
	}
	dit_dn_table_count(table);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(table->nodes[i].nsubs, sizes[i]);
	}
	dit_dn_table_free(table);
}

MAIN_WITH(make_key, NULL)
