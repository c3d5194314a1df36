/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Certificates and revocation lists: skeletons and normal forms (values.md 3.7, 4.12).
 *
 * The values are put together here from the inside out; the results are those of slapadd
 * 2.5.13. normalize-vectors.tsv has real ones.
 */
#include "base/error.h"
#include "sample_context.h"
#include "values/value.h"
#include "values/value_scope.h"

/* Tags of the strings in names. */
#define UTF8_STRING      0x0C
#define PRINTABLE_STRING 0x13
#define TELETEX_STRING   0x14
#define IA5_STRING       0x16
#define UNIVERSAL_STRING 0x1C
#define BMP_STRING       0x1E

/* An element around up to eight pieces; an empty span ends the list. */
struct pieces {
	struct dit_span at[10];
};

static struct dit_span element(struct context *context, unsigned tag,
                               struct pieces pieces)
{
	char *to = dit_arena_bytes(&context->arena, 4096);
	size_t n = 0;
	size_t header = 2;

	assert_non_null(to);
	for (size_t i = 0; pieces.at[i].data != NULL; i++) {
		n += pieces.at[i].len;
	}
	to[0] = (char)tag;
	to[1] = (char)n;
	if (n > 127) {
		to[1] = (char)0x82;
		to[2] = (char)(n >> 8);
		to[3] = (char)n;
		header = 4;
	}
	n = header;
	for (size_t i = 0; pieces.at[i].data != NULL; i++) {
		memcpy(to + n, pieces.at[i].data, pieces.at[i].len);
		n += pieces.at[i].len;
	}
	dit_arena_trim(&context->arena, to, n);
	return (struct dit_span){to, n};
}

#define ELEMENT(tag, ...) element(context, (tag), (struct pieces){{__VA_ARGS__}})
#define BYTES(literal)    DIT_SPAN(literal)

#define ALGORITHM BYTES("\x30\x03\x06\x01\x2A")
#define SIGNATURE BYTES("\x03\x02\x00\x55")
#define CN        BYTES("\x06\x03\x55\x04\x03")
#define SN        BYTES("\x06\x03\x55\x04\x04")

/* A name of one RDN with one AVA. */
static struct dit_span name_of(struct context *context, struct dit_span type,
                               unsigned tag, struct dit_span value)
{
	return ELEMENT(DIT_DER_SEQUENCE,
	               ELEMENT(DIT_DER_SET,
	                       ELEMENT(DIT_DER_SEQUENCE, type, ELEMENT(tag, value))));
}

static struct dit_span certificate(struct context *context, struct dit_span serial,
                                   struct dit_span issuer)
{
	struct dit_span times = ELEMENT(DIT_DER_SEQUENCE, BYTES("\x17\x00\x17\x00"));
	struct dit_span tbs =
		ELEMENT(DIT_DER_SEQUENCE, BYTES("\xA0\x03\x02\x01\x02"),
	                ELEMENT(DIT_DER_INTEGER, serial), ALGORITHM, issuer, times,
	                BYTES("\x30\x00"), BYTES("\x30\x00"), BYTES("\xA3\x02\x30\x00"));

	return ELEMENT(DIT_DER_SEQUENCE, tbs, ALGORITHM, SIGNATURE);
}

static struct dit_span revocation_list(struct context *context, struct dit_span issuer,
                                       struct dit_span time)
{
	struct dit_span tbs = ELEMENT(DIT_DER_SEQUENCE, BYTES("\x02\x01\x01"), ALGORITHM,
	                              issuer, time, BYTES("\xA0\x02\x30\x00"));

	return ELEMENT(DIT_DER_SEQUENCE, tbs, ALGORITHM, SIGNATURE);
}

static void check(struct context *context, enum dit_normalizer normalizer,
                  struct dit_span value, const char *want)
{
	struct dit_span out = {0};
	int r = dit_value_normalize(context->schema, normalizer, value, &context->arena,
	                            &out);

	assert_int_equal(r, want == NULL ? DIT_E_INVALID : 0);
	if (want != NULL) {
		assert_span_equal(out, want);
	}
}

