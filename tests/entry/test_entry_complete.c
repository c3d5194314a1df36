/* SPDX-License-Identifier: BSD-2-Clause */
/* Operational attributes made from a stamp. */
#include "test.h"

#include <time.h>

#include "entry/entry_fixture.h"

#define STAMP_US 1700000000123456ull /* 2023-11-14 22:13:20.123456 UTC */

static const struct dit_entry_stamp some_stamp = {.time_us = STAMP_US,
                                                  .sequence = 7,
                                                  .node = 0x0123456789ab,
                                                  .clock_seq = 0x1234};

static int setup(void **state)
{
	struct entry_fixture *f = NULL;

	assert_int_equal(entry_fixture_setup(state), 0);
	f = *state;
	f->context.lastmod = true;
	f->context.rootdn = DIT_SPAN("cn=Admin,dc=X");
	f->context.rootdn_norm = DIT_SPAN("cn=admin,dc=x");
	return 0;
}

static const char *complete(struct entry_fixture *f, const char *record,
                            const struct dit_entry_stamp *stamp)
{
	assert_int_equal(fixture_read(f, record), 0);
	assert_int_equal(
		dit_entry_complete(&f->context, &f->caches, &f->entry, stamp, &f->notes),
		0);
	return fixture_entry(f);
}

static const char *value_of(struct entry_fixture *f, const char *name)
{
	const struct dit_attr_type *type =
		dit_schema_find_type(f->schema, dit_span_of(name));
	const struct dit_attr *attr = dit_entry_find(&f->entry, &type->ad);

	f->text_len = 0;
	fixture_put(f, attr->values[0]);
	return f->text;
}

TEST(missing_attributes_are_added_in_order)
{
	struct entry_fixture *f = *state;

	f->context.sid = 0xabc;
	assert_string_equal(complete(f, "dn: dc=x\nobjectClass: top\n", &some_stamp),
	                    "objectClass: top\n"
	                    "entryUUID: 04c29687-833b-11ee-9234-0123456789ab="
	                    "\\04\\c2\\96\\87\\83;\\11\\ee\\924\\01#Eg\\89\\ab\n"
	                    "creatorsName: cn=Admin,dc=X=cn=admin,dc=x\n"
	                    "createTimestamp: 20231114221320Z\n"
	                    "entryCSN: 20231114221320.123456Z#000007#abc#000000\n"
	                    "modifiersName: cn=Admin,dc=X=cn=admin,dc=x\n"
	                    "modifyTimestamp: 20231114221320Z\n");
	f->context.sid = 0;
}

TEST(attributes_of_the_record_are_kept)
{
	struct entry_fixture *f = *state;

	assert_string_equal(
		complete(f,
	                 "dn: dc=x\nentryCSN: "
	                 "20201120193004.000000Z#000000#00A#000000\n"
	                 "createTimestamp: 2020010112Z\nmodifiersName: CN=X\n",
	                 &some_stamp),
		"entryCSN: 20201120193004.000000Z#000000#00A#000000="
		"20201120193004.000000Z#000000#00a#000000\n"
		"createTimestamp: 2020010112Z=20200101120000Z\n"
		"modifiersName: CN=X=cn=x\n"
		"entryUUID: 04c29687-833b-11ee-9234-0123456789ab="
		"\\04\\c2\\96\\87\\83;\\11\\ee\\924\\01#Eg\\89\\ab\n"
		"creatorsName: cn=Admin,dc=X=cn=admin,dc=x\n"
		"modifyTimestamp: 20231114221320Z\n");
}

TEST(nothing_is_added_without_lastmod)
{
	struct entry_fixture *f = *state;

	f->context.lastmod = false;
	assert_string_equal(complete(f, "dn: dc=x\nobjectClass: top\n", &some_stamp),
	                    "objectClass: top\n");
	f->context.lastmod = true;
}

TEST(names_are_empty_values_without_rootdn)
{
	struct entry_fixture *f = *state;
	struct dit_span rootdn = f->context.rootdn;

	f->context.rootdn = (struct dit_span){NULL, 0};
	complete(f, "dn: dc=x\nobjectClass: top\n", &some_stamp);
	assert_non_null(strstr(f->text, "\ncreatorsName: =\n"));
	assert_non_null(strstr(f->text, "\nmodifiersName: =\n"));
	f->context.rootdn = rootdn;
}

