/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines: the differences, as dit_compare() says them.
 *
 * JSON: {"differences": 3, "texts": ["cn: key 44984567: 2 IDs: 2 3 | 1 IDs: 2", ...]}
 */
#include "check_compare.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "arguments.h"
#include "interrupts.h"
#include "meter.h"
#include "run_facts.h"

/* Weights from one comparison of two loads of 50,000 people. */
enum phase {
	PHASE_FIRST,
	PHASE_SECOND,
	PHASE_RECORDS,
	NPHASES
};
static const struct forecast_phase phases[NPHASES] = {
	[PHASE_FIRST] = {.name = "first file", .weight = 1},
	[PHASE_SECOND] = {.name = "second file", .weight = 1},
	[PHASE_RECORDS] = {.name = "records", .weight = 2},
};

struct comparison {
	struct meter meter;
	enum phase phase;
	struct dit_progress last; /* of the first file */
	const struct check_options *options;
	uint64_t ndamages;
	json_t *texts; /* NULL: lines */
};

static void say(void *ctx, const struct dit_report *report)
{
	struct comparison *comparison = ctx;

	meter_break(&comparison->meter);
	if (report->kind != DIT_REPORT_DIAGNOSTIC) {
		common_print_report("ditcheck", comparison->options->common.is_silent,
		                    report);
	} else if (comparison->texts != NULL) {
		(void)json_array_append_new(comparison->texts, json_text(report->text));
	} else {
		(void)puts(report->text);
	}
}

/* The counts are those of the first file: the others have as many, or nearly. */
static void show(void *ctx, const struct dit_progress *progress)
{
	struct comparison *comparison = ctx;
	struct dit_progress shown = *progress;

	shown.phase = comparison->phase;
	if (comparison->phase == PHASE_FIRST) {
		comparison->last = shown;
	} else {
		shown.bytes_read = comparison->last.bytes_read;
		shown.bytes_total = comparison->last.bytes_total;
	}
	if (comparison->phase == PHASE_RECORDS) {
		shown.threads = comparison->last.threads;
	}
	meter_show(&comparison->meter, &shown);
}

/* Everything but the structure can be compared. */
static void count_damage(void *ctx, const struct dit_check_finding *finding)
{
	struct comparison *comparison = ctx;

	comparison->ndamages += strncmp(finding->kind, "database-", 9) != 0;
}

/* Records that are read in order can be the same where a look-up misses some of them. */
static bool is_sound(struct comparison *comparison, const char *directory,
                     const volatile sig_atomic_t *stop)
{
	struct dit_check_opts check = comparison->options->check;
	struct dit_check_stats stats;
	int r = 0;

	check.path = directory;
	check.is_quick = true;
	check.max_findings = 0;
	check.report = say;
	check.report_ctx = comparison;
	check.found = count_damage;
	check.found_ctx = comparison;
	check.stop = stop;
	check.progress = show;
	check.progress_ctx = comparison;
	r = dit_check(&check, &stats);
	dit_check_stats_deinit(&stats);
	meter_break(&comparison->meter);
	comparison->phase++;
	if (r == DIT_E_STOPPED) {
		(void)fputs("ditcheck: interrupted\n", stderr);
	} else if (r == 0 && comparison->ndamages > 0) {
		(void)fprintf(stderr,
		              "ditcheck: %s is damaged and was not compared; ditcheck "
		              "--quick --database says how\n",
		              directory);
	}
	return r == 0 && comparison->ndamages == 0;
}

static int print_json(const struct comparison *comparison, uint64_t ndifferences)
{
	json_t *json = json_pack("{s:I, s:O}", "differences", (json_int_t)ndifferences,
	                         "texts", comparison->texts);
	int r = json == NULL ? -1 : json_dumpf(json, stdout, JSON_INDENT(1));

	(void)putchar('\n');
	json_decref(json);
	return r;
}

static enum status compare_sound(struct comparison *comparison,
                                 const volatile sig_atomic_t *stop)
{
	struct dit_compare_opts opts = comparison->options->compare;
	uint64_t ndifferences = 0;
	bool is_printed = true;
	int r = 0;

	opts.stop = stop;
	opts.progress = show;
	opts.progress_ctx = comparison;
	r = dit_compare(&opts, say, comparison, &ndifferences);
	meter_end(&comparison->meter, r == 0);
	if (r == DIT_E_STOPPED) {
		(void)fputs("ditcheck: interrupted\n", stderr);
		return STATUS_NOT_CHECKED;
	}
	if (r < 0) {
		(void)fprintf(stderr, "ditcheck: %s, %s: %s\n", opts.first, opts.second,
		              r == -EINVAL ? "this is one database" : dit_strerror(r));
		return STATUS_NOT_CHECKED;
	}
	if (comparison->texts != NULL) {
		is_printed = print_json(comparison, ndifferences) == 0;
	}
	if (!is_printed || fflush(stdout) != 0 || ferror(stdout) != 0) {
		(void)fprintf(stderr, "ditcheck: differences could not be written: %s\n",
		              strerror(errno));
		return STATUS_NOT_CHECKED;
	}
	return ndifferences == 0 ? STATUS_CLEAN : STATUS_FINDINGS;
}

enum status compare(struct check_options *options, const volatile sig_atomic_t *stop)
{
	const char *const directories[] = {options->compare.first,
	                                   options->compare.second};
	struct comparison comparison = {.options = options};
	const struct meter_plan plan = {.program = "ditcheck",
	                                .phases = phases,
	                                .nphases = NPHASES,
	                                .is_quiet = options->common.has_debug,
	                                .request = common_catch_requests()};
	enum status status = STATUS_NOT_CHECKED;

	if (common_become_user(&options->common.user, directories, 2) < 0) {
		return STATUS_NOT_CHECKED;
	}
	if (options->is_json) {
		comparison.texts = json_array();
		if (comparison.texts == NULL) {
			(void)fputs("ditcheck: no memory\n", stderr);
			return STATUS_NOT_CHECKED;
		}
	}
	meter_start(&comparison.meter, &options->common.meter, &plan);
	if (is_sound(&comparison, options->compare.first, stop) &&
	    is_sound(&comparison, options->compare.second, stop)) {
		status = compare_sound(&comparison, stop);
	}
	json_decref(comparison.texts);
	return status;
}
