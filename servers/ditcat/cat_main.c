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

#include <ditkit/export.h>
#include <ditkit/load.h>

#include "arguments.h"
#include "cat_options.h"
#include "interrupts.h"

static void print_report(void *ctx, const struct dit_report *report)
{
	const struct cat_options *options = ctx;

	common_print_report("ditcat", options->common.is_silent, report);
}

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

static int run(struct cat_options *options)
{
	struct dit_export_stats stats;
	int r = 0;

	/* A reader that goes away shows as an error of writing. */
	(void)signal(SIGPIPE, SIG_IGN);
	options->export.stop = common_catch_interrupts();
	options->export.before_open = common_become_user;
	options->export.before_open_ctx = &options->common.user;
	options->export.report = print_report;
	options->export.report_ctx = options;
	r = dit_export(&options->export, &stats);
	if (r == 0 && options->want_stats) {
		print_stats(&stats);
	}
	return r < 0 || stats.nunreadable > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char *argv[])
{
	struct cat_options options;
	int status = EXIT_FAILURE;

	if (cat_options_read(&options, argc, argv) < 0) {
		status = EXIT_FAILURE;
	} else if (options.common.want_help) {
		cat_options_help();
		status = EXIT_SUCCESS;
	} else if (options.common.want_version) {
		(void)printf("ditcat (%s)\n", dit_version());
		status = EXIT_SUCCESS;
	} else {
		status = run(&options);
	}
	cat_options_deinit(&options);
	return status;
}