TEST(dates_are_those_of_gmtime)
{
	struct entry_fixture *f = *state;
	const uint64_t step = 86400ull * 1000000 * 13 + 12345678901;

	for (uint64_t us = 0; us < 253402300800ull * 1000000; us += step * 97) {
		struct dit_entry_stamp stamp = {.time_us = us};
		time_t second = (time_t)(us / 1000000);
		struct tm tm;
		char expected[32];

		complete(f, "dn: dc=x\n", &stamp);
		assert_non_null(gmtime_r(&second, &tm));
		assert_true(strftime(expected, sizeof(expected), "%Y%m%d%H%M%SZ", &tm) >
		            0);
		assert_string_equal(value_of(f, "modifyTimestamp"), expected);
	}
}

TEST(ends_of_months_are_right_in_leap_and_other_years)
{
	static const struct {
		uint64_t second;
		const char *expected;
	} cases[] = {
		{0, "19700101000000Z"},          {951782399, "20000228235959Z"},
		{951782400, "20000229000000Z"},  {951868800, "20000301000000Z"},
		{1709164800, "20240229000000Z"}, {1709251199, "20240229235959Z"},
		{1709251200, "20240301000000Z"}, {1735689599, "20241231235959Z"},
		{1735689600, "20250101000000Z"}, {1740787199, "20250228235959Z"},
		{1740787200, "20250301000000Z"}, {4107542399, "21000228235959Z"},
		{4107542400, "21000301000000Z"}, {253402300799, "99991231235959Z"},
	};
	struct entry_fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_entry_stamp stamp = {.time_us = cases[i].second * 1000000};

		complete(f, "dn: dc=x\n", &stamp);
		assert_string_equal(value_of(f, "createTimestamp"), cases[i].expected);
	}
}

TEST(generated_uuid_and_csn_ascend_with_the_stamp)
{
	struct entry_fixture *f = *state;
	struct dit_entry_stamp stamp = some_stamp;
	char last_csn[64] = "";
	uint64_t last_ticks = 0;

	for (unsigned i = 0; i < 3000; i++) {
		unsigned low = 0;
		unsigned mid = 0;
		unsigned high = 0;
		uint64_t ticks = 0;

		stamp.time_us = STAMP_US + i / 10 * 2;
		stamp.sequence = i % 10;
		complete(f, "dn: dc=x\n", &stamp);
		assert_true(strcmp(value_of(f, "entryCSN"), last_csn) > 0);
		memcpy(last_csn, f->text, 41);
		assert_int_equal(sscanf(value_of(f, "entryUUID"), "%8x-%4x-%4x", &low,
		                        &mid, &high),
		                 3);
		assert_int_equal(high >> 12, 1);
		ticks = (uint64_t)(high & 0xfff) << 48 | (uint64_t)mid << 32 | low;
		assert_true(ticks > last_ticks);
		last_ticks = ticks;
	}
}

TEST(generated_values_pass_the_value_check)
{
	struct entry_fixture *f = *state;

	complete(f, "dn: cn=x\nobjectClass: device\ncn: x\n", &some_stamp);
	f->context.check_values = true;
	assert_int_equal(dit_entry_check(&f->context, &f->caches, &f->entry, &f->notes),
	                 0);
	f->context.check_values = false;
}

TEST(csns_of_removed_servers_are_replaced)
{
	static const char record[] =
		"dn: dc=x\nobjectClass: top\n"
		"entryCSN: 20200101000000.000000Z#000000#%s#000000\n";
	static const struct {
		const char *sid;
		const char *csn; /* NULL: it stays */
	} cases[] = {
		{"001", "20231114221320.123456Z#000007#abc#000000"},
		{"fff", "20231114221320.123456Z#000007#abc#000000"},
		{"002", NULL},
		{"000", NULL},
	};
	struct entry_fixture *f = *state;
	struct dit_sid_set removed = {{0}};
	char text[256];

	assert_int_equal(dit_sid_set_parse("1,4095", &removed), 0);
	f->context.removed_sids = &removed;
	f->context.sid = 0xabc;
	for (int lastmod = 0; lastmod < 2; lastmod++) {
		f->context.lastmod = lastmod != 0; /* without it nothing changes */
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			const struct dit_attr_type *type = NULL;
			const struct dit_attr *attr = NULL;
			char kept[64];

			(void)snprintf(text, sizeof(text), record, cases[i].sid);
			(void)snprintf(kept, sizeof(kept),
			               "20200101000000.000000Z#000000#%s#000000",
			               cases[i].sid);
			(void)complete(f, text, &some_stamp);
			type = dit_schema_find_type(f->schema, DIT_SPAN("entryCSN"));
			attr = dit_entry_find(&f->entry, &type->ad);
			assert_int_equal(attr->nvalues, 1);
			assert_span_equal(attr->values[0],
			                  lastmod == 0 || cases[i].csn == NULL
			                          ? kept
			                          : cases[i].csn);
			assert_span_equal(attr->normal[0],
			                  lastmod == 0 || cases[i].csn == NULL
			                          ? kept
			                          : cases[i].csn);
		}
	}
	/* an entry without one gets one, as ever, or none */
	f->context.lastmod = true;
	(void)complete(f, "dn: dc=x\nobjectClass: top\n", &some_stamp);
	assert_string_equal(value_of(f, "entryCSN"),
	                    "20231114221320.123456Z#000007#abc#000000");
	f->context.removed_sids = NULL;
	f->context.sid = 0;
}

