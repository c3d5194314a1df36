/* SPDX-License-Identifier: BSD-2-Clause */
/* Lengths of lists in a report: a small chart of one index, and a section of all. */
#ifndef DITKIT_COMMON_REPORT_LISTS_H
#define DITKIT_COMMON_REPORT_LISTS_H

#include <stddef.h>
#include <stdio.h>

struct json_t; /* jansson.h */

/** How many classes of lengths the charts of these indexes have. */
unsigned report_count_classes(struct json_t *const *indexes, size_t n);

/** The lists of one index. */
void report_spark(FILE *out, const struct json_t *index, unsigned nclasses);

/** The section; nothing, if there is no list. */
void report_lengths(FILE *out, struct json_t *const *indexes, size_t n);

#endif
