/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries as JSON: each value as its syntax says, and in all of it what the LDIF has,
 * which a parser of JSON and a decoder of base64 that share nothing with it read.
 */
#include "test.h"

#include <inttypes.h>

#include <jansson.h>

#include "export/export.h"
#include "export/export_text.h"
#include "ldif/base64.h"
#include "load/load_fixture.h"
#include "nomem.h"
#include "schema/schema.h"

#define NPEOPLE  600u
#define NRANDOM  3000
#define NVALUES  5
#define MAX_SIZE 80

enum {
	STRING = 1,
	BOOLEAN,
	INTEGER,
	OCTETS,
	OPAQUE,
	DN,
	ID,
	UNKNOWN,
	TAGGED,
	NNAMES
};

static const struct dit_syntax string_syntax = {.oid = "1.3.6.1.4.1.1466.115.121.1.15",
                                                .validator = DIT_VALID_UTF8_NONEMPTY};
static const struct dit_syntax boolean_syntax = {.oid = "1.3.6.1.4.1.1466.115.121.1.7",
                                                 .validator = DIT_VALID_BOOLEAN};
static const struct dit_syntax integer_syntax = {.oid = "1.3.6.1.4.1.1466.115.121.1.27",
                                                 .validator = DIT_VALID_INTEGER};
static const struct dit_syntax octets_syntax = {.oid = "1.3.6.1.4.1.1466.115.121.1.40",
                                                .validator = DIT_VALID_ANY};
static const struct dit_syntax opaque_syntax = {.oid = "1.3.6.1.4.1.1466.115.121.1.28",
                                                .flags = DIT_SYNTAX_OPAQUE,
                                                .validator = DIT_VALID_ANY};

static const struct dit_attr_type string_type = {.oid = "1.2.3",
                                                 .syntax = &string_syntax};
static const struct dit_attr_type boolean_type = {.syntax = &boolean_syntax};
static const struct dit_attr_type integer_type = {.syntax = &integer_syntax};
static const struct dit_attr_type octets_type = {.syntax = &octets_syntax};
static const struct dit_attr_type opaque_type = {.syntax = &opaque_syntax};

static const struct dit_ad ads[NNAMES] = {
	[STRING] = {.type = &string_type, .name = {"cn", 2}},
	[BOOLEAN] = {.type = &boolean_type, .name = {"flag", 4}},
	[INTEGER] = {.type = &integer_type, .name = {"uidNumber", 9}},
	[OCTETS] = {.type = &octets_type, .name = {"userPassword", 12}},
	[OPAQUE] = {.type = &opaque_type, .name = {"jpegPhoto", 9}},
	[DN] = {.type = &string_type, .name = {"dn", 2}},
	[ID] = {.type = &string_type, .name = {"ID", 2}},
	[TAGGED] = {.type = &string_type, .name = {"dn;lang-de", 10}},
};

/* @param ret_list  NNAMES; lives as long as the names */
static void make_names(struct dit_export_names *ret, struct dit_ad_name *ret_list)
{
	const struct dit_ad_names stored = {.list = ret_list, .n = NNAMES};

	for (uint32_t i = 1; i < NNAMES; i++) {
		ret_list[i] =
			i == UNKNOWN
				? (struct dit_ad_name){.name = DIT_SPAN("madeUp;x-b")}
				: (struct dit_ad_name){.name = ads[i].name,
		                                       .ad = &ads[i]};
	}
	assert_int_equal(dit_export_names_make(ret, &stored), 0);
}

/* The line of an entry with these attributes; static. */
static const char *line_of_all(const struct dit_attr_view *attrs, uint32_t nattrs)
{
	static char line[1000];
	const struct dit_entry_view view = {
		.id = 26, .dn = DIT_SPAN("dc=x"), .nattrs = nattrs, .attrs = attrs};
	struct dit_ad_name list[NNAMES] = {{.ad = NULL}};
	struct dit_export_names names;
	struct dit_ldif_text text;

	make_names(&names, list);
	dit_ldif_text_init(&text, 78);
	assert_int_equal(dit_export_put_json(&text, &names, &view, false), 0);
	assert_true(text.len < sizeof(line));
	(void)snprintf(line, sizeof(line), "%.*s", (int)text.len, text.data);
	dit_ldif_text_deinit(&text);
	dit_export_names_deinit(&names);
	return line;
}

static const char *line_of(uint32_t number, const struct dit_span *values, uint32_t n)
{
	const struct dit_attr_view attr = {
		.number = number, .nvalues = n, .values = values};

	return line_of_all(&attr, 1);
}

/* ---- values ---- */

