/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ditindex: build the indexes of a database.
 *
 * Options in, messages out; the work is dit_reindex()'s. Exit status as slapindex's: 0,
 * or 1 for any failure.
 */
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include <ditkit/reindex.h>

#include "common_options.h"
#include "estimate_text.h"
#include "meter.h"
#include "run_facts.h"
#include "run_output.h"
#include "summary.h"

struct index_options {
	struct common_options common;
	struct dit_reindex_opts reindex;
	enum estimate_mode estimate;
	struct run_output output; /* --stats, --stats=FILE, --report */
};

/* ---- options; a wrong call prints its specific error and where more is said ---- */

static int read_own(void *ctx, int option, const char *text)
{
	(void)ctx;
	/* slapindex has no settings of its own. */
	return option == 'o' ? common_pass_setting(text) : 0;
}

static void take_values(struct index_options *options)
{
	const struct common_options *common = &options->common;

	common_take_reindex(&options->reindex, common);
	options->reindex.byte_keys = common_number(common, OPT_INDEX_KEYS) == 2;
	options->estimate = (enum estimate_mode)common_number(common, OPT_ESTIMATE);
	options->output = run_output_of(common);
}

/* Texts point into argv. @return 0; -1 after a message */
static int read_options(struct index_options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct index_options){.reindex = DIT_REINDEX_OPTS_INIT};
	r = common_read_options(&options->common, argc, argv, read_own, options);
	if (r <= 0) {
		return r;
	}
	options->reindex.attrs = (const char *const *)argv + optind;
	options->reindex.nattrs = (size_t)(argc - optind);
	take_values(options);
	return common_check_options(&options->common, optind, argv);
}

/* ---- statistics as JSON (doc/stats.md) ---- */

static json_t *round_json(const void *rounds, size_t i)
{
	const struct dit_reindex_round *round =
		&((const struct dit_reindex_round *)rounds)[i];

	return json_pack("{s:o, s:f}", "entries", json_number(round->nentries), "wall_s",
	                 (double)round->us / 1e6);
}

static json_t *database_json(const void *ctx, size_t i)
{
	const struct dit_reindex_stats *stats = ctx;
	const struct dit_reindex_database_stats *database = &stats->databases[i];
	json_t *indexes = run_indexes_json(database->indexes, database->nindexes,
	                                   stats->threads > 1);

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:o, s:o}",
	                 "directory", json_text(database->directory), "bytes",
	                 run_known_json(database->bytes), "bytes_before",
	                 run_known_json(database->bytes_before), "entries",
	                 json_number(database->nentries), "entries_left_out",
	                 json_number(database->nbroken), "entries_changed_meanwhile",
	                 json_number(database->nchanged), "writers_waited_s",
	                 (double)database->locked_us / 1e6, "writers_waited_longest_s",
	                 (double)database->longest_us / 1e6, "catch_up_rounds",
	                 json_list(database->nrounds, round_json, database->rounds),
	                 "indexes", indexes);
}

static json_t *index_json(const struct dit_reindex_stats *stats, int r, int status)
{
	json_t *databases = json_list(stats->ndatabases, database_json, stats);

	return json_pack("{s:s, s:i, s:i, s:{s:o, s:o}, s:[], s:o, s:o}", "result",
	                 r < 0 ? "failed" : "stored", "exit_status", status,
	                 "tool_threads", (int)stats->threads, "records", "read",
	                 json_number(fact_sum(databases, "entries")), "refused",
	                 json_number(fact_sum(databases, "entries_left_out")), "refusals",
	                 "spilled_bytes", json_number(stats->run_bytes), "databases",
	                 databases);
}

/* ---- output ---- */

/* slapindex prints the IDs of entries on standard output. */
static void print_report(void *ctx, const struct dit_report *report)
{
	if (report->kind != DIT_REPORT_ADDED) {
		meter_take_report(ctx, report);
		return;
	}
	meter_break(ctx);
	(void)printf("%s\n", report->text);
}

