/* SPDX-License-Identifier: BSD-2-Clause */
/* Server IDs: lists of them, and those of change sequence numbers. */
#include "test.h"

#include "base/error.h"
#include "entry/entry.h"

TEST(lists_are_decimal_numbers_up_to_4095)
{
	static const struct {
		const char *text;
		int has[3]; /* -1: no more */
	} good[] = {
		{"0", {0, -1}},
		{"1,2,4095", {1, 2, 4095}},
		{"1,,2", {1, 2, -1}},
		{",7,", {7, -1}},
		{"", {-1}},
		{"007", {7, -1}},
		{"64,63,64", {63, 64, -1}},
	};
	static const char *const bad[] = {"x",   "4096", "1,x",        "-1",
	                                  "1 2", "0x1",  "99999999999"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct dit_sid_set set = {{0}};
		int n = 0;
		int want = 0;

		assert_int_equal(dit_sid_set_parse(good[i].text, &set), 0);
		while (want < 3 && good[i].has[want] >= 0) {
			assert_true(dit_sid_set_has(&set, good[i].has[want++]));
		}
		for (int sid = 0; sid < DIT_NSIDS; sid++) {
			n += dit_sid_set_has(&set, sid) ? 1 : 0;
		}
		assert_int_equal(n, want);
		assert_false(dit_sid_set_has(&set, -1));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct dit_sid_set set = {{0}};

		assert_int_equal(dit_sid_set_parse(bad[i], &set), DIT_E_SYNTAX);
	}
}

TEST(a_csn_has_its_server_in_its_third_part)
{
	static const struct {
		const char *csn;
		int sid;
	} cases[] = {
		{"20200101000000.000000Z#000000#000#000000", 0},
		{"20200101000000.000000Z#000000#abc#000000", 0xabc},
		{"a#b#fff#", 4095},
		{"a#b#fff", -1},
		{"a#b#ffg#", -1},
		{"a#b#FFF#", 4095},
		{"a#b#0AB#", 0xab},
		{"a#b#ffff#", -1},
		{"a#b#1000#", -1},
		{"a#b#0000000fff#", 4095},
		{"a#b#99999999999999999999#", -1},
		{"a#b##", -1},
		{"a#b# +0x1F#", 0x1f},
		{"a#b#0x#", -1},
		{"a#b#0xg#", -1},
		{"a#b#-0#", 0},
		{"a#b#-1#", -1},
		{"a#b#1 #", -1},
		{"a#b# #", -1},
		{"##7#", 7},
		{"a#b", -1},
		{"", -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(dit_csn_sid(dit_span_of(cases[i].csn)), cases[i].sid);
	}
}
