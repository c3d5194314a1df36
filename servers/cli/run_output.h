/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the statistics of a run go: the lines of --stats, --stats=FILE, --report=FILE,
 * and the summary on a terminal. All of them are printed from the JSON (doc/stats.md).
 *
 *   run_output_of()            after the options were read
 *   run_output_open()          before the work
 *   run_output_start()         when the work begins, as its meter
 *   run_output_write()         after it
 *   run_output_drop()          in every case
 *
 * A file with results appears when it is complete. It is opened, and gets its name, as an
 * export (export_file.h). A file that /dev or /proc leads to, such as standard output, is
 * appended to.
 *
 *   result_file_open()      before the work, as the user who started the program
 *   write to .file
 *   result_file_place()     or, to give up, result_file_drop()
 *
 * Threads: belongs to one thread. Open it before other threads start: it may fork.
 */
#ifndef DITKIT_COMMON_RUN_OUTPUT_H
#define DITKIT_COMMON_RUN_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include <ditkit/export_file.h>

#include "run_record.h"

/* ---- a file with results ---- */

/** Zero: none is open. */
struct result_file {
	const char *path; /* borrowed; NULL: no file is wanted */
	FILE *file;       /* NULL: it is not open */
	int error;        /* -errno of the write that failed; 0: none has */
	struct dit_export_file out;
};

/** @p file stays where it is. 0, also without a path; -1 after a message on standard
 * error: the file cannot be written. */
int result_file_open(struct result_file *file, const char *path);

/** Close the file and give it its name. 0; -1 after a message: the place is unchanged. */
int result_file_place(struct result_file *file);

/** Remove what was written; also if it is not open. */
void result_file_drop(struct result_file *file);

struct json_t; /* jansson.h */

struct run_output {
	struct result_file stats;  /* without a path: not wanted */
	struct result_file report; /* likewise */
	bool wants_lines;   /* --stats: on standard output, of a run that succeeded */
	bool wants_summary; /* on standard error */
	char *next;         /* its last line (summary.h); owned; NULL: none */
	struct run_record record; /* the course of the run */
};

/** The results that the options want. A summary is for a person: standard error is a
 * terminal, there is no -d, and the lines of --stats do not say the same. */
struct run_output run_output_of(const struct common_options *options);

/** Does anybody want the statistics? */
bool run_output_is_wanted(const struct run_output *output);
/** Does anybody want lengths of lists, which cost some time (index_cost.h)? */
bool run_output_wants_lists(const struct run_output *output);

/** 0; -1 after a message: a file cannot be written. */
int run_output_open(struct run_output *output);

/** Begin the record of the run. The meter gives it the progress, if anybody wants the
 * course of the run: noting it down costs calls. @param phases  of the meter, all */
void run_output_start(struct run_output *output, const struct common_options *options,
                      struct meter *meter, unsigned nphases);

/**
 * End the record, write and place what is wanted.
 *
 * @param own  as in run_record_json(), as the others
 *
 * @return 0; -1 after a message
 */
int run_output_write(struct run_output *output, struct json_t *own,
                     const uint64_t *wall_us, const uint64_t *cpu_us);

/** Also if it is not open. */
void run_output_drop(struct run_output *output);

#endif
