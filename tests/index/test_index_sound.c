/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The promises of index/index_keys.h about approximate keys, and about values that slapd
 * does not survive.
 */
#include "index/index_fixture.h"
#include "index/key_bytes.h"

/* values.md 6.9, 6.3: keys that are no hashes next to hashes of either length. */
SETUP_TEST(approximate_keys_share_the_database)
{
	struct fixture *f = *state;
	struct dit_index_spec spec = {find_ad(f, "cn"), DIT_INDEX_PRES | DIT_INDEX_EQ |
	                                                        DIT_INDEX_APPROX |
	                                                        DIT_INDEX_SUB};
	struct dit_index_params params = usual_params;

	for (unsigned i = 0; i < 2; i++) {
		struct dit_index_set *set = NULL;

		params.hash64 = i == 1;
		set = new_set(f, &spec, 1, &params, true);
		assert_int_equal(dit_index_set_db(set, 0)->format,
		                 i == 1 ? DIT_KEY_WIDE : DIT_KEY_SHORT);
		assert_false(dit_index_set_db(set, 0)->is_integerkey);
		assert_int_equal(dit_index_set_longest_key(set, 0), i == 1 ? 8 : 4);
		make_keys(f, set, "cn", "Knight Bob", "Nite");
		assert_int_equal(count_key(f->keys, "cn 00000000"), 1);
		assert_int_equal(count_key(f->keys, "cn 4e4b54"), 1); /* NKT */
		assert_int_equal(count_key(f->keys, "cn 4242"), 0);
		assert_int_equal(count_key(f->keys, "cn 42"), 1);   /* B */
		assert_int_equal(count_key(f->keys, "cn 4e54"), 1); /* NT */
		dit_index_set_free(set);
	}
}

/* An approximate rule may be an equality rule: values.md 3.3 does not forbid it. */
SETUP_TEST(an_approximate_rule_makes_equality_keys)
{
	struct fixture *f = *state;
	struct dit_index_spec spec = {find_ad(f, "soundsLike"), DIT_INDEX_EQ};
	struct dit_index_set *set = new_set(f, &spec, 1, &usual_params, true);

	assert_int_equal(dit_index_set_db(set, 0)->format, DIT_KEY_SHORT);
	assert_int_equal(dit_index_set_longest_key(set, 0), DIT_PHONETIC_MAX);
	make_keys(f, set, "soundsLike", "Wright Phone", NULL);
	assert_int_equal(f->keys->n, 2);
	assert_string_equal(f->keys->text[0], "soundsLike 524b54");
	assert_string_equal(f->keys->text[1], "soundsLike 464e");
	dit_index_set_free(set);
}

/* values.md 2.6 and what the reference loader was seen to end with. */
SETUP_TEST(values_that_kill_slapd_are_told)
{
	static const struct {
		const char *name;
		unsigned kinds;
		const char *values[2];
		int value; /* the one that is told; -1: none */
	} cases[] = {
		{"tINT", DIT_INDEX_EQ, {"1", ""}, 1},
		{"tINT", DIT_INDEX_EQ, {"--1", "1"}, 0},
		{"tINT", DIT_INDEX_PRES, {"", "--1"}, -1},
		{"tINT", DIT_INDEX_EQ, {"1", "-1"}, -1},
		{"tCII", DIT_INDEX_APPROX, {"a", "\xFF"}, 1},
		{"tCII", DIT_INDEX_EQ | DIT_INDEX_SUB, {"a", "\xFF"}, -1},
		{"soundsLike", DIT_INDEX_EQ, {"\xC3", "a"}, 0},
		{"tCIM", DIT_INDEX_EQ, {"", "x"}, -1},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_index_spec spec = {find_ad(f, cases[i].name), cases[i].kinds};
		struct dit_index_set *set = new_set(f, &spec, 1, &usual_params, true);
		struct dit_span values[] = {dit_span_of(cases[i].values[0]),
		                            dit_span_of(cases[i].values[1])};
		struct dit_attr attr = make_attr(f, cases[i].name, values, 2);
		struct dit_entry entry = {.attrs = &attr, .nattrs = 1};
		struct dit_index_refusal refusal = {0};
		struct dit_index_work *work = NULL;
		int r = 0;

		assert_int_equal(dit_index_work_new(&work, set), 0);
		r = dit_index_check(work, &entry, &refusal);
		assert_int_equal(r, cases[i].value < 0 ? 0 : DIT_E_INVALID);
		if (r < 0) {
			assert_ptr_equal(refusal.ad, spec.ad);
			assert_int_equal(refusal.value, cases[i].value);
			assert_non_null(refusal.reason);
		}
		dit_index_work_free(work);
		dit_index_set_free(set);
	}
}

/* Numbers have no integer keys, hashes have those of one length. */
SETUP_TEST(stored_keys_fit_the_rule)
{
	static const struct {
		const char *name;
		bool is_integerkey;
		size_t key_len;
		int r;
	} cases[] = {
		{"tINT", false, 4, 0}, {"tINT", true, 4, DIT_E_INVALID},
		{"cn", false, 4, 0},   {"cn", true, 4, 0},
		{"cn", true, 0, 0},    {"cn", true, 8, DIT_E_INVALID},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_index_spec spec = {find_ad(f, cases[i].name), DIT_INDEX_EQ};
		struct dit_index_set *set = new_set(f, &spec, 1, &usual_params, true);

		assert_int_equal(dit_index_set_stored(set, 0, cases[i].is_integerkey,
		                                      cases[i].key_len),
		                 cases[i].r);
		dit_index_set_free(set);
	}
}
