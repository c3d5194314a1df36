/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the LDIF line parser (values.md 1.2, 1.3, 1.5):
 * - each case of the table gives the lines, values and notes of slapadd 2.5.13;
 * - plain values point into the record, and the record is never changed;
 * - "file:" URLs are read, with slapd's rules for the URL;
 * - large records work, and only memory can fail.
 */
#include "test.h"

#include <pthread.h>
#include <sys/stat.h>

#include "base/error.h"
#include "ldif/ldif_parse.h"
#include "schema_test.h"

#define LINES_MAX 4

/* Text, length, and NULL for "no value". */
#define TEXT(literal)                                                                    \
 {                                                                                       \
  (literal), sizeof(literal) - 1                                                         \
 }
#define NO_VALUE                                                                         \
 {                                                                                       \
  NULL, 0                                                                                \
 }

#define NUL_NOTE                                                                         \
 "ldif_parse_line: a line holds a NUL byte; such a value must be given as base64"
#define BAD_CHAR "ldap_pvt_decode_b64_inplace: invalid base64 encoding char "

struct parse_case {
	const char *what;
	struct dit_span text;
	struct dit_ldif_line lines[LINES_MAX];
	size_t nlines;
	const char *note;
};

/* clang-format off */
static const struct parse_case cases[] = {
	{"two lines", TEXT("dn: dc=x\nsn: y\n"),
	 {{.name = TEXT("dn"), .value = TEXT("dc=x")},
	  {.name = TEXT("sn"), .value = TEXT("y")}}, 2, NULL},
	{"no final LF", TEXT("sn: y"),
	 {{.name = TEXT("sn"), .value = TEXT("y")}}, 1, NULL},
	{"nothing", TEXT(""), {{.name = TEXT("")}}, 0, NULL},

	{"inner and trailing spaces stay", TEXT("sn:  two  spaces \n"),
	 {{.name = TEXT("sn"), .value = TEXT("two  spaces ")}}, 1, NULL},
	{"all whitespace in front of a value goes", TEXT("sn:\t \v\f\r x\n"),
	 {{.name = TEXT("sn"), .value = TEXT("x")}}, 1, NULL},
	{"no space is needed", TEXT("sn:x:y\n"),
	 {{.name = TEXT("sn"), .value = TEXT("x:y")}}, 1, NULL},
	{"an empty value is one", TEXT("sn:\n"),
	 {{.name = TEXT("sn"), .value = TEXT("")}}, 1, NULL},
	{"whitespace is an empty value", TEXT("sn: \n"),
	 {{.name = TEXT("sn"), .value = TEXT("")}}, 1, NULL},
	{"names stay as typed", TEXT("cn;LANG-en: x\n"),
	 {{.name = TEXT("cn;LANG-en"), .value = TEXT("x")}}, 1, NULL},
	{"bytes above 7f", TEXT("sn: \xc3\x89\xff\n"),
	 {{.name = TEXT("sn"), .value = TEXT("\xc3\x89\xff")}}, 1, NULL},

	{"fold", TEXT("sn: abc\n def\n"),
	 {{.name = TEXT("sn"), .value = TEXT("abcdef")}}, 1, NULL},
	{"only one space of a fold goes", TEXT("sn: abc\n  def\n"),
	 {{.name = TEXT("sn"), .value = TEXT("abc def")}}, 1, NULL},
	{"fold in front of a value", TEXT("sn:\n abc\n"),
	 {{.name = TEXT("sn"), .value = TEXT("abc")}}, 1, NULL},
	{"several folds in front of a value", TEXT("sn:\n \n \n  x \n \n y\n"),
	 {{.name = TEXT("sn"), .value = TEXT("x y")}}, 1, NULL},
	{"fold without final LF", TEXT("sn: abc\n def"),
	 {{.name = TEXT("sn"), .value = TEXT("abcdef")}}, 1, NULL},
	{"TAB does not fold", TEXT("sn: abc\n\tdef\n"),
	 {{.name = TEXT("sn"), .value = TEXT("abc")},
	  {.name = TEXT(""), .value = TEXT("def")}}, 2, NULL},
	{"fold in the name stays visible", TEXT("descri\n ption: x\n"),
	 {{.name = TEXT("descri\r\rption"), .value = TEXT("x")}}, 1, NULL},
	{"fold in front of the colon", TEXT("sn\n : x\n"),
	 {{.name = TEXT("sn\0\0"), .value = TEXT("x")}}, 1, NULL},
	{"fold between two colons", TEXT("sn:\n : abc\n"),
	 {{.name = TEXT("sn"), .value = TEXT(": abc")}}, 1, NULL},
	{"fold in front of <", TEXT("sn:\n < abc\n"),
	 {{.name = TEXT("sn"), .value = TEXT("< abc")}}, 1, NULL},

	{"comments go", TEXT("# a\ndn: x\n#b\nsn: y\n# c\n"),
	 {{.name = TEXT("dn"), .value = TEXT("x")},
	  {.name = TEXT("sn"), .value = TEXT("y")}}, 2, NULL},
	{"a comment ends a fold and takes the rest", TEXT("sn: abc\n# c\n def\ncn: y\n"),
	 {{.name = TEXT("sn"), .value = TEXT("abc")},
	  {.name = TEXT("cn"), .value = TEXT("y")}}, 2, NULL},
	{"comments fold", TEXT("#foo\n #bar\n x: y\nsn: x\n"),
	 {{.name = TEXT("sn"), .value = TEXT("x")}}, 1, NULL},
	{"no comment after TAB", TEXT("\t#foo: x\n"),
	 {{.name = TEXT("#foo"), .value = TEXT("x")}}, 1, NULL},

	{"whitespace in front of a name goes", TEXT(" dn: x\n\t\v sn: y\n"),
	 {{.name = TEXT("dn"), .value = TEXT("x")},
	  {.name = TEXT("sn"), .value = TEXT("y")}}, 2, NULL},
	{"also when folded", TEXT("  \n dn: x\n"),
	 {{.name = TEXT("dn"), .value = TEXT("x")}}, 1, NULL},
	{"blanks after a name become NUL", TEXT("sn \t: x\n"),
	 {{.name = TEXT("sn\0\0"), .value = TEXT("x")}}, 1, NULL},
	{"no colon", TEXT("garbage line\n"),
	 {{.name = TEXT(""), .value = TEXT("garbage line")}}, 1, NULL},
	{"no colon, folded", TEXT("foo\n bar\n"),
	 {{.name = TEXT(""), .value = TEXT("foo\r\rbar")}}, 1, NULL},
	{"no colon after whitespace", TEXT("\t \vfoo\n"),
	 {{.name = TEXT(""), .value = TEXT("foo")}}, 1, NULL},
	{"only whitespace", TEXT("   \n"),
	 {{.name = TEXT(""), .value = TEXT("")}}, 1, NULL},

	{"CR LF", TEXT("sn: abc\r\n def\r\n#x\r\n y\r\ncn: z\r\n"),
	 {{.name = TEXT("sn"), .value = TEXT("abcdef")},
	  {.name = TEXT("cn"), .value = TEXT("z")}}, 2, NULL},
	{"CR goes everywhere in a value", TEXT("sn: a\rb\r\r\n"),
	 {{.name = TEXT("sn"), .value = TEXT("ab")}}, 1, NULL},
	{"CR at the end of the file", TEXT("sn: a\r"),
	 {{.name = TEXT("sn"), .value = TEXT("a")}}, 1, NULL},
	{"CR in front of a name", TEXT("\rsn: a\n"),
	 {{.name = TEXT("sn"), .value = TEXT("a")}}, 1, NULL},
	{"CR stays in a name", TEXT("s\rn: a\n"),
	 {{.name = TEXT("s\rn"), .value = TEXT("a")}}, 1, NULL},
	{"CR CR LF ends a record", TEXT("sn: a\n\r\r\nsn: b\n"),
	 {{.name = TEXT("sn"), .value = TEXT("a")}}, 1,
	 "lines after a lone CR ignored, as slapd does"},
	{"also after a comment", TEXT("# a\n\r\r\nsn: b\n"), {{.name = TEXT("")}}, 0,
	 "lines after a lone CR ignored, as slapd does"},
	{"but not as its first line", TEXT("\r\r\nsn: a\n"),
	 {{.name = TEXT(""), .value = TEXT("")},
	  {.name = TEXT("sn"), .value = TEXT("a")}}, 2, NULL},
	{"nor after the number", TEXT("1\n\r\r\nsn: a\n"),
	 {{.name = TEXT(""), .value = TEXT("")},
	  {.name = TEXT("sn"), .value = TEXT("a")}}, 2, NULL},
	{"a lone CR at the end", TEXT("sn: a\n\r"),
	 {{.name = TEXT("sn"), .value = TEXT("a")}}, 1, NULL},

	{"a first line with a digit goes", TEXT("1 foo\ndn: x\n"),
	 {{.name = TEXT("dn"), .value = TEXT("x")}}, 1, NULL},
	{"only one", TEXT("1\n2\n"), {{.name = TEXT(""), .value = TEXT("2")}}, 1, NULL},
	{"its fold becomes a line", TEXT("1\n dn: x\n"),
	 {{.name = TEXT("dn"), .value = TEXT("x")}}, 1, NULL},
	{"or a part of the comment before it", TEXT("#c\n d\n1\n foo\ndn: x\n"),
	 {{.name = TEXT("dn"), .value = TEXT("x")}}, 1, NULL},
	{"nothing else", TEXT("1"), {{.name = TEXT("")}}, 0, NULL},
	{"nothing but comments", TEXT("#c\n"), {{.name = TEXT("")}}, 0, NULL},
	{"a later line with a digit stays", TEXT("dn: x\n1: y\n"),
	 {{.name = TEXT("dn"), .value = TEXT("x")},
	  {.name = TEXT("1"), .value = TEXT("y")}}, 2, NULL},

	{"base64", TEXT("sn:: w4k=\n"),
	 {{.name = TEXT("sn"), .value = TEXT("\xc3\x89"), .form = DIT_LDIF_BASE64}},
	 1, NULL},
	{"base64 with space after padding", TEXT("sn::w4k= \n"),
	 {{.name = TEXT("sn"), .value = TEXT("\xc3\x89"), .form = DIT_LDIF_BASE64}},
	 1, NULL},
	{"base64 folded", TEXT("sn::\n  YW\n Jj\n YWJj\n"),
	 {{.name = TEXT("sn"), .value = TEXT("abcabc"), .form = DIT_LDIF_BASE64}},
	 1, NULL},
	{"base64 with CR", TEXT("sn::\r\tYW\rJj\r\n"),
	 {{.name = TEXT("sn"), .value = TEXT("abc"), .form = DIT_LDIF_BASE64}},
	 1, NULL},
	{"base64 with bad character", TEXT("sn:: YWJj \n"),
	 {{.name = TEXT("sn"), .value = TEXT("abc"), .form = DIT_LDIF_BASE64,
	   .is_damaged = true}}, 1, BAD_CHAR "( ) 0x20"},
	{"base64 with byte above 7f", TEXT("sn:: YWJj\xe9\n"),
	 {{.name = TEXT("sn"), .value = TEXT("abc"), .form = DIT_LDIF_BASE64,
	   .is_damaged = true}}, 1, BAD_CHAR "(\xe9) 0xffffffe9"},
	{"base64 with incomplete group", TEXT("sn:: AAECw4\n"),
	 {{.name = TEXT("sn"), .value = TEXT("\0\1\2"), .form = DIT_LDIF_BASE64,
	   .is_damaged = true}}, 1, BAD_CHAR "() 0x0"},
	{"base64 of one incomplete group is a value", TEXT("sn:: w4\n"),
	 {{.name = TEXT("sn"), .value = TEXT(""), .form = DIT_LDIF_BASE64,
	   .is_damaged = true}}, 1, BAD_CHAR "() 0x0"},
	{"empty base64", TEXT("sn::\n"),
	 {{.name = TEXT("sn"), .value = NO_VALUE, .form = DIT_LDIF_BASE64,
	   .is_damaged = true}}, 1, NULL},
	{"blank base64", TEXT("sn:: \n \n"),
	 {{.name = TEXT("sn"), .value = NO_VALUE, .form = DIT_LDIF_BASE64,
	   .is_damaged = true}}, 1, NULL},
	{"base64 without a name", TEXT("::YQ==\n"),
	 {{.name = TEXT(""), .value = TEXT("a"), .form = DIT_LDIF_BASE64}}, 1, NULL},
	{"bad base64 without a name", TEXT("::YWJj@\n"),
	 {{.name = TEXT(""), .value = TEXT("abc"), .form = DIT_LDIF_BASE64,
	   .is_damaged = true}}, 1, BAD_CHAR "(@) 0x40"},
	{"missing file without a name", TEXT(":< file:///nonexistent\n"),
	 {{.name = TEXT(""), .value = NO_VALUE, .form = DIT_LDIF_URL,
	   .is_damaged = true}}, 1,
	 "ldif_parse_line: : URL \"file:///nonexistent\" fetch failed"},
	{"empty name", TEXT("\t: x\n"), {{.name = TEXT(""), .value = TEXT("x")}}, 1, NULL},

	{"empty URL", TEXT("sn:< \n"),
	 {{.name = TEXT("sn"), .value = NO_VALUE, .form = DIT_LDIF_URL,
	   .is_damaged = true}}, 1, NULL},
	{"missing file", TEXT("sn:< file:///nonexistent\n"),
	 {{.name = TEXT("sn"), .value = NO_VALUE, .form = DIT_LDIF_URL,
	   .is_damaged = true}}, 1,
	 "ldif_parse_line: sn: URL \"file:///nonexistent\" fetch failed"},
	{"missing file, folded", TEXT("sn:< file:///nonexi\n stent\n"),
	 {{.name = TEXT("sn"), .value = NO_VALUE, .form = DIT_LDIF_URL,
	   .is_damaged = true}}, 1,
	 "ldif_parse_line: sn: URL \"file:///nonexistent\" fetch failed"},

	{"a NUL byte spoils its line", TEXT("dn: x\nsn: a\0b\ncn: y\n"),
	 {{.name = TEXT("dn"), .value = TEXT("x")},
	  {.name = TEXT(""), .value = TEXT("sn: a\0b")},
	  {.name = TEXT("cn"), .value = TEXT("y")}}, 3, NUL_NOTE},
	{"also after a fold", TEXT("sn: a\n \0b\n"),
	 {{.name = TEXT(""), .value = TEXT("sn: a\r\r\0b")}}, 1, NUL_NOTE},
	{"but no comment", TEXT("#a\0b\nsn: x\n"),
	 {{.name = TEXT("sn"), .value = TEXT("x")}}, 1, NULL},
};
/* clang-format on */

