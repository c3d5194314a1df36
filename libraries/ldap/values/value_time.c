/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generalized time (values.md 4.6) and change sequence numbers (values.md 4.9).
 *
 *     YYYYmmddHH[MM[SS]][(.|,)d+](Z|(+|-)HH[MM])
 *
 *     20220101120000+0130      ->  20220101103000Z
 *     2022010112.50Z           ->  20220101120000.5Z
 *
 * The fraction is copied as it is, whichever unit it was a fraction of.
 *
 * A CSN is 40 bytes: time with six digits of microseconds, count, server, modification.
 * Two older forms are rewritten to it:
 *
 *     40  YYYYmmddHHMMSS.uuuuuuZ#CCCCCC#SSS#MMMMMM
 *     32  YYYYmmddHHMMSSZ#CCCCCC#SS#MMMMMM
 *     31  YYYYmmddHH:MM:SSZ#0xCCCC#S#MMMM
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "base/pattern.h"
#include "values/value_scope.h"

#define CSN_LEN     40
#define CSN_SID_AT  30
#define CSN_SID_LEN 3
#define CSN_MOD_AT  34
#define CSN_MOD_LEN 6

struct time_text {
	int year;
	int month;
	int day;
	int hour;
	int minute;
	int second;
	struct dit_span fraction; /* digits, without trailing zeros */
	int offset;               /* minutes east of UTC */
};

