/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ditadd: load LDIF into the database of a slapd.conf.
 *
 * Options in, messages out; the work is dit_load()'s. Exit status as slapadd's: 0, or 1
 * for any failure; with --rejects also 2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <ditkit/load.h>

#include "arguments.h"
#include "estimate_text.h"
#include "meter.h"
#include "options.h"
#include "run_facts.h"
#include "summary.h"

static const struct meter_phase phases[] = {
	[DIT_LOAD_ENTRIES] = {"entries", 76, NULL},
	[DIT_LOAD_NAMES] = {"tree", 8, NULL},
	[DIT_LOAD_INDEXES] = {"indexes", 14, NULL},
	[DIT_LOAD_PUBLISH] = {"publishing", 2, "publish"},
};

/* A message has said why. */
static bool has_nothing(const struct dit_load_stats *stats, int r)
{
	return r == 0 && (stats->is_unneeded || stats->nrecords == 0);
}

/* Without --rejects it is slapadd's: some records can be missing in a load that
 * succeeded. */
static int load_status(const struct options *options, const struct dit_load_stats *stats,
                       int r)
{
	bool is_part = stats->nfailed > 0 || stats->nmissing > 0;

	if (r < 0) {
		return EXIT_FAILURE;
	}
	if (options->rejects.path != NULL) {
		return is_part || stats->nrefused > 0 ? EXIT_PART : EXIT_SUCCESS;
	}
	return is_part ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- the statistics as JSON (doc/stats.md) ---- */

static const char *result_name(const struct options *options,
                               const struct dit_load_stats *stats, int r)
{
	if (r < 0) {
		return "failed";
	}
	if (stats->is_unneeded) {
		return "unneeded";
	}
	return options->load.is_dry_run    ? "checked"
	       : options->load.is_prepared ? "prepared"
	                                   : "stored";
}

static json_t *records_json(const struct dit_load_stats *stats)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "read",
	                 json_number(stats->nrecords), "stored",
	                 json_number(stats->nentries), "refused",
	                 json_number(stats->nrefused), "not_stored",
	                 json_number(stats->nfailed), "missing_parents",
	                 json_number(stats->nmissing), "memberships_added",
	                 json_number(stats->nmemberships_added), "memberships_removed",
	                 json_number(stats->nmemberships_removed));
}

static json_t *refusal_json(const void *stats, size_t i)
{
	const struct dit_load_refusal *refusal =
		&((const struct dit_load_stats *)stats)->refusals[i];

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "kind", refusal->kind,
	                 "records", json_number(refusal->nrecords), "first_line",
	                 json_number(refusal->first_line), "first_dn",
	                 json_text(refusal->first_dn), "first_reason",
	                 json_text(refusal->first_reason), "first_explanation",
	                 json_text(refusal->first_explanation));
}

static const char *const writers[] = {[DIT_LOAD_WRITER_DEFAULT] = "existing",
                                      [DIT_LOAD_WRITER_PAGES] = "pages",
                                      [DIT_LOAD_WRITER_APPEND] = "append"};

static json_t *database_json(const void *ctx, size_t i)
{
	const struct dit_load_stats *stats = ctx;
	const struct dit_load_database_stats *database = &stats->databases[i];
	json_t *indexes = run_indexes_json(database->indexes, database->nindexes,
	                                   stats->threads > 1);

	return json_pack("{s:o, s:o, s:o, s:s, s:b, s:o}", "directory",
	                 json_text(database->directory), "bytes",
	                 run_known_json(database->bytes), "entries",
	                 json_number(database->nentries), "written_by",
	                 writers[database->writer], "format_known",
	                 (int)!database->is_unknown_format, "indexes", indexes);
}

/* @return owned; NULL: no memory */
static json_t *load_json(const struct options *options,
                         const struct dit_load_stats *stats, int r)
{
	return json_pack("{s:s, s:i, s:s?, s:b, s:i, s:o, s:o, s:o, s:o, s:o, s:o}",
	                 "result", result_name(options, stats, r), "exit_status",
	                 load_status(options, stats, r), "openldap",
	                 dit_openldap_name(stats->openldap), "openldap_found",
	                 (int)stats->is_openldap_found, "tool_threads",
	                 (int)stats->threads, "input",
	                 inputs_json(&options->inputs, stats->bytes_read), "records",
	                 records_json(stats), "refusals",
	                 json_list(stats->nrefusals, refusal_json, stats), "rejects",
	                 json_text(options->rejects.path), "spilled_bytes",
	                 json_number(stats->run_bytes), "databases",
	                 json_list(stats->ndatabases, database_json, stats));
}

/* ---- what is shown at the end ---- */

