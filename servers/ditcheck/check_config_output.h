/* SPDX-License-Identifier: BSD-2-Clause */
/* --stats: the configuration of a file, and what searches make of it, as JSON. */
#ifndef DITCHECK_CONFIG_OUTPUT_H
#define DITCHECK_CONFIG_OUTPUT_H

#include <ditkit/check.h>

/** {"file": "db/data.mdb", "indexes": [...], ...}; returns owned. NULL: no memory. */
struct json_t *config_json(const struct dit_check_config *config);

#endif