#define B64(text) "{\"base64\":\"" text "\"}"

TEST(a_value_is_what_its_syntax_says)
{
	static const struct {
		uint32_t number;
		struct dit_span value;
		const char *json;
	} cases[] = {
		{STRING, DIT_SPAN("plain"), "\"plain\""},
		{STRING, DIT_SPAN(""), "\"\""},
		{STRING, DIT_SPAN("7"), "\"7\""},
		{STRING, DIT_SPAN("TRUE"), "\"TRUE\""},
		{STRING, DIT_SPAN(" blanks: < "), "\" blanks: < \""},
		{STRING, DIT_SPAN("a\"b\\c"), "\"a\\\"b\\\\c\""},
		{STRING, DIT_SPAN("0123456789abcde\""), "\"0123456789abcde\\\"\""},
		{STRING, DIT_SPAN("0123456789abcdefghijklmn\n"),
	         "\"0123456789abcdefghijklmn\\u000a\""},
		{STRING, DIT_SPAN("\0\t\x1f\x7f"), "\"\\u0000\\u0009\\u001f\x7f\""},
		{STRING, DIT_SPAN("\xc3\x9c\xe2\x82\xac\xf0\x9f\x90\x9f"),
	         "\"\xc3\x9c\xe2\x82\xac\xf0\x9f\x90\x9f\""},
		{STRING, DIT_SPAN("\xf4\x8f\xbf\xbf"), "\"\xf4\x8f\xbf\xbf\""},
		{STRING, DIT_SPAN("\xf4\x90\x80\x80"), B64("9JCAgA==")},
		{STRING, DIT_SPAN("\xed\xa0\x80"), B64("7aCA")}, /* half of a pair */
		{STRING, DIT_SPAN("\xc0\x80"), B64("wIA=")},
		{STRING, DIT_SPAN("ok\xff"), B64("b2v/")},
		{STRING, DIT_SPAN("cut \xc3"), B64("Y3V0IMM=")},
		{BOOLEAN, DIT_SPAN("TRUE"), "true"},
		{BOOLEAN, DIT_SPAN("FALSE"), "false"},
		{BOOLEAN, DIT_SPAN("true"), "\"true\""},
		{BOOLEAN, DIT_SPAN(""), "\"\""},
		{INTEGER, DIT_SPAN("0"), "0"},
		{INTEGER, DIT_SPAN("-1"), "-1"},
		{INTEGER, DIT_SPAN("9223372036854775807"), "9223372036854775807"},
		{INTEGER, DIT_SPAN("9223372036854775808"), "\"9223372036854775808\""},
		{INTEGER, DIT_SPAN("-9223372036854775808"), "-9223372036854775808"},
		{INTEGER, DIT_SPAN("-9223372036854775809"), "\"-9223372036854775809\""},
		{INTEGER, DIT_SPAN("123456789012345678901234567890"),
	         "\"123456789012345678901234567890\""},
		{INTEGER, DIT_SPAN("007"), "\"007\""},
		{INTEGER, DIT_SPAN("-0"), "\"-0\""},
		{INTEGER, DIT_SPAN("-"), "\"-\""},
		{INTEGER, DIT_SPAN(""), "\"\""},
		{INTEGER, DIT_SPAN("+1"), "\"+1\""},
		{INTEGER, DIT_SPAN("{0}1"), "\"{0}1\""},
		{INTEGER, DIT_SPAN("1e3"), "\"1e3\""},
		{OCTETS, DIT_SPAN("{SSHA}x\"\x7f"), "\"{SSHA}x\\\"\x7f\""},
		{OCTETS, DIT_SPAN("\xc3\x9c"), "\"\xc3\x9c\""},
		{OCTETS, DIT_SPAN("a\nb"), B64("YQpi")},
		{OCTETS, DIT_SPAN("\xff\xd8"), B64("/9g=")},
		{OPAQUE, DIT_SPAN("text"), B64("dGV4dA==")},
		{OPAQUE, DIT_SPAN(""), B64("")},
		{UNKNOWN, DIT_SPAN("7"), "\"7\""},
		{UNKNOWN, DIT_SPAN("\xff"), B64("/w==")},
	};
	static const char *const names[] = {
		[STRING] = "cn",         [BOOLEAN] = "flag",
		[INTEGER] = "uidNumber", [OCTETS] = "userPassword",
		[OPAQUE] = "jpegPhoto",  [UNKNOWN] = "MADEUP;X-B"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char expected[200];

		print_message("%s\n", cases[i].json);
		(void)snprintf(expected, sizeof(expected),
		               "{\"dn\":\"dc=x\",\"%s\":[%s]}\n", names[cases[i].number],
		               cases[i].json);
		assert_string_equal(line_of(cases[i].number, &cases[i].value, 1),
		                    expected);
	}
}

