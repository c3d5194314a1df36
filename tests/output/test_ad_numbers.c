/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of attribute numbers:
 * - descriptions get 1, 2, 3 ... in the order in which they are asked for, each once;
 * - stored descriptions keep their numbers, also those that the schema does not have;
 * - those that are not stored are written;
 * - there are 65535 at most;
 * - they are filled into records as far as they are known;
 * - errors of the output, and missing memory, are passed on.
 */
#include "test.h"

#include "base/error.h"
#include "entry/entry_fixture.h"
#include "indexing/fake_output.h"
#include "nomem.h"
#include "output/ad_numbers.h"

static struct dit_schema *schema;

static int setup(void **state)
{
	(void)state;
	return fixture_schema_new(&schema);
}

static int teardown(void **state)
{
	(void)state;
	dit_schema_free(schema);
	return 0;
}

static const struct dit_ad *ad_of(const char *name)
{
	const struct dit_ad *ad = NULL;

	assert_int_equal(dit_ad_find(schema, NULL, dit_span_of(name), &ad, NULL), 0);
	return ad;
}

static void assert_number(struct dit_ad_numbers *numbers, const char *name, uint32_t want)
{
	uint32_t number = 0;

	assert_int_equal(dit_ad_number(numbers, ad_of(name), &number), 0);
	assert_int_equal(number, want);
}

TEST(numbers_are_given_in_order)
{
	struct dit_ad_numbers numbers = {0};
	struct fake_output fake;

	fake_init(&fake);
	assert_int_equal(dit_ad_numbers_read(&numbers, &fake.output, schema), 0);
	assert_number(&numbers, "sn", 1);
	assert_number(&numbers, "objectClass", 2);
	assert_number(&numbers, "surname", 1);
	assert_number(&numbers, "sn;lang-de", 3);
	assert_int_equal(dit_ad_numbers_write(&numbers, &fake.output), 0);
	fake_assert(&fake, "ad 1 sn\nad 2 objectClass\nad 3 sn;lang-de\n");
	dit_ad_numbers_deinit(&numbers);
}

TEST(stored_numbers_stay)
{
	static const char *const stored[] = {"cn", "gone", "sn"};
	struct dit_ad_numbers numbers = {0};
	struct fake_output fake;

	fake_init(&fake);
	fake.ads = stored;
	fake.nads = 3;
	assert_int_equal(dit_ad_numbers_read(&numbers, &fake.output, schema), 0);
	assert_number(&numbers, "sn", 3);
	assert_number(&numbers, "mail", 4);
	assert_number(&numbers, "cn", 1);
	assert_int_equal(dit_ad_numbers_write(&numbers, &fake.output), 0);
	fake_assert(&fake, "ad 4 mail\n");
	dit_ad_numbers_deinit(&numbers);
}

TEST(there_are_65535_at_most)
{
	struct dit_ad_numbers numbers = {0};
	uint32_t number = 0;
	struct dit_ad ad = {.ordinal = 0};

	for (; ad.ordinal < DIT_AD_NUMBER_MAX; ad.ordinal++) {
		assert_int_equal(dit_ad_number(&numbers, &ad, &number), 0);
		assert_int_equal(number, ad.ordinal + 1);
	}
	assert_int_equal(dit_ad_number(&numbers, &ad, &number), DIT_E_TOOLONG);
	dit_ad_numbers_deinit(&numbers);
}

/* Some ordinals have one slot. */
TEST(known_numbers_are_filled_in_and_others_stay_open)
{
	static const uint32_t ordinals[] = {
		255, 256, 0, DIT_AD_SLOTS, 255 + DIT_AD_SLOTS, DIT_AD_SLOTS - 1};
	enum {
		N = sizeof(ordinals) / sizeof(ordinals[0])
	};
	struct dit_ad_numbers numbers = {0};
	uint64_t bytes[N] = {0};
	uint32_t *words = (uint32_t *)bytes;
	struct dit_ad ads[N] = {0};

	/* The first n descriptions have numbers: 1, 2, ... */
	for (uint32_t n = 0; n <= N; n++) {
		const struct dit_ad *open[N];
		uint32_t at[N];
		struct dit_encoded encoded = {
			.bytes = (char *)bytes, .nopen = N, .ads = open, .ad_words = at};

		for (uint32_t i = 0; i < N; i++) {
			ads[i].ordinal = ordinals[i];
			words[2 * i] = 1u << 31;
			open[i] = &ads[i];
			at[i] = 2 * i;
		}
		dit_ad_numbers_fill(&numbers, &encoded);
		assert_int_equal(encoded.nopen, N - n);
		for (uint32_t i = 0; i < N; i++) {
			assert_int_equal(words[2 * i], 1u << 31 | (i < n ? i + 1 : 0));
			assert_int_equal(dit_ad_number_known(&numbers, &ads[i]),
			                 i < n ? i + 1 : 0);
		}
		for (uint32_t i = 0; i < encoded.nopen; i++) {
			assert_ptr_equal(open[i], &ads[n + i]);
			assert_int_equal(at[i], 2 * (n + i));
		}
		if (n < N) {
			uint32_t number = 0;

			assert_int_equal(dit_ad_number(&numbers, &ads[n], &number), 0);
			assert_int_equal(number, n + 1);
		}
	}
	dit_ad_numbers_deinit(&numbers);
}

static int use(const struct dit_ad *ad, int fail_at)
{
	static const char *const stored[] = {"cn", "gone"};
	static struct fake_output fake;
	struct dit_ad_numbers numbers = {0};
	uint32_t number = 0;
	int r = 0;

	fake_init(&fake);
	fake.ads = stored;
	fake.nads = 2;
	fake.fail_at = fail_at;
	r = dit_ad_numbers_read(&numbers, &fake.output, schema);
	r = r ?: dit_ad_number(&numbers, ad, &number);
	r = r ?: dit_ad_numbers_write(&numbers, &fake.output);
	dit_ad_numbers_deinit(&numbers);
	return r;
}

TEST(errors_are_passed_on)
{
	const struct dit_ad *ad = ad_of("sn");

	for (int n = 1; n <= 5; n++) {
		/* Two stored ones, the look after them, and one written. */
		assert_int_equal(use(ad, n), n <= 4 ? -EIO : 0);
	}
	assert_true(calls_until_memory(use(ad, 0)) > 1);
}

MAIN_WITH(setup, teardown)
