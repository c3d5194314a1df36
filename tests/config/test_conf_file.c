/* SPDX-License-Identifier: BSD-2-Clause */
/* An included file restores this at its end, with and without an error. */
#include "config/conf_fixture.h"
#include "config/conf_parser.h"

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
	{"an overlay of the front end, before a back end",
         "moduleload refint\ndatabase frontend\noverlay refint\n"
         "refint_attributes cn\nbackend mdb\nidlexp 16\n",
         "", 0, DIT_CONF_BACKEND},
	{"an unknown directive", "database mdb\nbogus x\n",
         "in.conf: line 2: unknown directive <bogus> inside backend database "
         "definition.\n",
         DIT_E_CONFIG, DIT_CONF_DATABASE},
	{"an open quote", "\n\nlastmod \"on\n",
         "in.conf: line 3: unterminated quoted string \"on\"\n", DIT_E_CONFIG,
         DIT_CONF_GLOBAL},
	{"a bad argument", "database mdb\nlastmod maybe\n",
         "in.conf: line 2: <lastmod> invalid value\n", DIT_E_CONFIG, DIT_CONF_DATABASE},
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
	test_write_text("in.conf", c->text);
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

CONF_TEST(included_file_restores_the_including_line)
{
	for (size_t i = 0; i < sizeof(includes) / sizeof(includes[0]); i++) {
		print_message("%s\n", includes[i].name);
		check_include(*state, &includes[i]);
	}
}

CONF_TEST(an_error_after_an_include_names_the_including_file)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	test_write_text("in.conf", "database mdb\n\n\n\nsuffix cn=x\n");
	assert_int_equal(conf_read(f, "\ninclude in.conf\nlastmod maybe\n", &s),
	                 DIT_E_CONFIG);
	assert_string_equal(f->reports, "t.conf: line 3: <lastmod> invalid value\n"
	                                "E bad configuration file!\n");
}