TEST(serial_numbers_are_minimal_hex)
{
	static const struct {
		struct dit_span content;
		const char *hex; /* NULL: refused */
	} cases[] = {
		{{"\x05", 1}, "5"},
		{{"\x00", 1}, "0"},
		{{"", 0}, "0"},
		{{"\x00\xF1\x23", 3}, "F123"},
		{{"\x12\x3A", 2}, "123A"},
		{{"\x0A\xBC", 2}, "ABC"},
		{{"\xFF", 1}, "FF"},
		{{"\xFF\x01", 2}, "FF01"},
		{{"\x00\x01", 2}, NULL},
		{{"\xFF\x80", 2}, NULL},
	};
	struct context *context = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span value =
			certificate(context, cases[i].content, BYTES("\x30\x00"));
		char want[100];

		(void)snprintf(want, sizeof(want),
		               "{ serialNumber '%s'H, issuer rdnSequence:\"\" }",
		               cases[i].hex == NULL ? "" : cases[i].hex);
		check(context, DIT_NORM_CERT_EXACT, value,
		      cases[i].hex == NULL ? NULL : want);
	}
}

TEST(names_are_converted_to_utf8_and_escaped)
{
	static const struct {
		unsigned tag;
		struct dit_span content;
		const char *text; /* NULL: refused */
	} cases[] = {
		{UTF8_STRING, {"R\xC3\x89  X", 6}, "r\\C3\\A9 x"},
		{PRINTABLE_STRING, {"A, B", 4}, "a\\2C b"},
		{IA5_STRING, {"#A", 2}, "\\23a"},
		{TELETEX_STRING, {"\xC9", 1}, "\\C3\\A9"},
		{BMP_STRING, {"\0A\x65\xE5", 4}, "a\\E6\\97\\A5"},
		{UNIVERSAL_STRING, {"\0\0\0A", 4}, "a"},
		{DIT_DER_OCTET_STRING, {"A", 1}, "a"},
		{DIT_DER_BIT_STRING, {"\x04\xA0", 2}, "'1010'b"},
		{DIT_DER_BIT_STRING, {"\x00", 1}, "''b"},
		{UTF8_STRING, {"\xE9", 1}, NULL},
		{UTF8_STRING, {"", 0}, NULL},
		{BMP_STRING, {"\0A\0", 3}, "a"}, /* half a character is dropped */
		{UNIVERSAL_STRING, {"\xFF\0\0A", 4}, NULL},
	};
	struct context *context = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span name =
			name_of(context, CN, cases[i].tag, cases[i].content);
		char want[100];

		(void)snprintf(want, sizeof(want),
		               "{ serialNumber '1'H, issuer rdnSequence:\"cn=%s\" }",
		               cases[i].text == NULL ? "" : cases[i].text);
		check(context, DIT_NORM_CERT_EXACT,
		      certificate(context, BYTES("\x01"), name),
		      cases[i].text == NULL ? NULL : want);
	}
}

TEST(the_last_rdn_of_a_name_comes_first)
{
	struct context *context = *state;
	struct dit_span a = ELEMENT(DIT_DER_SEQUENCE, CN, BYTES("\x0C\x01X"));
	struct dit_span b = ELEMENT(DIT_DER_SEQUENCE, SN, BYTES("\x0C\x01Y"));
	struct dit_span name =
		ELEMENT(DIT_DER_SEQUENCE, ELEMENT(DIT_DER_SET, a),
	                ELEMENT(DIT_DER_SET, b, a), ELEMENT(DIT_DER_SET, b));

	check(context, DIT_NORM_CERT_EXACT, certificate(context, BYTES("\x01"), name),
	      "{ serialNumber '1'H, issuer rdnSequence:\"sn=y,cn=x+sn=y,cn=x\" }");
}

TEST(malformed_names_refuse_the_certificate)
{
	struct context *context = *state;
	struct dit_span ava = ELEMENT(DIT_DER_SEQUENCE, CN, BYTES("\x0C\x01X"));
	struct dit_span unknown = BYTES("\x06\x03\x2A\x03\x04");
	const struct dit_span names[] = {
		name_of(context, unknown, UTF8_STRING, BYTES("x")),
		name_of(context, BYTES("\x06\x03\x55\x04\x83"), UTF8_STRING, BYTES("x")),
		name_of(context, BYTES("\x06\x00"), UTF8_STRING, BYTES("x")),
		name_of(context, BYTES("\x02\x01\x01"), UTF8_STRING, BYTES("x")),
		ELEMENT(DIT_DER_SEQUENCE, ava),
		ELEMENT(DIT_DER_SEQUENCE, ELEMENT(DIT_DER_SET, BYTES(""))),
		ELEMENT(DIT_DER_SEQUENCE, ELEMENT(DIT_DER_SET, CN)),
		ELEMENT(DIT_DER_SEQUENCE, ELEMENT(DIT_DER_SET, ava, ava)),
		ELEMENT(DIT_DER_SEQUENCE,
	                ELEMENT(DIT_DER_SET, ELEMENT(DIT_DER_SEQUENCE, CN))),
		/* libldap would take what follows the value for another pair. */
		ELEMENT(DIT_DER_SEQUENCE,
	                ELEMENT(DIT_DER_SET,
	                        ELEMENT(DIT_DER_SEQUENCE, CN, BYTES("\x0C\x01Y"), ava))),
		ELEMENT(DIT_DER_SET, ELEMENT(DIT_DER_SET, ava)),
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		check(context, DIT_NORM_CERT_EXACT,
		      certificate(context, BYTES("\x01"), names[i]), NULL);
	}
}

