/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *   Stored 20,000 entries in 0.46 s; 3 records were left out
 *
 *     entries                   0.31 s   67 %   64,120 entries/s, 53.8 MiB/s
 *     ...
 *     costliest indexes      postings        keys       size     time
 *     description           1,234,567      43,210   12.3 MiB   0.05 s
 *     ...
 *     memory    61.0 MiB at the peak, 0 B of temporary files
 *     database  /var/lib/ldap/data.mdb, 84.5 MiB
 *     next      systemctl start slapd
 */
#include "summary.h"

#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "figures.h"
#include "run_facts.h"
#include "shell_word.h"

#define NINDEXES 5

bool summary_is_wanted(const struct common_options *options)
{
	return !options->has_debug && isatty(STDERR_FILENO) == 1;
}

static void print_head(FILE *out, const json_t *json)
{
	uint64_t left_out = fact_left_out(json);
	const char *verb = fact_verb(json);
	uint64_t n = fact_entries(json);

	(void)fprintf(out, "%c%s %s entr%s in %s", toupper(verb[0]), verb + 1,
	              figure_count(n).text, n == 1 ? "y" : "ies",
	              figure_seconds(fact_seconds(json, "wall_s")).text);
	if (left_out > 0) {
		(void)fprintf(out, "; %s record%s left out", figure_count(left_out).text,
		              left_out == 1 ? " was" : "s were");
	}
	(void)fputs("\n\n", out);
}

static void print_phase(FILE *out, const json_t *phase, double wall_s)
{
	double seconds = fact_seconds(phase, "wall_s");
	uint64_t entries = fact_number(phase, "entries_per_s");
	uint64_t bytes = fact_number(phase, "bytes_per_s");
	uint64_t postings = fact_number(phase, "postings_per_s");

	(void)fprintf(out, "  %-22s %11s %6s", fact_phase_title(fact_text(phase, "name")),
	              figure_seconds(seconds).text, figure_share(seconds, wall_s).text);
	if (entries > 0) {
		(void)fprintf(out, "   %s entries/s", figure_count(entries).text);
	}
	if (bytes > 0) {
		(void)fprintf(out, ", %s/s", figure_bytes(bytes).text);
	}
	if (postings > 0) {
		(void)fprintf(out, "   %s postings/s", figure_count(postings).text);
	}
	(void)fputc('\n', out);
}

static void print_refusals(FILE *out, const json_t *refusals)
{
	for (size_t i = 0; i < json_array_size(refusals); i++) {
		const json_t *refusal = json_array_get(refusals, i);

		(void)fprintf(out, "%s  %-22s %11s   the first at line %s\n",
		              i == 0 ? "\n  left out, by kind\n" : "",
		              fact_text(refusal, "kind"),
		              figure_count(fact_number(refusal, "records")).text,
		              figure_count(fact_number(refusal, "first_line")).text);
	}
}

/* Where those records are now. */
static void print_rejects(FILE *out, const json_t *json)
{
	const char *rejects = fact_text(json, "rejects");

	if (json_array_size(json_object_get(json, "refusals")) > 0) {
		(void)fprintf(out, "  %s%s\n",
		              rejects[0] == '\0' ? "not kept; the option --rejects FILE "
		                                   "keeps such records"
		                                 : "kept in ",
		              rejects);
	}
}

static void print_indexes(FILE *out, const json_t *json)
{
	json_t *indexes = fact_indexes(json);
	size_t n = json_array_size(indexes);

	if (n > 0) {
		(void)fprintf(out, "\n  %-22s %11s %13s %11s %9s\n",
		              n > NINDEXES ? "costliest indexes" : "indexes", "postings",
		              "keys", "size", "time");
	}
	for (size_t i = 0; i < n && i < NINDEXES; i++) {
		const json_t *index = json_array_get(indexes, i);
		uint64_t bytes = fact_number(index, "bytes");

		(void)fprintf(out, "  %-22s %11s %13s %11s %9s\n",
		              fact_text(index, "name"),
		              figure_count(fact_number(index, "postings")).text,
		              figure_count(fact_number(index, "keys")).text,
		              bytes == 0 ? "-" : figure_bytes(bytes).text,
		              figure_seconds(fact_seconds(index, "wall_s")).text);
	}
	json_decref(indexes);
}

