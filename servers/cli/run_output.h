/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the statistics of a run go: the lines of --stats, --stats=FILE, --report=FILE,
 * and the summary on a terminal. All of them are printed from the JSON (doc/stats.md).
 *
 *   run_output_open()          before the work
 *   run_output_write()         after it, or run_output_drop()
 */
#ifndef DITKIT_COMMON_RUN_OUTPUT_H
#define DITKIT_COMMON_RUN_OUTPUT_H

#include <stdbool.h>

#include "result_file.h"

struct json_t; /* jansson.h */

struct run_output {
	const char *stats_path;  /* NULL: not wanted */
	const char *report_path; /* likewise */
	struct result_file stats;
	struct result_file report;
	bool wants_lines;   /* --stats: on standard output, of a run that succeeded */
	bool wants_summary; /* on standard error */
	char *next;         /* its last line (summary.h); owned; NULL: none */
};

/** Does anybody want the statistics? */
bool run_output_is_wanted(const struct run_output *output);
/** Does anybody want lengths of lists, which cost some time (index_cost.h)? */
bool run_output_wants_lists(const struct run_output *output);

/** 0; -1 after a message: a file cannot be written. */
int run_output_open(struct run_output *output, const char *program);

/**
 * Write and place what is wanted.
 *
 * @param json  NULL: there was no memory for it
 *
 * @return 0; -1 after a message
 */
int run_output_write(struct run_output *output, struct json_t *json);

/** Also if it is not open. */
void run_output_drop(struct run_output *output);

#endif
