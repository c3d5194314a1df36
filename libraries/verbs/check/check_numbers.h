/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ad2i checked: numbers without a gap, from 1 on; under each the name of an attribute
 * description, as slapd spells it, and none twice (storage.md 2).
 *
 * Threads: one; the snapshot's reader 0.
 */
#ifndef DITKIT_CHECK_NUMBERS_H
#define DITKIT_CHECK_NUMBERS_H

#include "check/check_findings.h"
#include "reader/snapshot.h"
#include "schema/schema.h"

/** @return 0; -ENOMEM; LMDB's codes */
int dit_check_numbers(struct dit_snapshot *snapshot, struct dit_schema *schema,
                      struct dit_check_findings *findings);

#endif