static const struct dit_file_rules special_files = {.allow_special = true};

struct fixture {
	struct dit_arena arena;
	struct dit_notes notes;
	struct dit_ldif_lines lines;
	const struct dit_file_rules *files;
};

static int setup(void **state)
{
	struct fixture *f = test_alloc(sizeof(*f));

	test_arena_init(&f->arena, 64);
	dit_notes_init(&f->notes, &f->arena);
	*state = f;
	return 0;
}

static void restart(struct fixture *f)
{
	dit_arena_reset(&f->arena);
	dit_notes_init(&f->notes, &f->arena);
}

static void parse(struct fixture *f, struct dit_span text)
{
	assert_int_equal(dit_ldif_parse(NULL, text, f->files, &f->notes, &f->lines), 0);
}

static void assert_spans_equal(struct dit_span a, struct dit_span b)
{
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.len == 0 ? "" : a.data, b.len == 0 ? "" : b.data, a.len);
}

static void assert_one_note(const struct dit_notes *notes, const char *text)
{
	if (text == NULL) {
		assert_null(notes->first);
		return;
	}
	assert_non_null(notes->first);
	assert_string_equal(notes->first->text, text);
	assert_null(notes->first->next);
}

static void assert_lines(const struct dit_ldif_lines *lines, const struct parse_case *c)
{
	assert_int_equal(lines->nlines, c->nlines);
	for (size_t i = 0; i < lines->nlines; i++) {
		const struct dit_ldif_line *line = &lines->lines[i];

		assert_spans_equal(line->name, c->lines[i].name);
		assert_spans_equal(line->value, c->lines[i].value);
		assert_int_equal(line->value.data == NULL,
		                 c->lines[i].value.data == NULL);
		assert_int_equal(line->form, c->lines[i].form);
		assert_int_equal(line->is_damaged, c->lines[i].is_damaged);
	}
}

