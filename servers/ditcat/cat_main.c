/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ditcat: write the entries of the database of a slapd.conf as LDIF.
 *
 * Options in, LDIF out; the work is dit_export()'s. Exit status as slapcat's: 0, or 1 for
 * any failure.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <ditkit/clock.h>
#include <ditkit/export.h>

#include "arguments.h"
#include "cat_options.h"
#include "figures.h"
#include "interrupts.h"
#include "meter.h"

/* Standard output is the LDIF's. */
static void print_stats(const struct dit_export_stats *stats)
{
	(void)fprintf(stderr,
	              "%llu entries, %llu bytes written, %llu entries not readable; %u "
	              "thread%s\n",
	              (unsigned long long)stats->nentries,
	              (unsigned long long)stats->nbytes,
	              (unsigned long long)stats->nunreadable, stats->threads,
	              stats->threads == 1 ? "" : "s");
}

/* For a person who looks: an LDIF on standard output ends by itself. */
static void print_summary(const struct cat_options *options,
                          const struct dit_export_stats *stats, double seconds)
{
	if (options->export.output == NULL || options->want_stats ||
	    options->common.has_debug || isatty(STDERR_FILENO) != 1) {
		return;
	}
	(void)fprintf(stderr, "Wrote %s entries, %s, to %s in %s\n",
	              figure_count(stats->nentries).text,
	              figure_bytes(stats->nbytes).text, options->export.output,
	              figure_seconds(seconds).text);
}

static const struct meter_phase phases[] = {
	[DIT_EXPORT_ENTRIES] = {"entries", 95},
	[DIT_EXPORT_PUBLISH] = {"publishing", 5},
};

static int run(struct cat_options *options)
{
	struct dit_export_stats stats;
	uint64_t start_us = dit_clock_us(CLOCK_MONOTONIC);
	struct meter meter;
	int r = 0;

	/* A reader that goes away shows as an error of writing. */
	(void)signal(SIGPIPE, SIG_IGN);
	options->export.stop = common_catch_interrupts();
	COMMON_CALLBACKS(&options->export, &options->common, &meter);
	/* A terminal that shows the LDIF shows nothing else. */
	options->common.is_quiet |=
		options->export.output == NULL && isatty(STDOUT_FILENO) == 1;
	common_start_meter(&meter, &options->common, phases, DIT_EXPORT_NPHASES);
	r = dit_export(&options->export, &stats);
	meter_end(&meter, r == 0);
	if (r == 0 && options->want_stats) {
		print_stats(&stats);
	}
	if (r == 0) {
		print_summary(options, &stats,
		              (double)(dit_clock_us(CLOCK_MONOTONIC) - start_us) / 1e6);
	}
	return r < 0 || stats.nunreadable > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int ditcat(int argc, char *argv[])
{
	struct cat_options options;
	int status = EXIT_FAILURE;

	if (cat_options_read(&options, argc, argv) < 0) {
		status = EXIT_FAILURE;
	} else if (common_print_help(&options.common)) {
		status = EXIT_SUCCESS;
	} else {
		status = run(&options);
	}
	cat_options_deinit(&options);
	return status;
}

int main(int argc, char *argv[])
{
	return common_start("ditcat", EXIT_FAILURE, ditcat, argc, argv);
}
