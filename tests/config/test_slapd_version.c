/* SPDX-License-Identifier: BSD-2-Clause */
/* The installed slapd tells its release; whatever else it does, there is an answer. */
#include "config/slapd_version.h"

#include <sys/stat.h>
#include <time.h>

#include "config/conf_fixture.h"

/* A program "slapd" with these lines of shell. */
static void make_slapd(const char *lines)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", lines);
	conf_write("slapd", text);
	assert_int_equal(chmod("slapd", 0700), 0);
}

static void release_is_what_slapd_tells(void **state)
{
	static const struct {
		const char *lines;
		enum dit_openldap_version version;
		bool is_found;
	} cases[] = {
		{"echo '@(#) $OpenLDAP: slapd 2.5.13+dfsg-5 (Feb) $' >&2",
	         DIT_OPENLDAP_2_5, true},
		{"echo '@(#) $OpenLDAP: slapd 2.6.10 (May) $' >&2", DIT_OPENLDAP_2_6,
	         true},
		{"echo '@(#) $OpenLDAP: slapd 2.6.10 (May) $'; exit 1", DIT_OPENLDAP_2_6,
	         true},
		{"echo '@(#) $OpenLDAP: slapd 2.7.0 (Aug) $' >&2", DIT_OPENLDAP_2_7,
	         true},
		{"echo '@(#) $OpenLDAP: slapd 2.4.57 (Jan) $' >&2", DIT_OPENLDAP_2_5,
	         true},
		{"echo '@(#) $OpenLDAP: slapd 3.1.0 (Jan) $' >&2", DIT_OPENLDAP_NEWEST,
	         true},
		{"[ \"$1\" = -VV ] && echo 'OpenLDAP: slapd 2.5.1'", DIT_OPENLDAP_2_5,
	         true},
		{"[ -n \"$HOME\" ] || echo 'OpenLDAP: slapd 2.5.1'", DIT_OPENLDAP_2_5,
	         true},
		{"cat; echo 'OpenLDAP: slapd 2.5.1'", DIT_OPENLDAP_2_5, true},
		{"echo '@(#) $OpenLDAP: slapd 2.X (Jan) $' >&2", DIT_OPENLDAP_ASSUMED,
	         false},
		{"echo '@(#) $OpenLDAP: slapd X (Jan) $' >&2", DIT_OPENLDAP_ASSUMED,
	         false},
		{"echo something else", DIT_OPENLDAP_ASSUMED, false},
		{"exit 0", DIT_OPENLDAP_ASSUMED, false},
		{"while :; do echo x; done", DIT_OPENLDAP_ASSUMED, false},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool is_found = !cases[i].is_found;

		print_message("%s\n", cases[i].lines);
		make_slapd(cases[i].lines);
		assert_int_equal(dit_slapd_version("./slapd", &is_found),
		                 cases[i].version);
		assert_int_equal(is_found, cases[i].is_found);
	}
}

static void patch_level_is_that_of_the_release_in_question(void **state)
{
	static const struct {
		const char *release;
		enum dit_openldap_version version;
		unsigned want;
	} cases[] = {
		{"2.5.13+dfsg-5", DIT_OPENLDAP_2_5, 13},
		{"2.6.10", DIT_OPENLDAP_2_6, 10},
		{"2.6.10", DIT_OPENLDAP_2_5, 0},
		{"2.4.57", DIT_OPENLDAP_2_5, 0},
		{"3.1.7", DIT_OPENLDAP_NEWEST, 0},
		{"2.6", DIT_OPENLDAP_2_6, 0},
		{"2.6.X", DIT_OPENLDAP_2_6, 0},
		{"X", DIT_OPENLDAP_2_6, 0},
		{"2.6.99999999999", DIT_OPENLDAP_2_6, 0},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[100];

		print_message("%s\n", cases[i].release);
		(void)snprintf(line, sizeof(line), "echo 'OpenLDAP: slapd %s (Feb)'",
		               cases[i].release);
		make_slapd(line);
		assert_int_equal(dit_slapd_patch("./slapd", cases[i].version),
		                 cases[i].want);
	}
	assert_int_equal(dit_slapd_patch("./none", DIT_OPENLDAP_2_5), 0);
}

static void release_without_a_slapd_is_assumed(void **state)
{
	bool is_found = true;
	(void)state;

	assert_int_equal(dit_slapd_version("./none", &is_found), DIT_OPENLDAP_ASSUMED);
	assert_false(is_found);
}

static void slapd_that_does_not_end_is_killed(void **state)
{
	time_t start = time(NULL);
	bool is_found = true;
	(void)state;

	make_slapd("exec sleep 60");
	assert_int_equal(dit_slapd_version("./slapd", &is_found), DIT_OPENLDAP_ASSUMED);
	assert_false(is_found);
	assert_true(time(NULL) - start < 30);
}

static void releases_have_names(void **state)
{
	enum dit_openldap_version version = DIT_OPENLDAP_FOUND;
	(void)state;

	assert_int_equal(dit_openldap_parse("2.5", &version), 0);
	assert_int_equal(version, DIT_OPENLDAP_2_5);
	assert_int_equal(dit_openldap_parse("2.6", &version), 0);
	assert_int_equal(version, DIT_OPENLDAP_2_6);
	assert_int_equal(dit_openldap_parse("2.60", &version), DIT_E_UNKNOWN);
	assert_int_equal(dit_openldap_parse("2.8", &version), DIT_E_UNKNOWN);
	assert_int_equal(dit_openldap_parse("2.7", &version), 0);
	assert_int_equal(version, DIT_OPENLDAP_2_7);
	assert_int_equal(dit_openldap_parse("", &version), DIT_E_UNKNOWN);
	assert_string_equal(dit_openldap_name(DIT_OPENLDAP_2_6), "2.6");
	assert_string_equal(dit_openldap_name(DIT_OPENLDAP_2_7), "2.7");
	assert_null(dit_openldap_name(DIT_OPENLDAP_FOUND));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONF_TEST(release_is_what_slapd_tells),
		CONF_TEST(patch_level_is_that_of_the_release_in_question),
		CONF_TEST(release_without_a_slapd_is_assumed),
		CONF_TEST(slapd_that_does_not_end_is_killed),
		CONF_TEST(releases_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