/* The copy ends exactly at its last byte, so that reading further is found. */
SETUP_TEST(every_case_gives_the_lines_of_slapadd)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct parse_case *c = &cases[i];
		char *text = malloc(c->text.len + 1);

		print_message("%s\n", c->what);
		assert_non_null(text);
		memcpy(text + 1, c->text.data, c->text.len);

		restart(f);
		parse(f, (struct dit_span){text + 1, c->text.len});

		assert_lines(&f->lines, c);
		assert_one_note(&f->notes, c->note);
		assert_memory_equal(text + 1, c->text.data, c->text.len);
		free(text);
	}
}

SETUP_TEST(the_empty_span_has_no_lines)
{
	struct fixture *f = *state;

	parse(f, (struct dit_span){NULL, 0});
	assert_int_equal(f->lines.nlines, 0);
}

/*
 * A CR anywhere in a record lets each of its lines go the longer way. Random text of the
 * bytes that mean something, with such a line at its end and without.
 */
SETUP_TEST(a_cr_in_the_last_line_changes_no_other)
{
	static const char alphabet[] = "aB1;-:::  \t\v<#\n\n\xc3";
	static const char last[] = "\nz: 1\r\n";
	struct fixture *f = *state;
	uint64_t random = 1;
	char text[40 + sizeof(last)];

	for (int round = 0; round < 20000; round++) {
		struct dit_ldif_dialect dialect = {round % 2 != 0, round % 3 != 0};
		struct dit_ldif_lines plain = {0};
		struct dit_ldif_lines longer = {0};
		size_t len = (size_t)round % 40;

		for (size_t i = 0; i < len; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			text[i] = alphabet[(random >> 40) % (sizeof(alphabet) - 1)];
		}
		memcpy(text + len, last, sizeof(last));
		restart(f);
		assert_int_equal(dit_ldif_parse(&dialect,
		                                (struct dit_span){text, len + 1}, NULL,
		                                &f->notes, &plain),
		                 0);
		assert_int_equal(dit_ldif_parse(&dialect, dit_span_of(text), NULL,
		                                &f->notes, &longer),
		                 0);
		assert_int_equal(longer.nlines, plain.nlines + 1);
		for (size_t i = 0; i < plain.nlines; i++) {
			const struct dit_ldif_line *a = &plain.lines[i];
			const struct dit_ldif_line *b = &longer.lines[i];

			assert_true(dit_span_eq(a->name, b->name));
			assert_true(dit_span_eq(a->value, b->value));
			assert_int_equal(a->name.data == NULL, b->name.data == NULL);
			assert_int_equal(a->value.data == NULL, b->value.data == NULL);
			assert_int_equal(a->form, b->form);
			assert_int_equal(a->is_damaged, b->is_damaged);
		}
	}
}

