/* SPDX-License-Identifier: BSD-2-Clause */
/* The sections of a report that have charts; each prints nothing without figures. */
#ifndef DITKIT_COMMON_REPORT_CHARTS_H
#define DITKIT_COMMON_REPORT_CHARTS_H

#include <stdio.h>

struct json_t; /* jansson.h */

void report_phases(FILE *out, const struct json_t *json);
void report_over_time(FILE *out, const struct json_t *json);
void report_threads(FILE *out, const struct json_t *json);

#endif
