/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scope: what an included file restores at its end, with and without an error, what
 * it leaves, and what the beginning of a section forgets.
 */
#include "config/conf_scope.h"

#include "config/conf_fixture.h"
#include "config/conf_parser.h"

static void section_begins_without_overlay_and_default(void **state)
{
	struct dit_conf_scope scope = {.has_overlay = true, .default_kinds = 3};

	(void)state;
	dit_conf_scope_set_database(&scope, 2);
	assert_int_equal(scope.section, DIT_CONF_DATABASE);
	assert_int_equal(scope.database, 2);
	assert_false(scope.has_overlay);
	assert_int_equal(scope.default_kinds, 0);

	scope.has_overlay = true;
	scope.default_kinds = 3;
	dit_conf_scope_set_frontend(&scope);
	assert_int_equal(scope.section, DIT_CONF_GLOBAL);
	assert_false(scope.has_overlay);
	assert_int_equal(scope.default_kinds, 0);
}

static void back_end_keeps_the_overlay_of_the_front_end(void **state)
{
	struct dit_conf_scope scope = {.has_overlay = true};

	(void)state;
	dit_conf_scope_set_backend(&scope, true);
	assert_int_equal(scope.section, DIT_CONF_BACKEND);
	assert_true(scope.is_mdb_backend);
	assert_true(scope.has_overlay);
	dit_conf_scope_set_backend(&scope, false);
	assert_false(scope.is_mdb_backend);
}

static void file_has_a_place_of_its_own_until_its_end(void **state)
{
	char *outer_words[] = {(char[]){"include"}, (char[]){"b.conf"}, NULL};
	char *inner_words[] = {(char[]){"x"}, NULL};
	struct dit_conf_reporter reporter = {.place = {.file = "a.conf", .line = 4}};
	struct dit_conf_scope scope = {
		.depth = 1, .raw = "include b.conf", .words = outer_words, .nwords = 2};
	struct dit_conf_outer outer = {0};

	(void)state;
	assert_int_equal(dit_conf_scope_enter(&scope, &reporter, "b.conf", &outer), 0);
	assert_string_equal(reporter.place.file, "b.conf");
	assert_int_equal(reporter.place.line, 0);
	assert_int_equal(scope.depth, 2);

	reporter.place.line = 9;
	scope.raw = "x";
	scope.words = inner_words;
	scope.nwords = 1;
	dit_conf_scope_set_database(&scope, 1);
	dit_conf_scope_leave(&scope, &reporter, &outer);
	assert_string_equal(reporter.place.file, "a.conf");
	assert_int_equal(reporter.place.line, 4);
	assert_int_equal(scope.depth, 1);
	assert_string_equal(scope.raw, "include b.conf");
	assert_ptr_equal(scope.words, outer_words);
	assert_int_equal(scope.nwords, 2);
	assert_int_equal(scope.section, DIT_CONF_DATABASE);
	assert_int_equal(scope.database, 1);
}

static void sixty_four_files_may_be_open(void **state)
{
	struct conf_fixture *f = *state;
	struct dit_conf_reporter reporter = {
		.report = conf_collect, .ctx = f, .place = {.file = "a", .line = 4}};
	struct dit_conf_scope scope = {.raw = "include b"};
	struct dit_conf_outer outer[65];

	for (size_t i = 0; i < 64; i++) {
		assert_int_equal(dit_conf_scope_enter(&scope, &reporter, "b", &outer[i]),
		                 0);
	}
	reporter.place.line = 5;
	assert_int_equal(dit_conf_scope_enter(&scope, &reporter, "c", &outer[64]),
	                 DIT_E_CONFIG);
	assert_string_equal(f->reports,
	                    "could not open config file \"c\": included too deeply\n");
	assert_int_equal(scope.depth, 64);
	assert_string_equal(reporter.place.file, "b");
	assert_int_equal(reporter.place.line, 5);
	for (size_t i = 64; i > 0; i--) {
		dit_conf_scope_leave(&scope, &reporter, &outer[i - 1]);
	}
	assert_int_equal(scope.depth, 0);
	assert_string_equal(reporter.place.file, "a");
	assert_int_equal(reporter.place.line, 4);
}

