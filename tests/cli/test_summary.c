/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the summary: the figures of the statistics, the five indexes that took the
 * most time, in that order; what is not known is left out; the next command names the
 * owner where the file has another one.
 */
#include "test.h"

#include <fcntl.h>
#include <jansson.h>

#include "summary.h"

static const char statistics[] =
	"{\"result\": \"stored\", \"wall_s\": 2.0, \"spilled_bytes\": 1024,"
	" \"records\": {\"stored\": 1000, \"refused\": 2, \"not_stored\": 1},"
	" \"memory\": {\"peak_anonymous_bytes\": 1048576, \"page_faults\": 3456},"
	" \"cpu_system_s\": 0.25,"
	" \"phases\": [{\"name\": \"entries\", \"wall_s\": 1.5, \"entries_per_s\": 667},"
	"  {\"name\": \"publish\", \"wall_s\": 0.5, \"entries_per_s\": null}],"
	" \"refusals\": [{\"kind\": \"undefined\", \"records\": 3, \"first_line\": 17}],"
	" \"databases\": [{\"directory\": \"/db\", \"bytes\": 8192, \"indexes\": ["
	"  {\"name\": \"a\", \"wall_s\": 0.1, \"postings\": 1, \"keys\": 1, \"bytes\": null},"
	"  {\"name\": \"b\", \"wall_s\": 0.6, \"postings\": 2, \"keys\": 1, \"bytes\": 4096,"
	"   \"key_kind\": \"integer\"},"
	"  {\"name\": \"c\", \"wall_s\": 0.2}, {\"name\": \"d\", \"wall_s\": 0.3},"
	"  {\"name\": \"e\", \"wall_s\": 0.4}, {\"name\": \"f\", \"wall_s\": 0.5}]}]}";

static const char *print(const char *json_text, const char *next, bool is_long)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	json_t *json = json_loads(json_text, 0, NULL);

	assert_non_null(out);
	assert_non_null(json);
	summary_print(out, json, next, is_long);
	assert_int_equal(fclose(out), 0);
	json_decref(json);
	test_at_end(free, text);
	return text;
}

TEST(the_summary_has_the_figures)
{
	const char *text = print(statistics, "do it", false);

	assert_string_equal(
		text,
		"Stored 1,000 entries in 2.00 s; 3 records were left out\n\n"
		"  entries                     1.50 s   75 %   667 entries/s\n"
		"  sync and put in place       0.50 s   25 %\n"
		"\n  left out, by kind\n"
		"  undefined                        3   the first at line 17\n"
		"  not kept; the option --rejects FILE keeps such records\n"
		"\n  costliest indexes       postings        keys      size     time  kind\n"
		"  b                              2           1   4.0 KiB   0.60 s  integer\n"
		"  f                              0           0         -   0.50 s  \n"
		"  e                              0           0         -   0.40 s  \n"
		"  d                              0           0         -   0.30 s  \n"
		"  c                              0           0         -   0.20 s  \n"
		"\n  memory    1.0 MiB at the peak, 3,456 page faults, 0.25 s in the kernel\n"
		"  disk      1.0 KiB of temporary files\n"
		"  database  /db/data.mdb, 8.0 KiB\n"
		"  next      do it\n");
}

