/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A team: N tool threads that work in rounds and meet their coordinator once per round.
 *
 *   dit_team_new();
 *   for each round:  prepare round k;  dit_team_meet();  do the coordinator's own work
 *   dit_team_free()
 *
 *     coordinator   prepare k | meet k |  own work ........ | prepare k+1 | meet k+1 |
 *     tool thread   round k-1 | meet k |  round k ...................... | meet k+1 |
 *
 * dit_team_meet() returns when every thread has finished the previous round; they then
 * start on the new one. So what round k uses must be ready before meet k, and what round
 * k made may be read after meet k+1. While the threads work on round k the coordinator
 * prepares k+1: whatever both need is kept twice, by parity.
 *
 * With one member no thread is started: dit_team_meet() runs the round in the caller.
 *
 * Threads: the coordinator is the thread that called dit_team_new().
 */
#ifndef DITKIT_TEAM_H
#define DITKIT_TEAM_H

#include <stdint.h>

#include "base/ticker.h"

struct dit_team;

/**
 * The work of one member in one round; several members run it at the same time.
 *
 * @param member  0 .. nmembers-1
 * @param round   1, 2, 3 ...: how many times the team has met
 */
typedef void (*dit_team_fn)(void *ctx, unsigned member, uint64_t round);

/**
 * @param nmembers  at least 1
 * @param name      of the threads, up to 10 characters; the member's number is added
 *
 * @return 0; -EINVAL; -ENOMEM; -EAGAIN and other codes of pthread_create()
 */
int dit_team_new(struct dit_team **ret, unsigned nmembers, const char *name,
                 dit_team_fn fn, void *ctx);

/**
 * Wait for the round that runs, then start the next.
 *
 * @param ticker  of the coordinator, for the wait; NULL: none
 */
void dit_team_meet(struct dit_team *team, struct dit_ticker *ticker);

/** Wait for the round that runs. @p ticker as above */
void dit_team_rest(struct dit_team *team, struct dit_ticker *ticker);

/** Wait for the round that runs, end and join the threads. NULL is fine. @p ticker as
 * above */
void dit_team_free(struct dit_team *team, struct dit_ticker *ticker);

#endif
