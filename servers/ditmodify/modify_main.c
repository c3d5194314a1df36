/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ditmodify: make LDIF changes in the database of a slapd.conf.
 *
 * Options in, messages out; the work is dit_modify()'s. Exit status as slapmodify's: 0,
 * or 1 for any failure; with --rejects also 2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>

#include <ditkit/modify.h>

#include "arguments.h"
#include "common_options.h"
#include "config_database.h"
#include "default_paths.h"
#include "inputs.h"
#include "meter.h"
#include "rejects.h"
#include "run_facts.h"
#include "run_output.h"
#include "summary.h"

struct modify_options {
	struct common_options common;
	struct dit_modify_opts modify;
	struct inputs inputs; /* -l and arguments that are no options */
	struct rejects rejects;
	struct run_output output; /* --stats, --stats=FILE */
};

static const struct config_tool slapmodify = {.name = "slapmodify",
                                              .letters = "bcdfFgjlnoqsSuvw",
                                              .does = "modifies",
                                              .needs_tree = true};

/* ---- options; a wrong call prints its specific error and where more is said ---- */

/* -o name[=value]: "yes" if there is no value. Values are checked in any case. */
static int read_o(struct modify_options *options, const char *text)
{
	struct common_setting setting = common_read_setting(text);
	bool is_schema_check = common_is_setting(&setting, "schema-check");
	bool is_check = is_schema_check || common_is_setting(&setting, "value-check");
	bool is_yes = setting.value == NULL || strcasecmp(setting.value, "yes") == 0;

	if (is_check && !is_yes && strcasecmp(setting.value, "no") != 0) {
		return common_wrong("unable to handle option -o", text);
	}
	if (is_schema_check) {
		options->modify.no_schema_check = !is_yes;
	}
	return is_check ? 0 : common_pass_setting(text);
}

static int read_own(void *ctx, int option, const char *text)
{
	struct modify_options *options = ctx;

	switch (option) {
	case 'l':
		return inputs_add(&options->inputs, text);
	case 'o':
		return read_o(options, text);
	case 's':
		options->modify.no_schema_check = true;
		return 0;
	}
	return 0;
}

static void take_values(struct modify_options *options)
{
	const struct common_options *common = &options->common;
	struct dit_modify_opts *modify = &options->modify;

	common_take_modify(modify, common);
	modify->inputs = options->inputs.paths;
	modify->ninputs = options->inputs.n;
	modify->keep_going |= common_is_given(common, OPT_MAX_REJECTS);
	options->rejects = (struct rejects){.path = common_text(common, OPT_REJECTS)};
	options->output = run_output_of(common);
}

/* Texts point into argv. The caller frees the inputs in every case.
 * @return 0; -1 after a message */
static int read_options(struct modify_options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct modify_options){.modify = DIT_MODIFY_OPTS_INIT};
	r = common_read_options(&options->common, argc, argv, read_own, options);
	while (r > 0 && optind < argc) {
		r = inputs_add(&options->inputs, argv[optind++]) < 0 ? -1 : 1;
	}
	if (r <= 0) {
		return r;
	}
	take_values(options);
	r = common_check_options(&options->common, argc, argv);
	if (r == 0 && options->modify.mends_memberof && options->inputs.n > 0) {
		return common_wrong("--memberof excludes an input:",
		                    options->inputs.paths[0] ?: "-");
	}
	if (r == 0 && options->common.conf == NULL &&
	    config_database_is_meant(&options->common)) {
		r = config_database_hand_over(&options->common, &slapmodify,
		                              DIT_DEFAULT_SLAPD, argc, argv);
	}
	return r;
}

/* ---- the statistics as JSON (doc/stats.md) ---- */

/* A dry run writes no entry, and so does not know how many differ. */
static json_t *records_json(const struct modify_options *options,
                            const struct dit_modify_stats *stats)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "read",
		json_number(stats->nrecords), "added", json_number(stats->nadded),
		"deleted", json_number(stats->ndeleted), "modified",
		json_number(stats->nmodified), "renamed", json_number(stats->nrenamed),
		"refused", json_number(stats->nrefused), "changed",
		options->modify.is_dry_run ? json_null() : json_number(stats->nentries),
		"memberships_added", json_number(stats->nmemberships_added),
		"memberships_removed", json_number(stats->nmemberships_removed));
}

static json_t *databases_json(const struct dit_modify_stats *stats)
{
	return stats->directory == NULL ? json_array()
	                                : json_pack("[{s:o, s:o}]", "directory",
	                                            json_text(stats->directory), "bytes",
	                                            run_known_json(stats->bytes));
}

