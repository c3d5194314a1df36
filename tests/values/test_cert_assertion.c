/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assertions of certificate rules (values.md 3.7): pretty and normal forms as
 * slapadd 2.5.13 shows them in DNs.
 */
#include "base/error.h"
#include "sample_context.h"
#include "values/number.h"
#include "values/value.h"
#include "values/value_scope.h"

struct assertion {
	const char *text;
	const char *pretty; /* NULL: refused */
	const char *normal;
};

static void check(struct context *context, dit_form_fn *function,
                  const struct assertion *cases, size_t n)
{
	const struct dit_value_scope scope = {.schema = context->schema,
	                                      .arena = &context->arena,
	                                      .is_assertion = true};

	for (size_t i = 0; i < n; i++) {
		struct dit_span out = {0};
		int r = 0;

		print_message("  %s\n", cases[i].text);
		r = function(&scope, DIT_DN_PRETTY, dit_span_of(cases[i].text), &out);
		assert_int_equal(r, cases[i].pretty == NULL ? DIT_E_INVALID : 0);
		if (r == 0) {
			assert_span_equal(out, cases[i].pretty);
		}
		r = function(&scope, DIT_DN_NORM, dit_span_of(cases[i].text), &out);
		assert_int_equal(r, cases[i].normal == NULL ? DIT_E_INVALID : 0);
		if (r == 0) {
			assert_span_equal(out, cases[i].normal);
		}
	}
}

#define CHECK(function, cases)                                                           \
 check(*state, function, cases, sizeof(cases) / sizeof((cases)[0]))

/* clang-format off */
#define P(serial, name) "{ serialNumber " serial ", issuer rdnSequence:\"" name "\" }"

TEST(certificates_are_asserted_by_number_and_issuer)
{
	static const struct assertion cases[] = {
		{P("5", "CN=A"), P("5", "cn=A"), P("'5'H", "cn=a")},
		{"{serialNumber 5,issuer \"CN=A\"}", P("5", "cn=A"), P("'5'H", "cn=a")},
		{"{ issuer \"CN=A\" , serialNumber 5 }", P("5", "cn=A"), P("'5'H", "cn=a")},
		{"{ SERIALNUMBER  5,  ISSUER  RDNSEQUENCE:\"CN=A\"  }",
		 P("5", "cn=A"), P("'5'H", "cn=a")},
		{P("5", ""), P("5", ""), P("'5'H", "")},
		{P("5", "CN=\"\"A \"\""), P("5", "cn=A\\20"), P("'5'H", "cn=a")},
		/* numbers */
		{P("255", ""), P("255", ""), P("'FF'H", "")},
		{P("65535", ""), P("65535", ""), P("'FFFF'H", "")},
		{P("-5", ""), P("-5", ""), P("'FB'H", "")},
		{P("-05", ""), P("-05", ""), P("'FB'H", "")},
		{P("-0", ""), P("-0", ""), P("'FF00'H", "")},
		{P("0", ""), P("0", ""), P("'0'H", "")},
		{P("0xA", ""), P("0xA", ""), P("'A'H", "")},
		{P("0x", ""), P("0x", ""), P("'0'H", "")},
		{P("''H", ""), P("''H", ""), P("'0'H", "")},
		{P("'aF'H", ""), P("'aF'H", ""), P("'AF'H", "")},
		{P("'AFA'H", ""), P("'AFA'H", ""), P("'AFA'H", "")},
		{P("'FF7F'H", ""), P("'FF7F'H", ""), P("'FF7F'H", "")},
		{P("'FF85'H", ""), P("'FF85'H", ""), NULL},
		{P("'0A'H", ""), NULL, NULL},
		{P("'00'H", ""), NULL, NULL},
		{P("'5'h", ""), NULL, NULL},
		{P("'5'", ""), NULL, NULL},
		{P("'5", ""), NULL, NULL},
		{P("05", ""), NULL, NULL},
		{P("0x0A", ""), NULL, NULL},
		{P("+5", ""), NULL, NULL},
		{P("-", ""), NULL, NULL},
		{P("-0x5", ""), NULL, NULL},
		/* as it was before */
		{"5$CN=A", P("5", "cn=A"), P("'5'H", "cn=a")},
		{"007$cn=a$x", P("7", "cn=a$x"), P("'7'H", "cn=a$x")},
		{"00$cn=a", P("0", "cn=a"), P("'0'H", "cn=a")},
		{"123$", P("123", ""), P("'7B'H", "")},
		{"5$", NULL, NULL}, /* three characters at least */
		{"$cn=a", NULL, NULL},
		{"-5$cn=a", NULL, NULL},
		{"0x5$cn=a", NULL, NULL},
		{"5 $cn=a", NULL, NULL},
		{"5$zz", NULL, NULL},
		/* and what is none */
		{"", NULL, NULL},
		{"zz", NULL, NULL},
		{"{ }", NULL, NULL},
		{"{ serialNumber 5 }", NULL, NULL},
		{"{ serialNumber 5, serialNumber 6 }", NULL, NULL},
		{"{ serialNumber 5 issuer \"\" }", NULL, NULL},
		{"{ serialNumber5, issuer \"\" }", NULL, NULL},
		{"{ serialNumber 5, issuer\"\" }", NULL, NULL},
		{"{ serialNumber 5, issuer \"\", }", NULL, NULL},
		{"{ serialNumber 5, issuer rdnSequence: \"\" }", NULL, NULL},
		{"{ serialNumber 5, issuer \"cn=a }", NULL, NULL},
		{"{ serialNumber 5, issuer \"zz\" }", NULL, NULL},
		{" { serialNumber 5, issuer \"\" }", NULL, NULL},
		{"{ serialNumber 5, issuer \"\" } ", NULL, NULL},
	};

	CHECK(dit_scope_certificate, cases);
}

