/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines as slapcat 2.5 writes them; what it writes of whole entries: tests/oracle. */
#include "ldif/base64.h"
#include "ldif/ldif_write.h"
#include "test.h"

static char *written(const char *name, struct dit_span value, unsigned wrap,
                     bool is_base64)
{
	struct dit_ldif_text text;
	char *copy = NULL;

	dit_ldif_text_init(&text, wrap);
	assert_int_equal(dit_ldif_write_value(&text, dit_span_of(name), value, is_base64),
	                 0);
	assert_in_range(text.len, 0, text.size);
	copy = strndup(text.data, text.len);
	assert_non_null(copy);
	dit_ldif_text_deinit(&text);
	return copy;
}

TEST(form_follows_the_bytes)
{
	const struct {
		struct dit_span value;
		const char *line;
	} cases[] = {
		{DIT_SPAN("a"), "sn: a\n"},
		{DIT_SPAN(""), "sn:\n"},
		{DIT_SPAN(" a"), "sn:: IGE=\n"},
		{DIT_SPAN("a "), "sn:: YSA=\n"},
		{DIT_SPAN(":a"), "sn:: OmE=\n"},
		{DIT_SPAN("<a"), "sn:: PGE=\n"},
		{DIT_SPAN("a:b"), "sn: a:b\n"},
		{DIT_SPAN("a<b"), "sn: a<b\n"},
		{DIT_SPAN("#a"), "sn: #a\n"},
		{DIT_SPAN("~"), "sn: ~\n"},
		{DIT_SPAN("-"), "sn: -\n"},
		{DIT_SPAN("a\tb"), "sn:: YQli\n"},
		{DIT_SPAN("a\x7f"), "sn:: YX8=\n"},
		{DIT_SPAN("a\nb"), "sn:: YQpi\n"},
		{DIT_SPAN("a\0b"), "sn:: YQBi\n"},
		{DIT_SPAN("\0"), "sn:: AA==\n"},
		{DIT_SPAN("\xc3\xa9"), "sn:: w6k=\n"},
		{DIT_SPAN("\xff\xff\xff"), "sn:: ////\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *line = written("sn", cases[i].value, 78, false);

		assert_string_equal(line, cases[i].line);
		free(line);
	}
}

/* More lines than the room that a text has at once. */
TEST(lines_of_one_byte_have_room)
{
	static char bytes[40000];
	char *lines = NULL;

	memset(bytes, 'a', sizeof(bytes));
	lines = written("sn", (struct dit_span){bytes, sizeof(bytes)}, 2, false);
	assert_true(strlen(lines) > 2 * sizeof(bytes));
	free(lines);
}

TEST(base64_is_written_where_it_is_asked_for)
{
	char *line = written("userPassword", DIT_SPAN("abc"), 78, true);
	char *empty = written("userPassword", DIT_SPAN(""), 78, true);

	assert_string_equal(line, "userPassword:: YWJj\n");
	assert_string_equal(empty, "userPassword:\n");
	free(line);
	free(empty);
}

TEST(lines_are_folded_but_names_are_not)
{
	char *short_line = written("objectClass", DIT_SPAN("inetOrgPerson"), 20, false);
	char *long_name =
		written("structuralObjectClass", DIT_SPAN("organization"), 20, false);
	char *two = written("cn", DIT_SPAN("ab"), 1, false);
	char *exact = written("cn", DIT_SPAN("0123456789012345"), 20, false);
	char *none = written("cn", DIT_SPAN("0123456789012345678901234567890"),
	                     DIT_LDIF_WRAP_NONE, false);

	assert_string_equal(short_line, "objectClass: inetOrg\n Person\n");
	assert_string_equal(long_name, "structuralObjectClass: \n organization\n");
	assert_string_equal(two, "cn: \n a\n b\n");
	assert_string_equal(exact, "cn: 0123456789012345\n");
	assert_string_equal(none, "cn: 0123456789012345678901234567890\n");
	free(short_line);
	free(long_name);
	free(two);
	free(exact);
	free(none);
}

/* One unprintable byte at every place of values of all short lengths. */
TEST(every_byte_decides_between_text_and_base64)
{
	char value[40];

	for (size_t len = 1; len < sizeof(value); len++) {
		memset(value, 'x', sizeof(value));
		assert_true(dit_ldif_is_plain((struct dit_span){value, len}));
		for (size_t at = 0; at < len; at++) {
			for (int byte = 0; byte < 256; byte++) {
				bool is_edge = at == 0 || at == len - 1;
				bool is_first = at == 0 && (byte == ':' || byte == '<');
				bool expected = byte >= 0x20 && byte < 0x7f &&
				                !(is_edge && byte == ' ') && !is_first;

				value[at] = (char)byte;
				assert_int_equal(
					dit_ldif_is_plain((struct dit_span){value, len}),
					expected);
			}
			value[at] = 'x';
		}
	}
}

/*
 * The same lines as one by one. The value has exactly its bytes, so that a sanitizer sees
 * who reads more.
 */
static void assert_same_lines(struct dit_span name, const char *bytes, size_t len,
                              unsigned wrap)
{
	struct dit_span values[3];
	struct dit_ldif_label label;
	struct dit_ldif_text one;
	struct dit_ldif_text all;
	char *exact = malloc(len + (len == 0));

	assert_non_null(exact);
	memcpy(exact, bytes, len);
	dit_ldif_text_init(&one, wrap);
	dit_ldif_text_init(&all, wrap);
	dit_ldif_label_make(&label, name, name.data[0] == 'p');
	for (int i = 0; i < 3; i++) {
		values[i] = (struct dit_span){exact, len};
		assert_int_equal(
			dit_ldif_write_value(&one, name, values[i], name.data[0] == 'p'),
			0);
	}
	/* The first lines find no room, the others do. */
	assert_int_equal(dit_ldif_write_values(&all, &label, values, 1), 0);
	assert_int_equal(dit_ldif_write_values(&all, &label, values + 1, 2), 0);
	assert_int_equal(all.len, one.len);
	assert_memory_equal(all.data, one.data, one.len);
	all.len = 0;
	assert_int_equal(dit_ldif_write_raw(&all, (struct dit_span){one.data, 1}), 0);
	assert_int_equal(dit_ldif_write_values(&all, &label, values, 3), 0);
	assert_int_equal(all.len, one.len + 1);
	assert_memory_equal(all.data + 1, one.data, one.len);
	dit_ldif_text_deinit(&one);
	dit_ldif_text_deinit(&all);
	free(exact);
}

TEST(values_together_are_the_lines_of_each)
{
	static const char *const names[] = {
		"cn", "password", "x-thirty-bytes-with-the-blank",
		"x-thirty-two-bytes-with-blank-", "x-more-than-all-labels-have-room-for"};
	static const unsigned wraps[] = {0, 2, 20, 78, 300};
	static const char flaws[] = {'x', ' ', ':', '<', '~', '\0', '\n', '\x7f', '\xe9'};
	char value[300];

	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		for (size_t len = 0; len < sizeof(value); len += len < 70 ? 1 : 37) {
			for (size_t f = 0; f < sizeof(flaws); f++) {
				size_t at = (len * 7 + f) % (len + 1);

				memset(value, 'y', sizeof(value));
				value[f % 3 == 0   ? 0
				      : f % 3 == 1 ? at
				                   : len - (len > 0)] = flaws[f];
				assert_same_lines(dit_span_of(names[n]), value, len,
				                  wraps[(len + f) % 5]);
			}
		}
	}
}

