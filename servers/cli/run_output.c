/* SPDX-License-Identifier: BSD-2-Clause */
#include "run_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "arguments.h"
#include "run_facts.h"
#include "summary.h"

/* ---- a file with results ---- */

static int fail(const struct result_file *file, int r)
{
	return common_fail_path(file->path,
	                        file->out.why[0] == '\0' ? strerror(-r) : file->out.why);
}

/* For fopencookie(3), which knows no reason by the time that it tells a failure. */
static ssize_t put(void *cookie, const char *bytes, size_t len)
{
	struct result_file *file = cookie;
	size_t at = 0;

	while (at < len && file->error == 0) {
		ssize_t n = write(file->out.fd, bytes + at, len - at);

		at += n > 0 ? (size_t)n : 0;
		file->error = n < 0 && errno != EINTR ? -errno : 0;
	}
	return file->error == 0 ? (ssize_t)len : 0;
}

int result_file_open(struct result_file *file, const char *path)
{
	int r = 0;

	*file = (struct result_file){.path = path};
	if (path == NULL) {
		return 0;
	}
	/* Where standard output is a file, what is in it stays. */
	r = dit_export_file_open(&file->out, path, O_APPEND, NULL);
	if (r == 0) {
		file->file =
			fopencookie(file, "w", (cookie_io_functions_t){.write = put});
		r = file->file == NULL ? -errno : dit_export_file_keep(&file->out);
	}
	if (r < 0) {
		(void)fail(file, r);
		result_file_drop(file);
	}
	return r < 0 ? -1 : 0;
}

int result_file_place(struct result_file *file)
{
	int r = fflush(file->file) != 0 && file->error == 0 ? -errno : file->error;

	r = r < 0 ? r : dit_export_file_finish(&file->out);
	r = r < 0 ? fail(file, r) : 0;
	result_file_drop(file);
	return r;
}

void result_file_drop(struct result_file *file)
{
	if (file->file != NULL) {
		(void)fclose(file->file);
		file->file = NULL;
	}
	dit_export_file_close(&file->out);
}

/* Microseconds of runs of weeks. */
#define DIGITS 12

struct run_output run_output_of(const struct common_options *options)
{
	bool wants_lines = common_number(options, OPT_STATS) == 1;

	return (struct run_output){.stats.path = common_text(options, OPT_STATS),
	                           .report.path = common_text(options, OPT_REPORT),
	                           .wants_lines = wants_lines,
	                           .wants_summary = !wants_lines && !options->has_debug &&
	                                            isatty(STDERR_FILENO) == 1};
}

bool run_output_wants_lists(const struct run_output *output)
{
	return output->stats.path != NULL || output->report.path != NULL;
}

static bool wants_record(const struct run_output *output)
{
	return output->wants_summary || run_output_wants_lists(output);
}

bool run_output_is_wanted(const struct run_output *output)
{
	return output->wants_lines || wants_record(output);
}

int run_output_open(struct run_output *output)
{
	int r = result_file_open(&output->stats, output->stats.path);

	return r < 0 ? r : result_file_open(&output->report, output->report.path);
}

void run_output_start(struct run_output *output, const struct common_options *options,
                      struct meter *meter, unsigned nphases)
{
	run_record_start(&output->record, options, meter->phases, nphases);
	meter->record = wants_record(output) ? &output->record : NULL;
}

/* @return 0; -1 after a message */
static int write_lines(const json_t *json)
{
	const char *result = fact_text(json, "result");

	if (strcmp(result, "failed") == 0 || strcmp(result, "unneeded") == 0) {
		return 0;
	}
	summary_print(stdout, json, NULL, true);
	return common_flush_output();
}

int run_output_write(struct run_output *output, json_t *own, const uint64_t *wall_us,
                     const uint64_t *cpu_us)
{
	json_t *json = NULL;
	int r = 0;

	run_record_end(&output->record);
	json = run_record_json(&output->record, own, wall_us, cpu_us);
	if (json == NULL) {
		(void)fputs("no memory for the statistics\n", stderr);
		return -1;
	}
	if (output->wants_lines) {
		r = write_lines(json);
	}
	if (output->wants_summary && strcmp(fact_text(json, "result"), "failed") != 0) {
		summary_print(stderr, json, output->next, false);
	} else if (output->wants_summary) {
		summary_print_failed(stderr, json, output->next);
	}
	if (output->stats.file != NULL) {
		(void)json_print(output->stats.file, json_incref(json),
		                 JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS));
		r = result_file_place(&output->stats) < 0 ? -1 : r;
	}
	if (output->report.file != NULL) {
		report_write(output->report.file, json, output->next);
		r = result_file_place(&output->report) < 0 ? -1 : r;
	}
	if (r < 0 && strcmp(fact_text(json, "result"), "stored") == 0) {
		(void)common_say(0, "the database has the result all the same");
	}
	json_decref(json);
	return r;
}

void run_output_drop(struct run_output *output)
{
	result_file_drop(&output->stats);
	result_file_drop(&output->report);
	run_record_deinit(&output->record);
	free(output->next);
	output->next = NULL;
}