#define L(name, time) "{ issuer rdnSequence:\"" name "\", thisUpdate \"" time "\" }"

TEST(lists_are_asserted_by_issuer_and_time)
{
	static const struct assertion cases[] = {
		{L("CN=A", "20200101000000Z"), L("cn=A", "20200101000000Z"),
		 L("cn=a", "20200101000000Z")},
		{"{THISUPDATE \"20200101000000Z\" ,ISSUER rdnSequence:\"CN=A\"}",
		 L("cn=A", "20200101000000Z"), L("cn=a", "20200101000000Z")},
		{L("", "20200101000000Z"), L("", "20200101000000Z"), L("", "20200101000000Z")},
		{"{ issuer \"CN=A\", thisUpdate \"20200101000000Z\" }", NULL, NULL},
		{L("CN=A", "2020010100Z"), NULL, NULL},
		{L("CN=A", "210004012322.4Z"), NULL, NULL},
		{L("CN=A", "20200101000000+0100"), NULL, NULL},
		{L("CN=A", "20200231000000Z"), NULL, NULL},
		{"{ issuer rdnSequence:\"CN=A\" }", NULL, NULL},
		{"x", NULL, NULL},
	};

	CHECK(dit_scope_certificate_list, cases);
}

#define B(name, serial) "{ baseCertificateID { issuer { directoryName:rdnSequence:\"" \
	name "\" }, serial " serial " } }"
#define A(serial, base) "{ serialNumber " serial ", issuer " base " }"

TEST(attribute_certificates_are_asserted_by_their_issuers_certificate)
{
	static const struct assertion cases[] = {
		{A("'5'H", B("CN=A", "'7'H")), A("'5'H", B("cn=A", "'7'H")),
		 A("'5'H", B("cn=a", "'7'H"))},
		{A("5", B("CN=A", "-7")), A("5", B("cn=A", "-7")), A("'5'H", B("cn=a", "'F9'H"))},
		{"{issuer {baseCertificateID {serial 7,issuer {"
		 "directoryName:rdnSequence:\"CN=A\"}}},serialNumber 5}",
		 A("5", B("cn=A", "7")), A("'5'H", B("cn=a", "'7'H"))},
		{A("'5'H", "{ baseCertificateID { issuer { rdnSequence:\"CN=A\" }, serial 7 } }"),
		 NULL, NULL},
		{A("'5'H", "{ baseCertificateID{ issuer { directoryName:rdnSequence:\"\" }, "
		           "serial 7 } }"), NULL, NULL},
		{A("'05'H", B("CN=A", "'7'H")), NULL, NULL},
		{A("'5'H", B("zz", "'7'H")), NULL, NULL},
		{A("'5'H", B("CN=A", "'7'H")) " ", NULL, NULL},
		{"x", NULL, NULL},
	};

	CHECK(dit_scope_attribute_certificate, cases);
}
/* clang-format on */

/* slapd keeps a certificate assertion that it cannot read; the other two it refuses. */
TEST(unreadable_assertions_are_pretty_as_they_are)
{
	struct context *context = *state;
	struct dit_span out = {0};

	assert_int_equal(dit_value_pretty(context->schema, DIT_VALID_CERT_EXACT_ASSERTION,
	                                  DIT_SPAN("zz"), &context->arena, &out),
	                 0);
	assert_span_equal(out, "zz");
	assert_int_equal(dit_value_pretty(context->schema,
	                                  DIT_VALID_CERTLIST_EXACT_ASSERTION,
	                                  DIT_SPAN("zz"), &context->arena, &out),
	                 DIT_E_INVALID);
	assert_int_equal(dit_value_pretty(context->schema,
	                                  DIT_VALID_ATTRCERT_EXACT_ASSERTION,
	                                  DIT_SPAN("zz"), &context->arena, &out),
	                 DIT_E_INVALID);
}

TEST(numbers_of_any_length_are_read_or_refused)
{
	struct context *context = *state;
	const struct dit_value_scope scope = {.schema = context->schema,
	                                      .arena = &context->arena,
	                                      .is_assertion = true};
	char text[DIT_NUMBER_TEXT_MAX + 10];
	struct dit_span out = {0};

	for (size_t n = 1; n <= DIT_NUMBER_TEXT_MAX + 1; n += 100) {
		struct dit_span value = {text, n + 1};
		bool is_read = n <= DIT_NUMBER_TEXT_MAX;

		memset(text, '9', n);
		memcpy(text + n, "$", 1);
		if (value.len < 3) {
			continue;
		}
		assert_int_equal(dit_scope_certificate(&scope, DIT_DN_NORM, value, &out),
		                 is_read ? 0 : DIT_E_INVALID);
	}
}

MAIN_WITH(setup, NULL)
