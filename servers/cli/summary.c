/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *   Stored 20,000 entries in 0.46 s; 3 records were left out
 *
 *     entries                   0.31 s   67 %   64,120 entries/s, 53.8 MiB/s
 *     ...
 *     costliest indexes      postings        keys      size     time  kind
 *     description           1,234,567      43,210  12.3 MiB   0.05 s  integer
 *     ...
 *     memory    61.0 MiB at the peak, 1,234 page faults, 0.02 s in the kernel
 *     disk      0 B of temporary files
 *     database  /var/lib/ldap/data.mdb, 84.5 MiB, 20,000 entries
 *     next      systemctl start slapd
 *
 * --stats has more: the records and the release of OpenLDAP, threads, and all indexes of
 * each database. ditmodify has a line with the records of each kind.
 */
#include "summary.h"

#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "default_paths.h"
#include "patterns.h"
#include "run_facts.h"

#define NINDEXES 5

/* The lines of the databases need a little more. Owned. */
static json_t *databases(const json_t *json, bool is_long)
{
	json_t *rows = json_deep_copy(json_object_get(json, "databases"));

	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);
		json_t *rounds = json_object_get(row, "catch_up_rounds");
		size_t n = json_array_size(rounds);
		bool is_appended = strcmp(fact_text(row, "written_by"), "append") == 0;

		(void)json_object_set_new(row, "appended", json_boolean(is_appended));
		(void)json_object_set_new(
			row, "label", json_string(i == 0 || is_long ? "database" : ""));
		for (size_t k = 0; k < n; k++) {
			(void)json_object_set_new(json_array_get(rounds, k), "is_last",
			                          json_boolean(k + 1 == n));
		}
		if (!is_long) {
			(void)json_object_del(row, "indexes");
		}
	}
	return rows;
}

/* "Stored 1 entry" */
static json_t *done(const json_t *json)
{
	const char *verb = fact_verb(json);
	uint64_t n = fact_entries(json);

	return json_sprintf("%c%s %s entr%s", toupper(verb[0]), verb + 1,
	                    figure_count(n).text, n == 1 ? "y" : "ies");
}

static json_t *lost(uint64_t n)
{
	return n == 0 ? NULL
	              : json_sprintf("; %s record%s left out", figure_count(n).text,
	                             n == 1 ? " was" : "s were");
}

/* The facts that the text shows and the JSON does not have as they are. Owned. */
static json_t *facts(const json_t *json, const char *next, bool is_long)
{
	bool is_checked = strcmp(fact_text(json, "result"), "checked") == 0;
	bool has_release = is_long && json_object_get(json, "openldap") != NULL;
	json_t *costs = is_checked || is_long ? NULL : fact_indexes(json);
	const char *title =
		json_array_size(costs) > NINDEXES ? "costliest indexes" : "indexes";

	while (json_array_size(costs) > NINDEXES) {
		(void)json_array_remove(costs, NINDEXES);
	}
	return json_pack(
		"{s:s, s:o, s:o, s:o*, s:o*, s:o*, s:o*, s:s, s:o*, s:o*, s:s*}", "verb",
		fact_verb(json), "entries", json_number(fact_entries(json)), "left_out",
		json_number(fact_left_out(json)), "release",
		has_release ? json_true() : NULL, "done", has_release ? NULL : done(json),
		"lost", lost(fact_left_out(json)), "costs", costs, "title", title, "long",
		is_long ? json_true() : NULL, "databases",
		is_checked ? NULL : databases(json, is_long), "next", next);
}

void summary_print(FILE *out, const json_t *json, const char *next, bool is_long)
{
	json_t *whole = json_copy((json_t *)json);
	const struct filler run = {.out = out, .json = whole, .row = whole};

	(void)json_object_set_new(whole, "summary", facts(json, next, is_long));
	pattern_fill(&run, summary_txt);
	json_decref(whole);
}

/* ---- a run that failed ---- */

void summary_print_failed(FILE *out, const json_t *json, const char *next)
{
	/* Before the first record the message says all; an index that was built stays. */
	if (fact_number(json_object_get(json, "records"), "read") == 0 ||
	    strcmp(fact_text(json, "program"), "ditindex") == 0) {
		return;
	}
	(void)fputs("\n" SUMMARY_UNCHANGED "\n", out);
	if (next != NULL) {
		(void)fprintf(out, "  %-9s %s\n", "next", next);
	}
}

