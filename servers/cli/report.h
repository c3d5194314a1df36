/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report of a run or a check: one page that needs nothing else, no script and no
 * network, made of the JSON (doc/stats.md). So its figures are those of the JSON; each
 * number stands in a <data> element with the JSON's value.
 */
#ifndef DITKIT_CLI_REPORT_H
#define DITKIT_CLI_REPORT_H

#include <stdio.h>

struct json_t; /* jansson.h */

/** @param next  the command to type next; NULL: none */
void report_write(FILE *out, const struct json_t *json, const char *next);

#endif
