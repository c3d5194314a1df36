/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration of the values of single attributes: which are sorted (sortvals), and
 * which are stored apart from their entries (multival).
 *
 * Threads: constant once they are made.
 */
#ifndef DITKIT_VALUE_RULES_H
#define DITKIT_VALUE_RULES_H

#include <stdint.h>

#include "codec/split_codec.h"
#include "config/settings.h"

/**
 * The types that sortvals names.
 *
 * @param ret  a bit for each ordinal of a type; NULL: sortvals is not configured. free()
 *
 * @return 0 or -ENOMEM
 */
int dit_sorted_types_make(const struct dit_settings *settings, uint64_t **ret);

/**
 * The limits of multival in a database.
 *
 * @param ret  NULL: multival is not configured. One piece: free(). Its record_max is that
 *             of LMDB 0.9
 *
 * @return 0 or -ENOMEM
 */
int dit_split_rules_make(const struct dit_database *db, struct dit_split_rules **ret);

#endif
