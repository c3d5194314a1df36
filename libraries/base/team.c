/* SPDX-License-Identifier: BSD-2-Clause */
/* Teams of tool threads: each counts the meetings for itself. */
#include "base/team.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/barrier.h"

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
	struct dit_barrier meeting; /* members and coordinator */

	/* [own: coordinator] */
	unsigned nstarted;
	uint64_t round; /* members count the meetings for themselves */

	/* [lock: gate] */
	pthread_mutex_t gate;
	bool is_cancelled; /* not all members could be started */

	/*
	 * [atomic: a member may still be on its way out of meeting k when the coordinator
	 * announces that k+1 is the end; it then reads 0 or k+1, neither of them k.
	 * Relaxed:
	 * the barrier orders the rest.]
	 */
	_Atomic uint64_t end; /* the meeting at which the members leave; 0: not yet */
};

static void *member_main(void *arg)
{
	const struct dit_member *member = arg;
	struct dit_team *team = member->team;
	bool is_cancelled = false;
	uint64_t round = 0;

	/* The gate opens when all members are started, or when one could not be. */
	(void)pthread_mutex_lock(&team->gate);
	is_cancelled = team->is_cancelled;
	(void)pthread_mutex_unlock(&team->gate);
	while (!is_cancelled) {
		dit_barrier_wait(&team->meeting);
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

	(void)pthread_mutex_lock(&team->gate);
	r = start_members(team, name);
	team->is_cancelled = r < 0;
	(void)pthread_mutex_unlock(&team->gate);
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
	r = -pthread_mutex_init(&team->gate, NULL);
	if (r < 0) {
		goto fail_gate;
	}
	r = dit_barrier_init(&team->meeting, nmembers + 1);
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
	dit_barrier_deinit(&team->meeting);
fail_meeting:
	(void)pthread_mutex_destroy(&team->gate);
fail_gate:
	free(team->members);
fail_members:
	free(team);
	return r;
}

void dit_team_meet(struct dit_team *team)
{
	team->round++;
	if (team->members == NULL) {
		team->fn(team->ctx, 0, team->round);
		return;
	}
	dit_barrier_wait(&team->meeting);
}

void dit_team_free(struct dit_team *team)
{
	if (team == NULL) {
		return;
	}
	if (team->members != NULL) {
		atomic_store_explicit(&team->end, team->round + 1, memory_order_relaxed);
		dit_barrier_wait(&team->meeting);
		join_members(team);
		dit_barrier_deinit(&team->meeting);
		(void)pthread_mutex_destroy(&team->gate);
		free(team->members);
	}
	free(team);
}

unsigned dit_team_nmembers(const struct dit_team *team)
{
	return team->nmembers;
}