SETUP_TEST(plain_values_point_into_the_record)
{
	static const char text[] = "dn: dc=x\r\nsn: y\r\n";
	struct fixture *f = *state;

	parse(f, DIT_SPAN(text));
	assert_ptr_equal(f->lines.lines[0].value.data, text + 4);
	assert_ptr_equal(f->lines.lines[1].name.data, text + 10);
	assert_ptr_equal(f->lines.lines[1].value.data, text + 14);
}

SETUP_TEST(many_lines_keep_their_order)
{
	struct fixture *f = *state;
	char text[12 * 1000];
	size_t len = 0;

	for (int i = 0; i < 1000; i++) {
		len += (size_t)snprintf(text + len, sizeof(text) - len, "cn: %d\n", i);
	}
	parse(f, (struct dit_span){text, len});
	assert_int_equal(f->lines.nlines, 1000);
	for (int i = 0; i < 1000; i++) {
		char number[16];

		(void)snprintf(number, sizeof(number), "%d", i);
		assert_span_equal(f->lines.lines[i].value, number);
	}
}

/* Three lines: "nnn: vvv", "nnn" and, without LF, "nnn:vvv". The record ends where its
 * memory does: a sanitizer sees a read too far. */
static void check_lengths(struct fixture *f, size_t nname, size_t nvalue)
{
	size_t len = nname * 3 + nvalue * 2 + 5;
	char *text = malloc(len);
	char *second = text + nname + nvalue + 3;
	char *third = second + nname + 1;

	memset(text, 'v', len);
	memset(text, 'n', nname);
	memcpy(text + nname, ": ", 2);
	memset(second - 1, '\n', 1);
	memset(second, 'n', nname);
	memset(third - 1, '\n', 1);
	memset(third, 'n', nname);
	memset(third + nname, ':', 1);
	parse(f, (struct dit_span){text, len});
	assert_int_equal(f->lines.nlines, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct dit_ldif_line *line = &f->lines.lines[i];
		bool has_colon = i != 1;

		assert_spans_equal(line->name,
		                   (struct dit_span){text, has_colon ? nname : 0});
		assert_spans_equal(line->value,
		                   has_colon
		                           ? (struct dit_span){third + nname + 1, nvalue}
		                           : (struct dit_span){text, nname});
	}
	free(text);
}

