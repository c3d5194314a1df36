/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Teams of tool threads: a count of rounds, which the coordinator raises when all members
 * wait for that. Each member counts its rounds for itself.
 */
#include "base/team.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/monitor.h"
#include "base/object.h"

struct dit_member {
	struct dit_team *team;
	unsigned number;
	pthread_t thread;
};

struct dit_team {
	/* [const] */
	dit_team_fn fn;
	void *ctx;
	unsigned nmembers;
	struct dit_member *members; /* NULL with one member */

	unsigned nstarted; /* [own: coordinator] */

	/* [lock: monitor] */
	struct dit_monitor monitor; /* tells the coordinator of nwaits */
	pthread_cond_t begun;       /* tells the members of round and is_over */
	uint64_t round;             /* the one that runs, or that ended last */
	uint64_t nwaits; /* of members for a round, all of them since the start */
	bool is_over;    /* the members leave, instead of the next round */
};

/* @return false: there is none */
static bool wait_for_round(struct dit_team *team, uint64_t round)
{
	bool is_over = false;

	dit_monitor_enter(&team->monitor);
	team->nwaits++;
	if (team->nwaits % team->nmembers == 0) {
		dit_monitor_tell(&team->monitor);
	}
	while (team->round < round && !team->is_over) {
		(void)pthread_cond_wait(&team->begun, &team->monitor.lock);
	}
	is_over = team->is_over;
	dit_monitor_leave(&team->monitor);
	return !is_over;
}

static void *member_main(void *arg)
{
	const struct dit_member *member = arg;
	struct dit_team *team = member->team;

	for (uint64_t round = 1; wait_for_round(team, round); round++) {
		team->fn(team->ctx, member->number, round);
	}
	return NULL;
}

static int start_members(struct dit_team *team, const char *name)
{
	for (unsigned i = 0; i < team->nmembers; i++) {
		struct dit_member *member = &team->members[i];
		char full_name[16]; /* the kernel's limit, NUL included */
		int r = 0;

		member->team = team;
		member->number = i;
		r = pthread_create(&member->thread, NULL, member_main, member);
		if (r != 0) {
			return -r;
		}
		team->nstarted++;
		(void)snprintf(full_name, sizeof(full_name), "%.10s-%u", name, i % 1000);
		(void)pthread_setname_np(member->thread, full_name);
	}
	return 0;
}

/* The members that wait leave. Afterwards there is no team. */
static void end_team(struct dit_team *team)
{
	dit_monitor_enter(&team->monitor);
	team->is_over = true;
	(void)pthread_cond_broadcast(&team->begun);
	dit_monitor_leave(&team->monitor);
	for (unsigned i = 0; i < team->nstarted; i++) {
		(void)pthread_join(team->members[i].thread, NULL);
	}
	(void)pthread_cond_destroy(&team->begun);
	dit_monitor_deinit(&team->monitor);
	free(team->members);
	free(team);
}

int dit_team_new(struct dit_team **ret, unsigned nmembers, const char *name,
                 dit_team_fn fn, void *ctx)
{
	struct dit_team *team = NULL;
	int r = 0;

	if (nmembers == 0) {
		return -EINVAL;
	}
	team = calloc(1, sizeof(*team));
	if (team == NULL) {
		return -ENOMEM;
	}
	team->fn = fn;
	team->ctx = ctx;
	team->nmembers = nmembers;
	dit_monitor_init(&team->monitor);
	team->begun = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	if (nmembers > 1) {
		team->members = calloc(nmembers, sizeof(*team->members));
		r = team->members == NULL ? -ENOMEM : start_members(team, name);
	}
	return DIT_HAND_OVER(r, ret, team, end_team);
}

/* Until all members have ended their round. With the lock held. */
static void await_members(struct dit_team *team, struct dit_ticker *ticker)
{
	while (team->nwaits < (team->round + 1) * team->nmembers) {
		dit_monitor_wait_ticking(&team->monitor, ticker);
	}
}

void dit_team_meet(struct dit_team *team, struct dit_ticker *ticker)
{
	if (team->members == NULL) {
		team->fn(team->ctx, 0, ++team->round);
		return;
	}
	dit_monitor_enter(&team->monitor);
	await_members(team, ticker);
	team->round++;
	(void)pthread_cond_broadcast(&team->begun);
	dit_monitor_leave(&team->monitor);
}

void dit_team_rest(struct dit_team *team, struct dit_ticker *ticker)
{
	if (team->members != NULL) {
		dit_monitor_enter(&team->monitor);
		await_members(team, ticker);
		dit_monitor_leave(&team->monitor);
	}
}

void dit_team_free(struct dit_team *team, struct dit_ticker *ticker)
{
	if (team != NULL) {
		dit_team_rest(team, ticker);
		end_team(team);
	}
}