TEST(short_rubbish_is_taken_as_an_empty_certificate)
{
	static const char empty[] = "{ serialNumber '0'H, issuer rdnSequence:\"\" }";
	struct context *context = *state;

	check(context, DIT_NORM_CERT_EXACT, BYTES("zz"), empty);
	check(context, DIT_NORM_CERT_EXACT, BYTES("0"), empty);
	check(context, DIT_NORM_CERT_EXACT, BYTES("\x30\x00"), empty);
	check(context, DIT_NORM_CERT_EXACT, BYTES("0\x05\x30\x03\x02\x01\x05"),
	      "{ serialNumber '5'H, issuer rdnSequence:\"\" }");
	check(context, DIT_NORM_CERT_EXACT, BYTES(""), NULL);
}

TEST(revocation_lists_show_issuer_and_time)
{
	static const struct {
		struct dit_span time;
		const char *text; /* NULL: refused */
	} cases[] = {
		{{"\x17\x0D"
	          "261120190207Z",
	          15},
	         "20261120190207Z"},
		{{"\x17\x0D"
	          "700101000000Z",
	          15},
	         "19700101000000Z"},
		{{"\x18\x0F"
	          "20261120190207Z",
	          17},
	         "20261120190207Z"},
		{{"\x17\x0D"
	          "990230000000Z",
	          15},
	         NULL},
		{{"\x17\x0B"
	          "2611201902Z",
	          13},
	         NULL},
		{{"\x17", 1}, NULL},
	};
	struct context *context = *state;
	struct dit_span name = name_of(context, CN, UTF8_STRING, BYTES("Root"));

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char want[100];

		(void)snprintf(want, sizeof(want),
		               "{ issuer rdnSequence:\"cn=root\", thisUpdate \"%s\" }",
		               cases[i].text == NULL ? "" : cases[i].text);
		check(context, DIT_NORM_CERTLIST_EXACT,
		      revocation_list(context, name, cases[i].time),
		      cases[i].text == NULL ? NULL : want);
	}
	check(context, DIT_NORM_CERTLIST_EXACT,
	      revocation_list(context, BYTES("\x30\x00"), cases[0].time), NULL);
	check(context, DIT_NORM_CERTLIST_EXACT,
	      revocation_list(context, name,
	                      BYTES("\x04\x0D"
	                            "261120190207Z")),
	      NULL);
	check(context, DIT_NORM_CERTLIST_EXACT,
	      revocation_list(context, name,
	                      BYTES("\x17\x0D"
	                            "2611201902+01")),
	      NULL);
	check(context, DIT_NORM_CERTLIST_EXACT, BYTES("zz"), NULL);
	check(context, DIT_NORM_CERTLIST_EXACT, BYTES(""), NULL);
}

static struct dit_span followed_by(struct context *context, struct dit_span value,
                                   const char *more)
{
	char *to = dit_arena_bytes(&context->arena, value.len + strlen(more));

	assert_non_null(to);
	memcpy(to, value.data, value.len);
	memcpy(to + value.len, more, strlen(more));
	return (struct dit_span){to, value.len + strlen(more)};
}

/*
 * Every skeleton is accepted whole and refused cut short. With something after it some
 * are: slapd looks for the head of another element, and after lists not at all.
 */