SETUP_TEST(names_and_values_have_any_length)
{
	for (size_t nname = 1; nname <= 70; nname++) {
		for (size_t nvalue = 0; nvalue <= 70; nvalue++) {
			check_lengths(*state, nname, nvalue);
		}
	}
}

/* 3 MB in folds of 76 characters: "AAEC" is 00 01 02. */
SETUP_TEST(a_long_folded_value_decodes)
{
	enum {
		NFOLDS = 40000,
		NGROUPS = 19
	};
	struct fixture *f = *state;
	char *text = test_alloc(16 + (size_t)NFOLDS * (2 + NGROUPS * 4));
	char *to = text;

	to += sprintf(to, "jpegPhoto::");
	for (int i = 0; i < NFOLDS; i++) {
		*to++ = '\n';
		*to++ = ' ';
		for (int k = 0; k < NGROUPS; k++) {
			memcpy(to, "AAEC", 4);
			to += 4;
		}
	}
	parse(f, (struct dit_span){text, (size_t)(to - text)});
	assert_int_equal(f->lines.nlines, 1);
	assert_int_equal(f->lines.lines[0].value.len, (size_t)NFOLDS * NGROUPS * 3);
	for (size_t i = 0; i < f->lines.lines[0].value.len; i++) {
		assert_int_equal(f->lines.lines[0].value.data[i], i % 3);
	}
	assert_null(f->notes.first);
}

