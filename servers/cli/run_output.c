/* SPDX-License-Identifier: BSD-2-Clause */
#include "run_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "arguments.h"
#include "report_run.h"
#include "run_facts.h"
#include "summary.h"

/* Microseconds of runs of weeks. */
#define DIGITS 12

bool run_output_wants_lists(const struct run_output *output)
{
	return output->stats_path != NULL || output->report_path != NULL;
}

bool run_output_is_wanted(const struct run_output *output)
{
	return output->wants_lines || output->wants_summary ||
	       run_output_wants_lists(output);
}

int run_output_open(struct run_output *output, const char *program)
{
	int r = 0;

	if (output->stats_path != NULL) {
		r = result_file_open(&output->stats, program, output->stats_path);
	}
	if (r == 0 && output->report_path != NULL) {
		r = result_file_open(&output->report, program, output->report_path);
	}
	return r;
}

static int write_stats(struct run_output *output, const json_t *json)
{
	FILE *file = output->stats.file;

	if (json_dumpf(json, file, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS)) == 0) {
		(void)fputc('\n', file);
	}
	return result_file_place(&output->stats);
}

/* @return 0; -1 after a message */
static int write_lines(const char *program, const json_t *json)
{
	const char *result = fact_text(json, "result");

	if (strcmp(result, "failed") == 0 || strcmp(result, "unneeded") == 0) {
		return 0;
	}
	summary_print_stats(stdout, json);
	return common_flush_output(program);
}

int run_output_write(struct run_output *output, json_t *json)
{
	int r = 0;

	if (json == NULL) {
		(void)fputs("no memory for the statistics\n", stderr);
		run_output_drop(output);
		return -1;
	}
	if (output->wants_lines) {
		r = write_lines(fact_text(json, "program"), json);
	}
	if (output->wants_summary && strcmp(fact_text(json, "result"), "failed") != 0) {
		summary_print(stderr, json, output->next);
	} else if (output->wants_summary) {
		summary_print_failed(stderr, json, output->next);
	}
	if (output->stats.file != NULL) {
		r = write_stats(output, json) < 0 ? -1 : r;
	}
	if (output->report.file != NULL) {
		report_write(output->report.file, json, output->next);
		r = result_file_place(&output->report) < 0 ? -1 : r;
	}
	return r;
}

void run_output_drop(struct run_output *output)
{
	result_file_drop(&output->stats);
	result_file_drop(&output->report);
	free(output->next);
	output->next = NULL;
}
