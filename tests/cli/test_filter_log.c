/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of a filter log: slapd's lines with any prefix and plain filters become
 * searches; other lines are counted apart; lines of any bytes and lengths, and files that
 * are cut, do no harm; packed files are read as others.
 */
#include "test.h"

#include <jansson.h>
#include <zlib.h>

#include "filter_log.h"

static char *dir;
static char path[600];

static int setup(void **state)
{
	(void)state;
	dir = test_scratch();
	(void)snprintf(path, sizeof(path), "%s/log", dir);
	return 0;
}

static void write_bytes(const char *bytes, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

/* "BASE|SCOPE|FILTER" of each search. */
static void read_log(struct filter_log *log, char *ret, size_t size)
{
	struct dit_check_search search;
	size_t at = 0;
	int r = 0;

	ret[0] = '\0';
	assert_int_equal(filter_log_open(log, path), 0);
	while ((r = filter_log_next(log, &search)) > 0) {
		at += (size_t)snprintf(ret + at, size - at, "%.*s|%d|%.*s\n",
		                       search.base.data == NULL ? 1
		                                                : (int)search.base.len,
		                       search.base.data == NULL ? "-" : search.base.data,
		                       search.scope, DIT_SPAN_ARGS(search.filter));
		assert_true(at < size);
	}
	assert_int_equal(r, 0);
}

TEST(lines_of_all_kinds_are_read)
{
	static const struct {
		const char *line;
		const char *expected; /* ".": another line; "?": not read */
	} cases[] = {
		{"conn=1000 op=1 SRCH base=\"dc=x\" scope=2 deref=0 filter=\"(uid=a)\"",
	         "dc=x|2|(uid=a)\n"},
		/* OpenLDAP 2.5, standard error */
		{"637a1b2c conn=1 op=2 SRCH base=\"dc=x\" scope=1 deref=0 "
	         "filter=\"(uid=a)\"",
	         "dc=x|2|(uid=a)\n"},
		/* 2.6 */
		{"637a1b2c.0a1b2c3d 0x7f0011223344 conn=1 op=2 SRCH base=\"\" scope=0 "
	         "deref=3 filter=\"(objectClass=*)\"",
	         "|0|(objectClass=*)\n"},
		/* syslog */
		{"Nov 22 06:25:01 ldap1 slapd[812]: conn=1 op=2 SRCH "
	         "base=\"ou=a,dc=x\" scope=2 deref=0 filter=\"(&(cn=*)(sn=b))\"\r",
	         "ou=a,dc=x|2|(&(cn=*)(sn=b))\n"},
		{"2026-11-22T06:25:01.123456+01:00 ldap1 slapd[812]: conn=1 op=2 SRCH "
	         "base=\"dc=x\" scope=2 deref=0 filter=\"(cn=a)\"",
	         "dc=x|2|(cn=a)\n"},
		{"conn=1 op=2 SRCH base=\"dc=x\" scope=2 deref=0 filter=\"(cn=\"a\")\"",
	         "dc=x|2|(cn=\"a\")\n"},
		{"conn=1 op=2 SRCH base=\"cn=\"a\",dc=x\" scope=2 deref=0 "
	         "filter=\"(cn=a)\"",
	         "cn=\"a\",dc=x|2|(cn=a)\n"},
		{"conn=1 op=2 SRCH base=\"dc=x\" scope=2 deref=0 "
	         "filter=\"(|(?foo=a)(?=undefined)(cn=b?))\"",
	         "dc=x|2|(|(foo=a)(x=undefined)(cn=b?))\n"},
		{"(uid=a)", "-|2|(uid=a)\n"},
		{"  (uid=a) ", "-|2|(uid=a)\n"},
		{"(?foo=a)", "-|2|(foo=a)\n"},
		{"", "."},
		{"# a comment", "."},
		{"conn=1 op=2 SRCH attr=cn sn", "."},
		{"conn=1 op=2 SEARCH RESULT tag=101 err=0 nentries=1 text=", "."},
		{"637a1b2c @(#) $OpenLDAP: slapd 2.5.13", "."},
		{"637a1b2c get_ssa: conn 1 unknown attribute type=foo (17)", "."},
		{"nonsense", "?"},
		{"uid=a", "?"},
		{"conn=1 SRCH base=\"dc=x\" scope=2 deref=0 filter=\"(cut", "?"},
		{"conn=1 SRCH base=\"dc=x\" scope=2", "?"},
		{"conn=1 SRCH base=\"dc=x", "?"},
		{"conn=1 SRCH base=\"", "?"},
		{"conn=1 SRCH base=\"\" scope= filter=\"", "?"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct filter_log log = {.nfiles = 0};
		bool is_other = strcmp(cases[i].expected, ".") == 0;
		bool is_unread = strcmp(cases[i].expected, "?") == 0;
		char got[300];

		for (int with_end = 0; with_end < 2; with_end++) {
			char line[300];
			int len = snprintf(
				line, sizeof(line), "%s%s", cases[i].line,
				with_end == 0 && cases[i].line[0] != '\0' ? "" : "\n");

			write_bytes(line, (size_t)len);
			read_log(&log, got, sizeof(got));
			if (strcmp(got, is_other || is_unread ? "" : cases[i].expected) !=
			    0) {
				fail_msg("%s: %s", cases[i].line, got);
			}
			assert_int_equal(log.nlines, 1);
			assert_int_equal(log.nothers, is_other);
			assert_int_equal(log.nunread, is_unread);
			filter_log_deinit(&log);
		}
	}
}

TEST(bytes_of_any_kind_do_no_harm)
{
	static const char bytes[] = "\0\0(uid=a)\n(uid=\0)\n\xff\xfe SRCH base=\"\0\n(\n"
				    "(sn=b)";
	struct filter_log log = {.nfiles = 0};
	char got[300];

	write_bytes(bytes, sizeof(bytes) - 1);
	read_log(&log, got, sizeof(got));
	assert_int_equal(log.nlines, 5);
	assert_int_equal(log.nsearches + log.nothers + log.nunread, 5);
	assert_non_null(strstr(got, "-|2|(sn=b)\n"));
	filter_log_deinit(&log);
}

TEST(a_line_that_is_too_long_is_passed_over)
{
	static const size_t lens[] = {FILTER_LOG_LINE - 2, FILTER_LOG_LINE - 1,
	                              FILTER_LOG_LINE, 3 * FILTER_LOG_LINE};
	char *bytes = test_alloc(4 * FILTER_LOG_LINE);

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		struct filter_log log = {.nfiles = 0};
		char got[300];

		memset(bytes, 'a', lens[i]);
		memcpy(bytes + lens[i], "\n(sn=b)\n", 8);
		write_bytes(bytes, lens[i] + 8);
		read_log(&log, got, sizeof(got));
		assert_string_equal(got, "-|2|(sn=b)\n");
		assert_int_equal(log.nlines, 2);
		assert_int_equal(log.nunread, 1);
		filter_log_deinit(&log);
	}
}

TEST(packed_files_are_read_until_they_are_damaged)
{
	struct filter_log log = {.nfiles = 0};
	char bytes[8000];
	char got[80000];
	gzFile file = gzopen(path, "wb");
	FILE *packed = NULL;
	size_t len = 0;

	assert_non_null(file);
	for (int i = 0; i < 1000; i++) {
		(void)gzprintf(file, "(uid=%d)\n", i * 7919);
	}
	assert_int_equal(gzclose(file), Z_OK);
	read_log(&log, got, sizeof(got));
	assert_int_equal(log.nsearches, 1000);
	filter_log_deinit(&log);

	packed = fopen(path, "r");
	assert_non_null(packed);
	len = fread(bytes, 1, sizeof(bytes), packed);
	assert_int_equal(fclose(packed), 0);
	assert_true(len > 600 && len < sizeof(bytes));
	write_bytes(bytes, len / 2);
	read_log(&log, got, sizeof(got));
	assert_in_range(log.nsearches, 1, 999);
	filter_log_deinit(&log);
}

TEST(what_cannot_be_opened_or_read_is_an_error)
{
	struct filter_log log = {.nfiles = 0};
	struct dit_check_search search;

	assert_int_equal(filter_log_open(&log, "no/such/file"), -ENOENT);
	assert_int_equal(filter_log_open(&log, dir), 0);
	assert_int_equal(filter_log_next(&log, &search), -EIO);
	filter_log_deinit(&log);
}

TEST(several_files_are_one_log)
{
	struct filter_log log = {.nfiles = 0};
	json_t *json = NULL;
	char got[300];

	write_bytes("(uid=a)\nno\n\n", 12);
	assert_int_equal(filter_log_open(&log, path), 0);
	read_log(&log, got, sizeof(got));
	assert_string_equal(got, "-|2|(uid=a)\n-|2|(uid=a)\n");
	json = filter_log_json(&log);
	assert_int_equal(json_array_size(json_object_get(json, "files")), 2);
	assert_int_equal(json_integer_value(json_object_get(json, "lines")), 6);
	assert_int_equal(json_integer_value(json_object_get(json, "searches")), 2);
	assert_int_equal(json_integer_value(json_object_get(json, "other_lines")), 2);
	assert_int_equal(json_integer_value(json_object_get(json, "unread_lines")), 2);
	json_decref(json);
	filter_log_deinit(&log);
}

MAIN_WITH(setup, NULL)
