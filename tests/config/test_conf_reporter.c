/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reporter alone: the place in each form of a report, what is cut, and the message
 * that the failure of a tree's entry repeats.
 */
#include "config/conf_parser.h"

#include "config/conf_fixture.h"

/* A parser that has nothing but a reporter. */
#define PARSER(tells) (&(struct dit_conf_parser){.reporter = (tells)})

/* Set: no long text can be made. The names are those of plain and of hardened builds. */
static bool no_memory;

int __real_vasprintf(char **ret, const char *format, va_list args);
int __real___vasprintf_chk(char **ret, int flag, const char *format, va_list args);
int __wrap_vasprintf(char **ret, const char *format, va_list args);
int __wrap___vasprintf_chk(char **ret, int flag, const char *format, va_list args);

int __wrap_vasprintf(char **ret, const char *format, va_list args)
{
	return no_memory ? -1 : __real_vasprintf(ret, format, args);
}

int __wrap___vasprintf_chk(char **ret, int flag, const char *format, va_list args)
{
	return no_memory ? -1 : __real___vasprintf_chk(ret, flag, format, args);
}

static int setup(void **state)
{
	*state = test_alloc(sizeof(struct conf_fixture));
	return 0;
}

/* A reporter that stands in line 7 of x.conf. */
static struct dit_conf_reporter in_file(struct conf_fixture *f)
{
	return (struct dit_conf_reporter){
		.report = conf_collect,
		.ctx = f,
		.place = {.file = "x.conf", .line = 7},
	};
}

/* A reporter that reads the first value of an entry's olcDbIndex. */
static struct dit_conf_reporter in_tree(struct conf_fixture *f)
{
	return (struct dit_conf_reporter){
		.report = conf_collect,
		.ctx = f,
		.place = {.file = "x.d",
	                  .line = 1,
	                  .value = "olcDbIndex: value #0",
	                  .dn = "olcDatabase={1}mdb,cn=config"},
	};
}

SETUP_TEST(report_names_file_and_line)
{
	struct conf_fixture *f = *state;
	struct dit_conf_reporter reporter = in_file(f);

	assert_int_equal(
		dit_conf_say(PARSER(&reporter), DIT_SAY_VALUE, "<%s> bad", "index"),
		DIT_E_CONFIG);
	assert_int_equal(dit_conf_say(PARSER(&reporter), DIT_SAY_LINE, "%d worse", 2),
	                 DIT_E_CONFIG);
	assert_int_equal(
		dit_conf_say(PARSER(&reporter), DIT_SAY_KEYWORD, "index: no %s", "good"),
		DIT_E_CONFIG);
	assert_int_equal(dit_conf_say(PARSER(&reporter), DIT_SAY_WHOLE, "odd"),
	                 DIT_E_CONFIG);
	assert_string_equal(f->reports, "x.conf: line 7: <index> bad\n"
	                                "x.conf: line 7: 2 worse\n"
	                                "x.conf: line 7 index: no good\n"
	                                "x.conf: line 7: odd\n");
}

SETUP_TEST(report_in_a_tree_names_the_value)
{
	struct conf_fixture *f = *state;
	struct dit_conf_reporter reporter = in_tree(f);

	(void)dit_conf_say(PARSER(&reporter), DIT_SAY_VALUE, "<%s> bad", "olcDbIndex");
	(void)dit_conf_say(PARSER(&reporter), DIT_SAY_LINE, "worse");
	(void)dit_conf_say(PARSER(&reporter), DIT_SAY_KEYWORD, "olcDbIndex: no good");
	(void)dit_conf_say(PARSER(&reporter), DIT_SAY_WHOLE, "odd");
	assert_string_equal(f->reports, "olcDbIndex: value #0: <olcDbIndex> bad\n"
	                                "x.d: line 1: worse\n"
	                                "olcDbIndex: value #0 olcDbIndex: no good\n"
	                                "x.d: line 1: odd\n");
}

SETUP_TEST(report_without_a_place_is_its_text_and_kind)
{
	struct conf_fixture *f = *state;
	struct dit_conf_reporter reporter = {.report = conf_collect, .ctx = f};

	assert_int_equal(dit_conf_tell(&reporter, DIT_REPORT_ERROR, "a %s!", "b"),
	                 DIT_E_CONFIG);
	assert_int_equal(dit_conf_tell(&reporter, DIT_REPORT_PLAIN, "c"), DIT_E_CONFIG);
	assert_string_equal(f->reports, "E a b!\nc\n");
}

