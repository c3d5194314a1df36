/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ditadd: load LDIF into the database of a slapd.conf.
 *
 * Options in, messages out; the work is dit_load()'s. Exit status as slapadd's: 0, or 1
 * for any failure.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ditkit/load.h>

#include "arguments.h"
#include "interrupts.h"
#include "meter.h"
#include "options.h"
#include "rejects.h"
#include "stats.h"

struct output {
	struct meter meter;
	bool is_silent;
	FILE *rejects; /* NULL: none */
	const char *rejects_path;
};

static void print_report(void *ctx, const struct dit_report *report)
{
	struct output *output = ctx;

	meter_break(&output->meter);
	common_print_report("ditadd", output->is_silent, report);
}

static void print_progress(void *ctx, const struct dit_progress *progress)
{
	struct output *output = ctx;

	meter_show(&output->meter, progress);
}

static bool is_regular(const char *input)
{
	struct stat status;
	int r = input == NULL ? fstat(STDIN_FILENO, &status) : stat(input, &status);

	return r == 0 && S_ISREG(status.st_mode);
}

/* slapadd's rule: only on a terminal, for a regular file, and without -d. */
static bool wants_meter(const struct options *options)
{
	if (options->common.has_debug || !isatty(STDERR_FILENO)) {
		return false;
	}
	for (size_t i = 0; i < options->load.ninputs; i++) {
		if (!is_regular(options->inputs[i])) {
			return false;
		}
	}
	return options->load.ninputs > 0 || is_regular(NULL);
}

/* The records that the database lacks must be somewhere else by then. */
static int complete_rejects(void *ctx)
{
	struct output *output = ctx;
	int r = rejects_sync(output->rejects);

	if (r < 0) {
		meter_break(&output->meter);
		(void)fprintf(stderr,
		              "ditadd: %s: %s; the database is what it was before\n",
		              output->rejects_path, dit_strerror(r));
	}
	return r;
}

static int load(struct options *options, FILE *rejects)
{
	struct dit_load_stats stats;
	struct output output = {.is_silent = options->common.is_silent};
	int r = 0;

	meter_start(&output.meter, wants_meter(options));
	options->load.report = print_report;
	options->load.report_ctx = &output;
	options->load.before_open = common_become_user;
	options->load.before_open_ctx = &options->common.user;
	options->common.user.writes = true;
	options->load.progress = print_progress;
	options->load.progress_ctx = &output;
	if (rejects != NULL) {
		options->load.reject = rejects_write;
		options->load.reject_ctx = rejects;
		options->load.before_publish = complete_rejects;
		options->load.before_publish_ctx = &output;
		output.rejects = rejects;
		output.rejects_path = options->rejects;
	}
	r = dit_load(&options->load, &stats);
	meter_break(&output.meter);
	if (r == 0 && options->want_stats) {
		stats_print(&stats, options->load.is_dry_run);
	}
	if (r == 0 && (stats.nfailed > 0 || stats.nmissing > 0)) {
		r = DIT_E_REFUSED;
	}
	dit_load_stats_deinit(&stats);
	return r;
}

static int run(struct options *options, int argc, char *argv[])
{
	FILE *rejects = NULL;
	int r = options_read(options, argc, argv);

	if (r < 0) {
		return EXIT_FAILURE;
	}
	if (options->common.want_help) {
		options_help();
		return EXIT_SUCCESS;
	}
	if (options->common.want_version) {
		(void)printf("ditadd (%s)\n", dit_version());
		return EXIT_SUCCESS;
	}
	if (options->rejects != NULL) {
		r = rejects_open(&rejects, options->rejects);
		if (r < 0) {
			return EXIT_FAILURE;
		}
	}
	options->load.stop = common_catch_interrupts();
	common_raise_file_limit();
	r = load(options, rejects);
	if (rejects != NULL && rejects_close(rejects) < 0) {
		(void)fprintf(stderr, "ditadd: %s: not written completely\n",
		              options->rejects);
		r = -1;
	}
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char *argv[])
{
	struct options options;
	int status = run(&options, argc, argv);

	options_deinit(&options);
	return status;
}
