/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame of a page, for reports of runs and of checks:
 *
 *   report_begin();  the title;  report_body();  the heading;  "</h1>" ...;  report_end()
 */
#ifndef DITKIT_COMMON_REPORT_PARTS_H
#define DITKIT_COMMON_REPORT_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "figures.h"

/** Up to <title>. */
void report_begin(FILE *out);
/** From </title> to <h1>. */
void report_body(FILE *out);
void report_end(FILE *out);

/** One of the key figures, inside <dl class="cards">. @param is_bad  shown as such */
void report_card(FILE *out, const char *name, const char *title, uint64_t value,
                 struct figure figure, bool is_bad);

#endif
