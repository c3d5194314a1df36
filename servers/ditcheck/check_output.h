/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output of ditcheck: findings as lines, or as one JSON object at the end.
 *
 *   output_init();  as callbacks of dit_check();  output_finish();  output_deinit()
 */
#ifndef DITCHECK_OUTPUT_H
#define DITCHECK_OUTPUT_H

#include <ditkit/check.h>

#include "filter_log.h"
#include "meter.h"

struct output {
	struct meter meter;
	bool is_verbose;
	bool is_json;        /* else lines */
	struct json_t *json; /* what is told at the end; owned */
	size_t nsizes;       /* databases of the files before this one */
	bool is_lost;        /* there was no memory for something */
};

/** 0, or -1: no memory. */
int output_init(struct output *output, bool is_json);

/* Callbacks; ctx is the output. */
void output_found(void *ctx, const struct dit_check_finding *finding);
void output_sizes(void *ctx, const struct dit_check_database *database);
void output_config(void *ctx, const struct dit_check_config *config);
void output_file(void *ctx, const struct dit_check_file *file);

/**
 * Add "advice", "advised", "checked", and "filter_log" to the JSON object.
 *
 * @param options  of the configuration (advice.h)
 */
void output_advise(struct output *output, const struct filter_log *log,
                   const char *options);

/** The sum and the advice, or the JSON object. 0, or -1: something of it
 * is not written. */
int output_finish(struct output *output, const struct dit_check_stats *stats);

void output_deinit(struct output *output);

#endif