static int days_of_month(int year, int month)
{
	static const signed char days[] = {31, 28, 31, 30, 31, 30,
	                                   31, 31, 30, 31, 30, 31};
	bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

/* The zone is the end of the text. */
static bool read_zone(struct dit_span text, int *ret)
{
	int hours = 0;
	int minutes = 0;

	if (!dit_pattern_is(text, "Z|[+-]" DIT_DIGIT "{2}|[+-]" DIT_DIGIT "{4}")) {
		return false;
	}
	if (text.len > 1) {
		hours = dit_ascii_number(text.data + 1, 2);
		minutes = dit_ascii_number(text.data + 3, text.len - 3);
	}
	*ret = (hours * 60 + minutes) * (text.data[0] == '-' ? -1 : 1);
	return hours <= 23 && minutes <= 59;
}

static bool time_parse(struct dit_span text, struct time_text *t)
{
	const char *digits = text.data;
	struct dit_span fraction = {0};
	size_t n = text.len;

	if (!dit_pattern_cut(&text,
	                     DIT_DIGIT "{14}|" DIT_DIGIT "{12}|" DIT_DIGIT "{10}")) {
		return false;
	}
	n -= text.len;
	fraction = text;
	if (dit_pattern_cut(&text, "[.,]" DIT_DIGIT "+")) {
		fraction.len -= text.len;
		dit_cut(&fraction, 1);
		while (fraction.len > 0 && fraction.data[fraction.len - 1] == '0') {
			fraction.len--;
		}
	} else {
		fraction = (struct dit_span){0};
	}
	*t = (struct time_text){
		.year = dit_ascii_number(digits, 4),
		.month = dit_ascii_number(digits + 4, 2),
		.day = dit_ascii_number(digits + 6, 2),
		.hour = dit_ascii_number(digits + 8, 2),
		.minute = n > 10 ? dit_ascii_number(digits + 10, 2) : 0,
		.second = n > 12 ? dit_ascii_number(digits + 12, 2) : 0,
		.fraction = fraction,
	};
	/* Second 60 is a leap second. */
	return t->month >= 1 && t->month <= 12 && t->day >= 1 &&
	       t->day <= days_of_month(t->year, t->month) && t->hour <= 23 &&
	       t->minute <= 59 && t->second <= 60 && read_zone(text, &t->offset);
}

/* @return false: the year has no four digits */
static bool time_to_utc(struct time_text *t)
{
	struct tm tm = {.tm_year = t->year - 1900,
	                .tm_mon = t->month - 1,
	                .tm_mday = t->day,
	                .tm_hour = t->hour,
	                .tm_min = t->minute - t->offset};

	if (t->offset == 0) {
		return true;
	}
	(void)timegm(&tm); /* carries */
	t->year = tm.tm_year + 1900;
	t->month = tm.tm_mon + 1;
	t->day = tm.tm_mday;
	t->hour = tm.tm_hour;
	t->minute = tm.tm_min;
	return t->year >= 0 && t->year <= 9999;
}

bool dit_is_time(struct dit_span text)
{
	struct time_text t;

	return time_parse(text, &t) && time_to_utc(&t);
}

bool dit_is_utc_time(struct dit_span text)
{
	return dit_pattern_is(text, DIT_DIGIT "{14}Z") && dit_is_time(text);
}

static char *put_number(char *to, int number, size_t n)
{
	for (size_t i = n; i > 0; i--) {
		to[i - 1] = (char)('0' + number % 10);
		number /= 10;
	}
	return to + n;
}

static int time_write(const struct time_text *t, struct dit_arena *arena,
                      struct dit_span *ret)
{
	char *start = NULL;
	char *to = NULL;

	assert(t->fraction.len == 0 || t->fraction.data != NULL);
	start = dit_arena_bytes(arena, strlen("YYYYmmddHHMMSS.Z") + t->fraction.len);
	if (start == NULL) {
		return -ENOMEM;
	}
	to = put_number(start, t->year, 4);
	to = put_number(to, t->month, 2);
	to = put_number(to, t->day, 2);
	to = put_number(to, t->hour, 2);
	to = put_number(to, t->minute, 2);
	to = put_number(to, t->second, 2);
	if (t->fraction.len > 0) {
		*to++ = '.';
		to = dit_span_put(to, t->fraction);
	}
	*to++ = 'Z';
	*ret = (struct dit_span){start, (size_t)(to - start)};
	dit_arena_trim(arena, start, ret->len);
	return 0;
}

int dit_time_normalize(struct dit_span text, struct dit_arena *arena,
                       struct dit_span *ret)
{
	struct time_text t;

	if (!time_parse(text, &t) || !time_to_utc(&t)) {
		return DIT_E_INVALID;
	}
	return time_write(&t, arena, ret);
}

int dit_utc_time_normalize(struct dit_span text, struct dit_arena *arena,
                           struct dit_span *ret)
{
	struct time_text t;

	if (!time_parse(text, &t) || text.data[text.len - 1] != 'Z') {
		return DIT_E_INVALID;
	}
	if (t.fraction.data != NULL) {
		t.fraction.len = (size_t)(text.data + text.len - 1 - t.fraction.data);
	}
	return time_write(&t, arena, ret);
}

/* Microseconds may be absent and the server two digits, as in the older form. */
bool dit_is_csn(struct dit_span text)
{
	struct dit_span time = {0};

	return dit_cut_until(&text, '#', &time) &&
	       (time.len == strlen("YYYYmmddHHMMSS.uuuuuuZ") ||
	        time.len == strlen("YYYYmmddHHMMSSZ")) &&
	       dit_is_time(time) &&
	       dit_pattern_is(text,
	                      DIT_HEX "{6}#" DIT_HEX "{2}" DIT_HEX "?#" DIT_HEX "{6}");
}

enum {
	CSN_PRESENT,
	CSN_OLD,
	CSN_OLDEST,
	CSN_NFORMS
};

/*
 * Where the runs of each form go; bytes between them come from the skeleton. Marks are
 * searched for from the front; no other byte is looked at, not even the Z.
 */
static const struct {
	const char *pattern;
	struct csn_run {
		unsigned char from;
		unsigned char to;
		unsigned char len;
	} runs[7];
} csn_forms[] = {
	[CSN_PRESENT] = {"[^#]{22}#[^#]{6}#[^#]{3}#[^]{6}", {{0, 0, CSN_LEN}}},
	[CSN_OLD] = {"[^#]{15}#[^]{6}#[^]{2}#[^]{6}",
                     {{0, 0, 14}, {16, 23, 6}, {23, 31, 2}, {26, 34, 6}}},
	[CSN_OLDEST] = {"[^#]{10}:[^#]{2}:[^#]{3}#0x[^]{4}#[^]#[^]{4}",
                        {{0, 0, 10},
                         {11, 10, 2},
                         {14, 12, 2},
                         {20, 25, 4},
                         {25, 32, 1},
                         {27, 36, 4}}},
};

static bool csn_read(struct dit_span text, char csn[CSN_LEN])
{
	size_t form = 0;

	while (form < CSN_NFORMS && !dit_pattern_is(text, csn_forms[form].pattern)) {
		form++;
	}
	if (form == CSN_NFORMS) {
		return false;
	}
	memcpy(csn, "00000000000000.000000Z#000000#000#000000", CSN_LEN);
	for (const struct csn_run *run = csn_forms[form].runs; run->len > 0; run++) {
		memcpy(csn + run->to, text.data + run->from, run->len);
	}
	if (form != CSN_PRESENT && !dit_is_csn((struct dit_span){csn, CSN_LEN})) {
		return false;
	}
	if (form != CSN_OLDEST) { /* whose one digit keeps its case */
		dit_ascii_copy_lower(csn + CSN_SID_AT,
		                     (struct dit_span){csn + CSN_SID_AT, CSN_SID_LEN});
	}
	dit_ascii_copy_lower(csn + CSN_MOD_AT,
	                     (struct dit_span){csn + CSN_MOD_AT, CSN_MOD_LEN});
	return true;
}

int dit_csn_normalize(const struct dit_value_scope *scope, enum dit_dn_form form,
                      struct dit_span text, struct dit_span *ret)
{
	char csn[CSN_LEN];
	struct dit_span copy = {0};

	(void)form;
	if (!csn_read(text, csn)) {
		return DIT_E_INVALID;
	}
	copy = dit_arena_copy(scope->arena, (struct dit_span){csn, CSN_LEN});
	if (copy.data == NULL) {
		return -ENOMEM;
	}
	*ret = copy;
	return 0;
}

/* The third field, whatever the others are. */
int dit_csn_sid_normalize(struct dit_span text, struct dit_arena *arena,
                          struct dit_span *ret)
{
	struct dit_span sid = {0};
	char *to = NULL;

	if (!dit_pattern_cut(&text, "[^#]*#[^#]*#") || !dit_cut_until(&text, '#', &sid) ||
	    !dit_pattern_is(sid, DIT_HEX "{2}" DIT_HEX "?")) {
		return DIT_E_INVALID;
	}
	to = dit_arena_bytes(arena, CSN_SID_LEN);
	if (to == NULL) {
		return -ENOMEM;
	}
	to[0] = '0'; /* the older form has two digits */
	dit_ascii_copy_lower(to + CSN_SID_LEN - sid.len, sid);
	*ret = (struct dit_span){to, CSN_SID_LEN};
	return 0;
}