/* One block of the given size, and no second one. */
static void limit_arena(struct dit_arena *arena, size_t size)
{
	dit_arena_init(arena, size);
	assert_non_null(dit_arena_bytes(arena, 1));
	dit_arena_reset(arena);
	arena->block_bytes = SIZE_MAX;
}

TEST(every_lack_of_memory_is_reported)
{
	static const char text[] = "dn : x\n"
				   "folded: a\n b\n"
				   "cr: a\rb\n"
				   "base64:: YWJj\n"
				   "null:< file:///dev/null\n"
				   "bad:: @\n";
	size_t size = 64;
	int r = 0;

	do {
		struct dit_arena arena;
		struct dit_notes notes;
		struct dit_ldif_lines lines = {0};

		limit_arena(&arena, size++);
		dit_notes_init(&notes, &arena);
		r = dit_ldif_parse(NULL, DIT_SPAN(text), &special_files, &notes, &lines);
		assert_true(r == 0 || r == -ENOMEM);
		assert_int_equal(lines.nlines, r == 0 ? 6 : 0);
		dit_arena_deinit(&arena);
	} while (r < 0);
	assert_true(size > 4096); /* the buffer for a file of unknown size */
}

SETUP_TEST(a_long_url_is_shown_in_part)
{
	struct fixture *f = *state;
	char text[3000] = "sn:<file:";

	memset(text + 9, 'x', sizeof(text) - 9);
	parse(f, (struct dit_span){text, sizeof(text)});
	assert_non_null(f->notes.first);
	assert_true(strlen(f->notes.first->text) < 1100);
}