SETUP_TEST(last_message_is_kept)
{
	struct conf_fixture *f = *state;
	struct dit_conf_reporter reporter = in_tree(f);

	(void)dit_conf_say(PARSER(&reporter), DIT_SAY_VALUE, "<%s> bad", "x");
	assert_string_equal(reporter.message, "<x> bad");
	/* Texts without a place are no messages. */
	(void)dit_conf_tell(&reporter, DIT_REPORT_DIAGNOSTIC, "y");
	assert_string_equal(reporter.message, "<x> bad");
	(void)dit_conf_say(PARSER(&reporter), DIT_SAY_KEYWORD, "k: good");
	assert_string_equal(reporter.message, "k: good");
}

SETUP_TEST(repeat_sets_the_message_without_a_report)
{
	struct conf_fixture *f = *state;
	struct dit_conf_reporter reporter = in_tree(f);

	(void)dit_conf_say(PARSER(&reporter), DIT_SAY_VALUE, "long form");
	f->reports[0] = '\0';
	assert_int_equal(
		dit_conf_say(PARSER(&reporter), DIT_SAY_LATER, "short %s", "form"),
		DIT_E_CONFIG);
	assert_string_equal(f->reports, "");
	assert_string_equal(reporter.message, "short form");

	assert_int_equal(dit_conf_forget(PARSER(&reporter)), DIT_E_CONFIG);
	assert_string_equal(reporter.message, "");
}

SETUP_TEST(messages_are_cut_as_in_slapd_and_other_texts_are_not)
{
	struct conf_fixture *f = *state;
	struct dit_conf_reporter reporter = in_file(f);
	char text[2 * DIT_CONF_MESSAGE_BYTES];
	const size_t cut = DIT_CONF_MESSAGE_BYTES - 1;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	(void)dit_conf_say(PARSER(&reporter), DIT_SAY_VALUE, "%s", text);
	assert_int_equal(strlen(f->reports), strlen("x.conf: line 7: \n") + cut);
	f->reports[0] = '\0';
	(void)dit_conf_say(PARSER(&reporter), DIT_SAY_LINE, "%s", text);
	assert_int_equal(strlen(f->reports), strlen("x.conf: line 7: \n") + cut);

	f->reports[0] = '\0';
	(void)dit_conf_say(PARSER(&reporter), DIT_SAY_KEYWORD, "k: %s", text);
	assert_int_equal(strlen(f->reports),
	                 strlen("x.conf: line 7 k: \n") + strlen(text));
	assert_int_equal(strlen(reporter.message), cut);
	f->reports[0] = '\0';
	(void)dit_conf_say(PARSER(&reporter), DIT_SAY_WHOLE, "%s", text);
	assert_int_equal(strlen(f->reports), strlen("x.conf: line 7: \n") + strlen(text));
}

TEST(reporter_to_which_nobody_listens_keeps_the_message)
{
	struct dit_conf_reporter reporter = {.place = {.file = "x.conf", .line = 7}};

	assert_int_equal(dit_conf_tell(&reporter, DIT_REPORT_ERROR, "a"), DIT_E_CONFIG);
	assert_int_equal(dit_conf_say(PARSER(&reporter), DIT_SAY_VALUE, "b"),
	                 DIT_E_CONFIG);
	assert_string_equal(reporter.message, "b");
}

SETUP_TEST(without_memory_long_texts_are_cut)
{
	struct conf_fixture *f = *state;
	struct dit_conf_reporter reporter = in_file(f);

	no_memory = true;
	assert_int_equal(dit_conf_tell(&reporter, DIT_REPORT_ERROR, "x"), DIT_E_CONFIG);
	assert_int_equal(dit_conf_say(PARSER(&reporter), DIT_SAY_WHOLE, "x"),
	                 DIT_E_CONFIG);
	assert_int_equal(
		dit_conf_say(PARSER(&reporter), DIT_SAY_VALUE, "<%s> bad", "index"),
		DIT_E_CONFIG);
	assert_int_equal(
		dit_conf_say(PARSER(&reporter), DIT_SAY_KEYWORD, "index: no %s", "good"),
		DIT_E_CONFIG);
	no_memory = false;
	assert_string_equal(f->reports, "E x\nx.conf: line 7: x\n"
	                                "x.conf: line 7: <index> bad\n"
	                                "x.conf: line 7 index: no good\n");
}