TEST(skeletons_are_accepted_whole_only)
{
	struct context *context = *state;
	struct dit_span name = name_of(context, CN, UTF8_STRING, BYTES("Root"));
	struct dit_span seq = BYTES("\x30\x00");
	const struct {
		enum dit_validator validator;
		struct dit_span value;
	} cases[] = {
		{DIT_VALID_CERTIFICATE, certificate(context, BYTES("\x01"), name)},
		{DIT_VALID_CERTIFICATE_LIST,
	         revocation_list(context, name, BYTES("\x17\x00"))},
		{DIT_VALID_ATTRIBUTE_CERTIFICATE,
	         ELEMENT(DIT_DER_SEQUENCE,
	                 ELEMENT(DIT_DER_SEQUENCE, BYTES("\x02\x01\x01"), seq,
	                         BYTES("\xA0\x00"), seq, BYTES("\x02\x01\x07"), seq, seq),
	                 ALGORITHM, SIGNATURE)},
		{DIT_VALID_PRIVATE_KEY, ELEMENT(DIT_DER_SEQUENCE, BYTES("\x02\x01\x00"),
	                                        seq, BYTES("\x04\x00"))},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span value = cases[i].value;
		bool is_list = cases[i].validator == DIT_VALID_CERTIFICATE_LIST;

		assert_int_equal(
			dit_value_validate(context->schema, cases[i].validator, value),
			0);
		assert_int_equal(dit_value_validate(context->schema, cases[i].validator,
		                                    followed_by(context, value, "x")),
		                 0);
		assert_int_equal(
			dit_value_validate(context->schema, cases[i].validator,
		                           followed_by(context, value, "\x05\x01x")),
			is_list ? 0 : DIT_E_INVALID);
		while (value.len-- > 0) {
			assert_int_equal(dit_value_validate(context->schema,
			                                    cases[i].validator, value),
			                 DIT_E_INVALID);
		}
	}
}

/* Lists of versions; the certificate rules look at no other part of the version. */
TEST(revocation_lists_are_of_version_2_or_have_no_version)
{
	static const struct {
		struct dit_span version;
		bool is_taken;
	} cases[] = {
		{{"", 0}, true},
		{{"\x02\x01\x01", 3}, true},
		{{"\x02\x02\0\x01", 4}, true},
		{{"\x02\x01\x02", 3}, false},
		{{"\x02\x01\0", 3}, false},
		{{"\x02\x00", 2}, false},
	};
	struct context *context = *state;
	struct dit_span name = name_of(context, CN, UTF8_STRING, BYTES("Root"));
	struct dit_span time = BYTES("\x17\x0D"
	                             "261120190207Z");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span value = ELEMENT(
			DIT_DER_SEQUENCE, ELEMENT(DIT_DER_SEQUENCE, cases[i].version,
		                                  ALGORITHM, name, time));

		check(context, DIT_NORM_CERTLIST_EXACT, value,
		      cases[i].is_taken ? "{ issuer rdnSequence:\"cn=root\", thisUpdate "
		                          "\"20261120190207Z\" }"
		                        : NULL);
	}
}

/* values.md 4.12: only the parts that are shown are read, so the end may be missing. */
TEST(a_certificate_cut_after_the_issuer_is_accepted)
{
	struct context *context = *state;
	struct dit_span name = name_of(context, CN, UTF8_STRING, BYTES("Root"));
	struct dit_span value = certificate(context, BYTES("\x05"), name);
	const char *end = memmem(value.data, value.len, "Root", 4);

	assert_non_null(end);
	value.len = (size_t)(end + 4 - value.data);
	check(context, DIT_NORM_CERT_EXACT, value,
	      "{ serialNumber '5'H, issuer rdnSequence:\"cn=root\" }");
	value.len--;
	check(context, DIT_NORM_CERT_EXACT, value, NULL);
}

