/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ditcat: write the entries of the database of a slapd.conf as LDIF or JSON.
 *
 * Options in, LDIF out; the work is dit_export()'s. Exit status as slapcat's: 0, or 1 for
 * any failure.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <ditkit/clock.h>
#include <ditkit/export.h>

#include "arguments.h"
#include "common_options.h"
#include "config_database.h"
#include "default_paths.h"
#include "meter.h"

struct cat_options {
	struct common_options common;
	struct dit_export_opts export;
	struct dit_export_url url; /* of -H */
	bool want_stats;
	bool has_wrap; /* -o ldif-wrap=... */
};

#define FORMAT_JSONL 2 /* the second word of --format */

/* ---- options; a wrong call prints its specific error and where more is said ---- */

static const struct config_tool slapcat = {.name = "slapcat",
                                           .letters = "abcdfFgHlnosv",
                                           .does = "exports",
                                           .needs_tree = true};

/* slapd's: a number without sign, blanks before it allowed, up to UINT_MAX. */
static int read_wrap(struct cat_options *options, const char *value)
{
	unsigned long n = 0;
	char *end = NULL;

	if (value == NULL) {
		return 0; /* nothing is said about it */
	}
	options->has_wrap = true;
	if (strcasecmp(value, "no") == 0) {
		options->export.wrap = DIT_EXPORT_WRAP_NONE;
		return 0;
	}
	errno = 0;
	n = strtoul(value, &end, 10);
	if (end == value || *end != '\0' || errno != 0 || n > UINT_MAX ||
	    strchr(value, '-') != NULL) {
		(void)fputs("unable to parse ldif_wrap=\"", stderr);
		text_echo(stderr, value);
		(void)fputs("\".\n", stderr);
		return common_point_to_help();
	}
	if (n == 0) {
		options->export.wrap = DIT_EXPORT_WRAP_DEFAULT;
	} else {
		options->export.wrap =
			n < DIT_EXPORT_WRAP_MIN ? DIT_EXPORT_WRAP_MIN : (unsigned)n;
	}
	return 0;
}

static int read_o(struct cat_options *options, const char *text)
{
	struct common_setting setting = common_read_setting(text);

	if (common_is_setting(&setting, "ldif-wrap") ||
	    common_is_setting(&setting, "ldif_wrap")) {
		return read_wrap(options, setting.value);
	}
	return common_pass_setting(text);
}

/* Parts that the URL leaves out stay as other options have them. */
static int read_url(struct cat_options *options, const char *text)
{
	/* The last one of several URLs counts. */
	if (options->url.base != NULL) {
		options->export.base = NULL;
	}
	if (options->url.filter != NULL) {
		options->export.filter = NULL;
	}
	dit_export_url_deinit(&options->url);
	if (dit_export_url_read(&options->url, text) < 0) {
		return common_wrong("-H takes ldap:///DN?\?SCOPE?FILTER, not", text);
	}
	options->export.scope = options->url.scope;
	if (options->url.base != NULL) {
		options->export.base = options->url.base;
	}
	if (options->url.filter != NULL) {
		options->export.filter = options->url.filter;
	}
	return 0;
}

static int read_own(void *ctx, int option, const char *text)
{
	struct cat_options *options = ctx;

	switch (option) {
	case 'a':
		options->export.filter = text;
		return 0;
	case 'H':
		return read_url(options, text);
	case 'o':
		return read_o(options, text);
	case 's':
		options->export.base = text;
		options->export.scope = DIT_SCOPE_SUBTREE;
		return 0;
	}
	return 0;
}

static void take_values(struct cat_options *options)
{
	const struct common_options *common = &options->common;

	common_take_export(&options->export, common);
	options->export.format = common_number(common, OPT_FORMAT) == FORMAT_JSONL
	                                 ? DIT_EXPORT_JSONL
	                                 : DIT_EXPORT_LDIF;
	options->want_stats = common_is_given(common, OPT_STATS);
}

/* Texts point into argv or into the options. The caller frees the URL in every case.
 * @return 0; -1 after a message */
static int read_options(struct cat_options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct cat_options){.export = DIT_EXPORT_OPTS_INIT};
	r = common_read_options(&options->common, argc, argv, read_own, options);
	if (r <= 0) {
		return r;
	}
	if (common_check_options(&options->common, argc, argv) < 0) {
		return -1;
	}
	if (config_database_is_meant(&options->common)) {
		return config_database_hand_over(&options->common, &slapcat,
		                                 DIT_DEFAULT_SLAPD, argc, argv);
	}
	take_values(options);
	if (options->has_wrap && options->export.format == DIT_EXPORT_JSONL) {
		return common_wrong_call("--format=jsonl excludes -o ldif-wrap");
	}
	return 0;
}

/* ---- the work ---- */

/* Standard output is the export's. */
static void print_stats(const struct dit_export_stats *stats)
{
	(void)fprintf(stderr,
	              "%lu entries, %lu bytes written, %lu entries not readable; %u "
	              "thread%s\n",
	              stats->nentries, stats->nbytes, stats->nunreadable, stats->threads,
	              stats->threads == 1 ? "" : "s");
}

/* For a person who looks: an export on standard output ends by itself. */
static void print_summary(const struct cat_options *options,
                          const struct dit_export_stats *stats, double seconds)
{
	if (options->export.output == NULL || options->want_stats ||
	    options->common.has_debug || isatty(STDERR_FILENO) != 1) {
		return;
	}
	(void)fprintf(stderr, "Wrote %s entr%s, %s, to %s in %s\n",
	              figure_count(stats->nentries).text,
	              stats->nentries == 1 ? "y" : "ies",
	              figure_bytes(stats->nbytes).text, options->export.output,
	              figure_seconds(seconds).text);
}

/* A name that is mistyped looks like a branch without entries. */
static void tell_missing(const struct cat_options *options,
                         const struct dit_export_stats *stats)
{
	const struct dit_export_opts *export = &options->export;

	if (stats->nentries + stats->nunreadable == 0 && export->base != NULL &&
	    export->filter == NULL && export->scope == DIT_SCOPE_SUBTREE &&
	    !options->common.is_silent) {
		(void)common_say(0,
		                 "warning: there is no entry \"%s\", and none below it",
		                 export->base);
	}
}

static const struct meter_phase phases[] = {
	[DIT_EXPORT_ENTRIES] = {"entries", 95, NULL},
	[DIT_EXPORT_PUBLISH] = {"publishing", 5, NULL},
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
	/* A terminal that shows the export shows nothing else. */
	options->common.is_quiet |=
		options->export.output == NULL && isatty(STDOUT_FILENO) == 1;
	common_start_meter(&meter, &options->common, phases, DIT_EXPORT_NPHASES);
	r = dit_export(&options->export, &stats);
	meter_end(&meter, r == 0);
	if (r == 0 && options->want_stats) {
		print_stats(&stats);
	}
	if (r == 0) {
		tell_missing(options, &stats);
		print_summary(options, &stats,
		              (double)(dit_clock_us(CLOCK_MONOTONIC) - start_us) / 1e6);
	}
	return r < 0 || stats.nunreadable > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int ditcat(int argc, char *argv[])
{
	struct cat_options options;
	int status = EXIT_FAILURE;

	if (read_options(&options, argc, argv) == 0) {
		status =
			common_print_help(&options.common) ? EXIT_SUCCESS : run(&options);
	}
	dit_export_url_deinit(&options.url);
	return status;
}

int main(int argc, char *argv[])
{
	return common_start("ditcat", EXIT_FAILURE, ditcat, argc, argv);
}
