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
#include <stdlib.h>
#include <string.h>

#include <ditkit/check.h>

#include "arguments.h"
#include "check_options.h"
#include "check_output.h"
#include "run_facts.h"
#include "run_output.h"
#include "summary.h"

static const struct meter_phase phases[] = {
	[DIT_CHECK_STRUCTURE] = {"structure", 15, NULL},
	[DIT_CHECK_ENTRIES] = {"entries", 83, NULL},
	[DIT_CHECK_INDEXES] = {"indexes", 2, NULL},
};

/* Lines that are no search, and searches that are none to us. */
static void tell_log(const struct output *output, const struct filter_log *log)
{
	const json_t *configs = json_object_get(output->json, "configuration");
	const json_t *searches = json_object_get(json_array_get(configs, 0), "searches");
	uint64_t n = log->nunread + fact_number(searches, "unread");

	if (n > 0) {
		(void)common_say(0, "%lu of %lu lines of the log could not be read", n,
		                 log->nlines);
	}
}

/* The output of --stats in addition to the sizes. @return 0; -1 after a message */
static int finish_sizes(struct check_options *options, struct output *output,
                        struct result_file *report)
{
	char *words = common_conf_words(&options->common);

	if (words == NULL) {
		return common_say(-1, "no memory");
	}
	output_advise(output, &options->log, words);
	free(words);
	tell_log(output, &options->log);
	if (report->file == NULL) {
		return 0;
	}
	report_write(report->file, output->json, NULL);
	return result_file_place(report);
}

static void set_callbacks(struct check_options *options, struct output *output)
{
	struct dit_check_opts *check = &options->check;

	COMMON_CALLBACKS(check, &options->common, &output->meter);
	check->found = output_found;
	check->found_ctx = output;
	if (options->wants_sizes) {
		check->sizes = output_sizes;
		check->sizes_ctx = output;
		check->config = output_config;
		check->config_ctx = output;
	}
	if (options->log.nfiles > 0) {
		check->searches = filter_log_next;
		check->searches_ctx = &options->log;
	}
	check->file = output_file;
	check->file_ctx = output;
}

static enum status check(struct check_options *options, const volatile sig_atomic_t *stop)
{
	struct dit_check_stats stats;
	struct output output;
	struct result_file report = {.file = NULL};
	enum status status = STATUS_NOT_CHECKED;
	int r = 0;

	if (output_init(&output, options->is_json) < 0) {
		return common_say(STATUS_NOT_CHECKED, "no memory");
	}
	/* Before the work, by the user who started the program. */
	if (result_file_open(&report, options->report_path) < 0) {
		output_deinit(&output);
		return STATUS_NOT_CHECKED;
	}
	output.is_verbose = common_is_given(&options->common, 'v');
	set_callbacks(options, &output);
	options->check.stop = stop;
	common_start_meter(&output.meter, &options->common, phases,
	                   options->check.is_quick ? 1 : DIT_CHECK_NPHASES);
	r = dit_check(&options->check, &stats);
	meter_end(&output.meter, r == 0);
	if (r == DIT_E_STOPPED) {
		(void)common_say(0, "interrupted");
	}
	if (r == 0 && options->wants_sizes) {
		r = finish_sizes(options, &output, &report);
	}
	if (r == 0) {
		status = stats.nfindings == 0 ? STATUS_CLEAN : STATUS_FINDINGS;
	}
	if (output_finish(&output, &stats) < 0) {
		status = common_say(STATUS_NOT_CHECKED,
		                    "findings could not be written: %s", strerror(errno));
	}
	result_file_drop(&report);
	output_deinit(&output);
	dit_check_stats_deinit(&stats);
	return status;
}

static int ditcheck(int argc, char *argv[])
{
	struct check_options options;
	enum status status = STATUS_NOT_CHECKED;

	if (check_options_read(&options, argc, argv) == 0) {
		status = common_print_help(&options.common) ? STATUS_CLEAN
		         : options.wants_compare
		                 ? compare(&options, common_catch_interrupts())
		                 : check(&options, common_catch_interrupts());
	}
	filter_log_deinit(&options.log);
	return (int)status;
}

int main(int argc, char *argv[])
{
	return common_start("ditcheck", STATUS_NOT_CHECKED, ditcheck, argc, argv);
}