/* As slapadd 2.5.13 stores them, each with a change that it minds or does not mind. */
TEST(attribute_certificates_show_the_issuers_certificate)
{
	static const char normal[] =
		"{ serialNumber '5'H, issuer { baseCertificateID { issuer { "
		"directoryName:rdnSequence:\"cn=root\" }, serial '7'H } } }";
	struct context *context = *state;
	struct dit_span name = name_of(context, CN, UTF8_STRING, BYTES("Root"));
	struct dit_span dn = ELEMENT(DIT_DER_CONTEXT(4), name);
	struct dit_span names = ELEMENT(DIT_DER_SEQUENCE, dn);
	struct dit_span base = ELEMENT(DIT_DER_CONTEXT(0), names, BYTES("\x02\x01\x07"));
	struct dit_span usual[] = {BYTES("\x02\x01\x01"), BYTES("\x30\x00"),
	                           ELEMENT(DIT_DER_CONTEXT(0), base), ALGORITHM,
	                           BYTES("\x02\x01\x05")};
	const struct {
		unsigned part;
		struct dit_span value;
		bool is_taken;
	} cases[] = {
		{0, BYTES("\x02\x01\x01"), true},
		{0, BYTES("\x02\x01\x00"), true},
		{1, BYTES("\x31\x00"), true},
		{3, BYTES("\x31\x00"), true},
		{2,
	         ELEMENT(DIT_DER_CONTEXT(0),
	                 ELEMENT(DIT_DER_CONTEXT(1), names, BYTES("\x02\x01\x07"))),
	         true},
		{2, ELEMENT(DIT_DER_CONTEXT(0), names, base), false},
		{2, ELEMENT(DIT_DER_CONTEXT(0), base, BYTES("\xA1\x00")), false},
		{2,
	         ELEMENT(DIT_DER_CONTEXT(0),
	                 ELEMENT(DIT_DER_CONTEXT(0), ELEMENT(DIT_DER_SEQUENCE, dn, dn),
	                         BYTES("\x02\x01\x07"))),
	         false},
		{2,
	         ELEMENT(DIT_DER_CONTEXT(0),
	                 ELEMENT(DIT_DER_CONTEXT(0), names, BYTES("\x04\x01\x07"))),
	         false},
		{4, BYTES("\x04\x01\x05"), false},
		{4, BYTES("\x02\x02\x00\x05"), false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span parts[5];

		memcpy(parts, usual, sizeof(parts));
		parts[cases[i].part] = cases[i].value;
		check(context, DIT_NORM_ATTRCERT_EXACT,
		      ELEMENT(DIT_DER_SEQUENCE,
		              ELEMENT(DIT_DER_SEQUENCE, parts[0], parts[1], parts[2],
		                      parts[3], parts[4])),
		      cases[i].is_taken ? normal : NULL);
	}
}

TEST(parts_of_later_versions_need_that_version)
{
	struct context *context = *state;
	struct dit_span seq = BYTES("\x30\x00");
	struct dit_span old_with_extensions =
		ELEMENT(DIT_DER_SEQUENCE, BYTES("\x02\x01\x07"), seq, seq, seq, seq, seq,
	                BYTES("\xA3\x02\x30\x00"));
	struct dit_span old_with_unique_id =
		ELEMENT(DIT_DER_SEQUENCE, BYTES("\x02\x01\x07"), seq, seq, seq, seq, seq,
	                BYTES("\x81\x00"));
	struct dit_span list_with_extensions = ELEMENT(
		DIT_DER_SEQUENCE, seq, seq, BYTES("\x17\x00"), BYTES("\xA0\x02\x30\x00"));
	struct dit_span list_of_no_version = ELEMENT(
		DIT_DER_SEQUENCE, BYTES("\x02\x01\x05"), seq, seq, BYTES("\x17\x00"));

	assert_false(dit_der_is_certificate(
		ELEMENT(DIT_DER_SEQUENCE, old_with_extensions, ALGORITHM, SIGNATURE)));
	assert_false(dit_der_is_certificate(
		ELEMENT(DIT_DER_SEQUENCE, old_with_unique_id, ALGORITHM, SIGNATURE)));
	assert_false(dit_der_is_certificate_list(
		ELEMENT(DIT_DER_SEQUENCE, list_with_extensions, ALGORITHM, SIGNATURE)));
	assert_false(dit_der_is_certificate_list(
		ELEMENT(DIT_DER_SEQUENCE, list_of_no_version, ALGORITHM, SIGNATURE)));
}

TEST(wrong_lengths_are_no_elements)
{
	static const struct dit_span cases[] = {
		{"", 0},
		{"\x30", 1},
		{"\x30\x01", 2},
		{"\x30\x81", 2},
		{"\x30\x81\x01", 3},
		{"\x1F\x01x", 3},
		{"\x30\x89\0\0\0\0\0\0\0\0\0", 11},
		{"\x30\x85\0\0\0\0\1", 7},
		{"\x30\x84\xFF\xFF\xFF\xFF", 6},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span in = cases[i];
		struct dit_span content = {0};

		assert_int_equal(dit_der_next(&in, &content), 0);
		assert_int_equal(in.len, cases[i].len);
	}
}

MAIN_WITH(setup, NULL)
