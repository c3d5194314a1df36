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
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "default_paths.h"
#include "figures.h"
#include "patterns.h"
#include "run_facts.h"

#define NINDEXES 5

static void print_head(const struct filler *run, bool is_long)
{
	const json_t *json = run->json;
	uint64_t left_out = fact_left_out(json);
	const char *verb = fact_verb(json);
	uint64_t n = fact_entries(json);

	if (is_long && json_object_get(json, "openldap") != NULL) {
		pattern_fill(run, "{records.read} records read, ");
		(void)fprintf(run->out, "%" PRIu64 " entries %s, %" PRIu64 " left out\n",
		              n, verb, left_out);
		pattern_fill(run, "as OpenLDAP {openldap}[, the slapd "
		                  "here{openldap_found:if}]\n\n");
		return;
	}
	(void)fprintf(run->out, "%c%s %s entr%s in %s", toupper(verb[0]), verb + 1,
	              figure_count(n).text, n == 1 ? "y" : "ies",
	              figure_seconds(fact_seconds(json, "wall_s")).text);
	if (left_out > 0) {
		(void)fprintf(run->out, "; %s record%s left out",
		              figure_count(left_out).text,
		              left_out == 1 ? " was" : "s were");
	}
	(void)fputs("\n\n", run->out);
}

static void print_phases(struct filler run)
{
	const json_t *phases = json_object_get(run.json, "phases");

	for (size_t i = 0; i < json_array_size(phases); i++) {
		run.row = json_array_get(phases, i);
		if (fact_seconds(run.row, "wall_s") > 0) {
			pattern_fill(&run, "  {-22 name:phase} {11 wall_s:seconds} "
			                   "{6 wall_s:share:/wall_s}"
			                   "[   {entries_per_s:count} entries/s]"
			                   "[, {bytes_per_s:bytes}/s]"
			                   "[   {postings_per_s:count} postings/s]\n");
		}
	}
}

/* By kind, and where those records are now. */
static void print_refusals(struct filler run)
{
	const json_t *refusals = json_object_get(run.json, "refusals");
	const char *rejects = fact_text(run.json, "rejects");

	if (json_array_size(refusals) == 0) {
		return;
	}
	(void)fputs("\n  left out, by kind\n", run.out);
	pattern_fill_rows(run, refusals,
	                  "  {-22 kind} {11 records:count}   the first at line "
	                  "{first_line:count}\n");
	(void)fprintf(run.out, "  %s%s\n",
	              rejects[0] == '\0'
	                      ? "not kept; the option --rejects FILE keeps such records"
	                      : "kept in ",
	              rejects);
}

/* @param indexes  at most so many are printed */
static void print_indexes(struct filler run, const json_t *indexes, size_t max)
{
	size_t n = json_array_size(indexes);

	if (n > 0) {
		(void)fprintf(run.out, "\n  %-20s %11s %11s %9s %8s  kind\n",
		              n > max ? "costliest indexes" : "indexes", "postings",
		              "keys", "size", "time");
	}
	for (size_t i = 0; i < n && i < max; i++) {
		run.row = json_array_get(indexes, i);
		pattern_fill(&run, "  {-20 name} {11 postings:count} {11 keys:count} "
		                   "{9 bytes:bytes} {8 wall_s:seconds}  {key_kind}\n");
	}
}

/* The result of the work on a database; the rounds of an online run. */
static void print_database(struct filler run, bool is_first)
{
	const json_t *rounds = json_object_get(run.row, "catch_up_rounds");
	size_t n = json_array_size(rounds);

	(void)fprintf(run.out, "  %-9s ", is_first ? "database" : "");
	pattern_fill(&run, "{directory}/data.mdb[, {bytes:bytes}][, before "
	                   "{bytes_before:bytes}][, {entries:count} entries][, "
	                   "{entries_left_out:count} left out]");
	if (strcmp(fact_text(run.row, "written_by"), "append") == 0) {
		pattern_fill(&run, "; all pages by liblmdb[!{format_known:if}, whose "
		                   "format is not known]");
	}
	(void)fputc('\n', run.out);
	for (size_t i = 0; i < n; i++) {
		run.row = json_array_get(rounds, i);
		(void)fprintf(run.out, "  round %zu: ", i + 1);
		pattern_fill(&run, "{entries} entries were changed, caught up in "
		                   "{wall_s:ms} s");
		(void)fputs(i + 1 == n ? " with the write lock\n" : "\n", run.out);
	}
}

static void print_databases(struct filler run, bool is_long)
{
	const json_t *databases = json_object_get(run.json, "databases");

	for (size_t i = 0; i < json_array_size(databases); i++) {
		const json_t *database = json_array_get(databases, i);

		run.row = database;
		print_database(run, i == 0 || is_long);
		if (is_long) {
			print_indexes(run, json_object_get(database, "indexes"),
			              SIZE_MAX);
		}
	}
}

/* The records of ditmodify, by kind. */
static void print_changes(const struct filler *run)
{
	const json_t *records = json_object_get(run->json, "records");

	if (json_object_get(records, "modified") != NULL) {
		pattern_fill(run, "  records   {records.added:count} added, "
		                  "{records.deleted:count} deleted, "
		                  "{records.modified:count} modified, "
		                  "{records.renamed:count} renamed\n");
	}
}

void summary_print(FILE *out, const json_t *json, const char *next, bool is_long)
{
	const struct filler run = {.out = out, .json = json, .row = json};
	bool is_checked = strcmp(fact_text(json, "result"), "checked") == 0;
	json_t *costs = is_checked || is_long ? NULL : fact_indexes(json);

	print_head(&run, is_long);
	print_phases(run);
	print_refusals(run);
	print_indexes(run, costs, NINDEXES);
	(void)fputc('\n', out);
	print_changes(&run);
	pattern_fill(&run, "  memory    [{memory.peak_anonymous_bytes:bytes}]"
	                   "[!{memory.peak_anonymous_bytes:if}"
	                   "{memory.peak_resident_bytes:bytes:0}] at the peak, "
	                   "{memory.page_faults:count} page faults, "
	                   "{cpu_system_s:seconds} in the kernel\n"
	                   "  disk      {spilled_bytes:bytes:0} of temporary files\n");
	if (is_long) {
		pattern_fill(&run, "  threads   {tool_threads}\n");
	}
	if (!is_checked) {
		print_databases(run, is_long);
	}
	if (next != NULL) {
		(void)fprintf(out, "  %-9s %s\n", "next", next);
	}
	json_decref(costs);
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
