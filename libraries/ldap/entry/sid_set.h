/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Server IDs, 0 to 4095: the third part of a change sequence number, and sets of them.
 *
 *     20231114221320.123456Z#000007#abc#000000     server 0xabc
 *
 * Threads: functions without state.
 */
#ifndef DITKIT_SID_SET_H
#define DITKIT_SID_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define DIT_NSIDS 4096

/** A bit for each server ID. */
struct dit_sid_set {
	uint64_t words[DIT_NSIDS / 64];
};

/** @return the server ID, a hexadecimal number as strtol(3) reads it; -1: none */
int dit_csn_sid(struct dit_span csn);

/** @param sid  -1: in no set */
static inline bool dit_sid_set_has(const struct dit_sid_set *set, int sid)
{
	return sid >= 0 && (set->words[sid / 64] >> (sid % 64) & 1) != 0;
}

/**
 * Read "1,2,17": decimal numbers separated by commas. Empty parts are left out.
 *
 * @return 0; DIT_E_SYNTAX: a part is no number, or above 4095
 */
int dit_sid_set_parse(const char *text, struct dit_sid_set *ret);

#endif
