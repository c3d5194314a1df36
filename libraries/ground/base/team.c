/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Teams of tool threads: each counts the meetings for itself. All meet at a barrier,
 * where nobody can wait for a while only. So a coordinator that ticks waits before the
 * barrier, until the members have said that they are there.
 */
#include "base/team.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
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
	pthread_barrier_t meeting;  /* members and coordinator */

	/* [own: coordinator] */
	unsigned nstarted;
	uint64_t round; /* members count the meetings for themselves */

	struct dit_monitor monitor; /* tells when all members are at the meeting */
	/* [lock: monitor] */
	bool is_cancelled; /* not all members could be started */
	uint64_t narrived; /* members at meetings, all of them since the start */

	/*
	 * [atomic: a member may still be on its way out of meeting k when the coordinator
	 * announces that k+1 is the end; it then reads 0 or k+1, neither of them k.
	 * Relaxed:
	 * the barrier orders the rest.]
	 */
	_Atomic uint64_t end; /* the meeting at which the members leave; 0: not yet */
};

static void arrive(struct dit_team *team)
{
	dit_monitor_enter(&team->monitor);
	team->narrived++;
	if (team->narrived % team->nmembers == 0) {
		dit_monitor_tell(&team->monitor);
	}
	dit_monitor_leave(&team->monitor);
}

static void *member_main(void *arg)
{
	const struct dit_member *member = arg;
	struct dit_team *team = member->team;
	bool is_cancelled = false;
	uint64_t round = 0;

	/* The lock is free when all members are started, or when one could not be. */
	dit_monitor_enter(&team->monitor);
	is_cancelled = team->is_cancelled;
	dit_monitor_leave(&team->monitor);
	while (!is_cancelled) {
		arrive(team);
		(void)pthread_barrier_wait(&team->meeting);
		round++;
		if (round == atomic_load_explicit(&team->end, memory_order_relaxed)) {
			break;
		}
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
	team->is_cancelled = r < 0;
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
	dit_monitor_init(&team->monitor);
	r = -pthread_barrier_init(&team->meeting, NULL, nmembers + 1);
	if (r < 0) {
		goto fail_meeting;
	}
	r = team_start(team, name);
	if (r < 0) {
		goto fail_start;
	}
	*ret = team;
	return 0;

fail_start:
	(void)pthread_barrier_destroy(&team->meeting);
fail_meeting:
	dit_monitor_deinit(&team->monitor);
	free(team->members);
fail_members:
	free(team);
	return r;
}

/* The coordinator, before meeting @p round. */
static void await_members(struct dit_team *team, uint64_t round,
                          struct dit_ticker *ticker)
{
	uint64_t wanted = round * team->nmembers;

	if (ticker == NULL || ticker->tell == NULL) {
		return;
	}
	dit_monitor_enter(&team->monitor);
	while (team->narrived < wanted) {
		dit_monitor_wait_ms(&team->monitor, DIT_TICK_MS);
		if (team->narrived < wanted) {
			dit_monitor_leave(&team->monitor);
			dit_tick(ticker);
			dit_monitor_enter(&team->monitor);
		}
	}
	dit_monitor_leave(&team->monitor);
}

void dit_team_meet(struct dit_team *team, struct dit_ticker *ticker)
{
	team->round++;
	if (team->members == NULL) {
		team->fn(team->ctx, 0, team->round);
		return;
	}
	await_members(team, team->round, ticker);
	(void)pthread_barrier_wait(&team->meeting);
}

void dit_team_free(struct dit_team *team, struct dit_ticker *ticker)
{
	if (team == NULL) {
		return;
	}
	if (team->members != NULL) {
		atomic_store_explicit(&team->end, team->round + 1, memory_order_relaxed);
		await_members(team, team->round + 1, ticker);
		(void)pthread_barrier_wait(&team->meeting);
		join_members(team);
		(void)pthread_barrier_destroy(&team->meeting);
		dit_monitor_deinit(&team->monitor);
		free(team->members);
	}
	free(team);
}