/* @return owned; NULL: no memory */
static json_t *modify_json(const struct modify_options *options,
                           const struct dit_modify_stats *stats, int r, int status)
{
	const char *result = r < 0                        ? "failed"
	                     : options->modify.is_dry_run ? "checked"
	                                                  : "stored";

	return json_pack(
		"{s:s, s:i, s:s?, s:b, s:i, s:o, s:o, s:o, s:o, s:i, s:o}", "result",
		result, "exit_status", status, "openldap",
		dit_openldap_name(stats->openldap), "openldap_found",
		(int)stats->is_openldap_found, "tool_threads", (int)stats->threads,
		"input", inputs_json(&options->inputs, stats->bytes_read), "records",
		records_json(options, stats), "rejects", json_text(options->rejects.path),
		"postings", json_number(stats->npostings), "spilled_bytes", 0,
		"databases", databases_json(stats));
}

/* ---- what is shown at the end ---- */

/* The next command; NULL: none. */
static char *next_command(const struct modify_options *options,
                          const struct dit_modify_stats *stats, int r)
{
	if (r == DIT_E_REFUSED && !options->modify.keep_going) {
		return strdup("-u -c finds all such records; -c --rejects FILE leaves "
		              "them out");
	}
	if (r < 0 || stats->directory == NULL || options->modify.is_dry_run) {
		return NULL;
	}
	return summary_next(&options->common, stats->directory, &summary_installed);
}

/* Refused records are a failure for slapmodify with -c, too. */
static int status_of(const struct modify_options *options,
                     const struct dit_modify_stats *stats, int r)
{
	if (r < 0) {
		return EXIT_FAILURE;
	}
	if (stats->nrefused == 0) {
		return EXIT_SUCCESS;
	}
	return options->rejects.path != NULL ? EXIT_PART : EXIT_FAILURE;
}

static int write_output(struct modify_options *options,
                        const struct dit_modify_stats *stats, int r, int status)
{
	bool has_nothing =
		r == 0 && stats->nrecords == 0 && !options->modify.mends_memberof;

	if (!run_output_is_wanted(&options->output)) {
		return 0;
	}
	options->output.next = next_command(options, stats, r);
	/* The message about an interrupt says what a summary would. */
	options->output.wants_summary &= r != DIT_E_STOPPED && !has_nothing;
	return run_output_write(&options->output, modify_json(options, stats, r, status),
	                        stats->phase_us, stats->phase_cpu_us);
}

static const struct meter_phase phases[] = {
	[DIT_MODIFY_CHANGES] = {"changes", 50, NULL},
	[DIT_MODIFY_INDEXES] = {"keys", 30, NULL},
	[DIT_MODIFY_PUBLISH] = {"publishing", 20, "publish"},
};

/* @return the exit status */
static int modify(struct modify_options *options)
{
	struct dit_modify_stats stats;
	struct meter meter;
	int status = EXIT_FAILURE;
	int r = 0;

	common_start_meter(&meter, &options->common, phases,
	                   options->modify.is_dry_run ? 1 : DIT_MODIFY_NPHASES);
	run_output_start(&options->output, &options->common, &meter, DIT_MODIFY_NPHASES);
	COMMON_CALLBACKS(&options->modify, &options->common, &meter);
	options->common.user.writes = true;
	options->rejects.meter = &meter;
	REJECTS_CALLBACKS(&options->modify, &options->rejects);
	r = dit_modify(&options->modify, &stats);
	meter_end(&meter, r == 0);
	if (r == 0 && stats.nrecords == 0 && options->modify.first_line == 0 &&
	    !options->modify.mends_memberof) {
		(void)common_say(0, "the input is empty: there is no change in it");
	}
	status = status_of(options, &stats, r);
	if (write_output(options, &stats, r, status) < 0) {
		status = EXIT_FAILURE;
	}
	dit_modify_stats_deinit(&stats);
	return status;
}

static int run(struct modify_options *options, int argc, char *argv[])
{
	int status = EXIT_FAILURE;

	if (read_options(options, argc, argv) < 0) {
		return EXIT_FAILURE;
	}
	if (common_print_help(&options->common)) {
		return EXIT_SUCCESS;
	}
	common_raise_file_limit();
	if (!options->modify.mends_memberof) {
		inputs_tell_terminal(&options->inputs, &options->common);
	}
	if (inputs_keep(&options->inputs, &options->common) < 0 ||
	    run_output_open(&options->output) < 0 ||
	    rejects_open(&options->rejects) < 0) {
		return EXIT_FAILURE;
	}
	options->modify.stop = common_catch_interrupts();
	/* "ditdiff ... | ditmodify": ditdiff reads the same database. */
	if (!options->modify.mends_memberof &&
	    inputs_drain_pipes(&options->inputs, options->modify.stop) < 0) {
		return EXIT_FAILURE;
	}
	status = modify(options);
	return rejects_close(&options->rejects) < 0 ? EXIT_FAILURE : status;
}

static int ditmodify(int argc, char *argv[])
{
	struct modify_options options;
	int status = run(&options, argc, argv);

	run_output_drop(&options.output);
	inputs_deinit(&options.inputs);
	return status;
}

int main(int argc, char *argv[])
{
	return common_start("ditmodify", EXIT_FAILURE, ditmodify, argc, argv);
}