static void write_file(const char *dir, const char *name, const char *bytes, size_t len)
{
	char *path = test_text("%s/%s", dir, name);
	FILE *file = NULL;

	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

struct url_case {
	const char *before; /* the directory, if one is used, goes in between */
	const char *after;
	const char *bytes; /* NULL: refused */
	size_t nbytes;
};

SETUP_TEST(urls_follow_the_rules_of_slapd)
{
	static const struct url_case urls[] = {
		{"file://", "/v", "a\nb", 3},
		{"file:", "/v", "a\nb", 3},
		{"FILE:///", "/v", "a\nb", 3},
		{"file:", "/sp%20ace", "sp", 2},
		{"file:", "/sp ace", "sp", 2},
		{"file:", "/%76", "a\nb", 3},
		{"file:", "/%6E%6c", "x\0y", 3},
		{"file:", "/v%00ignored", "a\nb", 3},
		{"file:", "/empty", "", 0},
		{"file:", "/a%25b", "pct", 3},
		{"file:", "/a%b", NULL, 0},
		{"file:", "/v%zz", NULL, 0},
		{"file:", "/v%7", NULL, 0},
		{"file:", "/v%", NULL, 0},
		{"file:", "/v ", NULL, 0},
		{"file:", "/missing", NULL, 0},
		{"file:", "", NULL, 0}, /* a directory cannot be read */
		{"file://localhost", "/v", NULL, 0},
		{"http:", "/v", NULL, 0},
		{"", "/v", NULL, 0},
	};
	struct fixture *f = *state;
	char *dir = test_scratch();
	char line[8192];

	write_file(dir, "v", "a\nb", 3);
	write_file(dir, "sp ace", "sp", 2);
	write_file(dir, "nl", "x\0y", 3);
	write_file(dir, "empty", "", 0);
	write_file(dir, "a%b", "pct", 3);
	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		const struct url_case *c = &urls[i];

		(void)snprintf(line, sizeof(line), "sn:<\t%s%s%s\n", c->before, dir,
		               c->after);
		print_message("%s", line);
		restart(f);
		parse(f, dit_span_of(line));
		assert_int_equal(f->lines.nlines, 1);
		assert_int_equal(f->lines.lines[0].form, DIT_LDIF_URL);
		assert_int_equal(f->lines.lines[0].is_damaged, c->bytes == NULL);
		assert_int_equal(f->lines.lines[0].value.data == NULL, c->bytes == NULL);
		assert_int_equal(f->notes.first != NULL, c->bytes == NULL);
		assert_spans_equal(f->lines.lines[0].value,
		                   (struct dit_span){c->bytes, c->nbytes});
	}
}

SETUP_TEST(relative_urls_start_at_the_working_directory)
{
	struct fixture *f = *state;
	char *dir = test_scratch();
	char before[4096];

	write_file(dir, "v", "here", 4);
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(dir), 0);
	parse(f, DIT_SPAN("sn:< file:v\ncn:< file://v\ndn:< file:\n"));
	assert_int_equal(chdir(before), 0);

	assert_span_equal(f->lines.lines[0].value, "here");
	assert_null(f->lines.lines[1].value.data);
	assert_null(f->lines.lines[2].value.data);
}

/* Larger than the first guess, and of a size that fills a doubled buffer exactly. */
SETUP_TEST(files_of_any_size_are_read_whole)
{
	static const size_t sizes[] = {4095, 4096, 4097, 8192, 100000};
	struct fixture *f = *state;
	char *dir = test_scratch();
	char *bytes = test_alloc(100000);
	char line[4200];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		write_file(dir, "v", bytes, sizes[i]);
		(void)snprintf(line, sizeof(line), "sn:<file:%s/v", dir);
		restart(f);
		parse(f, dit_span_of(line));
		assert_int_equal(f->lines.lines[0].value.len, sizes[i]);
		assert_memory_equal(f->lines.lines[0].value.data, bytes, sizes[i]);
	}
}

SETUP_TEST(pipes_are_read_to_their_end)
{
	static const char bytes[10000] = "a";
	struct fixture *f = *state;
	char line[64];
	int fds[2];

	f->files = &special_files;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(close(fds[1]), 0);
	(void)snprintf(line, sizeof(line), "sn:<file:///dev/fd/%d", fds[0]);
	parse(f, dit_span_of(line));
	assert_int_equal(close(fds[0]), 0);

	assert_spans_equal(f->lines.lines[0].value,
	                   (struct dit_span){bytes, sizeof(bytes)});
}

