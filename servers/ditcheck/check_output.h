/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ditcheck prints: findings as lines, or as one JSON object at the end.
 *
 *   output_init();  as callbacks of dit_check();  output_finish()
 */
#ifndef DITCHECK_OUTPUT_H
#define DITCHECK_OUTPUT_H

#include <ditkit/check.h>

#include "check_sizes_output.h"
#include "meter.h"

struct output {
	struct meter meter;
	bool is_silent;
	bool is_verbose;
	struct json_t *json; /* NULL: lines */
	struct sizes_table sizes;
};

/** 0, or -1: no memory. */
int output_init(struct output *output, bool is_json);

/* Callbacks; ctx is the output. */
void output_report(void *ctx, const struct dit_report *report);
void output_found(void *ctx, const struct dit_check_finding *finding);
void output_sizes(void *ctx, const struct dit_check_database *database);
void output_file(void *ctx, const struct dit_check_file *file);
void output_progress(void *ctx, const struct dit_progress *progress);

/** The sum, and the JSON object. 0, or -1: it could not be written. */
int output_finish(struct output *output, const struct dit_check_stats *stats);

#endif