static char *unfolded(const char *lines)
{
	char *text = calloc(1, strlen(lines) + 1);
	size_t n = 0;

	assert_non_null(text);
	for (; *lines != '\0'; lines++) {
		if (lines[0] == '\n' && lines[1] == ' ') {
			lines++;
		} else if (lines[0] != '\n') {
			text[n++] = *lines;
		}
	}
	return text;
}

static void assert_round_trip(const char *lines, struct dit_span value)
{
	char *text = unfolded(lines);
	const char *encoded = text + strlen("x:: ");
	char *bytes = malloc(strlen(encoded) + 4);
	size_t len = 0;

	assert_non_null(bytes);
	assert_memory_equal(text, "x:: ", 4);
	assert_int_equal(dit_base64_decode(dit_span_of(encoded), bytes, &len),
	                 DIT_BASE64_COMPLETE);
	assert_int_equal(len, value.len);
	assert_memory_equal(bytes, value.data, len);
	free(bytes);
	free(text);
}

TEST(base64_of_every_length_can_be_read_back)
{
	char value[2000];

	for (size_t i = 0; i < sizeof(value); i++) {
		value[i] = (char)(i * 7 + i / 256);
	}
	for (size_t len = 1; len < sizeof(value); len += len < 20 ? 1 : 97) {
		struct dit_span span = {value, len};
		char *lines = written("x", span, len % 2 == 0 ? 78 : 5, true);

		assert_round_trip(lines, span);
		free(lines);
	}
}

TEST(record_is_lines_and_an_empty_one)
{
	struct dit_ldif_text text;

	dit_ldif_text_init(&text, DIT_LDIF_WRAP_DEFAULT);
	for (int i = 0; i < 2; i++) {
		text.len = 0;
		assert_int_equal(dit_ldif_write_raw(&text, DIT_SPAN("# id=00000001\n")),
		                 0);
		assert_int_equal(dit_ldif_write_value(&text, DIT_SPAN("dn"),
		                                      DIT_SPAN("dc=x"), false),
		                 0);
		assert_int_equal(dit_ldif_write_raw(&text, DIT_SPAN("\n")), 0);
		assert_int_equal(text.len, strlen("# id=00000001\ndn: dc=x\n\n"));
		assert_memory_equal(text.data, "# id=00000001\ndn: dc=x\n\n", text.len);
	}
	dit_ldif_text_deinit(&text);
}

/* The length alone decides; nothing is read. */
TEST(value_over_the_address_space_is_refused)
{
	struct dit_ldif_text text;
	struct dit_span huge = {"\x01", SIZE_MAX / 2};
	struct dit_ldif_label label;

	dit_ldif_text_init(&text, 2);
	assert_int_equal(dit_ldif_write_value(&text, DIT_SPAN("cn"), huge, true),
	                 -ENOMEM);
	dit_ldif_label_make(&label, DIT_SPAN("cn"), true);
	assert_int_equal(dit_ldif_write_values(&text, &label, &huge, 1), -ENOMEM);
	assert_int_equal(text.len, 0);
	dit_ldif_text_deinit(&text);
}
