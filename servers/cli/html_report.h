/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report of a run or a check: one page, without scripts, that needs no network. The
 * template report_page.html makes it of the JSON (doc/stats.md). So the figures are those
 * of the JSON; each number stands in a <data> element with the JSON's value.
 */
#ifndef DITKIT_CLI_HTML_REPORT_H
#define DITKIT_CLI_HTML_REPORT_H

#include <stdio.h>

struct json_t; /* jansson.h */

/** @param next  the command to type next; NULL: none */
void report_write(FILE *out, const struct json_t *json, const char *next);

#endif
