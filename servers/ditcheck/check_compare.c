/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines: the differences, as dit_compare() says them.
 *
 * JSON: {"format": 1, "program", "version", "differences": 3,
 * "texts": ["id2e: \"cn=a,dc=x\", sn: ...", ...]}
 */
#include "check_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ditkit/version.h>

#include <jansson.h>

#include "arguments.h"
#include "meter.h"
#include "run_facts.h"

/* Weights from one comparison of two loads of 50,000 people. */
static const struct meter_phase phases[DIT_COMPARE_NPHASES] = {
	[DIT_COMPARE_FIRST] = {.name = "first file", .weight = 1},
	[DIT_COMPARE_SECOND] = {.name = "second file", .weight = 1},
	[DIT_COMPARE_RECORDS] = {.name = "records", .weight = 2},
};

struct comparison {
	struct meter meter;
	json_t *texts; /* NULL: lines */
	bool is_lost;  /* there was no memory for something */
};

static void say(void *ctx, const struct dit_report *report)
{
	struct comparison *comparison = ctx;

	meter_break(&comparison->meter);
	if (comparison->texts != NULL) {
		comparison->is_lost |= json_array_append_new(comparison->texts,
		                                             json_text(report->text)) < 0;
	} else {
		(void)puts(report->text);
	}
}

static int print_json(const struct comparison *comparison, uint64_t ndifferences)
{
	return json_print(stdout,
	                  json_pack("{s:i, s:s, s:s, s:I, s:O}", "format", 1, "program",
	                            "ditcheck", "version", dit_version(), "differences",
	                            (json_int_t)ndifferences, "texts", comparison->texts),
	                  JSON_INDENT(1));
}

static enum status run(struct comparison *comparison, const struct dit_compare_opts *opts)
{
	uint64_t ndifferences = 0;
	bool is_printed = true;
	int r = dit_compare(opts, say, comparison, &ndifferences);

	meter_end(&comparison->meter, r == 0);
	if (r < 0) {
		return r == DIT_E_STOPPED ? common_say(STATUS_NOT_CHECKED, "interrupted")
		                          : STATUS_NOT_CHECKED;
	}
	if (comparison->texts != NULL) {
		is_printed = print_json(comparison, ndifferences) == 0;
	}
	if (comparison->is_lost) {
		return common_say(STATUS_NOT_CHECKED, "no memory");
	}
	if (!is_printed || fflush(stdout) != 0 || ferror(stdout) != 0) {
		return common_say(STATUS_NOT_CHECKED,
		                  "differences could not be written: %s",
		                  strerror(errno));
	}
	return ndifferences == 0 ? STATUS_CLEAN : STATUS_FINDINGS;
}

enum status compare(struct check_options *options, const volatile sig_atomic_t *stop)
{
	struct dit_compare_opts *opts = &options->compare;
	struct comparison comparison = {.texts = NULL};
	enum status status = STATUS_NOT_CHECKED;

	if (options->is_json) {
		comparison.texts = json_array();
		if (comparison.texts == NULL) {
			return common_say(STATUS_NOT_CHECKED, "no memory");
		}
	}
	COMMON_CALLBACKS(opts, &options->common, &comparison.meter);
	opts->stop = stop;
	common_start_meter(&comparison.meter, &options->common, phases,
	                   DIT_COMPARE_NPHASES);
	status = run(&comparison, opts);
	json_decref(comparison.texts);
	return status;
}
