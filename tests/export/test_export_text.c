/* SPDX-License-Identifier: BSD-2-Clause */
/* How entries are printed. */
#include "test.h"

#include "export/export_text.h"

#define NNAMES 8

static const struct dit_syntax octets = {.oid = "1.3.6.1.4.1.1466.115.121.1.40"};
static const struct dit_attr_type password_type = {.syntax = &octets};
static const struct dit_ad password = {.type = &password_type,
                                       .name = {"userPassword", 12}};
static const struct dit_ad tagged = {.type = &password_type,
                                     .name = {"userPassword;x-a", 16}};
static const struct dit_ad binary = {.type = &password_type, .name = {"cn;binary", 9}};
static const struct dit_ad cn = {.type = &password_type, .name = {"cn", 2}};

/* The schema spells the name of number 1 in another way than the database. */
static struct dit_ad_name stored_list[NNAMES] = {
	[1] = {.name = {"CN", 2}, .ad = &cn},
	[2] = {.name = {"userPassword", 12}, .ad = &password},
	[3] = {.name = {"userPassword;x-a", 16}, .ad = &tagged},
	[5] = {.name = {"madeUp;x-b", 10}},
	[6] = {.name = {"olcTLSCertificateKey", 20}},
	[7] = {.name = {"cn;binary", 9}, .ad = &binary},
};
static const struct dit_ad_names stored = {.list = stored_list, .n = NNAMES};

static struct dit_entry_view view_of(const struct dit_attr_view *attrs, uint32_t n)
{
	return (struct dit_entry_view){
		.id = 0x1a, .dn = DIT_SPAN("cn=a,dc=x"), .nattrs = n, .attrs = attrs};
}

TEST(names_are_the_schemas_and_unknown_ones_in_capitals)
{
	struct dit_export_names names;

	assert_int_equal(dit_export_names_make(&names, &stored), 0);
	assert_int_equal(names.n, NNAMES);
	assert_span_equal(names.list[1].text, "cn");
	assert_false(names.list[1].label.is_base64);
	assert_true(names.list[2].label.is_base64);
	assert_false(names.list[3].label.is_base64);
	assert_null(names.list[4].text.data);
	assert_span_equal(names.list[5].text, "MADEUP;X-B");
	assert_true(names.list[5].is_unknown);
	assert_false(names.list[5].label.is_base64);
	assert_true(names.list[6].label.is_base64);
	assert_true(names.list[7].label.is_base64);
	dit_export_names_deinit(&names);
}

TEST(entries_are_lines)
{
	static const struct dit_span cns[] = {{"a", 1}, {" b", 2}, {"", 0}};
	static const struct dit_span secret[] = {{"x", 1}};
	const struct dit_attr_view attrs[] = {
		{.number = 1, .nvalues = 3, .values = cns},
		{.number = 2, .nvalues = 1, .values = secret},
		{.number = 3, .nvalues = 1, .values = secret},
	};
	struct dit_entry_view view = view_of(attrs, 3);
	struct dit_export_names names;
	struct dit_ldif_text text;

	assert_int_equal(dit_export_names_make(&names, &stored), 0);
	dit_ldif_text_init(&text, 78);
	assert_int_equal(dit_export_put_entry(&text, &names, &view, false), 0);
	assert_int_equal(dit_export_put_entry(&text, &names, &view, true), 0);
	assert_int_equal(dit_export_put_nothing(&text, 0xabc), 0);
	assert_int_equal(dit_ldif_write_raw(&text, (struct dit_span){"", 1}), 0);
	assert_string_equal(text.data, "dn: cn=a,dc=x\ncn: a\ncn:: IGI=\ncn:\n"
	                               "userPassword:: eA==\nuserPassword;x-a: x\n\n"
	                               "# id=0000001a\n"
	                               "dn: cn=a,dc=x\ncn: a\ncn:: IGI=\ncn:\n"
	                               "userPassword:: eA==\nuserPassword;x-a: x\n\n"
	                               "# no data for entry id=00000abc\n\n");
	dit_ldif_text_deinit(&text);
	dit_export_names_deinit(&names);
}

/* The entry of an empty suffix. */
TEST(an_empty_dn_is_printed)
{
	struct dit_entry_view view = view_of(NULL, 0);
	static const struct dit_ad_names none = {.n = 0};
	struct dit_export_names names;
	struct dit_ldif_text text;

	assert_int_equal(dit_export_names_make(&names, &none), 0);
	view.dn = DIT_SPAN("");
	dit_ldif_text_init(&text, 78);
	assert_int_equal(dit_export_put_entry(&text, &names, &view, false), 0);
	assert_int_equal(text.len, 5);
	assert_memory_equal(text.data, "dn:\n\n", 5);
	dit_ldif_text_deinit(&text);
	dit_export_names_deinit(&names);
}
