/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ditsplit: split LDIF into shards, by a map.
 *
 * Options in, files out; the work is dit_split()'s. Exit status: 0, or 1 for any failure.
 */
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "interrupts.h"
#include "meter.h"
#include "split_options.h"

static void print_stats(const struct split_options *options,
                        const struct dit_split_stats *stats)
{
	(void)printf("part %u of %u: %llu records read, %llu without a DN\n",
	             options->split.part, options->split.nparts,
	             (unsigned long long)stats->nrecords,
	             (unsigned long long)stats->nunnamed);
	for (size_t i = 0; i < stats->nshards; i++) {
		(void)printf("%s: %llu records, %llu bytes\n", stats->shards[i].name,
		             (unsigned long long)stats->shards[i].nrecords,
		             (unsigned long long)stats->shards[i].nbytes);
	}
}

static const struct meter_phase phases[] = {
	[DIT_SPLIT_RECORDS] = {"records", 95},
	[DIT_SPLIT_PUBLISH] = {"publishing", 5},
};

/* @return the exit status */
static int split(struct split_options *options)
{
	struct dit_split_stats stats;
	struct meter meter;
	int r = 0;

	options->split.stop = common_catch_interrupts();
	options->split.report = meter_take_report;
	options->split.report_ctx = &meter;
	options->split.progress = meter_take_progress;
	options->split.progress_ctx = &meter;
	common_start_meter(&meter, &options->common, phases, DIT_SPLIT_NPHASES);
	r = dit_split(&options->split, &stats);
	meter_end(&meter, r == 0);
	if (r == 0 && options->want_stats) {
		print_stats(options, &stats);
		r = common_flush_output("ditsplit");
	}
	dit_split_stats_deinit(&stats);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int ditsplit(int argc, char *argv[])
{
	struct split_options options;
	int status = EXIT_FAILURE;

	if (split_options_read(&options, argc, argv) < 0) {
		status = EXIT_FAILURE;
	} else if (common_print_help(&options.common)) {
		status = EXIT_SUCCESS;
	} else {
		common_raise_file_limit(); /* a file for each shard */
		if (inputs_wait_for_terminal(&options.inputs) &&
		    !options.common.is_silent) {
			(void)fputs("ditsplit: reading LDIF from the terminal; Ctrl-D "
			            "ends it\n",
			            stderr);
		}
		status = split(&options);
	}
	split_options_deinit(&options);
	return status;
}

int main(int argc, char *argv[])
{
	return common_start("ditsplit", EXIT_FAILURE, ditsplit, argc, argv);
}