static uint64_t count_left_out(const struct dit_reindex_stats *stats)
{
	uint64_t n = 0;

	for (size_t i = 0; i < stats->ndatabases; i++) {
		n += stats->databases[i].nbroken;
	}
	return n;
}

static void print_waits(const struct dit_reindex_stats *stats)
{
	for (size_t i = 0; i < stats->ndatabases; i++) {
		const struct dit_reindex_database_stats *db = &stats->databases[i];

		(void)printf(
			"%s: %lu entr%s changed during the run; writers waited %.3f s "
			"at most, %.3f s in all\n",
			db->directory, db->nchanged,
			db->nchanged == 1 ? "y was" : "ies were",
			(double)db->longest_us / 1e6, (double)db->locked_us / 1e6);
	}
}

static int write_output(struct index_options *options,
                        const struct dit_reindex_stats *stats, int r, int status)
{
	if (!run_output_is_wanted(&options->output)) {
		return 0;
	}
	/* With --online slapd goes on. */
	if (r == 0 && stats->ndatabases > 0 && !options->reindex.online) {
		options->output.next =
			summary_next(&options->common, stats->databases[0].directory,
		                     &summary_installed);
	}
	return run_output_write(&options->output, index_json(stats, r, status),
	                        stats->phase_us, stats->phase_cpu_us);
}

static const struct meter_phase phases[] = {
	[DIT_REINDEX_ENTRIES] = {"entries", 62, NULL},
	[DIT_REINDEX_INDEXES] = {"indexes", 36, NULL},
	[DIT_REINDEX_PUBLISH] = {"publishing", 2, "publish"},
};

/* @return the exit status */
static int run(struct index_options *options)
{
	struct dit_reindex_stats stats;
	struct meter meter;
	int status = EXIT_FAILURE;
	int r = 0;

	options->reindex.counts_lists = run_output_wants_lists(&options->output);
	common_start_meter(&meter, &options->common, phases, DIT_REINDEX_NPHASES);
	run_output_start(&options->output, &options->common, &meter, DIT_REINDEX_NPHASES);
	COMMON_CALLBACKS(&options->reindex, &options->common, &meter);
	options->reindex.report = print_report;
	options->common.user.writes = true;
	r = dit_reindex(&options->reindex, &stats);
	meter_end(&meter, r == 0);
	if (r == 0 && options->reindex.online) {
		print_waits(&stats);
	}
	status = r == 0 && count_left_out(&stats) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
	if (write_output(options, &stats, r, status) < 0) {
		status = EXIT_FAILURE;
	}
	dit_reindex_stats_deinit(&stats);
	return status;
}

/* @return the exit status */
static int estimate(struct index_options *options)
{
	struct meter meter = {.is_silent = options->common.is_silent};
	struct dit_estimate found;
	int r = 0;

	COMMON_CALLBACKS(&options->reindex, &options->common, &meter);
	r = dit_estimate_reindex(&options->reindex, 0, &found);
	r = r ?: estimate_tell(&found, options->estimate, false);
	dit_estimate_deinit(&found);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int ditindex(int argc, char *argv[])
{
	struct index_options options;
	int r = read_options(&options, argc, argv);

	if (r < 0) {
		return EXIT_FAILURE;
	}
	if (common_print_help(&options.common)) {
		return EXIT_SUCCESS;
	}
	if (options.estimate != ESTIMATE_NO) {
		options.reindex.stop = common_catch_interrupts();
		return estimate(&options);
	}
	if (run_output_open(&options.output) < 0) {
		return EXIT_FAILURE;
	}
	options.reindex.stop = common_catch_interrupts();
	common_raise_file_limit();
	r = run(&options);
	run_output_drop(&options.output);
	return r;
}

int main(int argc, char *argv[])
{
	return common_start("ditindex", EXIT_FAILURE, ditindex, argc, argv);
}
