/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ditdiff: what differs between two states of a directory, as LDIF changes.
 *
 * Options in, changes out; the work is dit_diff()'s. Exit status as diff's: 0 equal, 1
 * different, 2 trouble.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ditkit/diff.h>
#include <ditkit/load.h>
#include <ditkit/version.h>

#include <jansson.h>

#include "arguments.h"
#include "common_options.h"
#include "inputs.h"
#include "meter.h"
#include "patterns.h"
#include "run_facts.h"

enum {
	EQUAL,
	DIFFERENT,
	TROUBLE
};

struct diff_options {
	struct common_options common;
	struct dit_diff_opts diff;
	struct inputs inputs[2]; /* LDIF of a state; none: a database, or a digest */
	const char **attrs;      /* owned; the names point into attrs_text */
	char *attrs_text;        /* owned */
	bool is_summary;
	bool is_json;
	bool has_digest; /* one is made, or compared */
};

/* ---- the command line ---- */

static int read_wrap(struct diff_options *options, const char *text)
{
	struct common_setting setting = common_read_setting(text);
	char *end = NULL;
	unsigned long n = 0;

	if (!common_is_setting(&setting, "ldif-wrap") || setting.value == NULL) {
		return common_wrong("unknown option -o", text);
	}
	if (strcasecmp(setting.value, "no") == 0) {
		options->diff.wrap = UINT_MAX;
		return 0;
	}
	n = strtoul(setting.value, &end, 10);
	if (end == setting.value || *end != '\0' || n < 2 || n >= UINT_MAX) {
		return common_wrong("ldif-wrap takes columns, or no, not", setting.value);
	}
	options->diff.wrap = (unsigned)n;
	return 0;
}

/* "mail,cn": the names point into a copy. */
static int read_attrs(struct diff_options *options, const char *text)
{
	size_t most = strlen(text) / 2 + 1;
	char *rest = NULL;

	free(options->attrs_text);
	free(options->attrs);
	options->attrs_text = strdup(text);
	options->attrs = calloc(most, sizeof(*options->attrs));
	options->diff.nattrs = 0;
	if (options->attrs_text == NULL || options->attrs == NULL) {
		return common_wrong_call("no memory");
	}
	for (char *name = strtok_r(options->attrs_text, ", ", &rest); name != NULL;
	     name = strtok_r(NULL, ", ", &rest)) {
		options->attrs[options->diff.nattrs++] = name;
	}
	options->diff.attrs = options->attrs;
	return options->diff.nattrs == 0
	               ? common_wrong("--attrs takes names of attributes, not", text)
	               : 0;
}

static int read_own(void *ctx, int option, const char *text)
{
	struct diff_options *options = ctx;

	switch (option) {
	case 'o':
		return read_wrap(options, text);
	case OPT_ATTRS:
		return read_attrs(options, text);
	}
	return 0;
}

/* A data.mdb, or a directory that has one; all else is LDIF.
 * @param text  becomes the directory of a data.mdb */