TEST(dn_and_id_are_names_of_our_own)
{
	static const struct dit_span values[] = {{"a", 1}, {"b", 1}};

	assert_string_equal(line_of(DN, values, 2),
	                    "{\"dn\":\"dc=x\",\"1.2.3\":[\"a\",\"b\"]}\n");
	assert_string_equal(line_of(ID, values, 1),
	                    "{\"dn\":\"dc=x\",\"1.2.3\":[\"a\"]}\n");
	assert_string_equal(line_of(TAGGED, values, 1),
	                    "{\"dn\":\"dc=x\",\"dn;lang-de\":[\"a\"]}\n");
}

/* slapd has lost its values; the LDIF has no line either. */
TEST(an_attribute_without_values_is_left_out)
{
	assert_string_equal(line_of(STRING, NULL, 0), "{\"dn\":\"dc=x\"}\n");
}

/* slapadd 2.5 stores it so if other lines stand between its own. */
TEST(an_attribute_that_is_stored_twice_is_one_member)
{
	static const struct dit_span values[] = {{"a", 1}, {"b", 1}, {"c", 1}};
	const struct dit_attr_view attrs[] = {
		{.number = STRING, .nvalues = 1, .values = values},
		{.number = INTEGER, .nvalues = 1, .values = values},
		{.number = STRING, .nvalues = 2, .values = values + 1},
		{.number = INTEGER, .nvalues = 0}};

	assert_string_equal(line_of_all(attrs, 4),
	                    "{\"dn\":\"dc=x\",\"cn\":[\"a\",\"b\",\"c\"],"
	                    "\"uidNumber\":[\"a\"]}\n");
}

TEST(the_id_is_a_number_and_the_dn_a_string)
{
	struct dit_entry_view view = {.id = 26, .dn = DIT_SPAN("cn=\"\xc3\x9c\",dc=x")};
	struct dit_export_names none = {.n = 0};
	struct dit_ldif_text text;

	dit_ldif_text_init(&text, 78);
	assert_int_equal(dit_export_put_json(&text, &none, &view, true), 0);
	view.dn = DIT_SPAN("");
	assert_int_equal(dit_export_put_json(&text, &none, &view, true), 0);
	view.dn = DIT_SPAN("\xff");
	assert_int_equal(dit_export_put_json(&text, &none, &view, false), 0);
	assert_int_equal(dit_ldif_write_raw(&text, (struct dit_span){"", 1}), 0);
	assert_string_equal(text.data,
	                    "{\"dn\":\"cn=\\\"\xc3\x9c\\\",dc=x\",\"id\":26}\n"
	                    "{\"dn\":\"\",\"id\":26}\n{\"dn\":{\"base64\":\"/w==\"}}\n");
	dit_ldif_text_deinit(&text);
}

/* ---- the same as the LDIF ---- */

/* The next line of an LDIF that is not folded. false: the entry ends here */
static bool next_line(const char **at, struct dit_span *ret_name, char *value,
                      size_t *ret_len)
{
	size_t len = strcspn(*at, "\n");
	const char *colon = memchr(*at, ':', len);
	struct dit_span text;

	if (len == 0) {
		*at += 1;
		return false;
	}
	assert_non_null(colon);
	*ret_name = (struct dit_span){*at, (size_t)(colon - *at)};
	text = (struct dit_span){colon + 1, len - ret_name->len - 1};
	*at += len + 1;
	if (text.len > 0 && text.data[0] == ':') {
		text = (struct dit_span){text.data + 2, text.len - 2};
		assert_int_equal(dit_base64_decode(text, value, ret_len),
		                 DIT_BASE64_COMPLETE);
		return true;
	}
	*ret_len = text.len == 0 ? 0 : text.len - 1;
	memcpy(value, text.data + 1, *ret_len);
	return true;
}

/* The bytes that a value in JSON stands for. @return how many */
static size_t bytes_of(const json_t *value, char *bytes)
{
	const json_t *packed = json_object_get(value, "base64");
	size_t len = 0;

	switch (json_typeof(value)) {
	case JSON_TRUE:
		return (size_t)sprintf(bytes, "TRUE");
	case JSON_FALSE:
		return (size_t)sprintf(bytes, "FALSE");
	case JSON_INTEGER:
		return (size_t)sprintf(bytes, "%" JSON_INTEGER_FORMAT,
		                       json_integer_value(value));
	case JSON_STRING:
		memcpy(bytes, json_string_value(value), json_string_length(value));
		return json_string_length(value);
	default:
		assert_int_equal(json_object_size(value), 1);
		assert_int_equal(
			dit_base64_decode((struct dit_span){json_string_value(packed),
		                                            json_string_length(packed)},
		                          bytes, &len),
			DIT_BASE64_COMPLETE);
		return len;
	}
}

