/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ditindex: build the indexes of a database anew.
 *
 * Options in, messages out; the work is dit_reindex()'s. Exit status as slapindex's: 0,
 * or 1 for any failure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <ditkit/load.h>
#include <ditkit/reindex.h>

#include "arguments.h"
#include "index_options.h"
#include "index_stats.h"
#include "interrupts.h"
#include "meter.h"

struct output {
	struct meter meter;
	bool is_silent;
};

/* slapindex prints the IDs of entries on standard output. */
static void print_report(void *ctx, const struct dit_report *report)
{
	struct output *output = ctx;

	meter_break(&output->meter);
	if (report->kind == DIT_REPORT_ADDED) {
		(void)printf("%s\n", report->text);
		return;
	}
	common_print_report("ditindex", output->is_silent, report);
}

static void print_progress(void *ctx, const struct dit_reindex_progress *progress)
{
	static const enum dit_load_phase phases[DIT_REINDEX_NPHASES] = {
		[DIT_REINDEX_ENTRIES] = DIT_LOAD_ENTRIES,
		[DIT_REINDEX_INDEXES] = DIT_LOAD_INDEXES,
		[DIT_REINDEX_PUBLISH] = DIT_LOAD_PUBLISH,
	};
	const struct dit_progress shown = {.phase = phases[progress->phase],
	                                   .nentries = progress->nentries,
	                                   .bytes_read = progress->nentries,
	                                   .bytes_total = progress->ntotal};
	struct output *output = ctx;

	meter_show(&output->meter, &shown);
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
			"%s: %llu entries were changed meanwhile; writers waited %.3f s "
			"at most, %.3f s in all\n",
			db->directory, (unsigned long long)db->nchanged,
			(double)db->longest_us / 1e6, (double)db->locked_us / 1e6);
	}
}

static int run(struct index_options *options)
{
	struct dit_reindex_stats stats;
	struct output output = {.is_silent = options->common.is_silent};
	int r = 0;

	meter_start(&output.meter,
	            !options->common.has_debug && isatty(STDERR_FILENO) == 1);
	options->reindex.report = print_report;
	options->reindex.report_ctx = &output;
	options->reindex.before_open = common_become_user;
	options->reindex.before_open_ctx = &options->common.user;
	options->common.user.writes = true;
	options->reindex.progress = print_progress;
	options->reindex.progress_ctx = &output;
	r = dit_reindex(&options->reindex, &stats);
	meter_break(&output.meter);
	if (r == 0 && options->reindex.online) {
		print_waits(&stats);
	}
	if (r == 0 && options->want_stats) {
		index_stats_print(&stats);
	}
	if (r == 0 && count_left_out(&stats) > 0) {
		r = DIT_E_REFUSED;
	}
	dit_reindex_stats_deinit(&stats);
	return r;
}

int main(int argc, char *argv[])
{
	struct index_options options;
	int r = index_options_read(&options, argc, argv);

	if (r < 0) {
		return EXIT_FAILURE;
	}
	if (options.common.want_help) {
		index_options_help();
		return EXIT_SUCCESS;
	}
	if (options.common.want_version) {
		(void)printf("ditindex (%s)\n", dit_version());
		return EXIT_SUCCESS;
	}
	options.reindex.stop = common_catch_interrupts();
	common_raise_file_limit();
	return run(&options) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