static bool is_database(char *text)
{
	char path[PATH_MAX];
	char *slash = strrchr(text, '/');
	char *name = slash == NULL ? text : slash + 1;
	struct stat st;

	if (stat(text, &st) == 0 && S_ISREG(st.st_mode)) {
		if (strcmp(name, "data.mdb") != 0) {
			return false;
		}
		name[0] = '.';
		name[1] = '\0';
		return true;
	}
	return snprintf(path, sizeof(path), "%s/data.mdb", text) < (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

/* JSON begins with a brace, which no line of LDIF does. The byte stays in a pipe. */
static bool is_digest(const char *path)
{
	int pipe = inputs_pipe(path);
	int copy[2] = {-1, -1};
	struct stat st;
	char first = '\0';

	if (pipe < 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		copy[0] = open(path, O_RDONLY | O_CLOEXEC);
	} else if (pipe >= 0 && pipe2(copy, O_CLOEXEC) == 0) {
		(void)tee(pipe, copy[1], 1, 0);
		(void)close(copy[1]);
	}
	if (copy[0] < 0) {
		return false;
	}
	first = read(copy[0], &first, 1) == 1 ? first : '\0';
	(void)close(copy[0]);
	return first == '{';
}

static int read_side(struct diff_options *options, unsigned side, char *text)
{
	struct dit_diff_opts *diff = &options->diff;
	const char *path = strcmp(text, "-") == 0 ? "/dev/stdin" : text;

	if (is_database(text)) {
		*(side == 0 ? &diff->first : &diff->second) = text;
		return 0;
	}
	if (is_digest(path)) {
		diff->digests[side] = path;
		return 0;
	}
	diff->is_made[side] = true;
	return inputs_add(&options->inputs[side], text);
}

static int read_operands(struct diff_options *options, int argc, char *argv[])
{
	bool is_reverse =
		common_is_given(&options->common, OPT_REVERSE) && !options->diff.digest;
	int n = argc - optind;
	int r = 0;

	if (options->diff.digest && n > 1) {
		return common_wrong_call("--digest takes one state");
	}
	if (!options->diff.digest && n != 1 && n != 2) {
		return common_wrong_call(
			"two states are needed: FROM and TO, or FROM alone");
	}
	if (n == 2 && strcmp(argv[optind], "-") == 0 &&
	    strcmp(argv[optind + 1], "-") == 0) {
		return common_wrong_call("standard input (-) can be one state, not both");
	}
	for (int i = 0; i < n && r == 0; i++) {
		r = read_side(options, (unsigned)(is_reverse ? 1 - i : i),
		              argv[optind + i]);
	}
	if (options->diff.digest && options->diff.digests[0] != NULL) {
		return common_wrong("this is a digest already:",
		                    options->diff.digests[0]);
	}
	options->has_digest = options->diff.digest || options->diff.digests[0] != NULL ||
	                      options->diff.digests[1] != NULL;
	if (options->has_digest && options->is_summary) {
		return common_wrong_call(
			"--summary counts changes, and --digest writes none: leave one of them out");
	}
	return r < 0 ? r : common_check_options(&options->common, optind, argv);
}

/* Texts point into argv or into the options. The caller frees these in every case.
 * @return 0; -1 after a message */
static int read_options(struct diff_options *options, int argc, char *argv[])
{
	struct common_options *common = &options->common;
	int r = 0;

	*options = (struct diff_options){.diff = DIT_DIFF_OPTS_INIT};
	r = common_read_options(common, argc, argv, read_own, options);
	if (r <= 0) {
		return r;
	}
	common_take_diff(&options->diff, common);
	if (options->diff.base != NULL && options->diff.base[0] == '\0') {
		return common_wrong_call("--subtree needs a DN");
	}
	options->is_summary = common_is_given(common, OPT_SUMMARY);
	options->is_json = common_is_given(common, OPT_JSON);
	return read_operands(options, argc, argv);
}

static void free_options(struct diff_options *options)
{
	free(options->attrs);
	free(options->attrs_text);
	inputs_deinit(&options->inputs[0]);
	inputs_deinit(&options->inputs[1]);
}

/* ---- what is printed ---- */

static const struct meter_phase phases[] = {
	[DIT_DIFF_FIRST] = {"first", 45, NULL},
	[DIT_DIFF_SECOND] = {"second", 45, NULL},
	[DIT_DIFF_CHANGES] = {"changes", 10, NULL},
};

static int write_changes(void *ctx, const char *data, size_t len)
{
	(void)ctx;
	return fwrite(data, 1, len, stdout) == len ? 0 : -errno;
}

static int print_digests_json(const struct dit_diff_stats *stats)
{
	return json_print(
		stdout,
		json_pack("{s:i, s:s, s:s, s:[I,I], s:b, s:I, s:I, s:I}", "format", 1,
	                  "program", "ditdiff", "version", dit_version(), "entries",
	                  (json_int_t)stats->nentries[0], (json_int_t)stats->nentries[1],
	                  "equal", !stats->differs, "subtrees",
	                  (json_int_t)stats->nsubtrees, "named",
	                  (json_int_t)stats->nnamed, "missing",
	                  (json_int_t)stats->nmissing),
		JSON_INDENT(1));
}

static json_t *counts_json(const struct dit_diff_count *list, size_t n)
{
	json_t *json = json_object();

	for (size_t i = 0; i < n; i++) {
		json_t *name = json_text(list[i].name);

		(void)json_object_set_new(json, json_string_value(name),
		                          json_number(list[i].n));
		json_decref(name);
	}
	return json;
}

/* @param nbranches  so many of them, the largest ones */
static json_t *changes_json(const struct dit_diff_stats *stats, size_t nbranches)
{
	return json_pack(
		"{s:i, s:s, s:s, s:[I,I], s:I, s:I, s:I, s:I, s:o, s:o}", "format", 1,
		"program", "ditdiff", "version", dit_version(), "entries",
		(json_int_t)stats->nentries[0], (json_int_t)stats->nentries[1], "added",
		(json_int_t)stats->nadded, "deleted", (json_int_t)stats->ndeleted,
		"renamed", (json_int_t)stats->nrenamed, "modified",
		(json_int_t)stats->nmodified, "attributes",
		counts_json(stats->attrs, stats->nattrs), "subtrees",
		counts_json(stats->branches, nbranches));
}

#define MOST_BRANCHES 20 /* for a reader */

static void print_summary(const struct dit_diff_stats *stats)
{
	size_t n = stats->nbranches < MOST_BRANCHES ? stats->nbranches : MOST_BRANCHES;
	json_t *json = changes_json(stats, n);
	const struct filler filler = {.out = stdout, .row = json};

	(void)json_object_set_new(json, "is_equal",
	                          json_boolean(dit_diff_nchanges(stats) == 0));
	(void)json_object_set_new(json, "more", json_number(stats->nbranches - n));
	pattern_fill(&filler, diff_summary_txt);
	json_decref(json);
}

static int print_stats(const struct diff_options *options,
                       const struct dit_diff_stats *stats)
{
	if (options->is_json && !options->diff.digest) {
		return options->has_digest
		               ? print_digests_json(stats)
		               : json_print(stdout, changes_json(stats, stats->nbranches),
		                            JSON_INDENT(1));
	}
	if (options->is_summary) {
		print_summary(stats);
	}
	return 0;
}

/* ---- LDIF ---- */

/* The user is the owner of the database on the other side. */
struct owner {
	struct common_user *user;
	const char *directory; /* NULL: the configured one */
};

static int become_owner(void *ctx, const char *const *directories, size_t n)
{
	struct owner *owner = ctx;

	return owner->directory == NULL
	               ? common_become_user(owner->user, directories, n)
	               : common_become_user(owner->user, &owner->directory, 1);
}

/* LDIF that becomes a database for a while. */
struct sides {
	const struct diff_options *options;
	struct meter *meter;
	struct dit_load_stats loads[2];
};

static int make_side(void *ctx, unsigned number, const struct dit_known_source *known,
                     const char **ret_directory)
{
	struct sides *sides = ctx;
	const struct diff_options *options = sides->options;
	const struct inputs *inputs = &options->inputs[number];
	struct owner owner = {.user = (struct common_user *)&options->common.user,
	                      .directory = number == 0 ? options->diff.second
	                                               : options->diff.first};
	struct dit_load_opts load = DIT_LOAD_OPTS_INIT;
	int r = 0;

	COMMON_TAKE_CONF(&load, &options->diff);
	load.no_glue = true;
	load.is_quick = true;
	load.is_exact = options->diff.exact;
	load.no_schema_check = options->diff.exact;
	load.is_scratch = true;
	load.known = known;
	load.may_grow = true;
	load.explain = true;
	load.inputs = inputs->paths;
	load.ninputs = inputs->n;
	load.digests = inputs->has_digests ? inputs->digests : NULL;
	load.tmpdir = options->diff.tmpdir;
	load.memory_bytes = options->diff.memory_bytes;
	load.stop = options->diff.stop;
	load.report = meter_take_report;
	load.report_ctx = sides->meter;
	if (!options->has_digest && !options->diff.is_made[1 - number]) {
		load.before_open = become_owner;
		load.before_open_ctx = &owner;
	}
	r = dit_load(&load, &sides->loads[number]);
	if (r == 0) {
		*ret_directory = sides->loads[number].databases[0].directory;
	}
	return r;
}

static void free_sides(struct sides *sides)
{
	for (unsigned i = 0; i < 2; i++) {
		dit_load_scratch_remove(&sides->loads[i]);
		dit_load_stats_deinit(&sides->loads[i]);
	}
}

static int run(struct diff_options *options)
{
	struct dit_diff_stats stats = {.attrs = NULL};
	struct meter meter;
	struct sides sides = {.options = options, .meter = &meter};
	bool is_counted =
		options->is_summary || (options->is_json && !options->diff.digest);
	int status = TROUBLE;
	int r = 0;

	(void)signal(SIGPIPE, SIG_IGN);
	options->diff.stop = common_catch_interrupts();
	COMMON_CALLBACKS(&options->diff, &options->common, &meter);
	/* A terminal that shows the changes shows nothing else. */
	options->common.is_quiet |= isatty(STDOUT_FILENO) == 1;
	common_start_meter(&meter, &options->common, phases, DIT_DIFF_NPHASES);
	options->diff.make = make_side;
	options->diff.make_ctx = &sides;
	r = dit_diff(&options->diff, is_counted ? NULL : write_changes, NULL, &stats);
	free_sides(&sides);
	meter_end(&meter, r == 0);
	if (r == DIT_E_STOPPED) {
		(void)common_say(0, "interrupted");
	} else if (r == 0 && (print_stats(options, &stats) < 0 || fflush(stdout) != 0 ||
	                      ferror(stdout) != 0)) {
		(void)common_say(0, "changes could not be written: %s", strerror(errno));
	} else if (r == 0) {
		status = dit_diff_nchanges(&stats) == 0 && !stats.differs ? EQUAL
		                                                          : DIFFERENT;
	} else if (ferror(stdout) != 0) {
		(void)common_say(0, "changes could not be written: %s", strerror(-r));
	}
	dit_diff_stats_deinit(&stats);
	return status;
}

static int ditdiff(int argc, char *argv[])
{
	struct diff_options options;
	int status = TROUBLE;

	if (read_options(&options, argc, argv) == 0) {
		status = common_print_help(&options.common) ? EQUAL : run(&options);
	}
	free_options(&options);
	return status;
}

int main(int argc, char *argv[])
{
	return common_start("ditdiff", TROUBLE, ditdiff, argc, argv);
}
