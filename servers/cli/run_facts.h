/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts into the statistics of a run, or of a check (doc/stats.md), and out of them. A
 * field that is missing or null is 0 or "".
 */
#ifndef DITKIT_COMMON_RUN_FACTS_H
#define DITKIT_COMMON_RUN_FACTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

uint64_t fact_number(const json_t *object, const char *name);
double fact_seconds(const json_t *object, const char *name);
/** Points into @p object. */
const char *fact_text(const json_t *object, const char *name);

/** The sum of a number over the elements of an array. */
uint64_t fact_sum(const json_t *array, const char *name);
/** The object of an array whose "name" is this; NULL: none. */
json_t *fact_named(const json_t *array, const char *name);

/** The entries that the run stored or changed, or read where it does neither. */
uint64_t fact_entries(const json_t *json);
/** The records that it left out. */
uint64_t fact_left_out(const json_t *json);
/** "stored", "changed", "checked", "indexed": what it did with them. */
const char *fact_verb(const json_t *json);

/**
 * The index databases of all databases, the most expensive first: by time, where there
 * are times, else by bytes, else by postings. Returns an owned array; NULL: it would be
 * empty, or there is no memory.
 */
json_t *fact_indexes(const json_t *json);

/** The elements of a check's "databases" from one on, the largest first. Likewise. */
json_t *fact_largest(const json_t *databases, size_t from);

/** Lists by "postings", the longest first. Takes @p lists. Likewise. */
json_t *fact_longest(json_t *lists);

/* ---- facts into JSON ---- */

/** Write @p text with \xx, two hexadecimal digits, for each byte that is no printable
 * ASCII. Text that does not fit @p size is left out. */
void text_escape(char *ret, size_t size, const char *text);

/** A JSON number. Returns owned; NULL: no memory */
struct json_t *json_number(uint64_t n);

/** An array of what @p make gives for 0 to @p n - 1. Returns owned; NULL: no memory */
struct json_t *json_list(size_t n, struct json_t *(*make)(const void *ctx, size_t i),
                         const void *ctx);

/** Print it and a newline. Takes @p json; NULL: no memory. @param flags  of jansson
 * @return 0; -1 */
int json_print(FILE *out, struct json_t *json, size_t flags);

/** A JSON string; what is no UTF-8 is escaped; NULL becomes null. Returns owned; NULL: no
 * memory */
struct json_t *json_text(const char *text);

#endif
