/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Teams of tool threads. All meet under one lock: each member says that it has arrived
 * and waits for the next round. The coordinator begins the round when all have arrived.
 */
#include "base/team.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/monitor.h"

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

	/* [own: coordinator] */
	unsigned nstarted;

	struct dit_monitor monitor; /* tells of changes of all that follows */
	/* [lock: monitor] to read; the coordinator, which writes it, reads it without */
	uint64_t round; /* the one that runs, or ran last */
	/* [lock: monitor] */
	uint64_t narrived; /* members at meetings, all of them since the start */
	bool is_over;      /* the members leave, or could not all be started */
};

/* A member has arrived at a meeting. @return false: it is to leave */
static bool await_round(struct dit_team *team, uint64_t round)
{
	bool is_over = false;

	dit_monitor_enter(&team->monitor);
	team->narrived++;
	if (team->narrived % team->nmembers == 0) {
		dit_monitor_tell(&team->monitor);
	}
	while (team->round < round && !team->is_over) {
		dit_monitor_wait(&team->monitor);
	}
	is_over = team->is_over;
	dit_monitor_leave(&team->monitor);
	return !is_over;
}

static void *member_main(void *arg)
{
	const struct dit_member *member = arg;
	struct dit_team *team = member->team;

	for (uint64_t round = 1; await_round(team, round); round++) {
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

static void join_members(struct dit_team *team)
{
	for (unsigned i = 0; i < team->nstarted; i++) {
		(void)pthread_join(team->members[i].thread, NULL);
	}
}

/* Starts all members or none. */
static int team_start(struct dit_team *team, const char *name)
{
	int r = 0;

	dit_monitor_enter(&team->monitor);
	r = start_members(team, name);
	team->is_over = r < 0;
	dit_monitor_leave(&team->monitor);
	if (r < 0) {
		join_members(team);
		team->nstarted = 0;
	}
	return r;
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
	if (nmembers == 1) {
		*ret = team;
		return 0;
	}
	team->members = calloc(nmembers, sizeof(*team->members));
	if (team->members == NULL) {
		r = -ENOMEM;
		goto fail_members;
	}
	r = dit_monitor_init(&team->monitor);
	if (r < 0) {
		goto fail_monitor;
	}
	r = team_start(team, name);
	if (r < 0) {
		goto fail_start;
	}
	*ret = team;
	return 0;

fail_start:
	dit_monitor_deinit(&team->monitor);
fail_monitor:
	free(team->members);
fail_members:
	free(team);
	return r;
}

/* Wait for all members, then begin the next round, or end the team. */
static void meet(struct dit_team *team, struct dit_ticker *ticker, bool is_over)
{
	uint64_t wanted = (team->round + 1) * team->nmembers;

	dit_monitor_enter(&team->monitor);
	while (team->narrived < wanted) {
		dit_monitor_wait_and_tick(&team->monitor, ticker);
	}
	team->round++;
	team->is_over = is_over;
	dit_monitor_tell(&team->monitor);
	dit_monitor_leave(&team->monitor);
}

void dit_team_meet(struct dit_team *team, struct dit_ticker *ticker)
{
	if (team->members == NULL) {
		team->fn(team->ctx, 0, ++team->round);
		return;
	}
	meet(team, ticker, false);
}

void dit_team_free(struct dit_team *team, struct dit_ticker *ticker)
{
	if (team == NULL) {
		return;
	}
	if (team->members != NULL) {
		meet(team, ticker, true);
		join_members(team);
		dit_monitor_deinit(&team->monitor);
		free(team->members);
	}
	free(team);
}
