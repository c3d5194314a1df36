/* SPDX-License-Identifier: BSD-2-Clause */
/* The installed slapd tells its release; whatever else it does, there is an answer. */
#include "config/settings.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "config/conf_fixture.h"
#include "default_paths.h"

/* A program "slapd" with these lines of shell. */
static void make_slapd(const char *lines)
{
	char *text = test_text("#!/bin/sh\n%s\n", lines);

	test_write_text("slapd", text);
	assert_int_equal(chmod("slapd", 0700), 0);
}

CONF_TEST(release_is_what_slapd_tells)
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
		{"[ \"$1\" = -VVV ] && echo 'OpenLDAP: slapd 2.5.1'", DIT_OPENLDAP_2_5,
	         true},
		{"[ -n \"$HOME\" ] || echo 'OpenLDAP: slapd 2.5.1'", DIT_OPENLDAP_2_5,
	         true},
		{"[ \"$RES_OPTIONS\" = 'timeout:1 attempts:1' ] &&"
	         "echo 'OpenLDAP: slapd 2.5.1'",
	         DIT_OPENLDAP_2_5, true},
		{"cat; echo 'OpenLDAP: slapd 2.5.1'", DIT_OPENLDAP_2_5, true},
		{"echo '@(#) $OpenLDAP: slapd 2.X (Jan) $' >&2", DIT_OPENLDAP_ASSUMED,
	         false},
		{"echo '@(#) $OpenLDAP: slapd X (Jan) $' >&2", DIT_OPENLDAP_ASSUMED,
	         false},
		{"echo something else", DIT_OPENLDAP_ASSUMED, false},
		{"exit 0", DIT_OPENLDAP_ASSUMED, false},
		{"while :; do echo x; done", DIT_OPENLDAP_ASSUMED, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_slapd slapd;

		print_message("%s\n", cases[i].lines);
		make_slapd(cases[i].lines);
		dit_slapd_look("./slapd", &slapd);
		assert_int_equal(slapd.version, cases[i].version);
		assert_int_equal(slapd.is_found, cases[i].is_found);
		assert_string_equal(slapd.built_in, "");
	}
}

CONF_TEST(program_that_nobody_can_run_is_none)
{
	struct dit_slapd slapd;

	make_slapd("echo 'OpenLDAP: slapd 2.6.7'");
	assert_int_equal(chmod("slapd", 0600), 0);
	dit_slapd_look("./slapd", &slapd);
	assert_int_equal(slapd.version, DIT_OPENLDAP_ASSUMED);
	assert_false(slapd.is_found);
}

CONF_TEST(installed_slapd_is_right_about_itself)
{
	struct dit_slapd slapd;

	if (access(DIT_DEFAULT_SLAPD, X_OK) != 0) {
		skip();
	}
	dit_slapd_look(DIT_DEFAULT_SLAPD, &slapd);
	assert_true(slapd.is_found);
}

CONF_TEST(built_in_is_what_slapd_lists)
{
	static const struct {
		const char *lines;
		const char *built_in;
	} cases[] = {
		{"Included static overlays:\n    ppolicy\n    dds\n"
	         "Included static backends:\n    config\n    mdb",
	         " ppolicy dds back_config back_mdb"},
		{"\tmade by me\n\nIncluded static backends:\n    mdb\n\n", " back_mdb"},
		{"    ppolicy\nIncluded static overlays:\n\n", ""},
		/* these are in each slapd */
		{"Included static backends:\n    config\n    ldif\n    monitor", ""},
		{"Included static overlays:\n    ldif", " ldif"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_slapd slapd;
		char lines[400];

		(void)snprintf(lines, sizeof(lines),
		               "cat >&2 <<'END'\nOpenLDAP: slapd 2.7.0 (x)\n%s\nEND",
		               cases[i].lines);
		make_slapd(lines);
		dit_slapd_look("./slapd", &slapd);
		assert_true(slapd.is_found);
		assert_string_equal(slapd.built_in, cases[i].built_in);
	}
	/* more than there is room for */
	make_slapd("echo OpenLDAP: slapd 2.7.0; echo Included static overlays:\n"
	           "for i in 1 2 3; do printf '    %0600d\\n' $i; done");
	{
		struct dit_slapd slapd;

		dit_slapd_look("./slapd", &slapd);
		assert_true(slapd.is_found);
		assert_int_equal(strlen(slapd.built_in), sizeof(slapd.built_in) - 1);
	}
}

CONF_TEST(patch_level_is_that_of_a_known_release)
{
	static const struct {
		const char *release;
		unsigned want;
	} cases[] = {
		{"2.5.13+dfsg-5", 13},
		{"2.6.10", 10},
		{"2.4.57", 0},
		{"3.1.7", 0},
		{"2.6", 0},
		{"2.6.X", 0},
		{"X", 0},
		{"2.6.99999999999", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_slapd slapd;
		char line[100];

		print_message("%s\n", cases[i].release);
		(void)snprintf(line, sizeof(line), "echo 'OpenLDAP: slapd %s (Feb)'",
		               cases[i].release);
		make_slapd(line);
		dit_slapd_look("./slapd", &slapd);
		assert_int_equal(slapd.patch, cases[i].want);
	}
}

CONF_TEST(release_without_a_slapd_is_assumed)
{
	struct dit_slapd slapd;

	dit_slapd_look("./none", &slapd);
	assert_int_equal(slapd.version, DIT_OPENLDAP_ASSUMED);
	assert_false(slapd.is_found);
	assert_string_equal(slapd.built_in, "");
}

CONF_TEST(slapd_that_does_not_end_is_killed)
{
	time_t start = time(NULL);
	struct dit_slapd slapd;

	make_slapd("exec sleep 600");
	dit_slapd_look("./slapd", &slapd);
	assert_false(slapd.is_found);
	assert_true(time(NULL) - start < 600);
}

static void take(int number)
{
	(void)number;
}

CONF_TEST(signals_of_the_program_do_not_count)
{
	const struct itimerval often = {{.tv_usec = 1000}, {.tv_usec = 1000}};
	const struct itimerval never = {{0, 0}, {0, 0}};
	const struct sigaction action = {.sa_handler = take}; /* no SA_RESTART */
	struct dit_slapd slapd;

	make_slapd("sleep 0.2; echo 'OpenLDAP: slapd 2.5.13'; exec >&- 2>&-; sleep 0.2");
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	assert_int_equal(dit_slapd_look("./slapd", &slapd), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_true(slapd.is_found);
	assert_int_equal(slapd.version, DIT_OPENLDAP_2_5);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* there is no child left */
}

CONF_TEST(slapd_that_cannot_be_asked_now_is_told)
{
	struct rlimit before;
	struct rlimit few;
	struct dit_slapd slapd;
	int r = 0;

	make_slapd("echo 'OpenLDAP: slapd 2.5.13'");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = (struct rlimit){3, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	r = dit_slapd_look("./slapd", &slapd);
	assert_int_equal(dit_slapd_look("./none", &slapd), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(r, -EMFILE);
	assert_false(slapd.is_found);
}

CONF_TEST(releases_have_names)
{
	enum dit_openldap_version version = DIT_OPENLDAP_FOUND;

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