TEST(an_entry_csn_without_one_server_is_told)
{
	static const struct {
		const char *csn; /* as long as a CSN: it passes for one */
		bool is_told;
	} cases[] = {
		{"20200101000000.000000Z#000000#001#000000", false},
		{"20200101000000.000000Z#000000#00A#000000", false},
		{"20200101000000Z#000000#00#000000", false},
		{"20200101000000.000001Z#xxxxxx#yyy#zzzzzz", true},
		{"20200101000000.000000Z#000000#001#000000\n"
	         "entryCSN: 20200101000000.000000Z#000000#002#000000",
	         true},
	};
	static const char told[] =
		"error: warning, entryCSN values not valid in entry dn=\"cn=A,dc=x\"\n";
	struct entry_fixture *f = *state;
	char record[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)snprintf(record, sizeof(record),
		               "dn: cn=A,dc=x\nobjectClass: top\nentryCSN: %s\n",
		               cases[i].csn);
		f->context.warns_of_csn = true;
		(void)complete(f, record, &some_stamp);
		assert_string_equal(fixture_notes(f), cases[i].is_told ? told : "");
		f->context.lastmod = false;
		(void)complete(f, record, &some_stamp);
		assert_string_equal(fixture_notes(f), "");
		f->context.lastmod = true;
		f->context.warns_of_csn = false; /* before 2.7 */
		(void)complete(f, record, &some_stamp);
		assert_string_equal(fixture_notes(f), "");
	}
}

TEST(missing_attributes_of_a_provider_are_told)
{
	static const char uuid[] = "entryUUID: 04c29687-833b-11ee-9234-0123456789ab\n";
	static const char csn[] = "entryCSN: 20200101000000.000000Z#000000#001#000000\n";
	static const struct {
		const char *uuid;
		const char *csn;
		const char *told; /* slapadd's words, comma and space included */
	} cases[] = {
		{"", "", "entryUUID,entryCSN"},
		{uuid, "", ",entryCSN"},
		{"", csn, "entryUUID"},
		{uuid, csn, NULL},
	};
	struct entry_fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char record[256];
		char told[128] = "";

		(void)snprintf(record, sizeof(record),
		               "dn: cn=A,dc=x\nobjectClass: top\n%s%s", cases[i].uuid,
		               cases[i].csn);
		if (cases[i].told != NULL) {
			(void)snprintf(told, sizeof(told),
			               "error: warning, missing attrs %s from entry "
			               "dn=\"cn=A,dc=x\"\n",
			               cases[i].told);
		}
		f->context.warns_of_missing = true;
		(void)complete(f, record, &some_stamp);
		assert_string_equal(fixture_notes(f), told);
		f->context.lastmod = false;
		(void)complete(f, record, &some_stamp);
		assert_string_equal(fixture_notes(f), "");
		f->context.lastmod = true;
		f->context.warns_of_missing = false;
		(void)complete(f, record, &some_stamp);
		assert_string_equal(fixture_notes(f), "");
	}
}

TEST(since_2_7_an_empty_dn_gives_no_warning)
{
	struct entry_fixture *f = *state;

	f->context.warns_of_missing = true;
	(void)complete(f, "dn:\nobjectClass: top\n", &some_stamp);
	assert_string_equal(fixture_notes(f),
	                    "error: warning, missing attrs entryUUID,entryCSN from "
	                    "entry dn=\"\"\n");
	f->context.spares_root = true;
	(void)complete(f, "dn:\nobjectClass: top\n", &some_stamp);
	assert_string_equal(fixture_notes(f), "");
	f->context.spares_root = false;
	f->context.warns_of_missing = false;
}

MAIN_WITH(setup, entry_fixture_teardown)
