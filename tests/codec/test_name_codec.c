/* SPDX-License-Identifier: BSD-2-Clause */
/* Tree records: the examples of storage.md 3.1 and the limits of 3.6. */
#include "test.h"

#include "base/error.h"
#include "codec/name_fixture.h"

static const char child_record[] = "\x80\x09ou=people\0ou=People\0"
				   "\x02\0\0\0\0\0\0\0\x02\0\0\0\0\0\0";
static const char self_record[] = "\x00\x09ou=people\0ou=People\0\x01\0\0\0\0\0\0";

static bool is_little_endian(void)
{
	const uint16_t one = 1;

	return *(const unsigned char *)&one == 1;
}

TEST(child_is_encoded_as_slapadd_does)
{
	char out[DIT_NAME_RECORD_MAX];

	assert_int_equal(
		encode_child(out, DIT_SPAN("ou=people"), DIT_SPAN("ou=People"), 2, 2),
		sizeof(child_record));
	if (is_little_endian()) {
		assert_memory_equal(out, child_record, sizeof(child_record));
	}
}

TEST(self_is_encoded_as_slapadd_does)
{
	char out[DIT_NAME_RECORD_MAX];

	assert_int_equal(
		encode_self(out, DIT_SPAN("ou=people"), DIT_SPAN("ou=People"), 1),
		sizeof(self_record));
	if (is_little_endian()) {
		assert_memory_equal(out, self_record, sizeof(self_record));
	}
}

TEST(decode_undoes_encode)
{
	static const struct {
		struct dit_span norm;
		struct dit_span pretty;
	} names[] = {
		{DIT_SPAN("cn=a\\2C b\\2Bc+sn=zed"), DIT_SPAN("cn=A\\2C B\\2Bc+sn=Zed")},
		{DIT_SPAN("cn=jos\xc3\xa9 x"), DIT_SPAN("cn=Jos\xc3\xa9  X")},
		{DIT_SPAN("a"), DIT_SPAN("longer than the other")},
		{{NULL, 0}, {NULL, 0}},
	};
	char out[DIT_NAME_RECORD_MAX];
	struct dit_name name;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int len = encode_child(out, names[i].norm, names[i].pretty, UINT64_MAX,
		                       0x0123456789abcdef);

		assert_int_equal(
			dit_name_decode((struct dit_span){out, (size_t)len}, &name), 0);
		assert_true(name.is_child);
		assert_true(dit_span_eq(name.norm, names[i].norm));
		assert_true(dit_span_eq(name.pretty, names[i].pretty));
		assert_true(name.id == UINT64_MAX);
		assert_true(name.nsubs == 0x0123456789abcdef);
		len = encode_self(out, names[i].norm, names[i].pretty, 3);
		assert_int_equal(
			dit_name_decode((struct dit_span){out, (size_t)len}, &name), 0);
		assert_false(name.is_child);
		assert_true(dit_span_eq(name.pretty, names[i].pretty));
		assert_true(name.id == 3);
		assert_true(name.nsubs == 0);
	}
}

TEST(dummy_decodes_as_a_nameless_self)
{
	static const char dummy[12] = "";
	struct dit_name name;

	assert_int_equal(dit_name_decode((struct dit_span){dummy, sizeof(dummy)}, &name),
	                 0);
	assert_false(name.is_child);
	assert_int_equal(name.norm.len, 0);
	assert_int_equal(name.pretty.len, 0);
	assert_true(name.id == 0);
	assert_true(dit_name_is_dummy((struct dit_span){dummy, sizeof(dummy)}));
	assert_false(dit_name_is_dummy((struct dit_span){dummy, sizeof(dummy) - 1}));
	assert_false(dit_name_is_dummy(DIT_SPAN("\0\0\0\0\0\0\0\0\0\0\0\1")));
}

TEST(longer_records_fit_other_files)
{
	static const struct {
		size_t size; /* of a record, with pages of 4096 and of 65536 bytes */
		size_t norm;
		size_t pretty;
		bool fits;
	} cases[] = {
		{1978, 979, 979, true},      {1978, 979, 980, false},
		{32698, 16339, 16339, true}, {32698, 16340, 16339, false},
		{32698, 32678, 0, true},     {32698, 32679, 0, false},
	};
	static char text[32700];
	static char out[DIT_NAME_RECORD_LONGEST];

	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span norm = {text, cases[i].norm};
		struct dit_span pretty = {text, cases[i].pretty};
		int sum = (int)(norm.len + pretty.len);
		struct dit_name name = {norm, pretty, true, 7, 8};
		int r = dit_name_encode(out, cases[i].size, &name);

		assert_int_equal(r, cases[i].fits ? 20 + sum : DIT_E_TOOLONG);
		if (r > 0) {
			struct dit_span record = {out, (size_t)r};

			assert_int_equal(dit_name_decode(record, &name), 0);
			assert_true(name.is_child);
			assert_int_equal(name.norm.len, norm.len);
			assert_int_equal(name.pretty.len, pretty.len);
			assert_int_equal(name.nsubs, 8);
		}
		name = (struct dit_name){norm, pretty, false, 1, 0};
		assert_int_equal(dit_name_encode(out, cases[i].size, &name),
		                 cases[i].fits ? 12 + sum : DIT_E_TOOLONG);
	}
}

TEST(names_up_to_the_limit_fit_a_record)
{
	static char text[600];
	char out[DIT_NAME_RECORD_MAX];
	static const struct {
		size_t norm;
		size_t pretty;
		bool fits;
	} cases[] = {
		{245, 245, true},     {245, 246, true}, {246, 246, false},
		{491, 0, true},       {0, 491, true},   {492, 0, false},
		{0, 492, false},      {491, 1, false},  {600, 0, false},
		{SIZE_MAX, 1, false},
	};

	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span norm = {text, cases[i].norm};
		struct dit_span pretty = {text, cases[i].pretty};
		int sum = (int)(norm.len + pretty.len);

		assert_int_equal(encode_child(out, norm, pretty, 1, 1),
		                 cases[i].fits ? 20 + sum : DIT_E_TOOLONG);
		assert_int_equal(encode_self(out, norm, pretty, 1),
		                 cases[i].fits ? 12 + sum : DIT_E_TOOLONG);
	}
}

TEST(damaged_records_are_told)
{
	char record[sizeof(child_record)];
	struct dit_name name;

	for (size_t len = 0; len < 20 + 9; len++) {
		assert_int_equal(
			dit_name_decode((struct dit_span){child_record, len}, &name),
			DIT_E_CORRUPT);
	}
	memcpy(record, child_record, sizeof(record));
	record[2 + 9] = 'x';
	assert_int_equal(
		dit_name_decode((struct dit_span){record, sizeof(record)}, &name),
		DIT_E_CORRUPT);
	memcpy(record, child_record, sizeof(record));
	record[2 + 9 + 1 + 9] = 'x';
	assert_int_equal(
		dit_name_decode((struct dit_span){record, sizeof(record)}, &name),
		DIT_E_CORRUPT);
	memcpy(record, child_record, sizeof(record));
	record[0] = (char)0xff;
	assert_int_equal(
		dit_name_decode((struct dit_span){record, sizeof(record)}, &name),
		DIT_E_CORRUPT);
}