/* All indexes of each database, in its order; what else --stats says. */
TEST(stats_are_longer)
{
	static const struct {
		const char *json;
		const char *expected;
	} cases[] = {
		{"{\"program\": \"ditadd\", \"openldap\": \"2.6\", \"openldap_found\": true,"
	         " \"records\": {\"read\": 5, \"stored\": 4, \"refused\": 1},"
	         " \"tool_threads\": 3, \"databases\": [{\"directory\": \"/a\","
	         "  \"entries\": 4, \"written_by\": \"append\", \"format_known\": true,"
	         "  \"indexes\": [{\"name\": \"x\", \"key_kind\": \"bytes\"}]},"
	         " {\"directory\": \"/b\", \"written_by\": \"append\","
	         "  \"format_known\": false}]}",
	         "5 records read, 4 entries stored, 1 left out\n"
	         "as OpenLDAP 2.6, the slapd here\n\n"
	         "\n  memory    0 B at the peak, 0 page faults, 0.000 s in the kernel\n"
	         "  disk      0 B of temporary files\n"
	         "  threads   3\n"
	         "  database  /a/data.mdb, 4 entries; all pages by liblmdb\n"
	         "\n  indexes                 postings        keys      size     time  kind\n"
	         "  x                              0           0         -  0.000 s  bytes\n"
	         "  database  /b/data.mdb; all pages by liblmdb, whose format is not known\n"},
		{"{\"program\": \"ditindex\", \"wall_s\": 1, \"records\": {\"read\": 9},"
	         " \"tool_threads\": 1, \"databases\": [{\"directory\": \"/a\","
	         "  \"bytes\": 8192, \"bytes_before\": 4096, \"entries\": 9,"
	         "  \"entries_left_out\": 2, \"catch_up_rounds\": ["
	         "   {\"entries\": 7, \"wall_s\": 0.25}, {\"entries\": 0, \"wall_s\": 0.5}]}]}",
	         "Indexed 9 entries in 1.00 s\n\n"
	         "\n  memory    0 B at the peak, 0 page faults, 0.000 s in the kernel\n"
	         "  disk      0 B of temporary files\n"
	         "  threads   1\n"
	         "  database  /a/data.mdb, 8.0 KiB, before 4.0 KiB, 9 entries, 2 left out\n"
	         "  round 1: 7 entries were changed, caught up in 0.250 s\n"
	         "  round 2: 0 entries were changed, caught up in 0.500 s with the write lock\n"},
		{"{\"program\": \"ditmodify\", \"openldap\": \"2.6\", \"records\": {\"read\": 1234,"
	         "  \"added\": 1200, \"deleted\": 20, \"modified\": 10, \"renamed\": 3,"
	         "  \"refused\": 1, \"changed\": 1300}, \"tool_threads\": 2, \"databases\": ["
	         " {\"directory\": \"/a\", \"bytes\": 8192}]}",
	         "1234 records read, 1300 entries changed, 1 left out\n"
	         "as OpenLDAP 2.6\n\n"
	         "\n  records   1,200 added, 20 deleted, 10 modified, 3 renamed\n"
	         "  memory    0 B at the peak, 0 page faults, 0.000 s in the kernel\n"
	         "  disk      0 B of temporary files\n"
	         "  threads   2\n"
	         "  database  /a/data.mdb, 8.0 KiB\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = print(cases[i].json, NULL, true);

		assert_string_equal(text, cases[i].expected);
	}
}

TEST(a_dry_run_names_no_database)
{
	const char *text =
		print("{\"result\": \"checked\", \"wall_s\": 0.5, \"records\": "
	              "{\"stored\": 1}, \"databases\": [{\"directory\": \"/db\"}]}",
	              NULL, false);

	assert_string_equal(
		text,
		"Checked 1 entry in 0.50 s\n\n"
		"\n  memory    0 B at the peak, 0 page faults, 0.000 s in the kernel\n"
		"  disk      0 B of temporary files\n");
}

TEST(the_systems_configuration_is_served_by_its_service)
{
	static const struct summary_system system = {.slapd = "/sbin/slapd",
	                                             .conf = "/no/slapd.conf",
	                                             .conf_dir = "/no/slapd.d"};
	const char *service =
		access("/run/systemd/system", F_OK) == 0 ? "systemctl start slapd"
		: access("/etc/init.d/slapd", F_OK) == 0 ? "service slapd start"
							 : NULL;
	static const struct common_options cases[] = {
		{.user.was_root = true},
		{.conf_dir = "/no/slapd.d", .user.was_root = true},
		{.conf = "/no/slapd.conf", .user.was_root = true}};
	static const char *const alone[] = {"/sbin/slapd", "/sbin/slapd -F /no/slapd.d",
	                                    "/sbin/slapd -f /no/slapd.conf"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *next = summary_next(&cases[i], "/no/db", &system);

		assert_string_equal(next, service != NULL ? service : alone[i]);
		free(next);
	}
}

TEST(the_next_command_is_slapd_for_this_configuration)
{
	struct common_options options = {.conf = "my.conf"};
	static const struct summary_system system = {.slapd = "/sbin/slapd",
	                                             .conf = "/no/slapd.conf",
	                                             .conf_dir = "/no/slapd.d"};
	char *dir = test_scratch();
	char path[600];
	char *next = NULL;
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/data.mdb", dir);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	/* Anybody but root has no port below 1024. */
	next = summary_next(&options, dir, &system);
	assert_string_equal(next, "/sbin/slapd -f my.conf -h ldap://localhost:3890");
	free(next);
	/* slapd changes its directory, so a path that is there becomes a whole one. */
	options = (struct common_options){.conf_dir = dir, .user.was_root = true};
	next = summary_next(&options, dir, &system);
	(void)snprintf(path, sizeof(path), "/sbin/slapd -F %s", dir);
	assert_string_equal(next, path);
	free(next);
	options.values[OPT_OPENLDAP].number = DIT_OPENLDAP_2_7;
	options.conf_dir = "/no/slapd.d";
	next = summary_next(&options, dir, &system);
	assert_string_equal(next, "slapd -F /no/slapd.d  # of OpenLDAP 2.7");
	free(next);
	options = (struct common_options){.conf = "it's my.conf", .user.was_root = true};
	next = summary_next(&options, dir, &system);
	(void)snprintf(path, sizeof(path), "/sbin/slapd -f 'it'\\''s my.conf'");
	assert_string_equal(next, path);
	free(next);
	options.values[OPT_DATABASE].is_given = true;
	assert_null(summary_next(&options, dir, &system));
	options.values[OPT_DATABASE].is_given = false;
	if (geteuid() == 0) {
		(void)snprintf(path, sizeof(path), "%s/data.mdb", dir);
		assert_int_equal(chown(path, 12345, 12345), 0);
		next = summary_next(&options, dir, &system);
		(void)snprintf(path, sizeof(path),
		               "chown root: %s/*.mdb && /sbin/slapd -f "
		               "'it'\\''s my.conf'",
		               dir);
		assert_string_equal(next, path);
		free(next);
		/* slapd becomes the owner of the directory: "daemon" is user 1. */
		assert_int_equal(chown(dir, 1, 1), 0);
		(void)snprintf(path, sizeof(path), "%s/data.mdb", dir);
		assert_int_equal(chown(path, 1, 1), 0);
		options =
			(struct common_options){.conf = "my.conf", .user.was_root = true};
		next = summary_next(&options, dir, &system);
		assert_string_equal(next, "/sbin/slapd -f my.conf -u daemon");
		free(next);
	}
}

TEST(records_that_are_kept_are_somewhere)
{
	const char *text =
		print("{\"result\": \"stored\", \"rejects\": \"bad.ldif\", "
	              "\"refusals\": [{\"kind\": \"undefined\", \"records\": 1, "
	              "\"first_line\": 7}]}",
	              NULL, false);

	assert_non_null(strstr(text, "the first at line 7\n  kept in bad.ldif\n"));
}

TEST(a_load_that_failed_has_stored_nothing)
{
	static const struct {
		const char *json;
		const char *expected;
	} cases[] = {
		{"{\"program\": \"ditadd\", \"records\": {\"read\": 1}}",
	         "\nNothing was stored: the database is what it was before.\n"
	         "  next      mend it\n"},
		/* A configuration that is wrong says enough. */
		{"{\"program\": \"ditadd\", \"records\": {\"read\": 0}}", ""},
		{"{\"program\": \"ditindex\", \"records\": {\"read\": 1}}", ""},
		{"{\"program\": \"ditmodify\", \"records\": {\"read\": 1}}",
	         "\nNothing was stored: the database is what it was before.\n"
	         "  next      mend it\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *json = json_loads(cases[i].json, 0, NULL);
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		summary_print_failed(out, json, "mend it");
		assert_int_equal(fclose(out), 0);
		assert_string_equal(text, cases[i].expected);
		free(text);
		json_decref(json);
	}
}
