/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the first bytes: packed data, and files that cannot be LDIF, are known by
 * them; text never is refused.
 */
#include "ldif/input_kind.h"
#include "test.h"

/* clang-format off */
static const struct {
	struct dit_span start;
	enum dit_pack_format format;
} packed[] = {
	{DIT_SPAN("\37\213\10\0"), DIT_PACK_GZIP},
	{DIT_SPAN("\37\213"), DIT_PACK_NONE},
	{DIT_SPAN("\50\265\57\375"), DIT_PACK_ZSTD},
	{DIT_SPAN("\120\52\115\30"), DIT_PACK_ZSTD},
	{DIT_SPAN("\137\52\115\30"), DIT_PACK_ZSTD},
	{DIT_SPAN("\140\52\115\30"), DIT_PACK_NONE},
	{DIT_SPAN("\3757zXZ\0"), DIT_PACK_XZ},
	{DIT_SPAN("BZh91AY&SY"), DIT_PACK_BZIP2},
	{DIT_SPAN("BZh1\27\162\105\70\120\220"), DIT_PACK_BZIP2},
	{DIT_SPAN("BZh01AY&SY"), DIT_PACK_NONE},
	{DIT_SPAN("BZh91AY&S"), DIT_PACK_NONE},
	{DIT_SPAN("BZh9: a line"), DIT_PACK_NONE},
	{DIT_SPAN("dn: cn=a\n"), DIT_PACK_NONE},
	{DIT_SPAN(""), DIT_PACK_NONE},
};

static const struct {
	struct dit_span start;
	const char *other;
} starts[] = {
	{DIT_SPAN(""), NULL},
	{DIT_SPAN("\n\1\0"), NULL},
	{DIT_SPAN("\r\n\0"), NULL},
	{DIT_SPAN("# \0\n"), NULL},
	{DIT_SPAN("dn: cn=a\0\n"), NULL},
	{DIT_SPAN("userCertificate;binary:: \0\n"), NULL},
	{DIT_SPAN("2.5.4.3: \1\n"), NULL},
	{DIT_SPAN("a line without a colon\n\tb\f\v\33[1m\r\n"), NULL},
	{DIT_SPAN("{\"json\": true}\n"), NULL},
	{DIT_SPAN("\303\244: b\n"), NULL},
	{DIT_SPAN("dn cn=a\n\0"), NULL},
	{DIT_SPAN("17 old number\r\ndn:o=a\r\naudio: \10\21\7\r\n"), NULL},
	{DIT_SPAN("dn cn=a\1\n"), "binary data"},
	{DIT_SPAN(": a\0\n"), "binary data"},
	{DIT_SPAN("\177ELF\2\1\1\0"), "binary data"},
	{DIT_SPAN("\211PNG\r\n\32\n"), "binary data"},
	{DIT_SPAN("PK\3\4\24\0"), "a zip archive"},
	{DIT_SPAN("7z\274\257\47\34\0"), "a 7-Zip archive"},
	{DIT_SPAN("Rar!\32\7\0"), "a RAR archive"},
	{DIT_SPAN("!<arch>\nx"), "an ar archive"},
	{DIT_SPAN("\37\235\220"), "compressed by compress(1), which is not read"},
	{DIT_SPAN("\4\"M\30d"), "compressed by lz4, which is not read"},
	{DIT_SPAN("LZIP\1\24"), "compressed by lzip, which is not read"},
	{DIT_SPAN("\377\376d\0n\0"), "UTF-16 text; iconv(1) makes UTF-8 of it"},
	{DIT_SPAN("\376\377\0d\0n"), "UTF-16 text; iconv(1) makes UTF-8 of it"},
	{DIT_SPAN("\0\0\0\0\0\0\0\0\0\0\10\0\0\0\0\0\336\300\357\276"),
	 "an LMDB database; ditcat makes LDIF of it"},
};
/* clang-format on */

TEST(packed_data_is_known_by_its_first_bytes)
{
	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++) {
		print_message("%zu\n", i);
		assert_int_equal(dit_pack_format_of(packed[i].start), packed[i].format);
	}
}

TEST(every_format_has_a_name)
{
	assert_string_equal(dit_pack_format_name(DIT_PACK_NONE), "");
	assert_string_equal(dit_pack_format_name(DIT_PACK_GZIP), "gzip");
	assert_string_equal(dit_pack_format_name(DIT_PACK_ZSTD), "zstd");
	assert_string_equal(dit_pack_format_name(DIT_PACK_XZ), "xz");
	assert_string_equal(dit_pack_format_name(DIT_PACK_BZIP2), "bzip2");
}

TEST(data_that_cannot_be_ldif_is_named)
{
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		const char *other = dit_input_other_than_ldif(starts[i].start);

		print_message("%zu\n", i);
		if (starts[i].other == NULL) {
			assert_null(other);
		} else {
			assert_non_null(other);
			assert_string_equal(other, starts[i].other);
		}
	}
}

TEST(a_tar_archive_is_known_by_its_first_header)
{
	char header[600] = "people.ldif";

	memcpy(header + 257, "ustar", 5);
	assert_string_equal(
		dit_input_other_than_ldif((struct dit_span){header, sizeof(header)}),
		"a tar archive");
}

TEST(only_the_first_bytes_count)
{
	char text[DIT_INPUT_KIND_BYTES + 1];

	memset(text, ' ', sizeof(text));
	text[DIT_INPUT_KIND_BYTES] = '\0';
	assert_null(dit_input_other_than_ldif((struct dit_span){text, sizeof(text)}));
	text[DIT_INPUT_KIND_BYTES - 1] = '\0';
	assert_non_null(dit_input_other_than_ldif((struct dit_span){text, sizeof(text)}));
}