/* The value is missing, and the note ends with these words. */
static void check_refused(struct fixture *f, const char *line, const char *reason)
{
	const struct dit_note *note = NULL;

	dit_notes_init(&f->notes, &f->arena);
	parse(f, dit_span_of(line));
	assert_true(f->lines.lines[0].is_damaged);
	assert_null(f->lines.lines[0].value.data);
	note = f->notes.last;
	assert_non_null(note);
	assert_non_null(strstr(note->text, "\" fetch failed"));
	assert_string_equal(strstr(note->text, "\" fetch failed"), reason);
}

/* None of these waits for anything. */
SETUP_TEST(only_regular_files_are_read)
{
	static const char special[] =
		"\" fetch failed: a pipe, a device or a file of the "
		"kernel, and --special-urls is not given";
	static const struct dit_file_rules none = {.refuse_all = true};
	struct fixture *f = *state;
	char *dir = test_scratch();
	char line[5000];

	(void)snprintf(line, sizeof(line), "%s/fifo", dir);
	assert_int_equal(mkfifo(line, 0600), 0);
	(void)snprintf(line, sizeof(line), "sn:<file://%s/fifo", dir);
	check_refused(f, line, special);
	check_refused(f, "sn:<file:///dev/zero", special);
	/* The system calls it regular; /proc/kmsg next to it lets its reader wait. */
	check_refused(f, "sn:<file:///proc/version", special);
	(void)snprintf(line, sizeof(line), "sn:<file://%s", dir);
	check_refused(f, line, "\" fetch failed");

	f->files = &none;
	check_refused(f, "sn:<file:///dev/zero", "\" fetch failed: --no-urls is given");
	check_refused(f, "sn:<file:///etc/passwd", "\" fetch failed: --no-urls is given");
}

static void *stop_soon(void *stop)
{
	(void)usleep(50000);
	dit_stop_end(stop);
	return NULL;
}

SETUP_TEST(the_wait_for_a_pipe_can_be_ended)
{
	struct dit_stop stop = {.flag = NULL};
	struct dit_file_rules files = {.allow_special = true, .stop = &stop};
	struct fixture *f = *state;
	char *dir = test_scratch();
	char line[5000];
	pthread_t thread;

	(void)snprintf(line, sizeof(line), "%s/fifo", dir);
	assert_int_equal(mkfifo(line, 0600), 0);
	(void)snprintf(line, sizeof(line), "sn:<file://%s/fifo", dir);
	assert_int_equal(pthread_create(&thread, NULL, stop_soon, &stop), 0);
	assert_int_equal(
		dit_ldif_parse(NULL, dit_span_of(line), &files, &f->notes, &f->lines),
		DIT_E_STOPPED);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* dit_ldif_line_number() cuts lines on its own: as the parser does. */
TEST(a_line_has_the_number_of_its_first_physical_line)
{
	static const struct {
		struct dit_span text;
		size_t index;
		size_t number;
	} places[] = {
		{TEXT("dn: x\nsn: y\n"), 0, 0},
		{TEXT("dn: x\nsn: y\n"), 1, 1},
		{TEXT("dn: x\nsn: y"), 1, 1},
		{TEXT("dn: x\nsn: y\n"), 2, 1}, /* there is none: the last */
		{TEXT(""), 0, 0},
		{TEXT("# a\n b\ndn: x\n# c\nsn: y\n"), 0, 2},
		{TEXT("# a\n b\ndn: x\n# c\nsn: y\n"), 1, 4},
		{TEXT("\t# a\ndn: x\n"), 1, 1}, /* a name, no comment */
		{TEXT("dn: x\n y\n z\nsn: y\n"), 0, 0},
		{TEXT("dn: x\n y\n z\nsn: y\n"), 1, 3},
		{TEXT("1\ndn: x\n"), 0, 1},
		{TEXT("# a\n1\n b\ndn: x\n"), 0, 3},
		{TEXT("dn: x\r\nsn: y\r\n"), 1, 1},
		{TEXT("dn: x\n\r\r\nsn: y\n"), 1, 0}, /* after the end */
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		assert_int_equal(dit_ldif_line_number(places[i].text, places[i].index),
		                 places[i].number);
	}
}