static void print_databases(FILE *out, const json_t *databases)
{
	for (size_t i = 0; i < json_array_size(databases); i++) {
		const json_t *database = json_array_get(databases, i);
		uint64_t bytes = fact_number(database, "bytes");

		(void)fprintf(out, "  %-9s %s/data.mdb%s%s\n", i == 0 ? "database" : "",
		              fact_text(database, "directory"), bytes == 0 ? "" : ", ",
		              bytes == 0 ? "" : figure_bytes(bytes).text);
	}
}

void summary_print(FILE *out, const json_t *json, const char *next)
{
	const json_t *phases = json_object_get(json, "phases");
	const json_t *memory = json_object_get(json, "memory");
	uint64_t anonymous = fact_number(memory, "peak_anonymous_bytes");
	bool is_checked = strcmp(fact_text(json, "result"), "checked") == 0;

	print_head(out, json);
	for (size_t i = 0; i < json_array_size(phases); i++) {
		const json_t *phase = json_array_get(phases, i);

		if (fact_seconds(phase, "wall_s") > 0) {
			print_phase(out, phase, fact_seconds(json, "wall_s"));
		}
	}
	print_refusals(out, json_object_get(json, "refusals"));
	print_rejects(out, json);
	if (!is_checked) {
		print_indexes(out, json);
	}
	(void)fprintf(out, "\n  %-9s %s at the peak, %s of temporary files\n", "memory",
	              figure_bytes(anonymous > 0
	                                   ? anonymous
	                                   : fact_number(memory, "peak_resident_bytes"))
	                      .text,
	              figure_bytes(fact_number(json, "spilled_bytes")).text);
	if (!is_checked) {
		print_databases(out, json_object_get(json, "databases"));
	}
	if (next != NULL) {
		(void)fprintf(out, "  %-9s %s\n", "next", next);
	}
}

/* ---- --stats ---- */

void summary_print_phase(const char *name, uint64_t us)
{
	(void)printf("  %-22s %9.3f s\n", name, (double)us / 1e6);
}

void summary_print_indexes(const struct dit_index_stats *indexes, size_t n)
{
	if (n > 0) {
		(void)printf("\n  %-28s %12s %12s  keys\n", "index", "postings",
		             "distinct");
	}
	for (size_t i = 0; i < n; i++) {
		(void)printf("  %-28s %12llu %12llu  %s\n", indexes[i].name,
		             (unsigned long long)indexes[i].npostings,
		             (unsigned long long)indexes[i].nkeys,
		             indexes[i].is_integerkey ? "integer" : "bytes");
	}
}

/* ---- a run that failed ---- */

void summary_print_failed(FILE *out, const json_t *json, const char *next)
{
	/* Before the first record the message says all; an index that was built stays. */
	if (fact_number(json_object_get(json, "records"), "read") == 0 ||
	    strcmp(fact_text(json, "program"), "ditadd") != 0) {
		return;
	}
	(void)fputs("\n" SUMMARY_UNCHANGED "\n", out);
	if (next != NULL) {
		(void)fprintf(out, "  %-9s %s\n", "next", next);
	}
}

/* ---- what to do next ---- */

#define PORT "3890"

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
	bool is_new = options->openldap == DIT_OPENLDAP_2_7;

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
	FILE *out = open_memstream(&command, &size);

	if (out == NULL) {
		return NULL;
	}
	if (stat(directory, &of_directory) == 0) {
		/* glibc's getpwuid() dies without memory; root is known. */
		user = of_directory.st_uid == 0 ? NULL : getpwuid(of_directory.st_uid);
		put_chown(out, directory, &of_directory, user);
	}
	is_system &= options->openldap != DIT_OPENLDAP_2_7;
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