/* Values of the attribute of a line of LDIF are taken from the array of its name. */
static void take_line(json_t *entry, struct dit_span name, const char *value, size_t len)
{
	char bytes[1000];
	char key[100];
	json_t *list = NULL;

	(void)snprintf(key, sizeof(key), "%.*s", DIT_SPAN_ARGS(name));
	list = json_object_get(entry, key);
	if (strcmp(key, "dn") == 0) {
		assert_int_equal(bytes_of(list, bytes), len);
	} else {
		assert_true(json_is_array(list) && json_array_size(list) > 0);
		assert_int_equal(bytes_of(json_array_get(list, 0), bytes), len);
		assert_int_equal(json_array_remove(list, 0), 0);
	}
	assert_memory_equal(bytes, value, len);
	if (!json_is_array(list) || json_array_size(list) == 0) {
		assert_int_equal(json_object_del(entry, key), 0);
	}
}

/* Both have the same entries, attributes and values, in the same order of values. */
static unsigned compare_texts(const char *ldif, const char *json)
{
	unsigned n = 0;

	for (; *json != '\0'; n++) {
		size_t line = strcspn(json, "\n");
		json_t *entry = json_loadb(json, line,
		                           JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
		struct dit_span name;
		char value[1000];
		size_t len = 0;

		assert_non_null(entry);
		while (next_line(&ldif, &name, value, &len)) {
			take_line(entry, name, value, len);
		}
		assert_int_equal(json_object_size(entry), 0);
		json_decref(entry);
		json += line + 1;
	}
	assert_int_equal(*ldif, '\0');
	return n;
}

/* Bytes of several kinds, so that nearly every value has another form. */
static struct dit_span random_value(uint64_t *random, char *bytes)
{
	static const char *const whole[] = {"TRUE", "FALSE", "-12", "9223372036854775808",
	                                    "\xc3\x9c"
	                                    "ber"};
	uint64_t kind = test_random(random) % 6;
	size_t len = test_random(random) % MAX_SIZE;

	if (kind == 0) {
		return dit_span_of(whole[test_random(random) % 5]);
	}
	for (size_t i = 0; i < len; i++) {
		uint64_t byte = test_random(random);

		bytes[i] = (char)(kind == 1   ? byte % 256
		                  : kind == 2 ? byte % 128
		                  : kind == 3 ? '0' + byte % 10
		                              : ' ' + byte % 95);
	}
	return (struct dit_span){bytes, len};
}

/* Attributes 1 to 5 and the unknown one, with up to NVALUES values each. */
TEST(random_entries_are_those_of_the_ldif)
{
	static char bytes[NNAMES][NVALUES][MAX_SIZE];
	struct dit_span values[NNAMES][NVALUES];
	struct dit_attr_view attrs[NNAMES];
	struct dit_ad_name list[NNAMES] = {{.ad = NULL}};
	struct dit_entry_view view = {.dn = DIT_SPAN("dc=x"), .attrs = attrs};
	struct dit_export_names names;
	struct dit_ldif_text ldif;
	struct dit_ldif_text json;
	uint64_t random = 7;

	make_names(&names, list);
	dit_ldif_text_init(&ldif, DIT_LDIF_WRAP_NONE);
	dit_ldif_text_init(&json, DIT_LDIF_WRAP_NONE);
	for (int n = 0; n < NRANDOM; n++) {
		view.nattrs = 0;
		for (uint32_t number = STRING; number <= OPAQUE + 1; number++) {
			uint32_t nvalues = (uint32_t)(test_random(&random) % NVALUES);

			for (uint32_t i = 0; i < nvalues; i++) {
				values[number][i] =
					random_value(&random, bytes[number][i]);
			}
			attrs[view.nattrs++] = (struct dit_attr_view){
				.number = number > OPAQUE ? UNKNOWN : number,
				.nvalues = nvalues,
				.values = values[number]};
		}
		assert_int_equal(dit_export_put_entry(&ldif, &names, &view, false), 0);
		assert_int_equal(dit_export_put_json(&json, &names, &view, false), 0);
	}
	assert_int_equal(dit_ldif_write_raw(&ldif, (struct dit_span){"", 1}), 0);
	assert_int_equal(dit_ldif_write_raw(&json, (struct dit_span){"", 1}), 0);
	assert_int_equal(compare_texts(ldif.data, json.data), NRANDOM);
	dit_ldif_text_deinit(&ldif);
	dit_ldif_text_deinit(&json);
	dit_export_names_deinit(&names);
}

/* @return the text of an export with these options, owned */
static char *export_text(const struct load_fixture *f, struct dit_export_opts *opts)
{
	struct dit_export_stats stats;
	char path[4300];
	char *text = NULL;
	size_t len = 0;

	(void)snprintf(path, sizeof(path), "%s/out", f->tmpdir);
	opts->conf = f->conf;
	opts->output = path;
	opts->wrap = DIT_EXPORT_WRAP_NONE;
	assert_int_equal(dit_export(opts, &stats), 0);
	text = test_read_file(path, &len);
	assert_int_equal(stats.nbytes, len);
	return text;
}

TEST(an_export_has_the_entries_of_the_ldif_with_any_number_of_threads)
{
	struct load_fixture *f = load_fixture_new_glued("");
	struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
	char *ldif = NULL;
	char *first = NULL;

	load_fixture_load_people(f, NPEOPLE);
	opts.threads = 1;
	ldif = export_text(f, &opts);
	opts.format = DIT_EXPORT_JSONL;
	first = export_text(f, &opts);
	assert_int_equal(compare_texts(ldif, first), NPEOPLE + 5);
	assert_non_null(
		strstr(first, "\n{\"dn\":\"uid=u1,ou=dept 1,dc=x\",\"objectClass\":"
	                      "[\"person\"],\"uid\":[\"u1\"],\"cn\":[\"Person Number 1\"]"
	                      ",\"cn;lang-de\":[\"Nummer 1\"],\"sn\":[\"Common\"],"
	                      "\"description\":[\"\xc3\xbc"
	                      "ber\"],\"uidNumber\":[1],"));
	for (opts.threads = 2; opts.threads <= 9; opts.threads += 7) {
		char *text = export_text(f, &opts);

		assert_string_equal(text, first);
		free(text);
	}
	free(ldif);
	free(first);
}

TEST(a_format_out_of_range_is_refused)
{
	struct load_fixture *f = load_fixture_new_people(1);
	struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
	struct dit_export_stats stats;

	opts.conf = f->conf;
	opts.output = "/dev/null";
	opts.format = DIT_EXPORT_JSONL + 1;
	assert_int_equal(dit_export(&opts, &stats), -EINVAL);
}

/* An older program knows nothing of the last member. */
TEST(an_older_struct_gives_ldif)
{
	struct load_fixture *f = load_fixture_new_people(1);
	struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
	char *text = NULL;

	opts.format = DIT_EXPORT_JSONL;
	opts.size = offsetof(struct dit_export_opts, format);
	text = export_text(f, &opts);
	assert_memory_equal(text, "dn: dc=x\n", strlen("dn: dc=x\n"));
	free(text);
}

/* ---- no memory ---- */

static int put_large(const char *bytes, size_t len)
{
	const struct dit_span values[] = {{bytes, len}, {"\xff", 1}, {"\n", 1}};
	const struct dit_attr_view attrs[] = {
		{.number = STRING, .nvalues = 3, .values = values},
		{.number = OPAQUE, .nvalues = 2, .values = values},
	};
	const struct dit_entry_view view = {
		.dn = {bytes, len}, .nattrs = 2, .attrs = attrs};
	struct dit_ad_name list[NNAMES] = {{.ad = NULL}};
	const struct dit_ad_names stored = {.list = list, .n = NNAMES};
	struct dit_export_names names;
	struct dit_ldif_text text;
	int r = 0;

	for (uint32_t i = 1; i < NNAMES; i++) {
		list[i] = (struct dit_ad_name){.name = DIT_SPAN("x"), .ad = NULL};
	}
	list[OPAQUE].ad = &ads[OPAQUE];
	r = dit_export_names_make(&names, &stored);
	if (r < 0) {
		return r;
	}
	dit_ldif_text_init(&text, 78);
	r = dit_export_put_json(&text, &names, &view, true);
	if (r == 0) {
		assert_int_equal(text.data[text.len - 1], '\n');
	}
	dit_ldif_text_deinit(&text);
	dit_export_names_deinit(&names);
	return r;
}

TEST(each_failed_allocation_is_told)
{
	static char bytes[100000];

	memset(bytes, '\n', sizeof(bytes));
	assert_true(calls_until_memory(put_large(bytes, sizeof(bytes))) > NNAMES + 3);
}
