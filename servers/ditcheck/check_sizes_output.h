/* SPDX-License-Identifier: BSD-2-Clause */
/* --stats: the sizes of named databases, as a table or as JSON; the use of indexes. */
#ifndef DITCHECK_SIZES_OUTPUT_H
#define DITCHECK_SIZES_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <ditkit/check.h>

struct json_t; /* jansson.h */

/**
 * The table of one data file, the largest database first, on standard output.
 *
 * @param databases   objects of sizes_json()
 * @param from        the first one of this file; all after it are of it, too
 * @param is_verbose  longest lists, too
 */
void sizes_print(const struct json_t *databases, size_t from, bool is_verbose);

/** {"database": "cn", "keys": 2, ...}; returns owned. NULL: no memory. */
struct json_t *sizes_json(const struct dit_check_database *database);

/** A configuration, and what searches make of it. Likewise. */
struct json_t *config_json(const struct dit_check_config *config);

#endif
