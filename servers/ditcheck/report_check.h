/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report of a check: what a database holds, what each index costs, what to do about
 * it. Like report_run.h: one page, made of the JSON (doc/stats.md).
 */
#ifndef DITCHECK_REPORT_CHECK_H
#define DITCHECK_REPORT_CHECK_H

#include <stdio.h>

struct json_t; /* jansson.h */

void report_check_write(FILE *out, const struct json_t *json);

#endif
