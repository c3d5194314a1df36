/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ditcheck: check the database of a slapd.conf, or compare two.
 *
 * Options in, findings out; the work is dit_check()'s and dit_compare()'s. Exit status: 0
 * nothing is wrong (the content is the same), 1 something is, 2 it could not be checked.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <ditkit/check.h>
#include <ditkit/load.h>

#include "check_compare.h"
#include "check_options.h"
#include "check_output.h"
#include "check_status.h"
#include "interrupts.h"

/* Prices from one run with 2 threads: 20,000 entries of 0.9 KiB, 27 indexes. */
static const struct forecast_phase phases[DIT_CHECK_NPHASES] = {
	[DIT_CHECK_STRUCTURE] = {.name = "structure", .costs = {.byte_read = 0.0003}},
	[DIT_CHECK_ENTRIES] = {.name = "entries", .costs = {.byte_read = 0.0025}},
	[DIT_CHECK_INDEXES] = {.name = "indexes", .costs = {.byte_read = 0.002}},
};

static struct meter_plan make_plan(const struct check_options *options)
{
	return (struct meter_plan){
		.program = "ditcheck",
		.phases = phases,
		.nphases = options->check.is_quick ? 1 : DIT_CHECK_NPHASES,
		.is_quiet = options->common.has_debug,
		.request = common_catch_requests(),
	};
}

static enum status check(struct check_options *options, const volatile sig_atomic_t *stop)
{
	struct dit_check_stats stats;
	struct output output;
	struct meter_plan plan = make_plan(options);
	enum status status = STATUS_NOT_CHECKED;
	int r = 0;

	if (output_init(&output, options->is_json) < 0) {
		(void)fputs("ditcheck: no memory\n", stderr);
		return STATUS_NOT_CHECKED;
	}
	output.is_silent = options->common.is_silent;
	output.is_verbose = options->common.is_verbose;
	options->check.before_open = common_become_user;
	options->check.before_open_ctx = &options->common.user;
	options->check.report = output_report;
	options->check.report_ctx = &output;
	options->check.found = output_found;
	options->check.found_ctx = &output;
	if (options->wants_sizes) {
		options->check.sizes = output_sizes;
		options->check.sizes_ctx = &output;
	}
	options->check.file = output_file;
	options->check.file_ctx = &output;
	options->check.progress = output_progress;
	options->check.progress_ctx = &output;
	options->check.stop = stop;
	meter_start(&output.meter, &options->common.meter, &plan);
	r = dit_check(&options->check, &stats);
	meter_end(&output.meter, r == 0);
	if (r == DIT_E_STOPPED) {
		(void)fputs("ditcheck: interrupted\n", stderr);
	}
	if (r == 0) {
		status = stats.nfindings == 0 ? STATUS_CLEAN : STATUS_FINDINGS;
	}
	if (output_finish(&output, &stats) < 0) {
		(void)fprintf(stderr, "ditcheck: findings could not be written: %s\n",
		              strerror(errno));
		status = STATUS_NOT_CHECKED;
	}
	dit_check_stats_deinit(&stats);
	return status;
}

int main(int argc, char *argv[])
{
	struct check_options options;
	const volatile sig_atomic_t *stop = NULL;
	int r = check_options_read(&options, argc, argv);

	if (r < 0) {
		return STATUS_NOT_CHECKED;
	}
	if (options.common.want_help) {
		check_options_help();
		return STATUS_CLEAN;
	}
	if (options.common.want_version) {
		(void)printf("ditcheck (%s)\n", dit_version());
		return STATUS_CLEAN;
	}
	stop = common_catch_interrupts();
	return (int)(options.wants_compare ? compare(&options, stop)
	                                   : check(&options, stop));
}