/* The next command; NULL: none. */
static char *next_command(const struct options *options,
                          const struct dit_load_stats *stats, int r)
{
	if (r == DIT_E_REFUSED && !options->load.keep_going) {
		return strdup(stats->nrefused > 0
		                      ? "-u -c finds all such records; -c --rejects FILE "
		                        "leaves them out"
		                      : "-c --rejects FILE leaves out such entries");
	}
	if (r < 0 || stats->ndatabases == 0 || options->load.is_dry_run) {
		return NULL;
	}
	if (stats->nmissing > 0) {
		return strdup("load the entries that are missing, before slapd starts");
	}
	if (options->load.is_prepared) {
		return prepared_next(&options->common);
	}
	return summary_next(&options->common, stats->databases[0].directory,
	                    &summary_installed);
}

static int write_output(struct options *options, const struct dit_load_stats *stats,
                        int r)
{
	if (!run_output_is_wanted(&options->output)) {
		return 0;
	}
	options->output.next = next_command(options, stats, r);
	/* The message about an interrupt says what a summary would. */
	options->output.wants_summary &= r != DIT_E_STOPPED && !has_nothing(stats, r);
	return run_output_write(&options->output, load_json(options, stats, r),
	                        stats->phase_us, stats->phase_cpu_us);
}

/* ---- estimates ---- */

/* @return the exit status */
static int estimate(struct options *options)
{
	struct meter meter = {.is_silent = options->common.is_silent};
	struct dit_estimate found;
	int r = 0;

	COMMON_CALLBACKS(&options->load, &options->common, &meter);
	r = dit_estimate_load(&options->load, 0, &found);
	if (r == 0) {
		r = estimate_tell(&found, options->estimate, options->load.may_grow);
		r = found.is_filled ? -1 : r;
	}
	dit_estimate_deinit(&found);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Records are refused before the end of a damaged part, where its digest is known. */
static void tell_of_parts(const struct inputs *inputs, const struct dit_load_stats *stats,
                          int r)
{
	size_t n = stats->ninputs;
	bool differs = inputs->has_digests && n > 0 && inputs->digests[n - 1] != NULL &&
	               strcmp(inputs->digests[n - 1], stats->inputs[n - 1].digest) != 0;
	bool is_refused = n == 0 && (r == DIT_E_REFUSED || r == DIT_E_INVALID ||
	                             r == DIT_E_TOOLONG);

	if (inputs->has_digests && (differs || is_refused)) {
		inputs_tell_again(differs ? stats->inputs[n - 1].path : NULL);
	}
}

/* @return the exit status */
static int load(struct options *options)
{
	struct dit_load_stats stats;
	struct meter meter;
	int status = EXIT_FAILURE;
	int r = 0;

	common_start_meter(&meter, &options->common, phases,
	                   options->load.is_dry_run ? 1 : DIT_LOAD_NPHASES);
	run_output_start(&options->output, &options->common, &meter, DIT_LOAD_NPHASES);
	options->load.counts_lists = run_output_wants_lists(&options->output);
	COMMON_CALLBACKS(&options->load, &options->common, &meter);
	options->common.user.writes = true;
	options->rejects.meter = &meter;
	REJECTS_CALLBACKS(&options->load, &options->rejects);
	r = dit_load(&options->load, &stats);
	meter_end(&meter, r == 0 && !stats.is_unneeded);
	if (r == 0 && stats.nrecords == 0 && !stats.is_unneeded &&
	    options->load.explain && options->load.first_line == 0) {
		(void)common_say(0, "the input is empty: there is no entry in it");
	}
	tell_of_parts(&options->inputs, &stats, r);
	status = write_output(options, &stats, r) < 0 ? EXIT_FAILURE
	                                              : load_status(options, &stats, r);
	dit_load_stats_deinit(&stats);
	return status;
}

static int run(struct options *options, int argc, char *argv[])
{
	int status = EXIT_FAILURE;

	if (options_read(options, argc, argv) < 0) {
		return EXIT_FAILURE;
	}
	if (common_print_help(&options->common)) {
		return EXIT_SUCCESS;
	}
	if (options->action != OPTIONS_LOAD) {
		options->load.stop = common_catch_interrupts();
		return prepared_act(options);
	}
	common_raise_file_limit(); /* inputs and temporary files */
	inputs_tell_terminal(&options->inputs, &options->common);
	if (options->estimate != ESTIMATE_NO) {
		options->load.stop = common_catch_interrupts();
		return estimate(options);
	}
	if (inputs_keep(&options->inputs, &options->common) < 0 ||
	    run_output_open(&options->output) < 0 ||
	    rejects_open(&options->rejects) < 0) {
		return EXIT_FAILURE;
	}
	options->load.stop = common_catch_interrupts();
	status = load(options);
	return rejects_close(&options->rejects) < 0 ? EXIT_FAILURE : status;
}

static int ditadd(int argc, char *argv[])
{
	struct options options;
	int status = run(&options, argc, argv);

	options_deinit(&options);
	return status;
}

int main(int argc, char *argv[])
{
	return common_start("ditadd", EXIT_FAILURE, ditadd, argc, argv);
}