/* The text of an included file, and what is reported. */
static const struct include_case {
	const char *name;
	const char *text;
	const char *reports;
	int r;
	enum dit_conf_section section;
} includes[] = {
	{"no error", "database mdb\n\nsuffix cn=x\n", "", 0, DIT_CONF_DATABASE},
	{"an empty file", "", "", 0, DIT_CONF_GLOBAL},
	{"an unknown directive", "database mdb\nbogus x\n",
         "in.conf: line 2: unknown directive <bogus> inside backend database "
         "definition.\n",
         DIT_E_CONFIG, DIT_CONF_DATABASE},
	{"an open quote", "\n\nlastmod \"on\n",
         "in.conf: line 3: unterminated quoted string \"on\"\n", DIT_E_CONFIG,
         DIT_CONF_GLOBAL},
	{"a bad argument", "backend mdb\nlastmod maybe\n",
         "in.conf: line 2: <lastmod> invalid value\n", DIT_E_CONFIG, DIT_CONF_BACKEND},
	{"an include of a missing file", "include missing.conf\n",
         "could not stat config file \"missing.conf\": No such file or directory (2)\n",
         DIT_E_CONFIG, DIT_CONF_GLOBAL},
	{"an include of itself", "lastmod on\ninclude in.conf\n",
         "could not open config file \"in.conf\": included too deeply\n", DIT_E_CONFIG,
         DIT_CONF_GLOBAL},
};

static void check_include(struct conf_fixture *f, const struct include_case *c)
{
	struct dit_conf_reporter reporter = {
		.report = conf_collect,
		.ctx = f,
		.place = {.file = "out.conf", .line = 12},
	};
	struct dit_conf_parser parser;
	char *words[] = {(char[]){"include"}, (char[]){"in.conf"}, NULL};
	int r = dit_conf_parser_init(&parser, &reporter, DIT_OPENLDAP_2_5);

	assert_int_equal(r, 0);
	conf_write("in.conf", c->text);
	f->reports[0] = '\0';
	parser.scope.depth = 1;
	parser.scope.raw = "include in.conf";
	parser.scope.words = words;
	parser.scope.nwords = 2;

	assert_int_equal(dit_conf_read_file(&parser, "in.conf"), c->r);
	assert_string_equal(f->reports, c->reports);
	assert_string_equal(reporter.place.file, "out.conf");
	assert_int_equal(reporter.place.line, 12);
	assert_int_equal(parser.scope.depth, 1);
	assert_string_equal(parser.scope.raw, "include in.conf");
	assert_ptr_equal(parser.scope.words, words);
	assert_int_equal(parser.scope.nwords, 2);
	assert_int_equal(parser.scope.section, c->section);
	dit_settings_free(parser.settings);
}

static void included_file_restores_the_including_line(void **state)
{
	for (size_t i = 0; i < sizeof(includes) / sizeof(includes[0]); i++) {
		print_message("%s\n", includes[i].name);
		check_include(*state, &includes[i]);
	}
}

static void an_error_after_an_include_names_the_including_file(void **state)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	conf_write("in.conf", "database mdb\n\n\n\nsuffix cn=x\n");
	assert_int_equal(conf_read(f, "\ninclude in.conf\nlastmod maybe\n", &s),
	                 DIT_E_CONFIG);
	assert_string_equal(f->reports, "t.conf: line 3: <lastmod> invalid value\n"
	                                "E bad configuration file!\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(section_begins_without_overlay_and_default),
		cmocka_unit_test(back_end_keeps_the_overlay_of_the_front_end),
		cmocka_unit_test(file_has_a_place_of_its_own_until_its_end),
		CONF_TEST(sixty_four_files_may_be_open),
		CONF_TEST(included_file_restores_the_including_line),
		CONF_TEST(an_error_after_an_include_names_the_including_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
