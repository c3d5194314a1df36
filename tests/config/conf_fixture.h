/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fixture of the tests of settings: files in a scratch directory, which is the working
 * directory during the test, and the reports.
 */
#ifndef DITKIT_CONF_FIXTURE_H
#define DITKIT_CONF_FIXTURE_H

#include <fcntl.h>
#include <sys/stat.h>

#include "base/error.h"
#include "config/settings.h"
#include "test.h"

struct conf_fixture {
	char *dir;
	int old_dir;
	enum dit_openldap_version openldap; /* 2.5 if a test says nothing else */
	const char *built_in;               /* into slapd; NULL: not known */
	char reports[8192]; /* one per line; errors as "E ...", warnings as "W ..." */
};

/* Enough schema for suffixes and indexes. */
#define CONF_SCHEMA                                                                      \
 "attributetype ( 0.9.2342.19200300.100.1.25 NAME ( 'dc' 'domainComponent' ) "           \
 "EQUALITY caseIgnoreIA5Match SUBSTR caseIgnoreIA5SubstringsMatch "                      \
 "SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )\n"                                 \
 "attributetype ( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name )\n"                          \
 "attributetype ( 2.5.4.31 NAME 'member' SUP distinguishedName )\n"                      \
 "attributetype ( 2.5.4.36 NAME 'userCertificate' EQUALITY certificateExactMatch "       \
 "SYNTAX 1.3.6.1.4.1.1466.115.121.1.8 )\n"

static inline int conf_setup(void **state)
{
	struct conf_fixture *f = test_alloc(sizeof(*f));

	*state = f;
	f->openldap = DIT_OPENLDAP_2_5;
	f->dir = test_scratch();
	f->old_dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return f->old_dir < 0 || chdir(f->dir) != 0 || mkdir("db", 0700) != 0 ||
	       mkdir("db2", 0700) != 0;
}

static inline int conf_teardown(void **state)
{
	struct conf_fixture *f = *state;
	int r = fchdir(f->old_dir);

	(void)close(f->old_dir);
	return r;
}

static inline void conf_collect(void *ctx, const struct dit_report *report)
{
	struct conf_fixture *f = ctx;
	const char *mark = report->kind == DIT_REPORT_ERROR     ? "E "
	                   : report->kind == DIT_REPORT_WARNING ? "W "
	                                                        : "";

	test_append(f->reports, "%s%s\n", mark, report->text);
}

static inline void conf_release(void *settings)
{
	dit_settings_free(settings);
}

/** Read settings, which go when the test has ended. */
static inline int conf_read_source(struct conf_fixture *f,
                                   const struct dit_settings_source *source,
                                   struct dit_settings **ret)
{
	int r = 0;

	f->reports[0] = '\0';
	r = dit_settings_read(ret, source, conf_collect, f);
	if (r == 0) {
		test_at_end(conf_release, *ret);
	}
	return r;
}

/** The same of @p text, as "t.conf". */
static inline int conf_read(struct conf_fixture *f, const char *text,
                            struct dit_settings **ret)
{
	const struct dit_settings_source source = {
		.file = "t.conf",
		.openldap = f->openldap,
		.built_in = f->built_in,
	};

	test_write_text("t.conf", text);
	return conf_read_source(f, &source, ret);
}

/** The same of the tree "d". */
static inline int conf_read_tree(struct conf_fixture *f, struct dit_settings **ret)
{
	const struct dit_settings_source source = {.dir = "d", .openldap = f->openldap};

	return conf_read_source(f, &source, ret);
}

/** As conf_read(), for text that must be accepted without a word. */
static inline struct dit_settings *conf_accept(struct conf_fixture *f, const char *text)
{
	struct dit_settings *settings = NULL;

	assert_int_equal(conf_read(f, text, &settings), 0);
	assert_string_equal(f->reports, "");
	return settings;
}

#define CONF_TEST(name) TEST_WITH(name, conf_setup, conf_teardown)

#endif