/* ---- what to do next ---- */

#define PORT "3890"

const struct summary_system summary_installed = {.slapd = DIT_DEFAULT_SLAPD,
                                                 .conf = DIT_DEFAULT_CONF,
                                                 .conf_dir = DIT_DEFAULT_CONF_DIR};

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Is this the configuration that the system's slapd reads? */
static bool is_systems(const struct common_options *options,
                       const struct summary_system *system)
{
	if (options->conf_dir != NULL) {
		return options->conf == NULL &&
		       strcmp(options->conf_dir, system->conf_dir) == 0;
	}
	return options->conf == NULL ||
	       (strcmp(options->conf, system->conf) == 0 && !is_there(system->conf_dir));
}

/* "chown openldap: /db/data.mdb && ", if the file is not the owner's of its directory. */
static void put_chown(FILE *out, const char *directory, const struct stat *of_directory,
                      const struct passwd *user)
{
	struct stat of_file;
	char *path = NULL;

	if (asprintf(&path, "%s/data.mdb", directory) < 0) {
		return;
	}
	if (stat(path, &of_file) == 0 && of_directory->st_uid != of_file.st_uid) {
		(void)fprintf(out, "chown ");
		if (user != NULL || of_directory->st_uid == 0) {
			shell_word(out, user == NULL ? "root" : user->pw_name);
		} else {
			(void)fprintf(out, "%lu", (unsigned long)of_directory->st_uid);
		}
		(void)fputs(": ", out);
		shell_word(out, directory);
		(void)fputs("/*.mdb && ", out);
	}
	free(path);
}

/* slapd goes to the root of the file system, and a tree is written to later. */
static void put_path(FILE *out, const char *letter, const char *path)
{
	char *absolute = path == NULL ? NULL : realpath(path, NULL);

	if (path != NULL) {
		(void)fprintf(out, " %s ", letter);
		shell_word(out, absolute == NULL ? path : absolute);
	}
	free(absolute);
}

/* Started by root, slapd becomes the directory's owner; others use no port below 1024. */
static void put_slapd(FILE *out, const struct common_options *options,
                      const struct summary_system *system, const struct passwd *user)
{
	bool is_new = common_number(options, OPT_OPENLDAP) == DIT_OPENLDAP_2_7;

	shell_word(out, is_new ? "slapd" : system->slapd);
	put_path(out, "-f", options->conf);
	put_path(out, "-F", options->conf_dir);
	if (!options->user.was_root) {
		(void)fputs(" -h ldap://localhost:" PORT, out);
	} else if (user != NULL && user->pw_uid != 0) {
		(void)fputs(" -u ", out);
		shell_word(out, user->pw_name);
	}
	(void)fputs(is_new ? "  # of OpenLDAP 2.7" : "", out);
}

char *summary_next(const struct common_options *options, const char *directory,
                   const struct summary_system *system)
{
	bool is_system = is_systems(options, system);
	const struct passwd *user = NULL;
	struct stat of_directory;
	char *command = NULL;
	size_t size = 0;
	FILE *out = common_is_given(options, OPT_DATABASE)
	                    ? NULL
	                    : open_memstream(&command, &size);

	if (out == NULL) {
		return NULL;
	}
	if (stat(directory, &of_directory) == 0) {
		/* glibc's getpwuid() dies without memory; root is known. */
		user = of_directory.st_uid == 0 ? NULL : getpwuid(of_directory.st_uid);
		put_chown(out, directory, &of_directory, user);
	}
	is_system &= common_number(options, OPT_OPENLDAP) != DIT_OPENLDAP_2_7;
	if (is_system && is_there("/run/systemd/system")) {
		(void)fputs("systemctl start slapd", out);
	} else if (is_system && is_there("/etc/init.d/slapd")) {
		(void)fputs("service slapd start", out);
	} else {
		put_slapd(out, options, system, user);
	}
	if (fclose(out) != 0) {
		free(command);
		return NULL;
	}
	return command;
}
