/* SPDX-License-Identifier: BSD-2-Clause */
/* Contract of figures: each has the digits that a person needs, and its unit. */
#include "test.h"

#include "arguments.h"

TEST(counts_have_groups)
{
	static const struct {
		uint64_t n;
		const char *text;
	} cases[] = {{0, "0"},
	             {999, "999"},
	             {1000, "1,000"},
	             {123456, "123,456"},
	             {1234567, "1,234,567"},
	             {UINT64_MAX, "18,446,744,073,709,551,615"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(figure_count(cases[i].n).text, cases[i].text);
	}
}

TEST(sizes_have_a_unit)
{
	static const struct {
		uint64_t n;
		const char *text;
	} cases[] = {{0, "0 B"},
	             {999, "999 B"},
	             {1000, "1.0 KiB"},
	             {1536, "1.5 KiB"},
	             {102400, "100 KiB"},
	             {443547648, "423 MiB"},
	             {UINT64_MAX, "16.0 EiB"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(figure_bytes(cases[i].n).text, cases[i].text);
	}
}

TEST(times_grow_into_minutes_and_hours)
{
	static const struct {
		double s;
		const char *text;
	} cases[] = {{0, "0.000 s"},        {0.0123, "0.012 s"}, {0.5, "0.50 s"},
	             {9.994, "9.99 s"},     {9.996, "10.0 s"},   {99.9, "99.9 s"},
	             {99.96, "1 min 40 s"}, {328, "5 min 28 s"}, {7500, "2 h 05 min"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(figure_seconds(cases[i].s).text, cases[i].text);
	}
}

TEST(shares_of_nothing_are_none)
{
	assert_string_equal(figure_share(1, 0).text, "0 %");
	assert_string_equal(figure_share(0, 7).text, "0 %");
	assert_string_equal(figure_share(1, 9000).text, "<0.1 %");
	assert_string_equal(figure_share(1, 200).text, "0.5 %");
	assert_string_equal(figure_share(1, 1000).text, "0.1 %");
	assert_string_equal(figure_share(1, 3).text, "33 %");
	assert_string_equal(figure_share(3, 3).text, "100 %");
}
