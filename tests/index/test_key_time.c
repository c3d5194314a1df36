/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time keys.
 */
#include "index/key_bytes.h"

#include "test.h"

static const struct {
	const char *value;
	const char *key; /* NULL: none */
} examples[] = {
	{"00000101000000Z", "4000000000"},
	{"00000301000000Z", "40004f1a00"}, /* the year 0 has a leap day */
	{"19691231235959Z", "4e79747bff"},
	{"19700101000000Z", "4e79747c00"},
	{"20220101000000.123456Z#000000#0AB#00000C", "4edb441580"},
	{"20220101123045Z", "4edb44c575"},
	{"20220101123045.75Z", "4edb44c575"},
	{"20220101123060Z", "4edb44c584"},
	{"99991231235959Z", "097968bd7f"},
	{"20220101123061Z", "4edb44c585"},
	{"20410713010359Z", "4effffffff"},
	{"20410713010400Z", "4e00000000"}, /* no carry within a day */
	{"20410713235959Z", "4e0001427f"},
	{"20410714000000Z", "4f00014280"},
	{"20220431000000Z", "4edbe24980"}, /* the day after 30 April */
	{"20220501000000Z", "4edbe24980"},
	{"20220101123045", NULL},
	{"20220101123045z", NULL},
	{"20220101123045,5Z", NULL},
	{"20220101123045.Z", NULL},
	{"20220101123045.5xZ", NULL},
	{"20220101243045Z", NULL},
	{"20220101126045Z", NULL},
	{"20220101123062Z", NULL},
	{"20220132000000Z", NULL},
	{"20220100000000Z", NULL},
	{"2022010112304", NULL},
	{"2022010112304Z", NULL},
	{"20221301000000Z", NULL},
	{"20220001000000Z", NULL},
	{"2022O101000000Z", NULL},
	{"", NULL},
};

TEST(values_have_slapds_keys)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		unsigned char key[DIT_TIME_KEY_BYTES];
		char hex[2 * DIT_TIME_KEY_BYTES + 1] = "";
		bool has_key = dit_key_time(dit_span_of(examples[i].value), key);

		print_message("  %s\n", examples[i].value);
		assert_int_equal(has_key, examples[i].key != NULL);
		for (unsigned k = 0; has_key && k < DIT_TIME_KEY_BYTES; k++) {
			(void)snprintf(hex + 2 * k, 3, "%02x", key[k]);
		}
		if (has_key) {
			assert_string_equal(hex, examples[i].key);
		}
	}
}

/** The key of noon of each day, counted up by hand, from 0000-01-01 to 2403-12-31. */
TEST(each_day_follows_the_day_before)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	uint64_t midnight = 0;

	for (int year = 0; year < 2404; year++) {
		bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

		for (int month = 1; month <= 12; month++) {
			int ndays = lengths[month - 1] + (month == 2 && is_leap);

			for (int day = 1; day <= ndays; day++) {
				unsigned char key[DIT_TIME_KEY_BYTES];
				/* The carry of the day, if any, is left out. */
				uint64_t expected = midnight >> 32 << 32 |
				                    (uint32_t)(midnight + 43200);
				uint64_t seconds = 0;
				char text[32];

				(void)snprintf(text, sizeof(text), "%04d%02d%02d120000Z",
				               year, month, day);
				assert_true(dit_key_time(dit_span_of(text), key));
				for (unsigned i = 0; i < DIT_TIME_KEY_BYTES; i++) {
					seconds = seconds << 8 | key[i];
				}
				assert_int_equal(seconds ^ (uint64_t)0x40 << 32,
				                 expected);
				midnight += 86400;
			}
		}
	}
}
