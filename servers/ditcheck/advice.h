/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Advice to administrators, made of what a check has found (`ditcheck --stats --json`,
 * doc/stats.md): which indexes cost more than they help, which ones are missing, what
 * runs out.
 *
 * Each piece says what one rule has seen, of all indexes, with figures, why that matters,
 * and the steps that change it. A rule is silent where its figures are missing or too
 * small to judge by. Advice for faster searches comes first, then that for less room.
 * ditcheck(8) lists the rules; advice_rules.tsv has them.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITCHECK_ADVICE_H
#define DITCHECK_ADVICE_H

struct json_t; /* jansson.h */

/**
 * {"advice": [], "advised": []}: for each piece
 *
 *   {"kind", "file", "indexes": [], "title", "seen", "figures": {}, "why", "steps": []}
 *
 * and the configuration of each file when all of its advice is followed, if that changes:
 *
 *   {"file", "lines": [], "command"}
 *
 * @param check    {"files", "databases", "configuration"}
 * @param options  of the configuration, for commands: "", " -f my.conf"
 *
 * @return owned; NULL: no memory
 */
struct json_t *advice_make(const struct json_t *check, const char *options);

#endif
