/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time keys: seconds since the year 0 in 40 bits, with the sign bit inverted.
 *
 *     00000101000000Z    40 00 00 00 00
 *     19691231235959Z    4e 79 74 7b ff
 *     19700101000000Z    4e 79 74 7c 00
 *     20220101123045Z    4e db 44 c5 75
 *     20410713010359Z    4e ff ff ff ff
 *     20410713010400Z    4e 00 00 00 00
 *     20410714000000Z    4f 00 01 42 80
 *
 * The first byte is that of the midnight before: on a day within which the lower 32 bits
 * begin again at 0, slapd leaves out the carry, and looks for such keys.
 *
 * The calendar is Gregorian throughout, and the year 0 has a 29th of February. Years are
 * counted from March, so that the leap day is the last of its year.
 *
 * Malformed times, which CSNs may hold, get no key, as slapd's parser has it: a day from
 * 1 to 31 whatever the month, hours, minutes and seconds (to 61) in range, a fraction of
 * digits after a point if any, and an upper-case Z.
 */
#include "index/key_bytes.h"

#include <stdint.h>

#define TIME_DIGITS       14
#define DAYS_BEFORE_MARCH 60 /* of the year 0 */

/** @return the number, or -1 if there are other characters */
static int digits(const char *text, size_t n)
{
	int number = 0;

	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9') {
			return -1;
		}
		number = number * 10 + (text[i] - '0');
	}
	return number;
}

/** Days since 0000-01-01. @p month 1 .. 12 */
static int64_t days_since_zero(int year, int month, int day)
{
	int march_year = month > 2 ? year : year - 1; /* -1: Jan and Feb of the year 0 */
	int march_month = month > 2 ? month - 3 : month + 9;
	int64_t y = march_year + 400; /* not negative, and 400 years are a whole cycle */

	return y * 365 + y / 4 - y / 100 + y / 400 + (153 * march_month + 2) / 5 + day -
	       1 + DAYS_BEFORE_MARCH - 146097;
}

static bool is_in(int number, int low, int high)
{
	return number >= low && number <= high;
}

/**
 * The text after the seconds: a fraction or none, then Z; the rest is not looked
 * at.
 */
static bool ends_well(struct dit_span value)
{
	size_t i = TIME_DIGITS;

	if (i < value.len && value.data[i] == '.') {
		i++;
		while (i < value.len && value.data[i] >= '0' && value.data[i] <= '9') {
			i++;
		}
		if (i == TIME_DIGITS + 1) {
			return false;
		}
	}
	return i < value.len && value.data[i] == 'Z';
}

bool dit_key_time(struct dit_span value, unsigned char *key)
{
	const char *text = value.data;
	int64_t midnight = 0;
	uint32_t seconds = 0;
	int month = 0;
	int day = 0;

	if (value.len < TIME_DIGITS || digits(text, TIME_DIGITS - 6) < 0 ||
	    digits(text + 8, 6) < 0) {
		return false;
	}
	month = digits(text + 4, 2);
	day = digits(text + 6, 2);
	if (!is_in(month, 1, 12) || !is_in(day, 1, 31) ||
	    !is_in(digits(text + 8, 2), 0, 23) || !is_in(digits(text + 10, 2), 0, 59) ||
	    !is_in(digits(text + 12, 2), 0, 61) || !ends_well(value)) {
		return false;
	}
	midnight = days_since_zero(digits(text, 4), month, day) * 86400;
	seconds = (uint32_t)midnight;
	seconds += (uint32_t)(digits(text + 8, 2) * 3600 + digits(text + 10, 2) * 60 +
	                      digits(text + 12, 2));
	key[0] = (unsigned char)(((midnight >> 32) & 0x7f) ^ 0x40);
	key[1] = (unsigned char)(seconds >> 24);
	key[2] = (unsigned char)(seconds >> 16);
	key[3] = (unsigned char)(seconds >> 8);
	key[4] = (unsigned char)seconds;
	return true;
}
